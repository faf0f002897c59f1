"""What each component's args say of the cluster, and which say otherwise than others."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.incluster.plan.dra_drivers import ManagedBy
from rdma_cluster.incluster.plan.statements import Statement, check_agreement, statements

A = {"label": "pool", "values": ["a"], "nodes": 2}
NODES = {"label": "pool", "values": ["a", "b"], "nodes": 2}
GPUS, NICS = "what hands out the GPUs of nodes pool=", "what hands out the NICs of nodes pool="


def said(**args: Any) -> set[tuple[str, str, str]]:
    """Path, subject and value of each statement."""
    return {(".".join(map(str, each.path)), each.subject, each.value) for each in statements(args)}


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, set()),
        ({"host": "cos"}, {("host", "the cloud", "gke")}),
        (
            {"gpu_nodes": NODES, "nic_nodes": NODES, "nic_driver": "dranet"},
            {
                *((f"gpu_nodes.values.{i}", GPUS + name, "dra") for i, name in enumerate("ab")),
                *((f"nic_nodes.values.{i}", NICS + name, "dranet") for i, name in enumerate("ab")),
            },
        ),
        # Channels alone: the GPUs are a device plugin's.
        ({"gpu_nodes": A, "channels_alone": True}, {("gpu_nodes.values.0", f"{GPUS}a", "device-plugin")}),
        ({"gpu_nodes": A, "channels_alone": False}, {("gpu_nodes.values.0", f"{GPUS}a", "dra")}),
        # Of what somebody else installs nothing is known.
        ({"nic_nodes": NODES, "nic_driver": "dranet", "nic": ManagedBy.EXISTING}, set()),
        ({"nic_nodes": NODES, "nic_driver": "dranet", "nic": ManagedBy.MANAGED}, set()),
        (
            {"nodes": A, "nic_plugin": "efa"},
            {("nodes.values.0", f"{GPUS}a", "device-plugin"), ("nodes.values.0", f"{NICS}a", "efa")},
        ),
        (
            {"nodes": A, "nic_plugin": "efa", "nic": ManagedBy.EXISTING},
            {("nodes.values.0", f"{GPUS}a", "device-plugin")},
        ),
        ({"nodes": A, "fabric": "gib"}, {("nodes.values.0", "the NCCL plugin of nodes pool=a", "gib")}),
        (
            {"machines": ["nobodys", "a4-highgpu-8g"], "nic_only_machines": ["p5.48xlarge"]},
            {
                ("machines.1", "the cloud", "gke"),
                ("machines.1", "the DRA driver of the NICs of a4-highgpu-8g", "dranet"),
                ("nic_only_machines.0", "the cloud", "eks"),
                ("nic_only_machines.0", "the DRA driver of the NICs of p5.48xlarge", "aws-dranet"),
            },
        ),
        (
            {"machines": ["a4-highgpu-8g"], "nic_driver": "gke-managed"},
            {
                ("machines.0", "the cloud", "gke"),
                ("machines.0", "the DRA driver of the NICs of a4-highgpu-8g", "gke-managed"),
            },
        ),
        (
            {
                "pools": [
                    {"name": "x", "machine": "a4-highgpu-8g"},
                    {"name": "y", "machine": "p5.48xlarge", "fabric": "efa-device-plugin"},
                    {
                        "name": "z",
                        "machine": "a3-megagpu-8g",
                        "fabric": "tcpxo",
                        "gpu_allocation": GpuAllocation.DEVICE_PLUGIN,
                    },
                ],
                "pool_label": "pool",
            },
            {
                ("pools.0.machine", "the cloud", "gke"),
                ("pools.0.machine", "the machine of nodes pool=x", "a4-highgpu-8g"),
                ("pools.0.fabric", "the fabric of nodes pool=x", "gib"),
                ("pools.0.fabric", "the NCCL plugin of nodes pool=x", "gib"),
                ("pools.0.gpu_allocation", f"{GPUS}x", "dra"),
                ("pools.0.fabric", f"{NICS}x", "dranet"),
                ("pools.0.fabric", "the DRA driver of the NICs of a4-highgpu-8g", "dranet"),
                ("pools.1.machine", "the cloud", "eks"),
                ("pools.1.machine", "the machine of nodes pool=y", "p5.48xlarge"),
                ("pools.1.fabric", "the fabric of nodes pool=y", "efa-device-plugin"),
                ("pools.1.fabric", "the NCCL plugin of nodes pool=y", "aws-ofi-nccl"),
                ("pools.1.gpu_allocation", f"{GPUS}y", "device-plugin"),
                ("pools.1.fabric", f"{NICS}y", "efa"),
                # Networks that pods name have no driver.
                ("pools.2.machine", "the cloud", "gke"),
                ("pools.2.machine", "the machine of nodes pool=z", "a3-megagpu-8g"),
                ("pools.2.fabric", "the fabric of nodes pool=z", "tcpxo"),
                ("pools.2.fabric", "the NCCL plugin of nodes pool=z", "tcpxo"),
                ("pools.2.gpu_allocation", f"{GPUS}z", "device-plugin"),
            },
        ),
    ],
)
def test_what_args_say(args: dict[str, Any], expected: set[tuple[str, str, str]]):
    """Each key at its own path; what is not said is left to others."""
    assert said(**args) == expected


def test_one_says_otherwise():
    """Of the same subject another value; the same value, or another subject, is no contradiction."""
    own = [Statement(("host",), "the cloud", "gke"), Statement(("pools", 0, "fabric"), "the fabric of a", "gib")]
    others = {
        "Alike": [Statement((), "the cloud", "gke"), Statement((), "the fabric of b", "efa")],
        "Other": [Statement((), "the cloud", "gke"), Statement((), "the fabric of a", "efa")],
    }
    errors = ErrorList()
    check_agreement(own, others, errors)

    assert [str(each) for each in errors.found()] == [
        "pools[0].fabric: the fabric of a is gib here, and efa for Other on the same cluster; let both say the same, "
        "or give each its own nodes or the Kubernetes provider of its own cluster"
    ]
