"""The values of each driver's chart, and how long its rollout may take."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...catalog.artifact import Chart, Image, mirrored, repository
from ...catalog.charts import NVIDIA_DEVICE_PLUGIN
from ...fabrics.nic_attachment import DriverChart, Install
from ...fabrics.rollout import GPU_TOLERATION, IN_WAVES, WAVES_SECONDS, chart_affinity, one_by_one_seconds, tolerations
from ...frozen import frozen
from .nodes import NodeSet


@frozen
class Settings:
    """A chart with its values."""

    chart: Chart
    namespace: str
    values: dict[str, Any]
    timeout_seconds: int

    def tolerating(self, taints: Mapping[str, str]) -> "Settings":
        """The same on nodes that have these taints, too; values that say nothing of tolerations get the GPU taint's."""
        if not taints:
            return self
        held = self.values.get("tolerations", [GPU_TOLERATION])
        return replace(self, values={**self.values, "tolerations": [*held, *tolerations(taints)]})

    def mirrored(self, registries: Mapping[str, str]) -> "Settings":
        """The same from mirrors: the chart, and the image that its pods run."""
        values = self.values
        if self.chart.image is not None and not self.chart.image_in_pieces:
            default = repository(self.chart.image.image)
            named = values.get("image", {}).get("repository", default)
            if (mirror := mirrored(named, registries)) != default:
                values = {**values, "image": {**values.get("image", {}), "repository": mirror}}
        chart = replace(
            self.chart, chart=mirrored(self.chart.chart, registries), repo=mirrored(self.chart.repo, registries)
        )
        return replace(self, chart=chart, values=values)


def pinned_image(image: Image, registries: Mapping[str, str]) -> dict[str, str]:
    """A chart's value for its image, where a mirror holds it. By default it may name one that floats."""
    repository, _, tag = mirrored(image.image, registries).rpartition(":")
    return {"repository": repository, "tag": tag, "pullPolicy": "IfNotPresent"}


def of_nics(driver: DriverChart, install: Install) -> Settings:
    """The chart of a NIC driver, with the values that its fabric gives."""
    timeout = one_by_one_seconds(install.nodes["nodes"]) if driver.rolls_one_by_one else WAVES_SECONDS
    return Settings(driver.chart, driver.namespace, driver.values(install), timeout)


def nvidia_device_plugin(nodes: NodeSet, namespace: str) -> Settings:
    """NVIDIA's device plugin, ``nvidia.com/gpu``; it tolerates the GPU taint by itself."""
    values = {
        "affinity": chart_affinity(nodes),
        "updateStrategy": IN_WAVES,
        # On, it puts every RDMA device of the node into each GPU's container, beside what hands the NICs out.
        "mofedEnabled": False,
    }
    return Settings(NVIDIA_DEVICE_PLUGIN, namespace, values, WAVES_SECONDS)
