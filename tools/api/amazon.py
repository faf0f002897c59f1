"""AWS's APIs: the service models that botocore carries."""

import re
from functools import cache
from html import unescape

from botocore.loaders import Loader
from botocore.model import ListShape, MapShape, ServiceModel, Shape as AwsShape, StructureShape
from tools.api.model import Member, Shape

_KINDS = {
    "string": "string",
    "character": "string",
    "integer": "integer",
    "long": "integer",
    "double": "number",
    "float": "number",
    "boolean": "boolean",
}


@cache
def _service(name: str) -> ServiceModel:
    return ServiceModel(Loader().load_service_model(name, "service-2"), name)


@cache
def operation(service: str, name: str) -> Shape:
    """What an operation takes, e.g. ``operation("eks", "CreateNodegroup")``."""
    return _shape(_service(service).operation_model(name).input_shape)


def _shape(of: AwsShape) -> Shape:
    if isinstance(of, StructureShape):
        return Shape("object", of.name, cache(lambda: _members(of)))
    if isinstance(of, ListShape):
        return Shape("list", of.name, item=lambda: _shape(of.member), least=_least(of), most=_most(of))
    if isinstance(of, MapShape):
        return Shape("map", of.name, item=lambda: _shape(of.value))
    return Shape(
        _KINDS.get(of.type_name, "any"),
        of.name,
        enum=tuple(of.metadata.get("enum", ())),
        pattern=of.metadata.get("pattern", ""),
        least=_least(of),
        most=_most(of),
    )


def _least(of: AwsShape) -> float | None:
    return of.metadata.get("min")


def _most(of: AwsShape) -> float | None:
    return of.metadata.get("max")


def _members(of: StructureShape) -> dict[str, Member]:
    return {
        name: Member(
            _shape(member),
            required=name in of.required_members,
            deprecated=bool(member.metadata.get("deprecated")),
            words=re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", member.documentation))),
        )
        for name, member in of.members.items()
    }
