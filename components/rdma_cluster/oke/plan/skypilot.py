"""An OKE cluster for SkyPilot 0.14.1: what it can use, what its configuration must say, and what may mislead it."""

from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_offline.errors import ErrorList
from ...catalog.machine import Capacity
from ...common.skypilot import check_one_machine, check_plugged, labelled
from ...fabrics.roce import VF_NETWORK, VF_NETWORK_NAMESPACE
from .machines import BUILDABLE
from .node_pool import POOL_LABEL, OkeNodePoolPlan, allocation_of
from .rdma import OkeNicAttachment, RdmaPlan

_FOUND_BY = "oci.oraclecloud.com/rdma."
"""Beginning of the labels by which SkyPilot finds RDMA; OKE sets them on hosts of the tenancy's own."""


def pools_for_skypilot(args: Mapping[str, Any], errors: ErrorList) -> dict[str, list[Any]]:
    """``pools`` and ``adopt`` of a stack with SkyPilot's labels; errors where its pods stay pending or use TCP."""
    labelled_pools = {key: labelled(args[key], BUILDABLE) for key in ("pools", "adopt") if key in args}
    check_one_machine(
        [(pool, errors.at(key, i, "machine")) for key, pools in labelled_pools.items() for i, pool in enumerate(pools)]
    )
    check_plugged([allocation_of(pool) for pool in args.get("pools", [])], errors.at("pools"))
    if args.get("rdma", {}).get("nic_attachment") == OkeNicAttachment.DRANET:
        errors.at("rdma", "nic_attachment").add(
            "got dranet; SkyPilot makes no claims; take host-network or sriov, or remove skypilot"
        )
    return labelled_pools


def sky_configuration(rdma: RdmaPlan) -> dict[str, Any]:
    """What to write below ``kubernetes.context_configs.CONTEXT``; on the host's network SkyPilot needs nothing."""
    if rdma.nic_attachment != OkeNicAttachment.SRIOV:
        return {}
    networks = f"{VF_NETWORK_NAMESPACE}/{VF_NETWORK}"
    return {"rdma": {"mode": "sriov", "resource": rdma.vf_resource.value, "networks": networks}}


def sky_warnings(rdma: RdmaPlan, pools: Sequence[OkeNodePoolPlan]) -> list[str]:
    """What the user has to do."""
    warnings = [
        f"pool {pool.name}: SkyPilot finds RDMA by labels {_FOUND_BY}*, which OKE sets on dedicated capacity alone; "
        f"give its nodes one: kubectl label node --selector {POOL_LABEL}={pool.name} {_FOUND_BY}skypilot=true"
        for pool in pools
        if pool.capacity is not Capacity.CAPACITY_TOPOLOGY
    ]
    warnings += [  # NVIDIA/nccl@5067397c src/mnnvl.cc, 2026-06-11
        f"pool {pool.name}: SkyPilot's pods ask for no IMEX channel, and NCCL stops where nodes share NVLink and a pod "
        "finds none; give its tasks NCCL_MNNVL_ENABLE=0, and their nodes talk by RoCE alone"
        for pool in pools
        if pool.machine.is_rack
    ]
    if rdma.nic_attachment == OkeNicAttachment.SRIOV:
        warnings.append(
            "skypilot with rdma.nicAttachment sriov: write the stack's output skypilot below "
            "kubernetes.context_configs.CONTEXT of SkyPilot's configuration; without it pods are in the host's network"
        )
    return warnings
