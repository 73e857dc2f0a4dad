"""The JSON Schema of `study.yaml`, generated: `python -m data_contracts.specification_schema` writes it."""

import json
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from data_contracts.specification import StudySpec

SCHEMA = Path(__file__).parents[1] / "docs" / "study.schema.json"


class _Untitled(GenerateJsonSchema):
    """Without a title at every key, which would say the key again."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def study_schema() -> dict[str, Any]:
    """Schema of a study specification; what holds between keys is checked by `juryline check`."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Juryline study specification"}
    return StudySpec.model_json_schema(by_alias=True, schema_generator=_Untitled) | head


def schema_text() -> str:
    """The schema as it stands in `docs/`."""
    return json.dumps(study_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def write_schema(path: Path = SCHEMA) -> None:
    """Write the schema, by default where it is published."""
    path.write_text(schema_text(), encoding="utf-8")


if __name__ == "__main__":
    write_schema()
