"""Which nodes and devices are taken out of service, and how a node comes back."""

from typing import Any

import pytest
from rdma_agent.faults.rules import Finding
from rdma_agent.faults.taints import DeviceRules, Place, node_patch, places, rule, split
from rdma_agent.names import FABRIC_LABEL, FAULT_TAINT
from rdma_cluster.incluster.addons.readiness.watcher import START_TAINT
from tests.readiness.server import SLICES, Server

GPU = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
FAULT = {"key": FAULT_TAINT, "value": "GpuLost", "effect": "NoSchedule"}
A, B = Place("gpu.nvidia.com", "n", "gpu-0"), Place("dranet", "n", "nic-0")


def found(condition: str, address: str = "") -> Finding:
    """A fault of a device, or of the node."""
    return Finding(condition, "r", address, "t")


@pytest.mark.parametrize(
    ("active", "devices", "node"),
    [
        ([found("Told", "a")], {}, ""),
        ([found("OfDevice", "a")], {A: "OfDevice"}, ""),
        ([found("OfDevice", "x")], {}, "OfDevice"),
        ([found("OfNode", "a")], {}, "OfNode"),
        ([found("Unknown", "a")], {}, ""),
        ([found("OfDevice", "a"), found("Other", "a"), found("OfDevice", "b")], {A: "OfDevice", B: "OfDevice"}, ""),
        ([found("OfNode"), found("Later"), found("OfDevice", "a")], {A: "OfDevice"}, "OfNode"),
    ],
)
def test_a_device_goes_alone_where_somebody_knows_it(active: list[Finding], devices: dict[Place, str], node: str):
    """The first fault of each names the taint; what no driver publishes takes its node along."""
    taints = {"OfDevice": "device", "Other": "device", "OfNode": "node", "Later": "node", "Told": "nothing"}

    assert split(active, taints, {"a": A, "b": B}) == (devices, node)


def node(*taints: dict[str, str], **labels: str) -> dict[str, Any]:
    """A node as the API server has it."""
    return {"metadata": {"resourceVersion": "7", "labels": labels}, "spec": {"taints": [*taints]}}


def patched(held: dict[str, Any], value: str = "", start: Any = START_TAINT, freed: bool = False) -> Any:
    """The taints and the labels that are written; ``None`` is no patch."""
    patch = node_patch(held, value, "NoSchedule", start, FABRIC_LABEL, freed)
    if patch is None:
        return None
    assert patch["metadata"].pop("resourceVersion") == "7"
    return patch["spec"]["taints"], patch["metadata"].get("labels")


@pytest.mark.parametrize(
    ("held", "value", "written"),
    [
        (node(GPU), "", None),
        (node(GPU), "GpuLost", ([GPU, FAULT], None)),
        (node(GPU, FAULT), "GpuLost", None),
        (node(FAULT, GPU), "NicLost", ([GPU, {**FAULT, "value": "NicLost"}], None)),
        (node(GPU, FAULT), "", ([GPU, START_TAINT], None)),
        (node({**START_TAINT, "value": "failed"}, FAULT), "", ([{**START_TAINT, "value": "failed"}], None)),
        (node(GPU, FAULT, **{FABRIC_LABEL: "f00d"}), "", ([GPU, START_TAINT], {FABRIC_LABEL: None})),
        (node(GPU, FAULT, **{FABRIC_LABEL: "failed"}), "", ([GPU, START_TAINT], None)),
    ],
)
def test_a_node_whose_fault_is_over_is_held_for_its_proof_in_one_write(held: dict[str, Any], value: str, written: Any):
    """A fault adds its taint, and a node that failed its proof keeps the word for it."""
    assert patched(held, value) == written


def test_a_node_whose_device_was_given_back_is_proved_again():
    """No taint of ours was on it; nothing is done twice, and nothing where nobody proves it."""
    labels = {FABRIC_LABEL: "f00d"}

    assert patched(node(GPU, **labels), freed=True) == ([GPU, START_TAINT], {FABRIC_LABEL: None})
    assert patched(node(START_TAINT, **labels), freed=True) == ([START_TAINT], {FABRIC_LABEL: None})
    assert patched(node(START_TAINT), freed=True) is None
    assert patched(node(GPU, **labels), start=None, freed=True) is None
    assert patched({"metadata": {"resourceVersion": "7"}}, "GpuLost") == ([FAULT], None)


def test_a_device_is_found_by_the_address_that_its_driver_publishes():
    """The attribute has one of several names; a device of another pool than the node's is none."""
    server = Server()

    def publish(name: str, pool: str, *devices: dict[str, Any] | None) -> None:
        listed = [
            {
                "name": f"d{i}",
                **({} if each is None else {"attributes": {key: {"string": of} for key, of in each.items()}}),
            }
            for i, each in enumerate(devices)
        ]
        spec = {"driver": name, "nodeName": "n", "pool": {"name": pool}, "devices": listed or None}
        server.put(SLICES, f"{name}-{pool}", spec=spec)

    publish("gpu.nvidia.com", "n", {"resource.kubernetes.io/pciBusID": "0000:1A:00.0"}, {"uuid": "x"}, None)
    publish("dranet", "n", {"dra.net/pciAddress": "0000:80:00.0"}, {"pciAddress": "0000:81:00.0"})
    publish("dranet", "elsewhere", {"pciAddress": "0000:82:00.0"})
    publish("empty", "n")

    assert places(server, "n") == {
        "0000:1a:00.0": Place("gpu.nvidia.com", "n", "d0"),
        "0000:80:00.0": Place("dranet", "n", "d0"),
        "0000:81:00.0": Place("dranet", "n", "d1"),
    }
    assert places(server, "m") == {}


def test_rules_of_the_node_are_made_and_taken_back():
    """What is missing is made, what is there stays, and what is not wanted any more goes when it is asked to."""
    kept, over = rule(A, "GpuError", "NoSchedule", "v1"), rule(A._replace(device="gpu-1"), "x", "NoSchedule", "v1")
    others = rule(A._replace(pool="m"), "GpuError", "NoSchedule", "v1")
    server, path = Server(), "/apis/resource.k8s.io/v1/devicetaintrules"
    for made in (kept, others, over):
        server.put(path, made["metadata"]["name"], **made)
    rules, name = DeviceRules(server, "v1", "n"), over["metadata"]["name"]

    assert rules.add({A: "GpuError", B: "NicLost"}, "NoSchedule") == {name}
    assert server.writes == [f"POST {path}"]
    rules.remove({name})
    assert server.writes[1:] == [f"DELETE {path}/{name}"]
    assert all(len(each) < 64 for each in server.held[path])
