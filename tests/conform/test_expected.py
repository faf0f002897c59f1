"""What the plan of a stack promises of its cluster: daemons, classes and machines."""

from typing import Any

import pytest
from rdma_cluster.cli.stack_file import cloud_of, read_stack
from rdma_cluster.common.stack import plan_of
from rdma_cluster.conform.expected import Expected, expected
from tests.conform.synthetic import promised

SECOND = "pools[1]={name: ultra, machine: a3-ultragpu-8g, nodes: 1, capacity: {spot: true}}"


def promised_with(stack: str, *overrides: str) -> Expected:
    """What a stack promises with values laid over its file."""
    _, settings = read_stack(stack, None, overrides)
    made: Any = plan_of(cloud_of(settings), settings.config, stack)
    return expected(made)


@pytest.mark.parametrize(
    ("stack", "names"),
    [
        ("gke", ["dra-driver-nvidia-gpu", "dranet", "nvidia-driver-installer", "nccl-installer-gib"]),
        ("eks", ["dra-driver-nvidia-gpu", "aws-dranet"]),
        ("gke-a3-high", ["nccl-installer-tcpx", "nri-device-injector"]),
        ("aks", []),
    ],
)
def test_a_stack_promises_its_drivers_and_what_nccl_needs(stack: str, names: list[str]):
    """Drivers have the version of their chart; a daemon beside a plugin has none."""
    daemons = promised(stack).daemons

    assert [each.name for each in daemons] == names
    ours = ("nvidia-driver-installer", "nri-device-injector")
    assert all(bool(each.version) == (each.name not in ours) for each in daemons)
    assert all(each.drives for each in daemons)


def test_a_daemon_runs_on_the_pools_that_it_serves():
    of = promised_with("gke", SECOND)

    assert {each.pools for each in of.daemons} == {(0, 1)}
    assert len({each.name for each in of.daemons}) == len(of.daemons)


def test_the_class_of_gpus_is_promised_only_where_claims_hand_them_out():
    assert promised("gke").classes == ("gpu.nvidia.com", "dranet")
    assert promised_with("gke", "pools[0].gpuAllocation=device-plugin").classes == ("dranet",)
