"""The questions to Google about a stack's pools: each once, with its arguments and the command by hand."""

from dataclasses import replace
from typing import Any

from rdma_cluster.gke.plan.lookups import LookUp
from rdma_cluster.gke.plan.machines import BUILDABLE
from rdma_cluster.gke.plan.preflight import Reserved, judge_machine, judge_part, judge_quota, judge_reservation
from tests.gke.plans import pool, stack_plan

A4, A3_ULTRA = BUILDABLE["a4-highgpu-8g"], BUILDABLE["a3-ultragpu-8g"]
ULTRA = {"machine": "a3-ultragpu-8g"}
SPOT, ON_DEMAND, FLEX, QUEUED = ({key: True} for key in ("spot", "on_demand", "flex_start", "queued"))


def asked(*pools: dict[str, Any]) -> tuple[LookUp, ...]:
    """What is asked about pools of two A4 nodes each, unless they are others."""
    return stack_plan(*({**pool(name=f"p{i}"), **each} for i, each in enumerate(pools))).look_ups


def reserved(nodes: int, **more: Any) -> Reserved:
    """What is wanted of a reservation `r` of the stack's own project."""
    return replace(Reserved("r", "my-project", "us-west8-c", "my-project", A4, nodes, begun=True), **more)


def test_each_machine_is_asked_for_once():
    first, second, *rest = asked({"capacity": SPOT}, {"capacity": SPOT, **ULTRA}, {"capacity": SPOT})

    assert first.args == {"project": "my-project", "zone": "us-west8-c", "filter": 'name = "a4-highgpu-8g"'}
    assert first.by_hand.startswith("gcloud ") and first.by_hand.endswith("name=a4-highgpu-8g --zones us-west8-c")
    assert (first.judge, first.wanted) == (judge_machine, {"machine": A4, "zone": "us-west8-c"})
    assert second.wanted["machine"] == A3_ULTRA
    assert [each.judge for each in rest] == [judge_quota, judge_quota]


def test_a_reservation_is_asked_for_as_a_whole_and_by_its_parts():
    """Its nodes and blocks come first, then each block and each sub-block for the pools that name it."""
    parts: list[dict[str, Any]] = [
        {"name": "r", "block": "b"},
        {"name": "r"},
        {"name": "r", "block": "c", "sub_block": "s"},
        {"name": "r", "block": "b"},
    ]
    _, whole, block, sub_block = asked(*({"capacity": {"reservation": each}, "nodes": 3} for each in parts))
    place = {"project": "my-project", "zone": "us-west8-c"}

    assert [each.function.rpartition(":")[2] for each in (whole, block, sub_block)] == [
        "getReservation",
        "getReservationBlock",
        "getReservationSubBlock",
    ]
    assert (whole.args, whole.wanted["wanted"]) == ({**place, "name": "r"}, reserved(12, blocks=("b", "c")))
    assert block.args == {**place, "reservation": "r", "name": "b"}
    assert block.wanted["wanted"] == reserved(6, block="b")
    assert sub_block.args == {**place, "reservation": "r", "reservationBlock": "c", "name": "s"}
    assert sub_block.wanted["wanted"] == reserved(3, block="c", sub_block="s")
    assert "reservations describe r " in whole.by_hand
    assert "blocks describe r --block-name b --project my-project" in block.by_hand
    assert "sub-blocks describe r --block-name c --sub-block-name s --project my-project" in sub_block.by_hand


def test_other_reservations_are_questions_of_their_own():
    """They go by owner, name and machine; a calendar request is the reservation that it makes."""
    made = asked(
        {"capacity": {"reservation": {"name": "r"}}},
        {"capacity": {"calendar": {"name": "r", "project": "owner-1", "active": False}}},
        {"capacity": {"reservation": {"name": "q"}}},
        {"capacity": {"reservation": {"name": "r"}}, **ULTRA},
        {"capacity": SPOT},
    )

    assert [each.wanted["wanted"] for each in made if each.judge is judge_reservation] == [
        reserved(2),
        reserved(2, project="owner-1", begun=False),
        reserved(2, name="q"),
        reserved(2, machine=A3_ULTRA),
    ]
    assert [each for each in made if each.judge is judge_part] == []


def test_each_quota_is_asked_for_all_its_gpus():
    """Reserved nodes were counted when they were reserved; flex-start counts as spot."""
    made = asked(
        {"capacity": ON_DEMAND},
        {},
        {"capacity": SPOT, "nodes": 1},
        {"capacity": QUEUED, "nodes": 3},
        {"capacity": FLEX, **ULTRA, "nodes": 1},
    )
    quotas = {each.args["quotaId"]: each.wanted for each in made if each.judge is judge_quota}

    assert quotas == {
        "GPUS-PER-GPU-FAMILY-per-project-region": {"family": "NVIDIA_B200", "region": "us-west8", "gpus": 16},
        "PREEMPTIBLE-NVIDIA-B200-GPUS-per-project-region": {"family": "NVIDIA_B200", "region": "us-west8", "gpus": 32},
        "PREEMPTIBLE-NVIDIA-H200-GPUS-per-project-region": {"family": "NVIDIA_H200", "region": "us-west8", "gpus": 8},
    }
    assert {each.args["parent"] for each in made if each.judge is judge_quota} == {"projects/my-project"}
