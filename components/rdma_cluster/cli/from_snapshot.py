"""``rdma-cluster machines --from SNAPSHOT``: a row for a machine that nobody knew, or what a known one's row gains."""

from datetime import date
from pathlib import Path
from typing import Any

from ..catalog import find
from ..catalog.machine import Known, Machine, Source
from ..catalog.questions import figures
from ..conform.devices import device_differences
from ..conform.hardware import views
from ..conform.row import as_source, row_of
from ..conform.snapshot import SeenNode, Snapshot, read
from .output import as_json, paragraph, styled


def show_rows(file: Path, json: bool) -> int:
    """Print what a snapshot tells the catalogue, machine by machine. Returns 1 where it contradicts a row.

    Raises ``Refused`` for a file that is no snapshot.
    """
    snapshot = read(file.read_bytes(), str(file))
    source = Source(f"a snapshot by `rdma-cluster conform`: {file.name}", date.today().isoformat(), Known.MEASURED)
    told = [told_of(name, node, source) for name, node in nodes_of(snapshot).items()]
    if json:
        print(as_json(told))
    else:
        for each in told:
            show(each)
    return 1 if any(each["differences"] for each in told) else 0


def nodes_of(snapshot: Snapshot) -> dict[str, SeenNode]:
    """A node of each machine: one that a pod looked at tells most."""
    return {node["machine"]: node for node in sorted(snapshot["nodes"], key=lambda node: "nics" in node)}


def settled(machine: Machine, row: Machine) -> dict[str, object]:
    """The figures of a measured row that are not measured in the catalogue."""
    open_figures = [each.field for each in figures(machine) if each.known is not Known.MEASURED]
    return {field: getattr(row, field) for field in open_figures if field in row.evidence}


def told_of(name: str, node: SeenNode, source: Source) -> dict[str, Any]:
    """What a node tells of its machine: a row, or what it settles and contradicts of the row there is."""
    machine, row = find(name), row_of(node, source)
    told: dict[str, Any] = {"machine": name, "known": machine is not None}
    if machine is None:
        return {**told, "row": row and as_source(row), "settles": {}, "differences": []}
    found = dict.fromkeys(each for view in views(node) for each in device_differences(machine, view, ()))
    settles = _settles(machine, row) if row is not None else {}
    return {**told, "row": None, "settles": settles, "differences": [each.to_dict() for each in found]}


def _settles(machine: Machine, row: Machine) -> dict[str, dict[str, str]]:
    """Figures that were not measured, and what the snapshot says of them."""
    known = {each.field: each.known.value for each in figures(machine)}
    return {
        field: {"was": known[field], "had": str(getattr(machine, field)), "seen": str(seen)}
        for field, seen in settled(machine, row).items()
    }


def show(told: dict[str, Any]) -> None:
    """Print what a node told of its machine."""
    name = styled(told["machine"], "bold")
    if not told["known"]:
        some = "is not in the catalogue; its row, as far as the snapshot goes:"
        none = "no row can be written: take the snapshot with the pod, on a node with RDMA devices"
        print(f"{name} {some}\n{told['row']}" if told["row"] else f"{name}: {none}\n")
        return
    print(f"{name}: {len(told['differences'])} differences from its row")
    for each in told["differences"]:
        known = f" ({each['known']})" if each["known"] else ""
        expected = f"expected {each['expected']}{known}, found {each['found']}"
        print(paragraph(f"differs: {each['what']}: {each['kind']}: {expected}"))
    for field, each in told["settles"].items():
        agrees = "the same" if each["had"] == each["seen"] else each["seen"]
        print(paragraph(f"measured: {field}, which was {each['was']}: {agrees}"))
