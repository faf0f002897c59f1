"""OKE's GPU pools as the components inside the cluster need them: held nodes, and images for their acceptance test.

The CUDA of a test image is one that the pool's nodes run.
"""

from collections.abc import Mapping
from dataclasses import replace

from ...catalog import oke_releases
from ...catalog.artifact import mirrored
from ...catalog.oke import OkeMachine
from ...common.fingerprint import fingerprint, listed
from ...common.pools import GPU_TAINT, STARTUP_TAINT
from ...fabrics import Fabric, GpuAllocation
from ...incluster.plan.acceptance import AcceptanceOptions
from ...incluster.plan.pool import GpuPool, InClusterPool
from .adopt import OkeAdoptedPool
from .cloud_init import FirstBoot, digest, user_data
from .cluster import OkeClusterPlan
from .machines import BUILDABLE
from .network import OkeNetworkPlan
from .node_pool import OkeNodePoolPlan, OkePool, allocation_of
from .rdma import RdmaPlan


def machines_of(pools: list[OkePool], adopted: list[OkeAdoptedPool]) -> list[OkeMachine]:
    """The shapes of the pools, without those that are not built."""
    names = [pool["machine"] for pool in (*pools, *adopted)]
    return [BUILDABLE[name] for name in names if name in BUILDABLE]


def claimed(pools: list[OkePool]) -> list[str]:
    """The pools whose GPUs are handed out by claims."""
    return [f"pools[{i}]" for i, pool in enumerate(pools) if allocation_of(pool) == GpuAllocation.DRA]


def holding(pool: OkeNodePoolPlan, args: OkePool) -> OkeNodePoolPlan:
    """The pool with nodes that register with the start-up taint, which is taken away once their fabric is proven.

    OKE's pools have no taints: kubelet sets them, of which the last flag counts alone (kubernetes/kubernetes
    pkg/util/flag, RegisterWithTaintsVar.Set, 2026-11-23).
    """
    flag, given = "--register-with-taints=", args.get("kubelet_args", [])
    own = [each.removeprefix(flag) for each in given if each.startswith(flag)]
    ours = [f"{key}={value}:NoSchedule" for key, value, _ in (GPU_TAINT, STARTUP_TAINT)]
    others = [each for each in given if not each.startswith(flag)]
    kubelet_args = (*others, flag + ",".join((*own, *ours)))
    boot = FirstBoot(pool.version, mask_imex=pool.machine.is_rack, kubelet_args=kubelet_args)
    return replace(pool, held=True, user_data=user_data(boot), boot_digest=digest(boot))


def nodes_of(pool: OkeNodePoolPlan, cluster: OkeClusterPlan | None, network: OkeNetworkPlan | None) -> str:
    """A digest of everything that replaces the pool's nodes. A new template or version does where OKE cycles them."""
    nodes = pool if pool.cycled else replace(pool, user_data="", boot_digest="", version="")
    place = {
        "zone": pool.zone,
        "cluster": cluster and cluster.identifier,
        "services": cluster and cluster.service_cidr,
        "network": network and network.cidr,
        "subnets": network and network.cuts,
        "ipv6": network and network.ipv6_cidr,
    }
    return fingerprint(nodes, place)


def listed_pool(plan: OkeNodePoolPlan) -> InClusterPool:
    """A pool that a program joins to a cluster by hand."""
    return listed(plan, nodes_of(plan, None, None))


def gpu_pools(
    pools: list[OkePool],
    adopted: list[OkeAdoptedPool],
    rdma: RdmaPlan,
    fingerprints: Mapping[str, str],
    cuda: Mapping[str, str | None],
) -> list[GpuPool]:
    """The pools of shapes that are built; ``fingerprints`` and ``cuda`` go by pool."""
    offered: list[tuple[OkePool | OkeAdoptedPool, GpuAllocation, int]] = [
        (pool, allocation_of(pool), len(pool.get("memory_fabrics", ()))) for pool in pools
    ]
    # In which racks adopted nodes are nobody says.
    offered += [(pool, GpuAllocation.DEVICE_PLUGIN, 0) for pool in adopted]
    return [
        GpuPool(
            pool["name"],
            machine,
            pool["nodes"],
            with_tests(rdma.fabric, cuda.get(pool["name"])),
            allocation,
            fingerprint=fingerprints.get(pool["name"], ""),
            racks=racks,
        )
        for pool, allocation, racks in offered
        if (machine := BUILDABLE.get(pool["machine"])) is not None
    ]


def acceptance_options(
    acceptance: AcceptanceOptions, cuda: Mapping[str, str | None], registries: Mapping[str, str]
) -> AcceptanceOptions:
    """The user's choice, with a test image, from its mirror, whose CUDA is no newer than that of any node."""
    choice = AcceptanceOptions(**acceptance)
    # A newer driver runs CUDA 12, too.
    if any(map(_is_cuda_12, cuda.values())) and "test" not in choice.get("images", {}):
        image = oke_releases.NCCL_TESTS_CUDA_12[0].image
        choice["images"] = {**choice.get("images", {}), "test": mirrored(image, registries)}
    return choice


def _is_cuda_12(version: str | None) -> bool:
    return version is not None and version.partition(".")[0] == "12"


def with_tests(fabric: Fabric, cuda: str | None) -> Fabric:
    """The fabric with images that run on a node of this CUDA."""
    tests = oke_releases.NCCL_TESTS_CUDA_12 if _is_cuda_12(cuda) else oke_releases.NCCL_TESTS
    return replace(fabric, acceptance=replace(fabric.acceptance, tests=tests))


def cuda_warnings(cuda: Mapping[str, str | None], acceptance: AcceptanceOptions) -> list[str]:
    """Pools whose test may bring a CUDA that is too new."""
    if not acceptance.get("enabled", True) or "test" in acceptance.get("images", {}):
        return []
    image_cuda = oke_releases.NCCL_TESTS_CUDA
    return [
        f"pool {name}: the CUDA of its nodes is not said, and the test's image brings {image_cuda}: an older driver "
        'does not start it; state it, e.g. cuda: "12.8"'
        for name, version in cuda.items()
        if version is None
    ]
