"""Every cloud is registered with the tests that ask all clouds."""

import pytest
from rdma_cluster.common import CLOUDS
from tests.clouds import CloudTests, clouds
from tests.stacks import PROGRAMS, STACKS, graph_of


def test_every_stack_program_has_its_folder_of_tests():
    """Every stack is of a cloud that is registered, so that no test leaves one out."""
    assert [cloud.name for cloud in clouds()] == PROGRAMS == sorted(CLOUDS)
    assert sorted(stack for cloud in clouds() for stack in cloud.stacks) == STACKS


# In one process, and after those that make the graphs.
@pytest.mark.xdist_group("readers")
@pytest.mark.parametrize("cloud", clouds(), ids=lambda cloud: cloud.name)
def test_a_clouds_readers_find_pools_and_addresses_in_its_own_stacks_alone(cloud: CloudTests):
    for stack in STACKS:
        graph = graph_of(stack)
        assert bool(list(cloud.pools(graph))) is (stack in cloud.stacks)
        # A stack that takes in what exists makes no blocks.
        if stack == cloud.stacks[0] or stack not in cloud.stacks:
            assert bool(list(cloud.ranges(graph))) is (stack in cloud.stacks)
