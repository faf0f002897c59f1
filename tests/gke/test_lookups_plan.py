"""The questions to Google about a stack's pools, in whole: function, arguments, rights, and the command by hand."""

from dataclasses import replace
from typing import Any

from pulumi_offline.errors import ErrorList
from rdma_cluster.common.google.names import Place
from rdma_cluster.gke.plan.fabric import pool_fabric
from rdma_cluster.gke.plan.lookups import LookUp, look_ups
from rdma_cluster.gke.plan.machines import BUILDABLE
from rdma_cluster.gke.plan.node_pool import plan_pool
from rdma_cluster.gke.plan.preflight import Reserved, judge_machine, judge_part, judge_quota, judge_reservation

A4, A3_ULTRA, A4X = (BUILDABLE[name] for name in ("a4-highgpu-8g", "a3-ultragpu-8g", "a4x-highgpu-4g"))
PLACE = Place("my-project", "us-west8-c", "us-west8")


def asked(*pools: dict[str, Any]) -> tuple[LookUp, ...]:
    """Of pools of two A4 nodes each, unless they are others."""
    listed: list[Any] = []
    for i, pool in enumerate(pools):
        listed.append({"name": f"p{i}", "machine": "a4-highgpu-8g", "nodes": 2, **pool})
    plans = []
    for pool in listed:
        made = plan_pool(pool, pool_fabric(pool, None), PLACE, "1.35", ErrorList())
        assert made is not None
        plans.append(made)
    return look_ups(PLACE, list(zip(listed, plans, strict=True)))


def reserved(nodes: int, **more: Any) -> Reserved:
    """What is wanted of a reservation `r` of the stack's own project."""
    return replace(Reserved("r", "my-project", "us-west8-c", "my-project", A4, nodes, begun=True), **more)


def test_machines():
    """Each machine is asked for once."""
    first, second, *rest = asked(
        {"capacity": {"spot": True}},
        {"capacity": {"spot": True}, "machine": "a3-ultragpu-8g"},
        {"capacity": {"spot": True}},
    )

    assert first == LookUp(
        "a4-highgpu-8g in us-west8-c",
        "whether the zone has the machine",
        "gcp:compute/getMachineTypes:getMachineTypes",
        {"project": "my-project", "zone": "us-west8-c", "filter": 'name = "a4-highgpu-8g"'},
        ("compute.machineTypes.list",),
        "gcloud compute machine-types list --filter name=a4-highgpu-8g --zones us-west8-c",
        judge_machine,
        {"machine": A4, "zone": "us-west8-c"},
    )
    assert (second.about, second.wanted["machine"]) == ("a3-ultragpu-8g in us-west8-c", A3_ULTRA)
    assert [each.judge for each in rest] == [judge_quota, judge_quota]


def test_a_reservation_with_its_parts():
    """The whole for all its nodes and blocks, then each block and each sub-block for those that name it."""
    of: list[dict[str, Any]] = [
        {"name": "r", "block": "b"},
        {"name": "r"},
        {"name": "r", "block": "c", "sub_block": "s"},
        {"name": "r", "block": "b"},
    ]
    _, whole, block, sub_block = asked(*({"capacity": {"reservation": each}, "nodes": 3} for each in of))

    assert whole == LookUp(
        "reservation r of my-project in us-west8-c",
        "its state, machine, size and sharing",
        "gcp:compute/getReservation:getReservation",
        {"name": "r", "project": "my-project", "zone": "us-west8-c"},
        ("compute.reservations.get", "compute.reservationBlocks.list"),
        "gcloud compute reservations describe r --project my-project --zone us-west8-c",
        judge_reservation,
        {"wanted": reserved(12, blocks=("b", "c"))},
    )
    assert block == LookUp(
        "reservation r, block b of my-project in us-west8-c",
        "its size and health",
        "gcp:compute/getReservationBlock:getReservationBlock",
        {"project": "my-project", "zone": "us-west8-c", "reservation": "r", "name": "b"},
        ("compute.reservationBlocks.get", "compute.reservationSubBlocks.list"),
        "gcloud beta compute reservations blocks describe r --block-name b --project my-project --zone us-west8-c",
        judge_part,
        {"wanted": reserved(6, block="b")},
    )
    assert sub_block == LookUp(
        "reservation r, block c, sub-block s of my-project in us-west8-c",
        "its size and health",
        "gcp:compute/getReservationSubBlock:getReservationSubBlock",
        {"project": "my-project", "zone": "us-west8-c", "reservation": "r", "reservationBlock": "c", "name": "s"},
        ("compute.reservationSubBlocks.get",),
        "gcloud beta compute reservations sub-blocks describe r --block-name c --sub-block-name s "
        "--project my-project --zone us-west8-c",
        judge_part,
        {"wanted": reserved(3, block="c", sub_block="s")},
    )


def test_other_reservations_are_questions_of_their_own():
    """By owner, name and machine; a calendar request is the reservation that it makes, begun or not."""
    made = asked(
        {"capacity": {"reservation": {"name": "r"}}},
        {"capacity": {"calendar": {"name": "r", "project": "owner-1", "active": False}}},
        {"capacity": {"reservation": {"name": "q"}}},
        {"capacity": {"reservation": {"name": "r"}}, "machine": "a3-ultragpu-8g"},
        {"capacity": {"spot": True}},
    )

    assert [each.wanted["wanted"] for each in made if each.judge is judge_reservation] == [
        reserved(2),
        reserved(2, project="owner-1", begun=False),
        reserved(2, name="q"),
        reserved(2, machine=A3_ULTRA),
    ]
    assert [each for each in made if each.judge is judge_part] == []


def test_quotas():
    """What is reserved is counted already; of the rest each quota is asked for all its GPUs, by its own name."""
    made = asked(
        {"capacity": {"on_demand": True}},
        {"capacity": {"reservation": {"name": "r"}}},
        {"capacity": {"spot": True}, "nodes": 1},
        {"capacity": {"queued": True}, "nodes": 3},
        {"capacity": {"spot": True}, "machine": "a3-ultragpu-8g", "nodes": 1},
        {"capacity": {"reservation": {"name": "r"}}, "machine": "a4x-highgpu-4g"},
    )
    on_demand, spot, ultra = (each for each in made if each.judge is judge_quota)

    assert on_demand == LookUp(
        "quota GPUS-PER-GPU-FAMILY-per-project-region of my-project",
        "whether it lets the stack have 16 GPUs of NVIDIA_B200 in us-west8",
        "gcp:cloudquota/getSQuotaInfo:getSQuotaInfo",
        {
            "parent": "projects/my-project",
            "service": "compute.googleapis.com",
            "quotaId": "GPUS-PER-GPU-FAMILY-per-project-region",
        },
        ("cloudquotas.quotas.get",),
        "gcloud beta quotas info describe GPUS-PER-GPU-FAMILY-per-project-region --service compute.googleapis.com "
        "--project my-project",
        judge_quota,
        {"family": "NVIDIA_B200", "region": "us-west8", "gpus": 16},
    )
    assert (spot.args["quotaId"], spot.wanted["gpus"]) == ("PREEMPTIBLE-NVIDIA-B200-GPUS-per-project-region", 32)
    assert (ultra.args["quotaId"], ultra.wanted["gpus"]) == ("PREEMPTIBLE-NVIDIA-H200-GPUS-per-project-region", 8)
