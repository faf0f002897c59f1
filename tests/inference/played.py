"""A small server that plays the Kubernetes API for two pods, and vLLM itself."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PODS = "/api/v1/namespaces/default/pods/"
MADE = "/apis/leaderworkerset.x-k8s.io/v1/namespaces/lws-system/leaderworkersets?dryRun=All"


def pod(revision: str, ready: bool = True, **status: Any) -> dict[str, Any]:
    """A pod of a set."""
    conditions = [{"type": "Ready", "status": str(ready)}]
    return {
        "metadata": {"labels": {"rdma-cluster/revision": revision}},
        "status": {"phase": "Running", "conditions": conditions, **status},
    }


class Played:
    """Answers in turn, and the last one for ever."""

    def __init__(self, port: int = 0) -> None:
        self.pods: dict[str, list[dict[str, Any]]] = {}
        self.logs: dict[str, bytes] = {}
        self.answers: list[tuple[int, Any]] = [(200, {"choices": [{"text": " Yes."}]})]
        self.made: list[tuple[int, Any]] = [(201, {})]
        self.asked: list[tuple[str, str | None, Any]] = []
        """(path, authorization, body) of each request."""
        played = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                played.asked.append((self.path, self.headers["Authorization"], None))
                name, _, rest = self.path.removeprefix(PODS).partition("/")
                if rest == "log?container=vllm" and name in played.logs:
                    self.say(200, played.logs[name])
                elif not rest and name in played.pods:
                    self.say(200, _next(played.pods[name]))
                else:
                    self.say(404, {})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                played.asked.append((self.path, self.headers["Authorization"], body))
                known = {"/v1/completions": played.answers, MADE: played.made}
                self.say(*(_next(known[self.path]) if self.path in known else (404, {})))

            def say(self, code: int, what: Any) -> None:
                body = what if isinstance(what, bytes) else json.dumps(what).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def _next(answers: list[Any]) -> Any:
    return answers.pop(0) if len(answers) > 1 else answers[0]
