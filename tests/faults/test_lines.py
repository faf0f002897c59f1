"""Lines of real kernels, word for word, and what each means; and what takes it back."""

from pathlib import Path

import pytest
from rdma_cluster.catalog import Transport
from tests.faults.made_up import Node

# Where each was printed: leptonai/gpud@2acd894 components/accelerator/nvidia/xid/kmsg_test.go; NVIDIA/NVSentinel
# @422b688 .../sxid/sxid_handler_test.go, @3e97fd0 .../xid/parser/csv_test.go; texts of mlx5 and efa: torvalds/linux
# drivers/net/ethernet/mellanox/mlx5/core/health.c, drivers/infiniband/hw/efa/efa_com.c.
LINES = {
    (
        "[111111111.111] NVRM: Xid (PCI:0000:05:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
    ): "GpuLost",
    (
        "[171167.620236] NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 01 (0x021425c6 "
        "0x00000000)"
    ): "NvlinkDown",
    "[171167.621162] NVRM: Xid (PCI:0009:01:00): 154, GPU recovery action changed from 0x0 (None) to 0x4 (Drain "
    "and Reset)": "GpuError",
    "[ 1108.858286] nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 24007, Fatal, Link 28 sourcetrack timeout error "
    "(First)": "NvlinkDown",
    "NVRM: Xid (PCI:0003:00:00): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected on link "
    "14(0x0, 0x0)": "NvlinkDown",
    "NVRM: Xid (PCI:0000:3f:00): 46": "GpuError",
    "[  900.000001] mlx5_core 0000:81:00.0: device's health compromised - reached miss count": "NicLost",
    "[  900.000001] infiniband rdmap79s0: Admin queue is closed": "NicLost",
    "[73309.599396] nvidia-nvswitch0: SXid (PCI:0000:06:00.0): 20009, Non-fatal, Link 04 RX Short Error Rate": None,
    "NVRM: Xid (PCI:0000:b5:00): 13, pid='<unknown>', name=<unknown>, Graphics SM Warp Exception on (GPC 1, TPC "
    "3, SM 0)": None,
    "NVRM: Xid (PCI:0001:ab:cd): 69, pid=1310987, name=train.3, Class Error: ChId 0008, Class 0000cbc0": None,
    "[...] NVRM: Xid (0000:03:00): 14, Channel 00000001": None,
    "NVRM: Xid (PCI:0000:66:00): abc, pid=2280636": None,
    "NVRM: Xid (PCI:0000:01:00): 154 (": None,
    "NVRM: GPU at PCI:0000:66:00: GPU-12345678-1234-5678-9abc-def012345678": None,
    "ena 0000:00:05.0 ens5: Admin queue is closed": None,
    "": None,
}


@pytest.mark.parametrize("line", LINES)
def test_a_published_line_is_one_condition_or_none(tmp_path: Path, line: str):
    node = Node(tmp_path, Transport.GIB)
    node.text = f"{line}\n"
    meant = LINES[line]

    assert {finding.condition for finding in node.look()} == ({meant} if meant else set())


@pytest.mark.parametrize(
    ("said", "taken_back"),
    [
        (
            "nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 24007, Fatal, Link 28 x",
            "NVRM: loading NVIDIA UNIX x86_64 Kernel Module",
        ),
        (
            "mlx5_core 0000:81:00.0: device's health compromised - reached miss count",
            "mlx5_core 0000:81:00.0: health recovery succeeded",
        ),
    ],
)
def test_a_line_is_taken_back_by_the_drivers_words_of_that_device(tmp_path: Path, said: str, taken_back: str):
    node = Node(tmp_path, Transport.GIB)
    node.say(said)
    assert node.look()
    node.now += 60
    node.say(taken_back.replace("0000:13:00", "0000:14:00").replace("0000:81:00.0", "0000:82:00.0"))
    assert bool(node.look()) is ("loading" not in taken_back)
    node.now += 60
    node.say(taken_back)

    assert node.look() == []
