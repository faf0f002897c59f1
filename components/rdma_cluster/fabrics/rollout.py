"""How the pods of drivers reach their nodes, and how long that may take."""

from collections.abc import Mapping
from typing import Any, TypedDict

from rdma_agent import names


class LabelledNodes(TypedDict):
    """Nodes that carry one of some values of a label."""

    label: str
    values: list[str]
    nodes: int
    """How many there are at the most."""


ROLL_AT_ONCE = "25%"
"""``maxUnavailable`` of our DaemonSets: four waves, however many nodes; one node at a time takes hours at scale."""
IN_WAVES = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": ROLL_AT_ONCE}}
"""``updateStrategy`` as charts write it."""
WAVES_SECONDS = 1200
"""Time-out for four waves of image pull and install, 5 minutes each."""

GPU_TOLERATION = {"key": names.GPU, "operator": "Exists", "effect": "NoSchedule"}
"""For charts that tolerate no GPU taint: without it nothing of theirs runs where it is needed."""
ANY_VALUE = "*"
"""In the place of a taint's value, which is never this: whatever value it has is tolerated."""


def tolerations(taints: Mapping[str, str]) -> list[dict[str, str]]:
    """For taints by key and value, as charts and objects write them."""
    return [
        {
            "key": key,
            **({"operator": "Exists"} if value == ANY_VALUE else {"operator": "Equal", "value": value}),
            "effect": "NoSchedule",
        }
        for key, value in taints.items()
    ]


def chart_affinity(nodes: LabelledNodes) -> dict[str, Any]:
    """Node affinity to exactly these nodes, as chart values write it."""
    term = {"matchExpressions": [{"key": nodes["label"], "operator": "In", "values": nodes["values"]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


def one_by_one_seconds(nodes: int) -> int:
    """Time-out for a chart whose DaemonSet rolls one node at a time and cannot be told otherwise.

    15 s a node is what 180 nodes were seen to take in 45 minutes (METR/hawk#1363), on top of 10 minutes.

    Nodes count up to the next power of two. Any changed input of a release is a `helm upgrade`, whose hooks run; with
    each node counted, every change of a pool's size would be one. Nor is the time-out one to ignore: a release that
    changes for another reason would then wait no longer than for the nodes that there were at first.
    """
    return 600 + 15 * (1 << max(0, nodes - 1).bit_length())
