"""What each cloud registers with the tests: every folder `tests/<cloud>/` that has a `cloud.py` with a `CLOUD`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from ipaddress import IPv4Network
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from hypothesis.strategies import SearchStrategy
from pulumi_offline import Graph, Resource
from tests.policies.breaking import Break
from tests.stacks import STACKS, cloud_of

HERE = Path(__file__).parent
Config = dict[str, Any]
"""What stands under `config:` in a stack file, by full key."""


class Pool(NamedTuple):
    """GPU nodes, of whatever cloud."""

    name: str
    nodes: int
    """As many as it may grow to."""
    taints: list[dict[str, str]]
    """Each with key, value and one of NO_SCHEDULE, PREFER_NO_SCHEDULE and NO_EXECUTE as its effect."""
    resource: Resource


@dataclass(frozen=True)
class Generated:
    """Stack files as hypothesis makes them. Every one must be planned or refused with a list of errors."""

    odd: SearchStrategy[Config]
    """Any choice of any key, now and then a missing, unknown or wrong one: all rules are reached."""
    sound: SearchStrategy[Config]
    """Around sound pools, so that many are not refused: their program is run."""
    once_wrong: Sequence[Config] = ()
    """What once ended otherwise, always tried."""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class CloudTests:
    """One cloud. Its stacks, refusal cases and golden graphs are files and need no mention here."""

    name: str
    """Of its package `rdma_cluster.<name>`, of `tests/<name>/`, and as `rdma-cluster:cloud` in stack files."""
    sdk: str
    """The import package of the cloud's SDK, which its components alone may need."""
    pool_label: str = ""
    """The node label by which drivers choose their pools; empty where the machines are no cluster of Kubernetes."""
    pools: Callable[[Graph], Iterable[Pool]]
    """The GPU pools of a graph; none in a graph of another cloud."""
    ranges: Callable[[Graph], Iterable[tuple[str, IPv4Network]]]
    """Every block of addresses in a graph by a name of its own, services' included; pods route between all of them."""
    device_classes: Callable[[Graph], Iterable[str]]
    """Names of device classes that the graph does not make: a chart's, the cloud's, or the user's."""
    variants: Mapping[str, tuple[str, ...]]
    """Further graphs for the policies: by name, a stack and values for `--set`."""
    policies: ModuleType
    """Its public functions are policies of this cloud's graphs, beside those of all clouds."""
    breaks: Mapping[str, Sequence[Break]]
    """By stack or variant, what breaks a policy in its graph, with the policy. Every policy is broken at least once;
    of those of all clouds many are by `tests.policies.common`."""
    generated: Generated
    components: Mapping[str, dict[str, Any]]
    """Args of each exported component in a program that has nothing else."""

    def __repr__(self) -> str:
        """Short, for the reports of tests."""
        return self.name

    @property
    def has_kubernetes(self) -> bool:
        """Whether its stacks are clusters of Kubernetes."""
        return bool(self.pool_label)

    @property
    def package(self) -> Any:
        """Its package of components."""
        return import_module(f"rdma_cluster.{self.name}")

    @property
    def rights(self) -> Callable[[Graph], Iterable[Any]]:
        """What its graphs give in the cloud itself: `rights` of tests/<name>/rights.py, with reasons in rights.yaml."""
        return import_module(f"tests.{self.name}.rights").rights

    @property
    def sdk_package(self) -> str:
        """The SDK's name as a Pulumi package: `azure-native` of `pulumi_azure_native`."""
        return self.sdk.removeprefix("pulumi_").replace("_", "-")

    @property
    def stacks(self) -> list[str]:
        """The stacks of `stacks/` that are of this cloud."""
        return [stack for stack in STACKS if cloud_of(stack) == self.name]

    @property
    def graphs(self) -> dict[str, tuple[str, ...]]:
        """What `graph_of` takes, by name: the stacks as they are, and the variants."""
        return {**{stack: (stack,) for stack in self.stacks}, **self.variants}

    @property
    def refusals(self) -> Path:
        """The folder of its refusal cases."""
        return HERE / self.name / "refusals"


@cache
def clouds() -> tuple[CloudTests, ...]:
    """All clouds, in the order of their names."""
    return tuple(import_module(f"tests.{path.parent.name}.cloud").CLOUD for path in sorted(HERE.glob("*/cloud.py")))


def each_graph(*names: str) -> list[Any]:
    """Every cloud, or those of these names, with the name of each of its graphs, as parameters."""
    return [
        pytest.param(
            cloud, graph, id=f"{cloud.name}: {graph}", marks=pytest.mark.variant if graph in cloud.variants else ()
        )
        for cloud in clouds()
        if cloud.name in names or not names
        for graph in cloud.graphs
    ]


def with_all_graphs() -> list[Any]:
    """Every cloud as a parameter of a test that needs all its graphs."""
    return [pytest.param(cloud, id=cloud.name, marks=pytest.mark.variant) for cloud in clouds()]
