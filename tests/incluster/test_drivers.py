"""Each pool's nodes get the drivers and plugins that they lack, and no others."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.plan.context import ClusterContext
from rdma_cluster.incluster.plan.dra_drivers import (
    DevicePluginsPlan,
    DraDriversPlan,
    InstalledBy,
    ManagedBy,
    plan_device_plugins,
    plan_dra_drivers,
)
from rdma_cluster.incluster.plan.nccl_installer import plan_nccl_installer
from rdma_cluster.incluster.plan.node_software import drivers_for, installers_for, missing_classes, software_context
from rdma_cluster.incluster.plan.pool import GpuPool, NodeSet
from tests.incluster.plans import OFF, ON
from tests.incluster.pools import (
    CHOICE,
    CONTEXT,
    DRA,
    EFA,
    GIB,
    HELD,
    MANAGED,
    NAMED,
    NICS,
    PLUGIN,
    RACKS,
    choose,
    pool,
)

NODES = NodeSet(label="pool", values=["a", "b"], nodes=3)
NONE = NodeSet(label="pool", values=[], nodes=0)
MIRRORS = {"registry.k8s.io": "m.example/k8s", "gke.gcr.io": "m.example/gke", "nvcr.io": "m.example/nv"}
WRONG = replace(CONTEXT, registries={"x y": "z"})


def drivers(host: str = "cos", **more: Any) -> DraDriversPlan:
    """Plan DRA drivers for the GPUs and NICs of two pools."""
    args: Any = {"host": host, "gpu_nodes": NODES, "nic_nodes": NODES, **more}
    made = plan_dra_drivers(args, ErrorList())
    assert made is not None
    return made


def plugins(**more: Any) -> DevicePluginsPlan:
    """Plan NVIDIA's device plugin and EFA's on the nodes of two pools."""
    args: Any = {"nodes": NODES, "nic_plugin": "efa", **more}
    made = plan_device_plugins(args, ErrorList())
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("host", "more", "installed"),
    [
        ("cos", {}, "gpu nic class kernel"),
        # AWS's chart brings the class, and only GKE's nodes lack the kernel's driver.
        ("ubuntu-oke", {}, "gpu nic class"),
        ("al2023", {}, "gpu nic"),
        ("cos", {"gpu": InstalledBy.EXISTING}, "nic class kernel"),
        ("cos", {"nic": ManagedBy.MANAGED}, "gpu kernel"),
        ("cos", {"kernel": InstalledBy.EXISTING}, "gpu nic class"),
        ("cos", {"gpu_nodes": NONE}, "nic class"),
        ("cos", {"nic_nodes": NONE}, "gpu kernel"),
        # Who brought a device plugin for the GPUs brought the kernel's driver.
        ("cos", {"channels_alone": True}, "gpu nic class"),
    ],
)
def test_a_driver_is_installed_where_nodes_lack_it(host: str, more: dict[str, Any], installed: str):
    made = drivers(host, **more)
    found = {"gpu": made.gpu, "nic": made.nic, "class": made.own_class, "kernel": made.kernel}

    assert [name for name, part in found.items() if part] == installed.split()
    assert bool(made.pause) == bool(made.kernel)


@pytest.mark.parametrize(
    ("alone", "domains", "values"),
    [(False, False, (True, False)), (False, True, (True, True)), (True, True, (False, True))],
)
def test_channels_of_racks_come_with_the_gpus_or_alone(alone: bool, domains: bool, values: tuple[bool, bool]):
    """Beside a device plugin the driver must hand out no GPUs a second time."""
    gpu = drivers(compute_domains=domains, channels_alone=alone).gpu
    assert gpu is not None

    assert tuple(gpu.values["resources"][each]["enabled"] for each in ("gpus", "computeDomains")) == values
    assert gpu.values["gpuResourcesEnabledOverride"] is values[0]


def test_drivers_reach_tainted_nodes_from_mirrors():
    """DraNet tolerates everything by itself; spot nodes are the fabric's own matter on AWS."""
    more = {"other_taints": {"spot": "yes", "held": "*"}, "registries": MIRRORS}
    aws, google, plugged = drivers("al2023", nic_registry="r.example", **more), drivers("cos", **more), plugins(**more)
    assert aws.gpu and aws.nic and google.nic and google.gpu and plugged.gpu and plugged.nic

    assert [each["key"] for each in aws.gpu.values["kubeletPlugin"]["tolerations"]] == [
        "nvidia.com/gpu",
        "spot",
        "held",
    ]
    assert [each["key"] for each in aws.nic.values["tolerations"]] == ["nvidia.com/gpu", "held"]
    assert "tolerations" not in google.nic.values
    assert aws.nic.values["image"]["repository"] == "r.example/eks/dranet"
    assert all(each.chart.chart.startswith("oci://m.example/k8s/") for each in (aws.gpu, google.gpu, google.nic))
    assert google.pause.startswith("m.example/gke/pause:")
    assert plugged.gpu.values["image"]["repository"] == "m.example/nv/nvidia/k8s-device-plugin"
    assert plugged.nic.values["supportedInstanceLabels"] == {"keys": ["pool"], "values": ["a", "b"]}


ARGS: dict[Any, dict[str, Any]] = {
    plan_dra_drivers: {"host": "cos", "gpu_nodes": NODES, "nic_nodes": NODES},
    plan_device_plugins: {"nodes": NODES, "nic_plugin": "efa"},
    plan_nccl_installer: {"fabric": "gib", "nodes": NODES},
}


@pytest.mark.parametrize(
    ("plan", "wrong"),
    [
        *((plan, {"registries": {"x y": "z"}}) for plan in ARGS),
        *((plan, {"nic_registry": "x y"}) for plan in (plan_dra_drivers, plan_device_plugins)),
        (plan_dra_drivers, {"host": "x"}),
        *((plan_dra_drivers, {"nic_driver": each}) for each in ("dranett", "gke-managed", "aws-dranet")),
        (plan_device_plugins, {"nic": ManagedBy.MANAGED}),
        (plan_device_plugins, {"nic_plugin": "x"}),
        # The chart of this plugin is the Network Operator's.
        (plan_device_plugins, {"nic_plugin": "network-operator-rdma-ib"}),
        (plan_nccl_installer, {"fabric": "x"}),
        # A plugin and a daemon alike need hosts.
        *((plan_nccl_installer, {"fabric": each, "nodes": NONE}) for each in ("gib", "gib-metal")),
    ],
)
def test_what_is_refused_has_no_plan_and_one_error(plan: Any, wrong: dict[str, Any]):
    errors = ErrorList()

    assert plan({**ARGS[plan], **wrong}, errors) is None
    (error,) = errors.found()
    assert error.path[0] in wrong


def needed(*pools: GpuPool, beside: bool = False, context: ClusterContext = CONTEXT) -> DraDriversPlan | None:
    """Plan the drivers that pools of one cluster need."""
    made = drivers_for(replace(context, channels_beside_plugins=beside), pools, CHOICE, errors := ErrorList())
    assert not errors
    return made.plan if made else None


@pytest.mark.parametrize(
    ("pools", "beside", "gpus", "nics"),
    [
        ((GIB, NICS), False, [GIB], [GIB, NICS]),
        ((NICS,), False, [], [NICS]),
        ((replace(NAMED, allocation=DRA),), False, [NAMED], []),
        # Racks need the driver for their channels, where their cloud wants them beside a device plugin.
        ((NICS, RACKS), True, [RACKS], [NICS, RACKS]),
        ((GIB, RACKS), True, [GIB], [GIB, RACKS]),
        ((NICS, RACKS), False, [], [NICS, RACKS]),
        ((NICS,), True, [], [NICS]),
    ],
)
def test_a_driver_is_on_the_pools_whose_devices_are_claimed(
    pools: tuple[GpuPool, ...], beside: bool, gpus: list[GpuPool], nics: list[GpuPool]
):
    made = needed(*pools, beside=beside)
    assert made is not None

    assert made.gpu_nodes["values"] == [each.name for each in gpus]
    assert made.nic_nodes["values"] == [each.name for each in nics]
    assert made.gpu_nodes["nodes"] == sum(each.nodes for each in gpus)


@pytest.mark.parametrize(("readiness", "held"), [(None, False), (OFF, False), (ON, True)])
def test_software_reaches_nodes_that_are_held(readiness: Any, held: bool):
    """Whatever makes a node ready tolerates that it is not; work does not."""
    context = replace(CONTEXT, other_taints={"spot": "yes"})
    made = software_context(context, choose(readiness=readiness))

    assert made.other_taints == {"spot": "yes", **({HELD: "*"} if held else {})}
    assert context.other_taints == {"spot": "yes"}


def test_a_plugin_of_hosts_is_installed_once_on_all_pools_that_need_it():
    """A daemon alone counts as one; an error is told of each, and then none has a plan."""
    metal = pool("metal", "a4x-maxgpu-4g-metal", "gib-metal", PLUGIN)
    made = installers_for(CONTEXT, [NAMED, EFA, metal, GIB, MANAGED], ErrorList())

    assert [(name, each.plan.nodes["values"]) for name, each in made.items()] == [
        ("gib", ["gib", "managed"]),
        ("gib-metal", ["metal"]),
        ("tcpxo", ["named"]),
    ]
    assert [[each.name for each in made[name].plan.daemons] for name in ("gib", "gib-metal", "tcpxo")] == [
        [],
        ["asapd-lite"],
        ["nri-device-injector"],
    ]
    assert installers_for(WRONG, [GIB, NAMED], errors := ErrorList()) == {} and errors


def test_somebody_must_bring_the_classes_of_a_driver_that_is_there():
    """There is one warning for each class; a driver that we install, or that the cloud brings, brings its own."""
    told = missing_classes([MANAGED, EFA, GIB, NICS, NAMED], {"nic": ManagedBy.EXISTING})

    assert [each.partition("DeviceClass ")[2].partition(",")[0] for each in told] == [
        *("dranet", "efa.networking.k8s.aws", "mrdma.google.com")
    ]
    assert missing_classes([GIB], {}) == missing_classes([GIB], {"nic": ManagedBy.MANAGED}) == []
