"""The network of an OKE stack: what is made, what exists, and what each choice has to do with it."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList, Refused
from rdma_cluster.oke.plan.existing import plan_networks, services_of
from rdma_cluster.oke.plan.network import OkeNetworkPlan
from rdma_cluster.oke.plan.zones import Place
from tests.oke.plans import CLUSTER, COMPARTMENT, EXISTING_NETWORK, IN_CLUSTER, REGION, STACK_POOL, places, whole_plan

FLANNEL = {"cni": "flannel"}
OF_CLUSTER = {"existing": {"id": CLUSTER}, "name": "c"}


def planned(
    choice: dict[str, Any],
    kubernetes: dict[str, Any] | None = None,
    pools: list[dict[str, Any]] | None = None,
    lustre: bool = False,
) -> tuple[OkeNetworkPlan | None, list[str]]:
    """The network of a stack's choice, and what is refused of it."""
    errors = ErrorList()
    given: Any = (choice, kubernetes or {}, [STACK_POOL] if pools is None else pools)
    plan = plan_networks(*given, place=Place(**IN_CLUSTER), lustre=lustre, errors=errors)
    return plan, [str(error) for error in errors.found()]


def refused_at(choice: dict[str, Any], kubernetes: dict[str, Any] | None = None, *pools: dict[str, Any]) -> list[str]:
    """Where a choice is refused."""
    return places(planned(choice, kubernetes, list(pools) or [STACK_POOL])[1])


def existing(**more: Any) -> dict[str, Any]:
    """A network that is there, with this changed."""
    return {"existing": {**EXISTING_NETWORK["existing"], **more}}


def test_a_new_network_is_of_its_stack():
    kubernetes = {"cni": "flannel", "public_cidrs": ["203.0.113.7/32"]}
    plan, errors = planned({"cidr": "10.8.0.0/16"}, kubernetes, lustre=True)

    assert errors == [] and plan is not None
    of_stack = {"region": REGION, "compartment": COMPARTMENT, **kubernetes, "dual_stack": False, "lustre": True}
    assert plan.args == {"cidr": "10.8.0.0/16", **of_stack}
    plain, _ = planned({}, {"dual_stack": True})
    assert plain is not None and "lustre" not in plain.args and plain.args["dual_stack"]


def test_a_network_that_exists_is_not_made():
    """In an existing cluster that adopts nodes alone nothing needs a network."""
    assert planned(existing()) == planned(existing(), OF_CLUSTER) == planned({}, OF_CLUSTER, pools=[]) == (None, [])
    assert refused_at({}, {"existing": {"id": CLUSTER}}) == ["kubernetes.name", "network.existing"]


@pytest.mark.parametrize("pools", [[], [STACK_POOL]], ids=["adopted alone", "pools"])
@pytest.mark.parametrize("key", ["service_cidr", "pod_cidr"])
def test_an_existing_cluster_has_its_own_blocks(key: str, pools: list[dict[str, Any]]):
    choice = {**existing(), key: "10.96.0.0/16"}

    assert places(planned(choice, OF_CLUSTER, pools)[1]) == [f"network.{key}"]
    assert refused_at(choice) == []


def test_an_existing_network_takes_no_choices_of_a_new_one():
    """They are refused in one order; what asks for nothing may stand beside it."""
    choice = {"max_pods": 64, "cidr": "10.8.0.0/16", "stateless_rules": True, **existing(), "host_ports": [9100]}

    assert refused_at(choice) == ["network.cidr", "network.host_ports", "network.max_pods", "network.stateless_rules"]
    assert refused_at({**existing(), "stateless_rules": False, "public_load_balancers": False}) == []
    assert refused_at({**existing(), "public_load_balancers": True}) == ["network.public_load_balancers"]


@pytest.mark.parametrize(
    ("cidrs", "errors"),
    [
        (["10.1.0.0/16", "10.0.0.0/16"], []),
        (["10.1.0.0/16", "10.2.0.0/16"], ["network.existing.pod_subnet_cidr"]),
        (["10.1.0.0/33"], ["network.existing.cidrs[0]"]),
    ],
)
def test_pods_are_within_a_block_of_the_vcn(cidrs: list[str], errors: list[str]):
    """A block without form is refused once, as what it is."""
    assert refused_at(existing(cidrs=cidrs, pod_subnet_cidr="10.0.64.0/18")) == errors


@pytest.mark.parametrize(("nodes", "max_pods", "fits"), [(3, 76, True), (3, 77, False), (2, 110, True), (4, 64, False)])
def test_pods_of_all_nodes_have_room(nodes: int, max_pods: int, fits: bool):
    """Of the /23's 512 addresses OCI keeps three, and 3 system nodes of 93 pods take 279."""
    pool = {**STACK_POOL, "nodes": nodes, "max_pods": max_pods}

    errors = planned(existing(pod_subnet_cidr="10.0.64.0/23"), {}, [pool])[1]
    assert (errors == []) is fits and all("/22" in each for each in errors)


@pytest.mark.parametrize(
    ("ceiling", "pods", "fits"), [(None, None, True), (None, 110, False), (40, 40, True), (40, 41, False)]
)
def test_a_pool_s_pods_fit_the_subnet_that_is_cut_for_them(ceiling: int | None, pods: int | None, fits: bool):
    """Pods of flannel need none of it; a pool that says nothing takes the default of both."""
    choice = {} if ceiling is None else {"max_pods": ceiling}
    pools = {**STACK_POOL, "name": "b"}, {**STACK_POOL, **({} if pods is None else {"max_pods": pods})}

    assert refused_at(choice, {}, *pools) == ([] if fits else ["pools[1].max_pods"])
    assert refused_at(choice, FLANNEL, *pools) == []


def test_services_and_pods_keep_clear_of_the_vcn_and_of_each_other():
    errors, of_new = ErrorList(), ErrorList()
    choice: Any = {**existing(cidrs=["10.0.0.0/16", "wrong", "10.96.0.0/12"]), "pod_cidr": "10.240.0.0/12"}
    kubernetes: Any = FLANNEL
    none: Any = {}

    assert services_of(choice, kubernetes, errors) == ("10.96.0.0/16", "10.240.0.0/12")
    (error,) = errors.found()
    assert str(error).startswith("service_cidr: ") and "10.96.0.0/12" in str(error)
    services_of({"cidr": "10.96.0.0/16"}, none, of_new)
    assert [each.path for each in of_new.found()] == [("service_cidr",)]
    with pytest.raises(Refused, match=r"network.pod_cidr: 10.96.0.0/12 overlaps"):
        whole_plan([STACK_POOL], kubernetes=FLANNEL, network={"pod_cidr": "10.96.0.0/12"})
