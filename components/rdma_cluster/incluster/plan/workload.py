"""What a pod must say to use a pool's fabric: a fragment that is pasted into its spec."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class HostMount:
    """A folder of the host, seen by the container."""

    name: str
    host_path: str
    mount_path: str


@dataclass(frozen=True)
class Workload:
    """The parts of a pod that follow from the pool, not from the program it runs."""

    node_selector: Mapping[str, str] = field(default_factory=dict)
    taint: tuple[str, str] | None = None
    """Key and value of the taint to tolerate. A pod that gets its GPUs by claims is not given the toleration."""
    claim_templates: tuple[str, ...] = ()
    """Names of the ResourceClaimTemplates that fit the pool; a pod takes one (or the ones named together)."""
    limits: Mapping[str, str] = field(default_factory=dict)
    """What to ask for, where device plugins hand out the GPUs and NICs."""
    mounts: tuple[HostMount, ...] = ()
    shared_memory: str = ""
    """Size limit of ``/dev/shm``."""
    env: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    """Script to source before NCCL starts."""
    capabilities: tuple[str, ...] = ()
    image_hint: str = ""
    """An image that holds nccl-tests for this fabric."""

    def fragment(self) -> dict:
        """The fragment as plain camelCase data; ``claimTemplates``, ``source`` and ``imageHint`` are for the reader."""
        volumes = [{"name": m.name, "hostPath": {"path": m.host_path}} for m in self.mounts]
        mounts = [{"name": m.name, "mountPath": m.mount_path} for m in self.mounts]
        if self.shared_memory:
            volumes.append({"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": self.shared_memory}})
            mounts.append({"name": "shared-memory", "mountPath": "/dev/shm"})
        key, value = self.taint or ("", "")
        toleration = {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}
        return {
            "nodeSelector": dict(self.node_selector),
            "tolerations": [toleration] if self.taint else [],
            "claimTemplates": list(self.claim_templates),
            "resources": {"limits": dict(self.limits)} if self.limits else {},
            "volumes": volumes,
            "volumeMounts": mounts,
            "env": [{"name": name, "value": value} for name, value in self.env.items()],
            "source": self.source,
            "securityContext": {"capabilities": {"add": list(self.capabilities)}},
            "imageHint": self.image_hint,
        }
