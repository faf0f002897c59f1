"""A constraint that many objects break is told once, with how many they are."""

from pulumi_offline import Resource
from pulumi_offline.constraints import Broken
from rdma_cluster.catalog.machine import Source
from rdma_cluster.cli.graph import told_once

TOKEN = "gcp:compute/network:Network"
TAKEN, LONG = (Broken("name", words, Source("api", "2026-11")) for words in ("Already exists", "Too long"))


def network(name: str) -> Resource:
    return Resource(f"urn:pulumi:lab::gpu::{TOKEN}::{name}", TOKEN, name, None, "p", {"name": "n"})


def test_one_line_for_each_constraint():
    """The first object's name stands for all; another constraint has a line of its own."""
    broken = [*((network(f"n{i}"), TAKEN) for i in range(41)), (network("n0"), LONG)]

    assert told_once(broken) == [(f"{TOKEN} n0 and 40 others", TAKEN), (f"{TOKEN} n0", LONG)]
    assert told_once(broken[:2]) == [(f"{TOKEN} n0 and 1 other", TAKEN)]


def test_two_paths_of_one_object_are_one_object():
    assert told_once([(network("n0"), TAKEN), (network("n0"), TAKEN)]) == [(f"{TOKEN} n0", TAKEN)]
