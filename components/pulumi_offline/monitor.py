"""The engine's side of a run: it takes every registration, checks it, answers it and remembers it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from logging import INFO, WARNING, getLogger
from typing import Any

from pulumi.runtime.proto import engine_pb2, resource_pb2
from pulumi.runtime.sync_await import _sync_await
from . import computed, sdk
from .codec import SECRET, SIGNATURE, Struct, decode, decode_value, show, unwrap
from .graph import Graph, Resource
from .invoke_results import KNOWN
from .options import options, reference_urn
from .problems import Problem
from .project import Settings
from .strict import check_inputs, decode_provider
from .transforms import Callbacks

Answer = Mapping[str, Any] | Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""What a function of a provider returns: the result itself, or a callable that makes it from the arguments."""

STACK = "pulumi:pulumi:Stack"


class Unanswered(LookupError):
    """A program called a function of a provider, and no answer of it is known."""


class Monitor:
    """Stands in for the engine: the methods are those of its gRPC service, called in process."""

    def __init__(self, settings: Settings, invokes: Mapping[str, Answer]) -> None:
        self._settings, self._invokes = settings, invokes
        self._prefix = f"urn:pulumi:{settings.stack}::{settings.project}::"
        self._stack_urn = f"{self._prefix}{STACK}::{settings.project}-{settings.stack}"
        self._resources: dict[str, Resource] = {}
        self._states: dict[str, tuple[str, Struct]] = {}
        self._outputs: dict[str, dict[str, Any]] = {}
        self._problems: list[Problem] = []
        self.callbacks = Callbacks(self)
        """What takes the functions that the program hands to the engine."""
        self._transforms: dict[str, list[str]] = {}
        """The tokens of the transforms that a resource has for itself and all below it."""
        self._of_stack: list[str] = []
        self._of_invokes: list[str] = []

    def graph(self) -> Graph:
        """What was recorded so far."""
        outputs = self._outputs
        resources = (replace(each, outputs=outputs.get(urn, {})) for urn, each in sorted(self._resources.items()))
        return Graph(self._settings.stack, tuple(resources), outputs.get(self._stack_urn, {}))

    def problems(self) -> tuple[Problem, ...]:
        """The problems so far, sorted, each once."""
        return tuple(sorted(set(self._problems)))

    def RegisterResource(self, request: resource_pb2.RegisterResourceRequest) -> Any:
        """The answer, or a coroutine that returns it where transforms come first: they may wait for outputs."""
        if request.type == STACK:
            return resource_pb2.RegisterResourceResponse(urn=self._stack_urn)
        own = [callback.token for callback in request.transforms]
        urn = self._urn(request.parent, request.type, request.name)
        self._transforms[urn] = own
        tokens = [*own, *self._inherited(request.parent), *self._of_stack]
        return self._transformed(urn, request, tokens) if tokens else self._register(urn, request)

    async def _transformed(self, urn: str, request: Any, tokens: list[str]) -> Any:
        return self._register(urn, await self.callbacks.transform(request, tokens))

    def _inherited(self, parent: str) -> Iterator[str]:
        """Transforms of the resources above, the nearest first."""
        above: str | None = parent
        while above and above in self._resources:
            yield from self._transforms.get(above, ())
            above = self._resources[above].parent

    def _register(self, urn: str, request: Any) -> resource_pb2.RegisterResourceResponse:
        inputs = decode(request.object)
        problems = check_inputs(request.type, inputs) if request.custom or request.remote else []
        self._problems += [Problem(urn, path, message) for path, message in problems]
        self._record(urn, request, inputs, options(request))
        response = resource_pb2.RegisterResourceResponse(urn=urn)
        if request.custom or request.remote:
            if request.custom:
                response.id = request.importId or computed.identify(request.type, request.name)
            wrong = {path.partition(".")[0].partition("[")[0] for path, _ in problems}
            response.object.CopyFrom(self._answer(request, inputs, wrong))
        self._states[urn] = (response.id, response.object)
        return response

    def ReadResource(self, request: resource_pb2.ReadResourceRequest) -> resource_pb2.ReadResourceResponse:
        urn = self._urn(request.parent, request.type, request.name)
        inputs = decode(request.properties)
        self._record(urn, request, inputs, {"get": request.id})
        response = resource_pb2.ReadResourceResponse(urn=urn, properties=self._answer(request, inputs, set()))
        self._states[urn] = (request.id, response.properties)
        return response

    def RegisterResourceOutputs(self, request: resource_pb2.RegisterResourceOutputsRequest) -> None:
        self._outputs[request.urn] = show(decode(request.outputs))

    def RegisterStackTransform(self, callback: Any) -> None:
        """Every resource from here on is handed to this transform."""
        self._of_stack.append(callback.token)

    def RegisterStackInvokeTransform(self, callback: Any) -> None:
        """Every call of a provider's function from here on is handed to this transform."""
        self._of_invokes.append(callback.token)

    def Invoke(self, request: resource_pb2.ResourceInvokeRequest) -> resource_pb2.ResourceInvokeResponse:
        if self._of_invokes:  # the SDK looks into the answer at once: it cannot be a coroutine
            request = _sync_await(self.callbacks.transform_invoke(request, self._of_invokes))
        args = decode(request.args)
        if request.tok == "pulumi:pulumi:getResource":
            id_, state = self._states[args["urn"]]
            result: Mapping[str, Any] = {"urn": args["urn"], "id": id_, "state": state}
        else:
            result = self._invoked(request.tok, args)
        response = resource_pb2.ResourceInvokeResponse()
        getattr(response, "return").update(result)
        return response

    def SupportsFeature(self, request: resource_pb2.SupportsFeatureRequest) -> Any:
        return resource_pb2.SupportsFeatureResponse(hasSupport=request.id != "outputValues")

    def GetDeploymentInfo(self, request: Any) -> Any:
        names = (
            "SECRETS RESOURCE_REFERENCES ALIAS_SPECS REPLACEMENT_TRIGGER DELETED_WITH REPLACE_WITH TRANSFORMS"
            " INVOKE_TRANSFORMS PARAMETERIZATION RESOURCE_HOOKS ERROR_HOOKS STATE_MIGRATIONS"
        )
        features = [getattr(resource_pb2, f"RESOURCE_MONITOR_FEATURE_{name}") for name in names.split()]
        return resource_pb2.DeploymentInfo(supportedFeatures=features)

    def RegisterPackage(self, request: resource_pb2.RegisterPackageRequest) -> Any:
        return resource_pb2.RegisterPackageResponse(ref=request.parameterization.name or request.name)

    def SignalAndWaitForShutdown(self, request: Any) -> None:
        """There is nothing to wait for."""

    def Log(self, request: engine_pb2.LogRequest) -> None:
        """Messages of the program: an error fails a run, as it fails a deployment; warnings go where Python's go."""
        if request.severity == engine_pb2.ERROR:
            self._problems.append(Problem(request.urn, "", request.message))
        elif request.severity != engine_pb2.DEBUG:
            getLogger("pulumi").log(WARNING if request.severity == engine_pb2.WARNING else INFO, request.message)

    def RequirePulumiVersion(self, request: Any) -> None:
        """Any version will do: there is no engine to be too old."""

    def _urn(self, parent: str, token: str, name: str) -> str:
        """The engine's form: a URN carries the types of all its parents but the stack's."""
        chain = "" if parent in ("", self._stack_urn) else parent.split("::")[2] + "$"
        return f"{self._prefix}{chain}{token}::{name}"

    def _record(self, urn: str, request: Any, inputs: dict[str, Any], chosen: dict[str, Any]) -> None:
        if urn in self._resources:
            self._problems.append(Problem(urn, "", "two resources have this URN; rename one or move it"))
            return
        if request.type.startswith("pulumi:providers:"):
            inputs = decode_provider(request.type, inputs)
        parent = None if request.parent in ("", self._stack_urn) else request.parent
        provider, waits = reference_urn(request.provider) or None, tuple(sorted(set(request.dependencies)))
        named = (urn, request.type, request.name, parent, provider)
        self._resources[urn] = Resource(*named, show(inputs), chosen, waits)

    def _answer(self, request: Any, inputs: dict[str, Any], wrong: set[str]) -> Struct:
        """A resource's state: its sound inputs, and what a cloud would compute beside them."""
        properties = request.object if hasattr(request, "object") else request.properties
        state = type(properties)()
        state.CopyFrom(properties)
        for key in wrong & set(state.fields):  # the SDK would stumble over a value that is not of its output's type
            del state.fields[key]
        sound = {key: value for key, value in inputs.items() if key not in wrong}
        state.update(computed.complete(request.type, request.name, sound, self._defaults(request)))
        if request.type in self._invokes:
            state.update(self._invoked(request.type, inputs))
        for key in set(request.additionalSecretOutputs) & set(state.fields):
            state[key] = {SIGNATURE: SECRET, "value": unwrap(decode_value(state.fields[key]))}
        return state

    def _defaults(self, request: Any) -> dict[str, Any]:
        """Settings a resource takes over from its provider, else from the stack's configuration."""
        provider = self._states.get(reference_urn(request.provider))
        if provider:
            return {key: value for key, value in decode(provider[1]).items() if unwrap(value) is value}
        keys = ((key.partition(":"), value) for key, value in self._settings.config.items())
        return {key: value for (package, _, key), value in keys if package == sdk.package(request.type)}

    def _invoked(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        if token not in self._invokes:
            raise Unanswered(
                f"{token}: nobody answers this function, called with {', '.join(args) or 'nothing'}; "
                f"pass its result as invokes={{{token!r}: {{...}}}}"
            )
        answer = self._invokes[token]
        if isinstance(answer, Mapping):
            return answer
        try:
            return answer(args)
        except KeyError as lacking:
            if answer is not KNOWN.get(token):
                raise
            # A provider takes what a call leaves out from its own configuration; our answers are for full calls.
            raise Unanswered(
                f"{token}: called without {lacking}, and only the provider knows the result then; "
                f"pass it as invokes={{{token!r}: {{...}}}}"
            ) from None
