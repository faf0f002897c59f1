"""Whether the nodes that serve a model talk over the fabric: what NCCL prints of its channels in each pod's log.

No test of bandwidth runs here: layers hand small messages on. Which network carries them, and whether by GPUDirect, is
all there is to judge. Usage: ``python3 -m nccl_verdict.serving NETWORK [--waive GATE]... LOG...``, the network as JSON
and a log for each pod.
"""

import argparse
import json
import sys
from collections.abc import Sequence

from .evidence import Evidence
from .expectation import Network, network_from
from .gate import Gate, listing
from .reader import Reader
from .visible import visible

GATES = ("channels", "socket", "transport", "gdr")
_DEBUG = "run the pods with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET, and send a request before their logs are read"


def judge_serving(logs: Sequence[Evidence], network: Network) -> list[Gate]:
    """The gates, in the order in which they explain each other. ``logs`` holds what each pod's log shows."""
    return [_channels(logs), _socket(logs, network), _transport(logs, network), _gdr(logs)]


def evidence_of(reader: Reader) -> Evidence:
    """What a whole log shows; the reader begins anew only where nccl-tests does."""
    return reader.runs[0].evidence if reader.runs else Evidence()


def main(argv: Sequence[str]) -> int:
    """0 when every gate passed, 1 when one failed, 2 when a log cannot be read; prints which gate failed, and why."""
    parser = argparse.ArgumentParser(prog="serving", description="judge the logs of pods that serve")
    parser.add_argument("network", help="what NCCL prints of the fabric, JSON")
    parser.add_argument("--waive", action="append", default=[], choices=GATES, help="a gate that may fail")
    parser.add_argument("logs", nargs="+", metavar="LOG")
    options = parser.parse_args(argv)
    logs = []
    for path in options.logs:
        try:
            with open(path, "rb") as stream:
                logs.append(evidence_of(Reader(path).read(stream)))
        except OSError as error:
            print(visible(f"{path}: {error}"))
            return 2
    network = network_from(json.loads(options.network))
    gates = [gate.waive(options.waive) for gate in judge_serving(logs, network)]
    for gate in gates:
        outcome = "passed" if gate.passed else "waived" if gate.waived else "FAILED"
        print(visible(f"{gate.name}: {outcome}: {gate.seen}"))
        if not gate.fine:
            print(f"  wanted: {gate.wanted}\n  cause: {gate.cause}")
    return 0 if all(gate.fine for gate in gates) else 1


def _channels(logs: Sequence[Evidence]) -> Gate:
    """Every pod prints a channel to another node; between GPUs of one node NCCL prints no network."""
    wanted = "channels to another node in every pod's log"
    silent = [str(place) for place, log in enumerate(logs) if not log.channels.total]
    if silent or len(logs) < 2:
        seen = f"none in the log of pod {listing(silent)}" if silent else f"{len(logs)} log"
        return Gate("channels", False, seen, wanted, cause=_DEBUG)
    return Gate("channels", True, f"{sum(log.channels.total for log in logs)} in {len(logs)} logs", wanted)


def _socket(logs: Sequence[Evidence], network: Network) -> Gate:
    wanted = "no channel and no process on NET/Socket"
    hosts = {host for log in logs for host, name in log.channels.networks if "Socket" in name}
    hosts |= {host for log in logs for (host, _), name in log.networks if "Socket" in name}
    if hosts:
        found_none = f"NCCL found no {network.transport} NIC, or could not load its plugin"
        cause = f"{found_none}: look at the pods' claims and at the image"
        return Gate("socket", False, f"serving over TCP on {listing(sorted(hosts))}", wanted, cause=cause)
    if not any(log.channels.total for log in logs):
        return Gate("socket", False, "not shown: no channel", wanted, cause=_DEBUG)
    return Gate("socket", True, "none", wanted)


def _transport(logs: Sequence[Evidence], network: Network) -> Gate:
    wanted = f"NET/{network.names[0]} on every channel"
    names = sorted({name for log in logs for _, name in log.channels.networks})
    foreign = [name for name in names if not network.has(name)]
    providers = sorted({name for log in logs for _, name in log.providers if not name.startswith(network.provider)})
    if network.provider and providers:
        cause = f"libfabric did not find {network.transport}: {network.where_to_look}"
        return Gate("transport", False, f"libfabric provider {listing(providers)}", wanted, cause=cause)
    if foreign:
        cause = "NCCL took another plugin: look at NCCL_NET, NCCL_NET_PLUGIN and LD_LIBRARY_PATH in the image"
        return Gate("transport", False, f"NET/{listing(foreign)}", wanted, cause=cause)
    if not names:
        return Gate("transport", False, "not shown", wanted, cause=_DEBUG)
    return Gate("transport", True, listing(names), wanted)


def _gdr(logs: Sequence[Evidence]) -> Gate:
    wanted = "GDRDMA on every channel between nodes"
    total = sum(log.channels.total for log in logs)
    without = [spot for log in logs for spot in log.channels.spots.values()]
    if without:
        hosts = sorted({spot.host for spot in without})
        seen = f"{sum(spot.total for spot in without)} of {total} channels without, on {listing(hosts)}"
        cause = "GPU and NIC are no neighbours on PCIe, or neither nvidia-peermem nor DMA-BUF works"
        return Gate("gdr", False, seen, wanted, cause=cause)
    if not total:
        return Gate("gdr", False, "not shown", wanted, cause=_DEBUG)
    return Gate("gdr", True, f"on all {total} channels", wanted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
