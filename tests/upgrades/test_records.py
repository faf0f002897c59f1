"""What Google's and Amazon's records of upgrades say, as the page and the command take them."""

from importlib import import_module

import pytest
from rdma_cluster.catalog import charts, releases
from rdma_cluster.catalog.gke_releases import TCPX
from rdma_cluster.upgrades.record import CloudUpgrades, Outcome, Part


def record(cloud: str) -> CloudUpgrades:
    """Of one cloud."""
    return import_module(f"rdma_cluster.{cloud}.plan.upgrades").UPGRADES


@pytest.mark.parametrize(
    ("cloud", "done", "installed"),
    [
        (
            "gke",
            {Part.KUBERNETES, Part.NODE_IMAGE, Part.DRA_DRIVER, Part.NCCL_PLUGIN},
            {Part.DRA_DRIVER: charts.NVIDIA_DRA_DRIVER.version, Part.NCCL_PLUGIN: releases.GIB_X86.version},
        ),
        (
            "eks",
            {Part.KUBERNETES, Part.NODE_IMAGE, Part.DRA_DRIVER},
            {Part.DRA_DRIVER: charts.NVIDIA_DRA_DRIVER.version},
        ),
        ("gce", {Part.NCCL_PLUGIN}, {Part.NCCL_PLUGIN: TCPX.plugin.version}),
    ],
)
def test_parts(cloud: str, done: set[Part], installed: dict[Part, str]):
    """Which parts we upgrade, and of which a release of the library has one version; the others are refused."""
    cells = record(cloud).cells

    assert set(cells) == set(Part)
    assert {part for part, cell in cells.items() if cell.outcome is Outcome.DONE} == done
    assert {part for part, cell in cells.items() if cell.outcome is Outcome.REFUSED} == set(Part) - done
    assert {part: cell.installed for part, cell in cells.items() if cell.installed} == installed


@pytest.mark.parametrize(
    ("cloud", "label", "keys", "exact", "nodes"),
    [
        (
            "gke",
            "cloud.google.com/gke-nodepool",
            {Part.KUBERNETES: "nodeVersion", Part.NODE_IMAGE: "nodeVersion"},
            "1.36.1-gke.1842000",
            "system nodes follow in the same `up`, one more than there are at a time",
        ),
        (
            "eks",
            "eks.amazonaws.com/nodegroup",
            {Part.NODE_IMAGE: "releaseVersion"},
            "",
            "system nodes follow in the same `up`",
        ),
    ],
)
def test_how_nodes_follow(cloud: str, label: str, keys: dict[Part, str], exact: str, nodes: str):
    """By which key of a pool, in which form of a version; no node beyond the pool's own, and one away at a time."""
    told = record(cloud)

    assert (told.pool_label, dict(told.node_keys), told.exact, told.system_nodes) == (label, keys, exact, nodes)
    assert told.roll is not None and (told.roll.surge, told.roll.unavailable) == (0, 1)
    assert ("rdma-cluster upgrade STACK --part node-image" in told.then) is (cloud == "eks")


def test_plain_machines_are_made_anew_at_once():
    """Nothing of them rolls."""
    told = record("gce")

    assert (told.service, told.pool_label, told.roll, dict(told.node_keys)) == ("Compute Engine", "", None, {})
