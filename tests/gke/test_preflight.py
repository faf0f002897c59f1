"""What Google's answers mean for a plan, where they hold little, and next to each limit."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.gke.plan.machines import BUILDABLE
from rdma_cluster.gke.plan.preflight import Finding, Reserved, judge_machine, judge_part, judge_quota, judge_reservation

A4 = BUILDABLE["a4-highgpu-8g"]
WANTED = Reserved("r", "my-project", "us-west8-c", "my-project", A4, 2, True)
LATER = replace(WANTED, begun=False)
SHARED = replace(WANTED, project="owner")
READY = {"status": "READY", "specificReservationRequired": True}
REFUSED, WARNED = True, False


def of(count: int | None, used: int | None, *machines: str | None) -> dict[str, Any]:
    """A ready reservation; Google leaves out what is ``None``."""
    numbers = {key: str(value) for key, value in (("count", count), ("inUseCount", used)) if value is not None}
    rows = [{} if name is None else {"machineType": name} for name in machines]
    return {**READY, "specificReservations": [{**numbers, "instanceProperties": rows}]}


def check(found: Iterator[Finding], expected: list[tuple[bool, str]]) -> None:
    """Each finding refuses or warns as expected, and says the words."""
    got = list(found)
    assert [each.refuses for each in got] == [refuses for refuses, _ in expected], got
    assert all(words in each.text for each, (_, words) in zip(got, expected, strict=True)), got


@pytest.mark.parametrize(
    ("count", "used", "nodes", "expected"),
    [
        (2, 0, 2, []),
        (1, 0, 2, [(REFUSED, "holds 1 nodes and the stack takes 2")]),
        (None, None, 1, [(REFUSED, "holds 0 nodes and the stack takes 1")]),
        (4, None, 4, []),
        (4, 2, 3, [(WARNED, "2 of 4 nodes in use and the stack takes 3")]),
        # With all its own nodes up the stack uses as many as it takes.
        (4, 3, 3, []),
    ],
)
def test_a_reservation_holds_the_nodes_of_the_stack(count: int | None, used: int | None, nodes: int, expected: Any):
    """Too few are refused, and taken ones are told."""
    check(judge_reservation(of(count, used, A4.name), replace(WANTED, nodes=nodes)), expected)


@pytest.mark.parametrize(
    ("answer", "wanted", "expected"),
    [
        ({"id": "r"}, WANTED, [(REFUSED, "is not there")]),
        ({"id": "r"}, LATER, []),
        ({**READY, "specificReservations": None, "blockNames": None}, WANTED, []),
        (of(2, 0, None), WANTED, []),
        (of(2, 0, None, "x/a3-ultragpu-8g"), WANTED, [(REFUSED, "is of a3-ultragpu-8g")]),
        ({**READY, "status": "CREATING"}, WANTED, [(WARNED, "is CREATING")]),
        ({"status": "READY"}, WANTED, [(REFUSED, "is for any instance")]),
        # Before it begins its nodes and its state are not counted; its machine and its kind are fixed.
        ({**of(0, 9, A4.name), "status": "CREATING"}, LATER, []),
        (
            {**of(0, 9, "b"), "specificReservationRequired": False},
            LATER,
            [(REFUSED, "any instance"), (REFUSED, "of b")],
        ),
    ],
)
def test_a_reservation_is_there_and_of_the_pools_machine(answer: dict[str, Any], wanted: Reserved, expected: Any):
    """What Google leaves out is nothing against it."""
    check(judge_reservation(answer, wanted), expected)


def test_a_reservation_has_each_block_that_a_pool_names():
    """Google lists them in any order, or not at all."""
    wanted = replace(WANTED, blocks=("b1", "b3", "b4"))

    check(
        judge_reservation({**READY, "blockNames": ["b2", "b1"]}, wanted),
        [(REFUSED, "no block b3; it has b1, b2"), (REFUSED, "no block b4")],
    )
    assert list(judge_reservation({**READY, "blockNames": []}, wanted)) == []


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ([{"projects": ["b", "my-project"]}], []),
        ([{"projectMaps": [{"id": "my-project", "projectId": "7"}]}], []),
        ([{"projects": ["c", "a"], "projectMaps": [{"id": "b"}]}], [(REFUSED, "is shared with a, b, c")]),
        ([{}], [(REFUSED, "is shared with nobody")]),
        # A number may be that of the project.
        ([{"projects": ["a", "123"]}], [(WARNED, "is shared with 123, a")]),
        ([], [(REFUSED, "is not shared")]),
        ([{"shareType": "LOCAL", "projects": ["my-project"]}], [(REFUSED, "is not shared")]),
    ],
)
def test_a_reservation_of_another_project_is_shared_with_the_stacks(settings: list[dict[str, Any]], expected: Any):
    shares = [{"shareType": "SPECIFIC_PROJECTS", **each} for each in settings]

    check(judge_reservation({**READY, "shareSettings": shares}, SHARED), expected)


@pytest.mark.parametrize(
    ("answer", "wanted", "expected"),
    [
        ({"blockCount": "1", "subBlockCount": 9}, WANTED, [(REFUSED, "block b of my-project in us-west8-c holds 1")]),
        ({"blockCount": 0}, LATER, []),
        ({}, WANTED, []),
        ({"blockCount": 9, "subBlockCount": 1}, replace(WANTED, sub_block="s"), [(REFUSED, "sub-block s")]),
        (
            {"healthInfos": [{}, {"healthStatus": "DEGRADED"}, {"healthStatus": "HEALTHY"}]},
            replace(WANTED, sub_block="s"),
            [(WARNED, "block b, sub-block s of my-project in us-west8-c is DEGRADED")],
        ),
    ],
)
def test_a_part_of_a_reservation_is_large_enough_and_well(answer: dict[str, Any], wanted: Reserved, expected: Any):
    check(judge_part(answer, replace(wanted, block="b")), expected)


B200 = {"guestAcceleratorType": "nvidia-b200", "guestAcceleratorCount": 8}


def machine(name: str, *gpus: dict[str, Any]) -> dict[str, Any]:
    """A row of the zone's machine types."""
    return {"name": name, "accelerators": list(gpus)}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"machineTypes": [machine("a3-ultragpu-8g"), machine(A4.name, B200)]}, []),
        ({"machineTypes": [{"name": A4.name, "accelerators": None}]}, []),
        (
            {"machineTypes": [machine(A4.name, {**B200, "guestAcceleratorType": "nvidia-b300"})]},
            [(WARNED, "8 nvidia-b300")],
        ),
        ({"machineTypes": [machine(A4.name, {**B200, "guestAcceleratorCount": 7})]}, [(WARNED, "7 nvidia-b200")]),
        ({"machineTypes": [machine(A4.name, {"guestAcceleratorType": "nvidia-b200"})]}, [(WARNED, "0 nvidia-b200")]),
        ({"machineTypes": [machine("a3-ultragpu-8g", B200)]}, [(REFUSED, "us-west8-c has no a4-highgpu-8g")]),
        ({}, [(REFUSED, "gcloud compute machine-types list --filter name=a4-highgpu-8g")]),
    ],
)
def test_a_zone_has_the_machine_with_the_catalogues_gpus(answer: dict[str, Any], expected: Any):
    """Another number of GPUs than the catalogue's is a mistake of ours, so it is a warning."""
    check(judge_machine(answer, A4, "us-west8-c"), expected)


HERE = {"applicableLocations": ["us-west8"]}
ELSEWHERE = {"applicableLocations": ["us-east1"], "details": [{"value": "1"}]}


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
        # Another region, another GPU and another dimension are passed over.
        ([ELSEWHERE, {"details": [{"value": "6"}]}], 6),
        ([{"dimensions": {"gpu_family": "OTHER"}, "details": [{"value": "1"}]}, {"details": [{"value": "7"}]}], 7),
        ([{"dimensions": {"zone": "x"}, "details": [{"value": "1"}]}, {"details": [{"value": "8"}]}], 8),
        ([{"dimensions": {"region": "us-west8", "gpu_family": "F"}, "details": [{"value": "9"}]}], 9),
        ([], None),
    ],
)
def test_the_first_quota_about_region_and_gpu_decides(infos: list[dict[str, Any]], limit: int | None):
    """One below what the stack takes is told, and never refused."""
    found = judge_quota({"quotaId": "Q", "dimensionsInfos": infos}, family="F", region="us-west8", gpus=16)

    check(found, [] if limit is None else [(WARNED, f"quota Q of F is {limit} GPUs in us-west8")])
