"""A certificate for Google's hosts, so that what the provider asks by addresses of its own can be answered here."""

import shutil
import ssl
import subprocess
from pathlib import Path

_DAYS = "2"


def certificate(folder: Path) -> Path | None:
    """A file with key and certificate of ``*.googleapis.com``; ``None`` where there is no `openssl` to make one.

    The provider trusts it, and nothing else, by ``SSL_CERT_FILE``; Go reads that on Linux and the BSDs
    (https://pkg.go.dev/crypto/x509#SystemCertPool).
    """
    if (openssl := shutil.which("openssl")) is None:
        return None
    key, made = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-days", _DAYS, "-subj", "/CN=rehearsal", "-addext", "subjectAltName=DNS:*.googleapis.com"),
            *("-keyout", str(key), "-out", str(made)),
        ],
        check=True,
        capture_output=True,
    )
    made.write_text(made.read_text() + key.read_text())
    key.unlink()
    made.chmod(0o600)
    return made


def serving_with(made: Path) -> ssl.SSLContext:
    """A server's side of TLS."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(made)
    return context
