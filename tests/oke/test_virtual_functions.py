"""Virtual functions: their custom resources as Oracle's stack writes them (oci-hpc-oke@61d210a), and the Job before."""

import json
from functools import cache
from typing import Any

import pytest
from pulumi_offline import Graph
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog.images import JUDGE_PYTHON
from rdma_cluster.oke.plan.virtual_functions import (
    OkeVirtualFunctionsArgs,
    VirtualFunctionsPlan,
    plan_virtual_functions,
)
from tests.oke.plans import IN_EXISTING, STACK_POOL, built, made, places, refused, row, whole_plan

BOTH = ["BM.GPU.H100.8", "BM.GPU.B200.8"]
TYPE = "node.kubernetes.io/instance-type"
SRIOV = {"nic_attachment": "sriov", "resource": "nvidia.com/mlnxnics"}


def planned(*machines: str, **more: Any) -> VirtualFunctionsPlan:
    """The plan of the functions of these shapes."""
    return plan_from(OkeVirtualFunctionsArgs, plan_virtual_functions, {"machines": list(machines), **more})


def of_kind(plan: VirtualFunctionsPlan, kind: str) -> list[Any]:
    """The specs of all objects of a kind."""
    return [each["spec"] for each in plan.objects.values() if each["kind"] == kind]


@cache
def graph() -> Graph:
    """The virtual functions of one shape."""
    return built("OkeVirtualFunctions", {"machines": ["BM.GPU.B200.8"]})


def test_each_shape_has_a_policy_of_its_rdma_ports():
    """Its functions are made by the host's own software, one for each port."""
    plan = planned(*BOTH, *BOTH)
    policies = of_kind(plan, "SriovNetworkNodePolicy")

    assert [each["nodeSelector"] for each in policies] == [{TYPE: machine} for machine in BOTH]
    for machine, policy in zip(BOTH, policies, strict=True):
        assert policy["nicSelector"]["rootDevices"] == list(row(machine).nic_pci or ())
        assert (policy["externallyManaged"], policy["isRdma"], policy["numVfs"]) == (True, True, 1)
        assert (policy["mtu"], policy["resourceName"]) == (4220, "rdma-vf")
    assert {each["metadata"]["namespace"] for each in plan.objects.values()} == {"nvidia-network-operator"}


def test_sixteen_ports_share_a_subnet_and_each_answers_for_itself():
    (network,) = of_kind(planned("BM.GPU.B200.8", resource="nvidia.com/mlnxnics"), "SriovNetwork")
    tuning, *others = json.loads(f"[{network['metaPlugins']}]")
    (pool,) = of_kind(planned("BM.GPU.B200.8"), "IPPool")

    assert (network["resourceName"], network["networkNamespace"]) == ("mlnxnics", "default")
    assert network["spoofChk"] == "off"
    assert (json.loads(network["ipam"])["poolName"], pool["subnet"]) == ("sriov-pool", "192.168.0.0/16")
    assert (tuning["mtu"], others) == (4220, [{"type": "rdma"}, {"type": "sbr"}])
    assert {key.rpartition(".")[2]: value for key, value in tuning["sysctl"].items()} == {
        "arp_announce": "2",
        "arp_filter": "1",
        "arp_ignore": "1",
        "rp_filter": "0",
        "accept_local": "1",
    }


def test_nodes_drain_in_waves_and_those_of_an_existing_cluster_one_by_one():
    """The functions of a stack have the name that its pods ask for."""
    pools = [STACK_POOL, {**STACK_POOL, "name": "b", "machine": "BM.GPU.B200.8"}]
    new, there = (whole_plan(pools, rdma=SRIOV, **more).virtual_functions for more in ({}, IN_EXISTING))

    assert new is not None and there is not None
    assert (new.args["machines"], new.args.get("resource")) == (BOTH, "nvidia.com/mlnxnics")
    (together,), (alone,) = (of_kind(plan, "SriovNetworkPoolConfig") for plan in (new, there))
    assert (together["maxUnavailable"], alone["maxUnavailable"]) == ("25%", "1")
    assert together["nodeSelector"]["matchExpressions"] == [{"key": TYPE, "operator": "In", "values": BOTH}]
    assert whole_plan(pools).virtual_functions is None


@pytest.mark.parametrize(
    ("machines", "found"),
    [
        (BOTH, []),
        (["BM.GPU.H100.8", "BM.GPU.GB200-v3.4"], ["machines"]),
        (["BM.GPU.H200-NC.8"], ["machines[0]"]),
        ([], ["machines"]),
    ],
)
def test_shapes_of_one_network_have_functions_and_one_mtu(machines: list[str], found: list[str]):
    assert places(refused(planned, *machines)) == found


def test_the_image_of_the_waiting_job_comes_from_a_mirror():
    registry = JUDGE_PYTHON.image.partition("/")[0]

    mirrored = planned("BM.GPU.H100.8", registries={registry: "mirror.example/q"}).waiter
    assert mirrored == JUDGE_PYTHON.image.replace(registry, "mirror.example/q")


def test_the_job_outlives_its_script_and_the_engine_waits_as_long():
    """Its script says what is missing before the deadline; a new one takes its place."""
    inputs, options, _ = made(graph(), "Job", "oke-definitions")
    (container,) = inputs["spec"]["template"]["spec"]["containers"]
    waits = next(int(word) for word in container["command"] if word.isdigit())

    assert waits < inputs["spec"]["activeDeadlineSeconds"] <= int(options["customTimeouts"]["create"][:-1])
    assert options["deleteBeforeReplace"]
    assert inputs["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"] == "await-definitions"


def test_the_job_may_look_at_the_definitions_that_it_waits_for_and_nothing_else():
    (container,) = made(graph(), "Job", "oke-definitions")[0]["spec"]["template"]["spec"]["containers"]
    (rule,) = made(graph(), "ClusterRole", "oke-definitions")[0]["rules"]
    security = container["securityContext"]

    assert rule["resourceNames"] == [word for word in container["command"] if "." in word and "/" not in word]
    assert (rule["resources"], rule["verbs"]) == (["customresourcedefinitions"], ["get"])
    assert len(rule["resourceNames"]) == len({each["kind"] for each in planned(*BOTH).objects.values()})
    assert security["runAsNonRoot"] and security["readOnlyRootFilesystem"]
    assert security["capabilities"] == {"drop": ["ALL"]}


def test_objects_come_when_their_kinds_are_served():
    for name in planned("BM.GPU.B200.8").objects:
        (found,) = [each for each in graph().resources if each.name == f"oke-{name}"]
        assert any(urn.endswith("Job::oke-definitions") for urn in found.dependencies)
    _, _, after = made(graph(), "Job", "oke-definitions")
    assert after == {"Namespace oke-definitions", "ClusterRoleBinding oke-definitions", "ConfigMap oke-definitions"}
