"""``rdma-cluster machines``: the catalogue, with its sources and its doubts."""

from ..catalog import find, machines, unknown
from ..catalog.form import to_json
from ..catalog.machine import Machine
from ..catalog.questions import open_questions
from ..clouds.summary import Row, machine_rows
from ..faults import Fault, Refused
from .output import as_json, paragraph, styled, table


def show_machines(name: str | None, json: bool, unverified: bool) -> int:
    """Print every machine as a row, or one in full. Raises ``Refused`` for a name that the catalogue lacks."""
    if unverified:
        return _show_questions(name, json)
    chosen = machines() if name is None else (_named(name),)
    if json:
        print(as_json([to_json(machine) for machine in chosen]))
    elif name is None:
        print(table([_row(machine) for machine in chosen]))
    else:
        _show(chosen[0])
    return 0


def _named(name: str) -> Machine:
    if (machine := find(name)) is None:
        raise Refused([Fault((), unknown(name))])
    return machine


def _row(machine: Machine) -> Row:
    return {
        "cloud": machine.cloud.value,
        "machine": machine.name,
        "gpus": f"{machine.gpus} x {machine.gpu.model}" if machine.gpu else "-",
        "rails": f"{machine.nics} x {machine.nic_gbps or '?'} Gb/s",
        "transport": machine.transport.value,
        "arch": machine.architecture,
        "pairs": "yes" if machine.pcie_root_comparable else "no",
    }


def _show(machine: Machine) -> None:
    print(table([_row(machine)]))
    print(f"\ncapacity  {', '.join(each.value for each in machine.capacity)}")
    for what, floor in machine.min_kubernetes.items():
        print(f"needs     {what}: {floor} or later")
    if machine.driver:
        print(f"driver    {machine.driver}")
    print()
    print(table(machine_rows(machine), "rails"))
    if machine.floors:
        floors = [
            {
                "collective": floor.collective,
                "nodes": floor.nodes,
                "gpus a node": floor.gpus_per_node,
                "from": f"{floor.size_bytes >> 20} MiB",
                "floor": f"{floor.busbw_gbytes:g} GB/s",
                "published": "-" if floor.published_gbytes is None else f"{floor.published_gbytes:g} GB/s",
                **({"by": "NVLink" if floor.nvlink else "NICs"} if machine.is_rack else {}),
            }
            for floor in machine.floors
        ]
        print()
        print(table(floors, "bus bandwidth, out of place"))
    for title, reasons in (("unknown", machine.unknown), ("unverified", machine.unverified)):
        for field, reason in reasons.items():
            print("\n" + paragraph(f"{title} {field}: {reason}").replace(field, styled(field, "bold"), 1))
    print("\nsources")
    for source in machine.sources:
        print(f"  {source.seen}  {source.ref}")


def _show_questions(name: str | None, json: bool) -> int:
    wanted = None if name is None else _named(name).name
    questions = [question for question in open_questions() if wanted in (None, question.machine)]
    if json:
        print(as_json([question._asdict() for question in questions]))
    elif questions:
        print(table([question._asdict() for question in questions]))
    return 0
