"""The charts of Kueue and JobSet, and Kueue's configuration."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rdma_agent.names import GPU, GPU_DRIVER
from ....catalog import charts, images
from ....fabrics import Claims
from ...plan.charts import Settings, pinned_image
from ...plan.pool import GpuPool
from .dispatch import DispatchPlan
from .objects import CHANNEL, NIC, in_namespaces

_CHANNEL_CLASS = "compute-domain-default-channel.nvidia.com"
_FRAMEWORKS = (
    "batch/job",
    "jobset.x-k8s.io/jobset",
    "kubeflow.org/mpijob",
    "trainer.kubeflow.org/trainjob",
    "pod",
    "leaderworkerset.x-k8s.io/leaderworkerset",
)
"""What is queued. A LeaderWorkerSet is queued pod by pod."""
_CHART_SECONDS = 600
"""One pod each, on the system nodes."""


def kueue(
    pools: Sequence[GpuPool],
    namespaces: Sequence[str],
    minutes: int,
    dispatch: DispatchPlan | None,
    registries: Mapping[str, str],
) -> Settings:
    """Kueue, which starts the jobs of ``pools``, and sends those of ``dispatch`` to other clusters."""
    config = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        # Ports and names are those that the chart's other objects have.
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443"},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "clientConnection": {"qps": 300, "burst": 500},
        # Of jobs that run elsewhere that cluster's Kueue knows it.
        **({"waitForPodsReady": {"timeout": f"{minutes}m", "blockAdmission": False}} if pools else {}),
        # Its webhooks stand in the way of jobs and pods when it is down: in these namespaces alone.
        "managedJobsNamespaceSelector": in_namespaces(namespaces),
        "integrations": {"frameworks": list(dispatch.frameworks if dispatch else _FRAMEWORKS)},
        **({"multiKueue": dict(dispatch.configuration)} if dispatch else {}),
        "resources": {
            # Of these every node has enough for the pods that its devices feed, and what is not counted is refused.
            "excludeResourcePrefixes": ["cpu", "memory", "ephemeral-storage", "hugepages-"],
            **({"deviceClassMappings": device_class_mappings(pools)} if pools else {}),
        },
    }
    manager = {"image": pinned_image(images.KUEUE, registries)}
    values = {
        "controllerManager": {"manager": manager},
        # JSON, which is YAML, too.
        "managerConfig": {"controllerManagerConfigYaml": json.dumps(config, indent=1)},
    }
    return Settings(charts.KUEUE, "kueue-system", values, _CHART_SECONDS).mirrored(registries)


def device_class_mappings(pools: Sequence[GpuPool]) -> list[dict[str, Any]]:
    """What a claim of each class counts as. Kueue admits no claim of a class that is not here."""
    nics = sorted(
        {pool.fabric.nic_attachment.device_class for pool in pools if isinstance(pool.fabric.nic_attachment, Claims)}
    )
    mapped = {GPU: [GPU_DRIVER], NIC: nics}
    if any(pool.machine.is_rack for pool in pools):
        mapped[CHANNEL] = [_CHANNEL_CLASS]
    return [{"name": name, "deviceClassNames": classes} for name, classes in mapped.items() if classes]


def jobset(registries: Mapping[str, str]) -> Settings:
    values = {"image": pinned_image(images.JOBSET, registries)}
    return Settings(charts.JOBSET, "jobset-system", values, _CHART_SECONDS).mirrored(registries)
