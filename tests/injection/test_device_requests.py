"""What a container's GPUs become on each fabric: devices or claims, by number and window; and what a node has."""

from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.catalog import Machine, find, machines
from rdma_cluster.fabrics import FABRICS, ExtendedResource, Fabric, GpuAllocation
from rdma_cluster.injection.device_requests import (
    GPU,
    DeviceRequest,
    capacity,
    device_requests,
    no_host_network,
    parts_by,
)
from tests.injection.test_inject import plan

P4D, H100 = "p4d.24xlarge", "Standard_ND96isr_H100_v5"


def machine(name: str) -> Machine:
    """A row of the catalogue."""
    row = find(name)
    assert row is not None
    return row


def plugged(number: int, **units: int) -> dict[str, Any]:
    """GPUs by a device plugin, with units of NICs."""
    return {"limits": {GPU: str(number), **{name: str(count) for name, count in units.items()}}, "claims": []}


def claimed(*names: str) -> dict[str, Any]:
    """GPUs by claims."""
    return {"limits": {}, "claims": [{"name": f"rdma-{name}"} for name in names]}


GIB = "a4-highgpu-8g"
SHAPES: dict[tuple[str, str], dict[str, Any]] = {
    (P4D, "efa-device-plugin"): {
        str(gpus): plugged(gpus, **{"vpc.amazonaws.com/efa": efa})
        for gpus, efa in enumerate((1, 1, 2, 2, 3, 3, 4, 4), 1)
    },
    (H100, "infiniband-rdma-ib"): {"8": plugged(8, **{"rdma/ib": 8})},
    (H100, "infiniband-rdma-shared-ib"): {str(n): plugged(n, **{"rdma/shared_ib": 1}) for n in range(1, 9)},
    ("BM.GPU.B200.8", "roce-mlnxnics"): {"8": plugged(8, **{"nvidia.com/mlnxnics": 8})},
    ("BM.GPU.H100.8", "roce-host"): {"8": plugged(8)},
    ("a3-megagpu-8g", "tcpxo"): {"8": plugged(8)},
    ("a4x-highgpu-4g", "gib-arm64-managed"): {
        "4": {"limits": {GPU: "4"}, "claims": [{"name": "rdma-a4x-highgpu-4g-nics"}]}},
    (GIB, "gib"): {
        "1": claimed("a4-highgpu-8g-pairs-1-rail-0"),
        **{f"1-rail-{n}": claimed(f"a4-highgpu-8g-pairs-1-rail-{n}") for n in range(8)},
        "2": claimed("a4-highgpu-8g-pairs-2-rails-0-1"),
        **{f"2-rails-{n}-{n + 1}": claimed(f"a4-highgpu-8g-pairs-2-rails-{n}-{n + 1}") for n in (0, 2, 4, 6)},
        "4": claimed("a4-highgpu-8g-pairs-4-rails-0-3"),
        **{f"4-rails-{n}-{n + 3}": claimed(f"a4-highgpu-8g-pairs-4-rails-{n}-{n + 3}") for n in (0, 4)},
        "8": claimed("a4-highgpu-8g-whole"),
    },
    ("p5.48xlarge", "efa"): {
        **{f"{n}": claimed(f"p5-48xlarge-groups-1x4-{n}") for n in (1, 2, 4)},
        "8": claimed("p5-48xlarge-whole-gpus", "p5-48xlarge-whole-nics"),
    },
}  # fmt: skip


@pytest.mark.parametrize(("name", "fabric"), SHAPES)
def test_shapes(name: str, fabric: str) -> None:
    """All numbers of GPUs that are served; where windows have names, by name too, and the first one without."""
    (pattern,) = plan((name, fabric)).patterns

    assert pattern["shapes"] == SHAPES[name, fabric]


def test_numbers_rise() -> None:
    """In whatever order somebody asked for them."""
    (pattern,) = plan((GIB, "gib"), claims={"pairs": [4, 1]}).patterns

    assert list(dict.fromkeys(name.partition("-")[0] for name in pattern["shapes"])) == ["1", "4", "8"]


def of(resource: ExtendedResource, **more: Any) -> Fabric:
    """A fabric whose NICs are such a resource."""
    return replace(FABRICS["efa-device-plugin"], nic_attachment=resource, **more)


NICS = ExtendedResource(driver="d", resource="n", chart=None, beside={"hugepages-2Mi": "5Gi"})


@pytest.mark.parametrize(
    ("fabric", "numbers"),
    [
        (of(NICS), [1, 2, 3, 4, 5, 6, 7, 8]),
        (of(NICS, rail_bound=True), [8]),
        (of(replace(NICS, full_node=True), rail_bound=True), [1, 2, 3, 4, 5, 6, 7, 8]),
        (of(replace(NICS, full_node=True)), [1, 2, 3, 4, 5, 6, 7, 8]),
    ],
    ids=["any two reach each other", "rails", "all NICs in one unit, on rails", "all NICs in one unit"],
)
def test_parts_of_a_node(fabric: Fabric, numbers: list[int]) -> None:
    """Where NICs reach their like alone only whole nodes fit; a part of one does not ask for what the whole does."""
    shared = isinstance(fabric.nic_attachment, ExtendedResource) and fabric.nic_attachment.full_node
    found = device_requests(machine("p5.48xlarge"), fabric, GpuAllocation.DEVICE_PLUGIN, [])

    assert found == tuple(
        DeviceRequest(
            n, limits={GPU: str(n), "n": str(1 if shared else 4 * n), **({"hugepages-2Mi": "5Gi"} if n == 8 else {})}
        )
        for n in numbers
    )


@pytest.mark.parametrize("fabric", ["efa-device-plugin", "tcpxo", "roce-host", "gib"])
def test_nothing_is_served_without_gpus_or_claims(fabric: str) -> None:
    """GPUs that are claimed beside NICs that are not are no shape; a machine without GPUs has none."""
    cpus = next(row for row in machines() if not row.gpus)

    assert device_requests(machine("p5.48xlarge"), FABRICS[fabric], GpuAllocation.DRA, []) == ()
    assert device_requests(cpus, FABRICS[fabric], GpuAllocation.DEVICE_PLUGIN, []) == ()


@pytest.mark.parametrize(
    ("name", "fabric", "nics"),
    [
        ("p5.48xlarge", "efa-device-plugin", {"vpc.amazonaws.com/efa": "32"}),
        (H100, "infiniband-rdma-ib", {"rdma/ib": "8"}),
        (H100, "infiniband-rdma-shared-ib", {}), ("p5.48xlarge", "efa", {}), ("a3-megagpu-8g", "tcpxo", {}),
        ("BM.GPU.H100.8", "roce-host", {}),
    ],
)  # fmt: skip
def test_what_a_node_has(name: str, fabric: str, nics: dict[str, str]) -> None:
    """Its GPUs, and its NICs where a pod counts them."""
    assert capacity(machine(name), FABRICS[fabric]) == {GPU: "8", **nics}


@pytest.mark.parametrize(
    ("fabric", "why"),
    [
        ("efa", "where DraNet starts no pod that claims NICs"), ("gib", "where DraNet starts no pod that claims NICs"),
        ("tcpxo", "where no further network is attached to it"),
        ("roce-mlnxnics", "where no further network is attached"),
        ("efa-device-plugin", ""), ("infiniband-rdma-ib", ""), ("roce-host", ""),
    ],
)  # fmt: skip
def test_the_hosts_network(fabric: str, why: str) -> None:
    """Is refused where the NICs come as networks or by claims."""
    said = no_host_network(FABRICS[fabric])

    assert why in said and bool(said) is bool(why)


@pytest.mark.parametrize(
    ("name", "fabric", "other"),
    [
        (H100, "infiniband-rdma-ib", "infiniband"), (H100, "infiniband", "infiniband-managed"),
        (H100, "infiniband-managed", "infiniband"), ("a3-megagpu-8g", "tcpxo", ""), ("p5.48xlarge", "efa", ""),
        ("p5.48xlarge", "efa-device-plugin", "efa"), ("BM.GPU.H100.8", "roce", ""),
        ("a4x-highgpu-4g", "gib-arm64-pod-networks", ""),
    ],
)  # fmt: skip
def test_another_fabric_that_serves_parts(name: str, fabric: str, other: str) -> None:
    """By claims that hand out GPUs too, or by units that are all NICs of a node; the usual one first."""
    assert parts_by(machine(name), FABRICS[fabric]) == other


def test_units_that_are_shared_serve_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no claims do."""
    left = [FABRICS["infiniband-rdma-ib"], FABRICS["infiniband-rdma-shared-ib"]]
    monkeypatch.setitem(parts_by.__globals__, "fabrics_of", lambda machine: left)

    assert parts_by(machine(H100), left[0]) == "infiniband-rdma-shared-ib"
    assert parts_by(machine(H100), left[1]) == ""
