"""The page's head: where, when, how many nodes and GPUs, their bandwidth, the cluster, and what an hour costs."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from ...catalog import Machine, find
from ...common.price import TOTAL
from ...common.summary import Summary
from .part import escaped

_TOLD = {"name", "region", "location", "zone", "made"}
"""What the head tells of a cluster in words of its own."""
_KEYS = {"version": "Kubernetes"}


def head(stack: str, summary: Summary, cloud: str, project: str, today: date) -> str:
    """Tiles of one figure each; a figure that nobody knows says so."""
    cluster = next(iter(summary.rows_of("cluster")), {})
    rows = [*summary.rows_of("pools"), *summary.rows_of("adopted")]
    pools = [(machine, row["nodes"]) for row in rows if (machine := find(row["machine"]))]
    figures = {
        "cloud": cloud.upper(),
        "where": _where(cluster),
        "project": project,
        "date": today.isoformat(),
        "nodes": f"{sum(nodes for _, nodes in pools):,}",
        "GPUs": f"{sum(machine.gpus * nodes for machine, nodes in pools):,}",
        "bandwidth of a node": ", ".join(dict.fromkeys(_gbps(_of_node(machine)) for machine, _ in pools)),
        "bandwidth of all": _gbps(_of_all(pools)),
    }
    tiles = [_tile(what, value) for what, value in figures.items() if value]
    # Where they are too many for a row they are two of the same number.
    return (
        f'<dl class="head" style="--half: {-(-len(tiles) // 2)}">{"".join(tiles)}</dl>'
        f'<dl class="head more">{_cluster(cluster, stack)}{_price(summary.rows_of("price"))}</dl>'
    )


def _cluster(cluster: Mapping[str, Any], stack: str) -> str:
    """Whether it is new, and what else the plan has of it; its name where that is not the stack's."""
    named = [str(cluster["name"])] if cluster.get("name", stack) != stack else []
    more = [f"{_KEYS.get(key, key.replace('_', ' '))} {value}" for key, value in cluster.items() if key not in _TOLD]
    made = str(cluster.get("made", ""))
    return _tile("cluster", " ".join([made, *named]), ", ".join(more)) if made else ""


def _tile(what: str, value: str, more: str = "", style: str = "") -> str:
    small = f"<small>{escaped(more)}</small>" if more else ""
    return f"<div{style}><dt>{escaped(what)}</dt><dd>{escaped(value)}{small}</dd></div>"


def _where(cluster: Mapping[str, Any]) -> str:
    place = cluster.get("region") or cluster.get("location")
    zone = None if cluster.get("zone") in (None, "none", place) else cluster["zone"]
    return ", ".join(str(each) for each in (place, zone) if each)


def _of_node(machine: Machine) -> int | None:
    return None if machine.nic_gbps is None else machine.nics * machine.nic_gbps


def _of_all(pools: list[tuple[Machine, int]]) -> int | None:
    """The sum of all nodes, Gb/s; ``None`` where a machine's rate is not published."""
    rates = [(_of_node(machine), nodes) for machine, nodes in pools]
    return None if any(rate is None for rate, _ in rates) else sum((rate or 0) * nodes for rate, nodes in rates)


def _gbps(rate: int | None) -> str:
    return "not published" if rate is None else f"{rate / 1000:g} Tb/s" if rate >= 1000 else f"{rate} Gb/s"


def _price(rows: Sequence[Mapping[str, Any]]) -> str:
    """What an hour of the GPU nodes costs, of all and of each pool, and what that is worth for their capacity."""
    total = next((row for row in rows if row["pool"] == TOTAL), None)
    if total is None:
        return ""
    pools = [row for row in rows if row["pool"] != TOTAL]
    of_pools = [f"{row['pool']}: {_dollars(row)}, " if len(pools) > 1 else "" for row in pools]
    basis = [
        f"{of_pool}{row['basis']}" + (f"; list of {row['as_of']}" if row["as_of"] else "")
        for of_pool, row in zip(of_pools, pools, strict=True)
    ]
    more = ". ".join([*basis, total["basis"]])
    return _tile("GPU nodes, an hour, by on-demand lists", _dollars(total), more, ' class="price"')


def _dollars(row: Mapping[str, Any]) -> str:
    if row["from_usd_an_hour"] is None:
        return "no public price"
    least, most = (f"{row[key]:,.2f}" for key in ("from_usd_an_hour", "to_usd_an_hour"))
    part = " for a part" if row["pool"] == TOTAL and row["basis"].startswith("without") else ""
    return f"{least if least == most else f'{least} to {most}'} USD{part}"
