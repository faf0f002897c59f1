"""One node's watcher before an API server: what it writes, how often, and what it leaves alone."""

import json
from pathlib import Path
from typing import Any

import pytest
from rdma_agent.faults import watcher as fault_watcher
from rdma_agent.faults.conditions import LONGEST
from rdma_agent.faults.watcher import MOST_EVENTS, Watcher
from rdma_agent.names import FABRIC_LABEL, FAULT_TAINT
from rdma_cluster.catalog import Transport
from rdma_cluster.incluster.addons.readiness.args import OnFault
from rdma_cluster.incluster.addons.readiness.watcher import START_TAINT
from tests.faults.made_up import LABEL, MACHINES, Node, config_of
from tests.readiness.server import EVENTS, SLICES, Server
from tests.stacks import ROOT

BOOTED = 1_700_000_000.0


RULES = "/apis/resource.k8s.io/v1beta2/devicetaintrules"
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
A4 = MACHINES[Transport.GIB]


class Watched:
    """A made-up node with its watcher, before an API server that knows no rules for devices."""

    def __init__(self, folder: Path, on_fault: OnFault = OnFault.OBSERVE, evict: bool = False):
        self.node, self.server = Node(folder / "node", Transport.GIB), Server()
        self.rules_group = self.server.groups.pop(RULES.rpartition("/")[0])
        labels = {LABEL: A4, FABRIC_LABEL: "abc"}
        status = {"conditions": [{"type": "Ready", "status": "True"}]}
        spec = {"taints": [GPU_TAINT]}
        self.held = self.server.put("/api/v1/nodes", "n1", metadata={"labels": labels}, spec=spec, status=status)
        self.config = config_of(A4, on_fault, evict)
        self.start()

    def start(self, after_boot: float = 0) -> None:
        """Begins with a watcher of its own; the node has started after the last one where that is said."""
        self.watcher = Watcher(self.server, "n1", self.config, BOOTED + after_boot)

    def run(self, seconds: float, every: float = 60) -> None:
        """Lets the watcher look for a while."""
        end = self.node.now + seconds
        while self.node.now < end:
            self.node.now += every
            self.watcher.look(lambda _: self.node.host(), self.node.now)

    def xid(self, gpu: int, code: int = 119) -> None:
        """The kernel says that a GPU has an error."""
        self.node.say(f"NVRM: Xid (PCI:{self.node.gpu(gpu)[:10]}): {code}, pid=1, name=x, Timeout")

    def condition(self, type_: str) -> dict[str, Any]:
        """A condition of the node; empty where it has none."""
        return self.server.condition("n1", type_)

    @property
    def taints(self) -> list[dict[str, Any]]:
        return self.held["spec"]["taints"]

    @property
    def events(self) -> list[tuple[str, str]]:
        """Type and reason of each event."""
        return [(each["type"], each["reason"]) for each in self.server.held[EVENTS].values()]


def test_a_fault_is_told_once(tmp_path: Path):
    """It is a condition with reason and message, and an event; by default there is no taint."""
    watched = Watched(tmp_path)
    watched.run(120)
    assert watched.condition("FaultsWatched")["reason"] == "Watching" and not watched.condition("GpuError")

    watched.xid(3)
    watched.run(600)

    told = watched.condition("GpuError")
    assert (told["status"], told["reason"]) == ("True", "Xid119")
    assert told["message"] == "0000:13:00.0: XID 119" and told["lastTransitionTime"]
    assert watched.events == [("Warning", "GpuError")]
    assert watched.taints == [GPU_TAINT]
    assert watched.condition("Ready")["status"] == "True"


def test_a_sound_node_costs_two_calls_in_five_minutes(tmp_path: Path):
    """They are a read and a heartbeat, whatever the rounds."""
    watched = Watched(tmp_path)
    watched.run(3600, every=60)

    assert watched.server.asked == 1 + 2 * 3600 / 300


@pytest.mark.thorough
def test_a_flood_grows_nothing(tmp_path: Path):
    """The log is full of errors of all GPUs and of strange devices, and links and counters go wild."""
    watched = Watched(tmp_path)
    watched.run(60)
    before = watched.server.asked
    node = watched.node
    for minute in range(60):
        for each in range(300):
            node.text += (
                f"[{node.now:.6f}] NVRM: Xid (PCI:00{each:02x}:{minute:02x}:00): {40 + each % 130}, pid={each}, x\n"
            )
        node.text = node.text[-200_000:]
        for nic in range(8):
            node.state(nic, "1: DOWN" if minute % 2 else "4: ACTIVE")
            node.count(nic, "symbol_error", minute * 10_000)
        watched.run(60)

    assert watched.server.asked - before <= 60 * (2 + 1) + MOST_EVENTS
    assert len(watched.events) <= MOST_EVENTS
    assert all(len(each.get("message", "")) <= LONGEST + 40 for each in watched.held["status"]["conditions"])


def test_a_node_is_quarantined_and_comes_back_through_its_proof(tmp_path: Path):
    """When the fault is over, the node is held until the prover has seen it."""
    watched = Watched(tmp_path, OnFault.QUARANTINE)
    node = watched.node
    watched.run(660)
    node.drop(node.gpu(3))
    watched.run(240)
    assert watched.taints == [GPU_TAINT, {"key": FAULT_TAINT, "value": "GpuLost", "effect": "NoSchedule"}]
    assert watched.held["metadata"]["labels"][FABRIC_LABEL] == "abc"

    node.add_gpu(3)
    watched.run(540)
    assert watched.condition("GpuLost")["status"] == "True", "it was there a moment ago"
    watched.run(240)

    assert watched.condition("GpuLost")["status"] == "False"
    assert watched.taints == [GPU_TAINT, START_TAINT]
    assert FABRIC_LABEL not in watched.held["metadata"]["labels"]
    assert watched.events == [("Warning", "GpuLost"), ("Normal", "GpuLostOver")]


def slice_of(node: Node) -> dict[str, Any]:
    """The devices that NVIDIA's driver publishes of the node."""
    devices = [
        {"name": f"gpu-{index}", "attributes": {"resource.kubernetes.io/pciBusID": {"string": node.gpu(index)}}}
        for index in range(8)
    ]
    return {"driver": "gpu.nvidia.com", "pool": {"name": "n1"}, "nodeName": "n1", "devices": devices}


@pytest.mark.parametrize("evict", [False, True])
def test_one_device_is_tainted_alone(tmp_path: Path, evict: bool):
    """Where claims hand it out and the cluster has rules for devices, the node takes other work."""
    watched = Watched(tmp_path, OnFault.QUARANTINE, evict)
    watched.server.groups[RULES.rpartition("/")[0]] = watched.rules_group
    watched.server.put(SLICES, "s", spec=slice_of(watched.node))
    watched.run(120)
    watched.xid(3)
    watched.run(120)

    (rule,) = watched.server.held[RULES].values()
    assert rule["spec"]["deviceSelector"] == {"driver": "gpu.nvidia.com", "pool": "n1", "device": "gpu-3"}
    assert rule["spec"]["taint"] == {
        "key": FAULT_TAINT,
        "value": "GpuError",
        "effect": "NoExecute" if evict else "NoSchedule",
    }
    assert watched.taints == [GPU_TAINT]

    watched.node.say(
        f"NVRM: Xid (PCI:{watched.node.gpu(3)[:10]}): 154, GPU recovery action changed from 0x1 (GPU Reset "
        f"Required) to 0x0 (None)"
    )
    watched.run(1200)

    assert watched.server.held[RULES] == {} and watched.taints == [GPU_TAINT, START_TAINT]


def test_a_fault_is_told_when_the_api_server_is_back(tmp_path: Path):
    watched = Watched(tmp_path)
    watched.run(120)
    watched.server.away = True
    watched.xid(3)
    watched.run(600)
    watched.server.away = False
    watched.run(60)

    assert watched.condition("GpuError")["status"] == "True"
    assert len(watched.events) == 1


def test_a_new_watcher_gives_no_bad_node_free(tmp_path: Path):
    """The kernel's log may have run over since the fault."""
    watched = Watched(tmp_path, OnFault.QUARANTINE)
    watched.run(120)
    watched.xid(3)
    watched.run(120)
    assert len(watched.taints) == 2

    watched.node.text = ""
    watched.start()
    watched.run(1800)

    assert watched.condition("GpuError")["message"] == "0000:13:00.0: XID 119"
    assert len(watched.taints) == 2 and len(watched.events) == 1


def test_a_boot_ends_what_the_kernel_said(tmp_path: Path):
    """Conditions from before it are no evidence of now; the node is proved again."""
    watched = Watched(tmp_path, OnFault.QUARANTINE)
    watched.run(120)
    watched.xid(3)
    watched.run(120)

    watched.node.text = ""
    watched.start(after_boot=10**9)
    watched.run(120)

    assert watched.condition("GpuError")["status"] == "False" and watched.taints == [GPU_TAINT, START_TAINT]


def test_a_cordoned_node_is_left_to_whoever_cordoned_it(tmp_path: Path):
    """In planned maintenance drivers go and NICs go, and nothing is told; then the watcher starts anew."""
    watched = Watched(tmp_path, OnFault.QUARANTINE)
    watched.run(660)
    watched.held["spec"]["unschedulable"] = True
    watched.run(300)
    (watched.node.folder / "proc/driver/nvidia/version").unlink()
    watched.xid(2)
    watched.node.drop(watched.node.nic(7))
    watched.run(1200)
    watched.node.write(
        "proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.126.20"
    )
    watched.node.add_nic(7)
    watched.held["spec"]["unschedulable"] = False
    watched.run(1200)

    assert watched.events == [] and watched.taints == [GPU_TAINT]


def test_a_watcher_that_cannot_hear_the_kernel_says_so(tmp_path: Path):
    """It is no proof of health."""
    watched = Watched(tmp_path)
    watched.node.text = None  # ty: ignore[invalid-assignment]
    watched.run(60)

    told = watched.condition("FaultsWatched")
    assert (told["status"], told["reason"]) == ("False", "KernelLogClosed")


def test_events_are_twelve_an_hour(tmp_path: Path):
    """Each XID changes the condition; an hour after the first events there is room for others."""
    watched = Watched(tmp_path)
    for code in range(119, 119 + 2):
        for gpu in range(8):
            watched.xid(gpu, code)
            watched.run(30, every=30)
    assert len(watched.events) == MOST_EVENTS

    watched.run(3600)
    watched.xid(0, 79)
    watched.run(60)
    assert len(watched.events) == MOST_EVENTS + 1


def test_it_runs_as_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It reads the folders that its pod has, half a minute lies between two rounds, and the last one has no pause."""
    watched, slept = Watched(tmp_path), list[float]()
    (tmp_path / "faults.json").write_text(json.dumps(watched.config))
    line = f"[    5.000000] NVRM: Xid (PCI:{watched.node.gpu(3)[:10]}): 79, pid=1, GPU has fallen off the bus.\n"
    (tmp_path / "log").write_text(line)
    options = {
        "node": "n1",
        "config": tmp_path / "faults.json",
        "sys": tmp_path / "node/sys",
        "proc": tmp_path / "node/proc",
        "kernel-log": tmp_path / "log",
        "rounds": 3,
    }
    monkeypatch.setattr(fault_watcher.time, "sleep", slept.append)
    monkeypatch.setattr(fault_watcher, "Api", lambda *_: watched.server)

    assert fault_watcher.main([f"--{name}={value}" for name, value in options.items()]) == 0
    assert watched.condition("GpuLost")["message"] == "0000:13:00.0: XID 79"
    assert slept == [30, 30]


def test_the_page_says_how_often_it_looks():
    page = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")

    assert f"every {fault_watcher.EVERY_SECONDS} seconds" in " ".join(page.split())
