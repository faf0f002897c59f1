"""What the clouds register is whole."""

import pytest
from rdma_cluster.common import CLOUDS
from tests.clouds import CloudTests, clouds
from tests.stacks import PROGRAMS, STACKS, graph_of


def test_every_stack_program_has_its_folder_of_tests():
    """And every stack is of a cloud that is registered: none is left out of a test that asks all clouds."""
    assert [cloud.name for cloud in clouds()] == PROGRAMS == sorted(CLOUDS)
    assert sorted(stack for cloud in clouds() for stack in cloud.stacks) == STACKS


# In one process, and after those that make the graphs.
@pytest.mark.xdist_group("readers")
@pytest.mark.parametrize("cloud", clouds(), ids=lambda cloud: cloud.name)
def test_readers_read_their_own_cloud(cloud: CloudTests):
    """Pools and blocks of addresses in the cloud's stacks, and nothing in another's."""
    for stack in STACKS:
        graph = graph_of(stack)
        assert bool(list(cloud.pools(graph))) is (stack in cloud.stacks)
        # A stack that takes in what exists makes no blocks.
        if stack == cloud.stacks[0] or stack not in cloud.stacks:
            assert bool(list(cloud.ranges(graph))) is (stack in cloud.stacks)
