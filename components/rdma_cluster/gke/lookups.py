"""Asks Google what only it knows before the first resource is made, in a preview too."""

import asyncio
from collections.abc import Sequence

import pulumi
from pulumi.runtime import invoke_async
from ..component.frame import said_by
from .plan.lookups import LookUp
from .plan.preflight import Finding


def nothing_against(
    look_ups: Sequence[LookUp], provider: pulumi.ProviderResource, parent: pulumi.Resource
) -> pulumi.Output[list[pulumi.Resource]]:
    """An empty list, once Google's answers do not refuse the stack: resources wait for it by ``depends_on``.

    All refusals together fail the program. What may fail is a warning, and so is a look-up that fails: an account that
    may make clusters need not be allowed to read quotas, or reservations of another project.
    """
    opts = pulumi.InvokeOptions(parent=parent, provider=provider)

    async def ask(look_up: LookUp) -> list[Finding]:
        try:
            answer = await invoke_async(look_up.function, dict(look_up.args), opts)
            if not answer:
                raise LookupError("an empty answer")
            return list(look_up.judge(answer, **look_up.wanted))
        except Exception as error:
            # Not only a right can be missing: the API is not enabled, the plugin does not know the function.
            return [
                Finding(
                    f"{look_up.about} could not be looked up ({look_up.tells}), which takes "
                    f"{' and '.join(look_up.permissions)}; ask by hand: {look_up.by_hand}; got: {said_by(error)}",
                    refuses=False,
                )
            ]

    async def ask_all() -> list[pulumi.Resource]:
        findings = [finding for each in await asyncio.gather(*map(ask, look_ups)) for finding in each]
        for finding in findings:
            if not finding.refuses:
                pulumi.log.warn(finding.text, parent)
        if refused := [finding.text for finding in findings if finding.refuses]:
            raise pulumi.RunError("\n".join(["what Google says of this stack:", *refused]))
        return []

    return pulumi.Output.from_input(ask_all())
