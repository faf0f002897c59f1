"""Upstream DraNet, which several fabrics use: it publishes every interface and RDMA device of a node."""

from typing import Any

from ..catalog import charts
from .nic_attachment import Claims, DriverChart, Install
from .rollout import chart_affinity

NAMESPACE = "dranet"
OWN_CLASS = "dranet"
OWN_SELECTOR = 'device.driver == "dra.net"'
"""Upstream DraNet ships no DeviceClass; this one is ours."""


def _values(install: Install) -> dict[str, Any]:
    """It tolerates every taint by itself."""
    return {"args": {"cloudProviderHint": install.cloud_hint}, "affinity": chart_affinity(install.nodes)}


DRANET = Claims(
    driver="dranet",
    device_class=OWN_CLASS,
    selector=OWN_SELECTOR,
    makes_class=True,
    follows=charts.DRANET.version,
    chart=DriverChart(charts.DRANET, NAMESPACE, _values, rolls_one_by_one=True),
)
