"""What Google is asked before the first resource, and what comes of its answers and of look-ups that fail."""

from contextlib import chdir
from typing import Any

import grpc
import pulumi
import pytest
from pulumi_offline import preview
from pulumi_offline.invoke_results import KNOWN
from pulumi_offline.monitor import Monitor
from pulumi_offline.project import program_of, read_settings
from pulumi_offline.runtime import run
from rdma_cluster.gke import lookups as asking
from rdma_cluster.gke.plan.lookups import LookUp
from rdma_cluster.gke.plan.preflight import Finding
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


def test_a_look_up_that_is_not_allowed_is_a_warning(caplog: pytest.LogCaptureFixture):
    """Who makes clusters may not be allowed to read what is somebody else's."""
    made, ended = registered({MACHINES: MACHINE, RESERVATION: Forbidden.answer})

    assert not ended and "gcp:container/nodePool:NodePool" in made
    assert "gcloud compute reservations describe my-reservation" in caplog.text and "machine-types" not in caplog.text
    assert "compute.reservations.get and compute.reservationBlocks.list" in caplog.text
    assert "googleapi: Error 403" in caplog.text


def look_up(about: str, *found: Finding) -> LookUp:
    """A question whose answer means this."""
    return LookUp(about, "what it is", "gcp:x:y", {}, ("x.get",), f"gcloud {about}", lambda answer: found, {})


def asked(monkeypatch: pytest.MonkeyPatch, answer: Any, *look_ups: LookUp) -> list[Any]:
    """What the resources wait for after these questions, all of which have one answer."""
    waited: list[Any] = []

    async def invoke(token: str, args: dict[str, Any], opts: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    def program() -> None:
        parent, provider = pulumi.ComponentResource("a:b:C", "parent"), pulumi.ProviderResource("gcp", "google", {})
        asking.nothing_against(look_ups, provider, parent).apply(waited.append)

    monkeypatch.setattr(asking, "invoke_async", invoke)
    preview(program)
    return waited


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        ({}, "an empty answer"),
        (PermissionError("no\n  right"), "no right"),
        (TimeoutError(), "TimeoutError"),
        (RuntimeError("x" * 401), "x" * 400),
    ],
    ids=["empty", "lines", "no words", "long"],
)
def test_what_brings_no_answer_is_a_warning_of_one_line(
    answer: Any, got: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    """It holds 400 characters of the reason at the most; an error without words is told by its kind."""
    with caplog.at_level("WARNING", "pulumi"):
        waited = asked(monkeypatch, answer, look_up("one"), look_up("two"))
    lines = [record.getMessage() for record in caplog.records]

    assert waited == [[]] and [line.partition(" ")[0] for line in lines] == ["one", "two"]
    assert all(line.endswith(f"got: {got}") and "x.get" in line and "\n" not in line for line in lines)


def test_warnings_are_told_and_refusals_together(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    """A stack with warnings alone is made; nothing that waits for the answers is made beside a refusal."""
    careful = Finding("careful", refuses=False)

    assert asked(monkeypatch, {"x": 1}, look_up("one", careful)) == [[]]
    assert "careful" in caplog.text
    with pytest.raises(pulumi.RunError, match="no room\nno right"):
        asked(monkeypatch, {"x": 1}, look_up("one", Finding("no room"), careful), look_up("two", Finding("no right")))
