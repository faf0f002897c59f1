"""What Google is asked before the first resource, and what comes of its answers and of look-ups that fail."""

from contextlib import chdir
from typing import Any

import grpc
import pulumi
import pytest
from pulumi_offline.invoke_results import KNOWN
from pulumi_offline.monitor import Monitor
from pulumi_offline.project import program_of, read_settings
from pulumi_offline.runtime import run
from tests.stacks import ROOT

MACHINES = "gcp:compute/getMachineTypes:getMachineTypes"
RESERVATION = "gcp:compute/getReservation:getReservation"
GPUS = {"guestAcceleratorType": "nvidia-b200", "guestAcceleratorCount": 8}
MACHINE = {"id": "x", "machineTypes": [{"name": "a4-highgpu-8g", "accelerators": [GPUS]}]}
# As the provider gives them: data_source_google_compute_reservation.go@e03b762.
RESERVED = {
    "id": "projects/my-project/zones/us-west8-c/reservations/r",
    "status": "READY",
    "specificReservationRequired": True,
    "shareSettings": [{"shareType": "LOCAL", "projects": [], "projectMaps": []}],
    "specificReservations": [{"count": 4, "inUseCount": 0, "instanceProperties": [{"machineType": "a4-highgpu-8g"}]}],
}


class Failed(grpc.RpcError):
    """What the engine's client raises where a provider's function fails."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.UNKNOWN

    def details(self) -> str:
        return self.words

    def answer(self, args: Any) -> Any:
        """In place of an answer."""
        raise self


def registered(invokes: dict[str, Any]) -> tuple[list[str], str]:
    """The types of what the GKE stack registers under these answers, and how it ends."""
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
    """All of it is told together; the component alone is there, and the provider that was asked."""
    made, ended = registered({MACHINES: {"id": "x", "machineTypes": []}, RESERVATION: {"id": "r"}})

    assert set(made) == {"rdma-cluster:index:GkeRdmaCluster", "pulumi:providers:gcp"}
    assert "us-west8-c has no a4-highgpu-8g" in ended and "reservation my-reservation of my-project" in ended


def test_what_google_has_nothing_against_is_made():
    """With its answers the graph is the one without."""
    made, ended = registered({MACHINES: MACHINE, RESERVATION: RESERVED})

    assert not ended and made == registered({})[0]


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        ({}, "an empty answer"),
        (Failed("googleapi: Error 403:\n  no right").answer, "googleapi: Error 403: no right"),
        (Failed("x" * 401).answer, "x"),
    ],
    ids=["empty", "lines", "long"],
)
def test_a_look_up_that_fails_is_a_warning_of_one_line(answer: Any, got: str, caplog: pytest.LogCaptureFixture):
    """Who makes clusters may not be allowed to read what is somebody else's."""
    with caplog.at_level("WARNING", "pulumi"):
        made, ended = registered({MACHINES: MACHINE, RESERVATION: answer})
    (line,) = (each.getMessage() for each in caplog.records if "could not be looked up" in each.getMessage())
    said, _, reason = line.partition("; got: ")

    assert not ended and "gcp:container/nodePool:NodePool" in made
    assert said.endswith("describe my-reservation --project my-project --zone us-west8-c")
    assert "compute.reservations.get and compute.reservationBlocks.list" in said
    assert reason.endswith(got) and len(reason) <= 400 and "\n" not in line


def test_an_answer_may_be_a_warning(caplog: pytest.LogCaptureFixture):
    made, ended = registered({MACHINES: MACHINE, RESERVATION: {**RESERVED, "status": "CREATING"}})

    assert not ended and "gcp:container/nodePool:NodePool" in made and "is CREATING" in caplog.text
