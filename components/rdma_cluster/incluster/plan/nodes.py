"""Which nodes an in-cluster component serves."""

from typing_extensions import TypedDict

from ...args import args_schema


@args_schema
class NodeSet(TypedDict):
    """Nodes of some pools, named by the label that their cloud gives them."""

    label: str
    """Node label. Example: ``cloud.google.com/gke-nodepool``."""
    values: list[str]
    """Values of that label, one a pool. Example: ``["a4"]``."""
    nodes: int
    """How many nodes these pools hold at the most; time-outs follow from it."""
