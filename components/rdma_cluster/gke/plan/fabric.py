"""Which fabric a GKE machine's pods use: one of those of its transport, by who brings its NICs to pods."""

from ...catalog.gke import GkeMachine
from ...fabrics import FABRICS, Claims, Fabric, PodNetworks
from ...faults import Faults
from ...unread import rule


def fabrics_of(machine: GkeMachine) -> list[Fabric]:
    """The fabrics of a machine's transport, its usual one first."""
    return [fabric for fabric in FABRICS.values() if fabric.transport is machine.transport]


def fabric_for(machine: GkeMachine, managed_nics: bool) -> Fabric | None:
    """The fabric of a machine that is built; ``None`` where GKE cannot manage its NICs and is asked to."""
    found = fabrics_of(machine)
    return next((each for each in found if is_managed(each)), None) if managed_nics else found[0]


def is_managed(fabric: Fabric) -> bool:
    """Whether GKE itself brings the driver of the NICs."""
    return isinstance(fabric.exposure, Claims) and fabric.exposure.chart is None


def names_networks(fabric: Fabric) -> bool:
    """Whether pods name networks to get NICs, so that a cluster must have objects for them."""
    return isinstance(fabric.exposure, PodNetworks)


@rule
def check_managed(machine: GkeMachine, managed_nics: bool, faults: Faults) -> None:
    """GKE's managed DRANET serves RDMA NICs alone: docs.cloud.google.com/.../allocate-network-resources-dra."""
    if fabric_for(machine, managed_nics) is None:
        faults.add(
            f"GKE's managed DRANET does not serve the {machine.transport.value} NICs of {machine.name}; "
            "remove drivers.nic: managed"
        )
