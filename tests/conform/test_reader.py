"""What is read of an API server's nodes, slices and daemons and of a pod's words: each value in its form, no other."""

import json
from typing import Any

import pytest
from rdma_cluster.conform.reader import Answers, Seen, read_answers
from rdma_cluster.conform.redact import resource_names

A4 = "a4-highgpu-8g"
ROOT = "resource.kubernetes.io/pcieRoot"


def node(name: Any, pool: Any = "a", machine: Any = A4, labels: Any = (), **status: Any) -> dict[str, Any]:
    """A node as a server answers it."""
    own = {"pool": pool, "node.kubernetes.io/instance-type": machine, **dict(labels)}
    return {"metadata": {"name": name, "labels": own}, "status": status}


def seen(*nodes: Any, **others: Any) -> Seen:
    """What is read of these nodes."""
    return read_answers(Answers(nodes=nodes, **others), "pool", ["a", "b"], "0.1.0")


def only(*nodes: Any, **others: Any) -> Any:
    """The one node of the snapshot."""
    (shown,) = seen(*nodes, **others).snapshot["nodes"]
    return shown


BARE = {"machine": A4, "ready": False, "taints": [], "labels": {}, "allocatable": {}, "devices": []}
"""What is read of a node of which a server tells its pool and its machine."""


def test_nodes_of_the_pools_that_show_the_same_are_one():
    """Their names stay with who asked; a node of no pool is none of the stack's."""
    odd = [node("n2", "other"), node(7), {}, None]
    given = seen(node("n1", "b"), *odd, node("n3"), node("n4", "b"), node("n5", machine="acme-1"))

    assert given.snapshot["nodes"] == [
        {"pool": 1, **BARE, "count": 2},
        {"pool": 0, **BARE, "count": 1},
        {"pool": 0, **BARE, "machine": "other", "count": 1},
    ]
    assert given.names == (("n1", "n4"), ("n3",), ("n5",))


def test_labels_and_amounts_are_those_that_some_plan_asks_for():
    labels = {"nvidia.com/gpu.present": "true", "vpc.amazonaws.com/efa.present": "acme", "acme/on": "true"}
    amounts = {"nvidia.com/gpu": "8", "hugepages-2Mi": "5220Mi", "rdma/ib": "acme", "acme/licence": "1", "cpu": "7"}
    shown = only(node("n", labels=labels, allocatable=amounts))

    assert shown["labels"] == {"nvidia.com/gpu.present": "true"}
    assert shown["allocatable"] == {"hugepages-2Mi": "5220Mi", "nvidia.com/gpu": "8"}
    every = only(node("n", allocatable=dict.fromkeys(resource_names(), "1")))["allocatable"]
    assert len(every) > 6 and list(every) == sorted(every)  # two snapshots of one cluster are one file


def sliced(*devices: Any, driver: str = "dra.net", generation: Any = 1, pool: Any = "n", on: str = "n") -> Any:
    """A slice of a node's devices."""
    spec = {"driver": driver, "nodeName": on, "pool": {"name": pool, "generation": generation}}
    return {"spec": {**spec, "devices": list(devices)}}


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        (ROOT, {"string": "pci0000:10"}, ("strings", "pci0000:10")),
        (ROOT, {"string": "acme"}, None),
        ("mac", {"string": "gpu0rdma0"}, None),
        ("rdma", {"bool": False}, ("flags", False)),
        ("rdma", {"int": True}, None),
        ("mtu", {"int": 1_000_000}, ("numbers", 1_000_000)),
        ("mtu", {"int": 1_000_001}, None),
        ("mtu", {"int": "8896"}, None),
        ("secret", {"int": 1}, None),
        ("driverVersion", {"version": "580.126.20-acme"}, ("versions", "580.126.20")),
        ("mtu", 8896, None),
    ],
)
def test_an_attribute_is_read_by_its_name_and_its_form(name: str, value: Any, told: tuple[str, Any] | None):
    """One without a domain is its driver's."""
    full = name if "/" in name else f"dra.net/{name}"
    (device,) = only(node("n"), slices=[sliced({"name": "rail-0", "attributes": {name: value}})])["devices"]

    assert device == {"driver": "dra.net", "name": "rail-0", **({told[0]: {full: told[1]}} if told else {})}


def test_devices_are_those_of_the_newest_slices_of_known_drivers():
    """Either version of the API is read, and a name of the owner's becomes a number."""
    given = [{"name": "pci-0000-11-00-0", "basic": {"attributes": {"mtu": {"int": 1500}}}}, {"name": "acme"}, "odd"]
    slices = [
        sliced(*given, generation=2), sliced({"name": "eth0"}), sliced({"name": "gpu-0"}, driver="gpu.nvidia.com"),
        sliced({"name": "eth1"}, driver="acme.example"), sliced(pool=["n"]), sliced(generation="3"), {}, None,
    ]  # fmt: skip
    devices = only(node("n"), slices=slices)["devices"]

    assert [each["name"] for each in devices] == ["pci-0000-11-00-0", "device-1", "device-2", "gpu-0"]
    assert devices[0]["numbers"] == {"dra.net/mtu": 1500}


def running(name: str = "aws-dranet", release: str | None = None, chart: Any = None, image: str = "") -> dict[str, Any]:
    """A DaemonSet as a server answers it."""
    meta: dict[str, Any] = {"name": name, "labels": {"helm.sh/chart": chart}}
    meta |= {"annotations": {"meta.helm.sh/release-name": release}} if release else {}
    spec = {"template": {"spec": {"containers": [{"image": image}, {"image": "r/b:3.0.0"}]}}}
    return {"metadata": meta, "spec": spec, "status": {"desiredNumberScheduled": 2, "numberReady": 1}}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (running(), {}),
        (running("acme", "aws-dranet"), {}),
        (running("aws-dranet", "acme"), None),
        (running(chart="aws-dranet-v1.0.0", image="r/a:2.0.0"), {"version": "v1.0.0"}),
        (running(image="r/a:v2.0.0@sha256:00"), {"version": "v2.0.0"}),
        (running(image="r/a:latest"), {}),
        (running() | {"status": {"desiredNumberScheduled": True, "numberReady": "2"}}, {"wanted": 0, "ready": 0}),
        ("odd", None),
    ],
)
def test_a_daemon_is_known_by_its_release_or_its_name(given: Any, told: Any):
    """Its version is that of its chart, or else of its first image."""
    daemon = {"name": "aws-dranet", "wanted": 2, "ready": 1}

    assert seen(daemons=[given]).snapshot.get("daemons") == ([] if told is None else [daemon | told])


PART = {"pci": "0000:11:00.0", "root": "pci0000:10", "numa": 0}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"gpus": [{**PART, "model": "NVIDIA B200"}, {"numa": 1}]}, {"gpus": [{**PART, "model": "NVIDIA B200"}]}),
        ({"nics": [{"numa": 1}, {**PART, "id": "15b3:1021"}]}, {"nics": [{"numa": 1}, {**PART, "id": "15b3:1021"}]}),
        ({"gpus": "odd", "nics": {}}, {}),
        ({"nics": [{"rdma": "acme", "interface": "enxaabbccddee01", "firmware": "28.42.1000 acme", "model": 7}]},
         {"nics": [{"firmware": "28.42.1000"}]}),
        ({"nics": [{"gbps": 0, "mtu_bytes": 999_999, "active": False}]},
         {"nics": [{"gbps": 0, "mtu_bytes": 999_999, "active": False}]}),
        ({"nics": [{"gbps": -1, "mtu_bytes": 1_000_000, "numa": True, "active": 1}]}, {"nics": [{}]}),
        ({"driver": "580.126.20-acme"}, {}),
        ({"parameters": {"iommu": "pt", "numa_balancing": "0", "memlock": "acme", "acme": "on"}},
         {"parameters": {"iommu": "pt", "numa_balancing": "0"}}),
    ],
)  # fmt: skip
def test_a_pods_words_are_read_each_in_its_form(given: Any, told: Any):
    """A GPU counts where it has an address."""
    shown = only(node("n"), looks={"n": json.dumps(given)})

    assert {key: shown[key] for key in shown.keys() - BARE.keys() - {"pool", "count"}} == {"parameters": {}, **told}


@pytest.mark.parametrize("text", ["", "odd", "[]", "[" * 100_000], ids=["nothing", "odd", "a list", "deep"])
def test_what_no_pod_of_ours_says_is_not_read(text: str):
    assert only(node("n"), looks={"n": text}) == {"pool": 0, "count": 1, **BARE}
