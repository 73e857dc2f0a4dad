"""What holds between the parts of a specification."""

from pydantic import ValidationError

from data_contracts.errors import SpecificationError
from data_contracts.specification import StudySpec
from data_contracts.yaml_source import YamlSource


def parse(source: YamlSource) -> StudySpec:
    try:
        return StudySpec.model_validate(source.data)
    except ValidationError as error:
        lines = [
            f"line {source.position(tuple(e['loc'])).line}, {'.'.join(map(str, e['loc']))}: {e['msg']}"
            for e in error.errors()
        ]
        raise SpecificationError("\n".join(lines), where=source.name) from None
