"""A pod that takes a whole node of a pool: what it claims, where it runs, and what its fabric adds."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...catalog import releases
from ...catalog.machine import Machine
from ...claims import Intent, Nics, Target, Template, Whole, judged_minor, templates
from ...fabrics import Claims, Fabric, GpuAllocation
from .workload import Workload


def full_node_intent(allocation: GpuAllocation) -> Intent:
    """Its claim: NICs alone, where a device plugin hands out the GPUs."""
    return Whole() if allocation == GpuAllocation.DRA else Nics()


def full_node_templates(
    machine: Machine, fabric: Fabric, allocation: GpuAllocation, version: str = releases.KUBERNETES
) -> tuple[Template, ...]:
    """The claim templates that together hold a node's devices; none where its NICs are not claimed.

    ``version`` is the cluster's Kubernetes.
    Raises ``Unsatisfiable`` where no node can satisfy them.
    """
    if not isinstance(fabric.nic_attachment, Claims):
        return ()
    return templates(
        machine, full_node_intent(allocation), Target(fabric.nic_attachment, allocation, judged_minor(version))
    )


def claims(workload: Workload) -> list[dict[str, str]]:
    """Its claims, one from each of the pool's templates."""
    return [
        {"name": f"fabric-{i}", "resourceClaimTemplateName": name} for i, name in enumerate(workload.claim_templates)
    ]


def devices(part: Mapping[str, Any], claimed: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Resources of the pod's main container: what plugins hand out, and the pod's claims."""
    return {**part["resources"], **({"claims": [{"name": each["name"]} for each in claimed]} if claimed else {})}


def placed(part: Mapping[str, Any], claimed: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Its spec without containers and volumes: the pool's nodes, the claims, the fabric's sidecars."""
    return {
        "nodeSelector": part["nodeSelector"],
        "tolerations": part["tolerations"],
        **({"resourceClaims": list(claimed)} if claimed else {}),
        **({"initContainers": part["initContainers"]} if "initContainers" in part else {}),
        **({"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"} if "hostNetwork" in part else {}),
    }


def compute_domain(name: str, namespace: str, channel: str) -> dict[str, Any]:
    """The ComputeDomain of some pods, which gives each an IMEX channel for NVLink between nodes.

    It makes the claim template ``channel``, and spans the nodes whose pods claim one. ``numNodes`` counts for nothing
    but its status (kubernetes-sigs/dra-driver-nvidia-gpu@9593204 api/nvidia.com/resource/v1beta1/computedomain.go).
    """
    return {
        "apiVersion": "resource.nvidia.com/v1beta1",
        "kind": "ComputeDomain",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"numNodes": 0, "channel": {"resourceClaimTemplate": {"name": channel}, "allocationMode": "Single"}},
    }


def apart(labels: Mapping[str, str]) -> dict[str, Any]:
    """Affinity of pods with these labels, of which no two share a node."""
    other = {"labelSelector": {"matchLabels": dict(labels)}, "topologyKey": "kubernetes.io/hostname"}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [other]}}
