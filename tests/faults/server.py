"""An API server with one node, its events, and its devices where it knows rules for them."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

from rdma_agent.names import FABRIC_LABEL
from rdma_cluster.catalog import Transport
from tests.faults.made_up import LABEL, MACHINES

A4 = MACHINES[Transport.GIB]
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


class Server:
    """It answers over HTTP, and keeps what is written."""

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
