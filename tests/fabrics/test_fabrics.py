"""Each machine has the fabrics that reach it, and what one record says of a fabric agrees with what others say."""

from collections.abc import Iterator

import pytest
from rdma_cluster.catalog import machines
from rdma_cluster.catalog.machine import Transport
from rdma_cluster.fabrics import (
    FABRICS,
    NIC_DRIVERS,
    NIC_PLUGINS,
    Claims,
    ExtendedResource,
    Fabric,
    GpuAllocation,
    HostMount,
    HostPlugin,
    fabric_of,
    fabrics_of,
    network_of,
    nic_charts_on,
    nic_drivers_of,
    unknown_fabric,
)
from rdma_cluster.fabrics.rollout import ANY_VALUE, chart_affinity, one_by_one_seconds, tolerations
from tests.machines import known_machine

NODES = "/home/kubernetes/bin/"
"""Where GKE's nodes take what pods of all tenants run."""


def mounts(fabric: Fabric) -> Iterator[HostMount]:
    """Those of a pod's own program and of what serves it."""
    yield from fabric.pod_patch.mounts
    for sidecar in fabric.pod_patch.sidecars:
        yield from sidecar.mounts


@pytest.mark.parametrize(
    ("name", "fabrics"),
    [
        ("a3-highgpu-8g", ["tcpx"]),
        ("a3-megagpu-8g", ["tcpxo"]),
        ("a4-highgpu-8g", ["gib", "gib-managed", "gib-pod-networks"]),
        ("a4x-highgpu-4g", ["gib-arm64-managed", "gib-arm64-pod-networks"]),
        ("a4x-maxgpu-4g-metal", ["gib-metal"]),
        ("h4d-highmem-192-lssd", []),
        ("p5.48xlarge", ["efa", "efa-device-plugin"]),
        ("p6e-gb300r.36xlarge", []),
        ("BM.GPU.GB200.4", []),
    ],
)
def test_a_machine_has_the_fabrics_that_reach_it_the_usual_one_first(name: str, fabrics: list[str]) -> None:
    """It has none where its transport is not built on its cloud, or for its hosts."""
    row = known_machine(name)
    usual = fabric_of(row)

    assert [each.name for each in fabrics_of(row)] == fabrics
    assert [usual.name if usual else None] == (fabrics or [None])[:1]


def test_a_machine_is_judged_by_what_nccl_prints_of_its_transport() -> None:
    """Its logs are judged also where no fabric is built for it; nothing is known of Falcon's."""
    printed = {row.name: network.transport for row in machines() if (network := network_of(row))}

    assert printed == {row.name: row.transport.value for row in machines() if row.transport is not Transport.FALCON}


@pytest.mark.parametrize(
    ("cloud", "installed", "usual"),
    [
        ("gke", ["dranet"], {"a4-highgpu-8g": ["dranet", "gke-managed"], "a3-megagpu-8g": []}),
        ("eks", ["aws-dranet"], {"p5.48xlarge": ["aws-dranet"]}),
        ("aks", ["dranet-infiniband"], {"Standard_ND96isr_H100_v5": ["dranet-infiniband", "aks-managed"]}),
        ("oke", ["dranet"], {"BM.GPU.H100.8": ["dranet"]}),
    ],
)
def test_a_cloud_has_drivers_that_answer_claims(cloud: str, installed: list[str], usual: dict[str, list[str]]) -> None:
    """The cloud's own are among those that hand out a machine's NICs, and are not installed by a chart."""
    assert nic_charts_on(cloud) == installed
    assert {name: [each.driver for each in nic_drivers_of(known_machine(name))] for name in usual} == usual


def test_each_driver_and_plugin_stands_once_under_its_own_name() -> None:
    """A resource is of one plugin alone."""
    by_claims = {each.nic_attachment.driver for each in FABRICS.values() if isinstance(each.nic_attachment, Claims)}
    resources = [each.resource for each in NIC_PLUGINS.values()]

    assert by_claims == NIC_DRIVERS.keys() and NIC_DRIVERS.keys().isdisjoint(NIC_PLUGINS)
    assert [
        (name, each.driver) for name, each in (*NIC_DRIVERS.items(), *NIC_PLUGINS.items()) if name != each.driver
    ] == []
    assert len(set(resources)) == len(resources) and all(
        isinstance(each, ExtendedResource) for each in NIC_PLUGINS.values()
    )


@pytest.mark.parametrize("fabric", FABRICS.values(), ids=lambda fabric: fabric.name)
def test_a_pod_that_claims_no_nics_claims_no_gpus(fabric: Fabric):
    """A claim pairs GPUs with NICs: without NICs in it device plugins hand the GPUs out. On racks GKE's plugin does."""
    claimed = fabric.default_allocation is GpuAllocation.DRA

    assert claimed is (
        isinstance(fabric.nic_attachment, Claims) and not fabric.name.startswith(("gib-arm64", "gib-metal"))
    )


def test_only_efa_routes_between_any_two_devices() -> None:
    """A NIC of any other fabric reaches its like on other nodes alone, so pods of one job hold the same rails."""
    assert {each.transport for each in FABRICS.values() if not each.rail_bound} == {Transport.EFA}


def test_each_machine_has_a_test_that_runs_on_its_hosts():
    """An image of another architecture ends with `exec format error`, once nodes are paid for. AWS publishes one for
    x86 alone: on Grace a user names an image."""
    lacking = {
        (fabric.transport, row.architecture)
        for row in machines()
        for fabric in fabrics_of(row)
        if row.architecture not in [each.architecture for each in fabric.acceptance.tests]
    }

    assert lacking == {(Transport.EFA, "arm64")}


@pytest.mark.parametrize("fabric", FABRICS.values(), ids=lambda fabric: fabric.name)
def test_no_pod_writes_where_all_pods_of_a_node_read(fabric: Fabric):
    """It mounts what the plugin's installer fills."""
    shared = [each for each in mounts(fabric) if each.host_path.startswith(NODES)]

    assert [each.host_path for each in shared if not each.read_only] == []
    if isinstance(fabric.plugin, HostPlugin):
        for path in fabric.plugin.host_paths.values():
            assert any(path.startswith(each.host_path) for each in shared), path


@pytest.mark.parametrize("fabric", FABRICS.values(), ids=lambda fabric: fabric.name)
def test_the_libraries_that_nccl_loads_are_mounted(fabric: Fabric):
    """Each folder that the loader looks into is one of the host, or of an image that holds the plugin itself."""
    path = fabric.pod_patch.env.get("LD_LIBRARY_PATH", "")
    mounted = [each.mount_path for each in fabric.pod_patch.mounts]
    own = [] if isinstance(fabric.plugin, HostPlugin) else ["/usr/local/gib"]

    for folder in path.split(":") if path else []:
        assert any(folder.startswith(f"{each}/") for each in (*mounted, *own)), folder


def test_an_unknown_fabric_is_told_the_nearest_first() -> None:
    assert "nearest are efa, " in unknown_fabric("eva")


@pytest.mark.parametrize("nodes", [0, 1, 2, 3, 64, 65, 180, 5000])
def test_a_roll_by_single_nodes_has_the_time_that_was_seen(nodes: int):
    """15 seconds a node beside ten minutes, METR/hawk#1363; rounded up, so that a node more is seldom an upgrade."""
    seconds = one_by_one_seconds(nodes)

    assert 600 + 15 * max(1, nodes) <= seconds <= 600 + 15 * max(1, 2 * nodes - 1)
    assert seconds == one_by_one_seconds((seconds - 600) // 15)


def test_pods_of_drivers_reach_exactly_the_named_nodes_and_tolerate_their_taints() -> None:
    """A taint is tolerated with any value, or with one."""
    (term,) = chart_affinity({"label": "pool", "values": ["a", "b"], "nodes": 2})["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]["nodeSelectorTerms"]

    assert term == {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a", "b"]}]}
    assert tolerations({"a": ANY_VALUE, "b": "c"}) == [
        {"key": "a", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "b", "operator": "Equal", "value": "c", "effect": "NoSchedule"},
    ]
