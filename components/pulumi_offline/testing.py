"""Mocks for unit tests of Pulumi programs that use our components: `pulumi.runtime.set_mocks(Mocks())`."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pulumi
from pulumi.runtime import MockCallArgs, MockResourceArgs, Mocks as PulumiMocks
from .computed import complete, identify
from .invoke_results import KNOWN
from .monitor import Answer, Unanswered


class Mocks(PulumiMocks):
    """Answers as the offline preview does: every output that a cloud computes has a value that says where it is from.

    - `invokes`: what functions of providers return, by token: a result, or a callable from the arguments to one. What
      our own components ask is answered without; another function raises `Unanswered`, which names its token.

    The echo mock that Pulumi documents works, too; outputs that a cloud computes are then `None`.
    """

    resource_calls: list[MockResourceArgs]
    """Every resource that was registered or read, in order: `typ`, `name`, `inputs` in camelCase, `provider`."""
    function_calls: list[MockCallArgs]
    """Every function of a provider that was called, in order: `token`, `args`, `provider`."""

    def __init__(self, invokes: Mapping[str, Answer] | None = None) -> None:
        self.resource_calls, self.function_calls = [], []
        self._invokes = {**KNOWN, **(invokes or {})}

    def new_resource(self, args: MockResourceArgs) -> tuple[str, dict[str, Any]]:
        self.resource_calls.append(args)
        made_up = complete(args.typ, args.name, args.inputs) if args.custom is not False else {}
        return args.resource_id or identify(args.typ, args.name), {**args.inputs, **made_up}

    def call(self, args: MockCallArgs) -> Any:
        self.function_calls.append(args)
        if args.token not in self._invokes:
            remedy = f"pass its result as Mocks({{{args.token!r}: {{...}}}})"
            raise Unanswered(f"{args.token}: nobody answers this function; {remedy}")
        answer = self._invokes[args.token]
        return dict(answer if isinstance(answer, Mapping) else answer(args.args))

    def run(
        self,
        program: Callable[[], Any],
        *,
        project: str | None = None,
        stack: str | None = None,
        config: Mapping[str, str] | None = None,
    ) -> Any:
        """Run a program under these mocks to its end, and return what it returned, with the values of its outputs.

        Every resource is in `resource_calls` then. A check inside an output's `apply` sees only what came before it.
        """
        try:
            asyncio.get_event_loop()
        except (RuntimeError, DeprecationWarning):  # a thread has no loop of itself from Python 3.14 on
            asyncio.set_event_loop(asyncio.new_event_loop())
        pulumi.runtime.set_mocks(self, project, stack, preview=False)
        pulumi.runtime.set_all_config(dict(config or {}))
        returned: list[Any] = []
        pulumi.runtime.test(lambda: pulumi.Output.from_input(program()).apply(returned.append))()
        return returned[0]

    @property
    def types(self) -> list[str]:
        """Types of the registered resources, sorted; what is not among them was not made."""
        return sorted({call.typ for call in self.resource_calls})

    def of_type(self, token: str) -> list[MockResourceArgs]:
        """The registered resources of a type, such as `gcp:compute/network:Network`, in order.

        Raises `LookupError` with the types that there are where nothing of this one was registered.
        """
        if found := [call for call in self.resource_calls if call.typ == token]:
            return found
        made = ", ".join(self.types) or "nothing"
        raise LookupError(f"{token}: no resource of this type so far; made are {made}; `run(program)` waits for all")
