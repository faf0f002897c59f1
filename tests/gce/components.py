"""Each component of plain machines on its own."""

from typing import Any

_POOL: dict[str, Any] = {"name": "a3", "machine": "a3-highgpu-8g", "nodes": 2, "capacity": {"spot": True}}
_PLACE = {"project": "my-project", "zone": "us-central1-a"}

COMPONENTS: dict[str, dict[str, Any]] = {
    "GceHpcNetwork": {**_PLACE, "machines": ["a3-highgpu-8g"]},
    "GceGpuVms": {**_PLACE, **_POOL, "networks": [{"network": f"n{i}", "subnetwork": f"s{i}"} for i in range(5)]},
    "GceRdmaCluster": {**_PLACE, "pools": [_POOL]},
}
