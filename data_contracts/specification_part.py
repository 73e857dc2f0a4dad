"""What every part of a study specification shares: strictness, and the words its values are made of.

Parts are frozen and know no defaults from outside; the docstring below an attribute is what the JSON
Schema and the reference in `docs/` say of the key.
"""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints


class Part(BaseModel):
    """A mapping of the specification: no unknown keys, no coercion, nothing changes afterwards."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )


def as_tuple(value: Any) -> Any:
    """One value where a list may stand."""
    return value if value is None or isinstance(value, tuple) else (value,)


ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
SLUG_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,62}$"

Text = Annotated[str, StringConstraints(min_length=1)]
Id = Annotated[str, StringConstraints(pattern=ID_PATTERN)]
Slug = Annotated[str, StringConstraints(pattern=SLUG_PATTERN)]
FilePath = Annotated[str, StringConstraints(min_length=1)]
Level = int | float | str
Positive = Annotated[int, Field(gt=0)]
Share = Annotated[float, Field(gt=0, lt=1)]

# A StrEnum is read from its text, which strict mode would refuse.
Word = Field(strict=False)

Pair = tuple[Id, Id]
# The bounds are of the list, so they stand before the reader that makes one.
OneOrMoreIds = Annotated[
    tuple[Id, ...], Field(min_length=1), BeforeValidator(as_tuple, json_schema_input_type=Id | tuple[Id, ...])
]
IndependentUnit = Annotated[
    tuple[Text, ...],
    Field(min_length=1, max_length=2),
    BeforeValidator(as_tuple, json_schema_input_type=Text | tuple[Text, ...]),
]
Alphas = Annotated[
    tuple[Share, ...], Field(min_length=1), BeforeValidator(as_tuple, json_schema_input_type=Share | tuple[Share, ...])
]
