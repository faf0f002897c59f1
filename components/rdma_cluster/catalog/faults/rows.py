"""Faults of nodes by fabric. Names of conditions are ours alone: no agent of a cloud has one of them."""

from ..machine import Source, Transport
from .record import Cell, Fault, Part, Proof, SeenBy, Taints
from .watched import XID_SOURCE

_READ = "2026-11-23"
_WATCHER, _CLOUD, _NOBODY, _NOT_THERE = SeenBy.WATCHER, SeenBy.CLOUD, SeenBy.NOBODY, SeenBy.NOT_THERE
_GOOGLE = (Transport.GIB, Transport.TCPX, Transport.TCPXO)
_GPUDIRECT = (Transport.TCPX, Transport.TCPXO)

_IB_ABI = Source("torvalds/linux@031616c Documentation/ABI/stable/sysfs-class-infiniband", _READ)
_PCI_ABI = Source("torvalds/linux drivers/pci/pci-sysfs.c: current_link_width, config (64 bytes for everybody)", _READ)
# fmt: off
_EFA_VERBS = Source(
    "torvalds/linux@031616c drivers/infiniband/hw/efa/efa_verbs.c, efa_query_port: the state is a constant, ACTIVE",
    _READ)
_EKS_AGENT = Source("github.com/aws/eks-node-monitoring-agent@51af549 docs/node-health-issues.adoc", "2026-08-18")
_EFA_LIMITS = Source("github.com/aws/eks-node-monitoring-agent@51af549 monitors/networking/efa/efa.go", "2026-08-18")
_ORACLE_NPD = Source(
    "github.com/oracle-quickstart/oci-hpc-oke@61d210a docs/running-gpu-rdma-healthchecks-with-node-problem-detector.md",
    "2026-08-20")
_NVSENTINEL = Source("github.com/NVIDIA/NVSentinel@07b82dc docs/configuration/nic-health-monitor.md", _READ)
_NIC_LINES = Source(
    "github.com/NVIDIA/NVSentinel@cb777dd health-monitors/syslog-health-monitor/pkg/nicdriver/config.go", _READ)
_XID_LINES = Source("github.com/leptonai/gpud@2acd894 components/accelerator/nvidia/xid/kmsg_test.go, lines of nodes",
    _READ)
_SXID_LINES = Source(
    "github.com/NVIDIA/NVSentinel@422b688 health-monitors/syslog-health-monitor/pkg/sxid/sxid_handler_test.go", _READ)
_PROCFS = Source("github.com/NVIDIA/open-gpu-kernel-modules@1739a20 kernel-open/nvidia/nv-procfs.c", _READ)
_MLX5 = Source("torvalds/linux@10d4de4 drivers/infiniband/hw/mlx5/counters.c: queue counters have 32 bits", _READ)
_MLX5_PHY = Source("kernel.org Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters: counters of "
    "the physical port are not shown to virtual machines", _READ)
_GVE = Source("torvalds/linux Documentation/networking/device_drivers/ethernet/google/gve.rst (vendor 0x1AE0, device "
    "0x0042)", "2026-11-28")
_CUDA = Source("CUDA Runtime API, cudaErrorSystemNotReady (802)", _READ)
_SIDECAR = Source("our fabrics/tcpx.py and tcpxo.py: the daemon is a sidecar of the user's pod with a start-up probe",
    _READ)

_NO_INTERFACE = Cell(_NOBODY,
    "a pod that holds a gVNIC has its interface, and the host has none; gVNIC counts its errors and its link there "
    "alone",
    sources=(_GVE,
        Source("docs.cloud.google.com/kubernetes-engine/docs/concepts/about-multinetwork-support-for-pods: the NIC of "
            "the VM is passed to the pod", "2026-11-28")))
_EFA_LINK = (
    "no agent that a stack installs: the driver calls every port ACTIVE, so that a device that is gone is seen, and a "
    "link is not. NVSentinel takes operstate and carrier of the interface of an EFA that has one; EFA-only adapters "
    "have none"
)

GPU_ERROR = Fault(condition="GpuError", part=Part.GPU, taints=Taints.DEVICE, proof=Proof.ALL,
    meaning="a GPU needs a reset, a restart of its machine or its maker, by its XID or by its driver's own verdict",
    clears="the driver says XID 154, recovery action None, of that GPU; its module is loaded anew; the node boots",
    usual=Cell(_WATCHER,
        "kernel log: `NVRM: Xid (PCI:0000:05:00): 119, ...`, and XID 154 with another action than None",
        "once: XIDs 46, 54, 62, 110, 119, 120, 142, 143, 151, 156, 158; what asks for a restart of the application "
        "alone does not count, nor does 109",
        (XID_SOURCE, _XID_LINES)))
GPU_MEMORY = Fault(condition="GpuMemory", part=Part.GPU, taints=Taints.DEVICE, proof=Proof.ALL,
    meaning="a GPU had an error of its memory that was not corrected or contained, or has no spare rows left",
    clears="as GpuError; where rows could not be replaced only another GPU helps",
    usual=Cell(_WATCHER,
        "kernel log: XIDs 48, 64, 95, 140; with monitoring also DCGM_FI_DEV_ROW_REMAP_FAILURE (alert "
        "GpuRowRemapFailed)",
        "once; 63 (a row was replaced) and 94 (contained) do not count", (XID_SOURCE, _XID_LINES)))
NVLINK_DOWN = Fault(condition="NvlinkDown", part=Part.GPU, taints=Taints.NODE, proof=Proof.ALL,
    meaning="an NVLink of a GPU, or a port of an NVSwitch, failed",
    clears="as GpuError; an NVSwitch's error when its driver is loaded anew or the node boots",
    usual=Cell(_WATCHER,
        "kernel log: XIDs 74, 136, 155; 144 to 150 whose line says Fatal; `nvidia-nvswitch0: SXid (PCI:...): 24007, "
        "Fatal`",
        "once. A link that is only slower shows in no file: the proof finds it", (XID_SOURCE, _XID_LINES, _SXID_LINES)),
    cells={Transport.EFA: Cell(_WATCHER,
            "the same; the EKS agent besides, by DCGM: AcceleratedHardwareReady, reason NvidiaNVLinkError", "once",
            (XID_SOURCE, _XID_LINES, _SXID_LINES, _EKS_AGENT)),
        Transport.INFINIBAND: Cell(_WATCHER,
            "the same; AKS's problem detector besides, where AKS installs the driver: NVLinkStatusInactive", "once",
            (XID_SOURCE,
                Source("MicrosoftDocs/azure-aks-docs@35ef8f3 articles/aks/gpu-health-monitoring.md", "2025-08-15")))})
GPU_LOST = Fault(condition="GpuLost", part=Part.GPU, taints=Taints.NODE, proof=Proof.ALL,
    meaning="a GPU is not on the PCI bus any more, or does not answer there",
    clears="all GPUs of the machine answer on the bus again, for 10 min",
    usual=Cell(_WATCHER,
        "kernel log: XID 79; /sys/bus/pci/devices/*/config reads as ones, or fewer devices of vendor 0x10de, class "
        "0x0302, than the catalogue says",
        "XID 79 once; no answer at 3 looks in a row; fewer for 10 min", (XID_SOURCE, _PCI_ABI)))
PCIE_DEGRADED = Fault(condition="PcieDegraded", part=Part.NODE, taints=Taints.DEVICE, proof=Proof.ALL,
    meaning="a GPU or a NIC has fewer PCIe lanes than it can have, and than its like on this node have",
    clears="it has as many lanes as its like again, for 10 min",
    usual=Cell(_WATCHER,
        "/sys/bus/pci/devices/*/current_link_width against max_link_width and against the devices of the same kind",
        "for 10 min; not the speed, which an idle GPU lowers by itself, and not where all are alike: so the platform "
        "is",
        (_PCI_ABI,)))
NIC_LOST = Fault(condition="NicLost", part=Part.NIC, taints=Taints.NODE, proof=Proof.FABRIC,
    meaning="a NIC is not on the PCI bus any more, or its firmware does not answer",
    clears="all NICs answer on the bus again for 10 min; what the firmware did, when the node boots",
    usual=Cell(_WATCHER,
        "/sys/bus/pci/devices: a network function of vendor 0x15b3 that was there, or fewer than the catalogue says; "
        "kernel log of mlx5_core: unrecoverable hardware error, health compromised",
        "no answer at 3 looks in a row; fewer for 10 min; a line once", (_PCI_ABI, _NIC_LINES)),
    cells={Transport.EFA: Cell(_WATCHER,
            "/sys/bus/pci/devices: vendor 0x1d0f, device 0xefa*; kernel log of efa: admin queue is closed, no "
            "completion for an admin command",
            "as above", (_PCI_ABI, _NIC_LINES, _EFA_LIMITS)),
        **dict.fromkeys(_GPUDIRECT,
            Cell(_WATCHER,
                "/sys/bus/pci/devices: vendor 0x1ae0, device 0x0042. That it stays there while a pod has its interface "
                "is inferred: a network namespace takes interfaces and no devices",
                "as above; the front end is one of them, so that fewer than the catalogue says is two less",
                (_PCI_ABI, _GVE)))})
RDMA_DEVICE_LOST = Fault(condition="RdmaDeviceLost", part=Part.NIC, taints=Taints.DEVICE, proof=Proof.FABRIC,
    meaning="a NIC is on the PCI bus and has no RDMA device",
    clears="it has one again, for 10 min",
    usual=Cell(_WATCHER,
        "/sys/bus/pci/devices/*/infiniband of a NIC that had one; by its place on the bus, so that a name may change",
        "for 10 min: a driver that is loaded anew takes less", (_IB_ABI,)),
    cells=dict.fromkeys(_GPUDIRECT,
        Cell(_NOT_THERE, "gVNIC has no RDMA device: the daemon puts what is received into GPUs")))
NIC_LINK_DOWN = Fault(condition="NicLinkDown", part=Part.NIC, taints=Taints.DEVICE, proof=Proof.FABRIC,
    meaning="the port of a NIC has no link",
    clears="the port is ACTIVE again, for 10 min",
    usual=Cell(_WATCHER,
        "/sys/class/infiniband/*/ports/*/state is not `4: ACTIVE`; a port that never was counts only where the "
        "catalogue calls it a rail",
        "for 2 min (ours, as the alert's)", (_IB_ABI,)),
    cells={Transport.EFA: Cell(_NOBODY, _EFA_LINK, sources=(_EFA_VERBS, _NVSENTINEL)),
        **dict.fromkeys(_GPUDIRECT, _NO_INTERFACE)})
NIC_LINK_FLAPPING = Fault(condition="NicLinkFlapping", part=Part.NIC, taints=Taints.DEVICE, proof=Proof.FABRIC,
    meaning="the port of a NIC loses its link again and again",
    clears="no further loss for 30 min",
    usual=Cell(_WATCHER, "/sys/class/infiniband/*/ports/*/state, and counters/link_downed beside it",
        "4 changes of the state or 2 losses within 30 min (ours, as the alert's)", (_IB_ABI, _NVSENTINEL)),
    cells={
        Transport.EFA: Cell(_NOBODY, _EFA_LINK, sources=(_EFA_VERBS, _NVSENTINEL)),
        **dict.fromkeys(_GPUDIRECT, _NO_INTERFACE)})
_VIRTUAL = Cell(_NOBODY,
    "nodes are virtual machines with virtual functions, to which the physical port's counters are not shown",
    sources=(_MLX5_PHY,))
NIC_LINK_ERRORS = Fault(condition="NicLinkErrors", part=Part.NIC, taints=Taints.DEVICE, proof=Proof.FABRIC,
    meaning="the port of a NIC has more errors on the wire than InfiniBand allows",
    clears="fewer for 30 min",
    usual=Cell(_WATCHER,
        "/sys/class/infiniband/*/ports/*/counters: symbol_error, local_link_integrity_errors, "
        "excessive_buffer_overrun_errors; on bare metal (OKE's shapes, A4X Max)",
        "more than 120 symbol errors an hour; any of the others", (_IB_ABI, _NVSENTINEL)),
    cells={Transport.INFINIBAND: _VIRTUAL,
        Transport.EFA: Cell(_NOBODY, "the driver has no counters of the wire", sources=(_EFA_VERBS,)),
        **dict.fromkeys(_GPUDIRECT, _NO_INTERFACE)})
RDMA_ERRORS = Fault(condition="RdmaErrors", part=Part.NIC, taints=Taints.NOTHING, proof=Proof.NONE,
    meaning="RDMA traffic of a NIC is repeated or dropped at a high rate; a peer or the network may be the cause",
    clears="fewer over 10 min",
    usual=Cell(_WATCHER,
        "hw_counters/local_ack_timeout_err and roce_slow_restart, counters/port_rcv_errors and port_xmit_discards; "
        "hw_counters/rnr_nak_retry_err",
        "on average of 10 min more than 1, 10, 10 and 100 a second; of the last any within 10 min: NVSentinel calls it "
        "fatal. out_of_sequence and packet_seq_err have no published limit, and congestion raises them: monitoring "
        "shows them, nothing judges them",
        (_MLX5, _NVSENTINEL)),
    cells={Transport.EFA: Cell(_WATCHER,
            "hw_counters: rx_drops, rdma_read_wr_err, rdma_write_wr_err, retrans_timeout_events, "
            "unresponsive_remote_events, impaired_remote_conn_events",
            "more than 700 within 10 min: AWS's bucket of 100 with one a second", (_EFA_LIMITS,)),
        **dict.fromkeys(_GPUDIRECT, _NO_INTERFACE)})
GPU_DRIVER_DOWN = Fault(condition="GpuDriverDown", part=Part.NODE, taints=Taints.NODE, proof=Proof.ALL,
    meaning="NVIDIA's driver was loaded and is gone, or has let go of a GPU",
    clears="it is loaded again, and has all GPUs that it had",
    usual=Cell(_WATCHER,
        "/proc/driver/nvidia/version, and the driver of each GPU in /sys/bus/pci/devices; not on a node that is "
        "cordoned",
        "for 10 min: a driver that is loaded anew takes less", (_PROCFS, _PCI_ABI)))
RECEIVER_DOWN = Fault(condition="ReceiverDown", part=Part.NODE, taints=Taints.NOTHING, proof=Proof.NONE,
    meaning="the daemon that serves a pod's NICs does not run",
    clears="Kubernetes restarts it",
    usual=Cell(_NOT_THERE, "no daemon stands between NCCL and the NIC"),
    cells={Transport.GIB: Cell(SeenBy.KUBERNETES,
            "A4X Max alone has one, asapd-lite: its DaemonSet says where it is not ready; else none"),
        **dict.fromkeys(_GPUDIRECT,
            Cell(SeenBy.KUBERNETES,
                "RxDM is a sidecar of the user's pod: its probe and its restarts are the pod's, and no fact of the "
                "node",
                sources=(_SIDECAR,)))})
_FABRIC_MANAGER = Cell(_NOBODY,
    "NVML and DCGM alone know it (DCGM_FI_DEV_FABRIC_MANAGER_STATUS), and the exporter publishes it by none of its "
    "default counters; CUDA then starts on no GPU (error 802), and the proof fails",
    sources=(_CUDA, Source("github.com/NVIDIA/dcgm-exporter tag 4.5.3-4.8.2 etc/default-counters.csv", "2026-05-12")))
FABRIC_MANAGER_DOWN = Fault(condition="FabricManagerDown", part=Part.NODE, taints=Taints.NOTHING, proof=Proof.ALL,
    meaning="the daemon that sets up NVSwitches does not run",
    clears="whoever sees it",
    usual=_FABRIC_MANAGER,
    cells={Transport.EFA: Cell(_CLOUD, "EKS agent: AcceleratedHardwareReady, reason FabricManagerNotRunning", "at once",
            (_EKS_AGENT,)),
        Transport.ROCE: Cell(_CLOUD, "Oracle's problem detector, where its stack installs it: GpuFabricMgr", "a minute",
            (_ORACLE_NPD,))})
_IMEX = Cell(_NOBODY,
    "the daemons of a ComputeDomain are pods of NVIDIA's driver: their readiness and the domain's status say it, for "
    "as long as a job has one; on a node without one there is nothing to see",
    sources=(Source("github.com/kubernetes-sigs/dra-driver-nvidia-gpu@9593204 api/nvidia.com/resource/v1beta1",
            "2026-08-07"),))
IMEX_BROKEN = Fault(condition="ImexBroken", part=Part.NODE, taints=Taints.NOTHING, proof=Proof.ALL,
    meaning="nodes of a rack do not share NVLink memory",
    clears="the next domain's own daemons",
    usual=_IMEX,
    cells={Transport.ROCE: Cell(_CLOUD, "Oracle's problem detector, on GB300 and where its stack installs it: GpuImex",
            "5 min", (_ORACLE_NPD,)),
        **dict.fromkeys(_GPUDIRECT, Cell(_NOT_THERE, "no A3 joins nodes by NVLink"))})
FIRMWARE_MISMATCH = Fault(condition="FirmwareMismatch", part=Part.NODE, taints=Taints.NOTHING, proof=Proof.NONE,
    meaning="NICs of one board, or GPUs of one model, have different firmware",
    clears="all of a kind have the same",
    usual=Cell(_WATCHER,
        "/sys/class/infiniband/*/fw_ver by board_id; Video BIOS by Model in /proc/driver/nvidia/gpus/*/information",
        "at once; which version is right nobody is asked", (_IB_ABI, _PROCFS)),
    cells=dict.fromkeys(_GPUDIRECT, Cell(_WATCHER, "of GPUs alone: gVNIC shows no firmware", "at once", (_PROCFS,))))

FAULTS: tuple[Fault, ...] = (GPU_ERROR, GPU_MEMORY, NVLINK_DOWN, GPU_LOST, PCIE_DEGRADED, NIC_LOST, RDMA_DEVICE_LOST,
    NIC_LINK_DOWN, NIC_LINK_FLAPPING, NIC_LINK_ERRORS, RDMA_ERRORS, GPU_DRIVER_DOWN, RECEIVER_DOWN, FABRIC_MANAGER_DOWN,
    IMEX_BROKEN, FIRMWARE_MISMATCH)
