"""Which claim templates a cluster offers, and where."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.base.args import plan_from
from rdma_cluster.claims import Target
from rdma_cluster.fabrics import NIC_DRIVERS, GpuAllocation
from rdma_cluster.fabrics.rollout import one_by_one_seconds
from rdma_cluster.incluster.plan.claim_templates import (
    ClaimTemplatesArgs,
    ClaimTemplatesPlan,
    claims_for,
    plan_claim_templates,
)
from rdma_cluster.incluster.plan.resolve import resolve_all

A4 = "a4-highgpu-8g"


def plan(**args: Any) -> ClaimTemplatesPlan:
    """The plan for A4 machines."""
    return plan_from(ClaimTemplatesArgs, plan_claim_templates, {"machines": [A4], **args})


def names(made: ClaimTemplatesPlan, machine: str = A4) -> list[str]:
    """Names of the templates, without the machine's."""
    return [template.name.removeprefix(f"{machine}-") for template in made.templates(machine)]


def test_default():
    """1, 2, 4 and 8 pairs on every window of rails, the whole node, all NICs; in the default namespace."""
    made = plan()

    expected = [
        *(f"pairs-1-rail-{i}" for i in range(8)),
        *("pairs-2-rails-0-1", "pairs-2-rails-2-3", "pairs-2-rails-4-5", "pairs-2-rails-6-7"),
        *("pairs-4-rails-0-3", "pairs-4-rails-4-7"),
        *("pairs-8", "whole", "nics"),
    ]
    assert expected == names(made)
    assert (made.namespaces, made.new_namespaces) == (("default",), ())


def test_shapes_are_a_choice():
    """Only what is asked for; windows that do not fill a node are left out."""
    assert names(plan(pairs=[3], whole=False, nics=False)) == ["pairs-3-rails-0-2", "pairs-3-rails-3-5"]


def test_managed_nics_name_no_rail():
    """GKE's driver names no rail, so that pairs are offered all together or not at all."""
    assert names(plan(nic_driver="gke-managed")) == ["pairs-8", "whole", "nics"]


def test_machines_whose_gpus_a_device_plugin_hands_out():
    """NICs alone; a machine in both lists is offered in full."""
    assert names(plan(machines=[], nic_only_machines=[A4])) == ["nics"]
    assert names(plan(nic_only_machines=[A4])) == names(plan())


@pytest.mark.parametrize(
    ("create", "made"), [(True, ("team-a",)), (False, ())], ids=["a cluster of ours", "an existing cluster"]
)
def test_namespaces(create: bool, made: tuple[str, ...]):
    """What Kubernetes brings is never made: making it again would fail at `up`."""
    namespaces = ["default", "kube-system", "team-a"]

    assert plan(namespaces=namespaces, create_namespaces=create).new_namespaces == made


def test_timeouts_grow_with_the_nodes():
    """A chart that rolls one node at a time: 180 nodes were seen to take 45 minutes."""
    assert one_by_one_seconds(180) >= 45 * 60
    assert one_by_one_seconds(2) < one_by_one_seconds(3)


def test_each_machine_is_claimed_as_its_pool_hands_it_out():
    """A cluster with pools of both kinds: of one the GPUs as well, of the other its NICs alone."""
    pools = resolve_all(
        [
            {"name": "a", "machine": "p5.48xlarge", "nodes": 2, "gpu_allocation": GpuAllocation.DRA},
            {"name": "b", "machine": "p5en.48xlarge", "nodes": 2, "gpu_allocation": GpuAllocation.DEVICE_PLUGIN},
        ],
        ErrorList(),
    )

    args = claims_for(pools, {"namespaces": ["team-a"]}, "1.35")

    assert (args["machines"], args.get("nic_only_machines")) == (["p5.48xlarge"], ["p5en.48xlarge"])
    assert (args.get("nic_driver"), args.get("version"), args.get("namespaces")) == ("aws-dranet", "1.35", ["team-a"])


@pytest.mark.parametrize(
    ("more", "target"),
    [
        ({"version": "1.36.1"}, Target(kubernetes=(1, 36))),
        ({"nic_driver": "gke-managed"}, Target(NIC_DRIVERS["gke-managed"])),
        ({"machines": [], "nic_only_machines": [A4]}, Target(gpus=GpuAllocation.DEVICE_PLUGIN)),
        ({}, Target()),
    ],
)
def test_who_answers_claims(more: dict[str, Any], target: Target):
    """The driver of the NICs, whoever hands out the GPUs, and the cluster's version."""
    assert plan(**{"machines": [A4], **more}).targets == {A4: target}
