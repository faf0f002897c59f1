"""What Google's answers mean, where they hold little, and next to each limit."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.gke.plan.machines import BUILDABLE
from rdma_cluster.gke.plan.preflight import (
    Finding,
    Reserved,
    judge_machine,
    judge_part,
    judge_quota,
    judge_reservation,
    list_machines,
)

A4 = BUILDABLE["a4-highgpu-8g"]
WANTED = Reserved("r", "my-project", "us-west8-c", "my-project", A4, 2, True)
ABOUT = "reservation r of my-project in us-west8-c"
READY = {"status": "READY", "specificReservationRequired": True}


def of(count: int | None, used: int | None, *machines: str | None) -> dict[str, Any]:
    """A ready reservation; what is ``None`` Google leaves out."""
    numbers = {key: str(value) for key, value in (("count", count), ("inUseCount", used)) if value is not None}
    rows = [{} if name is None else {"machineType": name} for name in machines]
    return {**READY, "specificReservations": [{**numbers, "instanceProperties": rows}]}


@pytest.mark.parametrize(
    ("count", "used", "nodes", "told"),
    [
        (2, 0, 2, ""),
        (1, 0, 2, "holds 1 nodes and the stack takes 2"),
        (None, None, 1, "holds 0 nodes and the stack takes 1"),
        (4, None, 4, ""),
        (4, 1, 3, ""),
        (4, 2, 3, "has 2 of 4 nodes in use and the stack takes 3"),
        # With all its own nodes up the stack uses as many as it takes.
        (4, 3, 3, ""),
        (4, 4, 3, ""),
        (3, 1, 2, ""),
    ],
)
def test_places_of_a_reservation(count: int | None, used: int | None, nodes: int, told: str):
    """Too few are refused, taken ones are told; a number that Google leaves out is 0."""
    found = list(judge_reservation(of(count, used, A4.name), replace(WANTED, nodes=nodes)))

    assert [each.text.startswith(f"{ABOUT} {told}") for each in found] == [True] * bool(told)
    assert all(each.refuses is told.startswith("holds") for each in found)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (READY, []),
        ({**READY, "specificReservations": None, "blockNames": None}, []),
        (of(2, 0), []),
        (of(2, 0, None), []),
        (of(2, 0, "a3-ultragpu-8g", A4.name), [f"{ABOUT} is of a3-ultragpu-8g"]),
        (of(2, 0, None, "x/a3-ultragpu-8g"), [f"{ABOUT} is of a3-ultragpu-8g"]),
        ({**READY, "status": "CREATING"}, [f"{ABOUT} is CREATING"]),
        ({"status": "READY"}, [f"{ABOUT} is for any instance"]),
        ({**READY, "specificReservationRequired": False}, [f"{ABOUT} is for any instance"]),
    ],
)
def test_what_is_left_out_is_nothing_against_it(answer: dict[str, Any], told: list[str]):
    """Only a specific reservation is one that a pool can name, and only another machine is a wrong one."""
    found = list(judge_reservation(answer, WANTED))

    assert [each.text.startswith(words) for each, words in zip(found, told, strict=True)] == [True] * len(told)


def test_a_reservation_that_has_not_begun_is_not_counted():
    """Nor is its state told; its machine and its kind are fixed from the start."""
    wanted = replace(WANTED, begun=False)
    answer = {**of(0, 9, "a3-ultragpu-8g"), "status": "CREATING", "specificReservationRequired": False}

    assert [each.text.partition(";")[0] for each in judge_reservation(answer, wanted)] == [
        f"{ABOUT} is for any instance, and a pool names a specific one",
        f"{ABOUT} is of a3-ultragpu-8g, and its pool of a4-highgpu-8g",
    ]


@pytest.mark.parametrize(
    ("blocks", "told"),
    [
        (("b2", "b1"), []),
        (("b1", "b3", "b4"), ["b3; it has b1, b2", "b4; it has b1, b2"]),
        (("b3", "b1"), ["b3; it has b1, b2"]),
    ],
)
def test_blocks(blocks: tuple[str, ...], told: list[str]):
    """Each block that a pool names is one that the reservation has, in whatever order Google lists them."""
    found = list(judge_reservation({**READY, "blockNames": ["b2", "b1"]}, replace(WANTED, blocks=blocks)))

    assert found == [Finding(f"{ABOUT} has no block {words}") for words in told]
    assert list(judge_reservation({**READY, "blockNames": []}, replace(WANTED, blocks=blocks))) == []


def shared(*settings: dict[str, Any]) -> list[Finding]:
    """What is said of a reservation of `owner`."""
    return list(judge_reservation({**READY, "shareSettings": list(settings)}, replace(WANTED, project="owner")))


_WITH = "reservation r of owner in us-west8-c is shared with"
_ASK = "; have its owner share it with my-project, if it is none of these"


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"projects": ["b", "my-project"]}, []),
        ({"projectMaps": [{"projectId": "b"}, {"projectId": "my-project"}]}, []),
        ({"projectMaps": [{"id": "my-project", "projectId": "7"}]}, []),
        ({"projects": ["c", "a"], "projectMaps": [{"id": "b"}]}, [Finding(f"{_WITH} a, b, c{_ASK}")]),
        ({}, [Finding(f"{_WITH} nobody{_ASK}")]),
        ({"projects": ["a", "123"]}, [Finding(f"{_WITH} 123, a{_ASK}", refuses=False)]),
    ],
)
def test_sharing(settings: dict[str, Any], found: list[Finding]):
    """A project that is not listed is refused, unless Google lists numbers, which may be it."""
    assert shared({"shareType": "SPECIFIC_PROJECTS", **settings}) == found


@pytest.mark.parametrize("settings", [(), ({},), ({"shareType": "LOCAL", "projects": ["my-project"]},)])
def test_what_is_not_shared(settings: tuple[dict[str, Any], ...]):
    """Without settings a reservation is its owner's alone."""
    assert shared(*settings) == [
        Finding("reservation r of owner in us-west8-c is not shared; have its owner share it with my-project")
    ]


@pytest.mark.parametrize(
    ("answer", "nodes", "begun", "holds"),
    [
        ({"blockCount": "2"}, 2, True, None),
        ({"blockCount": "2"}, 3, True, 2),
        ({"blockCount": 0}, 1, True, 0),
        ({"blockCount": 2}, 3, False, None),
        ({}, 3, True, None),
    ],
)
def test_places_of_a_block(answer: dict[str, Any], nodes: int, begun: bool, holds: int | None):
    """Counted once they are there, and where Google counts them."""
    found = list(judge_part(answer, replace(WANTED, block="b", nodes=nodes, begun=begun)))

    about = "reservation r, block b of my-project in us-west8-c"
    words = f"{about} holds {holds} nodes and the stack takes {nodes}; ask for fewer"
    assert found == ([] if holds is None else [Finding(words)])


def test_health_of_a_sub_block():
    """Each sick part of a sub-block is told by both names; what has no health is well."""
    wanted = replace(WANTED, block="b", sub_block="s")
    found = list(judge_part({"healthInfos": [{}, {"healthStatus": "DEGRADED"}, {"healthStatus": "HEALTHY"}]}, wanted))

    words = "reservation r, block b, sub-block s of my-project in us-west8-c is DEGRADED: nodes on its bad hosts may"
    assert found == [Finding(f"{words} not start", refuses=False)]
    assert list(judge_part({"healthInfos": None}, wanted)) == []


def machine(name: str, *gpus: dict[str, Any]) -> dict[str, Any]:
    """A row of the zone's machine types."""
    return {"name": name, "accelerators": list(gpus)}


B200 = {"guestAcceleratorType": "nvidia-b200", "guestAcceleratorCount": 8}


@pytest.mark.parametrize(
    ("rows", "got"),
    [
        ([machine("a4-highgpu-8g", B200)], None),
        ([machine("a3-ultragpu-8g"), machine("a4-highgpu-8g", B200)], None),
        ([machine("a4-highgpu-8g")], None),
        ([{"name": "a4-highgpu-8g", "accelerators": None}], None),
        ([machine("a4-highgpu-8g", {"guestAcceleratorType": "nvidia-b200"})], "0 nvidia-b200"),
        ([machine("a4-highgpu-8g", {**B200, "guestAcceleratorType": "nvidia-b300"})], "8 nvidia-b300"),
        ([machine("a4-highgpu-8g", {**B200, "guestAcceleratorCount": 7})], "7 nvidia-b200"),
    ],
)
def test_gpus_of_a_machine(rows: list[dict[str, Any]], got: str | None):
    """Of the rows of a zone that of the machine counts; its GPUs are as the catalogue has them, or are told."""
    found = list(judge_machine({"machineTypes": rows}, A4, "us-west8-c"))

    words = f"a4-highgpu-8g has {got} by Google and 8 nvidia-b200 by our catalogue, which must be mended"
    assert found == ([] if got is None else [Finding(words, refuses=False)])


@pytest.mark.parametrize("answer", [{"machineTypes": [machine("a3-ultragpu-8g", B200)]}, {"machineTypes": None}, {}])
def test_a_zone_without_the_machine(answer: dict[str, Any]):
    """Whatever else it has; the command that lists its zones is said."""
    (found,) = judge_machine(answer, A4, "us-west8-c")

    assert found == Finding(
        f"us-west8-c has no a4-highgpu-8g for this project; take a zone that has: {list_machines(A4)}"
    )
    assert list_machines(A4) == "gcloud compute machine-types list --filter name=a4-highgpu-8g"


HERE = {"applicableLocations": ["us-west8"]}


@pytest.mark.parametrize(
    ("infos", "limit"),
    [
        ([{**HERE, "details": [{"value": "15"}]}], 15),
        ([{**HERE, "details": [{"value": "16"}]}], None),
        ([{**HERE, "details": [{"value": "0"}]}], 0),
        ([{**HERE, "details": [{"value": "-1"}]}], None),
        # Without places it is about all of them, without a value about nothing.
        ([{"details": [{"value": "3"}]}], 3),
        ([{**HERE, "details": []}, {**HERE, "details": [{}, {"value": "4"}]}], 4),
        ([{**HERE}, {**HERE, "details": [{"value": "5"}]}], 5),
        # Another region, another GPU and another dimension are passed over; the first that fits counts.
        ([{"applicableLocations": ["us-east1"], "details": [{"value": "1"}]}, {"details": [{"value": "6"}]}], 6),
        ([{"dimensions": {"gpu_family": "OTHER"}, "details": [{"value": "1"}]}, {"details": [{"value": "7"}]}], 7),
        ([{"dimensions": {"zone": "x"}, "details": [{"value": "1"}]}, {"details": [{"value": "8"}]}], 8),
        ([{"dimensions": {"region": "us-west8", "gpu_family": "F"}, "details": [{"value": "9"}]}], 9),
        ([{"details": [{"value": "20"}]}, {"details": [{"value": "1"}]}], None),
    ],
)
def test_quota(infos: list[dict[str, Any]], limit: int | None):
    """The first value that is about the region and the GPU decides; one below what the stack takes is told."""
    answer = {"quotaId": "Q", "dimensionsInfos": infos}
    found = list(judge_quota(answer, family="F", region="us-west8", gpus=16))

    words = f"quota Q of F is {limit} GPUs in us-west8, and the stack takes 16; ask for more, or the pool stays short"
    assert found == ([] if limit is None else [Finding(f"{words} of nodes", refuses=False)])
    assert list(judge_quota({}, family="F", region="us-west8", gpus=16)) == []
