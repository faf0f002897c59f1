"""What only Google knows, asked before the first resource is made, in a preview, too."""

import asyncio
from collections.abc import Sequence

import pulumi
from pulumi.runtime import invoke_async

from .plan.answers import Finding
from .plan.lookups import LookUp


def nothing_against(
    look_ups: Sequence[LookUp], provider: pulumi.ProviderResource, parent: pulumi.Resource
) -> pulumi.Output[list[pulumi.Resource]]:
    """No resource at all, once Google has said nothing against the stack: what ``depends_on`` it comes after.

    Everything that cannot work fails the program, together. What only might not is told as a warning, as is a look-up
    that fails: whoever may make clusters need not be allowed to read reservations of another project, or quotas.
    """
    opts = pulumi.InvokeOptions(parent=parent, provider=provider)

    async def ask(look_up: LookUp) -> list[Finding]:
        try:
            answer = await invoke_async(look_up.function, dict(look_up.args), opts)
            if not answer:
                raise LookupError(look_up.about)
            return list(look_up.judge(answer))
        except Exception:
            return [
                Finding(
                    f"{look_up.about} could not be looked up ({look_up.tells}); ask by hand: {look_up.by_hand}",
                    refuses=False,
                )
            ]

    async def ask_all() -> list[pulumi.Resource]:
        found = [finding for each in await asyncio.gather(*map(ask, look_ups)) for finding in each]
        for finding in found:
            if not finding.refuses:
                pulumi.log.warn(finding.text, parent)
        if refused := [finding.text for finding in found if finding.refuses]:
            raise pulumi.RunError("\n".join(["what Google says of this stack:", *refused]))
        return []

    return pulumi.Output.from_input(ask_all())
