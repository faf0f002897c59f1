"""A provider as the engine sees one: Pulumi's protocol in front of a simulated API."""

import json
from collections import abc
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from inspect import isclass
from typing import Any, NoReturn, get_args, get_origin

import grpc
from google.protobuf.any_pb2 import Any as Packed  # ty: ignore[missing-module-member]
from google.protobuf.empty_pb2 import Empty  # ty: ignore[missing-module-member]
from google.protobuf.struct_pb2 import Struct  # ty: ignore[missing-module-member]
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc, status_pb2
from pulumi_offline import computed, sdk
from pulumi_offline.codec import SIGNATURE, decode
from pulumi_offline.constraints import replaced_by
from pulumi_offline.graph import type_and_name
from pulumi_offline.invoke_results import KNOWN
from pulumi_offline.json_diff import compare
from pulumi_offline.replacements import is_below
from pulumi_offline.unknowns import UNKNOWN
from .api import Api, HalfDone, plain
from .clock import Clock
from .inventory import Inventory, Refusal
from .naming import named, paths
from .reads import followed
from .timeline import Log


class SimulatedProvider(provider_pb2_grpc.ResourceProviderServicer):
    """One package of providers. Each connection is a provider of it, with a configuration of its own."""

    def __init__(self, api: Api, inventory: Inventory, clock: Clock, log: Log) -> None:
        self._api, self._inventory, self._clock, self._log = api, inventory, clock, log
        self._cloud = api.cloud
        # Packages of the SDKs import their modules on first use, and a second thread sees them half imported.
        self._one_at_a_time = inventory.lock
        self._settings: dict[str, dict[str, Any]] = {}
        import_module(self._cloud.sdk)

    def Handshake(self, request: Any, context: Any) -> Any:
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True)

    def Attach(self, request: Any, context: Any) -> Any:
        return Empty()

    Cancel = Attach

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version=sdk.version(f"{self._cloud.package}:"))

    def GetSchema(self, request: Any, context: Any) -> Any:
        return provider_pb2.GetSchemaResponse(schema=json.dumps({"name": self._cloud.package}))

    def CheckConfig(self, request: Any, context: Any) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> Any:
        """A cloud's plugin replaces nothing for a key that the state does not have.

        pulumi-terraform-bridge@59de6c6 pkg/tfbridge/provider.go, since 2024-05-13; what carries a mark there is still
        less: nothing in aws 7 (resources.go), gcp 10 (ed6078a) and oci 5 (dbe80d2). azure-native@006a62a answers
        nothing at all, and the engine then updates.
        """
        new = decode(request.news).keys() if self._cloud.package != "kubernetes" else set()
        return self._difference(
            f"pulumi:providers:{self._cloud.package}", request, in_place=new - decode(request.old_inputs).keys()
        )

    def Configure(self, request: Any, context: Any) -> Any:
        self._settings[context.peer()] = plain(decode(request.args))
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    def Invoke(self, request: Any, context: Any) -> Any:
        self._clock.act()
        args = plain(decode(request.args))
        if (own := self._cloud.answers.get(request.tok)) is not None:
            result = own(args, lambda token: [thing.inputs for thing in self._inventory if thing.token == token])
        elif (answer := KNOWN.get(request.tok)) is not None:
            result = answer if isinstance(answer, Mapping) else answer(args)
        else:
            _refuse(context, f"{request.tok}: no simulated cloud answers this function")
        response = provider_pb2.InvokeResponse()
        getattr(response, "return").update(result)
        return response

    def Check(self, request: Any, context: Any) -> Any:
        self._clock.act()
        token, name = type_and_name(request.urn)
        with self._one_at_a_time:
            inputs = named(self._cloud, token, name, decode(request.news), decode(request.olds))
        return provider_pb2.CheckResponse(inputs=_struct(inputs))

    def Diff(self, request: Any, context: Any) -> Any:
        self._clock.act()
        return self._difference(type_and_name(request.urn)[0], request)

    def Create(self, request: Any, context: Any) -> Any:
        if request.preview:
            token, _ = type_and_name(request.urn)
            with self._one_at_a_time:
                state = _struct(_as_previewed(token, decode(request.properties)))
            return provider_pb2.CreateResponse(properties=state)
        settings = self._settings.get(context.peer(), {})
        with self._log.operation("create", request.urn), _as_errors(context):
            thing = self._api.create(request.urn, decode(request.properties), settings, request.timeout)
        return provider_pb2.CreateResponse(id=thing.id, properties=_struct(self._api.answer(thing)))

    def Read(self, request: Any, context: Any) -> Any:
        self._clock.act()
        thing = self._api.read(request.id)
        if thing is not None:
            outputs, before = self._api.answer(thing), plain(decode(request.properties))
            inputs = followed(thing.token, decode(request.inputs), before, plain(outputs))
            return provider_pb2.ReadResponse(id=thing.id, properties=_struct(outputs), inputs=_struct(inputs))
        if any(each.id == request.id for each in self._inventory.gone()):
            return provider_pb2.ReadResponse()
        # Somebody else made it: it is as the program expects.
        token, name = type_and_name(request.urn)
        properties = decode(request.properties)
        with self._one_at_a_time:
            state = _struct({**properties, **computed.complete(token, name, properties)})
        return provider_pb2.ReadResponse(id=request.id, properties=state, inputs=request.inputs)

    def Update(self, request: Any, context: Any) -> Any:
        if request.preview:
            # The outputs before a change that is not made, with the inputs laid over them.
            token, _ = type_and_name(request.urn)
            count = self._cloud.counts.get(token)
            with self._one_at_a_time:
                outputs = {**decode(request.olds), **_as_previewed(token, decode(request.news))}
            return provider_pb2.UpdateResponse(properties=_struct({**outputs, **({count: UNKNOWN} if count else {})}))
        settings = self._settings.get(context.peer(), {})
        old, new = decode(request.old_inputs), decode(request.news)
        with self._log.operation("update", request.urn), _as_errors(context):
            thing = self._api.update(request.id, request.urn, old, new, settings, request.timeout)
        return provider_pb2.UpdateResponse(properties=_struct(self._api.answer(thing)))

    def Delete(self, request: Any, context: Any) -> Any:
        with self._log.operation("delete", request.urn), _as_errors(context):
            self._api.delete(request.id, self._settings.get(context.peer(), {}))
        return Empty()

    def _difference(self, token: str, request: Any, in_place: Collection[str] = ()) -> Any:
        """Which inputs change, and which of these changes, but those of inputs ``in_place``, replace the resource."""
        old, new = self._cloud.kept(token, plain(decode(request.old_inputs))), plain(decode(request.news))
        changes = [each for each in compare("", old, new) if not is_below(each.path, request.ignoreChanges)]
        fixed = set(replaced_by(token, old, new)) & {each.path for each in changes if _top(each.path) not in in_place}
        stays = paths(self._cloud, token, old, ())[0] == paths(self._cloud, token, new, ())[0] != ()
        kinds = provider_pb2.PropertyDiff
        return provider_pb2.DiffResponse(
            changes=provider_pb2.DiffResponse.DIFF_SOME if changes else provider_pb2.DiffResponse.DIFF_NONE,
            replaces=sorted({_top(path) for path in fixed}),
            diffs=sorted({_top(each.path) for each in changes}),
            # Two of the same name cannot exist at once.
            deleteBeforeReplace=bool(fixed) and stays,
            hasDetailedDiff=True,
            detailedDiff={
                each.path: kinds(kind=kinds.UPDATE_REPLACE if each.path in fixed else kinds.UPDATE, inputDiff=True)
                for each in changes
            },
        )


def _as_previewed(token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs as outputs of a preview. Outputs of another form are unknown: Azure takes identities as a list of ids and
    returns a map by id; AWS takes policies as objects and returns text.
    """
    cls = sdk.resource_class(token)
    known = sdk.outputs(cls) if cls else {}
    return {key: _as_output(value, known.get(key, Any)) for key, value in inputs.items()}


def _as_output(value: Any, hint: Any) -> Any:
    if not isinstance(value, dict | list) or SIGNATURE in value:
        return value
    for kind in sdk.alternatives(hint):
        origin, args = get_origin(kind), get_args(kind)
        if isinstance(value, list) and origin in (list, abc.Sequence):
            return [_as_output(item, args[0]) for item in value]
        if isinstance(value, dict) and origin in (dict, abc.Mapping):
            return {key: _as_output(item, args[1]) for key, item in value.items()}
        if isinstance(value, dict) and isclass(kind) and sdk.is_output_class(kind):
            inner = sdk.outputs(kind)
            return {key: _as_output(item, inner.get(key, Any)) for key, item in value.items()}
        if kind is Any:
            return value
    return UNKNOWN


def _top(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def _struct(values: Mapping[str, Any]) -> Struct:
    struct = Struct()
    struct.update(values)
    return struct


@contextmanager
def _as_errors(context: Any) -> Generator[None]:
    """Hand what the API refuses to the engine."""
    try:
        yield
    except HalfDone as half:
        # The error carries the resource, so that the engine keeps it and tries again with it.
        outputs, inputs = _struct(half.thing.outputs), _struct(half.thing.inputs)
        detail = provider_pb2.ErrorResourceInitFailed(
            id=half.thing.id, properties=outputs, inputs=inputs, reasons=[str(half)]
        )
        packed = Packed()
        packed.Pack(detail)
        status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=str(half), details=[packed])
        context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        _refuse(context, str(half))
    except Refusal as refusal:
        _refuse(context, str(refusal))


def _refuse(context: Any, words: str) -> NoReturn:
    context.abort(grpc.StatusCode.UNKNOWN, words)
    raise AssertionError("abort raises")
