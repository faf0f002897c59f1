"""The verdict of machines, read from the guest attributes of the leading machine."""

from asyncio import sleep
from collections.abc import Sequence
from time import monotonic
from typing import Any

import pulumi
import pulumi_gcp as gcp
from ..component.frame import mocked
from ..component.outputs import PoolProof
from .plan.vms import VmsPlan

_PATH = "nccl-acceptance/"
_ASK_SECONDS = 15
"""Seconds between two questions: a test takes minutes, and nothing in Google's API waits for an attribute."""


def proof_of(
    machines: Sequence[gcp.compute.Instance], plan: VmsPlan, parent: pulumi.Resource
) -> pulumi.Output[PoolProof]:
    """The proof of a pool. Raises ``pulumi.RunError`` with the verdict of a failed test, or when none came in time.

    A preview, and a unit test with mocks, asks once: the test runs on machines, and neither makes one.
    """
    if plan.order is None:
        return pulumi.Output.from_input({"status": "not proven", "reason": plan.skip_reason})
    order, lead = plan.order, f"{plan.members}0"
    shown = order.test.shown

    def ask(place: Sequence[Any]) -> str:
        # Through the provider of the machines, so with the same credentials.
        attributes = gcp.compute.get_instance_guest_attributes(
            name=lead, project=place[0], zone=place[1], query_path=_PATH, opts=pulumi.InvokeOptions(parent=parent)
        )
        return next((each.value for each in attributes.query_values or [] if each.key == "verdict"), "")

    async def wait(place: Sequence[Any]) -> PoolProof:
        deadline = monotonic() + order.test.timeout_seconds
        while True:
            name, status, text = parsed(ask(place))
            if name == order.id and status == "proven":
                return {"status": "proven", **shown, "verdict": text}
            if pulumi.runtime.is_dry_run() or mocked():
                return {"status": "not proven", **shown}
            if name == order.id:
                raise pulumi.RunError(f"pool {plan.name} is not proven:\n{text}\nall of it: {shown['log']}")
            if monotonic() > deadline:
                raise pulumi.RunError(
                    f"pool {plan.name}: no verdict from {lead} within {order.test.timeout_seconds // 60} min; see "
                    f"{shown['log']}; reading it takes compute.instances.getGuestAttributes, and a project whose "
                    "policies allow guest attributes (constraints/compute.disableGuestAttributesAccess)"
                )
            await sleep(_ASK_SECONDS)

    # Once every machine is there, with the order of this `up`.
    return pulumi.Output.all(
        plan.place.project, plan.place.zone, *(machine.metadata_fingerprint for machine in machines)
    ).apply(wait)


def parsed(verdict: str) -> tuple[str, str, str]:
    """The order's name, the status and the judge's text; empty where there is no verdict yet."""
    first, _, text = verdict.partition("\n")
    name, _, status = first.partition(" ")
    return name, status, text.strip()
