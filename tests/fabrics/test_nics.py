"""Who hands out NICs: drivers' charts go to exactly the named nodes, and pods name the networks that a node has."""

from dataclasses import replace

import pytest
from rdma_cluster.fabrics import FABRICS, NIC_DRIVERS, NIC_PLUGINS, Claims, ExtendedResource, PodNetworks
from rdma_cluster.fabrics.nic_attachment import Install
from tests.machines import known_machine

INSTALL = Install({"label": "pool", "values": ["a", "b"], "nodes": 3}, "OKE", "r.io")
ATTACHMENTS = {**NIC_DRIVERS, **NIC_PLUGINS}
CHARTS = {
    name: of.chart
    for name, of in ATTACHMENTS.items()
    if isinstance(of, Claims | ExtendedResource) and of.chart is not None
}


def test_the_clouds_own_drivers_need_no_chart() -> None:
    """Neither do plugins that the Network Operator or the SR-IOV operator installs."""
    assert {*CHARTS} == {"dranet", "dranet-infiniband", "aws-dranet", "efa"}


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_goes_to_exactly_the_named_nodes(name: str) -> None:
    """It rolls in waves where the chart can; from a registry where nodes reach no other."""
    chart = CHARTS[name]
    values, own = (chart.values(each) for each in (INSTALL, replace(INSTALL, registry="")))

    if name in ("aws-dranet", "efa"):
        assert values["supportedInstanceLabels"] == {"keys": ["pool"], "values": ["a", "b"]}
        assert values["updateStrategy"]["rollingUpdate"]["maxUnavailable"].endswith("%")
        assert values["image"]["repository"].startswith("r.io/")
        assert own == {key: of for key, of in values.items() if key != "image"}
        assert not chart.rolls_one_by_one
    else:
        assert "'pool', 'operator': 'In', 'values': ['a', 'b']" in str(values["affinity"])
        assert values["args"]["cloudProviderHint"] == "OKE"
        assert chart.rolls_one_by_one


def test_dranet_leaves_infiniband_interfaces_on_the_host() -> None:
    """A pod that takes one along loses its address."""
    moved = {
        name: chart.values(INSTALL).get("args", {}).get("moveIBInterfaces", True) for name, chart in CHARTS.items()
    }
    assert [name for name, moves in moved.items() if not moves] == ["dranet-infiniband"]


def test_a_class_selects_devices_of_the_driver_that_publishes_them() -> None:
    for claims in NIC_DRIVERS.values():
        assert f'device.driver == "{claims.slice_driver}"' in claims.selector


def test_a_resource_of_an_sr_iov_plugin_names_its_network() -> None:
    """One of all NICs is shared, and needs none."""
    networked = {name for name, each in NIC_PLUGINS.items() if each.network}
    shared = {name for name, each in NIC_PLUGINS.items() if each.full_node}

    assert networked == {name for name in NIC_PLUGINS if name.startswith("sriov")}
    assert shared == {name for name in NIC_PLUGINS if "shared" in name}


@pytest.mark.parametrize(
    ("name", "fabric", "networks", "rdma"),
    [
        ("a4-highgpu-8g", "gib-pod-networks", ["gvnic-1", *(f"rdma-{n}" for n in range(8))], 8),
        ("a3-highgpu-8g", "tcpx", [f"vpc{n}" for n in range(1, 5)], 0),
    ],
)
def test_pods_name_googles_networks_behind_the_clusters_own(
    name: str, fabric: str, networks: list[str], rdma: int
) -> None:
    """eth0 is the cluster's; the RDMA ones alone bring a device along."""
    nics = FABRICS[fabric].nic_attachment
    assert isinstance(nics, PodNetworks)
    interfaces = ", ".join(
        f'{{"interfaceName": "eth{n}", "network": "{network}"}}' for n, network in enumerate(["default", *networks])
    )

    assert nics.annotations(known_machine(name)) == {
        "networking.gke.io/default-interface": "eth0",
        "networking.gke.io/interfaces": f"[{interfaces}]",
    }
    assert [(each.name, each.interface) for each in nics.networks(known_machine(name))] == [
        (network, f"eth{n}") for n, network in enumerate(networks, 1)
    ]
    assert sum(each.rdma for each in nics.networks(known_machine(name))) == rdma
