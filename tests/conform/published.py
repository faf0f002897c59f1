"""Published listings of nodes, as the reader reads them."""

import json
from collections.abc import Iterator
from typing import Any

from rdma_cluster.catalog import Machine
from rdma_cluster.conform.reader import Answers, read_answers
from rdma_cluster.conform.snapshot import SeenNode
from tests import quick_yaml
from tests.stacks import ROOT

LISTINGS = quick_yaml.load((ROOT / "tests" / "conform" / "published.yaml").read_text())
CASES = [(listing, name) for listing in LISTINGS for name in listing["machines"]]
_NUMBERS = ("numa", "mtu_bytes")


def looked(listing: Any, machine: Machine) -> dict[str, Any]:
    """The facts as a pod on the node would tell them; GPUs without an address take the row's, in order."""
    gpus, _, nics = listing["facts"].partition("--")
    own = iter(machine.gpu_pci or ())
    told = {
        "gpus": [{"pci": next(own, ""), **each} for each in _parts(gpus, ("pci", "root", "numa"))],
        "nics": list(_parts(nics, ("pci", "root", "numa", "rdma", "interface", "mtu_bytes"))),
    }
    return {key: parts for key, parts in told.items() if parts}


def _parts(text: str, keys: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for line in text.split("\n"):
        told = {key: cell for key, cell in zip(keys, line.split(), strict=False) if cell != "-"}
        if told:
            yield {key: int(cell) if key in _NUMBERS else cell for key, cell in told.items()}


def seen(listing: Any, machine: Machine) -> SeenNode:
    """The node of the listing, as the reader reads it."""
    labels = {"pool": "a", "node.kubernetes.io/instance-type": machine.name}
    node = {"metadata": {"name": "node", "labels": labels}}
    answers = Answers(nodes=[node], looks={"node": json.dumps(looked(listing, machine))})
    return read_answers(answers, "pool", ["a"], "0.1.0").snapshot["nodes"][0]
