"""The drawing of a node: one card a PCIe root, its GPUs above, its NICs below, and the rail that each is on.

Where GPUs and NICs are on no root together, as Azure shows them, a card is a NUMA node.
"""

from collections.abc import Iterator, Sequence

from ...catalog import Machine
from ...common.summary import Row
from .escaped import escaped

_STEP, _TOP, _GPU, _NIC = 74, 26, 44, 34  # pixels: a column, the title's height, a GPU, a NIC
_GAP = 40  # between GPUs and NICs, where the lines are
_HEIGHT = _TOP + _GPU + _GAP + _NIC + 62


def node(rows: Sequence[Row], machine: Machine | None) -> str:
    """Every root of a machine, from the rows of its rails; all its GPUs, also where no rail is known to be near."""
    paired = any(row["gpu"] != "-" for row in rows)
    cards: dict[str, list[Row]] = {}
    for row in rows:
        cards.setdefault(_title(row, paired), []).append(row)
    shared = paired and "root" in rows[0]
    drawn = "".join(_card(title, rails, _near(rails, machine, len(cards)), shared) for title, rails in cards.items())
    return f'<div class="roots">{drawn}</div><p class="legend dim">{escaped(_legend(paired, shared, machine))}</p>'


def _title(row: Row, paired: bool) -> str:
    root, numa = row.get("root"), row.get("numa", "-")
    of = [f"root {root}"] if paired and root not in (None, "-") else []
    return ", ".join([*of, *([] if numa == "-" else [f"NUMA {numa}"])]) or "PCIe roots not known"


def _near(rails: Sequence[Row], machine: Machine | None, cards: int) -> list[str]:
    """The GPUs of a card: those of its rails, else of its NUMA node, else all of the machine."""
    named = list(dict.fromkeys(gpu for row in rails for gpu in _gpus(row)))
    if named or machine is None:
        return named
    numa = rails[0].get("numa", "-")
    beside = [str(gpu) for root in machine.roots or () if root.numa == numa for gpu in root.gpus]
    return beside or ([str(gpu) for gpu in range(machine.gpus)] if cards == 1 else [])


def _legend(paired: bool, shared: bool, machine: Machine | None) -> str:
    """What the lines mean, and what NVLink joins."""
    lines = "no line: which GPU is near which NIC is not known, or they share no root"
    if paired:
        lines = "solid line: one PCIe root" if shared else "dashed line: near, but no shared PCIe root is visible"
    domain = machine.nvlink_domain if machine else 0
    nvlink = f"NVLink joins {domain} GPUs" + (" of several nodes" if machine and machine.is_rack else " of the node")
    return "; ".join([lines, "dotted line: to the rail", *([nvlink] if domain else [])])


def _card(title: str, rails: Sequence[Row], gpus: Sequence[str], shared: bool) -> str:
    columns = max(len(rails), len(gpus), 2)
    width = columns * _STEP + 12
    return (
        f'<svg viewBox="0 0 {width} {_HEIGHT}" width="{width}" role="img" aria-label="{escaped(title)}">'
        f'<rect class="root" x="1" y="1" width="{width - 2}" height="{_TOP + _GPU + _GAP + _NIC + 12}" rx="8"/>'
        f'<text class="dim" x="10" y="18">{escaped(title)}</text>'
        f"{''.join(_drawn(rails, gpus, columns, shared))}</svg>"
    )


def _drawn(rails: Sequence[Row], gpus: Sequence[str], columns: int, shared: bool) -> Iterator[str]:
    def across(i: int, count: int) -> float:
        return 6 + columns * _STEP * (2 * i + 1) / (2 * count)

    gpu_at = {gpu: across(i, len(gpus)) for i, gpu in enumerate(gpus)}
    below, above = _TOP + _GPU, _TOP + _GPU + _GAP
    style = "pcie" if shared else "pcie near"
    for i, row in enumerate(rails):
        at = across(i, len(rails))
        for gpu in _gpus(row):
            yield f'<line class="{style}" x1="{gpu_at[gpu]:g}" y1="{below}" x2="{at:g}" y2="{above}"/>'
    for gpu, at in gpu_at.items():
        yield f'<rect class="gpu" x="{at - 31:g}" y="{_TOP}" width="62" height="{_GPU}" rx="5"/>'
        yield _text(at, _TOP + 27, f"GPU {gpu}")
    for i, row in enumerate(rails):
        yield from _rail(across(i, len(rails)), above, row)


def _rail(at: float, y: int, row: Row) -> Iterator[str]:
    """A NIC, and the wire to its rail."""
    name = row.get("nic", "-")
    shown = f"card {row['card']}" if name == "-" and "card" in row else "NIC" if name == "-" else str(name)
    yield f'<g data-rail="{row["rail"]}"><rect class="nic" x="{at - 33:g}" y="{y}" width="66" height="{_NIC}" rx="5"/>'
    yield _text(at, y + 21, shown, "small")
    yield f'<line class="wire" x1="{at:g}" y1="{y + _NIC}" x2="{at:g}" y2="{y + _NIC + 24}"/>'
    yield _text(at, y + _NIC + 38, f"rail {row['rail']}")
    yield _text(at, y + _NIC + 53, str(row.get("cidr") or row.get("interface") or ""), "small dim")
    yield "</g>"


def _gpus(row: Row) -> list[str]:
    return [] if row["gpu"] == "-" else str(row["gpu"]).split(", ")


def _text(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text class="mid {style}" x="{x:g}" y="{y:g}">{escaped(text)}</text>'
