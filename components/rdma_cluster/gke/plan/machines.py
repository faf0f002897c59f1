"""The machines that this library builds on GKE."""

from pulumi_offline.errors import ErrorList
from ...catalog import gke
from ...catalog.gke import GkeMachine
from ...common.names import unknown_machine
from ...fabrics import fabrics_of

BUILDABLE = {row.name: row for row in gke.MACHINES if fabrics_of(row)}
"""Those whose fabric this release builds, by name."""


def machine_for(name: str, errors: ErrorList) -> GkeMachine | None:
    """The catalogue row of a machine type that this library builds on GKE, or an error."""
    machine = next((each for each in gke.MACHINES if each.name == name), None)
    if machine is None:
        errors.add(unknown_machine(name, "gke"))
    elif name not in BUILDABLE:
        errors.add(
            f"{name} is in the catalogue, but its {machine.transport.value} fabric is not built yet; "
            f"choose one of {', '.join(BUILDABLE)}"
        )
    else:
        return machine
    return None
