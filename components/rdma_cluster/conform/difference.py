"""A difference between a plan and a cluster; what follows from it and what to do, one entry a kind, so that one kind is
told in one way."""

from collections.abc import Mapping
from typing import Any

from pulumi_offline.frozen import frozen
from ..catalog.machine import Known


@frozen
class Consequence:
    """Of a kind of difference."""

    breaks: bool
    """Whether a promise is broken; where claims decide it (``by_claims``), whether it is broken when none fails."""
    follows: str
    """What goes wrong."""
    remedy: str
    by_claims: bool = False
    """Whether the claims of the stack, allocated on the node as it is, decide what follows."""


_SEND = "send us this snapshot (docs/contributing.md): the catalogue's row is to be corrected"
_NOTHING = "nothing of this stack rests on it"
_AGAIN = "run `pulumi up`, which makes it again"

CONSEQUENCES: Mapping[str, Consequence] = {
    # The cluster.
    "kubernetes": Consequence(
        True, "claims and policies are written for the planned version, and an older API server lacks parts of it",
        "upgrade the control plane, or set kubernetes.version to what it is"),
    "kubernetes newer": Consequence(
        False, "the plan was checked against an older version", "set kubernetes.version to what it is"),
    "daemon missing": Consequence(True, "the nodes of its pools lack {drives}", _AGAIN),
    "daemon not ready": Consequence(
        True, "nodes lack {drives}", "look at its pods: kubectl -n {namespace} describe pods"),
    "daemon too few": Consequence(
        True, "some nodes lack {drives}", "look at the labels of the nodes that have none of its pods"),
    "daemon version": Consequence(
        False, "what the plan says was read of the planned version", "pin one of the two; `rdma-cluster drift` helps"),
    "template missing": Consequence(True, "pods that name it wait for ever", _AGAIN),
    "class missing": Consequence(True, "every claim that names it stays unallocated", _AGAIN),
    # A pool.
    "nodes missing": Consequence(
        True, "jobs of as many nodes as were planned wait for ever",
        "look at the pool's events for its capacity; the acceptance test covered fewer nodes"),
    "nodes beyond": Consequence(False, "nodes beyond the plan were not in its acceptance test", "set the pool's nodes"),
    # A node.
    "machine": Consequence(
        True, "no figure of the plan is about this machine", "put it into a pool of its own type"),
    "not ready": Consequence(True, "no pod comes to it", "look at the node's conditions, and docs/bad-node.md"),
    "architecture": Consequence(True, "images for the planned processor do not start", _SEND),
    "taint missing": Consequence(
        True, "pods without GPUs may come to the node and take its processors and memory",
        "taint the node, or let the cloud's pool do so: `pulumi up`"),
    "taint of ours": Consequence(True, "the node is held: its fabric is not proven", "see docs/bad-node.md"),
    "taint": Consequence(
        True, "pods of this library do not tolerate it and stay away",
        "remove the taint, or let your pods tolerate it and leave the node out of the stack"),
    "label missing": Consequence(
        True, "what comes to nodes by this label does not come, or something that it keeps away does", _AGAIN),
    "gpus offered": Consequence(
        True, "pods that ask for all GPUs of a node wait for ever",
        "look at the device plugin's pods, and at the GPUs: nvidia-smi -L, dmesg"),
    "gpus offered twice": Consequence(
        True, "a device plugin and claims hand out the same GPUs, and two pods can get one",
        "take the device plugin off this pool; one owner for each GPU"),
    "nics offered": Consequence(
        True, "pods that ask for all NICs of a node wait for ever", "look at the pods of the NICs' device plugin"),
    "offered beside": Consequence(
        True, "pods with all NICs ask for it, too, and wait for ever", "set it aside: see the cloud's page"),
    "cpus": Consequence(False, "pods sized by the planned count may not fit", _SEND),
    "driver": Consequence(
        True, "the machine's GPUs, or NCCL's way to the NICs, need the driver that the catalogue names",
        "let the pool's image, or the installer, bring that driver"),
    "slice missing": Consequence(
        True, "no claim on the node finds a device of this driver", "look at the pods of the driver on this node"),
    # Devices.
    "gpus": Consequence(
        True, "a GPU is lost or hidden: claims and jobs of a whole node wait for ever",
        "look for Xid errors, then replace the node (docs/bad-node.md)"),
    "gpu model": Consequence(True, "thresholds and memory of the plan are another GPU's", _SEND),
    "gpu address": Consequence(False, _NOTHING, _SEND, True),
    "gpu NUMA node": Consequence(False, _NOTHING, _SEND, True),
    "gpu root": Consequence(False, _NOTHING, f"take --whole until then, and {_SEND}", True),
    "nics": Consequence(
        True, "a rail is lost: claims of it and jobs of a whole node wait for ever",
        "look at the node's NICs, then replace the node (docs/bad-node.md)"),
    "nic name": Consequence(False, _NOTHING, _SEND, True),
    "nic RDMA name": Consequence(False, _NOTHING, _SEND, True),
    "nic address": Consequence(False, _NOTHING, _SEND, True),
    "nic NUMA node": Consequence(False, _NOTHING, _SEND, True),
    "nic root": Consequence(False, _NOTHING, f"take --whole until then, and {_SEND}", True),
    "roots in one": Consequence(False, _NOTHING, f"take --whole until then, and {_SEND}", True),
    "root name": Consequence(False, _NOTHING, _SEND, True),
    "nic MTU": Consequence(
        True, "packets of the fabric are smaller than planned or do not pass, and busbw falls",
        "set the MTU of the rails' network; look at what set this one"),
    "nic rate": Consequence(
        True, "the rail is slower than the threshold of the acceptance test supposes",
        "look at the port's cable and lanes; if every node shows it, " + _SEND),
    "nic rate beyond": Consequence(False, "thresholds may be too low for it", _SEND),
    "nic link": Consequence(
        True, "the rail has no link: NCCL takes fewer rails, or hangs", "replace the node (docs/bad-node.md)"),
    "attribute missing": Consequence(
        False, _NOTHING, "look at the driver's version and arguments; " + _SEND, True),
    "claims": Consequence(
        True, "pods with these claims stay pending", "take --whole, or a shape that fits, and " + _SEND),
}  # fmt: skip
"""By the kind of a difference."""
TOPOLOGY_FILE = "NCCL's topology file names another address, and takes GPUs and NICs for neighbours that are none"
"""What follows where no claim fails but pods get a file of addresses."""


@frozen
class Difference:
    """What a plan promises and a cluster shows otherwise."""

    kind: str
    """A key of ``CONSEQUENCES``."""
    where: tuple[int, ...]
    """Empty for the cluster; a pool of the stack; a pool and a node of the snapshot."""
    what: str
    """The thing that differs. Example: ``rail 3``."""
    expected: str
    found: str
    follows: str
    remedy: str
    breaks: bool
    """Whether a promise is broken."""
    known: Known | None = None
    """How the promised figure is known, where it is one of the catalogue."""

    def to_dict(self) -> dict[str, Any]:
        """The difference's JSON form: an interface."""
        known = None if self.known is None else self.known.value
        place = {"pool": None, "node": None} | dict(zip(("pool", "node"), self.where, strict=False))
        told = {"kind": self.kind, **place, "what": self.what, "expected": self.expected, "found": self.found}
        return {**told, "consequence": self.follows, "remedy": self.remedy, "breaks": self.breaks, "known": known}


def difference(
    kind: str, where: tuple[int, ...], what: str, expected: object, found: object, **words: Any
) -> Difference:
    """A difference of a kind; ``words`` stand in its consequence, but for ``known``."""
    rule = CONSEQUENCES[kind]
    known = words.pop("known", None)
    follows, remedy = rule.follows.format(**words), rule.remedy.format(**words)
    return Difference(kind, where, what, str(expected), str(found), follows, remedy, rule.breaks, known)
