"""What each chart of a driver must be told, and how long its rollout may take."""

from typing import NamedTuple

from ...catalog.hosts import HostOs
from ...catalog.releases import AWS_DRANET, DRANET, EFA_DEVICE_PLUGIN, NVIDIA_DEVICE_PLUGIN, Chart
from .nodes import GPU_TOLERATION, ROLL_AT_ONCE, WAVES_SECONDS, NodeSet, chart_affinity, one_by_one_seconds

_IN_WAVES = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": ROLL_AT_ONCE}}


class Settings(NamedTuple):
    """A chart with its values."""

    chart: Chart
    values: dict
    timeout_seconds: int


def dranet(host: HostOs, nodes: NodeSet, _registry: str | None) -> Settings:
    """Upstream DraNet, which tolerates every taint."""
    values = {"args": {"cloudProviderHint": host.cloud_provider_hint}, "affinity": chart_affinity(nodes)}
    return Settings(DRANET, values, one_by_one_seconds(nodes["nodes"]))


def aws_dranet(_host: HostOs, nodes: NodeSet, registry: str | None) -> Settings:
    """AWS's build of DraNet; its cloud hint, its filter and its DeviceClass are in the chart."""
    return Settings(AWS_DRANET, _efa_values("dranet", nodes, registry), WAVES_SECONDS)


def efa_device_plugin(nodes: NodeSet, registry: str | None) -> Settings:
    """AWS's device plugin for EFA, ``vpc.amazonaws.com/efa``."""
    return Settings(EFA_DEVICE_PLUGIN, _efa_values("aws-efa-k8s-device-plugin", nodes, registry), WAVES_SECONDS)


def nvidia_device_plugin(nodes: NodeSet) -> Settings:
    """NVIDIA's device plugin, ``nvidia.com/gpu``; it tolerates the GPU taint by itself."""
    values = {
        "affinity": chart_affinity(nodes),
        "updateStrategy": _IN_WAVES,
        # On, it puts every RDMA device of the node into each GPU's container, beside whoever hands the NICs out.
        "mofedEnabled": False,
    }
    return Settings(NVIDIA_DEVICE_PLUGIN, values, WAVES_SECONDS)


def _efa_values(image: str, nodes: NodeSet, registry: str | None) -> dict:
    """AWS's two charts for EFA are written alike (eks-charts@5239609)."""
    return {
        **({"image": {"repository": f"{registry}/eks/{image}"}} if registry else {}),
        # They tolerate CriticalAddonsOnly alone.
        "tolerations": [GPU_TOLERATION],
        # Their node affinity is a list of machine types that lags behind, and any node of those types: ours instead.
        "supportedInstanceLabels": {"keys": [nodes["label"]], "values": nodes["values"]},
        "updateStrategy": _IN_WAVES,
    }
