"""The drawing of what joins nodes: each NIC to its like over its rail, or all of them over one network; and NVLink."""

from collections.abc import Sequence

from ...common.summary import Row
from ...common.use import PoolUse
from .devices import gpus_of, nic_name, rail_facts
from .part import Part, escaped, legend, line, note

_MOST_LINES = 8
"""Of a drawing; beyond it the rails of one GPU are one line."""


def between(rows: Sequence[Row], uses: Sequence[PoolUse]) -> str:
    """The rails between the nodes of pools that have one machine and one fabric."""
    use = uses[0]
    if all(each.nodes < 2 for each in uses):
        return note("one node: nothing between nodes")
    bundles = _bundles(rows)
    bound = use.fabric.rail_bound
    networks = [_rail(bundle, use).html() for bundle in bundles] if bound else [_whole(use)]
    drawn = "".join(
        _end(bundle)
        + line("across")
        + (f'<div class="net">{networks[i]}</div>' if bound or not i else "")
        # The one network that joins all lines stands in the first row, and reaches to the last.
        + line("across")
        + _end(bundle)
        for i, bundle in enumerate(bundles)
    )
    heads = "".join(f"<b>{each}</b>" for each in ("one node", "network", "other nodes"))
    nodes = "; ".join(f"pool {each.pool}: {each.nodes} nodes" for each in uses)
    style = "between" if bound else "between whole"
    rate = f"{use.machine.nic_gbps} Gb/s a NIC" if use.machine.nic_gbps else "rate not published"
    reach = (
        "a NIC reaches the same rail of other nodes"
        if bound
        else "every NIC reaches every NIC of other nodes; no rail is a network of its own"
    )
    return (
        f'<p class="dim">{escaped(nodes)}</p><div class="{style}" style="--rows: {len(bundles)}">'
        f"{heads}{drawn}</div>"
        + legend(across=f"{use.fabric.transport.value}, {rate}")
        + note(f"{reach}; which switches the cloud has between them, the plan does not know")
    )


def racks(uses: Sequence[PoolUse]) -> str:
    """Which nodes share one NVLink domain; empty where no NVLink leaves a node."""
    domains = [(use, nodes) for use in uses for nodes in use.racks]
    drawn = "".join(_rack(i, use, nodes) for i, (use, nodes) in enumerate(domains))
    unknown = "".join(
        note(
            f"pool {use.pool}: which of its {use.nodes} nodes share a rack is known when they are up, from their label "
            f"nvidia.com/gpu.clique; a rack has {use.machine.nvlink_domain // use.machine.gpus} nodes at the most"
        )
        for use in uses
        if use.machine.is_rack and not use.racks
    )
    return (f'<div class="racks">{drawn}</div>' if drawn else "") + unknown


def _rack(index: int, use: PoolUse, nodes: int) -> str:
    """A domain with its nodes; the rest of a rack that is not the pool's is drawn empty."""
    gpus, most = use.machine.gpus, use.machine.nvlink_domain // use.machine.gpus
    styles = ["cell" if node <= nodes else "cell empty" for node in range(1, most + 1)]
    cells = "".join(f'<span class="{style}">{node}</span>' for node, style in enumerate(styles, 1))
    title = f"NVLink domain {index + 1}, pool {use.pool}"
    words = f"{nodes} nodes, {nodes * gpus} GPUs"
    return (
        f'<div class="rack"><b>{escaped(title)}</b> <span class="dim">{escaped(words)}</span>'
        f'<div class="nvswitch">NVLink switches of the rack</div><div class="nodes">{cells}</div></div>'
    )


def _bundles(rows: Sequence[Row]) -> list[list[Row]]:
    """The rails of each line: one, or those of one GPU where there are many."""
    if len(rows) <= _MOST_LINES or not all(gpus_of(row) for row in rows):
        return [[row] for row in rows]
    of: dict[str, list[Row]] = {}
    for row in rows:
        of.setdefault(str(row["gpu"]), []).append(row)
    return list(of.values())


def _end(bundle: list[Row]) -> str:
    first, last = bundle[0], bundle[-1]
    name = nic_name(first) if len(bundle) == 1 else f"{nic_name(first)} to {nic_name(last).rpartition(' ')[2]}"
    near = f"<small>GPU {escaped(str(first['gpu']))}</small>" if gpus_of(first) else ""
    return f'<div class="end">{escaped(name)}{near}</div>'


def _rail(bundle: list[Row], use: PoolUse) -> Part:
    first, last = bundle[0], bundle[-1]
    one = len(bundle) == 1
    name = f"rail {first['rail']}" if one else f"rails {first['rail']} to {last['rail']}"
    beside = str(first.get("cidr") or "") if one else f"{len(bundle)} lines"
    return Part("rail", f"between-{use.pool}-{first['rail']}", name, rail_facts(first, use), beside)


def _whole(use: PoolUse) -> str:
    network = f"one {use.fabric.transport.value} network"
    return Part("rail", f"between-{use.pool}", network, rail_facts({}, use), "every rail").html()
