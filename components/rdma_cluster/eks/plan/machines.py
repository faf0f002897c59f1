"""The machines that this library builds on EKS."""

from pulumi_offline.errors import ErrorList
from ...catalog import eks
from ...catalog.eks import EksMachine
from ...catalog.machine import Transport
from ...common.names import unknown_machine

BUILDABLE = {row.name: row for row in eks.MACHINES if row.gpu and row.transport is Transport.EFA and row.ami_type}
"""Machines with GPUs, EFA, and one of EKS's own images, by name."""


def machine_for(name: str, errors: ErrorList) -> EksMachine | None:
    """The catalogue row of a machine type that this library builds on EKS, or an error."""
    machine = next((each for each in eks.MACHINES if each.name == name), None)
    # Those with GPUDirect RDMA; the other machines with EFA are many and slow.
    choose = f"choose one of {', '.join(each.name for each in BUILDABLE.values() if each.gdr)}, ..."
    if machine is None:
        errors.add(unknown_machine(name, "eks", ", or one without EFA"))
    elif machine.gpu is None:
        errors.add(f"{name} has no NVIDIA GPU; {choose}")
    elif machine.transport is not Transport.EFA:
        errors.add(f"{name} is in the catalogue, but its {machine.transport.value} fabric is not built yet; {choose}")
    elif name not in BUILDABLE:
        errors.add(f"{name} is not built yet: {machine.unknown['ami_type']}; {choose}")
    else:
        return machine
    return None
