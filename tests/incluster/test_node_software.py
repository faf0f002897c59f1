"""Which pools need which software on their nodes, of pools of many kinds in one cluster."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.fabrics import FABRICS, Claims, ExtendedResource
from rdma_cluster.incluster.plan import node_software
from rdma_cluster.incluster.plan.context import ClusterContext
from rdma_cluster.incluster.plan.dra_drivers import ManagedBy
from rdma_cluster.incluster.plan.node_software import (
    device_plugins_for,
    drivers_for,
    installers_for,
    missing_classes,
    software_context,
)
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.incluster.pools import (
    CHOICE,
    CLAIMED_RACKS,
    CONTEXT,
    DRA,
    EFA,
    GIB,
    HELD,
    MANAGED,
    NAMED,
    NICS,
    PLUGGED,
    PLUGIN,
    RACKS,
    WITH_FILES,
    choose,
    nodes,
    pool,
)


def drivers(*pools: GpuPool, beside: bool = False, context: ClusterContext = CONTEXT) -> Any:
    """The args that DRA drivers are planned from, or none."""
    claimed = [each for each in pools if isinstance(each.fabric.nic_attachment, Claims)]
    context, errors = replace(context, channels_beside_plugins=beside), ErrorList()
    with pytest.MonkeyPatch.context() as patch:
        seen = recorded(patch, "plan_dra_drivers")
        made = drivers_for(context, pools, claimed, CHOICE, errors)
    assert not errors
    return None if made is None else seen.pop()


def recorded(patch: pytest.MonkeyPatch, plan: str) -> list[Any]:
    """The args of each call of a plan function, from now on."""
    seen: list[Any] = []
    make_plan = getattr(node_software, plan)
    patch.setattr(node_software, plan, lambda args, errors: seen.append(args) or make_plan(args, errors))
    return seen


@pytest.mark.parametrize(
    ("pools", "beside", "args"),
    [
        ((GIB, NICS), False, {"gpu_nodes": nodes(GIB), "nic_nodes": nodes(GIB, NICS), "nic_driver": "dranet"}),
        ((NICS,), False, {"gpu_nodes": nodes(), "nic_nodes": nodes(NICS), "nic_driver": "dranet"}),
        # What the cloud brings is no choice of a chart, before or behind another one.
        ((MANAGED, GIB), False, {"nic_driver": "dranet", "nic_nodes": nodes(MANAGED, GIB)}),
        ((GIB, MANAGED), False, {"nic_driver": "dranet"}),
        ((MANAGED,), False, {"nic_driver": None, "gpu_nodes": nodes(MANAGED), "compute_domains": False}),
        # Claimed GPUs beside NICs that nobody claims.
        ((replace(NAMED, allocation=DRA),), False, {"nic_nodes": nodes(), "gpu_nodes": nodes(NAMED)}),
        # Channels: of racks whose GPUs are claimed always, of others where their cloud wants them.
        ((GIB, CLAIMED_RACKS), False, {"compute_domains": True, "channels_alone": None}),
        ((GIB, RACKS), True, {"compute_domains": False, "channels_alone": None, "gpu_nodes": nodes(GIB)}),
        ((NICS, RACKS), True, {"compute_domains": True, "channels_alone": True, "gpu_nodes": nodes(RACKS)}),
        ((NICS, RACKS), False, {"compute_domains": False, "channels_alone": None, "gpu_nodes": nodes()}),
        ((NICS,), True, {"compute_domains": False, "channels_alone": None, "gpu_nodes": nodes()}),
    ],
)
def test_pools_that_need_dra_drivers(pools: tuple[GpuPool, ...], beside: bool, args: dict[str, Any]):
    """Those whose GPUs or NICs are claimed, and racks for their channels; each driver on its own pools' nodes."""
    made = drivers(*pools, beside=beside)

    assert {key: made.get(key) for key in args} == args


@pytest.mark.parametrize("pools", [(NAMED,), (NAMED, PLUGGED), ()])
def test_nobody_claims(pools: tuple[GpuPool, ...]):
    """No driver is installed."""
    assert drivers(*pools) is None


def test_a_rack_alone_gets_channels():
    """Where its NICs and GPUs are nobody's to claim."""
    alone = replace(RACKS, fabric=FABRICS["gib-arm64-pod-networks"])

    assert drivers(alone, beside=True)["channels_alone"] is True
    assert drivers(alone, beside=False) is None


def test_drivers_are_told_of_their_cluster():
    """Its host, taints and registries; what it does not have is left out."""
    context = replace(CONTEXT, host="al2023", nic_registry="r.example", other_taints={"spot": "yes"})
    told, bare = drivers(EFA, context=context), drivers(GIB)

    assert (told["host"], told["nic_registry"], told["other_taints"]) == ("al2023", "r.example", {"spot": "yes"})
    assert bare.keys() == {"registries", "host", "gpu_nodes", "nic_nodes", "compute_domains", "nic_driver"}


def test_the_choice_of_drivers_is_checked_where_there_are_none():
    """A wrong mirror is told all the same, by whoever looks."""
    errors = ErrorList()
    wrong = replace(CONTEXT, registries={"x y": "z"})

    assert drivers_for(wrong, [NAMED], [], CHOICE, errors) is None
    assert [error.path for error in errors.found()] == [("registries", "x y")]


@pytest.mark.parametrize(("readiness", "held"), [(None, False), ({"enabled": False}, False), ({"enabled": True}, True)])
def test_software_reaches_nodes_that_are_held(readiness: Any, held: bool):
    """Whatever makes a node ready tolerates that it is not; work does not."""
    context = replace(CONTEXT, other_taints={"spot": "yes"})
    made = software_context(context, choose(readiness=readiness))

    assert made.other_taints == {"spot": "yes", **({HELD: "*"} if held else {})}
    assert context.other_taints == {"spot": "yes"}


def test_pools_that_need_device_plugins(monkeypatch: pytest.MonkeyPatch):
    """Those with EFA's; what an operator of the cloud brings needs none of ours."""
    by_operator = WITH_FILES
    assert isinstance(by_operator.fabric.nic_attachment, ExtendedResource)
    context = replace(CONTEXT, nic_registry="r.example", other_taints={"spot": "yes", HELD: "*"})
    context = replace(context, registries={"a.example": "b.example"})
    choice = replace(CHOICE, drivers={"nic": ManagedBy.EXISTING})
    seen = recorded(monkeypatch, "plan_device_plugins")

    assert device_plugins_for(context, [by_operator, PLUGGED], choice, ErrorList()) is not None
    assert device_plugins_for(CONTEXT, [PLUGGED], CHOICE, ErrorList()) is not None
    made, bare = seen
    # Spot nodes are the fabric's own matter: its chart tolerates what its values say.
    assert made == {
        "nic": ManagedBy.EXISTING,
        "registries": {"a.example": "b.example"},
        "nodes": nodes(by_operator, PLUGGED),
        "nic_plugin": "efa",
        "nic_registry": "r.example",
        "other_taints": {HELD: "*"},
    }
    assert bare == {"registries": {}, "nodes": nodes(PLUGGED), "nic_plugin": "efa"}
    assert device_plugins_for(CONTEXT, [by_operator], CHOICE, ErrorList()) is None
    assert device_plugins_for(CONTEXT, [], CHOICE, ErrorList()) is None


def test_device_plugins_that_cannot_be():
    """An error is told, and there is no plan."""
    errors = ErrorList()

    assert device_plugins_for(replace(CONTEXT, registries={"x y": "z"}), [PLUGGED], CHOICE, errors) is None
    assert errors


def test_plugins_that_go_on_hosts():
    """Each once, on the nodes of all pools that need it, in the order of the alphabet; a daemon alone is one, too."""
    metal = pool("metal", "a4x-maxgpu-4g-metal", "gib-metal", PLUGIN)
    made = installers_for(
        replace(CONTEXT, registries={"us-docker.pkg.dev": "b.example"}), [NAMED, EFA, metal, GIB, MANAGED], ErrorList()
    )

    assert {name: (each.plan.workload.fabric.name, each.plan.nodes) for name, each in made.items()} == {
        "gib": ("gib", nodes(GIB, MANAGED)),
        "gib-metal": ("gib-metal", nodes(metal)),
        "tcpxo": ("tcpxo", nodes(NAMED)),
    }
    assert list(made) == ["gib", "gib-metal", "tcpxo"]
    assert all(each.plan.workload.registries == {"us-docker.pkg.dev": "b.example"} for each in made.values())


def test_plugins_that_cannot_go_on_hosts():
    """An error is told of each, and none has a plan."""
    errors = ErrorList()

    assert installers_for(replace(CONTEXT, registries={"x y": "z"}), [GIB, NAMED], errors) == {}
    assert errors


@pytest.mark.parametrize("choice", [{}, {"nic": ManagedBy.INSTALLED}, {"nic": ManagedBy.MANAGED}])
def test_classes_that_come_with_a_driver(choice: Any):
    """Nobody has to bring them."""
    assert missing_classes([GIB], choice) == []


def test_classes_that_somebody_must_bring():
    """One warning for each class, in the order of the alphabet, whatever that of the pools; claims name no others."""
    told = missing_classes([MANAGED, EFA, GIB, NICS, NAMED], {"nic": ManagedBy.EXISTING})

    assert [each.partition("DeviceClass ")[2].partition(",")[0] for each in told] == [
        "dranet",
        "efa.networking.k8s.aws",
        "mrdma.google.com",
    ]
