"""How pods get the RDMA NICs, and who hands out the GPUs beside them."""

from collections.abc import Sequence
from enum import Enum
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Choice, args_schema
from ...base.other_names import other_names
from ...catalog import oke_releases
from ...catalog.oke import OkeMachine
from ...fabrics import Fabric, GpuAllocation
from ...fabrics.roce import ROCE, ROCE_HOST, VIRTUAL_FUNCTIONS


class OkeNicAttachment(str, Enum):
    """How pods get the RDMA NICs."""

    HOST_NETWORK = "host-network"
    """A pod is in its node's network and has all NICs: one pod a node, privileged. Oracle's usual way."""
    SRIOV = "sriov"
    """Virtual functions by Oracle's add-on of NVIDIA's Network Operator: pods of their own network, unprivileged."""
    DRANET = "dranet"
    """The NICs themselves by claims. Oracle's switches lock a port after about an hour in a pod: for short jobs."""
    SHARED = "shared"
    """NVIDIA's shared device plugin. Refused: it is for InfiniBand, and no shape that is built here has it."""


class OkeVfResource(str, Enum):
    """Names under which pods ask for virtual functions."""

    RDMA_VF = "nvidia.com/rdma-vf"
    """Oracle's stack."""
    SRIOV_RDMA_VF = "nvidia.com/sriov-rdma-vf"
    """Oracle's manifests before."""
    MLNXNICS = "nvidia.com/mlnxnics"
    """NeMo, AICR, SkyPilot's older releases."""


class OkeGpuPlugin(str, Enum):
    """Which device plugin hands out GPUs; never both on one node."""

    OKE = "oke"
    """OKE's own, which every cluster has."""
    OPERATOR = "operator"
    """That of NVIDIA's GPU Operator, as Oracle's add-on."""


@other_names({"resource": "rdmaDeviceName"})  # NeMo Platform's chart
@args_schema
class OkeRdma(TypedDict):
    """How pods get NICs and GPUs."""

    nic_attachment: NotRequired[Choice[OkeNicAttachment]]
    """Default: ``host-network``."""
    resource: NotRequired[Choice[OkeVfResource]]
    """With ``sriov``. Default: ``nvidia.com/rdma-vf``."""
    gpu_plugin: NotRequired[Choice[OkeGpuPlugin]]
    """Default: ``oke``."""


CLAIMED_WHEN = f"rdma.nicAttachment: {OkeNicAttachment.DRANET.value}"
"""What a stack sets so that NICs are claimed."""


@frozen
class RdmaPlan:
    """What the choice means for pools and cluster."""

    nic_attachment: OkeNicAttachment
    fabric: Fabric
    vf_resource: OkeVfResource
    """Name of the virtual functions, where there are any."""
    addons: tuple[str, ...]
    """Add-ons of OKE that it takes."""
    own_gpu_plugin: bool
    """Whether OKE's plugin is off on the pools."""


def plan_rdma(
    choice: OkeRdma, machines: Sequence[OkeMachine], claimed: Sequence[str], *, existing: bool, errors: ErrorList
) -> RdmaPlan:
    """The choice for pools of these shapes.

    ``claimed`` are the pools whose GPUs pods get by claims; with ``existing`` the cluster exists already.
    """
    nic_attachment = choice.get("nic_attachment", OkeNicAttachment.HOST_NETWORK)
    operator = choice.get("gpu_plugin") == OkeGpuPlugin.OPERATOR
    if "resource" in choice and nic_attachment != OkeNicAttachment.SRIOV:
        errors.at("resource").add(f"not allowed with nicAttachment: {nic_attachment.value}, which has none; remove it")
    at = errors.at("nic_attachment")
    if nic_attachment == OkeNicAttachment.SHARED:
        # Over RoCE a pod needs a port with an address in its own network; over InfiniBand the device alone is enough.
        # NVIDIA/aicr#2356 (2026-08-24), the one published use on OKE: link type InfiniBand, BM.GPU.GB200.4.
        at.add(
            "got shared; NVIDIA's shared device plugin gives a pod the device and no port, which serves InfiniBand "
            "alone (on OKE BM.GPU.GB200.4, which is not built here); over RoCE the pod would have no address to "
            "talk from. Choose host-network for all NICs of a node, or sriov for pods in a network of their own"
        )
    if nic_attachment == OkeNicAttachment.SRIOV:
        for name in dict.fromkeys(machine.name for machine in machines if machine.vfs is None):
            at.add(f"got sriov; Oracle publishes no virtual functions for {name}; choose host-network")
    if operator:
        for pool in claimed:
            errors.at("gpu_plugin").add(
                f"got operator; the GPUs of {pool} are handed out by claims, and never by both; remove one"
            )
    resource = choice.get("resource", OkeVfResource.RDMA_VF)
    addons = [
        *([oke_releases.GPU_OPERATOR.name] if operator else []),
        *([oke_releases.NETWORK_OPERATOR.name] if nic_attachment == OkeNicAttachment.SRIOV else []),
    ]
    if addons:
        addons.insert(0, oke_releases.NODE_FEATURES.name)
    fabrics = {OkeNicAttachment.HOST_NETWORK: ROCE_HOST, OkeNicAttachment.DRANET: ROCE}
    return RdmaPlan(
        nic_attachment=nic_attachment,
        fabric=fabrics.get(nic_attachment) or VIRTUAL_FUNCTIONS[resource.value],
        vf_resource=resource,
        addons=() if existing else tuple(addons),
        own_gpu_plugin=operator,
    )


def check_allocation(allocation: GpuAllocation, nic_attachment: OkeNicAttachment, errors: ErrorList) -> None:
    """Only clusters with claims for NICs offer claims for GPUs."""
    if allocation == GpuAllocation.DRA and nic_attachment != OkeNicAttachment.DRANET:
        errors.add(
            f"got dra; with rdma.nicAttachment: {nic_attachment.value} no claim is offered by which a pod could ask "
            f"for GPUs; take device-plugin, or set {CLAIMED_WHEN}"
        )


def rdma_warnings(plan: RdmaPlan, machines: Sequence[OkeMachine], existing: bool) -> list[str]:
    """What may not work although it is allowed."""
    warnings = []
    if plan.own_gpu_plugin:
        warnings.append(
            f"rdma.gpuPlugin is operator: NVIDIA has ended its support of {oke_releases.GPU_OPERATOR.version}, the "
            "newest that Oracle's stack has as an add-on"
        )
    if plan.nic_attachment == OkeNicAttachment.DRANET:
        warnings.append(
            "rdma.nicAttachment is dranet: a port that is moved into a pod answers 802.1X no more, and Oracle's switch "
            "asks again about every hour and then drops it; jobs that last longer need sriov or host-network"
        )
    if plan.nic_attachment == OkeNicAttachment.SRIOV:
        warnings.append(
            "rdma.nicAttachment is sriov: the operator finds virtual functions and makes none; that Oracle's images "
            "bring them is taken from its own policies. Without them pods stay pending, and the acceptance test says so"
        )
        warnings += [
            f"{machine.name}: its SR-IOV policy is on an unmerged branch of Oracle's stack"
            for machine in {machine.name: machine for machine in machines}.values()
            if machine.vfs is not None and not machine.vf_policy_current
        ]
        if existing:
            warnings.append(
                "rdma.nicAttachment is sriov on an existing cluster: its NVIDIA Network Operator must be there, with "
                "sriovNetworkOperator.enabled"
            )
    return warnings
