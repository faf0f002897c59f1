"""What a pod must say to use a pool's fabric: a fragment that is pasted into its spec."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...catalog.machine import Machine
from ...fabrics import ExtendedResource, Fabric, GpuAllocation, HostNetwork, PodNetworks


@dataclass(frozen=True)
class Workload:
    """The parts of a pod that follow from the pool, not from the program it runs."""

    fabric: Fabric
    node_selector: Mapping[str, str] = field(default_factory=dict)
    taint: tuple[str, str] | None = None
    """Key and value of the taint to tolerate. A pod that gets its GPUs by claims is not given the toleration."""
    claim_templates: tuple[str, ...] = ()
    """Names of the ResourceClaimTemplates that fit the pool; a pod takes one (or the ones named together)."""
    limits: Mapping[str, str] = field(default_factory=dict)
    """What to ask for, where device plugins hand out the GPUs and NICs."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    architecture: str = "amd64"

    def fragment(self) -> dict[str, Any]:
        """The fragment as plain camelCase data; ``claimTemplates``, ``source`` and ``imageHint`` are for the reader.

        ``annotations``, ``initContainers`` and ``hostNetwork`` are there where the fabric has them.
        """
        adds = self.fabric.fragment
        volumes: list[dict[str, Any]] = [{"name": m.name, "hostPath": {"path": m.host_path}} for m in adds.mounts]
        mounts = [{"name": m.name, "mountPath": m.mount_path} for m in adds.mounts]
        if adds.shared_memory:
            volumes.append({"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": adds.shared_memory}})
            mounts.append({"name": "shared-memory", "mountPath": "/dev/shm"})
        key, value = self.taint or ("", "")
        toleration = {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}
        now_and_then = {
            "annotations": {**adds.annotations, **self.annotations},
            "initContainers": [dict(each) for each in adds.sidecars],
            "hostNetwork": isinstance(self.fabric.exposure, HostNetwork),
        }
        return {
            "nodeSelector": dict(self.node_selector),
            "tolerations": [toleration] if self.taint else [],
            "claimTemplates": list(self.claim_templates),
            "resources": {"limits": dict(self.limits)} if self.limits else {},
            "volumes": volumes,
            "volumeMounts": mounts,
            "env": [{"name": name, "value": value} for name, value in adds.env.items()],
            "source": adds.source,
            "securityContext": {"capabilities": {"add": list(adds.capabilities)}},
            "imageHint": self._image_hint(),
            **{key: value for key, value in now_and_then.items() if value},
        }

    def _image_hint(self) -> str:
        """An image that holds nccl-tests for this fabric and architecture."""
        tests = self.fabric.proof.tests if self.fabric.proof else ()
        return next((test.image for test in tests if test.architecture == self.architecture), "")


def whole_machine(machine: Machine, fabric: Fabric, allocation: GpuAllocation) -> dict[str, str]:
    """What a pod that wants the whole machine asks device plugins for; empty where claims hand everything out."""
    limits = {"nvidia.com/gpu": str(machine.gpus)} if allocation == GpuAllocation.DEVICE_PLUGIN else {}
    if isinstance(fabric.exposure, ExtendedResource):
        limits |= {fabric.exposure.resource: str(machine.nics), **fabric.exposure.beside}
    return limits


def pod_annotations(machine: Machine, fabric: Fabric) -> Mapping[str, str]:
    """What a pod that wants all NICs of the machine says to a multi-network plugin."""
    return fabric.exposure.annotations(machine) if isinstance(fabric.exposure, PodNetworks) else {}
