"""``rdma-cluster machines``: the catalogue, with its sources and its doubts."""

from ..catalog import find, machines, unknown
from ..catalog.machine import Known, Machine, Source
from ..catalog.questions import figures, open_questions
from ..catalog.serialization import to_json
from ..common.summary import Row, machine_rows
from ..errors import InputError, Refused
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
        raise Refused([InputError((), unknown(name))])
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
    for what, minimum_version in machine.min_kubernetes.items():
        print(f"needs     {what}: {minimum_version} or later")
    if machine.driver:
        print(f"driver    {machine.driver}")
    print()
    print(table(machine_rows(machine), "rails"))
    if machine.thresholds:
        thresholds = [
            {
                "collective": threshold.collective,
                "nodes": threshold.nodes,
                "gpus a node": threshold.gpus_per_node,
                "from": f"{threshold.size_bytes >> 20} MiB",
                "threshold": f"{threshold.busbw_gbytes:g} GB/s",
                "published": "-" if threshold.published_gbytes is None else f"{threshold.published_gbytes:g} GB/s",
                **({"by": "NVLink" if threshold.nvlink else "NICs"} if machine.is_rack else {}),
            }
            for threshold in machine.thresholds
        ]
        print()
        print(table(thresholds, "bus bandwidth, out of place"))
    print()
    for known, source, names in _settled(machine):
        whole = f"{source.ref} ({source.seen})" if source else "in the sources below"
        print(
            paragraph(f"{known.value}: {', '.join(names)}: {whole}").replace(
                known.value, styled(known.value, "bold"), 1
            )
        )
    for title, reasons in (("unknown", machine.unknown), ("unverified", machine.unverified)):
        for field, reason in reasons.items():
            print("\n" + paragraph(f"{title} {field}: {reason}").replace(field, styled(field, "bold"), 1))
    print("\nsources")
    for source in machine.sources:
        print(f"  {source.seen}  {source.ref}")


def _settled(machine: Machine) -> list[tuple[Known, Source | None, list[str]]]:
    """The settled figures by how they are known and the source of their own; ``None`` stands for the row's sources."""
    groups: dict[tuple[Known, Source | None], list[str]] = {}
    for figure in figures(machine):
        own = () if figure.sources == machine.sources else figure.sources
        for source in own or ((None,) if figure.sources else ()):
            groups.setdefault((figure.known, source), []).append(figure.field)
    order = list(Known)
    return [
        (known, source, names)
        for (known, source), names in sorted(groups.items(), key=lambda it: order.index(it[0][0]))
    ]


def _show_questions(name: str | None, json: bool) -> int:
    wanted = None if name is None else _named(name).name
    questions = [question for question in open_questions() if wanted in (None, question.machine)]
    if json:
        print(as_json([question._asdict() for question in questions]))
    elif questions:
        print(table([question._asdict() for question in questions]))
    return 0
