"""What a pod must say to use a pool's fabric: a pod patch that is pasted into its spec."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from pulumi_offline.frozen import frozen
from rdma_agent import names
from ...catalog.artifact import mirrored
from ...catalog.machine import Machine
from ...fabrics import ExtendedResource, Fabric, GpuAllocation, HostMount, HostNetwork, PodNetworks, PodPatch, Sidecar
from ...fabrics.rollout import tolerations
from .context import ClusterContext
from .pool import GpuPool

NETWORKS_ANNOTATION = "k8s.v1.cni.cncf.io/networks"
"""By which Multus gives a pod further networks."""
_PROBE_SECONDS = 5


@frozen
class Workload:
    """The parts of a pod that follow from the pool, not from the program it runs."""

    fabric: Fabric
    node_selector: Mapping[str, str] = field(default_factory=dict)
    taint: tuple[str, str] | None = None
    """Key and value of the taint to tolerate. A pod that gets its GPUs by claims is not given the toleration."""
    other_taints: Mapping[str, str] = field(default_factory=dict)
    """Values of further taints by key, which every pod tolerates."""
    claim_templates: tuple[str, ...] = ()
    """Names of the ResourceClaimTemplates that fit the pool; a pod takes one (or the ones named together)."""
    machine: Machine | None = None
    """The pool's machine, of which a pod asks for the whole; ``None`` for what pods of any machine add."""
    allocation: GpuAllocation = GpuAllocation.DRA
    """Who hands out its GPUs."""
    registries: Mapping[str, str] = field(default_factory=dict)
    """Where mirrors hold the images of sidecars, by prefix of their references."""

    @property
    def adds(self) -> PodPatch:
        """What the fabric adds on this machine."""
        return self.fabric.pod_patch_on(self.machine)

    def pod_patch(self) -> dict[str, Any]:
        """The pod patch as plain camelCase data; ``claimTemplates``, ``source`` and ``imageHint`` are for the reader.

        ``annotations``, ``initContainers`` and ``hostNetwork`` are there where the fabric has them.
        """
        adds = self.adds
        folders = {m.name: m.host_path for mounts in (adds.mounts, *(s.mounts for s in adds.sidecars)) for m in mounts}
        volumes: list[dict[str, Any]] = [{"name": n, "hostPath": {"path": path}} for n, path in folders.items()]
        mounts: list[dict[str, Any]] = _mounts(adds.mounts)
        for file in adds.files:
            volumes.append({"name": file.config_map, "configMap": {"name": file.config_map}})
            path = {"mountPath": f"{file.folder}/{file.name}", "subPath": file.name}
            mounts.append(
                {"name": file.config_map, **(path if file.alone else {"mountPath": file.folder}), "readOnly": True}
            )
        if adds.shared_memory:
            volumes.append({"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": adds.shared_memory}})
            mounts.append({"name": "shared-memory", "mountPath": "/dev/shm"})
        limits = _full_machine(self.machine, self.fabric, self.allocation) if self.machine else {}
        taints = {**dict([self.taint] if self.taint else []), **self.other_taints}
        # The hint is an image that holds nccl-tests for this fabric and architecture.
        tests, architecture = self.fabric.acceptance.tests, self.machine.architecture if self.machine else "amd64"
        now_and_then = {
            "annotations": {**adds.annotations, **(_networks(self.machine, self.fabric) if self.machine else {})},
            "initContainers": [_sidecar(each, self.registries) for each in adds.sidecars],
            "hostNetwork": isinstance(self.fabric.nic_attachment, HostNetwork),
        }
        return {
            "nodeSelector": dict(self.node_selector),
            "tolerations": tolerations(taints),
            "claimTemplates": list(self.claim_templates),
            "resources": {"limits": limits} if limits else {},
            "volumes": volumes,
            "volumeMounts": mounts,
            "env": [{"name": name, "value": value} for name, value in adds.env.items()],
            "source": adds.source,
            "securityContext": {
                "capabilities": {"add": list(adds.capabilities)},
                **({"privileged": True} if adds.privileged else {}),
            },
            "imageHint": next((test.image for test in tests if test.architecture == architecture), ""),
            **{key: value for key, value in now_and_then.items() if value},
        }


def workload_on(pool: GpuPool, context: ClusterContext, claim_templates: Sequence[str] = ()) -> Workload:
    """What pods of a pool add in a cluster."""
    return Workload(
        pool.fabric,
        node_selector={context.pool_label: pool.name},
        taint=context.taint if context.taint[0] else None,
        other_taints=context.other_taints,
        claim_templates=tuple(claim_templates),
        machine=pool.machine,
        allocation=pool.allocation,
        registries=context.registries,
    )


def _mounts(mounts: Sequence[HostMount]) -> list[dict[str, Any]]:
    return [
        {"name": mount.name, "mountPath": mount.mount_path, **({"readOnly": True} if mount.read_only else {})}
        for mount in mounts
    ]


def _sidecar(sidecar: Sidecar, registries: Mapping[str, str]) -> dict[str, Any]:
    """A sidecar as Kubernetes knows it from 1.29 on; it ends with the pod's own program."""
    probe = {
        "exec": {"command": list(sidecar.ready)},
        "periodSeconds": _PROBE_SECONDS,
        "failureThreshold": -(-sidecar.ready_seconds // _PROBE_SECONDS),
    }
    return {
        "name": sidecar.name,
        "image": mirrored(sidecar.image, registries),
        "restartPolicy": "Always",
        "command": list(sidecar.command),
        "env": [{"name": name, "value": value} for name, value in sidecar.env.items()],
        "securityContext": {"capabilities": {"add": list(sidecar.capabilities)}},
        "volumeMounts": _mounts(sidecar.mounts),
        **({"startupProbe": probe} if sidecar.ready else {}),
    }


def _full_machine(machine: Machine, fabric: Fabric, allocation: GpuAllocation) -> dict[str, str]:
    """What a pod that wants the whole machine asks device plugins for; empty where claims hand everything out."""
    limits = {names.GPU: str(machine.gpus)} if allocation == GpuAllocation.DEVICE_PLUGIN else {}
    if isinstance(fabric.nic_attachment, ExtendedResource):
        limits |= {
            fabric.nic_attachment.resource: str(_units(machine, fabric.nic_attachment)),
            **fabric.nic_attachment.beside,
        }
    return limits


def _units(machine: Machine, nic_attachment: ExtendedResource) -> int:
    """How many of a device plugin's resource are all NICs of a node."""
    return 1 if nic_attachment.full_node else machine.nics


def _networks(machine: Machine, fabric: Fabric) -> Mapping[str, str]:
    """What a pod that wants all NICs of the machine says to a multi-network plugin."""
    match fabric.nic_attachment:
        case PodNetworks(annotations=annotations):
            return annotations(machine)
        case ExtendedResource(network=network) as nic_attachment if network:
            return {NETWORKS_ANNOTATION: ",".join([network] * _units(machine, nic_attachment))}
    return {}
