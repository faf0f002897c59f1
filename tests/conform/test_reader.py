"""What is read of an API server's nodes and objects: each value in its form, and nothing else."""

from typing import Any

import pytest
from rdma_cluster.conform.reader import Answers, Seen, read_answers
from rdma_cluster.conform.redact import resource_names

POOLS = ["a", "b"]
A4 = "a4-highgpu-8g"


def node(name: Any, pool: Any = "a", machine: Any = A4, labels: Any = (), **status: Any) -> dict[str, Any]:
    """As a server answers it."""
    own = {"pool": pool, "node.kubernetes.io/instance-type": machine, **dict(labels)}
    return {"metadata": {"name": name, "labels": own}, "status": status}


def seen(*nodes: Any, **others: Any) -> Seen:
    """What is read of it."""
    return read_answers(Answers(nodes=nodes, **others), "pool", POOLS, "0.1.0")


def only(*nodes: Any, **others: Any) -> Any:
    """The one node of the snapshot."""
    (shown,) = seen(*nodes, **others).snapshot["nodes"]
    return shown


BARE = {"machine": A4, "ready": False, "taints": [], "labels": {}, "allocatable": {}, "devices": []}
"""A node of which a server tells its pool and its machine."""


def test_nodes_of_the_pools_by_their_places_in_the_stack():
    """Others are none of the stack's; those that show the same are one, and their names stay with who asked."""
    given = seen(
        node("n1", "b"),
        node("n2", "other"),
        node("n3"),
        node(7),
        node("n4", "b"),
        node("n5", machine="acme-1"),
        {},
        None,
    )

    assert given.snapshot["nodes"] == [
        {"pool": 1, **BARE, "count": 2},
        {"pool": 0, **BARE, "count": 1},
        {"pool": 0, **BARE, "machine": "other", "count": 1},
    ]
    assert given.names == (("n1", "n4"), ("n3",), ("n5",))


@pytest.mark.parametrize(
    ("conditions", "ready"),
    [
        ([("MemoryPressure", "False"), ("Ready", "True"), ("DiskPressure", "False")], True),
        ([("Ready", "False"), ("NetworkAvailable", "True")], False),
        ([("Ready", "Unknown")], False),
        ([], False),
    ],
)
def test_ready_is_one_condition_among_others(conditions: list[tuple[str, str]], ready: bool):
    """By its own status."""
    told = [{"type": kind, "status": status} for kind, status in conditions]

    assert only(node("n", conditions=told))["ready"] is ready


INFO = {
    "kubeletVersion": "v1.35.2-gke.1234000",
    "kernelVersion": "6.12.46-acme",
    "osImage": "Ubuntu 24.04.3 LTS",
    "containerRuntimeVersion": "containerd://2.1.4",
    "architecture": "amd64",
}


def test_what_a_node_runs():
    """The part that has a form; what has none is left out."""
    shown = only(node("n", nodeInfo=INFO, capacity={"cpu": "224"}))

    assert {key: shown[key] for key in ("kubelet", "kernel", "runtime", "architecture", "cpus")} == {
        "kubelet": "v1.35.2-gke.1234000",
        "kernel": "6.12.46",
        "runtime": "containerd://2.1.4",
        "architecture": "amd64",
        "cpus": 224,
    }
    assert shown["os"].startswith("Ubuntu")
    assert only(node("n", nodeInfo=dict.fromkeys(INFO, "acme"), capacity={"cpu": "1500m"})) == {
        "pool": 0,
        "count": 1,
        **BARE,
    }


def test_labels_and_amounts_of_ours():
    """Switches of this library, and resources that some plan asks for, as quantities."""
    labels = {"nvidia.com/gpu.present": "true", "vpc.amazonaws.com/efa.present": "acme", "acme/on": "true"}
    amounts = {"nvidia.com/gpu": "8", "hugepages-2Mi": "5220Mi", "rdma/ib": "acme", "acme/licence": "1", "cpu": "7"}

    shown = only(node("n", labels=labels, allocatable=amounts))

    assert shown["labels"] == {"nvidia.com/gpu.present": "true"}
    assert shown["allocatable"] == {"hugepages-2Mi": "5220Mi", "nvidia.com/gpu": "8"}
    every = only(node("n", allocatable=dict.fromkeys(resource_names(), "1")))["allocatable"]
    assert len(every) > 6 and list(every) == sorted(every)  # two snapshots of one cluster are one file


@pytest.mark.parametrize(
    ("taint", "told"),
    [
        (("nvidia.com/gpu", "present", "NoSchedule"), ("nvidia.com/gpu", "present", "NoSchedule")),
        (("nvidia.com/gpu", "acme", "NoExecute"), ("nvidia.com/gpu", None, "NoExecute")),
        (("acme/team", "present", "NoSchedule"), ("other", None, "NoSchedule")),
        (
            ("node.kubernetes.io/disk-pressure", None, "NoSchedule"),
            ("node.kubernetes.io/disk-pressure", None, "NoSchedule"),
        ),
        (("node.kubernetes.io/Acme", "true", "NoSchedule"), ("other", None, "NoSchedule")),
        (
            ("node.cloudprovider.kubernetes.io/uninitialized", "true", "NoSchedule"),
            ("node.cloudprovider.kubernetes.io/uninitialized", "true", "NoSchedule"),
        ),
        (("nvidia.com/gpu", "present", "Acme"), None),
        ((7, "present", "NoSchedule"), None),
    ],
)
def test_taints(taint: tuple[Any, Any, str], told: tuple[str, str | None, str] | None):
    """Keys of Kubernetes, clouds and this library, with values of a list; one of the owner's is only counted."""
    after = {"key": "amd.com/gpu", "value": "present", "effect": "NoSchedule"}
    given = node("n") | {"spec": {"taints": [dict(zip(("key", "value", "effect"), taint, strict=True)), after]}}

    shown = zip(("key", "value", "effect"), told or (), strict=False)
    first = {key: value for key, value in shown if value is not None}
    assert only(given)["taints"] == [*([first] if told else []), after]


def test_a_cluster_s_objects():
    """Templates that are in each namespace, and classes and daemons that a plan can have, in one order."""
    pairs, whole = "a4-highgpu-8g-pairs-1", "a4-highgpu-8g-whole"

    def named(*names: str) -> list[Any]:
        return [{"metadata": {"name": name}} for name in names]

    templates = [named(whole, pairs, "acme", "a4-highgpu-8g-gpus-1"), named(pairs, "acme", whole)]
    classes = named("mrdma.google.com", "gpu.nvidia.com", "acme", "dranet")

    given = seen(
        templates=templates,
        classes=classes,
        daemons=[{"metadata": {"name": "acme"}}, {"metadata": {"name": "aws-dranet"}}],
        version="v1.35.2-acme",
    )

    assert given.snapshot == {
        "form": "rdma-cluster/snapshot/1",
        "made_by": "0.1.0",
        "kubernetes": "v1.35.2",
        "nodes": [],
        "daemons": [{"name": "aws-dranet", "wanted": 0, "ready": 0}],
        "templates": [pairs, whole],
        "classes": ["dranet", "gpu.nvidia.com", "mrdma.google.com"],
    }
    assert seen(version="acme").snapshot.keys() == given.snapshot.keys() - {"kubernetes"}
    assert seen().snapshot.get("templates") == []


def test_the_order_of_attributes_tells_no_two_nodes_apart():
    """A server may answer them in any."""
    attributes = [("mtu", {"int": 1500}), ("virtual", {"bool": False}), ("rdma", {"bool": True})]
    slices = [
        {"spec": {"driver": "dra.net", "nodeName": name, "pool": {"name": name, "generation": 1}}
         | {"devices": [{"name": "eth0", "attributes": dict(given)}]}}
        for name, given in (("n1", attributes), ("n2", attributes[::-1]))
    ]  # fmt: skip

    assert seen(node("n1"), node("n2"), slices=slices).names == (("n1", "n2"),)
