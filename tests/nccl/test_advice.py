"""What is said about a warning fits its code, fabric and GPU, names NIC and peer, and no other fabric's tools."""

import re
from typing import NamedTuple

import pytest
from nccl_verdict.advice import REMEDIES, advise
from nccl_verdict.remedies import SOURCES
from docs.generate import VERDICT, verdict as page


class Case(NamedTuple):
    """A warning as public logs have it, the fabric, and what must stand in the answer, or must not."""

    warning: str
    fabric: str
    says: tuple[str, ...]
    says_not: tuple[str, ...] = ("modify_qp",)


_QP = (
    "Call to ibv_modify_qp failed with {}, on dev mlx5_5:1, curr state INIT, next state RTR, local GID index 3, "
    "remote GID ::ffff:10.0.0.9"
)
_OFI = "NET/OFI Request 0x7f completed with error. RC: 103. Error: {} (words). Completed length: 0"
CASES = [
    Case(_QP.format("110 Connection timed out"), "gIB", ("mlx5_5:1", "::ffff:10.0.0.9", "NCCL_CROSS_NIC"), ("ulimit",)),
    Case(_QP.format("61 No data available"), "gIB", ("/usr/local/gib/scripts/show_gids.sh", "mlx5_5:1"), ("ulimit",)),
    Case("Call to ibv_modify_qp failed with error Invalid argument errno 22", "RoCE", ("NCCL_IB_GID_INDEX",)),
    Case("Call to ibv_create_qp failed with error Cannot allocate memory", "InfiniBand", ("ulimit -l",)),
    Case("Call to ibv_create_qp failed with error Operation not supported", "EFA", ("aws-ofi-nccl",), ("ibv_devinfo",)),
    Case("NET/IB: Got completion from peer 10.0.0.2<5> with status=12 opcode=0 len=0 vendor err 129 (Send) hca mlx5_3",
         "InfiniBand", ("10.0.0.2<5>", "-d mlx5_3", "perfquery"), ("show_gids", "memory")),
    Case("NET/IB: Got completion from peer 10.0.0.2<5> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) "
         "vendor_err=129 hca mlx5_3", "RoCE", ("show_gids", "-d mlx5_3"), ("perfquery",)),
    Case("NET/gIB : Got completion from peer 192.0.2.9<5> with status=12 opcode=0 len=0 vendor err 129 (Recv)", "",
         ("set_nccl_env.sh",), ("perfquery", "mlxlink")),
    Case("NET/IB : Got completion from peer 10.0.0.2<5> with error 4, opcode 0, len 0, vendor err 81 (Send)", "",
         ("memory",)),
    Case(_OFI.format(4126), "", ("security group", "name the group itself"), ("ibv_devinfo", "mlx5")),
    Case(_OFI.format(4124), "EFA", ("its process or its instance",), ("ibv_devinfo",)),
    Case("NET/OFI Request 0x7f (send) completed with error: err: 113, flags: 8, prov_errno: 15, strerror: x, len: 0",
         "EFA", ("security group",), ("ibv_devinfo",)),
    Case("MNNVL (cliqueSize 8) is available but not working on this system. Check the IMEX configuration "
         "(nvidia-imex-ctl -N). Set NCCL_MNNVL_ENABLE=0 to ignore this issue.", "InfiniBand", ("ComputeDomain",)),
    Case("Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2 : CUDA error 1 'x'.", "EFA",
         ("nvidia-fabricmanager",)),
    Case("Error: network gIB not found.", "gIB", ("/usr/local/gib/lib64",)),
    Case("Error: network Libfabric not found.", "EFA", ("NCCL_NET_PLUGIN=ofi",), ("gib",)),
    Case("Timeout: RxDM not ready on h after 30 seconds: x", "GPUDirect-TCPXO", ("tcpxo-daemon",)),
    Case("Net : No interface found in the same subnet as remote address 10.0.0.1<4>", "RoCE", ("ip -br address",)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[each.warning[:48] for each in CASES])
def test_the_answer_fits_code_and_fabric(case: Case) -> None:
    advice = advise(case.warning, case.fabric, "node-1")
    assert advice is not None
    answer = f"{advice.cause}\n{advice.then}"
    assert advice.then.startswith("on node-1: ") is not advice.then.startswith("aws ")
    assert [words for words in case.says if words not in answer] == []
    assert [words for words in case.says_not if words in answer] == []


@pytest.mark.parametrize("number", [5, 9, 14, 4127])
def test_what_follows_from_the_other_end_is_an_effect(number: int) -> None:
    """rdma-core's IBV_WC_WR_FLUSH_ERR, and what libfabric says of a peer that closed."""
    form = "NET/IB: Got completion from peer 10.0.0.2<5> with status={} opcode=0" if number == 5 else _OFI
    advice = advise(form.format(number))
    assert advice is not None and advice.row.effect


def test_amd_gpus_have_commands_of_their_own() -> None:
    advice = advise("Cuda failure 'out of memory'", "RoCE", gpu_model="AMD Instinct MI300X VF")
    assert advice is not None and "rocm-smi" in advice.then and "nvidia" not in advice.then


def test_nothing_is_said_of_what_no_row_knows() -> None:
    assert advise("a sentence of a program that nobody has read") is None


def test_every_row_says_where_it_was_read_and_the_page_shows_it() -> None:
    for row in REMEDIES:
        assert all(each in SOURCES or re.fullmatch(r"[\w.-]+#\d+", each) for each in row.sources), row.sources
    assert page() == VERDICT.read_text(encoding="utf-8")
