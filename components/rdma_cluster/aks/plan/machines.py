"""The sizes that this library builds on AKS."""

from ...catalog import aks
from ...catalog.aks import AksMachine
from ...claims.layout import has_nvidia_gpus
from ...clouds.names import unknown_machine
from ...faults import Faults


def machine_for(name: str, faults: Faults) -> AksMachine | None:
    """The catalogue row of a size that this library builds on AKS, or a fault."""
    machine = row(name)
    can = ", ".join(each.name for each in aks.MACHINES if buildable(each))
    if machine is None:
        faults.add(unknown_machine(name, "aks"))
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
    """The catalogue row of a size; ``None`` where there is none."""
    return next((each for each in aks.MACHINES if each.name == name), None)
