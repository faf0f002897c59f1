"""The forms in which healthy logs come: what NCCL prints of each fabric, launchers' prefixes, and tables by age."""

from collections.abc import Callable
from dataclasses import dataclass

from rdma_cluster import fabrics

NETWORKS = {fabric.acceptance.network.transport: fabric.acceptance.network for fabric in fabrics.FABRICS.values()}
"""What NCCL prints of each transport, as our fabrics hand it to the judge."""


@dataclass(frozen=True)
class Fabric:
    """What NCCL prints of one fabric on a healthy cluster."""

    transport: str
    network: str
    """NCCL's name for it."""
    nics: int = 8
    used: int = 8
    """NICs that NCCL sees on a node."""
    gpu: str = "NVIDIA H200"
    listed: Callable[[int], list[str]] = lambda nics: []
    """The lines that list the NICs."""
    assigned: bool = False
    """Whether NCCL says `Assigned NET plugin`, as from 2.27 on, and not only `Using network`."""
    after: str = ""
    """What stands behind the channel."""
    bus_ids: bool = False
    """Whether channels name a GPU's bus, as before 2.19, and not its number."""
    sharp: bool = False

    def __post_init__(self) -> None:
        assert self.transport in NETWORKS


def verbs(link: str, form: str = "[{n}]mlx5_{n}:1/{link}") -> Callable[[int], list[str]]:
    def listed(nics: int) -> list[str]:
        devices = " ".join(form.format(n=n, link=link) for n in range(nics))
        return [f"NET/IB : Using {devices} [RO]; OOB eth0:10.0.0.1<0>"]

    return listed


def enabled(network: str, name: str) -> Callable[[int], list[str]]:
    return lambda nics: [f"NET/{network} : GPU Direct RDMA Enabled for HCA {nic} '{name}{nic}'" for nic in range(nics)]


def _hpcx(link: str, version: int) -> Callable[[int], list[str]]:
    """The plugin of HPC-X: its way by DMA-BUF works, the other one does not, and a quote is missing."""
    both = (("nvidia-peermem", "disabled"), ("DMABUF", "enabled"))
    return lambda nics: [
        f"NET/Plugin: Loaded net plugin NCCL RDMA Plugin v{version} (v{version})",
        f"P2P plugin v{version} IBext_v{version}",
        *verbs(link)(nics),
        *(f"NET/IB : GPU Direct RDMA ({way}) {on} for HCA {n} 'mlx5_{n}" for n in range(nics) for way, on in both),
    ]


def _front_end(nics: int) -> list[str]:
    """Azure lists its front-end NIC among the others, last here so that the numbers of the rails stay."""
    return [line.replace(" [RO]", f" [{nics}]mlx5_an0:1/RoCE [RO]") for line in verbs("IB")(nics)]


def _fused(nics: int) -> list[str]:
    """Two ports a device: NCCL 2.24 and later say so when it makes the device."""
    pairs = range(nics // 2)
    return [
        *verbs("RoCE")(nics),
        *(f"NET/IB : Made virtual device [{n}] name=mlx5_{2 * n}+mlx5_{2 * n + 1} speed=400000 ndevs=2" for n in pairs),
    ]


def _braces(nics: int) -> list[str]:
    """The same as NCCL 2.19 said it."""
    ports = "{{[{0}] mlx5_{0}:1/RoCE, [{1}] mlx5_{1}:1/RoCE}}"
    devices = " ".join(f"[{n}]=" + ports.format(2 * n, 2 * n + 1) for n in range(nics // 2))
    return [f"NET/IB : Using {devices} [RO]; OOB eth0:10.0.0.1<0>"]


def ofi(line: str) -> Callable[[int], list[str]]:
    return lambda nics: ["NET/OFI Initializing aws-ofi-nccl 1.9.2-aws", line.format(nics)]


_STAMP = "2026-07-28T11:09:08.733195619+00:00"
_H100 = "NVIDIA H100 80GB HBM3"
FABRICS = {
    "gIB": Fabric("gIB", "gIB", listed=enabled("gIB", "mlx5_")),
    "EFA": Fabric(
        "EFA", "Libfabric", 32, 8, _H100,
        ofi("NET/OFI Selected provider is efa, fabric is efa-direct (found {} nics)"),
    ),
    "EFA flush": Fabric(
        "EFA", "Libfabric", 16, 8, _H100,
        ofi("NET/OFI Selected provider is efa, fabric is efa-direct (found {} nics)"), True, "/flush=None",
    ),
    "AWS Libfabric": Fabric(
        "EFA", "AWS Libfabric", 32, 8, _H100, ofi("NET/OFI Selected Provider is efa (found {} nics)"),
    ),
    "AWS Libfabric, old": Fabric(
        "EFA", "AWS Libfabric", 4, 4, "NVIDIA A100-SXM4-40GB", ofi("NET/OFI Selected Provider is efa"), bus_ids=True,
    ),
    "InfiniBand": Fabric("InfiniBand", "IB", gpu=_H100, listed=verbs("IB")),
    "InfiniBand, old": Fabric("InfiniBand", "IB", gpu=_H100, listed=verbs("IB"), bus_ids=True),
    "InfiniBand, front end": Fabric("InfiniBand", "IB", gpu=_H100, listed=_front_end),
    "InfiniBand, rails and planes": Fabric(
        "InfiniBand", "IB", gpu=_H100, listed=verbs("IB", "[{n}]mlx5_{n}:1:{n}:0/{link}"), assigned=True,
    ),
    "InfiniBand, HPC-X": Fabric(
        "InfiniBand", "IBext_v8", gpu=_H100, listed=verbs("IB", "[{n}]mlx5_{n}:1/{link}/SHARP"),
    ),
    "InfiniBand, HPC-X v10": Fabric("InfiniBand", "NCCL RDMA Plugin v10", gpu=_H100, listed=_hpcx("IB", 10)),
    "InfiniBand, SHARP": Fabric("InfiniBand", "IBext_v8", gpu=_H100, listed=verbs("IB"), sharp=True),
    "RoCE": Fabric("RoCE", "IB", listed=verbs("RoCE")),
    "RoCE, two a GPU": Fabric("RoCE", "IB", 16, 16, listed=verbs("RoCE")),
    "RoCE, bonds": Fabric("RoCE", "IB", listed=verbs("RoCE", "[{n}]mlx5_bond_{n}:1/{link}")),
    "RoCE, fused": Fabric("RoCE", "IB", 16, 8, listed=_fused),
    "RoCE, fused, 2.19": Fabric("RoCE", "IB", 16, 8, listed=_braces),
    "RoCE, C2C": Fabric("RoCE", "IB", gpu="NVIDIA GB200", listed=verbs("RoCE"), after="(PCI)"),
    "RoCE, HPC-X": Fabric("RoCE", "NCCL RDMA Plugin v11", listed=_hpcx("RoCE", 11), assigned=True),
    "GPUDirect-TCPX": Fabric(
        "GPUDirect-TCPX", "GPUDirectTCPX_v7", 4, 4, _H100, enabled("GPUDirectTCPX_v7", "eth"),
    ),
    "GPUDirect-TCPXO": Fabric(
        "GPUDirect-TCPXO", "FasTrak", 8, 8, _H100, lambda nics: [
            f"NET/FasTrak {_STAMP}: Initializing network FasTrak, version: 1.0.17",
            f"NET/FasTrak {_STAMP}: Using " + "".join(f"[{n}]eth{n + 1}:10.0.{n}.2<0>" for n in range(nics)),
        ],
    ),
    "RCCL": Fabric(
        "RoCE", "IB", 8, 8, "AMD Instinct MI300X", verbs("RoCE"), False, " comm 0x7f1a44000b90 nRanks 16", True,
    ),
}  # fmt: skip
"""Healthy logs by fabric, NCCL's version and plugin; forms as in sources of NCCL 2.16 to 2.29, aws-ofi-nccl 1.9 to
1.17, nccl-rdma-sharp-plugins and rccl, read 2026-11-21."""

PREFIXES: dict[str, Callable[[int, str], str]] = {
    "none": lambda n, line: line,
    "mpirun --tag-output": lambda n, line: f"[1,{n % 16}]<stdout>:{line}",
    "Open MPI 5": lambda n, line: f"[prterun-launcher-1@1,{n % 16}]<stdout>: {line}",
    "mpirun --timestamp-output": lambda n, line: f"Mon Nov 16 10:00:{n % 60:02} 2026[1,{n % 16}]<stdout>:{line}",
    "srun -l": lambda n, line: f"{n % 16:2}: {line}",
    "Intel MPI": lambda n, line: f"[{n % 16}] {line}",
    "kubectl --prefix": lambda n, line: f"[pod/nccl-launcher-x7/test] {line}",
    "kubectl --timestamps": lambda n, line: f"2026-11-16T10:00:{n % 60:02}.000000{n % 997:03}Z {line}",
    "CRI": lambda n, line: f"2026-11-16T10:00:{n % 60:02}.000000{n % 997:03}Z stdout F {line}",
    "SkyPilot": lambda n, line: f"(head, rank=0, pid=3808) [1,{n % 16}]<stdout>:{line}",
    "Ray": lambda n, line: f"\x1b[36m(Worker pid={2000 + n % 16}, ip=10.48.4.17)\x1b[0m {line}",
    "NCCL's own time": lambda n, line: f"[2026-11-16 10:00:{n % 60:02}] {line}" if " NCCL " in line else line,
    "colours": lambda n, line: f"\x1b[3{n % 7}m{line}\x1b[0m",
    "carriage returns": lambda n, line: f"{line}\r",
}
"""What launchers put before a line, by its number."""
