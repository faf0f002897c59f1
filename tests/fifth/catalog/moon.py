"""Machines of the moon, all of them invented: each is a platform and a preset of it."""

from collections.abc import Mapping

from pulumi_offline.frozen import frozen
from rdma_cluster.catalog.machine import Capacity, Gpu, Machine, NicKind, PcieRoot, Source, Threshold, Transport

INVENTED = Source("invented for a test", "2026-11-27")
LABELS = ("moon.example/platform", "moon.example/preset")


@frozen(kw_only=True)
class MoonMachine(Machine):
    """What the moon adds to a machine type."""

    cloud: str = "moon"
    platform: str
    preset: str

    @property
    def node_labels(self) -> Mapping[str, str]:
        """Neither of its words names a machine alone."""
        return dict(zip(LABELS, (self.platform, self.preset), strict=True))

    @property
    def nccl_settings(self) -> Mapping[str, str]:
        """Nodes have none."""
        return {"NCCL_IB_HCA": "=" + ",".join(self.rdma_names or ())}


def _rover(preset: str, gpus: int) -> MoonMachine:
    platform, eight = "gpu-l9-sxm", range(gpus)
    return MoonMachine(
        name=f"{platform}.{preset}",
        platform=platform,
        preset=preset,
        architecture="amd64",
        vcpus=12 * gpus,
        transport=Transport.INFINIBAND,
        gpu=Gpu("NVIDIA L900", 900, "Lunar"),
        gpus=gpus,
        gpu_pci=tuple(f"0000:{16 + 16 * i:02x}:00.0" for i in eight),
        nvlink_domain=gpus,
        nics=gpus,
        nic_gbps=400,
        published_node_gbps=400 * gpus,
        nic_kind=NicKind.RDMA_ONLY,
        rdma_names=tuple(f"mlx5_{i}" for i in eight),
        nic_pci=tuple(f"0000:{17 + 16 * i:02x}:00.0" for i in eight),
        roots=tuple(PcieRoot(f"pci0000:{15 + 16 * i:02x}", i * 2 // gpus, (i,), (i,)) for i in eight),
        pcie_root_comparable=True,
        capacity=(Capacity.ON_DEMAND,),
        min_kubernetes={"dra": "1.34"},
        driver="580",
        thresholds=(Threshold("all_reduce", 2, gpus, 1 << 33, 40.0 * gpus, 50.0 * gpus, INVENTED),),
        sources=(INVENTED,),
    )


MACHINES = (_rover("8gpu-96vcpu-1200gb", 8), _rover("4gpu-48vcpu-600gb", 4))
