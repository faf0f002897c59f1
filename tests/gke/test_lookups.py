"""What Google is asked before the first resource, and what its answers mean."""

from contextlib import chdir
from copy import deepcopy
from dataclasses import replace
from json import dumps
from typing import Any

import grpc
import pulumi
import pytest
from pulumi_offline.invoke_results import KNOWN
from pulumi_offline.monitor import Monitor
from pulumi_offline.project import program_of, read_settings
from pulumi_offline.runtime import run
from rdma_cluster.catalog.gke import MACHINES as ROWS, GkeMachine
from rdma_cluster.common.stack import plan_stack, summarise_stack
from rdma_cluster.gke.plan import STACK_KEYS, plan_rdma_cluster_args
from rdma_cluster.gke.plan.preflight import Reserved, judge_machine, judge_part, judge_quota, judge_reservation
from tests.stacks import ROOT
from tools.google_server.documents import document

A4, A3_ULTRA = (next(row for row in ROWS if row.name == name) for name in ("a4-highgpu-8g", "a3-ultragpu-8g"))
WANTED = Reserved("r", "my-project", "us-west8-c", "my-project", A4, 2, True)
SHARED = replace(WANTED, project="owner")
# As the provider gives them: data_source_google_compute_reservation.go@e03b762.
ANSWER: dict[str, Any] = {
    "id": "projects/my-project/zones/us-west8-c/reservations/r",
    "status": "READY",
    "specificReservationRequired": True,
    "blockNames": ["b-1", "b-2"],
    "shareSettings": [{"shareType": "LOCAL", "projects": [], "projectMaps": []}],
    "specificReservations": [{"count": 4, "inUseCount": 0, "instanceProperties": [{"machineType": "a4-highgpu-8g"}]}],
}
POOL = {"machine": "a4-highgpu-8g", "nodes": 2}
MACHINES = "gcp:compute/getMachineTypes:getMachineTypes"
RESERVATION = "gcp:compute/getReservation:getReservation"


def answer(**changes: Any) -> dict[str, Any]:
    """The answer with other keys; those of ``specific`` are of the reserved nodes."""
    made = deepcopy(ANSWER)
    made["specificReservations"][0].update(changes.pop("specific", {}))
    return {**made, **changes}


def of(machine: str) -> dict[str, Any]:
    """Reserved nodes of a machine, as the API spells it in some answers."""
    return {"instanceProperties": [{"machineType": machine}]}


def shared(*projects: str, **maps: Any) -> list[dict[str, Any]]:
    """Settings of a shared reservation."""
    return [{"shareType": "SPECIFIC_PROJECTS", "projects": list(projects), **maps}]


@pytest.mark.parametrize(
    ("got", "wanted", "told", "refuses"),
    [
        (answer(), WANTED, "", False),
        (answer(specific=of("zones/us-west8-c/machineTypes/a4-highgpu-8g")), WANTED, "", False),
        ({"id": "r"}, WANTED, "is not there", True),
        ({"id": "r"}, replace(WANTED, begun=False), "", False),
        (answer(status="CREATING"), WANTED, "is CREATING", False),
        (answer(specificReservationRequired=False), WANTED, "--require-specific-reservation", True),
        (answer(specific=of("a3-ultragpu-8g")), WANTED, "is of a3-ultragpu-8g", True),
        (answer(specific={"count": 1}), WANTED, "holds 1 nodes and the stack takes 2", True),
        (answer(specific={"count": 0}), replace(WANTED, begun=False), "", False),
        (answer(specific={"count": 2, "inUseCount": 1}), WANTED, "1 of 2 nodes in use", False),
        (answer(specific={"count": 2, "inUseCount": 2}), WANTED, "", False),
        (answer(), replace(WANTED, blocks=("b-2",)), "", False),
        (answer(), replace(WANTED, blocks=("b-3",)), "no block b-3; it has b-1, b-2", True),
        (answer(), SHARED, "is not shared", True),
        (answer(shareSettings=[]), SHARED, "is not shared", True),
        (answer(shareSettings=shared("my-project")), SHARED, "", False),
        (answer(shareSettings=shared(projectMaps=[{"id": "my-project"}])), SHARED, "", False),
        (answer(shareSettings=shared("another")), SHARED, "is shared with another", True),
        (answer(shareSettings=shared(projectMaps=[{"id": "123", "projectId": "123"}])), SHARED, "with 123", False),
    ],
)
def test_reservation(got: dict[str, Any], wanted: Reserved, told: str, refuses: bool):
    """Its state, machine, size and sharing: refused where no node could start, else told."""
    found = list(judge_reservation(got, wanted))

    assert len(found) == bool(told), found
    assert not told or (told in found[0].text and found[0].refuses is refuses)


@pytest.mark.parametrize(
    ("got", "wanted", "told"),
    [
        ({"blockCount": 2}, replace(WANTED, block="b"), []),
        ({"blockCount": 1, "subBlockCount": 9}, replace(WANTED, block="b"), [True]),
        ({"blockCount": 9, "subBlockCount": 1}, replace(WANTED, block="b", sub_block="s"), [True]),
        ({"blockCount": 2, "healthInfos": [{"healthStatus": "HEALTHY"}]}, replace(WANTED, block="b"), []),
        ({"blockCount": 2, "healthInfos": [{"healthStatus": "DEGRADED"}]}, replace(WANTED, block="b"), [False]),
    ],
)
def test_part_of_a_reservation(got: dict[str, Any], wanted: Reserved, told: list[bool]):
    """Too small is refused, sick is told."""
    assert [each.refuses for each in judge_part(got, wanted)] == told


def machine_answer(machine: GkeMachine, **accelerator: Any) -> dict[str, Any]:
    """One row of a zone's machine types."""
    gpus = {"guestAcceleratorType": machine.accelerator, "guestAcceleratorCount": machine.gpus, **accelerator}
    return {"id": "x", "machineTypes": [{"name": machine.name, "accelerators": [gpus]}]}


def test_machine():
    """A zone without it is refused; another number of GPUs than the catalogue's is our own mistake."""
    (gone,) = judge_machine({"id": "x", "machineTypes": []}, A4, "us-west8-c")
    (other,) = judge_machine(machine_answer(A4, guestAcceleratorCount=4), A4, "us-west8-c")

    assert gone.refuses and "us-west8-c has no a4-highgpu-8g" in gone.text
    assert not other.refuses and "4 nvidia-b200 by Google and 8 nvidia-b200" in other.text
    assert not list(judge_machine(machine_answer(A3_ULTRA), A3_ULTRA, "us-west8-c"))


def info(value: str, *places: str, **dimensions: str) -> dict[str, Any]:
    """A quota's value for some places."""
    return {"details": [{"value": value}], "applicableLocations": list(places), "dimensions": dimensions}


@pytest.mark.parametrize(
    ("infos", "limit"),
    [
        ([], None),
        ([info("16", "us-west8", region="us-west8", gpu_family="NVIDIA_B200")], None),
        ([info("8", "us-west8", region="us-west8", gpu_family="NVIDIA_B200"), info("64", "us-west8")], 8),
        ([info("8", "us-west8", gpu_family="NVIDIA_H100"), info("-1", "us-west8")], None),
        ([info("8", "us-east1", region="us-east1"), info("4", "us-east1", "us-west8")], 4),
    ],
)
def test_quota(infos: list[dict[str, Any]], limit: int | None):
    """The first value that is about the region and the GPU counts, and never refuses."""
    found = list(judge_quota({"dimensionsInfos": infos}, family="NVIDIA_B200", region="us-west8", gpus=16))

    assert [(each.refuses, f"is {limit} GPUs" in each.text) for each in found] == ([(False, True)] if limit else [])


def asked(*overrides: tuple[str, Any]) -> list[dict[str, Any]]:
    """What a plan says that it did not ask."""
    settings = read_settings(ROOT, "gke")
    summary = summarise_stack("gke", {**settings.config, **dict(overrides)}, "gke")
    return summary.to_dict()["unasked"]


def test_the_plan_says_what_nobody_asked():
    """Left of the wall there is nobody to ask; of a profile there never is."""
    about = [(row["about"].partition(" ")[0], row["asked_by"].partition(" ")[0]) for row in asked()]

    assert about == [("a4-highgpu-8g", "pulumi"), ("reservation", "pulumi"), ("network", "gcloud")]
    assert [row["about"] for row in asked(("rdma-cluster:lookUps", "false"))] == ["network profile us-west8-c-vpc-roce"]


def test_pools_of_one_reservation_are_counted_together():
    """Two of two nodes each do not fit into three places; a block of it is a question of its own."""
    pools = [{**POOL, "name": f"p{i}", "capacity": {"reservation": {"name": "r", "block": f"b{i}"}}} for i in (1, 2)]
    rows = [row["about"] for row in asked(("rdma-cluster:pools", dumps(pools)))]

    assert [row for row in rows if row.startswith("reservation")] == [
        "reservation r of my-project in us-west8-c",
        "reservation r, block b1 of my-project in us-west8-c",
        "reservation r, block b2 of my-project in us-west8-c",
    ]


def test_quota_goes_by_the_source():
    """On-demand nodes count by family, spot's and flex-start's as preemptible ones."""
    sources = ("onDemand", "spot", "flexStart")
    pools = [{**POOL, "name": source.lower(), "capacity": {source: True}} for source in sources]
    quotas = [row for row in asked(("rdma-cluster:pools", dumps(pools))) if row["about"].startswith("quota")]

    assert [(row["about"].split()[1], row["tells"].partition(" of ")[0].split()[-2]) for row in quotas] == [
        ("GPUS-PER-GPU-FAMILY-per-project-region", "16"),
        ("PREEMPTIBLE-NVIDIA-B200-GPUS-per-project-region", "32"),
    ]


class Forbidden(grpc.RpcError):
    """What the engine's client raises where a provider's function fails."""

    @classmethod
    def answer(cls, args: Any) -> Any:
        raise cls

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.UNKNOWN

    def details(self) -> str:
        return "googleapi: Error 403: Required 'compute.reservations.get' permission"


def registered(invokes: dict[str, Any]) -> tuple[list[str], str]:
    """Types of what the GKE stack registers under these answers, and how it ends."""
    settings = read_settings(ROOT, "gke")
    monitor = Monitor(settings, {**KNOWN, **invokes})
    ended = ""
    with chdir(ROOT):
        try:
            run(program_of(ROOT), monitor, settings)
        except pulumi.RunError as refused:
            ended = str(refused)
    return [each.type for each in monitor.graph().resources], ended


def test_what_google_refuses_is_refused_before_anything_is_made():
    """All of it together; of the stack there is the component alone, and the provider that was asked."""
    made, ended = registered({MACHINES: {"id": "x", "machineTypes": []}, RESERVATION: {"id": "r"}})

    assert set(made) == {"rdma-cluster:index:GkeRdmaCluster", "pulumi:providers:gcp"}
    assert "us-west8-c has no a4-highgpu-8g" in ended and "reservation my-reservation of my-project" in ended


def test_what_google_has_nothing_against_is_made():
    """With its answers the graph is the one without."""
    made, ended = registered({MACHINES: machine_answer(A4), RESERVATION: answer()})

    assert not ended and made == registered({})[0]


def test_a_look_up_that_is_not_allowed_is_a_warning(caplog: pytest.LogCaptureFixture):
    """Who makes clusters may not be allowed to read what is somebody else's."""

    made, ended = registered({MACHINES: machine_answer(A4), RESERVATION: Forbidden.answer})

    assert not ended and "gcp:container/nodePool:NodePool" in made
    assert "gcloud compute reservations describe my-reservation" in caplog.text and "machine-types" not in caplog.text
    assert "which takes compute.reservations.get and compute.reservationBlocks.list; ask by hand" in caplog.text
    assert "got: invoke of gcp:compute/getReservation:getReservation failed: googleapi: Error 403" in caplog.text


def test_every_permission_is_a_method_and_stands_on_the_page():
    """Compute's permissions are named as the methods that the provider asks; the page lists what a look-up takes."""
    block = {"name": "r", "block": "b"}
    parts = ({"name": "r"}, block, {**block, "subBlock": "s"})
    capacities = [*({"reservation": each} for each in parts), {"onDemand": True}]
    pools = [{**POOL, "name": f"p{i}", "capacity": each} for i, each in enumerate(capacities)]
    config = {**read_settings(ROOT, "gke").config, "rdma-cluster:pools": dumps(pools)}
    plan = plan_stack(plan_rdma_cluster_args, STACK_KEYS, config, "gke")
    permissions = {each for look_up in plan.look_ups for each in look_up.permissions}
    page = (ROOT / "docs" / "gke.md").read_text()
    compute = document("compute.v1")
    assert compute is not None

    assert [each for each in permissions if f"`{each}`" not in page] == []
    assert {each for each in permissions if each not in compute.methods} == {"cloudquotas.quotas.get"}
    assert {"compute.reservationBlocks.list", "compute.reservationSubBlocks.list"} <= permissions
