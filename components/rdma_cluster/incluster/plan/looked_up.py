"""What a pool's words stand for: its machine in the catalogue, and the fabric that the machine has."""

from ...catalog import find, unknown
from ...catalog.machine import Machine
from ...fabrics import FABRICS, Fabric, fabrics_of, unknown_fabric
from ...faults import Faults


def machine_and_fabric(machine: str, fabric: str, faults: Faults) -> tuple[Machine, Fabric] | None:
    """Both by name, or faults; whether they go together is for ``misfit``."""
    row, known = find(machine), FABRICS.get(fabric)
    if row is None:
        faults.at("machine").add(unknown(machine))
    if known is None:
        faults.at("fabric").add(unknown_fabric(fabric))
    return None if row is None or known is None else (row, known)


def misfit(machine: Machine, fabric: Fabric) -> str:
    """Why the machine cannot have the fabric; empty where it can."""
    if fabric.is_for(machine):
        return ""
    can = " or ".join(each.name for each in fabrics_of(machine)) or "none that is built"
    return f"got {fabric.name!r}; {machine.name} has {can}"
