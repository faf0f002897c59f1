"""Pools in groups whose alerts are alike, and the matchers by which queries pick them out."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ....catalog.machine import Machine
from ....fabrics import Fabric, InterfaceCounters
from ...plan.pool import SitePool

GPUS, NICS = "rdma-cluster-gpus", "rdma-cluster-nics"
"""What the jobs are called under which Prometheus reads the exporters."""


@dataclass(frozen=True)
class Alike:
    """Pools of one machine type whose NICs are counted in one way: what is said of one is said of all."""

    machine: Machine
    fabric: Fabric
    names: tuple[str, ...]

    @property
    def on_host(self) -> bool:
        """Whether the host sees the NICs, whoever holds them."""
        return not isinstance(self.fabric.counters, InterfaceCounters)

    @property
    def countable(self) -> bool:
        """Whether rails can be told from other NICs, so that one that is missing shows."""
        return self.on_host and bool(self.machine.rdma_names or not self.machine.rdma_front_end)

    @property
    def pools(self) -> str:
        """Matcher of the pools."""
        return one_of("pool", self.names)

    @property
    def rails(self) -> str:
        """Matcher of the pools' rails: all RDMA devices, where only rails are that or nobody published their names."""
        names = self.machine.rdma_names
        return f"{self.pools},{one_of('device', names)}" if names else self.pools


def alike(pools: Sequence[SitePool]) -> list[Alike]:
    """Pools in groups, each machine type in the order in which it comes first."""
    groups: dict[tuple[str, object], list[SitePool]] = {}
    for pool in pools:
        groups.setdefault((pool.machine.name, pool.fabric.counters), []).append(pool)
    return [Alike(some[0].machine, some[0].fabric, tuple(pool.name for pool in some)) for some in groups.values()]


def one_of(label: str, values: Iterable[str]) -> str:
    """A matcher for any of these values: ``pool="a4"`` or ``pool=~"a4|b"``."""
    found = list(dict.fromkeys(values))
    if len(found) == 1:
        return f"{label}={json.dumps(found[0])}"
    return f"{label}=~{json.dumps('|'.join(value.replace('.', '[.]') for value in found))}"
