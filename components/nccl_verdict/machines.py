"""What a log must show by the name of its machine, or by itself: for whoever has a log and nothing else of ours.

``machines.json`` lies beside this file, made from the catalogue by ``make docs``. Pods do not get it.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from importlib.resources import files
from typing import Any

from .expectation import GIB, BadExpectationError, Expectation, Network, SizeThreshold, network_from
from .run import Run

UNNAMED = "unnamed machine"


def expectation(
    runs: Sequence[Run],
    machine: str = "",
    nodes: int = 0,
    gpus_per_node: int = 0,
    collective: str | None = None,
    least: float = 0.0,
) -> tuple[Expectation, tuple[str, ...]]:
    """What the tests of a log must show, and the gates that cannot be asked.

    Args:
        machine: its name in ``machines.json``; without one the log's own nodes must agree with each other.
        nodes: of one test; as many as the log shows where it is 0.
        gpus_per_node: all of the machine where it is 0, or as many as the log shows.
        collective: nccl-tests' name, where the log does not name it.
        least: bus bandwidth from 1 GiB on, GB/s, in place of what is published.
    """
    known = _machines()
    row: dict[str, Any] = known["machines"].get(machine, {})
    if machine and not row:
        near = get_close_matches(machine, known["machines"], 3, 0.4)
        raise BadExpectationError(f"--machine: got {machine!r}, known: {', '.join(near or sorted(known['machines']))}")
    networks = {name: replace(network_from(data), claimable=False) for name, data in known["networks"].items()}
    shown = max(runs, key=lambda run: len(run.ranks), default=Run())
    ranks = Counter(rank.host for rank in shown.ranks.values())
    nodes = nodes or max(len(ranks), 2)
    gpus = gpus_per_node or row.get("gpus") or max(ranks.values(), default=1)
    published = [
        each
        for each in row.get("thresholds", ())
        if tuple(each[1:3]) == (nodes, gpus) and collective in (None, each[0])
    ]
    lines: dict[str, tuple[SizeThreshold, ...]] = {
        name: (SizeThreshold(GIB, least),) for name in _collectives(runs, collective) if least
    }
    notes = [f"threshold: {each[0]} on {nodes} x {gpus} GPUs {each[4]:g} GB/s, from {each[5]}" for each in published]
    for name, _, _, size, figure, _ in published if not least else ():
        lines[name] = (*lines.get(name, ()), SizeThreshold(size, figure))
    waived, without_gdr = {"bandwidth": not lines}, row.get("gdr") is False
    if not lines:
        notes.append("threshold: none is known, so speed is not judged: --threshold GBPS names the least from 1 GiB on")
    if without_gdr:
        notes.append(f"gdr: {machine} has no GPUDirect RDMA")
    if not row:
        notes.append("nics: as many as one of the nodes shows: what all lack alike is not seen; --machine tells")
    nics, rest = divmod(row["nics"] * gpus, row["gpus"]) if row else (_nics(shown, ranks), 0)
    gbps = 0 if rest else row.get("nic_gbps", 0)
    want = Expectation(
        machine=machine or UNNAMED,
        network=networks[row["network"]] if row else _network(runs, networks),
        nodes=nodes,
        gpus_per_node=gpus,
        gpu_model=row["gpu"] if row else next((rank.model for rank in shown.ranks.values()), "GPU"),
        nics=None if rest or not (row or ranks) else nics,
        wire_gbytes=nics * gbps / 8 if gbps else None,
        nvlink_domain=row.get("nvlink_domain", 0),
        collective=collective,
        thresholds=lines,
        thresholds_from="yours" if least else "the catalogue's",
        above_wire=row.get("above_wire", ""),
        part_of_node=bool(row) and gpus < row["gpus"],
        without_gdr=without_gdr,
        notes=tuple(notes),
    )
    return want, tuple(name for name, is_waived in waived.items() if is_waived)


def _machines() -> dict[str, Any]:
    try:
        return json.loads(files("nccl_verdict").joinpath("machines.json").read_text(encoding="utf-8"))
    except OSError:
        raise BadExpectationError("machines.json is not here: give --expect FILE") from None


def _collectives(runs: Sequence[Run], collective: str | None) -> set[str]:
    return {collective} if collective else {run.collective or "all_reduce" for run in runs}


def _nics(run: Run, ranks: Counter[str]) -> int:
    """The most NICs that a node shows: what libfabric found, the ports that carry its channels, or as many of the
    listed ones as it has GPUs; more may be listed than are of the fabric."""
    evidence, most = run.evidence, 1
    for host, gpus in ranks.items():
        used = evidence.channels.used.get(host, {})
        listed = [number for nic_host, number in evidence.nics if nic_host == host]
        ports, known = (sum(evidence.fused.get((host, nic), 1) for nic in some) for some in (used, listed))
        found = [count for each, count in evidence.provider_nics if each == host]
        most = max(most, *found, ports, 0 if found else min(gpus, known))
    return most


def _network(runs: Sequence[Run], networks: dict[str, Network]) -> Network:
    """The network that most processes name; any of RDMA where they name none or only sockets."""
    names = Counter(name for run in runs for _, name in run.evidence.networks)
    links = Counter(link for run in runs for nic in run.evidence.nics.values() for link in nic.links)
    for name, _ in names.most_common():
        fitting = [network for network in networks.values() if network.has(name)]
        if fitting:
            return min(fitting, key=lambda network: -links[network.link_layer])
    every = sorted({name for network in networks.values() for name in network.names}, key=lambda name: name != "IB")
    return replace(next(iter(networks.values())), transport="RDMA", names=tuple(every), link_layer="", provider="")
