"""Two nodes whose drivers list their devices in another order, and all their pods at once.

Which pod gets which device is then nobody's promise. That every pod fits, that its devices are what it asked for, and
that no device is given twice, is.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from rdma_cluster.claims import Target, Template, driver_of
from rdma_cluster.claims.allocator import device_matches
from rdma_cluster.claims.device import Device, ResourceSlice
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.fabrics import NIC_DRIVERS
from .api import Api
from .cases import Case, cases
from .cluster import Cluster, Placement
from .scenarios import VERDICT_SECONDS, claiming_pod, device_classes, devices_by_pod

NODES = ("a", "b")
MACHINES = (
    "a4-highgpu-8g",
    "p4d.24xlarge",
    "p5.48xlarge",
    "p6-b200.48xlarge",
    "Standard_ND96isr_H100_v5",
    "BM.GPU4.8",
    "BM.GPU.H100.8",
)
CASES = [
    case
    for case in cases()
    if case.solution.machine.name in MACHINES and case.solution.target == Target(driver_of(case.solution.machine))
]
Outcome = tuple[dict[str, Placement], dict[str, dict[str, dict[str, tuple[str, ...]]]]]


def slices(case: Case, node: str) -> list[ResourceSlice]:
    """The node's devices, shuffled, the same in every run."""
    random = Random(node)
    made = resource_slices(case.solution.machine, case.solution.target, node)
    return [replace(each, devices=tuple(random.sample(each.devices, len(each.devices)))) for each in made]


def pods(case: Case) -> dict[str, tuple[Template, ...]]:
    """As many pods as fill both nodes, by name."""
    fitting = [window.templates for window in case.solution.windows for _ in window.allocations]
    return {f"{case.name}-{node}-{i}": templates for node in NODES for i, templates in enumerate(fitting)}


@pytest.fixture(scope="module")
def outcome(api: Api, request: pytest.FixtureRequest) -> Iterator[Outcome]:
    """Where every pod of the selected cases was placed, and with which devices."""
    selected = [case for case in CASES if any(f"[{case.name}]" in item.name for item in request.session.items)]
    with Cluster(api) as cluster:
        cluster.create_all(device_classes([Target(driver) for driver in NIC_DRIVERS.values()]))
        waiting = []
        for case in selected:
            nodes = [f"{case.name}-{node}" for node in NODES]
            cluster.add_nodes(nodes, {"e2e-case": case.name})
            cluster.create_all([each.manifest() for node in nodes for each in slices(case, node)])
            templates = {each.name: each for window in case.solution.windows for each in window.templates}
            cluster.create_all([prefixed(case, each).manifest(cluster.namespace) for each in templates.values()])
            for name, claims in pods(case).items():
                named = [prefixed(case, each).name for each in claims]
                waiting.append(claiming_pod(name, named, {"e2e-case": case.name}))
        placements = cluster.schedule_all(waiting, VERDICT_SECONDS)
        yield placements, devices_by_pod(cluster)


def prefixed(case: Case, template: Template) -> Template:
    """The template under a name that no other case has."""
    return replace(template, name=f"{case.name}-{template.name}")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_pod_gets_what_it_asked_for(case: Case, outcome: Outcome):
    """Counts, selectors and constraints hold for each pod, the nodes are full, and no device is given twice."""
    placements, given = outcome
    taken: Counter[tuple[str | None, str]] = Counter()
    for name, claims in pods(case).items():
        node = placements[name].node
        assert node in {f"{case.name}-{each}" for each in NODES}, placements[name].message
        devices = {device.name: device for each in slices(case, node) for device in each.devices}
        for index, template in enumerate(claims):
            found = given[name][f"claim-{index}"]
            held = {request: [devices[device] for device in names] for request, names in found.items()}
            check(template, held, case.solution.target)
            taken.update((node, device.name) for devices_ in held.values() for device in devices_)
    assert max(taken.values()) == 1
    assert len(taken) == len(NODES) * sum(
        len(list(allocation.all())) for window in case.solution.windows for allocation in window.allocations
    )


def check(template: Template, held: dict[str, list[Device]], target: Target) -> None:
    """A claim's devices are as many as it asks, pass every selector, and share what a constraint wants shared."""
    for request in template.requests:
        assert len(held[request.name]) == request.count
        assert all(device_matches(request, device, target.classes) for device in held[request.name])
    for constraint in template.constraints:
        together = [device for name in constraint.requests for device in held[name]]
        assert len({device.attributes[constraint.match_attribute] for device in together}) == 1
