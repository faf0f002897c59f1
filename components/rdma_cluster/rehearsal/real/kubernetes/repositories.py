"""Chart repositories, played: a proxy on 127.0.0.1 that answers for each of them over HTTPS, and lets nothing out."""

import json
import shutil
import ssl
import subprocess
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.parse import urlsplit

from ....errors import InputError, Refused
from .charts import UsedChart, archive

Archive = Callable[[UsedChart], bytes]
_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")


class Authority:
    """Makes certificates of hosts; its own is what the plugin trusts."""

    def __init__(self, folder: Path) -> None:
        """Raises ``Refused`` where there is no `openssl`."""
        program = shutil.which("openssl")
        if program is None:
            raise Refused([InputError(("--real-provider",), "there is no `openssl` on PATH, for certificates")])
        self._program, self._folder, self._lock = program, folder, Lock()
        self._contexts: dict[str, ssl.SSLContext] = {}
        self.certificate, self._key = folder / "authority.pem", folder / "authority.key"
        self._make(self.certificate, self._key, "rehearsal")

    def context(self, host: str) -> ssl.SSLContext:
        """The server's side of TLS for a host."""
        with self._lock:
            if host not in self._contexts:
                certificate, key = self._folder / f"{host}.pem", self._folder / f"{host}.key"
                signed = ("-CA", str(self.certificate), "-CAkey", str(self._key))
                self._make(certificate, key, host, *signed, "-addext", f"subjectAltName=DNS:{host}")
                self._contexts[host] = context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(certificate, key)
            return self._contexts[host]

    def _make(self, certificate: Path, key: Path, name: str, *further: str) -> None:
        out = ("-out", str(certificate), "-keyout", str(key), "-subj", f"/CN={name}")
        command = [self._program, "req", "-x509", *_KEY, *out, *further]
        subprocess.run(command, check=True, capture_output=True)


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
