"""No wrong row passes: every row is checked, and every check is seen to fail on a row broken on purpose."""

from dataclasses import replace

import pytest
from rdma_cluster.catalog import Machine, find, machines
from rdma_cluster.catalog.clouds import CLOUD_FACTS
from tests.catalog.checks import errors


def _row(name: str) -> Machine:
    row = find(name)
    assert row is not None
    return row


A4 = _row("a4-highgpu-8g")
WITHOUT_RDMA = [row for facts in CLOUD_FACTS.values() for row in facts.without_rdma]


@pytest.mark.parametrize("machine", machines(), ids=lambda machine: machine.name)
def test_row(machine: Machine) -> None:
    """Counts, roots, names, addresses, bandwidth, thresholds and trust marks agree."""
    assert errors(machine) == []


def test_names_are_unique() -> None:
    """A name finds one machine, whatever the cloud."""
    names = [machine.name for machine in machines()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("cloud", CLOUD_FACTS)
def test_rows_stand_with_their_cloud(cloud: str) -> None:
    """A module holds rows of its own cloud only."""
    assert {machine.cloud for machine in machines(cloud)} == {cloud}


def test_properties_answer_for_devices() -> None:
    """GPU 5 of an A4 and its rail are on the third root; a machine without a layout says so."""
    assert (A4.root_of_gpu(5), A4.root_of_nic(5)) == (2, 2)
    assert replace(A4, roots=None).root_of_gpu(0) is None


def test_machines_without_a_fabric_are_none_of_the_catalogue() -> None:
    """A name stands in one of the two tables, once."""
    names = [name for row in WITHOUT_RDMA for name in row.names]

    assert len(set(names)) == len(names)
    assert not set(names) & {machine.name for machine in machines()}
    assert all(row.source.ref and row.source.seen for row in WITHOUT_RDMA)
