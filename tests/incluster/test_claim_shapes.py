"""Each kind of machine is offered the claims that fit it, and a user may ask for others."""

from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.plan.claim_templates import (
    OF_KUBERNETES,
    ClaimTemplatesPlan,
    our_namespaces,
    plan_claim_templates,
)
from tests.clouds import CloudTests, clouds
from tests.incluster.plans import paths, planned, refused as refused_of
from tests.incluster.pools import CONTEXT, DRA, GIB, NAMED, NICS, PLUGGED, pool
from tests.stacks import graph_of

Shapes = list[tuple[str, int, int]]
LAST = [("whole", 1, 1), ("nics", 1, 1)]
A4 = "a4-highgpu-8g"


def plan(machine: str = A4, **more: Any) -> ClaimTemplatesPlan:
    """Plan the claim templates of one machine."""
    args: Any = {"machines": [machine], **more}
    made = plan_claim_templates(args, errors := ErrorList())
    assert made is not None, errors.found()
    return made


def shapes(machine: str, **more: Any) -> Shapes:
    """Return of each offer its shape, its windows, and how many pods with it fill a node."""
    offers = plan(machine, **more).by_machine[machine]
    return [(each.intent.slug, len(each.windows), each.pods_per_node) for each in offers]


def refused(**args: Any) -> list[str]:
    """Return the reasons why there is no plan."""
    given: Any = {"machines": [A4], **args}
    errors = ErrorList()
    assert plan_claim_templates(given, errors) is None
    return [str(error) for error in errors.found()]


@pytest.mark.parametrize(
    ("machine", "offered"),
    [
        # The machine has a NIC for every GPU, on rails that can be pinned.
        (A4, [("pairs-1", 8, 8), ("pairs-2", 4, 4), ("pairs-4", 2, 2), ("pairs-8", 1, 1), *LAST]),
        # EFA's devices are on no rail, so that there is one claim, of which a node holds as many.
        ("p6-b200.48xlarge", [("pairs-1", 1, 8), ("pairs-2", 1, 4), ("pairs-4", 1, 2), ("pairs-8", 1, 1), *LAST]),
        ("p4d.24xlarge", [("groups-2x1-1", 1, 4), ("groups-2x1-2", 1, 2), ("groups-2x1-4", 1, 1), *LAST]),
        # A NUMA node shows pairs that no root shows.
        (
            "Standard_ND128isr_GB300_v6",
            [("pairs-1", 4, 4), ("pairs-2", 2, 2), ("pairs-4", 1, 1), ("numa", 2, 2), *LAST],
        ),
        # Nobody published the machine's roots.
        ("BM.GPU.RTXPRO.8", LAST),
    ],
)
def test_shapes_double_up_to_the_whole_node(machine: str, offered: Shapes):
    """The whole node and its NICs alone are offered last."""
    assert shapes(machine) == offered


@pytest.mark.parametrize(
    ("machine", "asked", "offered"),
    [
        (A4, {"pairs": [3]}, [("pairs-3", 2, 2), *LAST]),
        (A4, {"pairs": []}, LAST),
        (A4, {"pairs": [8], "whole": False}, [("pairs-8", 1, 1), ("nics", 1, 1)]),
        (A4, {"pairs": [], "gpus": [1, 3, 8]}, [("gpus-1", 1, 8), ("gpus-3", 1, 2), ("gpus-8", 1, 1), *LAST]),
        ("BM.GPU.H100.8", {"groups": [3]}, [("groups-1x2-3", 2, 2), *LAST]),
        # A pair may be asked for where a group is usual.
        ("p5.48xlarge", {"pairs": [1], "groups": []}, [("pairs-1", 1, 8), *LAST]),
        # GKE's own driver names no rail.
        (A4, {"nic_driver": "gke-managed"}, [("pairs-8", 1, 1), *LAST]),
        # A device plugin hands out the GPUs, so that no claim can name them.
        (A4, {"machines": [], "nic_only_machines": [A4]}, [("nics", 1, 1)]),
        (A4, {"pairs": [8], "nic_only_machines": [A4]}, [("pairs-8", 1, 1), *LAST]),
    ],
)
def test_a_choice_takes_the_place_of_the_usual_shapes(machine: str, asked: dict[str, Any], offered: Shapes):
    assert shapes(machine, **asked) == offered


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ({"pairs": [9]}, ["pairs[0]"]),
        ({"gpus": [9]}, ["gpus[0]"]),
        ({"groups": [9], "machines": ["BM.GPU.H100.8"]}, ["groups[0]"]),
        ({"machines": ["a3-megagpu-8g"]}, ["whole", "nics"]),
        # A wrong number is told at its place, and alone.
        ({"pairs": [1, 0, 2, 1]}, ["pairs[1]", "pairs[3]"]),
        ({"groups": [1]}, ["groups"]),
        ({"nic_driver": "aws-dranet"}, ["nic_driver"]),
        ({"namespaces": ["mpi-operator"]}, ["namespaces[0]"]),
        *(({"machines": [], "nic_only_machines": [A4], key: [1]}, [key]) for key in ("pairs", "gpus")),
        ({"machines": [], "nic_only_machines": [A4], "whole": True}, ["whole"]),
    ],
)
def test_a_shape_that_fits_on_no_node_is_refused_under_its_key(asked: dict[str, Any], path: list[str]):
    assert paths(refused(**asked)) == path


@pytest.mark.parametrize("key", ["pairs", "whole", "nics"])
@pytest.mark.parametrize(
    ("some", "helps"), [(PLUGGED, True), (pool("host", "BM.GPU.H100.8", "roce-host", DRA), True), (NAMED, False)]
)
def test_a_claim_that_no_driver_answers_is_refused_with_what_helps(some: Any, helps: bool, key: str):
    """Where nothing can claim the NICs there is nothing to say but that the key must go."""
    value = [1] if key == "pairs" else True
    told = refused_of(some, context=replace(CONTEXT, host="al2023", claimed_when="say please"), claims={key: value})[-1]

    assert told.startswith(f"claims.{key}: ") and some.machine.name in told
    assert ("say please" in told) is helps


def test_pods_name_the_templates_of_their_pool():
    """A pool with a device plugin names those with NICs alone, and a pool without claims names none."""
    made = planned(GIB, NICS, claims={"pairs": [8]}).workloads

    assert made["gib"].claim_templates == (f"{A4}-pairs-8", f"{A4}-whole", f"{A4}-nics")
    assert made["nics"].claim_templates == (f"{A4}-nics",)
    assert planned(GIB, NAMED).workloads["named"].claim_templates == ()


@pytest.mark.parametrize("cloud", clouds(), ids=lambda cloud: cloud.name)
def test_no_namespace_of_ours_can_be_the_users_too(cloud: CloudTests):
    """What a stack makes or fills without being asked for it is refused under ``claims.namespaces``."""
    found = set()
    for resource in (each for stack in cloud.stacks for each in graph_of(stack).resources):
        metadata = resource.inputs.get("metadata") or {}
        if resource.type == "kubernetes:core/v1:Namespace":
            found.add(metadata["name"])
        elif resource.type.startswith("kubernetes:"):
            found.add(metadata.get("namespace") or resource.inputs.get("namespace") or "default")

    assert found - our_namespaces().keys() <= {*OF_KUBERNETES}
