"""How a fabric is proved: what a log must show, and which image and launcher run the test."""

from enum import Enum

from nccl_verdict.expectation import Network
from pulumi_offline.frozen import frozen
from ..catalog.releases import NcclTests


class Launcher(str, Enum):
    """What carries the acceptance test to the nodes."""

    INDEXED_JOB = "indexed-job"
    """An Indexed Job and nothing else; for images that hold their own ssh keys."""
    MPI_JOB = "mpi-job"
    """An MPIJob of Kubeflow's MPI operator."""


@frozen
class FabricAcceptance:
    """What a log must show, and what runs to make that log."""

    network: Network
    """What NCCL prints when it uses the fabric."""
    tests: tuple[NcclTests, ...]
    """Images with nccl-tests, one an architecture, the usual one first."""
    launcher: Launcher
    check_of_node: str = ""
    """A command that prints what is wrong with a node's NICs, before NCCL is asked; nothing where they are well."""
    also: tuple[str, ...] = ()
    """Versions of what else is proved: the proof is made anew when they change."""

    def test_on(self, architecture: str) -> NcclTests | None:
        """The image with nccl-tests for processors of an architecture."""
        return next((each for each in self.tests if each.architecture == architecture), None)


def verbs(transport: str, link_layer: str) -> Network:
    """What NCCL prints of NICs that it uses by verbs, by itself or by a plugin of HPC-X."""
    return Network(
        transport=transport,
        names=("IB", "IBext", "NCCL RDMA Plugin"),
        link_layer=link_layer,
        where_to_look="see /dev/infiniband in the pod, its claim, and the `NET/IB` lines above",
    )
