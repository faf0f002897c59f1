"""The ComputeDomain of some pods, which gives each an IMEX channel for NVLink between nodes."""

from typing import Any


def compute_domain(name: str, namespace: str, channel: str) -> dict[str, Any]:
    """It makes the claim template ``channel``, and spans the nodes whose pods claim one.

    ``numNodes`` counts for nothing but its status
    (kubernetes-sigs/dra-driver-nvidia-gpu@9593204 api/nvidia.com/resource/v1beta1/computedomain.go).
    """
    return {
        "apiVersion": "resource.nvidia.com/v1beta1",
        "kind": "ComputeDomain",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"numNodes": 0, "channel": {"resourceClaimTemplate": {"name": channel}, "allocationMode": "Single"}},
    }
