import pytest

from data_contracts.errors import SpecificationError
from juryline.analyses.bradley_terry import bradley_terry_rows
from juryline.analyses.elo import elo_rows
from juryline.analyses.win_rates import win_rates_rows

ROWS = {"win_rates": win_rates_rows, "elo": elo_rows, "bradley_terry": bradley_terry_rows}
RANKING = """
systems: [{{id: a}}, {{id: b}}]
rubric: {{criteria: [{{id: quality, protocol: ranking}}]}}
raters: {{populations: [{{id: crowd, kind: human{unit}}}]}}
analyses: [{{id: ranks, method: {method}, criterion: quality}}]
"""


@pytest.mark.parametrize("method", ROWS)
def test_a_ranking_whose_independent_unit_nobody_declares_is_refused(specification, view, method):
    spec = specification(RANKING.format(method=method, unit=""))

    with pytest.raises(SpecificationError, match="the pairs of one ranking are not independent"):
        ROWS[method](spec.analyses[0], spec, view("comparisons", []))


@pytest.mark.parametrize("method", ROWS)
def test_a_unit_declared_for_the_population_is_enough(specification, view, method):
    spec = specification(RANKING.format(method=method, unit=", independent_unit: [case]"))

    assert ROWS[method](spec.analyses[0], spec, view("comparisons", []))
