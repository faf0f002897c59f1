"""How a fabric is proved: what a log must show, and which image and launcher run the test."""

from enum import Enum

from ..catalog.releases import NcclTests
from ..frozen import frozen
from ..nccl.expectation import Network


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
    fabric_of_node: str = ""
    """A command whose output names the fabric that a node is on, where nodes of one pool may be on several; further
    words on that line are for people."""
    check_of_node: str = ""
    """A command that prints what is wrong with a node's NICs, before NCCL is asked; nothing where they are well."""
    also: tuple[str, ...] = ()
    """Versions of what else is proved: the proof is made anew when they change."""


def verbs(transport: str, link_layer: str) -> Network:
    """What NCCL prints of NICs that it uses by verbs, by itself or by a plugin of HPC-X."""
    return Network(
        transport=transport,
        names=("IB", "IBext", "NCCL RDMA Plugin"),
        link_layer=link_layer,
        where_to_look="see /dev/infiniband in the pod, its claim, and the `NET/IB` lines above",
    )
