"""The page's head: where, when, how many nodes and GPUs, their bandwidth, and what an hour costs."""

from datetime import date

from ...catalog import Machine, find
from ...common.price import TOTAL
from ...common.summary import Summary
from .escaped import escaped


def head(summary: Summary, cloud: str, project: str, today: date) -> str:
    """Tiles of one figure each; a figure that nobody knows says so."""
    cluster = next(iter(summary.rows_of("cluster")), {})
    place = cluster.get("region") or cluster.get("location")
    zone = None if cluster.get("zone") in (None, "none", place) else cluster["zone"]
    rows = [*summary.rows_of("pools"), *summary.rows_of("adopted")]
    pools = [(machine, row["nodes"]) for row in rows if (machine := find(row["machine"]))]
    figures = {
        "cloud": cloud.upper(),
        "where": ", ".join(str(each) for each in (place, zone) if each),
        "project": project,
        "date": today.isoformat(),
        "nodes": f"{sum(nodes for _, nodes in pools):,}",
        "GPUs": f"{sum(machine.gpus * nodes for machine, nodes in pools):,}",
        "bandwidth of a node": ", ".join(dict.fromkeys(_gbps(_of_node(machine)) for machine, _ in pools)),
        "bandwidth of all": _gbps(_of_all(pools)),
        "GPU nodes, on demand": _cost(summary),
    }
    tiles = (
        f"<div><dt>{escaped(what)}</dt><dd>{escaped(value)}</dd></div>" for what, value in figures.items() if value
    )
    return f'<dl class="head">{"".join(tiles)}</dl>'


def _of_node(machine: Machine) -> int | None:
    return None if machine.nic_gbps is None else machine.nics * machine.nic_gbps


def _of_all(pools: list[tuple[Machine, int]]) -> int | None:
    """The sum of all nodes, Gb/s; ``None`` where a machine's rate is not published."""
    rates = [(_of_node(machine), nodes) for machine, nodes in pools]
    return None if any(rate is None for rate, _ in rates) else sum((rate or 0) * nodes for rate, nodes in rates)


def _gbps(rate: int | None) -> str:
    return "not published" if rate is None else f"{rate / 1000:g} Tb/s" if rate >= 1000 else f"{rate} Gb/s"


def _cost(summary: Summary) -> str:
    total = next((row for row in summary.rows_of("price") if row["pool"] == TOTAL), None)
    if total is None or total["from_usd_an_hour"] is None:
        return "no public price"
    least, most = (f"{total[key]:,.2f}" for key in ("from_usd_an_hour", "to_usd_an_hour"))
    part = " for a part" if total["basis"].startswith("without") else ""
    return f"{least if least == most else f'{least} to {most}'} USD an hour{part}"
