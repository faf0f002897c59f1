"""Whether the nodes that serve a model talk over the fabric: what NCCL says of its channels in each pod's log.

No test of bandwidth runs here: layers hand small messages on. Which network carries them, and whether by GPUDirect, is
all there is to judge. Usage: ``python3 -m nccl.serving TRANSPORT [--waive GATE]... LOG...``, a log for each pod.
"""

import argparse
import sys
from collections.abc import Sequence

from .evidence import Evidence
from .expectation import NETWORKS, is_network_of
from .gate import Gate, listing
from .reader import Reader

GATES = ("channels", "socket", "transport", "gdr")
_DEBUG = "run the pods with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET, and send a request before their logs are read"


def judge_serving(logs: Sequence[Evidence], transport: str) -> list[Gate]:
    """The gates, in the order in which they explain each other. ``logs`` holds what each pod's log tells."""
    return [_channels(logs), _socket(logs, transport), _transport(logs, transport), _gdr(logs)]


def evidence_of(reader: Reader) -> Evidence:
    """What a whole log tells; the reader begins anew only where nccl-tests does."""
    return reader.runs[0].evidence if reader.runs else Evidence()


def main(argv: Sequence[str]) -> int:
    """0 when every gate passed, 1 when one failed, 2 when a log cannot be read; says which, and why."""
    parser = argparse.ArgumentParser(prog="serving", description="judge the logs of pods that serve")
    parser.add_argument("transport", choices=NETWORKS)
    parser.add_argument("--waive", action="append", default=[], choices=GATES, help="a gate that may fail")
    parser.add_argument("logs", nargs="+", metavar="LOG")
    options = parser.parse_args(argv)
    logs = []
    for path in options.logs:
        try:
            with open(path, "rb") as stream:
                logs.append(evidence_of(Reader(path).read(stream)))
        except OSError as error:
            print(f"{path}: {error}")
            return 2
    held = [gate.waive() if gate.name in options.waive else gate for gate in judge_serving(logs, options.transport)]
    for gate in held:
        print(f"{gate.name}: {'passed' if gate.passed else 'waived' if gate.waived else 'FAILED'}: {gate.seen}")
        if not gate.passed and not gate.waived:
            print(f"  wanted: {gate.wanted}\n  cause: {gate.cause}")
    return 0 if all(gate.passed or gate.waived for gate in held) else 1


def _channels(logs: Sequence[Evidence]) -> Gate:
    """Every pod says a channel to another node; between GPUs of one node NCCL says no network."""
    wanted = "channels to another node in every pod's log"
    silent = [str(place) for place, log in enumerate(logs) if not log.channels.total]
    if silent or len(logs) < 2:
        seen = f"none in the log of pod {listing(silent)}" if silent else f"{len(logs)} log"
        return Gate("channels", False, seen, wanted, cause=_DEBUG)
    return Gate("channels", True, f"{sum(log.channels.total for log in logs)} in {len(logs)} logs", wanted)


def _socket(logs: Sequence[Evidence], transport: str) -> Gate:
    wanted = "no channel and no process on NET/Socket"
    fallen = sorted({host for log in logs for host, name in log.channels.networks if "Socket" in name})
    fallen += sorted({host for log in logs for (host, _), name in log.networks if "Socket" in name} - set(fallen))
    if fallen:
        cause = (
            f"NCCL found no {transport} NIC, or could not load its plugin: look at the pods' claims and at the image"
        )
        return Gate("socket", False, f"serving over TCP on {listing(fallen)}", wanted, cause=cause)
    if not any(log.channels.total for log in logs):
        return Gate("socket", False, "not shown: no channel", wanted, cause=_DEBUG)
    return Gate("socket", True, "none", wanted)


def _transport(logs: Sequence[Evidence], transport: str) -> Gate:
    wanted = f"NET/{NETWORKS[transport][0]} on every channel"
    seen = sorted({name for log in logs for _, name in log.channels.networks})
    foreign = [name for name in seen if not is_network_of(transport, name)]
    other = sorted({name for log in logs for _, name in log.providers if not name.startswith("efa")})
    if transport == "EFA" and other:
        cause = "libfabric did not find EFA: look at the pods' claims, or at vpc.amazonaws.com/efa"
        return Gate("transport", False, f"libfabric provider {listing(other)}", wanted, cause=cause)
    if foreign or not seen:
        cause = (
            "NCCL took another plugin: look at NCCL_NET, NCCL_NET_PLUGIN and LD_LIBRARY_PATH in the image"
            if seen
            else _DEBUG
        )
        return Gate("transport", False, f"NET/{listing(foreign)}" if foreign else "not shown", wanted, cause=cause)
    return Gate("transport", True, listing(seen), wanted)


def _gdr(logs: Sequence[Evidence]) -> Gate:
    wanted = "GDRDMA on every channel between nodes"
    total = sum(log.channels.total for log in logs)
    without = [spot for log in logs for spot in log.channels.spots.values()]
    if without or not total:
        bad = sum(spot.total for spot in without)
        seen = (
            f"{bad} of {total} channels without, on {listing(sorted({spot.host for spot in without}))}"
            if bad
            else "not shown"
        )
        cause = "GPU and NIC are no neighbours on PCIe, or neither nvidia-peermem nor DMA-BUF works" if bad else _DEBUG
        return Gate("gdr", False, seen, wanted, cause=cause)
    return Gate("gdr", True, f"on all {total} channels", wanted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
