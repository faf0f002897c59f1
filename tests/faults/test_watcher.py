"""One node's watcher before an API server: what it writes, how often, and what it leaves alone."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from rdma_agent.faults import watcher as fault_watcher
from rdma_agent.faults.conditions import LONGEST, MOST_FINDINGS
from rdma_agent.faults.readings import MOST_LINES
from rdma_agent.faults.watcher import MOST_EVENTS, Watcher
from rdma_agent.kube_api import Api
from rdma_agent.names import FABRIC_LABEL, FAULT_TAINT
from rdma_cluster.catalog import Transport
from rdma_cluster.incluster.addons.readiness.args import OnFault
from rdma_cluster.incluster.addons.readiness.watcher import START_TAINT
from tests.faults.made_up import LABEL, MACHINES, Node, config_of

A4 = MACHINES[Transport.GIB]
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
BOOTED = 1_700_000_000.0


class Server:
    """An API server with one node, its events, and its devices where it knows rules for them."""

    def __init__(self) -> None:
        self.node: dict[str, Any] = {
            "metadata": {"name": "n1", "uid": "u1", "resourceVersion": "1", "labels": {LABEL: A4, FABRIC_LABEL: "abc"}},
            "spec": {"taints": [GPU_TAINT]},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        }
        self.events: list[dict[str, Any]] = []
        self.rules: dict[str, dict[str, Any]] | None = None
        self.slices: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str]] = []
        self.away = False
        held = self

        class Handler(BaseHTTPRequestHandler):
            def _do(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                held.asked.append((self.command, self.path))
                code, answer = (
                    (503, {}) if held.away else held.answer(self.command, self.path, json.loads(body or "null"))
                )
                raw = json.dumps(answer).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_PATCH = do_POST = do_DELETE = _do

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def answer(self, verb: str, path: str, body: Any) -> tuple[int, Any]:
        path = unquote(path)
        if path == "/api/v1/nodes/n1":
            if verb == "PATCH":
                if body["metadata"].pop("resourceVersion") != self.node["metadata"]["resourceVersion"]:
                    return 409, {}
                self._changed()
                for label, value in body["metadata"].get("labels", {}).items():
                    assert value is None
                    self.node["metadata"]["labels"].pop(label)
                self.node["spec"]["taints"] = body["spec"]["taints"]
            return 200, self.node
        if path == "/api/v1/nodes/n1/status":
            self._changed()
            by_type = {each["type"]: each for each in self.node["status"]["conditions"]}
            by_type |= {each["type"]: each for each in body["status"]["conditions"]}
            self.node["status"]["conditions"] = list(by_type.values())
            return 200, self.node
        if path == "/api/v1/namespaces/default/events":
            self.events.append(body)
            return 201, body
        if path == "/apis/resource.k8s.io/v1":
            return 200, {"resources": [{"name": "resourceslices"}]}
        if path == "/apis/resource.k8s.io/v1beta2" and self.rules is not None:
            return 200, {"resources": [{"name": "devicetaintrules"}]}
        if path.startswith("/apis/resource.k8s.io/v1/resourceslices?"):
            return 200, {"items": self.slices}
        base = "/apis/resource.k8s.io/v1beta2/devicetaintrules"
        if self.rules is not None and path.startswith(base):
            if verb == "POST":
                self.rules[body["metadata"]["name"]] = body
            elif verb == "DELETE":
                del self.rules[path.removeprefix(f"{base}/")]
            return 200, {"items": list(self.rules.values())}
        return 404, {}

    def _changed(self) -> None:
        self.node["metadata"]["resourceVersion"] += "1"

    def condition(self, type_: str) -> dict[str, Any]:
        return next((each for each in self.node["status"]["conditions"] if each["type"] == type_), {})

    @property
    def taints(self) -> list[dict[str, Any]]:
        return self.node["spec"]["taints"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server()
    yield made
    made.server.shutdown()
    made.thread.join()
    made.server.server_close()


class Watched:
    """A made-up node with its watcher."""

    def __init__(self, folder: Path, server: Server, on_fault: OnFault = OnFault.OBSERVE, evict: bool = False):
        self.node = Node(folder / "node", Transport.GIB)
        self.server = server
        self.config = config_of(A4, on_fault, evict)
        self.config["pools"] = {A4: self.config["pools"][A4]}
        (folder / "token").write_text("of-the-pod")
        self.api = Api(f"http://127.0.0.1:{server.server.server_address[1]}", folder)
        self.start()

    def start(self) -> None:
        """A watcher that begins anew."""
        self.watcher = Watcher(self.api, "n1", self.config, BOOTED)

    def run(self, seconds: float, every: float = 60) -> None:
        """Rounds for a while."""
        end = self.node.now + seconds
        while self.node.now < end:
            self.node.now += every
            self.watcher.look(lambda _: self.node.host(), self.node.now)

    def xid(self, gpu: int, code: int = 119) -> None:
        self.node.say(f"NVRM: Xid (PCI:{self.node.gpu(gpu)[:10]}): {code}, pid=1, name=x, Timeout")


def test_a_fault_is_told_once(tmp_path: Path, server: Server):
    """A condition with reason and message, an event; no taint, since the default is to observe."""
    watched = Watched(tmp_path, server)
    watched.run(120)
    assert server.condition("FaultsWatched")["reason"] == "Watching" and not server.condition("GpuError")

    watched.xid(3)
    watched.run(600)

    told = server.condition("GpuError")
    assert (told["status"], told["reason"]) == ("True", "Xid119")
    assert told["message"] == "0000:13:00.0: XID 119" and told["lastTransitionTime"]
    assert [(event["type"], event["reason"]) for event in server.events] == [("Warning", "GpuError")]
    assert server.events[0]["source"] == {"component": "rdma-cluster/fault-watcher", "host": "n1"}
    assert server.taints == [GPU_TAINT]
    assert server.condition("Ready")["status"] == "True"


def test_a_sound_node_costs_a_call_in_minutes(tmp_path: Path, server: Server):
    """A read and a heartbeat in five minutes, whatever the rounds."""
    watched = Watched(tmp_path, server)
    watched.run(3600, every=60)

    assert len(server.asked) == 1 + 2 * 3600 / 300


@pytest.mark.thorough
def test_a_flood_grows_nothing(tmp_path: Path, server: Server):
    """A kernel's log full of errors of all GPUs and of devices that are not there, links and counters that go wild."""
    watched = Watched(tmp_path, server)
    watched.run(60)
    before = len(server.asked)
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

    assert len(server.asked) - before <= 60 * (2 + 1) + MOST_EVENTS
    assert len(server.events) <= MOST_EVENTS
    assert len(watched.watcher._known.lines) <= MOST_LINES and len(watched.watcher._active) <= MOST_FINDINGS
    assert all(len(each.get("message", "")) <= LONGEST + 40 for each in server.node["status"]["conditions"])


def test_a_node_is_quarantined_and_comes_back_through_its_proof(tmp_path: Path, server: Server):
    """Tainted besides; when the fault is over, held until the prover has seen it."""
    watched = Watched(tmp_path, server, OnFault.QUARANTINE)
    node = watched.node
    watched.run(660)
    node.drop(node.gpu(3))
    watched.run(240)
    assert server.taints == [GPU_TAINT, {"key": FAULT_TAINT, "value": "GpuLost", "effect": "NoSchedule"}]
    assert server.node["metadata"]["labels"][FABRIC_LABEL] == "abc"

    node.add_gpu(3)
    watched.run(540)
    assert server.condition("GpuLost")["status"] == "True", "it was there a moment ago"
    watched.run(240)

    assert server.condition("GpuLost")["status"] == "False"
    assert server.taints == [GPU_TAINT, START_TAINT]
    assert FABRIC_LABEL not in server.node["metadata"]["labels"]
    assert [(event["type"], event["reason"]) for event in server.events] == [
        ("Warning", "GpuLost"),
        ("Normal", "GpuLostOver"),
    ]
    assert server.events[1]["message"] == "no such fault any more"


def test_a_peers_fault_taints_nobody(tmp_path: Path, server: Server):
    """Time-outs at a high rate may be another node's."""
    watched = Watched(tmp_path, server, OnFault.QUARANTINE)
    watched.run(660)
    for value in range(1000, 9000, 1000):
        watched.node.count(1, "local_ack_timeout_err", value)
        watched.run(60)

    assert server.condition("RdmaErrors")["status"] == "True"
    assert server.taints == [GPU_TAINT]


def slices(node: Node) -> list[dict[str, Any]]:
    """What NVIDIA's driver publishes of the node, and of another's device."""
    devices = [
        {"name": f"gpu-{index}", "attributes": {"resource.kubernetes.io/pciBusID": {"string": node.gpu(index)}}}
        for index in range(8)
    ]
    return [{"spec": {"driver": "gpu.nvidia.com", "pool": {"name": "n1"}, "nodeName": "n1", "devices": devices}}]


@pytest.mark.parametrize("evict", [False, True])
def test_one_device_is_tainted_alone(tmp_path: Path, server: Server, evict: bool):
    """Where claims hand it out and the cluster has rules for devices, the node takes other work."""
    watched = Watched(tmp_path, server, OnFault.QUARANTINE, evict)
    server.rules, server.slices = {}, slices(watched.node)
    watched.run(120)
    watched.xid(3)
    watched.run(120)

    (rule,) = server.rules.values()
    assert rule["spec"]["deviceSelector"] == {"driver": "gpu.nvidia.com", "pool": "n1", "device": "gpu-3"}
    assert rule["spec"]["taint"] == {
        "key": FAULT_TAINT,
        "value": "GpuError",
        "effect": "NoExecute" if evict else "NoSchedule",
    }
    assert server.taints == [GPU_TAINT]

    watched.node.say(
        f"NVRM: Xid (PCI:{watched.node.gpu(3)[:10]}): 154, GPU recovery action changed from 0x1 (GPU Reset "
        f"Required) to 0x0 (None)"
    )
    watched.run(1200)

    assert server.rules == {} and server.taints == [GPU_TAINT, START_TAINT]


def test_without_rules_for_devices_the_node_is_tainted(tmp_path: Path, server: Server):
    """Kubernetes 1.35, and 1.36 without the gate."""
    watched = Watched(tmp_path, server, OnFault.QUARANTINE, evict=True)
    watched.run(120)
    watched.xid(3)
    watched.run(120)

    assert server.taints == [GPU_TAINT, {"key": FAULT_TAINT, "value": "GpuError", "effect": "NoExecute"}]


def test_the_api_server_away_loses_nothing(tmp_path: Path, server: Server):
    """What happened meanwhile is told when it is back; nothing piles up."""
    watched = Watched(tmp_path, server)
    watched.run(120)
    server.away = True
    watched.xid(3)
    watched.run(600)
    server.away = False
    watched.run(60)

    assert server.condition("GpuError")["status"] == "True"
    assert len(server.events) == 1


def test_a_watcher_that_starts_anew_goes_on(tmp_path: Path, server: Server):
    """An update of its pod gives no bad node free, also when the kernel's log has run over since."""
    watched = Watched(tmp_path, server, OnFault.QUARANTINE)
    watched.run(120)
    watched.xid(3)
    watched.run(120)
    assert len(server.taints) == 2

    watched.node.text = ""
    watched.start()
    watched.run(1800)

    assert server.condition("GpuError")["message"] == "0000:13:00.0: XID 119"
    assert len(server.taints) == 2 and len(server.events) == 1


def test_a_boot_ends_what_the_kernel_said(tmp_path: Path, server: Server):
    """Conditions from before it are no evidence of now; the node is proved again."""
    watched = Watched(tmp_path, server, OnFault.QUARANTINE)
    watched.run(120)
    watched.xid(3)
    watched.run(120)

    watched.node.text = ""
    watched.watcher = Watcher(watched.api, "n1", watched.config, BOOTED + 10**9)
    watched.run(120)

    assert server.condition("GpuError")["status"] == "False" and server.taints == [GPU_TAINT, START_TAINT]


def test_a_cordoned_node_is_left_to_whoever_cordoned_it(tmp_path: Path, server: Server):
    """Planned maintenance: drivers go, NICs go, and nothing is told; then it starts anew."""
    watched = Watched(tmp_path, server, OnFault.QUARANTINE)
    watched.run(660)
    server.node["spec"]["unschedulable"] = True
    watched.run(300)
    (watched.node.folder / "proc/driver/nvidia/version").unlink()
    watched.xid(2)
    watched.node.drop(watched.node.nic(7))
    watched.run(1200)
    watched.node.write(
        "proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.126.20"
    )
    watched.node.add_nic(7)
    server.node["spec"]["unschedulable"] = False
    watched.run(1200)

    assert server.events == [] and server.taints == [GPU_TAINT]


def test_a_closed_log_is_said(tmp_path: Path, server: Server):
    """A watcher that cannot hear the kernel is no proof of health."""
    watched = Watched(tmp_path, server)
    watched.node.text = None  # ty: ignore[invalid-assignment]
    watched.run(60)

    told = server.condition("FaultsWatched")
    assert (told["status"], told["reason"]) == ("False", "KernelLogClosed")


def test_it_runs_as_a_program(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch):
    """With the folders that its pod has."""
    watched = Watched(tmp_path, server)
    (tmp_path / "faults.json").write_text(json.dumps(watched.config))
    (tmp_path / "log").write_text(
        f"[    5.000000] NVRM: Xid (PCI:{watched.node.gpu(3)[:10]}): 79, pid=1, GPU has fallen off the bus.\n"
    )
    address = f"http://127.0.0.1:{server.server.server_address[1]}"
    folder = str(tmp_path / "node")
    given = [
        "--node",
        "n1",
        "--config",
        str(tmp_path / "faults.json"),
        "--sys",
        f"{folder}/sys",
        "--proc",
        f"{folder}/proc",
    ]

    assert (
        fault_watcher.main(
            [
                *given,
                "--kernel-log",
                str(tmp_path / "log"),
                "--every",
                "0",
                "--rounds",
                "2",
                "--server",
                address,
                "--credentials",
                str(tmp_path),
            ]
        )
        == 0
    )
    assert server.condition("GpuLost")["message"] == "0000:13:00.0: XID 79"
