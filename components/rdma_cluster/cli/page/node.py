"""The drawing of a node: one card a PCIe root, its GPUs above, its NICs below, and the rail that each is on.

Where GPUs and NICs are on no root together, as Azure shows them, a card is a NUMA node.
"""

from collections.abc import Iterator, Sequence

from ...common.summary import Row
from .escaped import escaped

_STEP, _TOP, _GPU, _NIC = 74, 26, 44, 34  # pixels: a column, the title's height, a GPU, a NIC
_GAP = 40  # between GPUs and NICs, where the lines are
_HEIGHT = _TOP + _GPU + _GAP + _NIC + 62


def node(rows: Sequence[Row]) -> str:
    """Every root of a machine, from the rows of its rails."""
    roots: dict[str, list[Row]] = {}
    for row in rows:
        roots.setdefault(_title(row), []).append(row)
    cards = "".join(_card(title, rails) for title, rails in roots.items())
    return f'<div class="roots">{cards}</div>'


def _title(row: Row) -> str:
    root, numa = row.get("root"), row.get("numa", "-")
    of = [] if root is None else ["PCIe roots not known" if root == "-" else f"root {root}"]
    return ", ".join([*of, *([] if numa == "-" else [f"NUMA {numa}"])]) or "PCIe roots not known"


def _card(title: str, rails: Sequence[Row]) -> str:
    gpus = list(dict.fromkeys(gpu for row in rails for gpu in _gpus(row)))
    columns = max(len(rails), len(gpus), 2)
    width = columns * _STEP + 12
    return (
        f'<svg viewBox="0 0 {width} {_HEIGHT}" width="{width}" role="img" aria-label="{escaped(title)}">'
        f'<rect class="root" x="1" y="1" width="{width - 2}" height="{_TOP + _GPU + _GAP + _NIC + 12}" rx="8"/>'
        f'<text class="dim" x="10" y="18">{escaped(title)}</text>'
        f"{''.join(_drawn(rails, gpus, columns))}</svg>"
    )


def _drawn(rails: Sequence[Row], gpus: Sequence[str], columns: int) -> Iterator[str]:
    def across(i: int, count: int) -> float:
        return 6 + columns * _STEP * (2 * i + 1) / (2 * count)

    gpu_at = {gpu: across(i, len(gpus)) for i, gpu in enumerate(gpus)}
    below, above = _TOP + _GPU, _TOP + _GPU + _GAP
    for i, row in enumerate(rails):
        at = across(i, len(rails))
        for gpu in _gpus(row):
            yield f'<line class="pcie" x1="{gpu_at[gpu]:g}" y1="{below}" x2="{at:g}" y2="{above}"/>'
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
