"""A pool whose nodes a cloud replaces, instant by instant, as the cloud's record says."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module

from rdma_cluster.common import CLOUDS
from rdma_cluster.upgrades.record import CloudUpgrades, Roll

UPGRADES: dict[str, CloudUpgrades] = {
    cloud: import_module(f"rdma_cluster.{cloud}.plan.upgrades").UPGRADES for cloud in CLOUDS
}
ROLLS = {cloud: each.roll for cloud, each in UPGRADES.items() if each.roll is not None}


@dataclass
class Node:
    """A node of a pool."""

    version: str
    cordoned: bool = False


@dataclass
class Pool:
    """A pool of as many nodes as are reserved."""

    reserved: int
    nodes: list[Node] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.nodes = self.nodes or [Node("old") for _ in range(self.reserved)]

    def cordon(self) -> None:
        """What the step has to be done before: it reaches the nodes that are there."""
        for node in self.nodes:
            node.cordoned = True

    def open_versions(self) -> set[str]:
        """Of the nodes on which a job may land now."""
        return {node.version for node in self.nodes if not node.cordoned}

    def roll(self, how: Roll) -> Iterator[None]:
        """Every instant until all nodes are new. It may be begun again after it was left at any of them."""
        while missing := self.reserved - len(self.nodes):  # what a fault has left behind
            self.nodes += [Node("new")] * (missing > 0)
            yield
        while old := [node for node in self.nodes if node.version == "old"]:
            for _ in range(min(how.surge, len(old))):
                self.nodes.append(Node("new"))
                yield
            for node in old[: how.surge + how.unavailable]:
                node.cordoned = True
                yield
                self.nodes.remove(node)
                yield
            while len(self.nodes) < self.reserved:
                self.nodes.append(Node("new"))
                yield
