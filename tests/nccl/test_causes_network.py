"""What a failed gate about networks, NICs and channels says of its cause, which node to look at, and what is next."""

import re

import pytest
from nccl_verdict.expectation import Expectation
from nccl_verdict.gate import RERUN, UNSAID
from tests.nccl import render
from tests.nccl.test_affinity import PAIRS, mirrored
from tests.nccl.test_causes import LOG, TEN, Way, matching, tells, want
from tests.nccl.test_forms import Lines, swapped, without
from tests.nccl.test_gates import outcome

FOUR = "node-0, node-1, node-2, node-3 and 6 more"


def off(words: str, lines: Lines) -> Lines:
    """Lines that hold some words lose GPUDirect."""
    return [line.replace("/GDRDMA", "") if re.search(words, line) else line for line in lines]


WAYS: dict[str, Way] = {
    "no process says its network": (
        without("Using network")(without("via NET")(LOG)), want(), "transport",
        "not shown: no process names its network", UNSAID, "", RERUN),
    "one process does not": (
        matching("node-1:709:.*network", LOG), want(), "transport",
        "1 of 16 processes do not say theirs: node-1 rank 9 (rail 1)", "NCCL_DEBUG=INFO did not reach those ranks", "",
        RERUN),
    "nobody knows which process": (
        without("#  Rank")(LOG), want(), "transport", "not shown whose: no list of devices",
        "the list `# Using devices` is missing", "", RERUN),
    "another plugin on ten nodes": (
        swapped("network gIB", "network UCX")(TEN), want(nodes=10), "transport", f"network UCX on {FOUR}",
        "another plugin than gIB's was loaded", "node-0", ""),
    "another plugin, by channels": (
        swapped("NET/gIB/", "NET/UCX/", only="node-1")(LOG), want(), "transport", "network UCX on node-1",
        "another plugin than gIB's was loaded", "node-1", ""),
    "another plugin of the later node first": (
        [*swapped("network gIB", "network UCX")(matching("node-0:", LOG)),
         *swapped("network gIB", "network UCX")([line for line in LOG if "node-0:" in line])],
        want(), "transport", "network UCX on node-0, node-1", "another plugin than gIB's was loaded", "node-0", ""),
    "sockets": (
        swapped("network gIB", "network Socket", only="node-1:")(LOG), want(), "transport",
        "network Socket on node-1", "NCCL fell back to TCP", "node-1", ""),
    "sockets on ten nodes": (
        swapped("network gIB", "network Socket")(TEN), want(nodes=10), "socket",
        f"fell back to TCP sockets on {FOUR}", "NCCL found no gIB NIC or could not load its plugin", "node-0", ""),
    "sockets, by channels of ten nodes": (
        swapped("NET/gIB/3/", "NET/Socket/3/")(TEN), want(nodes=10), "socket",
        f"fell back to TCP sockets on {FOUR}", "NCCL found no gIB NIC or could not load its plugin", "node-0", ""),
    "sockets, by channels alone": (
        off("Socket", swapped("NET/gIB/3/", "NET/Socket/3/", only="node-1")(without("#  Rank")(LOG))), want(), "socket",
        "fell back to TCP sockets on node-1", "NCCL found no gIB NIC or could not load its plugin", "node-1", ""),
    "sockets, by channels of a rank that is not listed": (
        swapped("NET/gIB/3/GDRDMA", "NET/Socket/3", only="node-1")(without("#  Rank 11")(LOG)), want(), "socket",
        "fell back to TCP sockets on node-1", "NCCL found no gIB NIC or could not load its plugin", "node-1", ""),
    "no provider on ten nodes": (
        without("rovider")(render.log(render.hosts(10), form="EFA")), want("EFA", 10), "transport",
        f"no `Selected provider is efa` from {FOUR}", UNSAID, "", ""),
    "no provider on one": (
        matching("node-1.*rovider", render.log(form="EFA")), want("EFA"), "transport",
        "no `Selected provider is efa` from node-1", UNSAID, "", ""),
    "another provider": (
        swapped("provider is efa", "provider is tcp")(render.log(form="EFA")), want("EFA"), "transport",
        "libfabric provider tcp on node-0", "libfabric did not find EFA: see `fi_info -p efa`", "", ""),
    "a wrong NIC on the second node": (
        swapped("mlx5_3:1/IB", "mlx5_3:1/RoCE", only="node-1")(render.log(form="InfiniBand")), want("InfiniBand"),
        "transport", "link layer RoCE of mlx5_3 on node-1", "NCCL took NICs outside the fabric: set NCCL_IB_HCA to the "
        "IB ones", "", ""),
    "no NIC at all": (
        matching("node-1:.*(via NET|HCA)", LOG), want(), "nics", "no NIC on node-1",
        "the pod's claim holds other NICs than the machine has, or one is down: on node-1 run", "node-1", ""),
    "an idle NIC that no list has": (
        matching(r"for HCA|node-1:.*NET/gIB/7/", LOG), want(), "nics", "7 NICs in use, none by GPU 7 on node-1",
        "the pod's claim holds other NICs", "node-1", ""),
    "idle NICs that no list has": (
        matching(r"for HCA|node-1:.*NET/gIB/[0-4]/", LOG), want(), "nics",
        "3 NICs in use, none by GPU 0, 1, 2, 3 and 1 more on node-1", "the pod's claim holds other NICs", "node-1", ""),
    "a GPU that sends by another's NIC": (
        swapped("via NET/gIB/7/", "via NET/gIB/6(14)/", only="node-1")(without("for HCA")(LOG)), want(), "nics",
        "7 NICs in use, none by GPU 7 on node-1", "the pod's claim holds other NICs", "node-1", ""),
    "four of sixteen NICs": (
        matching(r"NET/IB/([4-9]|1\d)/", render.log(form="RoCE, two a GPU")), want("RoCE, two a GPU"), "nics",
        "4 NICs in use, mlx5_4, mlx5_5, mlx5_6, mlx5_7 and 8 more idle on node-0", "the pod's claim", "node-0", ""),
    "ten of sixteen NICs": (
        matching(r"NET/IB/1[0-6]/", render.log(form="RoCE, two a GPU")), want("RoCE, two a GPU"), "nics",
        "10 NICs in use, mlx5_10, mlx5_11, mlx5_12, mlx5_13 and 2 more idle on node-0", "the pod's", "node-0", ""),
    "no group of libfabric's NICs": (
        without("via NET")(render.log(form="EFA")), want("EFA"), "nics", "0 groups of NICs in use on node-0",
        "the pod's claim holds other NICs", "node-0", ""),
    "a GPU without a NIC, of a plugin that counts none": (
        matching(r"\[7\] NCCL INFO Channel", render.log(form="AWS Libfabric, old", collective="sendrecv")),
        want("AWS Libfabric, old", collective="sendrecv", nics=8), "nics",
        "4 groups of NICs in use, none by GPU 7 on node-0", "the pod's claim holds other NICs", "node-0", ""),
    "GPUDirect that is disabled": (
        swapped("Enabled for HCA 3", "Disabled for HCA 3", only="node-1")(LOG), want(), "gdr",
        "disabled for mlx5_3 on node-1, rail 3", "neither nvidia-peermem nor DMA-BUF works for it: on node-1 run",
        "node-1", ""),
    "GPUDirect that is disabled for all": (
        [re.sub(r"NET/gIB/\d/", "NET/gIB/0/", line).replace("Enabled for HCA 0", "Disabled for HCA 0") for line in LOG],
        want(), "gdr", "disabled for mlx5_0 on node-0, rail 0, rail 1, rail 2, rail 3 and 4 more",
        "neither nvidia-peermem nor DMA-BUF works for it: on node-0 run", "node-0", ""),
    "no channel": (
        without("via NET")(LOG), want(), "gdr", "not shown: no channel line", "no line of a channel: run with", "",
        RERUN),
    "no channel, and no list of devices": (
        without("#  Rank")(LOG), want(), "gdr", "not shown: no channel line", "no line of a channel: run with", "",
        RERUN),
    "no channel of six nodes": (
        matching("node-[2-9]:.*via NET", TEN), want(nodes=10), "gdr",
        "no channel of node-2, node-3, node-4, node-5 and 4 more", "the output of that node's processes", "", ""),
    "a channel of another node's rank": (
        swapped("node-0:700:900 [0]", "node-1:708:908 [0]", only="INFO Channel")(LOG), want(), "gdr",
        "node-1 prints channels of rank 0, which runs on node-0", "logs of several runs are mixed", "", ""),
    "lines lost": (
        matching(r"node-1:708:.*\[receive\]", LOG), want(), "gdr", "at least 1 lines of channels are lost",
        "each channel is said by sender and receiver", "", ""),
    "GPUDirect off": (
        off("", LOG), want(), "gdr", "32 of 32 channels without GDRDMA, on every node", "GPUDirect is off everywhere",
        "node-0", ""),
    "off on one rail of one node": (
        off(r"node-1:.*\[3\] NCCL", LOG), want(), "gdr", "2 of 32 channels without GDRDMA, all on node-1 rail 3",
        "its NIC is missing from the claim", "node-1", ""),
    "off on one rail of all nodes": (
        off(r"\[3\] NCCL", TEN), want(nodes=10), "gdr", f"20 of 160 channels without GDRDMA, all on rail 3 of {FOUR}",
        "that rail's NIC is not the GPU's neighbour on PCIe", "node-0", ""),
    "off on one node": (
        off("node-1:", LOG), want(), "gdr", "16 of 32 channels without GDRDMA, all on node-1, rail 0, rail 1, rail 2, "
        "rail 3, rail 4, rail 5, rail 6, rail 7", "that node's driver has no nvidia-peermem or DMA-BUF", "node-1", ""),
    "off here and there": (
        off(r"node-[1-9]:.*\[[1-7]\] NCCL", TEN), want(nodes=10), "gdr",
        "126 of 160 channels without GDRDMA, on node-1, node-2, node-3, node-4 and 5 more, rail 1, rail 2, rail 3, "
        "rail 4, rail 5, rail 6, rail 7", "GPUs and NICs of these pods are not neighbours on PCIe", "node-1", ""),
    "NICs of other GPUs, one a node": (
        mirrored([*(line for line in LOG if " [0] " in line)], only="node-")
        + matching(r" \[0\] ", LOG), want(neighbours=PAIRS, neighbours_sure=True), "affinity",
        "2 of 16 not so: node-0 rank 0 (GPU 0) uses mlx5_7 and not mlx5_0, node-1 rank 8 (GPU 0) uses mlx5_7 and not "
        "mlx5_0", "on node-0 run nvidia-smi topo -m in the pod", "node-0", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_ways(name: str) -> None:
    """The gate fails, and says where to begin."""
    tells(WAYS[name])


@pytest.mark.parametrize(
    ("lines", "wanted", "gate", "seen"),
    [
        (matching(r"NET/IB/\d?[13579]/", render.log(form="RoCE, two a GPU")), want("RoCE, two a GPU"), "nics",
         "16 on every node"),
        (matching(r"node-1:.*\[7\] NCCL INFO Channel", render.log(form="EFA", collective="sendrecv")),
         want("EFA", collective="sendrecv"), "nics", "32 on every node"),
        (swapped("mlx5_3:1/IB", "mlx5_3:1/RoCE")(matching("NET/IB/3/", render.log(form="InfiniBand"))),
         want("InfiniBand"), "transport", "IB from all 16"),
    ],
    ids=["eight of sixteen NICs", "a group less one way", "a wrong NIC that is idle"],
)  # fmt: skip
def test_what_is_no_failure(lines: Lines, wanted: Expectation, gate: str, seen: str) -> None:
    """What comes near to one of these and passes."""
    (found,) = [each for each in outcome(lines, wanted).gates if each.name == gate]

    assert (found.passed, found.seen, found.host, found.then) == (True, seen, "", "")
