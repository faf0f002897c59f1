"""The values of each driver's chart, and how long its rollout may take."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pulumi_offline.frozen import frozen
from ...catalog.artifact import Chart, Image, in_parts, mirrored
from ...catalog.charts import NVIDIA_DEVICE_PLUGIN
from ...fabrics.nic_attachment import DriverChart, Install
from ...fabrics.rollout import GPU_TOLERATION, IN_WAVES, WAVES_SECONDS, chart_affinity, one_by_one_seconds, tolerations
from .images import OCI
from .pool import NodeSet


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
        """The same from mirrors and by locked digests: the chart, and the image that its pods run."""
        values, image = self.values, self.chart.image
        if image is not None and not self.chart.image_in_pieces:
            own = values.get("image", {})
            default, tag = in_parts(image.image)
            named = own.get("repository", default)
            place, version = in_parts(mirrored(f"{named}:{tag}", registries))
            taken = {"repository": place} if place != default else {}
            if "@" in version:  # a chart's own tag names no digest
                taken["tag"] = version
            if taken:
                values = {**values, "image": {**own, **taken}}
        return replace(self, chart=chart_from(self.chart, registries), values=values)


def chart_from(chart: Chart, registries: Mapping[str, str]) -> Chart:
    """A chart where a mirror holds it; a lock names its digest by reference and tag.

    A mirror that holds images alone keeps charts of a Helm repository as such: its place begins with ``oci://``.
    """
    if chart.repo:
        repo = mirrored(chart.repo, registries)
        place = repo.partition("://")[2]
        if place.startswith(OCI):
            return chart_from(replace(chart, chart=f"{place}/{chart.name}", repo="", tag=chart.version), registries)
        return replace(chart, repo=repo)
    if "@" not in chart.chart:
        place, version = in_parts(mirrored(f"{chart.chart}:{chart.tag}", registries))
        _tag, mark, digest = version.partition("@")
        return replace(chart, chart=f"{place}{mark}{digest}")
    return replace(chart, chart=mirrored(chart.chart, registries))


def pinned_image(image: Image, registries: Mapping[str, str]) -> dict[str, str]:
    """A chart's value for its image, where a mirror holds it. By default it may name one that floats."""
    repository, tag = in_parts(mirrored(image.image, registries))
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
