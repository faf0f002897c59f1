"""What neutral code asks of a cloud, beside its machines and their prices."""

from pulumi_offline.frozen import frozen
from ..hosts import HostOs
from ..machine import INSTANCE_TYPE, Source, Transport

A_PERSON = "a person ([bad-node.md](bad-node.md))"


@frozen
class WithoutRdma:
    """GPU machines that exist and have no fabric between nodes, so that their names are not taken for slips.

    Not complete: the machines that people try. A name that is missing here counts as unknown.
    """

    names: tuple[str, ...]
    why: str
    source: Source


@frozen(kw_only=True)
class Repair:
    """What a cloud repairs by itself, and what of it can be configured."""

    switch: str
    """The key of a stack that switches it, or that there is none."""
    gpu: str
    """Who repairs a GPU."""
    nic: str
    """Who repairs a NIC."""
    node: str
    """Who repairs the rest of a node."""
    reserved: str
    """What a repair does to a reservation or a capacity block."""
    source: Source


@frozen(kw_only=True)
class CloudFacts:
    """One cloud."""

    name: str
    """As in ``Machine.cloud``; the cloud's machines stand in the catalogue's module of this name."""
    place: int
    """Place in every list of all clouds, which have the order in which they were built."""
    machine_form: str
    """Regular expression of its machine types. A snapshot keeps a name that the catalogue lacks only in such a form."""
    machine_labels: tuple[str, ...] = (INSTANCE_TYPE,)
    """Node labels whose values are the words of a machine type's name."""
    usual_transport: Transport
    """What a machine that nobody has described is taken to have."""
    fabric_of_node: str = ""
    """A command whose output names the fabric that a node is on, where nodes of one pool may be on several; further
    words on that line are for people."""
    hosts: tuple[HostOs, ...]
    """The systems that its nodes run."""
    repair: Repair
    without_rdma: tuple[WithoutRdma, ...] = ()
