"""What only looks like a fault is none: no condition at any time, so no taint."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rdma_agent.faults.rules import after_maintenance
from rdma_cluster.catalog import Transport
from tests.faults.made_up import MACHINES, Node

pytestmark = pytest.mark.variant

_LOADED = "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.126.20  Release Build"


def driver_restart(node: Node) -> None:
    """NVIDIA's module is loaded anew: no version, no driver at the GPUs, for four minutes."""
    version = node.folder / "proc/driver/nvidia/version"
    text = version.read_text()
    version.unlink()
    for index in range(node.machine.gpus):
        node.bind(node.gpu(index), "")
    list(node.looks(240))
    version.write_text(text)
    node.say(_LOADED)
    for index in range(node.machine.gpus):
        node.bind(node.gpu(index), "nvidia")


def nic_driver_restart(node: Node) -> None:
    """mlx5 is loaded anew: no RDMA device, then a port that trains, then a link and counters from zero."""
    node.readings = []
    node.count(1, "link_downed", 7)
    list(node.looks(60))
    name = node.rdma(1).name
    node.rdma(1).rename(node.folder / "away")
    list(node.looks(240))
    node.add_rdma(1, name)
    node.state(1, "2: INIT")
    list(node.looks(60))
    node.state(1, "4: ACTIVE")


def planned_maintenance(node: Node) -> None:
    """A person has cordoned the node, resets GPUs and exchanges a NIC: what was before is forgotten."""
    node.say(f"NVRM: Xid (PCI:{node.gpu(2)[:10]}): 119, pid=1, name=nvidia-smi, Timeout")
    node.drop(node.nic(7))
    node.now += 900
    node.known, node.readings = after_maintenance(node.now), []
    node.add_nic(7, name="mlx5_30")


def a_pods_own_crash(node: Node) -> None:
    """An illegal address of a program, and what follows from it."""
    for code in (31, 43, 45, 13, 94, 109):
        node.say(f"NVRM: Xid (PCI:{node.gpu(0)[:10]}): {code}, pid=77, name=train.py, MMU Fault")
        list(node.looks(60))


def a_peer_that_dies(node: Node) -> None:
    """Its NICs' peers wait for answers: a burst of time-outs, and then nothing."""
    node.count(1, "local_ack_timeout_err", 550)


def a_counter_that_wraps(node: Node) -> None:
    """mlx5's queue counters have 32 bits (torvalds/linux drivers/infiniband/hw/mlx5/counters.c)."""
    node.readings = []
    for value in (4_294_967_200, 4_294_967_290, 5, 60):
        node.count(1, "local_ack_timeout_err", value)
        list(node.looks(60))


def a_nic_renamed(node: Node) -> None:
    """udev, or a DRA driver, gives devices other names."""
    node.rename(1, "rdma_rail_one")
    list(node.looks(120))
    node.rename(1, "mlx5_41")


def gpus_that_idle(node: Node) -> None:
    """They lower the speed of their PCIe links, and not the lanes."""
    for index in range(node.machine.gpus):
        node.write(f"sys/bus/pci/devices/{node.gpu(index)}/current_link_speed", "2.5 GT/s PCIe")


def a_gpu_that_was_reset(node: Node) -> None:
    """Before this watcher came: the driver has said itself that nothing is left to do."""
    gpu = node.gpu(5)[:10]
    node.text = (
        f"[  100.000000] NVRM: Xid (PCI:{gpu}): 119, pid=5, name=python3, Timeout after 6s\n"
        f"[  101.000000] NVRM: Xid (PCI:{gpu}): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU "
        f"Reset Required)\n"
        f"[  400.000000] NVRM: Xid (PCI:{gpu}): 154, GPU recovery action changed from 0x1 (GPU Reset Required) to "
        f"0x0 (None)\n"
    )


def nvlink_errors_that_were_mended(node: Node) -> None:
    """One of NVLink 5 says Nonfatal, and one of an NVSwitch says Non-fatal."""
    node.say(f"NVRM: Xid (PCI:{node.gpu(1)[:10]}): 145, RLW_REMAP Nonfatal XC1 i0 Link 10 (0x00000082 0x00000040)")
    node.say("nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 28006, Non-fatal, Link 46 MC TS crumbstore MCTO (First)")


CASES = (
    driver_restart,
    nic_driver_restart,
    planned_maintenance,
    a_pods_own_crash,
    a_peer_that_dies,
    a_counter_that_wraps,
    a_nic_renamed,
    gpus_that_idle,
    a_gpu_that_was_reset,
    nvlink_errors_that_were_mended,
)


@pytest.mark.parametrize("happens", CASES, ids=lambda case: case.__name__)
def test_it_is_no_fault(tmp_path: Path, happens: Callable[[Node], None]):
    """There is none while it happens, and none for half an hour after."""
    node = Node(tmp_path, Transport.GIB)
    list(node.looks(660))

    happens(node)

    assert node.ever(1860) == set() and not node.active


@pytest.mark.parametrize("transport", MACHINES)
def test_a_new_node_without_its_driver_has_no_fault(tmp_path: Path, transport: Transport):
    """Somebody is about to install it, and the node is held until then."""
    node = Node(tmp_path, transport)
    (node.folder / "proc/driver/nvidia/version").unlink()
    for index in range(node.machine.gpus):
        node.bind(node.gpu(index), "")

    assert node.ever(1860) == set()
