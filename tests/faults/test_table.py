"""Each fault on each fabric, from a made-up node, becomes the condition that the table says, and no other."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from rdma_cluster.catalog import Transport
from rdma_cluster.catalog.faults import FAULTS, WATCHED, SeenBy
from docs.generate import FAULTS_PAGE, faults
from tests.faults.made_up import MACHINES, Node

pytestmark = pytest.mark.variant

SOUND_SECONDS = 660
"""Until a sound node has been seen for long enough to tell what is missing."""


def _xid(code: int, rest: str) -> Callable[[Node], None]:
    def say(node: Node) -> None:
        node.say(f"NVRM: Xid (PCI:{node.gpu(3)[:10]}): {code}, {rest}")

    return say


def _dead_gpu(node: Node) -> None:
    (node.pci(node.gpu(3)) / "config").write_bytes(b"\xff" * 64)


def _narrow(node: Node) -> None:
    node.write(f"sys/bus/pci/devices/{node.nic(1)}/current_link_width", "8")


def _flap(node: Node) -> None:
    for _ in range(2):
        node.state(1, "1: DOWN")
        list(node.looks(60))
        node.state(1, "4: ACTIVE")
        list(node.looks(60))


def _wire_errors(node: Node) -> None:
    for value in (20, 45, 70):
        node.count(1, "symbol_error", value)
        list(node.looks(60))


def _rdma_errors(node: Node) -> None:
    counter = "rx_drops" if node.transport is Transport.EFA else "local_ack_timeout_err"
    for value in (400, 800, 1200):
        node.count(1, counter, value)
        list(node.looks(60))


def _unload(node: Node) -> None:
    (node.folder / "proc/driver/nvidia/version").unlink()
    for index in range(node.machine.gpus):
        node.bind(node.gpu(index), "")


def _firmware(node: Node) -> None:
    if node.transport in (Transport.TCPX, Transport.TCPXO, Transport.EFA):
        file = f"proc/driver/nvidia/gpus/{node.gpu(3)}/information"
        node.write(file, (node.folder / file).read_text().replace("96.00.89.00.01", "96.00.74.00.01"))
    else:
        (node.rdma(1) / "fw_ver").write_text("28.39.1002\n")


def _no_rdma(node: Node) -> None:
    folder = node.rdma(1)
    folder.rename(node.folder / "gone")


BREAKS: dict[str, Callable[[Node], None]] = {
    "GpuError": _xid(119, "pid=1234, name=python3, Timeout after 6s of waiting for RPC response from GPU3 GSP!"),
    "GpuMemory": _xid(48, "pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE) has been detected"),
    "NvlinkDown": _xid(
        74, "pid='<unknown>', name=<unknown>, NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000)"
    ),
    "GpuLost": _dead_gpu,
    "PcieDegraded": _narrow,
    "NicLost": lambda node: node.drop(node.nic(1)),
    "RdmaDeviceLost": _no_rdma,
    "NicLinkDown": lambda node: node.state(1, "1: DOWN"),
    "NicLinkFlapping": _flap,
    "NicLinkErrors": _wire_errors,
    "RdmaErrors": _rdma_errors,
    "GpuDriverDown": _unload,
    "FirmwareMismatch": _firmware,
}
"""What breaks a sound node."""


def test_every_watched_fault_is_broken_here():
    """A row of the table that nobody breaks would be a claim."""
    assert {fault.condition for fault in WATCHED} == BREAKS.keys()


@pytest.mark.parametrize("transport", MACHINES)
def test_a_sound_node_has_no_fault(tmp_path: Path, transport: Transport):
    """It is looked at for longer than anything is looked back at."""
    assert Node(tmp_path, transport).ever(2400) == set()


SEEN = [
    (fault.condition, transport)
    for fault in FAULTS
    for transport in MACHINES
    if fault.on(transport).seen_by is SeenBy.WATCHER
]
"""Cells of the table that are our watcher's."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Transport], Node]:
    """A node of each fabric that was sound for long enough, looked at once for all tests: they take copies."""

    @cache
    def of(transport: Transport) -> Node:
        node = Node(tmp_path_factory.mktemp(transport.name), transport)
        assert node.after(SOUND_SECONDS) == set()
        return node

    return of


@pytest.mark.parametrize(("condition", "transport"), SEEN)
def test_a_fault_becomes_its_condition(
    tmp_path: Path, condition: str, transport: Transport, sound: Callable[[Transport], Node]
):
    """A sound node that breaks has that condition and no other, until somebody mends it."""
    node = sound(transport).copied(tmp_path / "node")

    BREAKS[condition](node)

    assert node.after(SOUND_SECONDS) == {condition}


@pytest.mark.golden
def test_the_page_is_the_tables():
    """The page docs/faults.md is made by `make docs`."""
    assert FAULTS_PAGE.read_text(encoding="utf-8") == faults()


# AKS: articles/aks/gpu-health-monitoring.md, node-problem-detector.md; EKS: docs/node-health-issues.adoc; OKE:
# docs/running-gpu-rdma-healthchecks-with-node-problem-detector.md; Kubernetes: core/v1 NodeConditionType.
OTHERS = """
GPUMissing NVLinkStatusInactive XIDErrors IBLinkFlapping FilesystemCorruptionProblem KubeletProblem
ContainerRuntimeProblem VMEventScheduled FrequentUnregisterNetDevice FrequentKubeletRestart
AcceleratedHardwareReady ContainerRuntimeReady KernelReady NetworkingReady StorageReady GpuCount GpuEcc
GpuRowRemap GpuBus GpuPcie GpuFabricMgr GpuBadPages GpuXid NvlinkSpeed DcgmiHealth Rocminfo RdmaLink
RdmaLinkFlapping RdmaWpaAuth RdmaRttcc RdmaVfRoutes RdmaVfCounters GpuImex IpAddress OcaVersion CpuProfile
NodeHasPcieErrors Ready MemoryPressure DiskPressure PIDPressure NetworkUnavailable
"""
"""Conditions that clouds and Kubernetes write."""


def test_conditions_have_names_that_nobody_else_writes():
    """Two who write one condition overwrite each other."""
    assert {fault.condition for fault in FAULTS}.isdisjoint(OTHERS.split())
