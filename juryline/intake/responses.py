"""What an exported label means: the declared responses and states of each criterion, as a look-up table."""

import pyarrow as pa

from data_contracts.specification import StudySpec
from data_contracts.specification_exports import Export
from data_contracts.specification_part import Level
from data_contracts.specification_rubric import Criterion, level_text
from data_contracts.vocabulary import Protocol, State

RESPONSES = pa.schema(
    [
        ("criterion", pa.string()),
        ("exported", pa.string()),
        ("state", pa.string()),
        ("label", pa.string()),
        ("value", pa.float64()),
    ]
)
CRITERIA = pa.schema(
    [
        ("exported", pa.string()),
        ("criterion", pa.string()),
        ("protocol", pa.string()),
        ("numeric", pa.bool_()),  # whether labels are read as numbers
        ("levelled", pa.bool_()),  # whether only declared levels are responses
        ("low", pa.float64()),  # of a stated chance, to place it in [0, 1]
        ("high", pa.float64()),
    ]
)
POSITIONS = ("candidate_1", "candidate_2")


def criteria_table(spec: StudySpec, export: Export) -> pa.Table:
    """Each exported name of a criterion, and how its labels are to be read."""
    names = {id: id for id in spec.criteria_ever} | export.criteria
    rows = []
    for exported, name in names.items():
        criterion = spec.criteria_ever[name]
        spa = criterion.protocol is Protocol.SPA
        low, high = criterion.bounds if spa else (None, None)
        rows.append(
            {
                "exported": exported,
                "criterion": criterion.id,
                "protocol": criterion.protocol,
                "numeric": criterion.protocol is Protocol.RANKING or spa or _scale_is_numeric(criterion),
                "levelled": bool(_levels(criterion)),
                "low": low,
                "high": high,
            }
        )
    return pa.Table.from_pylist(rows, schema=CRITERIA)


def responses_table(spec: StudySpec, export: Export) -> pa.Table:
    """Each label that an export may give, by criterion, and the state, response and number it stands for.

    A label that the export's `labels` maps is what the mapping says. Otherwise a declared level stands
    for itself, as do the names of the two positions; a mapping query may also give a state by its name.
    """
    rows = []
    for criterion in spec.criteria_ever.values():
        meaning: dict[str, str] = {}
        if criterion.protocol == Protocol.PAIRWISE:
            meaning |= {position: position for position in POSITIONS}
        if export.format == "sql":
            meaning |= {state: state for state in State if state is not State.ANSWERED}
        levels = {level_text(level): level for level in _levels(criterion)}
        meaning |= {text: text for text in levels}
        meaning |= {label: level_text(target) for label, target in export.labels.get(criterion.id, {}).items()}
        for exported, target in meaning.items():
            level = levels.get(target)
            is_response = target in levels or (criterion.protocol == Protocol.PAIRWISE and target in POSITIONS)
            rows.append(
                {
                    "criterion": criterion.id,
                    "exported": exported,
                    "state": State.ANSWERED if is_response else target,
                    "label": target if is_response else None,
                    "value": None if level is None or isinstance(level, str) else float(level),
                }
            )
    return pa.Table.from_pylist(rows, schema=RESPONSES)


def _levels(criterion: Criterion) -> tuple[Level, ...]:
    return () if criterion.scale is None else criterion.scale.levels


def _scale_is_numeric(criterion: Criterion) -> bool:
    return criterion.scale is not None and criterion.scale.numeric
