"""Each GKE component on its own."""

from typing import Any

_POOL: dict[str, Any] = {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"spot": True}}
_PLACE = {"project": "my-project", "zone": "us-west8-c"}

COMPONENTS: dict[str, dict[str, Any]] = {
    "GkeHpcNetwork": {**_PLACE, "machines": ["a4-highgpu-8g"]},
    "GkeCluster": {**_PLACE, "network": "n", "subnetwork": "s", "pod_range": "p", "service_range": "v"},
    "GkeGpuNodePool": {
        **_PLACE,
        **_POOL,
        "cluster": "c",
        "location": "us-west8",
        "networks": [{"network": "n", "subnetwork": f"s{i}"} for i in range(9)],
    },
    "GkePodNetworks": {"networks": [{"name": "vpc1", "network": "n", "subnetwork": "s"}]},
    "GkeStorage": {**_PLACE, "namespaces": ["default"], "object_store": {"bucket": "one-that-is-there"}},
    "GkeRdmaCluster": {**_PLACE, "pools": [_POOL]},
}
