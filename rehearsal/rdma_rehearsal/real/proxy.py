"""A proxy on 127.0.0.1 that answers for other hosts, by certificates that a plugin trusts by ``SSL_CERT_FILE``."""

import shutil
import ssl
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from pulumi_offline.errors import InputError, Refused

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
        # Python from 3.13 on trusts no authority that does not say what its key is for.
        use = ("-addext", "keyUsage=critical,digitalSignature,keyCertSign")
        command = [self._program, "req", "-x509", *_KEY, *use, *out, *further]
        subprocess.run(command, check=True, capture_output=True)


class ProxyHandler(BaseHTTPRequestHandler):
    """One connection to the proxy. A subclass answers the requests, those within a tunnel as well."""

    protocol_version = "HTTP/1.1"
    authority: Authority | None
    """Makes the certificates; tunnels need one."""
    host = ""
    """The host that the client wants to talk to; empty outside a tunnel."""

    def do_CONNECT(self) -> None:
        """Become the host that the client names."""
        assert self.authority is not None
        self.host = self.path.rpartition(":")[0]
        self.send_response(200)
        self.end_headers()
        self.connection: Any = self.authority.context(self.host).wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.close_connection = False

    def reply(self, status: int, content: bytes, **headers: str) -> None:
        """Send an answer; ``headers`` are named with ``_`` in the place of ``-``."""
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def finish(self) -> None:
        """Close the connection within the tunnel, of which the server does not know."""
        super().finish()
        self.connection.close()

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


@contextmanager
def proxy(handler: type[ProxyHandler], **attributes: Any) -> Generator[int]:
    """Serve by a handler with these attributes to the end of the block; gives the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (handler,), attributes))
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
