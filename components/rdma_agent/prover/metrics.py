"""The prover's figures, as Prometheus reads them."""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ..names import LAST_LOOK, NODE_FAILED, NODE_PROVEN, PROOF_AGE, PROOF_BUSBW
from .fleet import Condition, Seen

_SAYS = {
    LAST_LOOK: "When the prover last did all that it had decided, in seconds since 1970.",
    NODE_PROVEN: "Whether a node's fabric is proven, with the reason of its condition.",
    NODE_FAILED: "Whether a node failed the test of its fabric beside two that are good.",
    PROOF_AGE: "How old a node's last proof is.",
    PROOF_BUSBW: "The least figure of a node's pairs in its last proof.",
}


class Metrics:
    """The last look in Prometheus' text, and whether there was one lately."""

    def __init__(self) -> None:
        self._seen: tuple[Seen, Mapping[str, Condition]] | None = None
        self._alive = time.monotonic()

    def show(self, seen: Seen, conditions: Mapping[str, Condition]) -> None:
        """Keeps a look."""
        self._seen = (seen, conditions)

    def alive(self) -> None:
        """The prover has ended a look, be it with an error."""
        self._alive = time.monotonic()

    def text(self, now: float) -> str:
        """All series; ages are those of now."""
        return "".join(f"{line}\n" for line in self._lines(now))

    def _lines(self, now: float) -> Iterator[str]:
        if self._seen is None:
            return
        seen, conditions = self._seen
        for name, says in _SAYS.items():
            yield f"# HELP {name} {says}"
            yield f"# TYPE {name} gauge"
            if name == LAST_LOOK:
                yield f"{name} {seen.now}"
            for node in seen.nodes:
                labels = {"node": node.name, "pool": node.pool}
                shown = node.proof
                if name == NODE_PROVEN:
                    condition = conditions.get(node.name)
                    reason = condition.reason if condition else ""
                    yield _line(name, {**labels, "reason": reason}, int(bool(condition and condition.is_proven)))
                elif name == NODE_FAILED:
                    yield _line(name, labels, int(node.is_failed))
                elif name == PROOF_AGE and shown is not None:
                    yield _line(name, labels, int(now - shown.at))
                elif name == PROOF_BUSBW and shown is not None and shown.busbw:
                    yield _line(name, labels, shown.busbw)

    def serve(self, port: int, silence_seconds: float) -> None:
        """Answers ``/metrics``, and ``/healthz`` unless the prover was silent for so long."""
        if not port:
            return
        metrics = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                healthy = time.monotonic() - metrics._alive < silence_seconds
                code, text = (200, metrics.text(time.time())) if self.path == "/metrics" else (404, "")
                if self.path == "/healthz":
                    code, text = (200, "ok") if healthy else (500, "silent")
                raw = text.encode()
                self.send_response(code)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("", port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()


def _line(name: str, labels: Mapping[str, str], value: float) -> str:
    return f"{name}{{{','.join(f'{key}={json.dumps(text)}' for key, text in labels.items())}}} {value:g}"
