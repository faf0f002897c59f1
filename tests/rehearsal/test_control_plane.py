"""The engine's objects on a real API server, in the engine's own order."""

from pathlib import Path

import pytest
from rdma_cluster.faults import Refused
from rdma_cluster.rehearsal.controlplane.programs import find_programs
from rdma_cluster.rehearsal.controlplane.started import control_plane

from tests.clouds import clouds
from tests.rehearsal.stages import rehearsed, wrong
from tests.stacks import STACKS

OF_KUBERNETES = [next(stack for stack in STACKS if stack == cloud.name) for cloud in clouds() if cloud.has_kubernetes]


@pytest.mark.parametrize("stack", OF_KUBERNETES)
def test_objects_are_taken_changed_and_gone(stack: str, tmp_path: Path):
    """By a server that validates, fills in and refuses; the stack's own ones, and those of charts as recorded."""
    try:
        find_programs("")
    except Refused as refused:
        pytest.skip(str(refused))
    with control_plane(None, "1.35") as server:
        outcomes = rehearsed(stack, tmp_path, "up", "changes", parallel=64, control_plane=server)

        assert wrong(outcomes) == {}
        (said,) = (each.said for each in outcomes if each.timeline)
        assert said.endswith(("stays simulated: Release", "stays simulated: nothing")), said
        assert (server.count, server.left()) == (0, [])
