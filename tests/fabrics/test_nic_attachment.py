"""Who hands out NICs: DRA drivers, device plugins and networks, by what names, and the charts that install them."""

from dataclasses import fields, replace
from typing import Any

import pytest
from rdma_cluster.catalog import find
from rdma_cluster.catalog.machine import Transport
from rdma_cluster.fabrics import FABRICS, NIC_DRIVERS, NIC_PLUGINS, Claims, ExtendedResource, NicAttachment, PodNetworks
from rdma_cluster.fabrics.nic_attachment import DriverChart, Install

ANY, ON_DRANET = {"only_on": None, "only_for": None}, {"slice_driver": "dra.net", "names_nics": True}
CLAIMS: dict[str, dict[str, Any]] = {
    "dranet": {**ANY, **ON_DRANET, "device_class": "dranet", "selector": 'device.driver == "dra.net"',
               "makes_class": True, "every_interface": True},
    "gke-managed": {**ANY, "device_class": "mrdma.google.com", "selector": 'device.driver == "mrdma.google.com"',
                    "makes_class": False, "every_interface": False, "slice_driver": "mrdma.google.com",
                    "names_nics": False, "only_on": "gke"},
    "aws-dranet": {
        **ON_DRANET, "device_class": "efa.networking.k8s.aws", "makes_class": False, "every_interface": False,
        "selector": 'device.driver == "dra.net" && device.attributes["dra.net"].?pciDevice.orValue("") == '
                    '"Elastic Fabric Adapter (EFA)"', "only_on": "eks", "only_for": Transport.EFA},
    "dranet-infiniband": {
        **ON_DRANET, "device_class": "dranet", "selector": 'device.driver == "dra.net"', "makes_class": True,
        "every_interface": True, "only_on": None, "only_for": Transport.INFINIBAND},
    "aks-managed": {**ANY, **ON_DRANET, "device_class": "dranet", "selector": 'device.driver == "dra.net"',
                    "makes_class": True, "every_interface": True, "only_on": "aks"},
}  # fmt: skip
RESOURCES: dict[str, tuple[str, bool, str]] = {
    "efa": ("vpc.amazonaws.com/efa", False, ""),
    "network-operator-rdma-ib": ("rdma/ib", False, ""),
    "network-operator-rdma-shared-ib": ("rdma/shared_ib", True, ""),
    "network-operator-rdma-hca-shared-devices-a": ("rdma/hca_shared_devices_a", True, ""),
    "sriov-rdma-vf": ("nvidia.com/rdma-vf", False, "default/rdma-vf"),
    "sriov-sriov-rdma-vf": ("nvidia.com/sriov-rdma-vf", False, "default/rdma-vf"),
    "sriov-mlnxnics": ("nvidia.com/mlnxnics", False, "default/rdma-vf"),
}
WAVES = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%"}}
AWS = {
    "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    "supportedInstanceLabels": {"keys": ["pool"], "values": ["a", "b"]}, "updateStrategy": WAVES,
}  # fmt: skip
AFFINITY = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
    {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a", "b"]}]}]}}}  # fmt: skip
CHARTS: dict[str, tuple[str, str, bool, dict[str, Any]]] = {
    # Its name, its namespace, whether it rolls one by one, and its values; the managed ones have none.
    "dranet": ("dranet", "dranet", True, {"args": {"cloudProviderHint": "OKE"}, "affinity": AFFINITY}),
    "dranet-infiniband": ("dranet", "dranet", True, {
        "args": {"cloudProviderHint": "OKE", "moveIBInterfaces": False}, "affinity": AFFINITY}),
    "aws-dranet": ("aws-dranet", "dranet", False, {**AWS, "image": {"repository": "r.io/eks/dranet"}}),
    "efa": ("aws-efa-k8s-device-plugin", "kube-system", False, {
        **AWS, "image": {"repository": "r.io/eks/aws-efa-k8s-device-plugin"}}),
}  # fmt: skip


def test_dra_drivers():
    """Their classes, and what their slices say of NICs."""
    left = ("driver", "follows", "chart")
    said = {name: {each.name: getattr(claims, each.name) for each in fields(claims) if each.name not in left}
            for name, claims in NIC_DRIVERS.items()}  # fmt: skip

    assert said == CLAIMS


def test_device_plugins():
    """What a unit is called, whether it is all NICs of a node, and the network that a pod names for it."""
    assert {name: (of.resource, of.full_node, of.network) for name, of in NIC_PLUGINS.items()} == RESOURCES
    assert not any(of.beside for of in NIC_PLUGINS.values())


@pytest.mark.parametrize("name", [*NIC_DRIVERS, *NIC_PLUGINS])
def test_charts_of_drivers(name: str):
    """To exactly the nodes that are named, in waves where the chart can; from a registry where nodes reach no other."""
    of: NicAttachment = {**NIC_DRIVERS, **NIC_PLUGINS}[name]
    assert isinstance(of, Claims | ExtendedResource)
    if name not in CHARTS:
        assert of.chart is None
        return
    chart: DriverChart | None = of.chart
    assert chart is not None
    install = Install({"label": "pool", "values": ["a", "b"], "nodes": 3}, "OKE", "r.io")
    chart_name, namespace, one_by_one, values = CHARTS[name]

    assert (chart.chart.name, chart.namespace, chart.rolls_one_by_one) == (chart_name, namespace, one_by_one)
    assert chart.values(install) == values
    assert chart.values(replace(install, registry="")) == {key: of for key, of in values.items() if key != "image"}


def test_networks_that_pods_name():
    """Google's names: the RDMA ones behind a second gVNIC, or a VPC for each gVNIC; eth0 is the cluster's own."""
    said = {}
    for name, fabric in (("a4-highgpu-8g", "gib-pod-networks"), ("a3-highgpu-8g", "tcpx")):
        machine, nics = find(name), FABRICS[fabric].nic_attachment
        assert machine is not None and isinstance(nics, PodNetworks)
        said[fabric] = nics.annotations(machine)
        assert [each.rdma for each in nics.networks(machine)] == (
            [False] + [True] * 8 if fabric == "gib-pod-networks" else [False] * 4
        )
    eight, four = ("gvnic-1", *(f"rdma-{n}" for n in range(8))), [f"vpc{n}" for n in range(1, 5)]

    for fabric, names in (("gib-pod-networks", eight), ("tcpx", four)):
        interfaces = ", ".join(f'{{"interfaceName": "eth{n}", "network": "{name}"}}'
                               for n, name in enumerate(["default", *names]))  # fmt: skip
        assert said[fabric] == {
            "networking.gke.io/default-interface": "eth0",
            "networking.gke.io/interfaces": f"[{interfaces}]",
        }
