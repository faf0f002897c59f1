"""On what the proof of a pool rests: values by names that stay from release to release.

A change of one of them voids the proof. How a test is run is none of them: no script, no path, no time-out and no image
of ours. ``rdma_agent.acceptance.pool_proof`` compares two sets.
"""

import json
from hashlib import sha256
from typing import Any

from nccl_verdict.expectation import Expectation
from rdma_agent.acceptance.pool_proof import threshold_name
from ....catalog import charts
from ....fabrics import Claims, ExtendedResource, GpuAllocation, HostPlugin
from ..pool import GpuPool
from .checks import Choice
from .pod import Measure

RELEASED = "0.1.0"
"""The release whose tests kept no values: what it installed is told beside them."""
_RELEASED_CHARTS = {
    "aws-dranet": "1.0.0",
    "aws-efa-k8s-device-plugin": "v0.5.30",
    "dra-driver-nvidia-gpu": "0.5.0",
    "dranet": "1.4.0",
    "nvidia-device-plugin": "0.19.3",
}
"""Versions of the drivers' charts in 0.1.0, by chart."""


def values_of(
    pool: GpuPool, measure: Measure, expectation: Expectation, choice: Choice, nvlink: bool
) -> dict[str, Any]:
    """The values of one test."""
    patch = measure.workload.pod_patch()
    thresholds = expectation.thresholds
    return {
        "machine": pool.machine.name,
        "nodes": measure.nodes,
        "gpus": measure.gpus,
        "node": pool.fingerprint,
        "allocation": pool.allocation.value,
        "drivers": [f"{chart} {version}" for chart, version in _charts(pool, channels=nvlink).items()],
        "plugin": _plugin(pool),
        "environment": {each["name"]: each["value"] for each in patch["env"]},
        "files": {file.config_map: sha256(file.text.encode()).hexdigest()[:12] for file in measure.workload.adds.files},
        **({} if measure.nvlink is None else {"nvlink": measure.nvlink}),
        **({"racks": measure.racks} if measure.racks > 1 else {}),
        "collectives": [measure.collective, *measure.also],
        "threshold": {
            threshold_name(of, each.size_bytes): each.busbw_gbytes for of in thresholds for each in thresholds[of]
        },
        "waived": list(measure.waive),
        "image": choice.options.get("images", {}).get("test", ""),
        "rerun": choice.options.get("rerun", ""),
    }


def digest(values: dict[str, Any]) -> str:
    """What the names of a test's objects end in."""
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:8]


def released_values(pool: GpuPool, *, nvlink: bool) -> dict[str, Any]:
    """What the release that kept no values installed for such a pool."""
    of_pool = _charts(pool, channels=nvlink)
    known = [f"{chart} {_RELEASED_CHARTS[chart]}" for chart in of_pool if chart in _RELEASED_CHARTS]
    return {"drivers": known, "allocation": pool.allocation.value}


def _charts(pool: GpuPool, *, channels: bool) -> dict[str, str]:
    """Versions by chart of the drivers of a pool's devices."""
    attachment = pool.fabric.nic_attachment
    ours = isinstance(attachment, Claims | ExtendedResource) and attachment.chart
    drivers = [attachment.chart.chart] if ours else []
    if pool.allocation == GpuAllocation.DRA or channels:
        drivers.append(charts.NVIDIA_DRA_DRIVER)
    elif isinstance(attachment, ExtendedResource) and attachment.chart:
        # A pool whose NICs have a device plugin of ours has one for its GPUs, too; elsewhere that is the cloud's own.
        drivers.append(charts.NVIDIA_DEVICE_PLUGIN)
    return {chart.name: chart.version for chart in drivers}


def _plugin(pool: GpuPool) -> list[str]:
    """The releases that bring NCCL's plugin to the nodes; none where it lies in the pod's own image."""
    plugin = pool.fabric.plugin
    installed = [plugin.release.installer] if isinstance(plugin, HostPlugin) else []
    # By name alone: a mirror holds the same.
    return [each.rpartition("/")[2] for each in (*installed, *pool.fabric.acceptance.also)]
