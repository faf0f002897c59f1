"""Six clusters of one program, with all that goes into them, and what of it comes after what."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from pulumi_offline import Graph, Resource, preview
from rdma_cluster.incluster.addons.readiness.args import OnFault
from rdma_cluster.incluster.plan.dra_drivers import ManagedBy
from rdma_cluster.incluster.plan.in_cluster import InClusterPlan
from tests.incluster.plans import OURS, THEIRS, planned
from tests.incluster.pools import CLAIMED_RACKS, CONTEXT, DRA, EFA, GIB, NAMED, NICS, PLUGGED, PLUGIN, WITH_FILES, pool

METAL = pool("metal", "a4x-maxgpu-4g-metal", "gib-metal", PLUGIN)
TARGET = '{"kubeconfig": "{users: [], clusters: []}", "gpus": {"sent": 8}}'
_SENT: dict[str, Any] = {
    "manager": "lab",
    "clusters": [{"name": "known", "dispatch": TARGET}, {"name": "other", "stack": "a/b/c"}],
    "queues": {"sent": ["known", "other"]},
}


@cache
def plans() -> dict[str, InClusterPlan]:
    """Plan the clusters, of which each shows another part."""
    on: Any = {"enabled": True}
    return {
        "aws": planned(
            EFA,
            PLUGGED,
            context=replace(CONTEXT, host="al2023", version="1.36", pools_taint=False),
            acceptance={},
            claims={"namespaces": ["default", "team"], "groups": [], "nics": False},
            injection=on,
            queues={**on, "priorities": {"urgent": 7}, "worker": {"queues": {"shared": "plugged"}}},
            monitoring=on,
            readiness={**on, "on_fault": OnFault.QUARANTINE},
        ),
        "google": planned(
            *(GIB, NICS, NAMED),
            claims={"pairs": [], "nics": False},
            queues={**on, "priorities": {}, "dispatch": _SENT},
            monitoring={**on, "labels": {"release": "p"}},
            digests_only=True,
            storage=THEIRS,
        ),
        "metal": planned(METAL, drivers={"nic": ManagedBy.MANAGED}),
        "claims": planned(
            pool("ib", "Standard_ND96isr_H100_v5", "infiniband", DRA),
            context=replace(CONTEXT, host="ubuntu-operator"),
            claims={"namespaces": ["team"], "pairs": [], "nics": False},
        ),
        "racks": planned(CLAIMED_RACKS, acceptance={}, drivers={"nic": ManagedBy.MANAGED}),
        "azure": planned(
            WITH_FILES,
            context=replace(CONTEXT, host="ubuntu-operator"),
            claims={"namespaces": ["default", "team"]},
            storage=OURS,
        ),
    }


@cache
def graph() -> Graph:
    """Return the graph of the program."""
    return preview(_program, invokes={"pulumi:pulumi:StackReference": {"outputs": {"dispatch": TARGET}}})


def _program() -> None:
    import pulumi
    import pulumi_kubernetes as k8s
    from rdma_cluster.incluster.in_cluster import BaseStorage, install_in_cluster
    from rdma_cluster.incluster.kubeconfig import cluster_provider, exec_kubeconfig

    plugin = {"command": "get-token", "args": ["--cluster", "c"]}
    configs = [exec_kubeconfig("c", "https://c.example", plugin, *more) for more in ((), ("Q0E=",))]
    cluster_provider("reached", configs[0], "c-1", pulumi.ResourceOptions(protect=True))
    pulumi.export("kubeconfigs", [pulumi.Output.unsecret(each) for each in configs])
    pulumi.export("secret", configs[0])
    for name, plan in plans().items():
        whole = pulumi.ComponentResource("test:index:Whole", name)
        inside = pulumi.ResourceOptions(parent=whole)
        cluster = k8s.core.v1.ConfigMap(f"{name}-cluster", metadata={"name": "a cluster"}, opts=inside)
        nodes = [k8s.core.v1.ConfigMap(f"{name}-nodes", metadata={"name": "its nodes"}, opts=inside)]
        provider = k8s.Provider(name, kubeconfig="{}")
        there = pulumi.ResourceOptions(parent=whole, provider=provider)
        kubeconfig = pulumi.Output.from_input('{"users": [{"name": "u", "user": {}}], "clusters": []}')
        store = BaseStorage("test:index:Store", f"{name}-store", None, inside) if name == "azure" else None
        if store is not None:
            store.store, store.handle = pulumi.Output.from_input("account/data"), pulumi.Output.from_input("account")
            store.attributes = pulumi.Output.from_input({"protocol": "nfs"})
        made = install_in_cluster(name, plan, cluster, nodes, there, kubeconfig, store)
        pulumi.export(name, {"proofs": made.proofs, "dispatch": made.dispatch, "storage": made.storage})


def called(resource: Resource) -> str:
    """Return kind, namespace and name of an object, without the digest that ends some names.

    An object that the provider names has its logical name, without the cluster's.
    """
    metadata = resource.inputs.get("metadata", resource.inputs)
    where = metadata.get("namespace")
    named = metadata.get("name") or resource.name.partition("-")[2]
    name = re.sub(r"-(?=[0-9a-f]*\d)([0-9a-f]{6}|[0-9a-f]{8})$", "-DIGEST", named)
    return f"{resource.type.rpartition(':')[2]} {f'{where}/' if where else ''}{name}"


def objects(name: str) -> Iterator[Resource]:
    """Find what is on one of the clusters, but for two objects that stand for the cluster and its nodes."""
    for each in graph().resources:
        of_ours = each.name == name or each.name.startswith(f"{name}-")
        if (
            each.type.startswith("kubernetes:")
            and of_ours
            and " " not in each.inputs.get("metadata", {}).get("name", "")
        ):
            yield each


def there(name: str) -> dict[str, Resource]:
    """Return the objects of a cluster by what they are called."""
    return {called(each): each for each in objects(name)}


def comes_after(name: str) -> dict[str, list[str]]:
    """Return for each object those that it waits for, without what these wait for themselves."""
    by_urn = {each.urn: each for each in graph().resources}

    @cache
    def every(urn: str) -> frozenset[str]:
        direct = _waits(by_urn, urn)
        return frozenset(direct).union(*(every(each) for each in direct))

    found = {}
    for each in objects(name):
        direct = _waits(by_urn, each.urn)
        found[called(each)] = sorted(
            called(by_urn[urn]) for urn in direct if not any(urn in every(of) for of in direct)
        )
    return found


def _waits(by_urn: dict[str, Resource], urn: str) -> list[str]:
    """Return what an object waits for, directly or with a component that it is a part of."""
    urns: list[str] = []
    at: str | None = urn
    while at in by_urn:
        urns += [each for each in by_urn[at].dependencies if each in by_urn and "kubernetes:" in by_urn[each].type]
        at = by_urn[at].parent
    return list(dict.fromkeys(urns))
