"""Rows of the catalogue by name, each of which must be there."""

from rdma_cluster.catalog import Machine, find


def known_machine(name: str) -> Machine:
    row = find(name)
    assert row is not None, name
    return row
