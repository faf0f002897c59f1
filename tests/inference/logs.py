"""Logs of pods that serve: lines as NCCL and vLLM print them, for the extents of a test.

The forms are those of published logs: KeitaW/p5-nccl-test-2024-07-19@1c78584 (channels over Libfabric), nccl-tests
issue 321 (channels by a plugin of HPC-X), vllm issues 2442 and 6370 (vLLM's own head of a line, and NCCL on sockets).
"""

import json
from dataclasses import asdict

from tests.nccl.forms import NETWORKS


def log(host: str, network: str = "IB", direct: bool = True, channels: int = 2, provider: str = "") -> bytes:
    """The log of a pod that is the first or the second of two."""
    mark = "/GDRDMA" if direct else ""
    way = "[send]" if host.endswith("-0") else "[receive]"
    lines = ["INFO 11-22 06:01:02 [api_server.py:1201] Starting vLLM API server on http://0.0.0.0:8000"]
    for gpu in range(8):
        head = f"(Worker_PP0_TP{gpu} pid={390 + gpu}) {host}:{390 + gpu}:{390 + gpu} [{gpu}] NCCL INFO"
        lines += [f"{head} Using network {network}"]
        lines += [f"{head} Channel 0{c}/0 : {gpu}[{gpu}] -> {(gpu + 1) % 8}[{gpu}] via P2P/CUMEM" for c in range(2)]
        if provider:
            lines += [f"{head} NET/OFI Selected provider is {provider}, fabric is efa (found 32 nics)"]
        lines += [f"{head} Channel 0{c}/1 : 0[0] -> 1[0] {way} via NET/{network}/{gpu}{mark}" for c in range(channels)]
    return "\n".join(lines).encode() + b"\n"


def network_words(transport: str) -> str:
    """A transport's network, as the judge is given it."""
    return json.dumps(asdict(NETWORKS[transport]))
