"""Which shapes each kind of machine is offered, and what a user may ask for in their place."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog import find
from rdma_cluster.incluster.plan.claim_templates import check_namespace, check_namespaces, plan_claim_templates

Shapes = list[tuple[str, int, int]]
LAST = [("whole", 1, 1), ("nics", 1, 1)]


def shapes(machine: str, **more: Any) -> Shapes:
    """Of each offer its shape, its windows, and how many pods with it fill a node."""
    args: Any = {"machines": [machine], **more}
    made = plan_claim_templates(args, errors := ErrorList())
    assert made is not None, errors.found()
    return [(each.intent.slug, len(each.windows), each.pods_per_node) for each in made.by_machine[machine]]


def refused(**args: Any) -> list[str]:
    """What is told; there is no plan."""
    given: Any = {"machines": ["a4-highgpu-8g"], **args}
    errors = ErrorList()
    assert plan_claim_templates(given, errors) is None
    return [str(error) for error in errors.found()]


@pytest.mark.parametrize(
    ("machine", "offered"),
    [
        # A NIC for every GPU, on rails that can be pinned.
        ("a4-highgpu-8g", [("pairs-1", 8, 8), ("pairs-2", 4, 4), ("pairs-4", 2, 2), ("pairs-8", 1, 1), *LAST]),
        # EFA's devices are on no rail: one claim, of which a node holds as many.
        ("p6-b200.48xlarge", [("pairs-1", 1, 8), ("pairs-2", 1, 4), ("pairs-4", 1, 2), ("pairs-8", 1, 1), *LAST]),
        ("p4d.24xlarge", [("groups-2x1-1", 1, 4), ("groups-2x1-2", 1, 2), ("groups-2x1-4", 1, 1), *LAST]),
        (
            "BM.GPU.H100.8",
            [("groups-1x2-1", 8, 8), ("groups-1x2-2", 4, 4), ("groups-1x2-4", 2, 2), ("groups-1x2-8", 1, 1), *LAST],
        ),
        # Pairs that no root shows, which a NUMA node does.
        (
            "Standard_ND96asr_v4",
            [("pairs-1", 8, 8), ("pairs-2", 4, 4), ("pairs-4", 2, 2), ("pairs-8", 1, 1), ("numa", 4, 4), *LAST],
        ),
        (
            "Standard_ND128isr_GB300_v6",
            [("pairs-1", 4, 4), ("pairs-2", 2, 2), ("pairs-4", 1, 1), ("numa", 2, 2), *LAST],
        ),
        ("BM.GPU.GB200.4", [("numa", 2, 2), *LAST]),
        # Roots that are not published, and GPUs that share none.
        ("BM.GPU.B300.8", LAST),
        ("g6e.48xlarge", LAST),
    ],
)
def test_usual_shapes(machine: str, offered: Shapes):
    """1, 2, 4 and so on of the least shape, up to all; the whole node, and its NICs alone."""
    assert shapes(machine) == offered


@pytest.mark.parametrize(
    ("machine", "asked", "offered"),
    [
        ("a4-highgpu-8g", {"pairs": [3]}, [("pairs-3", 2, 2), *LAST]),
        ("a4-highgpu-8g", {"pairs": []}, LAST),
        ("a4-highgpu-8g", {"pairs": [8], "whole": False}, [("pairs-8", 1, 1), ("nics", 1, 1)]),
        ("a4-highgpu-8g", {"pairs": [8], "whole": True, "nics": False}, [("pairs-8", 1, 1), ("whole", 1, 1)]),
        ("a4-highgpu-8g", {"pairs": [8], "nics": True}, [("pairs-8", 1, 1), *LAST]),
        (
            "a4-highgpu-8g",
            {"pairs": [], "gpus": [1, 3, 8]},
            [("gpus-1", 1, 8), ("gpus-3", 1, 2), ("gpus-8", 1, 1), *LAST],
        ),
        # Groups are for other machines: here they are pairs.
        ("BM.GPU.H100.8", {"groups": [3]}, [("groups-1x2-3", 2, 2), *LAST]),
        ("p4d.24xlarge", {"groups": [3]}, [("groups-2x1-3", 1, 1), *LAST]),
        # A pair may be asked for where a group is usual.
        ("p5.48xlarge", {"pairs": [1], "groups": []}, [("pairs-1", 1, 8), *LAST]),
        ("a4-highgpu-8g", {"nic_driver": "gke-managed"}, [("pairs-8", 1, 1), *LAST]),
    ],
)
def test_shapes_that_are_asked_for(machine: str, asked: dict[str, Any], offered: Shapes):
    """In the place of the usual ones, each key by itself."""
    assert shapes(machine, **asked) == offered


def test_groups_of_one_machine_beside_pairs_of_another():
    """One that has groups is enough to ask for them."""
    both: Any = {"machines": ["a4-highgpu-8g", "a3-ultragpu-8g"], "groups": [1]}
    made = plan_claim_templates({**both, "machines": ["BM.GPU.H100.8", "BM.GPU.H200.8"]}, ErrorList())

    assert made is not None
    assert made.by_machine["BM.GPU.H100.8"][0].intent.slug == "groups-1x2-1"
    assert refused(**both) == [
        "groups: a4-highgpu-8g, a3-ultragpu-8g pairs GPUs and NICs one to one, or not at all; ask for pairs"
    ]
    assert refused(machines=["BM.GPU.GB200.4"], groups=[1])[0].startswith("groups: BM.GPU.GB200.4 pairs GPUs")


@pytest.mark.parametrize("key", ["pairs", "groups", "gpus"])
def test_numbers_of_shapes(key: str):
    """From 1 on, each once; a wrong one is told at its place, and alone."""
    machine = "BM.GPU.H100.8" if key == "groups" else "a4-highgpu-8g"

    assert shapes(machine, **{key: [1, 2]})
    assert refused(machines=[machine], **{key: [1, 0, 2, 1]}) == [
        f"{key}[1]: got 0; must be 1 or more",
        f"{key}[3]: 1 is listed twice; list each number once",
    ]


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ({"pairs": [9], "machines": ["a4-highgpu-8g"]}, "pairs[0]"),
        ({"pairs": [1, 9], "machines": ["a4-highgpu-8g"]}, "pairs[1]"),
        ({"gpus": [9], "machines": ["a4-highgpu-8g"]}, "gpus[0]"),
        ({"groups": [9], "machines": ["BM.GPU.H100.8"]}, "groups[0]"),
        ({"machines": ["a3-megagpu-8g"]}, "whole"),
    ],
)
def test_a_shape_that_fits_on_no_node(asked: dict[str, Any], path: str):
    """Is refused where it is asked for; a usual one that does not fit is not offered."""
    assert refused(**asked)[0].partition(":")[0] == path


@pytest.mark.parametrize("key", ["pairs", "groups", "gpus", "whole"])
def test_gpus_of_a_device_plugin_are_claimed_by_nobody(key: str):
    """Each shape with GPUs is refused where no other machine has them; NICs alone are offered."""
    asked = {key: True if key == "whole" else [1]}
    machine = "BM.GPU.H100.8" if key == "groups" else "a4-highgpu-8g"

    assert refused(machines=[], nic_only_machines=[machine], **asked) == [
        f"{key}: the GPUs of {machine} are handed out by a device plugin, so no claim can name them; offer nics only, "
        "or set gpuAllocation: dra on its pool"
    ]
    both: Any = {"machines": [machine], "nic_only_machines": [machine], **asked}
    assert plan_claim_templates(both, ErrorList()) is not None
    assert shapes(machine, machines=[], nic_only_machines=[machine]) == [("nics", 1, 1)]
    assert shapes(machine, machines=[], nic_only_machines=[machine], **{key: False if key == "whole" else []}) == [
        ("nics", 1, 1)
    ]


def test_gpus_that_nothing_but_a_plugin_hands_out():
    """There is no other choice to be named."""
    machine = find("a4x-maxgpu-4g-metal")
    assert machine is not None and machine.plugged_alone

    assert refused(machines=[], nic_only_machines=[machine.name], whole=True)[-1].endswith("; offer nics only")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({"nic_driver": "dranett"}, "nic_driver: got 'dranett'; choose one of dranet, "),
        ({"machines": ["a4"]}, "machines[0]: unknown machine 'a4'"),
        ({"machines": [], "nic_only_machines": ["a4"]}, "nic_only_machines[0]: unknown machine 'a4'"),
        ({"nic_driver": "aws-dranet"}, "nic_driver: "),
        ({"namespaces": ["kube_system"]}, "namespaces[0]: got 'kube_system'; a namespace is"),
        ({"namespaces": ["mpi-operator"]}, "namespaces[0]: "),
    ],
)
def test_what_no_cluster_has(args: dict[str, Any], told: str):
    """A driver, a machine, a namespace: one error each."""
    (line,) = refused(**args)

    assert line.startswith(told)


@pytest.mark.parametrize(
    ("namespaces", "told"),
    [
        (["a", "a-1", "a" * 63], []),
        ([], ["empty"]),
        (["A"], ["got 'A'"]),
        (["-a"], ["got '-a'"]),
        (["a-"], ["got 'a-'"]),
        (["a" * 64], [f"got '{'a' * 64}'"]),
        (["a", "b", "a"], ["a is listed twice"]),
    ],
)
def test_namespaces_and_their_form(namespaces: list[str], told: list[str]):
    """As Kubernetes has it, each once."""
    check_namespaces(namespaces, errors := ErrorList())
    assert [each.reason.partition(";")[0] for each in errors.found()] == told

    if len(namespaces) == 1:
        check_namespace(namespaces[0], [], alone := ErrorList())
        assert [each.reason for each in alone.found()] == [each.reason for each in errors.found()]
