"""What other languages read of the components: their args, outputs and choices, each with its description."""

import re
from typing import Annotated, Any, get_args, get_origin

import pulumi
from pulumi.provider.experimental.analyzer import Analyzer, PropertyDefinition
from pulumi.provider.experimental.schema import generate_schema
from .. import __doc__ as summary_of_package, __version__
from ..base.args import Input
from ..base.config import NAMESPACE
from ..base.key_docs import key_docs, summary

_PROVIDER = re.compile(r"#/resources/pulumi:providers:\w[-\w]*$")


def schema_of(components: list[type[pulumi.ComponentResource]]) -> dict[str, Any]:
    """The schema of a package of ``components``, as Pulumi's code generators read it."""
    analyzer = _Analyzer(NAMESPACE)
    analysis = analyzer.analyze(components)
    types, definitions = analysis["type_definitions"], analysis["component_definitions"]
    for each in types.values():
        each.description = summary(each.python_type)
    for component in components:
        definitions[component.__name__].description = summary(component)
    dependencies = sorted(analysis["dependencies"], key=lambda dependency: dependency.name)
    schema = generate_schema(NAMESPACE, __version__, None, definitions, types, dependencies).to_json()
    spellings = [definition.properties_mapping for definition in types.values()]
    for definition in definitions.values():
        spellings += [definition.inputs_mapping, definition.outputs_mapping]
    camel = {python: name for spelling in spellings for name, python in spelling.items()}
    return {**_in_markdown(schema, camel), "description": summary_of_package}


class _Analyzer(Analyzer):
    """The SDK's reader of annotations, corrected where it cannot know or gets wrong (pulumi 3.272)."""

    def analyze_property(self, arg: Any, typ: type, name: str, **how: Any) -> PropertyDefinition:
        definition = super().analyze_property(_as_pulumi(arg), typ, name, **how)
        # The form that its code generators are going to refuse (pulumi/pulumi#20029).
        definition.ref = definition.ref and _PROVIDER.sub("#/provider", definition.ref)
        return definition

    def get_docstring(self, typ: type, name: str) -> str | None:
        # The SDK's own reads no inherited keys.
        return key_docs(typ).get(name)


def _as_pulumi(hint: Any) -> Any:
    """``args.Input`` as Pulumi's own."""
    if get_origin(hint) is Annotated and Input in hint.__metadata__:
        return pulumi.Input.__getitem__(get_args(hint)[0])
    return hint


def _in_markdown(value: Any, camel: dict[str, str]) -> Any:
    """A schema whose descriptions are Markdown and name keys as other languages write them; and without nulls."""
    if isinstance(value, list):
        return [_in_markdown(item, camel) for item in value]
    if not isinstance(value, dict):
        return value
    schema = {key: _in_markdown(of, camel) for key, of in value.items() if of is not None}
    if isinstance(text := schema.get("description"), str):
        schema["description"] = re.sub(r"``([^`]+)``", lambda quoted: f"`{camel.get(quoted[1], quoted[1])}`", text)
    return schema
