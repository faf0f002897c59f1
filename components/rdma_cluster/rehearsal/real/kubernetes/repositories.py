"""Chart repositories, played: a proxy on 127.0.0.1 that answers for each of them over HTTPS, and lets nothing out."""

import json
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from ..authority import Authority
from .charts import UsedChart, archive

Archive = Callable[[UsedChart], bytes]


class Repositories:
    """Has the charts of the stack, whatever the addresses of their repositories."""

    def __init__(self, authority: Authority) -> None:
        self.authority = authority
        self.archive: Archive = lambda chart: archive(chart, ())
        self.charts: Sequence[UsedChart] = ()
        self.refused: list[str] = []
        """Addresses that it was asked for and has nothing for."""

    def answer(self, url: str) -> bytes | None:
        """What lies at an address."""
        for repo in {each.repo.rstrip("/") for each in self.charts if each.repo}:
            own = [each for each in self.charts if each.repo.rstrip("/") == repo]
            if url == f"{repo}/index.yaml":
                return json.dumps(_index(own)).encode()
            for each in own:
                if url == f"{repo}/{_file(each)}":
                    return self.archive(each)
        self.refused.append(url)
        return None


@contextmanager
def serving(repositories: Repositories) -> Generator[str]:
    """Serve them to the end of the block; gives the proxy's address."""

    class Handler(_Handler):
        behind = repositories

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, name="repositories", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    behind: Repositories
    protocol_version = "HTTP/1.1"
    origin = ""

    def do_CONNECT(self) -> None:
        """From here on this is the host that the plugin wants to talk to."""
        host = self.path.rpartition(":")[0]
        self.send_response(200)
        self.end_headers()
        self.connection: Any = self.behind.authority.context(host).wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.origin, self.close_connection = f"https://{host}", False

    def do_GET(self) -> None:
        """One file."""
        found = self.behind.answer(f"{self.origin}{urlsplit(self.path).path}")
        self.send_response(404 if found is None else 200)
        self.send_header("Content-Length", str(len(found or b"")))
        self.end_headers()
        self.wfile.write(found or b"")

    def finish(self) -> None:
        """The server closes the connection that it has accepted, and not the one within."""
        super().finish()
        self.connection.close()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


def _file(chart: UsedChart) -> str:
    return f"{chart.name}-{chart.version}.tgz"


def _index(charts: Sequence[UsedChart]) -> dict[str, Any]:
    entries = {
        each.name: [{"apiVersion": "v2", "name": each.name, "version": each.version, "urls": [_file(each)]}]
        for each in charts
    }
    return {"apiVersion": "v1", "entries": entries, "generated": "2026-01-01T00:00:00Z"}
