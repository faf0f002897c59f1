"""The plan of a stack from its configuration, made once a process."""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from pulumi_offline.written import from_json, to_json
from ..base.args import Link, plan_from
from ..base.config import plan_config
from . import module_of
from .summary import Summary, summarise_plan

if TYPE_CHECKING:
    from ..base.reference import Key
    from ..catalog import Machine
    from ..incluster.plan.acceptance import PoolTest
    from ..incluster.plan.in_cluster import InClusterPlan
    from .pools import MachinesPlan, PoolPlan

OUTPUTS = ("kubeconfig", "workloads", "proofs", "inference", "storage", "dispatch")
"""What the program of every stack with Kubernetes exports, by the names of its component."""

P = TypeVar("P")
Plan = TypeVar("Plan", covariant=True)
T = TypeVar("T")


class ClusterVersion(Protocol):
    """The plan of a cloud's Kubernetes cluster."""

    @property
    def version(self) -> str:
        """Its version, as the cloud writes it."""
        ...


class AdoptedNodes(Protocol):
    """Nodes of an existing cluster that become a pool."""

    @property
    def name(self) -> str:
        """The pool's name."""
        ...

    @property
    def machine(self) -> "Machine":
        """The row of their machines."""
        ...

    @property
    def labels(self) -> "Mapping[str, Link]":
        """The labels that the nodes get."""
        ...


@frozen(kw_only=True)
class StackPlan:
    """What the plan of every stack holds, with Kubernetes or without."""

    args: Mapping[str, Any]
    """The checked args."""
    pools: "tuple[MachinesPlan, ...]"
    adopted: tuple[AdoptedNodes, ...] = ()
    """Nodes of an existing cluster that become pools."""
    cluster: ClusterVersion | None
    """``None`` without Kubernetes."""
    in_cluster: "InClusterPlan | None"
    """What goes into the cluster; ``None`` without Kubernetes."""
    warnings: tuple[str, ...]

    @property
    def tests(self) -> "tuple[PoolTest, ...]":
        """The acceptance test of each pool that has one."""
        raise NotImplementedError


@frozen(kw_only=True)
class BaseRdmaClusterPlan(StackPlan):
    """What every plan of a stack with Kubernetes holds."""

    pools: "tuple[PoolPlan, ...]"
    cluster: ClusterVersion
    in_cluster: "InClusterPlan"
    """What goes into the cluster."""

    @property
    def tests(self) -> "tuple[PoolTest, ...]":
        """The acceptance test of each pool that has one."""
        return self.in_cluster.acceptance.plan.tests


class Planner(Protocol[Plan]):
    """Makes the plan of a whole stack."""

    def __call__(self, args: Mapping[str, Any], name: str, *, camel: bool = False) -> Plan:
        """The plan of the component ``name`` with ``args``.

        ``camel`` reads the keys, and spells the errors' paths, as a stack file does. Raises ``Refused`` with every
        error.
        """
        ...


def planner(schema: type[T], make_plan: Callable[[T, str, ErrorList], P | None]) -> Planner[P]:
    """The planner of a cloud, from the schema of its args and the function that decides them."""

    def plan(args: Mapping[str, Any], name: str, *, camel: bool = False) -> P:
        return plan_from(schema, lambda checked, errors: make_plan(checked, name, errors), args, camel=camel)

    return plan


def plan_stack(plan: Callable[..., P], stack_keys: Mapping[str, str], config: Mapping[str, str], stack: str) -> P:
    """What a cloud's ``plan_rdma_cluster_args`` makes of a stack's configuration.

    The command shows a plan and then runs the program, which asks for the same one and gets it. Raises ``Refused`` with
    every error under the key that the user wrote.
    """
    return plan_config(config, stack_keys, lambda args: _planned(plan, to_json(args), stack))


@lru_cache(maxsize=4)
def _planned(plan: Callable[..., P], args: str, stack: str) -> P:
    return plan(from_json(args), stack, camel=True)


def plan_of(cloud: str, config: Mapping[str, str], stack: str) -> StackPlan:
    """The plan of a stack, in its cloud's own form. Raises ``Refused`` with every error."""
    room = room_of(cloud)
    return plan_stack(room.plan_rdma_cluster_args, room.STACK_KEYS, config, stack)


def summarise_stack(cloud: str, config: Mapping[str, str], stack: str) -> Summary:
    """The plan of a stack in words and numbers. Raises ``Refused`` with every error."""
    return summarise_plan(plan_of(cloud, config, stack))


class Room(Protocol):
    """What the package ``plan`` of every cloud has."""

    STACK_ARGS: type
    STACK_KEYS: Mapping[str, str]
    """Keys of other namespaces that become args."""
    EXAMPLE: Mapping[str, Any]
    OUTPUTS: tuple[str, ...]
    plan_rdma_cluster_args: Planner[Any]


def room_of(cloud: str) -> Room:
    """The plan of a cloud's stacks."""
    return module_of(cloud, "plan")


@cache
def keys_of(cloud: str) -> tuple["Key", ...]:
    """What may stand in a stack file of a cloud."""
    from ..base.reference import stack_keys  # no plan needs it

    room = room_of(cloud)
    return stack_keys(room.STACK_ARGS, room.STACK_KEYS, room.EXAMPLE)
