"""Components of one program on one cluster say the same of it."""

from collections.abc import Callable, Iterable
from functools import partial
from random import Random
from typing import Any

import pulumi
import pytest
from pulumi_offline import Graph, preview

NODES: Any = {"label": "pool", "values": ["p5"], "nodes": 2}
TEST: Any = {
    "pools": [{"name": "p5", "machine": "p5.48xlarge", "nodes": 2}],
    "pool_label": "pool",
    "taint": {"key": "nvidia.com/gpu", "value": "present"},
}


def drivers(host: str, opts: pulumi.ResourceOptions | None = None) -> None:
    """For one pool, with all defaults."""
    from rdma_cluster.incluster import DraDrivers

    DraDrivers(f"drivers-{host}", {"host": host, "gpu_nodes": NODES, "nic_nodes": NODES}, opts)


def claims(machine: str, opts: pulumi.ResourceOptions | None = None) -> None:
    """With all defaults."""
    from rdma_cluster.incluster import ClaimTemplates

    ClaimTemplates(f"claims-{machine}", {"machines": [machine]}, opts)


def proof(opts: pulumi.ResourceOptions | None = None) -> None:
    """Of the same pool."""
    from rdma_cluster.incluster import NcclAcceptance

    NcclAcceptance("proof", TEST, opts)


def classes(graph: Graph) -> set[str]:
    """DeviceClasses that claims of a graph name."""
    templates = graph.of_type("kubernetes:resource.k8s.io/v1:ResourceClaimTemplate")
    requests = [each for template in templates for each in template.inputs["spec"]["spec"]["devices"]["requests"]]
    return {each["exactly"]["deviceClassName"] for each in requests}


@pytest.mark.parametrize(
    ("host", "machine", "release", "nics"),
    [
        ("al2023", "p5.48xlarge", "aws-dranet", "efa.networking.k8s.aws"),
        ("cos", "a4-highgpu-8g", "dranet", "dranet"),
        ("ubuntu-aks", "Standard_ND96isr_H100_v5", "dranet", "dranet"),
        ("ubuntu-oke", "BM.GPU.H100.8", "dranet", "dranet"),
    ],
)
def test_defaults_follow_the_machine_and_the_host(host: str, machine: str, release: str, nics: str):
    """Drivers and claims that nobody tuned to each other fit."""

    def program() -> None:
        drivers(host)
        claims(machine)

    graph = preview(program)

    assert release in {each.inputs["name"] for each in graph.of_type("kubernetes:helm.sh/v3:Release")}
    assert classes(graph) == {"gpu.nvidia.com", nics}


def test_claims_of_a_test_fit_drivers_and_templates():
    """The program of the first report: three components, no key about drivers."""

    def program() -> None:
        drivers("al2023")
        claims("p5.48xlarge")
        proof()

    assert classes(preview(program)) == {"gpu.nvidia.com", "efa.networking.k8s.aws"}


def shuffled(seed: int, *makers: Callable[[], None]) -> Callable[[], None]:
    """A program that makes components in an order that a seed draws."""
    order = Random(seed).sample(makers, len(makers))
    return partial(make_all, order)


def make_all(makers: Iterable[Callable[[], None]]) -> None:
    """A program of some components."""
    for make in makers:
        make()


@pytest.mark.parametrize("seed", range(6))
def test_components_that_agree_make_the_same_in_any_order(seed: int):
    """What components say of their cluster is kept beside them; what is made follows from the args alone."""
    makers = (partial(drivers, "al2023"), partial(claims, "p5.48xlarge"), partial(claims, "p5e.48xlarge"), proof)

    assert preview(shuffled(seed, *makers)).to_dict() == preview(partial(make_all, makers)).to_dict()


@pytest.mark.parametrize("seed", range(6))
def test_components_that_disagree_are_refused_in_any_order(seed: int):
    """The later of two that disagree is blamed, whichever it is, and the error names the other."""
    odd = partial(drivers, "cos")
    makers = (odd, partial(claims, "p5.48xlarge"), partial(claims, "p5e.48xlarge"), proof)

    with pytest.raises(pulumi.InputPropertiesError, match="on the same cluster") as refused:
        preview(shuffled(seed, *makers))

    words = str(refused.value.message) + "".join(each["reason"] for each in refused.value.errors or ())
    assert "gke" in words and "eks" in words
    preview(shuffled(seed, *makers[1:]))  # a program that was refused leaves nothing behind


def test_two_clusters_have_nothing_to_do_with_each_other():
    """Each has a provider; and a run knows nothing of the one before."""
    import pulumi_kubernetes as k8s

    def program() -> None:
        for host, machine in (("cos", "a4-highgpu-8g"), ("al2023", "p5.48xlarge")):
            provider = k8s.Provider(host, kubeconfig="{}")
            drivers(host, pulumi.ResourceOptions(provider=provider))
            claims(machine, pulumi.ResourceOptions(provider=provider))

    assert classes(preview(program)) == {"gpu.nvidia.com", "dranet", "efa.networking.k8s.aws"}
    preview(lambda: claims("p5.48xlarge"))
    preview(lambda: drivers("cos"))


def test_a_component_beside_a_cluster_of_ours():
    """On its provider it is on the same cluster as all else that is."""
    from rdma_cluster.eks import EksCluster

    def program() -> None:
        subnets: Any = [{"subnet": f"subnet-{zone}", "zone": f"us-east-2{zone}"} for zone in "ab"]
        admins = ["arn:aws:iam::111122223333:role/admin"]
        cluster = EksCluster("eks", {"region": "us-east-2", "subnets": subnets, "admins": admins})
        opts = pulumi.ResourceOptions(provider=cluster.provider)
        drivers("al2023", opts)
        claims("a4-highgpu-8g", opts)

    with pytest.raises(pulumi.InputPropertiesError, match="the cloud is gke here, and eks for DraDrivers"):
        preview(program)


@pytest.mark.parametrize("opts", [{}, {"protect": True}])
def test_a_protected_part_takes_changes(opts: dict[str, Any]):
    """Its objects are replaced by design; the part itself cannot be taken out of the program."""

    def program() -> None:
        drivers("al2023", pulumi.ResourceOptions(**opts))
        proof(pulumi.ResourceOptions(**opts))

    kept = {each.type for each in preview(program).resources if each.options.get("protect")}

    assert kept == ({"rdma-cluster:index:DraDrivers", "rdma-cluster:index:NcclAcceptance"} if opts else set())
