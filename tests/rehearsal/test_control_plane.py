"""The engine's objects on a real API server, in the engine's own order."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pulumi_offline.errors import Refused
from rdma_rehearsal.controlplane.objects import ControlPlane
from rdma_rehearsal.controlplane.servers import find_programs
from rdma_rehearsal.controlplane.started import control_plane
from tests.clouds import clouds
from tests.rehearsal.stages import rehearsed, wrong
from tests.stacks import STACKS

OF_KUBERNETES = [next(stack for stack in STACKS if stack == cloud.name) for cloud in clouds() if cloud.has_kubernetes]
EVERYTHING = (
    "kubernetes.version='1.36'",
    "storage={lustre: {capacityGib: 4800}}",
    "inference={model: meta-llama/Llama-3.1-405B-Instruct, weights: {storage: true}}",
    "queues={enabled: true}",
    "monitoring={enabled: true}",
    "injection={enabled: true}",
)


@pytest.fixture
def server() -> Iterator[ControlPlane]:
    """One that is started for a test; nothing is left there in the end."""
    try:
        find_programs("")
    except Refused as refused:
        pytest.skip(str(refused))
    with control_plane(None, "1.36") as started:
        yield started
        assert (started.count, started.leftovers()) == (0, [])


@pytest.mark.parametrize("stack", OF_KUBERNETES)
def test_objects_are_taken_changed_and_gone(stack: str, server: ControlPlane, tmp_path: Path):
    """By a server that validates, fills in and refuses; the stack's own ones, and those of charts as recorded."""
    outcomes = rehearsed(stack, tmp_path, "up", "changes", parallel=64, control_plane=server)

    assert wrong(outcomes) == {}
    (said,) = (each.said for each in outcomes if each.timeline)
    assert said.endswith(("stays simulated: Release", "stays simulated: nothing")), said


def test_a_stack_with_everything(server: ControlPlane, tmp_path: Path):
    """Queues, alerts, injection, a served model and a file system, which `destroy` does not take without a word."""
    outcomes = rehearsed("eks", tmp_path, "up", parallel=64, control_plane=server, overrides=EVERYTHING)

    assert wrong(outcomes) == {}
    assert "protected: eks-storage" in [each.said for each in outcomes]
