"""Transforms: functions of a program that the engine calls with each registration before it looks at it.

Which are called and in which order, and what of an answer counts, is as in the engine: RegisterResource and Invoke in
github.com/pulumi/pulumi@1b59498 pkg/resource/deploy/source_eval.go (2026-08-21).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from pulumi.runtime._callbacks import _CallbackServicer
from pulumi.runtime.proto import callback_pb2, resource_pb2
from .codec import OUTPUT, SECRET, SIGNATURE, Struct, decode, signature
from .unknowns import UNKNOWN

_OPTIONS = (
    ("importId", "import"), ("dependencies", "depends_on"), ("protect", "protect"), ("ignoreChanges", "ignore_changes"),
    ("replaceOnChanges", "replace_on_changes"), ("replacement_trigger", "replacement_trigger"), ("version", "version"),
    ("aliases", "aliases"), ("provider", "provider"), ("providers", "providers"), ("hideDiffs", "hide_diff"),
    ("customTimeouts", "custom_timeouts"), ("pluginDownloadURL", "plugin_download_url"),
    ("retainOnDelete", "retain_on_delete"), ("deletedWith", "deleted_with"), ("replace_with", "replace_with"),
    ("additionalSecretOutputs", "additional_secret_outputs"), ("pluginChecksums", "plugin_checksums"),
    ("hooks", "hooks"),
)  # fmt: skip
"""The options that a transform sees, as a registration and as a transform call them."""


class Callbacks(_CallbackServicer):
    """Takes the functions a program hands to the engine, which the SDK wraps; nobody listens to a port.

    Hooks and state migrations are recorded by name and never run.
    """

    def __init__(self, monitor: Any) -> None:
        """``monitor`` is told of transforms of the whole stack. The SDK's own would start a server."""
        self._callbacks, self._transforms, self._monitor, self._target = {}, {}, monitor, ""

    def register_resource_hook(self, hook: Any) -> None:
        """A resource hook; the resources it is bound to show its name."""

    def register_error_hook(self, hook: Any) -> None:
        """An error hook; the resources it is bound to show its name."""

    def register_state_migration(self, migration: Any) -> callback_pb2.Callback:
        """A state migration: there is no state, so its name is all that is kept."""
        return callback_pb2.Callback(token=migration.__qualname__)

    async def transform(
        self, request: resource_pb2.RegisterResourceRequest, tokens: Sequence[str]
    ) -> resource_pb2.RegisterResourceRequest:
        """A registration as the transforms leave it, one after the other."""
        own, before = bool(request.transforms), list(request.dependencies)
        properties, options = _with_outputs(request, own), _options_of(request)
        for token in tokens:
            named = {key: getattr(request, key) for key in ("type", "name", "custom", "parent")}
            asked = resource_pb2.TransformRequest(**named, properties=properties, options=options)
            answer: Any = await self._callbacks[token](asked.SerializeToString())
            properties = answer.properties if answer.HasField("properties") else properties
            options = answer.options if answer.HasField("options") else options
        changed = resource_pb2.RegisterResourceRequest()
        changed.CopyFrom(request)
        changed.object.Clear()
        changed.object.update(_without_outputs(decode(properties)))
        _copy(options, changed, ((of, to) for to, of in _OPTIONS))
        changed.deleteBeforeReplaceDefined = options.HasField("delete_before_replace")
        changed.deleteBeforeReplace = options.delete_before_replace
        if not own:  # the engine reads them again only where a resource has transforms of its own
            changed.ClearField("dependencies")
            changed.dependencies.extend(before)
        return changed

    async def transform_invoke(
        self, request: resource_pb2.ResourceInvokeRequest, tokens: Sequence[str]
    ) -> resource_pb2.ResourceInvokeRequest:
        """A call of a provider's function as the transforms leave it."""
        changed = resource_pb2.ResourceInvokeRequest()
        changed.CopyFrom(request)
        for token in tokens:
            options = resource_pb2.TransformInvokeOptions(
                provider=changed.provider, version=changed.version, plugin_download_url=changed.pluginDownloadURL
            )
            asked = resource_pb2.TransformInvokeRequest(token=changed.tok, args=changed.args, options=options)
            answer: Any = await self._callbacks[token](asked.SerializeToString())
            if answer.HasField("args"):
                changed.args.CopyFrom(answer.args)
            if answer.HasField("options"):
                changed.provider, changed.version = answer.options.provider, answer.options.version
                changed.pluginDownloadURL = answer.options.plugin_download_url
        return changed


def _options_of(request: resource_pb2.RegisterResourceRequest) -> resource_pb2.TransformResourceOptions:
    options = resource_pb2.TransformResourceOptions()
    _copy(request, options, _OPTIONS)
    if request.deleteBeforeReplaceDefined:
        options.delete_before_replace = request.deleteBeforeReplace
    return options


def _copy(source: Any, target: Any, fields: Iterable[tuple[str, str]]) -> None:
    """Fields of a message into another's, which loses what it had there."""
    for of, to in fields:
        target.ClearField(to)
        value = getattr(source, of)
        if source.DESCRIPTOR.fields_by_name[of].has_presence and not source.HasField(of):
            continue
        if hasattr(value, "MergeFrom"):
            getattr(target, to).MergeFrom(value)
        else:
            setattr(target, to, value)


def _with_outputs(request: resource_pb2.RegisterResourceRequest, own: bool) -> Struct:
    """A registration's inputs with outputs in them, as the engine hands them to a transform.

    Secrets and unknown values are outputs, and where a resource has transforms of its ``own`` what another resource
    brings.
    """
    values: dict[str, Any] = _as_outputs(decode(request.object))
    if own:
        for key, dependencies in request.propertyDependencies.items():
            if dependencies.urns and key in values:
                known = values[key] if signature(values[key]) == OUTPUT else {SIGNATURE: OUTPUT, "value": values[key]}
                values[key] = {**known, "dependencies": list(dependencies.urns)}
    properties = type(request.object)()
    properties.update(values)
    return properties


def _as_outputs(value: Any) -> Any:
    """``value`` with an output for each secret, and for each value that is not known yet."""
    if isinstance(value, list):
        return [_as_outputs(item) for item in value]
    if signature(value) == SECRET:
        return {SIGNATURE: OUTPUT, "value": _as_outputs(value["value"]), "secret": True}
    if isinstance(value, dict):
        return {key: _as_outputs(item) for key, item in value.items()}
    return {SIGNATURE: OUTPUT} if value == UNKNOWN else value


def _without_outputs(value: Any) -> Any:
    """``value`` as a program registers it: with secrets and unknown values, and no outputs."""
    if isinstance(value, list):
        return [_without_outputs(item) for item in value]
    if not isinstance(value, dict):
        return value
    if signature(value) != OUTPUT:
        return {key: _without_outputs(item) for key, item in value.items()}
    plain = _without_outputs(value["value"]) if "value" in value else UNKNOWN
    return {SIGNATURE: SECRET, "value": plain} if value.get("secret") else plain
