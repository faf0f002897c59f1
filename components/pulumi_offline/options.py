"""The options of a registration, those that differ from the default, as plain data."""

from typing import Any

from pulumi.runtime.proto.alias_pb2 import Alias
from pulumi.runtime.proto.resource_pb2 import RegisterResourceRequest
from . import sdk
from .codec import decode_value, show

_STEPS = ("create", "update", "delete")
HOOKS = {f"{when}_{step}": when + step.title() for step in _STEPS for when in ("before", "after")}
HOOKS["on_error"] = "onError"
"""The protocol's name of each kind of hook, and the name in which a graph shows it."""


def options(request: RegisterResourceRequest) -> dict[str, Any]:
    """The options of one registration. Lists whose order means nothing are sorted.

    What an SDK adds to every resource by itself (its version, its aliases of older type tokens) is left out.
    """
    timeouts = request.customTimeouts
    trigger = show(decode_value(request.replacement_trigger)) if request.HasField("replacement_trigger") else None
    values: dict[str, Any] = {
        "additionalSecretOutputs": sorted(request.additionalSecretOutputs),
        "aliases": [_alias(alias) for alias in request.aliases if not _added_by_sdk(request, alias)],
        "customTimeouts": {step: limit for step in sorted(_STEPS) if (limit := getattr(timeouts, step))},
        "deletedWith": request.deletedWith,
        "envVarMappings": dict(sorted(request.envVarMappings.items())),
        "hideDiffs": sorted(request.hideDiffs),
        "hooks": {name: list(names) for key, name in HOOKS.items() if (names := getattr(request.hooks, key))},
        "ignoreChanges": sorted(request.ignoreChanges),
        "import": request.importId,
        "pluginDownloadURL": request.pluginDownloadURL,
        "protect": request.protect,
        "providers": {name: reference_urn(ref) for name, ref in sorted(request.providers.items())},
        "replaceOnChanges": sorted(request.replaceOnChanges),
        "replaceWith": sorted(request.replace_with),
        "replacementTrigger": trigger,
        "retainOnDelete": request.retainOnDelete,
        "stateMigrations": [callback.token for callback in request.state_migrations],
        "version": "" if request.version == sdk.version(request.type) else request.version,
    }
    chosen = {name: value for name, value in values.items() if value}
    if request.deleteBeforeReplaceDefined:  # an explicit no overrides a provider's yes
        chosen["deleteBeforeReplace"] = request.deleteBeforeReplace
    return chosen


def reference_urn(reference: str) -> str:
    """The URN in a provider reference, which is `<urn>::<id>`."""
    return reference.rpartition("::")[0]


def _alias(alias: Alias) -> str | dict[str, Any]:
    if alias.urn:
        return alias.urn
    spec = alias.spec
    parts = {"name": spec.name, "type": spec.type, "stack": spec.stack, "project": spec.project}
    fields: dict[str, Any] = {name: value for name, value in parts.items() if value}
    if spec.parentUrn or spec.noParent:
        fields["parent"] = None if spec.noParent else spec.parentUrn
    return fields


def _added_by_sdk(request: RegisterResourceRequest, alias: Alias) -> bool:
    """Whether an alias says nothing but an older type of the same package: generated classes carry dozens of these."""
    if not request.custom or alias.urn or set(_alias(alias)) != {"type"}:
        return False
    return sdk.package(alias.spec.type) == sdk.package(request.type)
