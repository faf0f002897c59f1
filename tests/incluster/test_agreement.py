"""Components of one program on one cluster say the same of it, in whatever order they are made."""

from collections.abc import Callable, Iterable
from functools import partial
from random import Random
from typing import Any

import pulumi
import pytest
from pulumi_offline import Graph, preview
from rdma_cluster.incluster.plan.dra_drivers import ManagedBy
from rdma_cluster.incluster.plan.pool import NodePools
from rdma_cluster.incluster.plan.statements import statements

NODES: Any = {"label": "pool", "values": ["p5"], "nodes": 2}
TEST: Any = {
    "pools": [{"name": "p5", "machine": "p5.48xlarge", "nodes": 2}],
    "pool_label": "pool",
    "taint": {"key": "nvidia.com/gpu", "value": "present"},
}


def drivers(host: str, opts: pulumi.ResourceOptions | None = None) -> None:
    """Make the drivers of one pool, with all defaults."""
    from rdma_cluster.incluster import DraDrivers

    DraDrivers(f"drivers-{host}", {"host": host, "gpu_nodes": NODES, "nic_nodes": NODES}, opts)


def claims(machine: str, opts: pulumi.ResourceOptions | None = None) -> None:
    """Make claim templates with all defaults."""
    from rdma_cluster.incluster import ClaimTemplates

    ClaimTemplates(f"claims-{machine}", {"machines": [machine]}, opts)


def proof(opts: pulumi.ResourceOptions | None = None) -> None:
    """Make the acceptance test of the same pool."""
    from rdma_cluster.incluster import NcclAcceptance

    NcclAcceptance("proof", TEST, opts)


def make_all(makers: Iterable[Callable[[], None]]) -> None:
    """Run a program of some components."""
    for make in makers:
        make()


def shuffled(seed: int, *makers: Callable[[], None]) -> Callable[[], None]:
    """Return a program that makes components in an order that a seed draws."""
    return partial(make_all, Random(seed).sample(makers, len(makers)))


def classes(graph: Graph) -> set[str]:
    """Return the DeviceClasses that claims of a graph name."""
    templates = graph.of_type("kubernetes:resource.k8s.io/v1:ResourceClaimTemplate")
    requests = [each for template in templates for each in template.inputs["spec"]["spec"]["devices"]["requests"]]
    return {each["exactly"]["deviceClassName"] for each in requests}


@pytest.mark.parametrize(
    ("host", "machine", "release", "nics"),
    [
        ("al2023", "p5.48xlarge", "aws-dranet", "efa.networking.k8s.aws"),
        ("cos", "a4-highgpu-8g", "dranet", "dranet"),
        ("ubuntu-aks", "Standard_ND96isr_H100_v5", "dranet", "dranet"),
    ],
)
def test_drivers_and_claims_fit_by_default(host: str, machine: str, release: str, nics: str):
    graph = preview(partial(make_all, (partial(drivers, host), partial(claims, machine))))

    assert release in {each.inputs["name"] for each in graph.of_type("kubernetes:helm.sh/v3:Release")}
    assert classes(graph) == {"gpu.nvidia.com", nics}


MAKERS = (partial(drivers, "al2023"), partial(claims, "p5.48xlarge"), partial(claims, "p5e.48xlarge"), proof)


@pytest.mark.parametrize("seed", range(4))
def test_components_that_agree_make_the_same_in_any_order(seed: int):
    """What a component makes follows from its args alone."""
    assert preview(shuffled(seed, *MAKERS)).to_dict() == preview(partial(make_all, MAKERS)).to_dict()


@pytest.mark.parametrize("seed", range(4))
def test_components_that_disagree_are_refused_in_any_order(seed: int):
    """The later of two is blamed, whichever it is, and the error names the other; nothing of the run is left behind."""
    makers = (partial(drivers, "cos"), *MAKERS[1:])
    with pytest.raises(pulumi.InputPropertiesError, match="on the same cluster") as refused:
        preview(shuffled(seed, *makers))

    words = str(refused.value.message) + "".join(each["reason"] for each in refused.value.errors or ())
    assert "gke" in words and "eks" in words
    preview(shuffled(seed, *makers[1:]))


RECORD: NodePools = {**TEST, "host": "al2023"}


def by_record(more: dict[str, Any] | None = None) -> None:
    """Make the components of a cluster from one record of its nodes, some with keys of their own."""
    from rdma_cluster import incluster

    more = more or {}
    for name, keys in {
        "DraDrivers": {},
        "NcclInstaller": {},
        "ClaimTemplates": {},
        "PodFiles": {"namespaces": ["default"]},
        "NcclAcceptance": {},
        "Queues": {},
        "FabricInjection": {"version": "1.36"},
        "Monitoring": {},
        "NodeReadiness": {},
    }.items():
        getattr(incluster, name)("t", {**RECORD, **keys, **more.get(name, {})})


def test_every_component_takes_one_record_of_the_nodes():
    """And makes what it makes of its own keys, which 0.1.0 had."""
    from rdma_cluster import incluster

    def by_hand() -> None:
        incluster.DraDrivers("t", {"host": "al2023", "gpu_nodes": NODES, "nic_nodes": NODES})
        incluster.NcclInstaller("t", {"fabric": "efa", "nodes": NODES})
        incluster.ClaimTemplates("t", {"machines": ["p5.48xlarge"]})
        incluster.PodFiles("t", {"namespaces": ["default"], "pools": TEST["pools"]})

    made = {each.urn: each for each in preview(by_record).resources if ":index:" not in each.type}
    wanted = [each for each in preview(by_hand).resources if ":index:" not in each.type]
    assert len(wanted) > 10
    assert [each.urn for each in wanted if made.get(each.urn) != each] == []


def test_components_of_two_records_are_refused():
    other = {"DraDrivers": {"pools": [{"name": "p5", "machine": "p5e.48xlarge", "nodes": 2}]}}
    with pytest.raises(pulumi.InputPropertiesError, match=r"the machine of nodes pool=p5 is .* on the same cluster"):
        preview(partial(by_record, other))


def test_a_component_must_agree_with_the_whole_cluster_whose_provider_it_has():
    from rdma_cluster.eks import EksCluster

    def program() -> None:
        subnets: Any = [{"subnet": f"subnet-{zone}", "zone": f"us-east-2{zone}"} for zone in "ab"]
        admins = ["arn:aws:iam::111122223333:role/admin"]
        cluster = EksCluster("eks", {"region": "us-east-2", "subnets": subnets, "admins": admins})
        opts = pulumi.ResourceOptions(provider=cluster.provider)
        drivers("al2023", opts)
        claims("a4-highgpu-8g", opts)

    with pytest.raises(pulumi.InputPropertiesError, match="gke here, and eks for DraDrivers"):
        preview(program)


A = {"label": "pool", "values": ["a"], "nodes": 2}
GPUS, NICS = "what hands out the GPUs of nodes pool=", "what hands out the NICs of nodes pool="


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (
            {"gpu_nodes": {**A, "values": ["a", "b"]}, "nic_nodes": A, "nic_driver": "dranet"},
            {f"{GPUS}a": "dra", f"{GPUS}b": "dra", f"{NICS}a": "dranet"},
        ),
        # With channels alone, the GPUs are a device plugin's.
        ({"gpu_nodes": A, "channels_alone": True}, {f"{GPUS}a": "device-plugin"}),
        # Nothing is known of what somebody else installs.
        ({"nodes": A, "nic_plugin": "efa", "nic": ManagedBy.EXISTING}, {f"{GPUS}a": "device-plugin"}),
        (
            {"machines": ["nobodys"], "nic_only_machines": ["p5.48xlarge"]},
            {"the cloud": "eks", "the DRA driver of the NICs of p5.48xlarge": "aws-dranet"},
        ),
        (
            {
                "pools": [
                    {"name": "x", "machine": "nobodys", "fabric": "efa"},
                    {"name": "y", "machine": "p5.48xlarge", "fabric": "efa-device-plugin"},
                ],
                "pool_label": "pool",
            },
            {
                "the cloud": "eks",
                "the machine of nodes pool=y": "p5.48xlarge",
                "the fabric of nodes pool=y": "efa-device-plugin",
                "the NCCL plugin of nodes pool=y": "aws-ofi-nccl",
                f"{GPUS}y": "device-plugin",
                f"{NICS}y": "efa",
            },
        ),
    ],
)
def test_args_say_of_the_cluster_what_follows_from_them(args: dict[str, Any], expected: dict[str, str]):
    """What a component's args do not say is left to others."""
    assert {each.subject: each.value for each in statements(args)} == expected
