"""What is read of slices, of daemons and of a pod's words: each value in its form, and nothing else."""

import json
from typing import Any

import pytest
from rdma_cluster.conform.reader import _daemon, _devices, _look


def sliced(*devices: Any, driver: str = "dra.net") -> list[Any]:
    """The devices of a slice, as they are read."""
    return list(_devices({"spec": {"driver": driver, "devices": list(devices)}}))


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("resource.kubernetes.io/pcieRoot", {"string": "pci0000:10"}, ("strings", "pci0000:10")),
        ("resource.kubernetes.io/pcieRoot", {"string": "acme"}, None),
        ("ifName", {"string": "gpu0rdma0"}, ("strings", "gpu0rdma0")),
        ("mac", {"string": "gpu0rdma0"}, None),
        ("rdma", {"bool": False}, ("flags", False)),
        ("rdma", {"bool": True}, ("flags", True)),
        ("rdma", {"int": True}, None),
        ("dra.net/mtu", {"int": 8896}, ("numbers", 8896)),
        ("mtu", {"int": 1_000_000}, ("numbers", 1_000_000)),
        ("mtu", {"int": 1_000_001}, None),
        ("mtu", {"int": -1_000_001}, None),
        ("mtu", {"int": "8896"}, None),
        ("secret", {"int": 1}, None),
        ("acme.example/mtu", {"int": 1}, None),
        ("resource.kubernetes.io/numaNode", {"int": 1}, ("numbers", 1)),
        ("driverVersion", {"version": "580.126.20-acme"}, ("versions", "580.126.20")),
        ("driverVersion", {"version": "acme"}, None),
        ("mtu", 8896, None),
    ],
)
def test_an_attribute_has_a_name_and_a_form_of_ours(name: str, value: Any, told: tuple[str, Any] | None):
    """One without a domain is its driver's."""
    full = name if "/" in name else f"dra.net/{name}"

    (device,) = sliced({"name": "rail-0", "attributes": {name: value}})

    assert device == {"driver": "dra.net", "name": "rail-0", **({told[0]: {full: told[1]}} if told else {})}


def test_devices_of_a_slice():
    """In either version of the API; a name of the owner's is a number, and a driver of theirs has no devices."""
    mtu = {"mtu": {"int": 1500}}
    given = [{"name": "pci-0000-11-00-0", "basic": {"attributes": mtu}}, {"name": "acme"}, "odd", {"name": "eth0"}]

    read = sliced(*given)

    assert [each["name"] for each in read] == ["pci-0000-11-00-0", "device-1", "device-2", "eth0"]
    assert read[0]["numbers"] == {"dra.net/mtu": 1500}
    assert sliced(*given, driver="acme.example") == []


def running(name: str = "aws-dranet", release: str | None = None, chart: Any = None, **of: Any) -> dict[str, Any]:
    """A DaemonSet as a server answers it."""
    meta: dict[str, Any] = {"name": name, "labels": {"helm.sh/chart": chart}}
    meta |= {"annotations": {"meta.helm.sh/release-name": release}} if release else {}
    return {"metadata": meta, "status": {"desiredNumberScheduled": 2, "numberReady": 1}, **of}


def images(*names: str, kind: str = "containers") -> dict[str, Any]:
    """The spec of a DaemonSet's pods."""
    return {"template": {"spec": {kind: [{"image": name} for name in names]}}}


DAEMON = {"name": "aws-dranet", "wanted": 2, "ready": 1}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (running(), DAEMON),
        (running("acme"), None),
        (running("acme", "aws-dranet"), DAEMON),
        (running("aws-dranet", "acme"), None),
        (running(chart="aws-dranet-1.0.0"), DAEMON | {"version": "1.0.0"}),
        (running(chart="aws-dranet-v1.0.0"), DAEMON | {"version": "v1.0.0"}),
        (running(chart="aws-dranet-1.0.0", spec=images("r/a:2.0.0")), DAEMON | {"version": "1.0.0"}),
        (running(spec=images("r/a:v2.0.0@sha256:00")), DAEMON | {"version": "v2.0.0"}),
        (running(spec=images("r/a:2.0.0", "r/b:3.0.0")), DAEMON | {"version": "2.0.0"}),
        (running(spec=images("r/a:2.0.0", kind="initContainers")), DAEMON | {"version": "2.0.0"}),
        (running(spec=images("r/a:latest")), DAEMON),
        (running(spec=images("r/a:2")), DAEMON),
        (
            running() | {"status": {"desiredNumberScheduled": True, "numberReady": "2"}},
            DAEMON | {"wanted": 0, "ready": 0},
        ),
        ("odd", None),
    ],
)
def test_daemons_are_those_of_a_plan(given: Any, told: Any):
    """By the release or the name; the version is the chart's, else of the first image."""
    assert _daemon(given) == told


PART = {"pci": "0000:11:00.0", "root": "pci0000:10", "numa": 0}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"gpus": [{**PART, "model": "NVIDIA B200"}, {"numa": 1}]}, {"gpus": [{**PART, "model": "NVIDIA B200"}]}),
        ({"nics": [{"numa": 1}, {**PART, "id": "15b3:1021"}]}, {"nics": [{"numa": 1}, {**PART, "id": "15b3:1021"}]}),
        ({"gpus": "odd", "nics": {}}, {}),
        ({"nics": [{"rdma": "mlx5_0", "interface": "gpu0rdma0", "firmware": "28.42.1000 acme"}]},
         {"nics": [{"rdma": "mlx5_0", "interface": "gpu0rdma0", "firmware": "28.42.1000"}]}),
        ({"nics": [{"rdma": "acme", "interface": "enxaabbccddee01", "firmware": "acme", "model": 7}]}, {"nics": [{}]}),
        ({"nics": [{"gbps": 400, "mtu_bytes": 999_999, "active": False}]},
         {"nics": [{"gbps": 400, "mtu_bytes": 999_999, "active": False}]}),
        ({"nics": [{"gbps": -1, "mtu_bytes": 1_000_000, "numa": True, "active": 1}]}, {"nics": [{}]}),
        ({"nics": [{"gbps": 0, "active": True}]}, {"nics": [{"gbps": 0, "active": True}]}),
        ({"driver": "580.126.20"}, {"driver": "580.126.20"}),
        ({"driver": "580.126.20-acme"}, {}),
        ({"parameters": {"iommu": "pt", "pci": "nomsi", "numa_balancing": "0", "memlock": "acme", "acme": "on"}},
         {"parameters": {"iommu": "pt", "pci": "nomsi", "numa_balancing": "0"}}),
    ],
)  # fmt: skip
def test_what_a_pod_said(given: Any, told: Any):
    """Each value in its form; of GPUs those that have an address."""
    assert _look(json.dumps(given)) == {"parameters": {}, **told}


@pytest.mark.parametrize("text", ["", "odd", "[]", '"odd"', "[" * 100_000])
def test_what_no_pod_of_ours_says(text: str):
    """Nothing was seen, and nothing fails."""
    assert _look(text) == {}
