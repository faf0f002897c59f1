"""Adopted nodes of an existing cluster: which they are, and which labels they get."""

import re
from collections.abc import Mapping
from typing import Any, NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from typing_extensions import TypedDict
from ...base.args import Link, Texts, args_schema, is_output
from ...catalog.oke import OkeMachine
from ...common.names import check_labels
from ...common.pools import check_nodes
from . import blueprints
from .cluster import check_pool_name
from .images import check_numbers
from .machines import machine_for
from .node_pool import POOL_LABEL
from .zones import check_compartment, check_ocid

INSTANCE_TYPE = "node.kubernetes.io/instance-type"

_NODE = re.compile(r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?")


@blueprints.for_adopted
@args_schema
class OkeAdoptedPool(TypedDict):
    """Nodes of one shape on one RDMA fabric that exist already, as a stack lists them.

    One of ``names``, ``node_pool`` and ``cluster_network`` says which."""

    name: str
    """Name of the pool that they become. Example: ``h100``."""
    machine: str
    """Their shape. Example: ``BM.GPU.H100.8``."""
    nodes: int
    """How many they are."""
    names: NotRequired[list[str]]
    """Names of the nodes: their private addresses, unless a pool gives them others. Example: ``["10.0.64.12"]``."""
    node_pool: NotRequired[str]
    """OCID of a managed node pool: all its nodes."""
    cluster_network: NotRequired[str]
    """OCID of a cluster network: all its instances."""
    label: NotRequired[str]
    """Refused: which nodes have a label is known to the cluster alone, and a plan is made before it is asked."""
    cuda: NotRequired[str]
    """CUDA version of their driver, so that the test brings none that is newer. Example: ``"12.8"``."""
    labels: NotRequired[Texts]
    """Further node labels."""
    blueprints: NotRequired[bool]
    """Add the three labels by which OCI AI Blueprints find nodes with RDMA. Default: false."""


@args_schema
class OkeAdoptedNodesArgs(OkeAdoptedPool):
    """Nodes, and where they are."""

    compartment: Link
    """OCID of the compartment of a cluster network."""


@frozen
class AdoptionPlan:
    """What ``OkeAdoptedNodes`` builds."""

    name: str
    machine: OkeMachine
    nodes: int
    compartment: Link
    names: tuple[str, ...]
    """Names of the nodes; empty where a node pool or a cluster network is named instead."""
    node_pool: str | None
    cluster_network: str | None
    cuda: str | None
    """CUDA version of the nodes' driver; ``None`` where it is not known."""
    labels: Mapping[str, Link]


def plan_adoption(args: OkeAdoptedNodesArgs, errors: ErrorList) -> AdoptionPlan | None:
    """All choices of ``OkeAdoptedNodes``. Returns ``None`` when an error was added."""
    check_compartment(args["compartment"], errors.at("compartment"))
    return plan_adopted(args, args["compartment"], errors)


def plan_adopted(args: OkeAdoptedPool, compartment: Link, errors: ErrorList) -> AdoptionPlan | None:
    """Plan the adopted nodes of one pool of a stack; adds every broken rule to ``errors``."""
    check_pool_name(args["name"], errors.at("name"))
    machine = machine_for(args["machine"], errors.at("machine"))
    check_nodes(args["nodes"], errors.at("nodes"))
    labels = {POOL_LABEL: args["name"]}
    if args.get("blueprints", False):
        labels |= {"corrino": args["name"], "corrino/pool-shared-any": "true", "corrino/rdma": "true"}
    check_labels(args.get("labels", {}), list(labels), errors.at("labels"))
    _check_source(args, errors)
    if "cluster_network" in args and is_output(compartment):
        errors.at("cluster_network").add(
            "got an output as the compartment; the nodes are looked up while the program runs: write the compartment's "
            "OCID, or list the nodes in names"
        )
    check_numbers(args.get("cuda"), "12.8", errors.at("cuda"))
    if errors or machine is None:
        return None
    return AdoptionPlan(
        name=args["name"],
        machine=machine,
        nodes=args["nodes"],
        compartment=compartment,
        names=tuple(args.get("names", ())),
        node_pool=args.get("node_pool"),
        cluster_network=args.get("cluster_network"),
        cuda=args.get("cuda"),
        labels={**labels, **args.get("labels", {})},
    )


def plan_all(
    adopted: list[OkeAdoptedPool], pools: list[str], kubernetes: Mapping[str, Any], compartment: Link, errors: ErrorList
) -> list[AdoptionPlan]:
    """The nodes of an existing cluster that a stack adopts; ``pools`` are the names of its other pools."""
    # Nodes are there only where the cluster is.
    if adopted and "existing" not in kubernetes:
        errors.add("needs kubernetes.existing: a new cluster has no nodes but its pools'")
    _check_nodes_once(adopted, errors)
    names = [*pools, *(pool["name"] for pool in adopted)]
    plans = []
    for i, pool in enumerate(adopted):
        name = pool["name"]
        if name in names[: len(pools) + i]:
            errors.at(i, "name").add(f"{name} is the name of another pool; name each pool once")
        plans.append(plan_adopted(pool, compartment, errors.at(i)))
    return [plan for plan in plans if plan is not None]


def _check_nodes_once(adopted: list[OkeAdoptedPool], errors: ErrorList) -> None:
    """A node is in one pool: removing one of two pools would remove the other's labels from it."""
    taken: dict[str, int] = {}
    for i, pool in enumerate(adopted):
        sources: dict[tuple[str | int, ...], Any] = {
            **{("names", j): name for j, name in enumerate(pool.get("names", []))},
            **{(key,): pool[key] for key in ("node_pool", "cluster_network") if key in pool},
        }
        for path, name in sources.items():
            if (first := taken.setdefault(name, i)) < i:
                errors.at(i, *path).add(f"{name} is of adopt[{first}] already; name each once")


def _check_source(args: OkeAdoptedPool, errors: ErrorList) -> None:
    sources = {"names": "names", "node_pool": "nodePool", "cluster_network": "clusterNetwork"}
    chosen = [key for key in sources if key in args]
    if "label" in args:
        # The Kubernetes provider reads an object by its name and lists none.
        errors.at("label").add(
            "not offered; what a stack is made of is known before the cluster is asked. List the nodes with "
            f"`kubectl get nodes -l '{args['label']}' -o custom-columns=:metadata.name` and write them as names"
        )
    if len(chosen) != 1 and ("label" not in args or chosen):
        got = " and ".join(sources[key] for key in chosen)
        errors.add(f"got {got or 'none'}; name exactly one of names, nodePool and clusterNetwork")
    for key, kind in (("node_pool", "nodepool"), ("cluster_network", "clusternetwork")):
        if key in args:
            check_ocid(args[key], (kind,), errors.at(key))
    _check_names(args.get("names", []), errors.at("names"))
    if chosen == ["names"] and len(args["names"]) != args["nodes"]:
        errors.at("names").add(f"got {len(args['names'])} names for {args['nodes']} nodes; make the two agree")


def _check_names(names: list[str], errors: ErrorList) -> None:
    for i, name in enumerate(names):
        if not _NODE.fullmatch(name):
            errors.at(i).add(f"got {name!r}; write a node's name, e.g. 10.0.64.12")
        elif name in names[:i]:
            errors.at(i).add(f"{name} is listed twice; list each once")


def check_count(plan: AdoptionPlan, nodes: list[str]) -> list[str]:
    """``nodes``, as many as the stack says. Raises ``LookupError`` where they are more or fewer."""
    source = plan.node_pool or plan.cluster_network
    if len(nodes) != plan.nodes:
        raise LookupError(f"adopt {plan.name}: {source} has {len(nodes)} nodes, and nodes says {plan.nodes}")
    return nodes


def adopted_labels(plan: AdoptionPlan, node: str, labels: Mapping[str, str]) -> dict[str, Link]:
    """The labels that a node gets. Raises ``LookupError`` where its own labels are not of the pool's shape.

    A node always has labels; an offline preview, which reads no cluster, passes none.
    """
    if labels and (is_a := labels.get(INSTANCE_TYPE)) != plan.machine.name:
        raise LookupError(
            f"adopt {plan.name}: node {node} is {f'a {is_a}' if is_a else 'of no known shape'}, not a "
            f"{plan.machine.name}; a node without RDMA cannot be given it"
        )
    return dict(plan.labels)
