"""An existing cluster is the one that its stack began on. A name can be given again; the cloud's id of it cannot."""

from collections.abc import Mapping
from typing import Any

import pulumi
from pulumi.runtime import invoke_async
from pulumi_offline.frozen import frozen
from ..component.frame import mocked, replaceable, said_by


@frozen
class CreationId:
    """A question to a cloud for what no two clusters share and one keeps for life, whatever is rotated or upgraded."""

    function: str
    """The provider's function."""
    args: Mapping[str, pulumi.Input[str]]
    place: tuple[str | int, ...]
    """Where the answer has it."""
    permission: str
    """What whoever asks needs."""


def same_cluster(
    name: str, cluster: str, asked: CreationId, after: pulumi.Input[Any], parent: pulumi.Resource
) -> pulumi.Output[list[pulumi.Resource]]:
    """An empty list, once the cluster is the recorded one, or nothing is recorded yet: the provider waits for it.

    The record is a stash, whose output keeps the first input that it gets. ``after`` is what a program knows once
    the cluster is there, for it may make the cluster itself.

    Another cluster fails the program. An answer that cannot be had is a warning, and leaves the record as it is.
    """

    async def ask(known: Mapping[str, Any]) -> str:
        args = {key: known[key] for key in asked.args}
        try:
            answer: Any = await invoke_async(asked.function, args, pulumi.InvokeOptions(parent=parent))
            for key in asked.place:
                answer = answer[key]
            return str(answer)
        except (KeyError, IndexError, TypeError):
            lacks = "an answer without it"
        except Exception as error:
            lacks = said_by(error)
        if not mocked():
            pulumi.log.warn(
                f"kubernetes.existing: whether {cluster} is still the same cluster could not be looked up, "
                f"which takes {asked.permission}; got: {lacks}",
                parent,
            )
        return ""

    # ``after`` may be a secret; the id is none.
    now = pulumi.Output.unsecret(pulumi.Output.all(**asked.args, after=after).apply(ask))
    record = pulumi.Stash(name, input=now, opts=replaceable(pulumi.ResourceOptions(parent=parent)))

    def judge(recorded: str | None, found: str, urn: str) -> list[pulumi.Resource]:
        if recorded and found and recorded != found:
            raise pulumi.RunError(
                f"kubernetes.existing: {cluster} is another cluster than the one that this stack was installed on: "
                f"recorded is {recorded}, got {found}; name the one that is meant, or let the state forget what was "
                f"in the other, `pulumi state delete --target-dependents '{urn}'`, and install it here, "
                "`pulumi up --refresh`"
            )
        if found and recorded == "":
            pulumi.log.warn(
                f"kubernetes.existing: {cluster} could not be looked up at first, so nothing tells it from another "
                f"cluster of its name; record it by `pulumi up --replace '{urn}'`",
                parent,
            )
        return []

    return pulumi.Output.all(record.output, now, record.urn).apply(lambda known: judge(*known))
