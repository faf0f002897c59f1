"""Certificates for hosts that are played here, and one of our own that a plugin trusts by ``SSL_CERT_FILE``."""

import shutil
import ssl
import subprocess
from pathlib import Path
from threading import Lock

from ...errors import InputError, Refused

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
