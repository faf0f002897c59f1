"""The sizes that this library builds on AKS."""

from ...catalog import aks, nearest
from ...catalog.aks import AksMachine
from ...claims.layout import has_nvidia_gpus
from ...faults import Faults


def machine_for(name: str, faults: Faults) -> AksMachine | None:
    """The catalogue row of a size that this library builds on AKS, or a fault."""
    machine = row(name)
    can = ", ".join(each.name for each in aks.MACHINES if buildable(each))
    if machine is None:
        faults.add(f"unknown machine {name!r}; nearest are {', '.join(nearest(name, 'aks'))}")
    elif machine.gpu is None:
        faults.add(f"{name} has no GPU; choose one of {can}")
    elif not buildable(machine):
        faults.add(f"{name} is in the catalogue, but AMD's drivers are not built yet; choose one of {can}")
    else:
        return machine
    return None


def buildable(machine: AksMachine) -> bool:
    """Whether this release builds the size: it has NVIDIA GPUs."""
    return has_nvidia_gpus(machine)


def row(name: str) -> AksMachine | None:
    """The catalogue row of a size, or ``None``."""
    return next((each for each in aks.MACHINES if each.name == name), None)


def multi_node_nvlink(machine: AksMachine) -> bool:
    """Whether NVLink reaches beyond the node, which takes IMEX channels."""
    return machine.nvlink_domain > machine.gpus
