"""What a pool's words stand for: its machine in the catalogue, and the fabric that the machine has."""

from ...catalog import find, unknown
from ...catalog.machine import Machine
from ...fabrics import FABRICS, Fabric, fabrics_of, unknown_fabric
from ...faults import Faults
from ..addons.injection.args import InjectionPool


def machine_and_fabric(machine: str, fabric: str, faults: Faults) -> tuple[Machine, Fabric] | None:
    """Both by name, or faults; whether they go together is for ``misfit``."""
    row, known = find(machine), FABRICS.get(fabric)
    if row is None:
        faults.at("machine").add(unknown(machine))
    if known is None:
        faults.at("fabric").add(unknown_fabric(fabric))
    return None if row is None or known is None else (row, known)


def machine_and_usual_fabric(asked: InjectionPool, faults: Faults) -> tuple[Machine, Fabric] | None:
    """Both of a pool that may leave its fabric to the machine, or faults."""
    machine = find(asked["machine"])
    if machine is None:
        faults.at("machine").add(unknown(asked["machine"]))
        return None
    known = {each.name: each for each in fabrics_of(machine)}
    fabric = known.get(asked.get("fabric", next(iter(known), "")))
    if fabric is None:
        choice = f"choose one of {', '.join(known)}" if known else f"no fabric is built for {machine.name}"
        got = f"got {asked['fabric']!r}; " if "fabric" in asked else ""
        faults.at("fabric").add(got + choice)
        return None
    return machine, fabric


def misfit(machine: Machine, fabric: Fabric) -> str:
    """Why the machine cannot have the fabric; empty where it can."""
    if fabric.is_for(machine):
        return ""
    can = " or ".join(each.name for each in fabrics_of(machine)) or "none that is built"
    return f"got {fabric.name!r}; {machine.name} has {can}"
