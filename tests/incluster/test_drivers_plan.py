"""Which drivers, device plugins and NCCL plugins a cluster's nodes get, with which values, and who brings them."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog.clouds.gke import COS
from rdma_cluster.catalog.images import PAUSE
from rdma_cluster.fabrics import FABRICS, NIC_DRIVERS
from rdma_cluster.incluster.plan.dra_drivers import (
    DevicePluginsPlan,
    DraDriversPlan,
    InstalledBy,
    ManagedBy,
    plan_device_plugins,
    plan_dra_drivers,
    refuse_managed,
)
from rdma_cluster.incluster.plan.nccl_installer import NcclInstallerPlan, plan_nccl_installer, stage_path
from rdma_cluster.incluster.plan.pool import NodeSet
from rdma_cluster.incluster.plan.workload import Workload

NODES = NodeSet(label="pool", values=["a", "b"], nodes=3)
NONE = NodeSet(label="pool", values=[], nodes=0)
MIRRORS = {"registry.k8s.io": "m.example/k8s", "gke.gcr.io": "m.example/gke", "nvcr.io": "m.example/nv"}
ON_NODES = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a", "b"]}]}]
        }
    }
}
GPU = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
SPOT = {"key": "spot", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}
HELD = {"key": "held", "operator": "Exists", "effect": "NoSchedule"}


def drivers(host: str = "cos", **more: Any) -> DraDriversPlan:
    """DRA drivers for the GPUs and NICs of two pools, unless told otherwise."""
    args: Any = {"host": host, "gpu_nodes": NODES, "nic_nodes": NODES, **more}
    made = plan_dra_drivers(args, ErrorList())
    assert made is not None
    return made


def parts(made: DraDriversPlan) -> set[str]:
    """What is installed."""
    found = {"gpu": made.gpu, "nic": made.nic, "class": made.own_class, "kernel": made.kernel, "pause": made.pause}
    return {name for name, part in found.items() if part}


@pytest.mark.parametrize(
    ("host", "more", "installed"),
    [
        ("cos", {}, {"gpu", "nic", "class", "kernel", "pause"}),
        ("ubuntu-oke", {}, {"gpu", "nic", "class"}),
        # Its chart brings the class.
        ("al2023", {}, {"gpu", "nic"}),
        ("cos", {"gpu": InstalledBy.EXISTING}, {"nic", "class", "kernel", "pause"}),
        ("cos", {"nic": ManagedBy.MANAGED}, {"gpu", "kernel", "pause"}),
        ("cos", {"nic": ManagedBy.EXISTING}, {"gpu", "kernel", "pause"}),
        ("cos", {"kernel": InstalledBy.EXISTING}, {"gpu", "nic", "class"}),
        ("cos", {"gpu_nodes": NONE}, {"nic", "class"}),
        ("cos", {"nic_nodes": NONE}, {"gpu", "kernel", "pause"}),
        ("cos", {"gpu_nodes": NONE, "nic_nodes": NONE}, set()),
        # A device plugin hands out the GPUs: who brought it brought the kernel's driver.
        ("cos", {"channels_alone": True}, {"gpu", "nic", "class"}),
        ("cos", {"channels_alone": False}, {"gpu", "nic", "class", "kernel", "pause"}),
    ],
)
def test_who_brings_which_driver(host: str, more: dict[str, Any], installed: set[str]):
    """Each part by itself: what its choice says, where there are nodes for it and the host lacks it."""
    assert parts(drivers(host, **more)) == installed


def test_drivers_of_nodes_on_cos():
    """Each chart's values, the kernel's installer, and the class that upstream DraNet does not bring."""
    made = drivers()

    assert made.gpu is not None and made.nic is not None
    for each in (made.gpu, made.nic):
        # By a digest, which neither chart's own tag has.
        assert "@sha256:" in each.values.pop("image")["tag"]
    assert made.gpu.values == {
        "nvidiaDriverRoot": "/home/kubernetes/bin/nvidia",
        "gpuResourcesEnabledOverride": True,
        "resources": {"gpus": {"enabled": True}, "computeDomains": {"enabled": False}},
        "resourceApiVersion": "resource.k8s.io/v1",
        "kubeletPlugin": {"affinity": ON_NODES},
    }
    assert (made.gpu.chart.name, made.gpu.namespace) == ("dra-driver-nvidia-gpu", "dra-driver-nvidia-gpu")
    # Two rollouts of four waves of five minutes; three nodes one by one, counted as four.
    assert (made.gpu.timeout_seconds, made.nic.timeout_seconds) == (2 * 1200, 600 + 15 * 4)
    assert made.nic.values == {"args": {"cloudProviderHint": "GCE"}, "affinity": ON_NODES}
    assert (made.nic.chart.name, made.nic.namespace, made.nic_driver) == ("dranet", "dranet", "dranet")
    assert (made.own_class, made.kernel, made.pause) == (NIC_DRIVERS["dranet"], COS.kernel_installer, PAUSE.image)


def test_channels_of_racks():
    """With the GPUs, or alone beside a device plugin, which must not have a second one at its nodes."""
    values = {
        alone: made.values
        for alone in (False, True)
        if (made := drivers(compute_domains=True, channels_alone=alone).gpu)
    }

    assert {alone: each["resources"]["computeDomains"] for alone, each in values.items()} == {
        False: {"enabled": True},
        True: {"enabled": True},
    }
    assert {alone: each["resources"]["gpus"] for alone, each in values.items()} == {
        False: {"enabled": True},
        True: {"enabled": False},
    }
    assert {alone: each["gpuResourcesEnabledOverride"] for alone, each in values.items()} == {False: True, True: False}


@pytest.mark.parametrize(("host", "pods"), [("cos", 2 * 3 + 1), ("al2023", 0), ("ubuntu-aks", 0), ("ubuntu-oke", 0)])
def test_critical_pods_are_admitted(host: str, pods: int):
    """GKE asks for a quota: two pods on each of three nodes, and the controller."""
    assert drivers(host).quota_pods == pods


def test_drivers_reach_nodes_with_further_taints():
    """The GPUs' on all; AWS's of the NICs, whose values say what it tolerates, those of any value; DraNet has its own
    toleration of everything."""
    taints = {"other_taints": {"spot": "yes", "held": "*"}}
    aws, google = drivers("al2023", **taints), drivers("cos", **taints)

    assert aws.gpu is not None and aws.nic is not None and google.nic is not None
    assert aws.gpu.values["kubeletPlugin"]["tolerations"] == [GPU, SPOT, HELD]
    assert aws.nic.values["tolerations"] == [GPU, HELD]
    assert "tolerations" not in google.nic.values
    plain = drivers("al2023").nic
    assert plain is not None and plain.values["tolerations"] == [GPU]


def test_drivers_come_from_mirrors():
    """Charts and images; a registry of the NIC driver's own goes into its chart's values."""
    made = drivers("al2023", registries=MIRRORS, nic_registry="r.example")
    google = drivers("cos", registries=MIRRORS)

    assert made.gpu is not None and made.nic is not None
    assert made.gpu.chart.chart.startswith("oci://m.example/k8s/")
    assert made.nic.values["image"]["repository"] == "r.example/eks/dranet"
    assert google.nic is not None and google.nic.chart.chart.startswith("oci://m.example/k8s/")
    assert google.pause.startswith("m.example/gke/pause:")


@pytest.mark.parametrize(
    ("host", "asked", "driver"),
    [
        ("al2023", None, "aws-dranet"),
        ("cos", None, "dranet"),
        ("ubuntu-aks", None, "dranet-infiniband"),
        ("ubuntu-oke", None, "dranet"),
        ("ubuntu-aks", "dranet-infiniband", "dranet-infiniband"),
    ],
)
def test_the_usual_driver_of_a_hosts_machines(host: str, asked: str | None, driver: str):
    """Unless another one that hands out their NICs is named."""
    assert drivers(host, **({"nic_driver": asked} if asked else {})).nic_driver == driver


@pytest.mark.parametrize(
    ("host", "name", "told"),
    [
        ("cos", "dranett", "got 'dranett'; choose one of dranet"),
        ("cos", "gke-managed", "got gke-managed, which its cloud brings; choose one of dranet"),
        (
            "al2023",
            "dranet",
            "got dranet, which hands out no NICs of machines that run al2023; choose one of aws-dranet",
        ),
        # Of a host that nobody knows any driver may be.
        ("unknown", "x", "got 'x'; choose one of dranet, aws-dranet, dranet-infiniband"),
        ("unknown", "gke-managed", "got gke-managed, which its cloud brings; choose one of dranet, aws-dranet, "),
        ("unknown", "aws-dranet", ""),
    ],
)
def test_another_driver_is_refused(host: str, name: str, told: str):
    """With the reason that fits, and those that could be taken."""
    errors = ErrorList()
    args: Any = {"host": host, "gpu_nodes": NODES, "nic_nodes": NODES, "nic_driver": name}

    assert plan_dra_drivers(args, errors) is None
    found = [error.reason for error in errors.found() if error.path == ("nic_driver",)]
    assert len(found) == bool(told) and all(each.startswith(told) for each in found)


def test_a_choice_without_a_driver_that_the_cloud_does_not_bring():
    """It is refused, and the rest of the choice is judged as if it were not there."""
    errors = ErrorList()
    managed, existing = (
        refuse_managed({"gpu": InstalledBy.EXISTING, "nic": nic}, "AKS brings none", errors)
        for nic in (ManagedBy.MANAGED, ManagedBy.EXISTING)
    )

    assert [str(each) for each in errors.found()] == ["nic: got managed; AKS brings none; choose installed or existing"]
    assert managed == {"gpu": InstalledBy.EXISTING}
    assert existing == {"gpu": InstalledBy.EXISTING, "nic": ManagedBy.EXISTING}


def plugins(**more: Any) -> DevicePluginsPlan:
    """NVIDIA's device plugin and EFA's, on the nodes of two pools."""
    args: Any = {"nodes": NODES, "nic_plugin": "efa", **more}
    made = plan_device_plugins(args, ErrorList())
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("more", "installed"),
    [
        ({}, (True, True)),
        ({"gpu": InstalledBy.EXISTING}, (False, True)),
        ({"nic": ManagedBy.EXISTING}, (True, False)),
        ({"nodes": NONE}, (False, False)),
    ],
)
def test_who_brings_which_plugin(more: dict[str, Any], installed: tuple[bool, bool]):
    """Each by itself, and none without nodes."""
    made = plugins(**more)

    assert (made.gpu is not None, made.nic is not None) == installed


def test_plugins_reach_their_nodes():
    """They tolerate further taints, come from mirrors, and EFA's from a registry of its own."""
    made = plugins(other_taints={"held": "*"}, registries=MIRRORS | {"nvidia.github.io": "m.example/helm"})
    own = plugins(nic_registry="r.example")

    assert made.gpu is not None and made.nic is not None and own.nic is not None
    assert made.gpu.namespace == "nvidia-device-plugin"
    assert made.gpu.values["tolerations"] == made.nic.values["tolerations"] == [GPU, HELD]
    assert made.gpu.values["affinity"] == ON_NODES
    assert made.gpu.chart.repo == "https://m.example/helm/k8s-device-plugin"
    assert made.gpu.values["image"]["repository"] == "m.example/nv/nvidia/k8s-device-plugin"
    assert own.nic.values["image"]["repository"] == "r.example/eks/aws-efa-k8s-device-plugin"
    assert made.nic.values["supportedInstanceLabels"] == {"keys": ["pool"], "values": ["a", "b"]}


def installed(fabric: str, **more: Any) -> NcclInstallerPlan:
    """What goes on the hosts of two pools."""
    args: Any = {"fabric": fabric, "nodes": NODES, **more}
    made = plan_nccl_installer(args, ErrorList())
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("fabric", "plugin", "daemons", "nodes"),
    [
        ("gib", "gib", [], NODES),
        ("tcpxo", "tcpxo", ["nri-device-injector"], NODES),
        ("gib-metal", None, ["asapd-lite"], NODES),
        # Nothing goes on hosts, so that it may be none.
        ("efa", None, [], NONE),
        ("infiniband", None, [], NONE),
    ],
)
def test_what_goes_on_hosts(fabric: str, plugin: str | None, daemons: list[str], nodes: NodeSet):
    """A plugin with what stays beside it, either alone, or nothing where images hold all."""
    made = installed(fabric, nodes=nodes)

    assert (made.plugin and made.plugin.name, [each.name for each in made.daemons]) == (plugin, daemons)
    assert made.pause == (PAUSE.image if plugin else "")
    assert made.workload == Workload(FABRICS[fabric])


@pytest.mark.parametrize("fabric", ["gib", "gib-metal"])
def test_a_plugin_without_hosts(fabric: str):
    """Nobody would have it: of a plugin and of a daemon alike."""
    errors = ErrorList()

    assert plan_nccl_installer({"fabric": fabric, "nodes": NONE}, errors) is None
    assert [str(each) for each in errors.found()] == [
        "nodes.values: empty; name the pools that need the plugin, e.g. a4"
    ]


def test_what_goes_on_hosts_comes_from_mirrors():
    """The installer, the image that stays, each daemon, and what pods bring."""
    registries = {"us-docker.pkg.dev": "m.example/g", "gke.gcr.io": "m.example/gke", "gcr.io": "m.example/gcr"}
    made = installed("tcpxo", registries=registries)

    assert made.plugin is not None
    images = [made.plugin.release.installer, made.pause, *(each.image for each in made.daemons)]
    assert all(image.startswith("m.example/") for image in images), images
    assert made.plugin.beside == made.daemons
    assert made.workload.registries == registries


def test_where_an_installer_sees_the_host():
    """Below one folder, in which nothing of its image lies."""
    assert stage_path("/home/kubernetes/bin/gib") == "/usr/local/home/kubernetes/bin/gib"


@pytest.mark.parametrize(
    ("plan", "wrong"),
    [
        (plan_dra_drivers, {"host": "cos", "gpu_nodes": NODES, "nic_nodes": NODES, "registries": {"x y": "z"}}),
        (plan_dra_drivers, {"host": "cos", "gpu_nodes": NODES, "nic_nodes": NODES, "nic_registry": "x y"}),
        (plan_dra_drivers, {"host": "x", "gpu_nodes": NODES, "nic_nodes": NODES}),
        (plan_device_plugins, {"nodes": NODES, "nic_plugin": "efa", "registries": {"x y": "z"}}),
        (plan_device_plugins, {"nodes": NODES, "nic_plugin": "efa", "nic_registry": "x y"}),
        (plan_device_plugins, {"nodes": NODES, "nic_plugin": "efa", "nic": ManagedBy.MANAGED}),
        (plan_device_plugins, {"nodes": NODES, "nic_plugin": "x"}),
        # Its chart is the Network Operator's.
        (plan_device_plugins, {"nodes": NODES, "nic_plugin": "network-operator-rdma-ib"}),
        (plan_nccl_installer, {"fabric": "gib", "nodes": NODES, "registries": {"x y": "z"}}),
        (plan_nccl_installer, {"fabric": "x", "nodes": NODES}),
    ],
)
def test_what_is_refused_has_no_plan(plan: Any, wrong: dict[str, Any]):
    """Each error by itself."""
    errors = ErrorList()

    assert (plan(wrong, errors), len(errors.found())) == (None, 1)
