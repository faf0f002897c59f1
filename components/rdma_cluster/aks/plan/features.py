"""AKSInfinibandSupport, the subscription's feature that makes AKS put the nodes of a pool on one InfiniBand fabric.

It asks for scale sets with a single placement group, which is no property of a pool. Azure's A100 to H200 and MI300X
sizes need it; GB200 and GB300 need it away (Azure/ai-infrastructure-on-azure@a01b073, 2026-04-22). Since it belongs to
the whole subscription, both kinds cannot be made in one.
"""

from collections.abc import Sequence
from enum import Enum

from pulumi_offline.errors import ErrorList
from ...catalog.aks import AksMachine

NAMESPACE = "Microsoft.ContainerService"
FEATURE = "AKSInfinibandSupport"
REGISTERED = "Registered"
ABSENT = ("NotRegistered", "Unregistered", "NotSpecified")
"""States of a feature that is not on; ``Pending`` and the like are neither on nor off."""


class AksFeatureCheck(str, Enum):
    """What is done about AKSInfinibandSupport."""

    LOOK_UP = "look-up"
    """Look it up before the first pool, and stop if it is not as the machines need it."""
    TAKEN_AS_RIGHT = "taken-as-right"
    """Look up nothing: who runs `pulumi up` may not read the subscription's features."""


def needs(registered: bool) -> str:
    """The command that brings the feature into the state that is wanted."""
    verb = "register" if registered else "unregister"
    return (
        f"az feature {verb} --namespace {NAMESPACE} --name {FEATURE}, wait until az feature show says "
        f"{REGISTERED if registered else ABSENT[1]}, then az provider register --namespace {NAMESPACE}"
    )


def wrong_state(state: str, registered: bool) -> str | None:
    """Why pools cannot be made while the feature is in ``state``; ``None`` where they can."""
    if registered and state != REGISTERED:
        return (
            f"the subscription's feature {FEATURE} is {state}: nodes of one pool would be on several InfiniBand "
            f"fabrics; run {needs(registered)}"
        )
    if not registered and state not in ABSENT:
        return f"the subscription's feature {FEATURE} is {state}, and GB200 and GB300 need it away; run {needs(False)}"
    return None


def check_one_kind(machines: Sequence[AksMachine | None], errors: ErrorList) -> None:
    """Check that all pools want the feature in one state; ``machines`` go by pool, ``None`` where one is unknown."""
    known = [(i, machine) for i, machine in enumerate(machines) if machine is not None]
    for i, machine in known:
        if machine.infiniband_feature is not (first := known[0][1]).infiniband_feature:
            one, other = (machine, first) if machine.infiniband_feature else (first, machine)
            errors.at(i, "machine").add(
                f"{one.name} needs {FEATURE} registered and {other.name} needs it away, and it belongs to the whole "
                "subscription; put one of the two into a stack of another subscription"
            )
