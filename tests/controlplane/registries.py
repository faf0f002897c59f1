"""Real registries on this machine, the program of the distribution project, and a line to one that cuts or waits."""

import json
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import requests
from rdma_rehearsal.controlplane.servers import HOST, await_ready, free_ports, running
from . import build

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
CHART = "application/vnd.cncf.helm.config.v1+json"
LOGIN = ("somebody", "right")
# The program takes bcrypt alone, which Python has not: `htpasswd -nbB somebody right`, of the least cost.
_HASHED = "somebody:$2y$04$abcdefghijklmnopqrstuuFmEfrkTQnczNzw475xE2VhDrK1uwJiC"


class Registry:
    """One that a test fills."""

    def __init__(self, host: str, login: tuple[str, str] | None):
        self.host = host
        self._session = requests.Session()
        self._session.auth = login

    def image(self, path: str, tag: str, *processors: str, content: str = "", licenses: str = "") -> str:
        """An image for these processors. Returns its digest."""
        listed = [
            {"mediaType": MANIFEST, "digest": digest, "size": size, "platform": {"os": "linux", "architecture": each}}
            for each in processors
            for digest, size in [self.manifest(path, None, f"{content}{each}", _config(each, licenses), CONFIG)]
        ]
        return self._put(path, tag, {"schemaVersion": 2, "mediaType": INDEX, "manifests": listed}, INDEX)[0]

    def chart(self, path: str, tag: str) -> str:
        """A chart as Helm pushes it. Returns its digest."""
        return self.manifest(path, tag, "archive", b"{}", CHART)[0]

    def manifest(self, path: str, tag: str | None, content: str, config: bytes, kind: str) -> tuple[str, int]:
        """One manifest with a layer. Returns digest and size."""
        parts = {
            "config": {"mediaType": kind, **self._blob(path, config)},
            "layers": [{"mediaType": "application/gzip", **self._blob(path, content.encode())}],
        }
        return self._put(path, tag, {"schemaVersion": 2, "mediaType": MANIFEST, **parts}, MANIFEST)

    def delete(self, path: str, digest: str) -> None:
        """Take a manifest away."""
        self._session.delete(f"http://{self.host}/v2/{path}/manifests/{digest}", timeout=10).raise_for_status()

    def _blob(self, path: str, data: bytes) -> dict[str, object]:
        digest = f"sha256:{sha256(data).hexdigest()}"
        begun = self._session.post(f"http://{self.host}/v2/{path}/blobs/uploads/", timeout=10)
        sent = self._session.put(begun.headers["Location"], data, params={"digest": digest}, timeout=10)
        sent.raise_for_status()
        return {"digest": digest, "size": len(data)}

    def _put(self, path: str, tag: str | None, manifest: dict[str, object], kind: str) -> tuple[str, int]:
        data = json.dumps(manifest).encode()
        digest = f"sha256:{sha256(data).hexdigest()}"
        url = f"http://{self.host}/v2/{path}/manifests/{tag or digest}"
        self._session.put(url, data, headers={"Content-Type": kind}, timeout=10).raise_for_status()
        return digest, len(data)


def _config(processor: str, licenses: str) -> bytes:
    labels = {"org.opencontainers.image.licenses": licenses} if licenses else {}
    return json.dumps({"architecture": processor, "os": "linux", "config": {"Labels": labels}}).encode()


@contextmanager
def registry(folder: Path, login: bool = False) -> Generator[Registry]:
    """The registry's own program, with its files in a folder; ``login`` lets in ``LOGIN`` alone."""
    (port,) = free_ports(1)
    config = {
        "version": "0.1",
        "log": {"level": "error"},
        "storage": {"filesystem": {"rootdirectory": str(folder / "data")}, "delete": {"enabled": True}},
        "http": {"addr": f"{HOST}:{port}"},
    }
    if login:
        (folder / "htpasswd").write_text(f"{_HASHED}\n")
        config["auth"] = {"htpasswd": {"realm": "tests", "path": str(folder / "htpasswd")}}
    (folder / "config.yml").write_text(json.dumps(config))
    with running(folder) as run:
        started = run("registry", build.registry(), "serve", folder / "config.yml")
        await_ready(f"http://{HOST}:{port}/", *started)
        yield Registry(f"{HOST}:{port}", LOGIN if login else None)


class Line:
    """Passes bytes to a registry and back: all, so many of an answer and then none, or none but an open connection."""

    def __init__(self, behind: str):
        host, _, port = behind.partition(":")
        self._behind = (host, int(port))
        self.cut_after: int | None = None
        self.waits = threading.Event()
        self.waits.set()
        self._server = socket.create_server((HOST, 0))
        self.host = f"{HOST}:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self.waits.set()
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:  # closed
                return
            behind = socket.create_connection(self._behind)
            threading.Thread(target=self._pass, args=(client, behind, None), daemon=True).start()
            threading.Thread(target=self._pass, args=(behind, client, self.cut_after), daemon=True).start()

    def _pass(self, source: socket.socket, to: socket.socket, most: int | None) -> None:
        try:
            while piece := source.recv(1 << 16):
                self.waits.wait()
                to.sendall(piece[:most])
                if most is not None and len(piece) >= most:
                    break
        except OSError:
            pass  # the other side has gone
        for each in (source, to):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


@contextmanager
def line_to(behind: str) -> Generator[Line]:
    """A line of that kind on a port of its own, until the block ends."""
    line = Line(behind)
    try:
        yield line
    finally:
        line.close()
