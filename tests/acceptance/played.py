"""A small server that plays the Kubernetes API for one MPIJob, and the objects that it tells of."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

NAME = "nccl-p5-12345678"
JOB = f"/apis/kubeflow.org/v2beta1/namespaces/rdma-acceptance/mpijobs/{NAME}"
PODS = "/api/v1/namespaces/rdma-acceptance/pods"
Answer = dict[str, Any] | int | str
"""An object, a status code, or text that is no JSON."""


class FakeApi:
    """Answers in turn; the last one stays."""

    def __init__(self) -> None:
        self.jobs: list[Answer] = []
        self.pods: list[dict[str, Any]] = []
        self.seen: list[tuple[str, str, str]] = []
        """(path, label selector, authorization) of each request."""
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                where = urlsplit(self.path)
                selector = parse_qs(where.query).get("labelSelector", [""])[0]
                api.seen.append((where.path, selector, self.headers["Authorization"]))
                answer: Answer = 403
                if where.path == JOB:
                    answer = api.jobs.pop(0) if len(api.jobs) > 1 else api.jobs[0]
                elif where.path == PODS:
                    answer = {"items": api.pods}
                body = answer if isinstance(answer, str) else json.dumps(answer)
                self.send_response(answer if isinstance(answer, int) else 200)
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def job(*conditions: tuple[str, str], reason: str = "", message: str = "") -> dict[str, Any]:
    told = [{"type": kind, "status": status, "reason": reason, "message": message} for kind, status in conditions]
    return {"status": {"conditions": told}} if told else {}


def pod(name: str, role: str, **status: Any) -> dict[str, Any]:
    labels = {"training.kubeflow.org/job-name": NAME, "training.kubeflow.org/job-role": role}
    return {"metadata": {"name": name, "labels": labels}, "status": status}


def launcher(verdict: str | None) -> dict[str, Any]:
    """A launcher whose containers have ended."""
    state = {"terminated": {"exitCode": 1, **({"message": verdict} if verdict is not None else {})}}
    done = {"terminated": {"exitCode": 0}}
    statuses = [{"name": "test", "state": done}, {"name": "verdict", "state": state}]
    return pod(f"{NAME}-launcher-abcde", "launcher", phase="Failed", containerStatuses=statuses)


RUNNING = job(("Created", "True"), ("Running", "True"))
FAILED = job(("Running", "False"), ("Failed", "True"), reason="BackoffLimitExceeded", message="has reached the limit")
