"""Every cloud is registered with the tests that ask all clouds."""

from rdma_cluster.common import CLOUDS
from tests.clouds import clouds
from tests.stacks import PROGRAMS, STACKS


def test_every_stack_program_has_its_folder_of_tests():
    """Every stack is of a cloud that is registered, so that no test leaves one out."""
    assert [cloud.name for cloud in clouds()] == PROGRAMS == sorted(CLOUDS)
    assert sorted(stack for cloud in clouds() for stack in cloud.stacks) == STACKS
