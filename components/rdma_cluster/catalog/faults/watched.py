"""What the watcher looks for: numbers and names in the kernel's log, and counters with their limits."""

from collections.abc import Mapping

from pulumi_offline.frozen import frozen
from ..machine import Source, Transport

XID_SOURCE = Source(
    "docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html, the column Immediate Action of its spreadsheet, as "
    "generated into leptonai/gpud@73e270e components/accelerator/nvidia/xid/catalog_generated.go",
    "2025-10-29",
)
XIDS: Mapping[int, str] = {
    **dict.fromkeys((48, 64, 95, 140), "GpuMemory"),
    **dict.fromkeys((74, 136, 155), "NvlinkDown"),
    79: "GpuLost",
    **dict.fromkeys((46, 54, 62, 110, 119, 120, 142, 143, 151, 156, 158), "GpuError"),
}
"""The condition of each XID for which NVIDIA's catalogue asks for more than a restart of the application.

Not 63 and 94, rows that were replaced and errors that were contained: IGNORE and RESTART_APP. Not 109, a context switch
that timed out: RESET_GPU there, an application's own in NVIDIA's device plugin (``alert_rules``); where the GPU does
need a reset, the driver says so itself by XID 154.
"""
NVLINK5_XIDS = range(144, 151)
"""Of NVLink 5, where the line itself says Fatal or Nonfatal: what counts is Fatal."""
RECOVERY_XID = 154
"""The driver's own verdict: the action that a GPU now needs, and ``None`` once it needs none."""


@frozen
class Limit:
    """How fast a counter may rise."""

    counter: str
    """File among a port's ``counters`` or ``hw_counters``."""
    most: int
    """More than this within ``seconds`` is a fault."""
    seconds: int
    condition: str
    source: Source


_NVSENTINEL = Source("github.com/NVIDIA/NVSentinel@07b82dc docs/configuration/nic-health-monitor.md", "2026-11-23")
_EKS_AGENT = Source("github.com/aws/eks-node-monitoring-agent@51af549 monitors/networking/efa/efa.go", "2026-08-18")
_WINDOW = 600
"""Rates of a second are judged over ten minutes: a peer that dies, or a job that ends, makes a burst."""


def _mlx5(counter: str, each_second: int) -> Limit:
    return Limit(counter, each_second * _WINDOW, _WINDOW, "RdmaErrors", _NVSENTINEL)


def _efa(counter: str, bucket: int) -> Limit:
    """AWS's agent lets a bucket of errors pass that one a second refills."""
    return Limit(counter, bucket + _WINDOW, _WINDOW, "RdmaErrors", _EKS_AGENT)


_MLX5 = (
    # The bit error rate that InfiniBand allows is 120 symbol errors an hour.
    Limit("symbol_error", 60, 1800, "NicLinkErrors", _NVSENTINEL),
    Limit("local_link_integrity_errors", 0, 1800, "NicLinkErrors", _NVSENTINEL),
    Limit("excessive_buffer_overrun_errors", 0, 1800, "NicLinkErrors", _NVSENTINEL),
    _mlx5("local_ack_timeout_err", 1),
    _mlx5("port_rcv_errors", 10),
    _mlx5("port_xmit_discards", 100),
    _mlx5("roce_slow_restart", 10),
    _mlx5("rnr_nak_retry_err", 0),
)
# retrans_bytes and retrans_pkts come with every lost packet and have limits of millions: the events tell the same.
_EFA = tuple(
    _efa(counter, 100)
    for counter in (
        "rx_drops",
        "rdma_read_wr_err",
        "rdma_write_wr_err",
        "retrans_timeout_events",
        "unresponsive_remote_events",
        "impaired_remote_conn_events",
    )
)
LIMITS: Mapping[Transport, tuple[Limit, ...]] = {
    Transport.GIB: _MLX5,
    Transport.INFINIBAND: _MLX5,
    Transport.ROCE: _MLX5,
    Transport.EFA: _EFA,
    Transport.TCPX: (),
    Transport.TCPXO: (),
}


@frozen
class PciId:
    """How a NIC shows on the PCI bus."""

    vendor: str
    device: str
    """The device's number, or its beginning; empty is any."""
    source: Source


# fmt: off
_MELLANOX = PciId("0x15b3", "",
    Source("pci-ids.ucw.cz/read/PC/15b3; network controllers by their class 0x02", "2026-11-23"))
_GVNIC = PciId("0x1ae0", "0x0042",
    Source("torvalds/linux drivers/net/ethernet/google/gve/gve.h, PCI_DEV_ID_GVNIC", "2026-11-23"))
PCI_IDS: Mapping[Transport, PciId] = {Transport.GIB: _MELLANOX, Transport.INFINIBAND: _MELLANOX,
    Transport.ROCE: _MELLANOX, Transport.EFA: PciId("0x1d0f", "0xefa", _EKS_AGENT), Transport.TCPX: _GVNIC,
    Transport.TCPXO: _GVNIC}
ON_HOST = {Transport.GIB, Transport.INFINIBAND, Transport.ROCE, Transport.EFA}
"""Fabrics whose RDMA devices the host sees, also those that pods hold."""
