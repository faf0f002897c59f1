"""The sizes that this library builds on AKS."""

from pulumi_offline.errors import ErrorList
from ...catalog import aks
from ...catalog.aks import AksMachine
from ...claims.layout import has_nvidia_gpus
from ...common.names import unknown_machine

MACHINES = {row.name: row for row in aks.MACHINES}
BUILDABLE = {name: row for name, row in MACHINES.items() if has_nvidia_gpus(row)}


def machine_for(name: str, errors: ErrorList) -> AksMachine | None:
    """The catalogue row of a size that this library builds on AKS, or an error."""
    machine, can = MACHINES.get(name), ", ".join(BUILDABLE)
    if machine is None:
        errors.add(unknown_machine(name, "aks"))
    elif machine.gpu is None:
        errors.add(f"{name} has no GPU; choose one of {can}")
    elif name not in BUILDABLE:
        errors.add(f"{name} is in the catalogue, but AMD's drivers are not built yet; choose one of {can}")
    else:
        return machine
    return None
