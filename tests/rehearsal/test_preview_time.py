"""What components cost in the engine's preview, against the same resources in a flat program."""

import json
from graphlib import TopologicalSorter
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import Any

import pytest
from pulumi_offline import Graph, Resource, sdk
from pulumi_offline.project import Settings
from rdma_rehearsal.clock import Clock
from rdma_rehearsal.engine import Engine
from rdma_rehearsal.faults import FaultPlan
from rdma_rehearsal.inventory import Inventory
from rdma_rehearsal.serve import serving
from rdma_rehearsal.timeline import Log
from tests.rehearsal.stages import FIRST, settings_of
from tests.stacks import ROOT, graph_of

RUNS = 3
MOST = 1.1


@pytest.mark.parametrize("stack", FIRST)
def test_preview_of_a_stack_is_as_fast_as_of_a_flat_program(stack: str, tmp_path: Path):
    """In processor seconds of engine, language host and program; taken in turns, and the medians of them."""
    clock = Clock()
    flat = flat_project(tmp_path / "flat", graph_of(stack))
    with serving(Inventory(tmp_path / "world"), clock, FaultPlan(), Log(clock)) as ports:
        ours = Engine(tmp_path / "a", ROOT, settings_of(stack), ports)
        theirs = Engine(tmp_path / "b", flat, Settings("flat", "flat"), ports)
        taken = [(processor_seconds(ours), processor_seconds(theirs)) for _ in range(RUNS)]
    ratio = median(one for one, _ in taken) / median(other for _, other in taken)

    print(f"{stack}: preview takes {ratio:.3f} of a flat program's")
    assert ratio <= MOST, taken


def processor_seconds(engine: Engine) -> float:
    """What one preview takes."""
    before = getrusage(RUSAGE_CHILDREN)
    ran = engine.run("preview")
    after = getrusage(RUSAGE_CHILDREN)
    assert ran.code == 0, ran.text
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def flat_project(folder: Path, graph: Graph) -> Path:
    """A project that registers what a graph holds, one resource after the other, by the classes of the SDKs."""
    resources = {each.urn: each for each in graph.resources if not each.type.startswith("rdma-cluster:")}
    needs = {
        urn: [*(each for each in resource.dependencies if each in resources), *filter(None, [resource.provider])]
        for urn, resource in resources.items()
    }
    order = [resources[urn] for urn in TopologicalSorter(needs).static_order()]
    rows = [
        {
            "urn": each.urn,
            "name": f"{number}-{each.name}",
            **call(each),
            "provider": each.provider,
            "needs": [urn for urn in each.dependencies if urn in resources],
        }
        for number, each in enumerate(order)
    ]
    folder.mkdir()
    (folder / "resources.json").write_text(json.dumps(rows))
    (folder / "Pulumi.yaml").write_text("name: flat\nruntime: python\n")
    (folder / "__main__.py").write_text(Path(__file__).with_name("flat.py").read_text())
    return folder


def call(resource: Resource) -> dict[str, Any]:
    """The class that a program would use for a resource, and its arguments as Python spells them."""
    cls = sdk.resource_class(resource.type)
    if cls is None:
        known = {key: resource.inputs[key] for key in ("kind", "metadata", "spec") if key in resource.inputs}
        arguments = {"api_version": resource.inputs["apiVersion"], **known}
        return {"class": "pulumi_kubernetes.apiextensions.CustomResource", "arguments": arguments}
    args = sdk.args_class(cls)
    spelt = {wire: python for python, wire in sdk.python_names(args).items()} if args else {}
    # The first argument of every class is the resource's own name, so that an input has another.
    spelt |= {wire: "resource_name_" for wire, python in spelt.items() if python == "resource_name"}
    given = {key: value for key, value in resource.inputs.items() if key not in ("apiVersion", "kind")}
    arguments = {spelt.get(key, key): value for key, value in given.items()}
    return {"class": f"{cls.__module__.rpartition('.')[0]}.{cls.__name__}", "arguments": arguments}
