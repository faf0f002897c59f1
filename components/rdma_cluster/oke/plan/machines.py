"""The shapes that this library builds on OKE, and why it does not build the others."""

from pulumi_offline.errors import ErrorList
from ...catalog import oke
from ...catalog.machine import Transport
from ...catalog.oke import OkeMachine
from ...common.names import unknown_machine


def machine_for(name: str, errors: ErrorList) -> OkeMachine | None:
    """The catalogue row of a shape that this library builds on OKE, or an error."""
    machine = next((each for each in oke.MACHINES if each.name == name), None)
    if machine is None:
        errors.add(unknown_machine(name, "oke", ", or one without RDMA"))
    elif why := not_built(machine):
        errors.add(f"{name} is in the catalogue, but {why}; choose one of {', '.join(BUILDABLE)}")
    else:
        return machine
    return None


def machines_for(names: list[str], errors: ErrorList) -> list[OkeMachine | None]:
    """The rows of machine types, at least one; ``None`` for each that has an error."""
    if not names:
        errors.add("empty; name at least one machine type, e.g. BM.GPU.H100.8")
    return [machine_for(name, errors.at(i)) for i, name in enumerate(names)]


def not_built(machine: OkeMachine) -> str:
    """Why this release does not build the shape; empty where it does."""
    if machine.gpu is None:
        return "has no GPU"
    if not machine.gpu.model.startswith("NVIDIA"):
        return "RCCL on AMD GPUs is not built yet"
    if machine.transport is not Transport.ROCE:
        return f"its {machine.transport.value} fabric is not built on OKE yet"
    if not machine.nccl:
        return "Oracle publishes no NCCL settings for it"
    return ""


BUILDABLE = {row.name: row for row in oke.MACHINES if not not_built(row)}
"""The shapes that this release builds, by name."""
