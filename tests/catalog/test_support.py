"""Each part that a stack installs is published for the Kubernetes that it installs it on, or the plan says that it is
not; and a pin does not move without a look at what its release serves."""

import pytest
from rdma_cluster.base.versions import at_least, minor_of
from rdma_cluster.catalog import oke_releases, releases
from rdma_cluster.catalog.aks_releases import FLOORS
from rdma_cluster.catalog.support import SUPPORT
from rdma_cluster.cli.stack_file import read_stack, summary_of
from rdma_cluster.supply.artifacts import all_charts
from tests.stacks import STACKS, cloud_of


def _minors(oldest: str, newest: str) -> list[str]:
    return [f"1.{number}" for number in range(int(oldest[2:]), int(newest[2:]) + 1)]


LEAST = "1.34"
"""What claims of GPUs ask for."""
OFFERED = {
    "aks": _minors(*FLOORS.minors),
    "eks": _minors(LEAST, releases.EKS.minors[1]),
    "gke": _minors("1.35", releases.GKE.minors[1]),
    "oke": [each for each in oke_releases.VERSIONS.offered if at_least(each, LEAST)],
}
NAMES = {each.title: each.name for each in all_charts()}
QUEUES = ["queues.enabled=true"]


def test_each_pin_has_a_row_of_its_own_release():
    pinned = {each.name: each.version for each in all_charts()}
    pinned |= {each.name: each.version for each in oke_releases.ADDONS if each.version}

    assert [name for name in pinned if not pinned[name].lstrip("v").startswith(SUPPORT[name].release)] == []


@pytest.mark.parametrize("stack", [stack for stack in STACKS if cloud_of(stack) in OFFERED and stack != "oke-adopt"])
@pytest.mark.parametrize("more", [[], QUEUES], ids=["as it is", "with queues"])
def test_what_a_publisher_does_not_name_a_version_for_is_told(stack: str, more: list[str]):
    for version in OFFERED[cloud_of(stack)]:
        summary = summary_of(read_stack(stack, None, [f"kubernetes.version='{version}'", *more])[1])
        titles = [row["part"] for row in summary.to_dict()["versions"]]
        rows = {title: SUPPORT.get(NAMES.get(title, title.removeprefix("add-on "))) for title in titles}
        unnamed = [title for title, row in rows.items() if row and not row.serves(minor_of(version))]
        told = [line for line in summary.warnings if "is published for" in line]

        assert len(told) == len(unnamed) and all(any(title in line for line in told) for title in unnamed)
