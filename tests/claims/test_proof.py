"""A proof as text and as data, whole; the forms of a claim as the API has it; and words that a user types."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog import machines
from rdma_cluster.claims import (
    Constraint,
    Gpus,
    Groups,
    Intent,
    Nics,
    Numa,
    Pairs,
    Request,
    Target,
    Template,
    Whole,
    kubernetes_minor,
    solve,
)
from rdma_cluster.claims.device import Device, ResourceSlice, Version
from rdma_cluster.claims.target import PCIE_ROOT, check_driver, nvidia_order

A4 = next(row for row in machines() if row.name == "a4-highgpu-8g")


def test_a_proof_in_words() -> None:
    """Each window with its pods and their devices, and what is left over."""
    solution = solve(A4, Pairs(3), Target())
    assert solution.explain().splitlines() == [
        "a4-highgpu-8g: 3 aligned GPU+NIC pairs: 2 pods a node",
        "  a4-highgpu-8g-pairs-3-rails-0-2: fits once",
        "    pod 0: nic-0 = rail-0, rail-1; gpu-0 = gpu-0, gpu-1; nic-1 = rail-2; gpu-1 = gpu-2",
        "  a4-highgpu-8g-pairs-3-rails-3-5: fits once",
        "    pod 0: nic-0 = rail-3; gpu-0 = gpu-3; nic-1 = rail-4, rail-5; gpu-1 = gpu-4, gpu-5",
        "  left over on a full node: gpu-6, gpu-7, rail-6, rail-7",
    ]
    assert (len(solution.alone), solution.copies) == (1, 2)
    assert [template.window for template in solution.all_templates] == ["rails-0-2", "rails-3-5"]


def test_a_full_node_in_words() -> None:
    """Nothing is left over, and no line says so."""
    assert solve(A4, Gpus(4), Target()).explain().splitlines() == [
        "a4-highgpu-8g: 4 GPUs and no NIC: 2 pods a node",
        "  a4-highgpu-8g-gpus-4: fits 2 times",
        "    pod 0: gpu = gpu-0, gpu-1, gpu-2, gpu-3",
        "    pod 1: gpu = gpu-4, gpu-5, gpu-6, gpu-7",
        "  left over on a full node: rail-0, rail-1, rail-2, rail-3, rail-4, rail-5, rail-6, rail-7",
    ]
    assert solve(A4, Whole(), Target()).explain().splitlines()[2:] == [
        "    pod 0: gpu = gpu-0, gpu-1, gpu-2, gpu-3, gpu-4, gpu-5, gpu-6, gpu-7; "
        "nic = rail-0, rail-1, rail-2, rail-3, rail-4, rail-5, rail-6, rail-7"
    ]


def test_a_proof_as_data() -> None:
    """Under these keys, the templates as they are applied to the default namespace."""
    exactly = {"deviceClassName": "gpu.nvidia.com", "allocationMode": "ExactCount", "count": 8}
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "a4-highgpu-8g-gpus-8", "namespace": "default"},
        "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}},
    }
    pod = {"a4-highgpu-8g-gpus-8": {"gpu": [f"gpu-{index}" for index in range(8)]}}
    assert solve(A4, Gpus(8), Target()).to_json() == {
        "machine": "a4-highgpu-8g", "intent": "8 GPUs and no NIC", "podsPerNode": 1, "templates": [template],
        "windows": [{"templates": ["a4-highgpu-8g-gpus-8"], "pods": [pod]}],
        "idle": [f"rail-{index}" for index in range(8)], "doubts": {},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("template", "devices", "count"),
    [
        (
            Template("t", (Request("a", "gpu"), Request("b", "nic", None, ("x", "y")))),
            {"requests": [
                {"name": "a", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}},
                {"name": "b", "exactly": {
                    "deviceClassName": "nic", "allocationMode": "All",
                    "selectors": [{"cel": {"expression": "x"}}, {"cel": {"expression": "y"}}],
                }},
            ]}, 1,
        ),
        (
            Template("t", (Request("a", "gpu", 3),), (Constraint(PCIE_ROOT), Constraint("x/y", ("a",)))),
            {
                "requests": [
                    {"name": "a", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 3}},
                ],
                "constraints": [{"matchAttribute": PCIE_ROOT}, {"requests": ["a"], "matchAttribute": "x/y"}],
            }, 3,
        ),
    ],
)  # fmt: skip
def test_a_claim_as_the_api_has_it(template: Template, devices: dict[str, Any], count: int) -> None:
    """Only what is asked: no selectors, constraints or requests of a constraint where there are none."""
    assert template.spec() == {"spec": {"devices": devices}}
    assert template.devices == count


def test_a_slice_as_the_api_has_it() -> None:
    """Values by their type, attributes of the driver's own domain without it, capacity where there is any."""
    attributes = {"x/a": True, "x/b": 7, "y/c": "text", "x/d": Version("1.0.0")}
    made = ResourceSlice("x", "n", (Device("x", "one", attributes, {"memory": "1Gi"}), Device("x", "two", {})))
    assert made.manifest() == {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "n-x"},
        "spec": {
            "driver": "x",
            "nodeName": "n",
            "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
            "devices": [
                {
                    "name": "one",
                    "attributes": {
                        "a": {"bool": True}, "b": {"int": 7}, "y/c": {"string": "text"}, "d": {"version": "1.0.0"},
                    },
                    "capacity": {"memory": {"value": "1Gi"}},
                },
                {"name": "two", "attributes": {}},
            ],
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("intent", "slug", "words"),
    [
        (Pairs(1), "pairs-1", "1 aligned GPU+NIC pair"),
        (Pairs(2, 4), "pairs-2", "2 aligned GPU+NIC pairs"),
        (Groups(1, 1, 4), "groups-1x4-1", "1 group of 1 GPU + 4 NICs on one PCIe root"),
        (Groups(3, 2, 1, 2), "groups-2x1-3", "3 groups of 2 GPUs + 1 NIC on one PCIe root"),
        (Numa(), "numa", "the GPUs and NICs of one NUMA node"),
        (Numa(0), "numa-0", "the GPUs and NICs of NUMA node 0"),
        (Whole(), "whole", "the whole node"),
        (Nics(), "nics", "all NICs"),
        (Gpus(1), "gpus-1", "1 GPU and no NIC"),
        (Gpus(2), "gpus-2", "2 GPUs and no NIC"),
    ],
)
def test_an_intent_in_words(intent: Intent, slug: str, words: str) -> None:
    """In names and in sentences."""
    assert (intent.slug, str(intent)) == (slug, words)


@pytest.mark.parametrize(
    ("text", "minor"),
    [
        ("1.35", (1, 35)),
        ("v1.34", (1, 34)),
        ("1.36.2-gke.100", (1, 36)),
        ("1.100", (1, 100)),
        ("1", None),
        ("v1.x", None),
        ("x1.35", None),
        ("", None),
    ],
)
def test_a_kubernetes_version(text: str, minor: tuple[int, int] | None) -> None:
    """Its first two numbers, whatever stands behind them."""
    if minor is None:
        with pytest.raises(ValueError, match=r"^kubernetes: got .*; a version such as 1\.35$"):
            kubernetes_minor(text)
    else:
        assert kubernetes_minor(text) == minor


def test_nvidias_versions_by_date() -> None:
    """Those that are named after a year came first, then those from 0 on; three numbers count."""
    dated = ["25.3.2", "25.8.0", "25.12.0", "0.4.0", "0.4.1", "0.5.0", "1.0.0"]
    orders = [nvidia_order(version) for version in dated]
    assert orders == sorted(set(orders)) and len(orders) == 7
    assert nvidia_order("v25.8.0-rc.1") == nvidia_order("25.8.0")
    assert not Target(kubernetes=(1, 37), dranet="1.4.0-gke.3", nvidia="0.5.0").has_numa_node


def test_a_driver_of_another_cloud() -> None:
    """It is refused with those that can hand out the machine's NICs; each of these is not."""
    errors = ErrorList(("pools", 0, "nicDriver"))
    assert not check_driver("aws-dranet", A4, errors)
    said = "got aws-dranet, which does not hand out the NICs of a4-highgpu-8g; choose one of dranet, gke-managed"
    assert [error.reason for error in errors._found] == [said]
    fine = ErrorList()
    assert check_driver("dranet", A4, fine) and check_driver("gke-managed", A4, fine) and not fine._found
