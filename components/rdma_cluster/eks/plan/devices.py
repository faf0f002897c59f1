"""Who hands out GPUs and EFA devices on EKS, pool by pool, and what a pod then asks for."""

from dataclasses import replace
from typing import NotRequired

from ...args import shape
from ...catalog.eks import EksMachine
from ...catalog.eks.registries import registry
from ...claims import NicDriver
from ...faults import Faults
from ...incluster.plan.acceptance import AcceptanceChoice, AcceptancePool, Carrier, NcclAcceptanceArgs
from ...incluster.plan.claim_templates import ClaimChoice, ClaimTemplatesPlan
from ...incluster.plan.device_plugins import DevicePluginsArgs, NicPlugin
from ...incluster.plan.dra_drivers import DraDriversArgs, DriverChoice, Part
from ...incluster.plan.nccl_installer import Plugin
from ...incluster.plan.workload import Workload
from ...pools import GpuAllocation, by_claim, machine_names, node_set
from .node_pool import GPU_TAINT, POOL_LABEL, EksPool, NodePoolPlan, multi_node_nvlink
from .zones import has_form


@shape
class EksDriverChoice(DriverChoice):
    """Who brings which driver, and from where."""

    registry: NotRequired[str]
    """Registry of EKS's images. Default: AWS's own in the region."""


def decide_devices(
    region: str, pools: list[EksPool], choice: EksDriverChoice, machines: list[EksMachine], faults: Faults
) -> tuple[DraDriversArgs, DevicePluginsArgs]:
    """DRA drivers for the pools by claims, device plugins for the others: on no node both."""
    images = choice.get("registry") or registry(region)
    if images is None and has_form(region):
        faults.at("registry").add(
            f"missing; AWS's registry in {region} is not in the catalogue, name it: "
            "https://docs.aws.amazon.com/eks/latest/userguide/add-ons-images.html"
        )
    parts = DriverChoice(**{key: part for key, part in choice.items() if key != "registry"})
    for part in ("gpu", "nic", "kernel"):
        if choice.get(part) is Part.MANAGED:
            faults.at(part).add("got managed; EKS brings none; choose installed or existing")
            del parts[part]
    claimed = node_set([pool for pool in pools if by_claim(pool)], POOL_LABEL)
    plugged = node_set([pool for pool in pools if not by_claim(pool)], POOL_LABEL)
    return (
        DraDriversArgs(
            **parts,
            host="al2023",
            gpu_nodes=claimed,
            nic_nodes=claimed,
            nic_driver=NicDriver.AWS_DRANET,
            nic_registry=images or "",
            compute_domains=any(multi_node_nvlink(machine) for machine in machines),
        ),
        DevicePluginsArgs(**parts, nodes=plugged, nic_plugin=NicPlugin.EFA, nic_registry=images or ""),
    )


def check_claims(pools: list[EksPool], choice: ClaimChoice, faults: Faults) -> None:
    """A node of device plugins has no DRA driver, so that a claim for its devices would wait for ever."""
    asked = [key for key in ("pairs", "groups", "whole", "nics") if choice.get(key)]
    claimed = machine_names([pool for pool in pools if by_claim(pool)], "eks")
    for name in machine_names(pools, "eks"):
        if asked and name not in claimed:
            faults.at(asked[0]).add(
                f"GPUs and EFA devices of {name} are handed out by device plugins, so no claim can name them; "
                "remove it, or set gpuAllocation: dra on its pool"
            )


def acceptance_args(
    pools: list[EksPool], choice: AcceptanceChoice, machines: list[EksMachine], version: str
) -> NcclAcceptanceArgs:
    """How the pools are proved: by MPIJob, since the image that AWS publishes holds no ssh keys of its own."""
    rows = {row.name: row for row in machines}
    tested = []
    for pool in pools:
        one = AcceptancePool(name=pool["name"], machine=pool["machine"], nodes=pool["nodes"])
        if not by_claim(pool) and pool["machine"] in rows:
            one["gpus_by_claim"] = one["nics_by_claim"] = False
            one["limits"] = _limits(rows[pool["machine"]])
        tested.append(one)
    return NcclAcceptanceArgs(
        **choice,
        pools=tested,
        pool_label=POOL_LABEL,
        taint={"key": GPU_TAINT[0], "value": GPU_TAINT[1]},
        plugin=Plugin.AWS_OFI_NCCL,
        carrier=Carrier.MPI_JOB,
        nic_driver=NicDriver.AWS_DRANET,
        version=version,
    )


def workload_of(pool: NodePoolPlan, plugin: Workload, claims: ClaimTemplatesPlan) -> Workload:
    """What a pod adds to its spec on this pool."""
    claimed = pool.gpu_allocation is GpuAllocation.DRA
    machine = pool.machine
    return replace(
        plugin,
        node_selector={POOL_LABEL: pool.name},
        taint=GPU_TAINT[:2],
        claim_templates=tuple(t.name for t in claims.templates(machine.name)) if claimed else (),
        limits={} if claimed else _limits(machine),
        # The pinned test image is built for x86 alone.
        image_hint=plugin.image_hint if machine.architecture == "amd64" else "",
    )


def _limits(machine: EksMachine) -> dict[str, str]:
    """What a pod that wants the whole machine asks the device plugins for."""
    return {
        "nvidia.com/gpu": str(machine.gpus),
        "vpc.amazonaws.com/efa": str(machine.nics),
        # EFA's installer reserves 5,128 pages of 2 MiB a node; AWS's own manifests ask for half, and for memory.
        # awsome-distributed-ai@7217859f micro-benchmarks/nccl-tests/kubernetes/nccl-tests.yaml
        "hugepages-2Mi": "5120Mi",
        "memory": "32000Mi",
    }
