"""No wrong row is in the catalogue."""

from dataclasses import replace

import pytest
from rdma_cluster.catalog import Machine, machines
from rdma_cluster.catalog.clouds import CLOUD_FACTS
from tests.catalog.checks import errors
from tests.machines import known_machine

A4 = known_machine("a4-highgpu-8g")
WITHOUT_RDMA = [row for facts in CLOUD_FACTS.values() for row in facts.without_rdma]


@pytest.mark.parametrize("machine", machines(), ids=lambda machine: machine.name)
def test_the_facts_of_a_row_agree(machine: Machine) -> None:
    assert errors(machine) == []


def test_a_name_finds_one_machine() -> None:
    names = [machine.name for machine in machines()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("cloud", CLOUD_FACTS)
def test_a_module_holds_rows_of_its_own_cloud(cloud: str) -> None:
    assert {machine.cloud for machine in machines(cloud)} == {cloud}


def test_a_device_is_on_the_root_that_the_row_names() -> None:
    """A machine without a layout says so."""
    assert (A4.root_of_gpu(5), A4.root_of_nic(5)) == (2, 2)
    assert replace(A4, roots=None).root_of_gpu(0) is None


def test_machines_without_a_fabric_are_none_of_the_catalogue() -> None:
    names = [name for row in WITHOUT_RDMA for name in row.names]

    assert len(set(names)) == len(names)
    assert not set(names) & {machine.name for machine in machines()}
    assert all(row.source.ref and row.source.seen for row in WITHOUT_RDMA)
