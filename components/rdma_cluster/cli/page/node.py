"""The drawing of a node: NVLink above; one card a PCIe root, its GPUs over its NICs, and the rail that each is on.

Where GPUs and NICs are on no root together, as Azure shows them, a card is a NUMA node.
"""

from collections.abc import Iterable, Sequence

from ...common.summary import Row
from ...common.use import PoolUse
from .devices import gpu, gpus_of, nic, rail
from .part import escaped, legend, line, shared, table


def node(rows: Sequence[Row], use: PoolUse) -> str:
    """Every root of a machine, from the rows of its rails; all its GPUs, also where no rail is known to be near."""
    paired = any(gpus_of(row) for row in rows)
    shared = paired and "root" in rows[0]
    cards: dict[str, list[Row]] = {}
    for row in rows:
        cards.setdefault(_title(row, paired), []).append(row)
    nvlink = _nvlink(use)
    drawn = (
        _card(title, _groups(rails, _near(rails, use, len(cards))), use, "pcie" if shared else "near", bool(nvlink))
        for title, rails in cards.items()
    )
    bus = f'<div class="nvlinked">{escaped(nvlink)}</div>' if nvlink else ""
    columns = next(each for each in (4, 2, 1) if len(cards) % each == 0)
    return (
        f'<div class="node{" fabric" if nvlink else ""}">{bus}<div class="roots of{columns}">{"".join(drawn)}</div>'
        f"</div>{_legend(paired, shared, bool(nvlink))}"
    )


def listed(rows: Sequence[Row], use: PoolUse) -> str:
    """All that the cards of the drawing hold: what is alike as sentences, the rest as tables."""
    near = {index: [row for row in rows if index in gpus_of(row)] for index in range(use.machine.gpus)}
    of_gpus = [{"GPU": index, **gpu(index, use, near[index]).facts} for index in near]
    of_rails = [{"rail": row["rail"], **nic(row, use).facts, **rail(row, use).facts} for row in rows]
    parts = [shared("GPU", of_gpus), shared("NIC and rail", of_rails)]
    tables = "".join(table(differing) for _, differing in parts if differing and differing[0])
    return "".join(alike for alike, _ in parts) + f"<details><summary>as tables</summary>{tables}</details>"


def _nvlink(use: PoolUse) -> str:
    """What NVLink joins, and by which switches.

    HGX boards: https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/; racks: NVIDIA Mission Control,
    high-speed-fabric-management (both 2026-11-23).
    """
    machine = use.machine
    if machine.is_rack:
        return f"NVLink, by switches of the rack: {machine.nvlink_domain} GPUs, {machine.gpus} of them in this node"
    return f"NVLink, by NVSwitch: all {machine.gpus} GPUs of the node" if machine.nvlink_domain else ""


def _legend(paired: bool, shared: bool, nvlink: bool) -> str:
    lines = {}
    if nvlink:
        lines["nvlink"] = "NVLink"
    if shared:
        lines["pcie"] = "one PCIe root"
    elif paired:
        lines["near"] = "near, but no shared PCIe root is visible"
    else:
        lines["none"] = "no line: which GPU is near which NIC is not known, or they share no root"
    return legend(**lines, wire="to the rail")


def _title(row: Row, paired: bool) -> str:
    root, numa = row.get("root"), row.get("numa", "-")
    of = [f"PCIe root {root}"] if paired and root not in (None, "-") else []
    return ", ".join([*of, *([] if numa == "-" else [f"NUMA {numa}"])]) or "PCIe roots not known"


def _near(rails: Sequence[Row], use: PoolUse, cards: int) -> list[int]:
    """The GPUs of a card: those of its rails, else of its NUMA node, else all of the machine."""
    if named := list(dict.fromkeys(gpu for row in rails for gpu in gpus_of(row))):
        return named
    numa = rails[0].get("numa", "-")
    beside = [gpu for root in use.machine.roots or () if root.numa == numa for gpu in root.gpus]
    return beside or (list(range(use.machine.gpus)) if cards == 1 else [])


Group = tuple[list[int], list[Row]]
"""GPUs, and the rails that they are near: one GPU of one or several rails, or several GPUs of one rail."""


def _groups(rails: Sequence[Row], gpus: list[int]) -> list[Group]:
    groups: dict[str, Group] = {}
    for row in rails:
        groups.setdefault(str(row["gpu"]), (gpus_of(row) or gpus, []))[1].append(row)
    return list(groups.values())


def _card(title: str, groups: Iterable[Group], use: PoolUse, style: str, nvlink: bool) -> str:
    drawn = "".join(_group(gpus, rails, use, style, nvlink) for gpus, rails in groups)
    bus = '<div class="bus"></div>' if nvlink else ""
    return f'<div class="root"><p class="dim">{escaped(title)}</p>{bus}<div class="groups">{drawn}</div></div>'


def _group(gpus: list[int], rails: list[Row], use: PoolUse, style: str, nvlink: bool) -> str:
    joined = bool(gpus_of(rails[0]))  # all are near the same
    near = rails if joined else []
    rows = [
        [(line("nvlink") if nvlink else "") + gpu(each, use, near).html() for each in gpus],
        [line(style if joined else "none")] * max(len(gpus), len(rails)),
        [nic(row, use).html() + line("wire") + rail(row, use).html() for row in rails],
    ]
    return f'<div class="group">{"".join(map(_cells, rows))}</div>'


def _cells(cells: Sequence[str]) -> str:
    """Cells of one width side by side."""
    return f'<div class="cells" style="--n: {len(cells)}">{"".join(f"<div>{cell}</div>" for cell in cells)}</div>'
