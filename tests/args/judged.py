"""The args of each exported component, and the function that decides on them."""

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from typing import Any, NamedTuple

from pulumi_offline.errors import ErrorList
from rdma_cluster.common import CLOUDS
from rdma_cluster.incluster.addons.inference import plan as inference
from rdma_cluster.incluster.addons.injection import plan as injection
from rdma_cluster.incluster.addons.monitoring import plan as monitoring
from rdma_cluster.incluster.addons.queues import plan as queues
from rdma_cluster.incluster.addons.readiness import plan as readiness
from rdma_cluster.incluster.addons.storage import plan as shared_volume
from rdma_cluster.incluster.plan import (
    acceptance,
    claim_templates,
    dra_drivers,
    mpi_operator,
    nccl_installer,
    pod_files,
)


class Judged(NamedTuple):
    """The args of a component, and the function that decides on them."""

    shape: Any
    make_plan: Callable[[Any, ErrorList], Any]


def named(make_plan: Callable[[Any, str, ErrorList], Any]) -> Callable[[Any, ErrorList], Any]:
    """A decision for a component whose own name counts."""
    return lambda args, errors: make_plan(args, "own", errors)


JUDGED = {
    "ClaimTemplates": Judged(claim_templates.ClaimTemplatesArgs, claim_templates.plan_claim_templates),
    "DevicePlugins": Judged(dra_drivers.DevicePluginsArgs, dra_drivers.plan_device_plugins),
    "DistributedInference": Judged(inference.DistributedInferenceArgs, inference.plan_inference),
    "DraDrivers": Judged(dra_drivers.DraDriversArgs, dra_drivers.plan_dra_drivers),
    "FabricInjection": Judged(injection.FabricInjectionArgs, injection.plan_injection),
    "Monitoring": Judged(monitoring.MonitoringArgs, monitoring.plan_monitoring),
    "MpiOperator": Judged(mpi_operator.MpiOperatorArgs, mpi_operator.plan_mpi_operator),
    "NcclAcceptance": Judged(acceptance.NcclAcceptanceArgs, acceptance.plan_acceptance),
    "NcclInstaller": Judged(nccl_installer.NcclInstallerArgs, nccl_installer.plan_nccl_installer),
    "NodeReadiness": Judged(readiness.NodeReadinessArgs, readiness.plan_readiness),
    "PodFiles": Judged(pod_files.PodFilesArgs, pod_files.plan_pod_files),
    "Queues": Judged(queues.QueuesArgs, queues.plan_queues),
    "SharedVolume": Judged(shared_volume.SharedVolumeArgs, shared_volume.plan_shared_volume),
}
FURTHER = {
    "aks": (("Operators", "operators", "plan_operators"), ("Storage", "storage", "plan_storage")),
    "eks": (("Storage", "storage", "plan_storage"),),
    "gke": (("PodNetworks", "pod_networks", "plan_pod_networks"), ("Storage", "storage", "plan_storage")),
    "oke": (
        ("AdoptedNodes", "adopt", "plan_adoption"),
        ("IdentityPolicies", "identity", "plan_policies"),
        ("ImportedImage", "images", "plan_import"),
        ("Storage", "storage", "plan_storage"),
        ("VirtualFunctions", "virtual_functions", "plan_virtual_functions"),
    ),
}
"""Components that one cloud alone has."""
OF_KUBERNETES = (("Cluster", "cluster", "plan_cluster"), ("GpuNodePool", "node_pool", "plan_node_pool"))
for _cloud in CLOUDS:
    _prefix = _cloud.capitalize()
    for _name, _room, _make_plan in (
        ("HpcNetwork", "network", "plan_network"),
        ("RdmaCluster", "rdma_cluster", "plan_rdma_cluster"),
        *(OF_KUBERNETES if _cloud != "gce" else (("GpuVms", "vms", "plan_vms"),)),
        *FURTHER.get(_cloud, ()),
    ):
        _plan = import_module(f"rdma_cluster.{_cloud}.plan.{_room}")
        _judge = getattr(_plan, _make_plan)
        _by_name = "name" in signature(_judge).parameters
        JUDGED[f"{_prefix}{_name}"] = Judged(
            getattr(_plan, f"{_prefix}{_name}Args"), named(_judge) if _by_name else _judge
        )
