"""How exports are read: which files, in which format, and what their columns and labels mean."""

from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from data_contracts.specification_part import FilePath, Id, Level, Part, Text, Word, as_tuple
from data_contracts.vocabulary import ItemKind, Phase

TABLE = "table"
SQL = "sql"
RATER_ATTRIBUTES = "rater_attributes"
Format = Literal["table", "sql", "rater_attributes", "label_studio", "toloka", "slam"]
FORMATS: tuple[str, ...] = get_args(Format)

# An ending says what a file is; how its text is cut stays the default until it is declared.
ENDINGS = {
    "csv": "csv",
    "tsv": "tsv",
    "json": "json",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "parquet": "parquet",
    "txt": "lines",
}


class Read(Part):
    """How the bytes of a file are cut into rows; nothing is sniffed silently."""

    as_: Literal["csv", "tsv", "json", "jsonl", "parquet", "lines"] = Field(alias="as")
    """The kind of file."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """Between cells; a comma for csv, a tab for tsv, unless given."""
    quote: Annotated[str, Field(max_length=1)] = '"'
    """Around cells; the empty text for none."""
    header: bool | tuple[Text, ...] = True
    """Whether the first record names the columns; false: they are column_1, column_2 ...; a list: their names, in a
    file without a header."""
    encoding: Text = "utf-8"
    """Of the text; a byte order mark is taken off."""
    decimal: Literal[".", ","] = "."
    """The decimal mark of numbers."""

    @property
    def separator(self) -> str:
        """What stands between cells."""
        return self.delimiter or ("\t" if self.as_ == "tsv" else ",")


def read_by_ending(pattern: str) -> Read | None:
    """How a file is read by the ending of its name or glob; None where the ending does not say."""
    kind = ENDINGS.get(pattern.removesuffix(".gz").rpartition(".")[2])
    return None if kind is None else Read.model_validate({"as": kind})


class Cell(Part):
    """Where a value comes from: a column by name, or the same value for every row."""

    column: Text | None = None
    """Column of the export."""
    constant: Level | None = None
    """A value for all rows."""

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        return {"column": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_source(self) -> "Cell":
        if (self.column is None) == (self.constant is None):
            raise ValueError("this names neither a column nor a constant; write a column's name, or {constant: x}")
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string", "minLength": 1}, handler.resolve_ref_schema(handler(core))]}


def _named(value: Any) -> Any:
    """A list of names is a mapping of each name to the column of that name."""
    if isinstance(value, str):
        value = (value,)
    if isinstance(value, tuple) and all(isinstance(name, str) for name in value):
        return {name: name for name in value}
    return value


Attributes = Annotated[
    dict[Text, Text],
    BeforeValidator(_named, json_schema_input_type=Text | tuple[Text, ...] | dict[Text, Text]),
]


class Columns(Part):
    """What the columns of an export are."""

    rater: Cell | None = None
    """Raw rater id; a model population needs none."""
    case: Cell | None = None
    """The prompt; absent for spa."""
    candidate_1: Cell | None = None
    """Blinded id shown first; spa: X of P[X > Y]; rating, checklist and ranking: the candidate."""
    candidate_2: Cell | None = None
    """Blinded id shown second."""
    candidate_order: Cell | None = None
    """All blinded ids in the order shown."""
    labels: dict[str, Text] = Field(default_factory=dict)
    """Wide tables: criterion to column."""
    criterion: Cell | None = None
    """Long tables: the criterion."""
    label: Cell | None = None
    """Long tables: the answer."""
    native_id: Cell | None = None
    """The tool's own id of a judgment."""
    submission_id: Cell | None = None
    """What a rater handed in at once."""
    sequence: Cell | None = None
    """Place of the judgment in the rater's session."""
    exposure: Cell | None = None
    """Outputs of each system seen before answering."""
    assignment_block: Cell | None = None
    """Block or sample the rater was assigned."""
    item_kind: Cell | None = None
    """Kind of item, read through `item_kinds`."""
    gold_label: Cell | None = None
    """Expected answer of a gold item, read through `labels`."""
    output_1: Cell | None = None
    """Which output of candidate 1 was shown."""
    output_2: Cell | None = None
    """Which output of candidate 2 was shown."""
    rationale: Cell | None = None
    """The rater's own words."""
    evidence_refs: Cell | None = None
    """What the rater pointed at."""
    started_at: Cell | None = None
    """Start."""
    submitted_at: Cell | None = None
    """Submission."""
    rubric_revision: Cell | None = None
    """Revision of the rubric; the one in force unless given."""
    interface_revision: Cell | None = None
    """Revision of the interface; the one in force unless given."""
    quality_flags: Cell | None = None
    """Marks that the tool set."""
    attributes: Attributes = Field(default_factory=dict)
    """Format rater_attributes: a list of columns, or attribute to column."""

    def cells(self) -> dict[str, Cell]:
        """The single-valued columns that are mapped, by name, in the order of the model."""
        named = ((name, getattr(self, name)) for name in type(self).model_fields)
        return {name: cell for name, cell in named if isinstance(cell, Cell)}


class Ignore(Part):
    """Rows left out by declaration, counted with this as their reason."""

    column: Text
    """Column looked at."""
    values: tuple[str, ...] = Field(min_length=1)
    """Values, as exported, whose rows are left out."""


Ignores = Annotated[tuple[Ignore, ...], BeforeValidator(as_tuple, json_schema_input_type=Ignore | tuple[Ignore, ...])]


class ExportAttributes(Part):
    """Columns that are attributes to slice by; lists of columns, or attribute to column."""

    case: Attributes = Field(default_factory=dict)
    """Attributes of the case."""
    rater: Attributes = Field(default_factory=dict)
    """Attributes of the rater."""


class Export(Part):
    """One kind of file and how it is read."""

    match: Text
    """Glob on the path below exports/; ** crosses folders."""
    format: Format
    """table, sql, rater_attributes, or the name of an adapter."""
    read: Read | None = None
    """How files are cut into rows; needed for table, sql and rater_attributes unless the ending says it."""
    query: FilePath | None = None
    """Format sql: a file below the study with one SELECT over `export`."""
    population: Id | None = None
    """Whose judgments these are."""
    rater_namespace: Text | None = None
    """Populations that share rater ids name one namespace, so one person stays one rater."""
    timezone: Text | None = None
    """Zone of times without an offset, as in America/New_York."""
    time_format: Text = "iso"
    """iso, epoch_s, epoch_ms or a strptime pattern."""
    delivery: Literal["cumulative", "incremental"] = "cumulative"
    """incremental: equal rows of another file are new votes; a file is delivered again only whole."""
    phase: Annotated[Phase, Word] | None = None
    """Of all its judgments; the study's unless given."""
    columns: Columns = Columns()
    """What the columns are."""
    criteria: dict[str, Id] = Field(default_factory=dict)
    """Criterion as exported to criterion of the rubric."""
    labels: dict[str, dict[str, Level]] = Field(default_factory=dict)
    """By criterion: label as exported to a declared response, candidate or state."""
    item_kinds: dict[str, Annotated[ItemKind, Word]] = Field(default_factory=dict)
    """Kind as exported to scored, repeat, control, gold or training."""
    attributes: ExportAttributes = ExportAttributes()
    """Columns that are attributes."""
    ignore: Ignores = ()
    """Rows left out by declaration."""
    not_collected: tuple[Literal["started_at", "submitted_at", "candidate_order"], ...] = ()
    """What this export does not hold."""

    def may_hold(self, criterion: str) -> bool:
        """Whether it can hold judgments of a criterion; of a table it is known, of queries and adapters it is not."""
        named = self.columns.criterion
        if self.format != "table" or (named is not None and named.column is not None):
            return True
        if named is None:  # an export with one column of answers is of the one criterion that there is
            return self.columns.label is not None or criterion in self.columns.labels
        return criterion == self.criteria.get(str(named.constant), named.constant)

    @property
    def reading(self) -> Read | None:
        """How its files are cut into rows: as declared, else by the ending of `match`; None for adapters' own."""
        return self.read or read_by_ending(self.match)


class OutputColumns(Part):
    case: Text
    """Column of the case id."""
    system: Text
    """Column of the system's id, declared or blinded."""
    output: Text | None = None
    """Column of the output's id, where a system has several for a case."""
    text: Text | None = None
    """Column of the text; its length is its words, unless tokens are declared."""
    tokens: Text | None = None
    """Column of its length in tokens."""


class Outputs(Part):
    """What the systems wrote."""

    match: Text
    """Glob on the path below exports/."""
    read: Read | None = None
    """How files are cut into rows, unless the ending says it."""
    columns: OutputColumns | None = None
    """What the columns are; or give a query."""
    query: FilePath | None = None
    """A file below the study with one SELECT over `export` that returns case_id, system, output, and text or tokens."""

    @property
    def reading(self) -> Read | None:
        """How its files are cut into rows: as declared, else by the ending of `match`."""
        return self.read or read_by_ending(self.match)
