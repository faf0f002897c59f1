"""Every machine of the catalogue under every set of drivers that applies, with every intent they can satisfy."""

import json
from dataclasses import dataclass
from functools import cache

from rdma_cluster.catalog import Machine, machines
from rdma_cluster.claims import (
    Groups,
    Intent,
    Nics,
    Numa,
    Pairs,
    Solution,
    Target,
    Unsatisfiable,
    Whole,
    driver_of,
    solve,
)
from rdma_cluster.claims.layout import shapes
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.fabrics import NIC_DRIVERS, GpuAllocation
from .scenarios import Scenario, node_name

# Versions of which not all are released: the drivers then publish the standard NUMA node.
NUMA_AWARE = Target(kubernetes=(1, 37), dranet="1.5.0", nvidia="0.5.0")


@dataclass(frozen=True)
class Case:
    """A proof, and the scenario in which the scheduler has to come to the same."""

    name: str
    solution: Solution

    @property
    def scenario(self) -> Scenario:
        """All pods that our proof fits on a node, one after the other, and then one more."""
        pods = tuple(window.templates for window in self.solution.windows for _ in window.allocations)
        slices = resource_slices(self.solution.machine, self.solution.target, self.name)
        return Scenario(self.name, self.solution.target, slices, pods, last=(self.solution.templates,))

    @property
    def as_the_scheduler_sees_it(self) -> str:
        """The claims, and of the devices what these claims look at: the same for machines of one layout."""
        target, scenario = self.solution.target, self.scenario
        claims = json.dumps([[each.spec() for each in pod] for pod in (*scenario.pods, *scenario.last)])
        looks_at = claims + json.dumps(target.classes)
        devices = [
            (each.driver, device.name, {k: v for k, v in device.attributes.items() if k.rpartition("/")[2] in looks_at})
            for each in scenario.slices
            for device in each.devices
        ]
        return f"{looks_at} {devices}"


def targets(machine: Machine) -> dict[str, Target]:
    """Sets of drivers for a machine; where one of them does not exist, `prove` says so."""
    own = driver_of(machine)
    return {
        **{name: Target(driver) for name, driver in NIC_DRIVERS.items()},
        "device-plugin": Target(own, GpuAllocation.DEVICE_PLUGIN),
        "numa-aware": NUMA_AWARE,
    }


def intents(machine: Machine, name: str) -> list[Intent]:
    """What can be asked of a machine, the impossible with it."""
    if name == "numa-aware":
        return [Numa()]
    if name == "device-plugin":
        return [Whole()]  # its NICs are the same with and without
    groups = [Groups(n, *shape) for shape, count in shapes(machine).items() if all(shape) for n in {1, count}]
    return [*map(Pairs, (1, 2, 4, 8)), *groups, Numa(), Whole(), Nics()]


@cache
def twins() -> dict[str, str]:
    """For each case the first that the scheduler cannot tell from it; nearly half of them need no node of their own."""
    first: dict[str, str] = {}
    return {case.name: first.setdefault(case.as_the_scheduler_sees_it, case.name) for case in cases()}


@cache
def cases() -> tuple[Case, ...]:
    """Every proof there is."""
    found = []
    for machine in machines():
        for name, target in targets(machine).items():
            for intent in intents(machine, name):
                try:
                    solution = solve(machine, intent, target)
                except Unsatisfiable:
                    continue
                found.append(Case(node_name(machine.name, name, intent.slug), solution))
    return tuple(found)
