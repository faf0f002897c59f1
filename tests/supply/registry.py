"""A registry on this machine for tests: the part of the distribution protocol that reads, and its troubles."""

import base64
import json
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rdma_cluster.supply.fetched import Fetched
from rdma_cluster.supply.lock import Locked
from rdma_cluster.supply.registry import ask

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LOGIN = ("somebody", "right")


def answer(reference: str, *architectures: str, kind: str = "image", holds: bool = True) -> Locked | str:
    """What is found of one artifact."""
    return ask([Fetched(reference, kind, architectures, holds=holds)])[reference]


class Registry:
    """Manifests by path and tag or digest, and what is wrong with it."""

    def __init__(self, host: str):
        self.host = host
        self.manifests: dict[tuple[str, str], tuple[bytes, str]] = {}
        self.referrers: dict[str, list[str]] = {}
        self.files: dict[str, bytes] = {}
        self.wants_login = False
        self.status = 200
        """Another is its answer to everything."""
        self.knows_referrers = True
        self.challenge = 'Basic realm="tests"'
        self.token = ""
        """``nobody`` or ``somebody``: whose token is taken, too."""
        self.trouble = ""
        """``drip``: answers a byte at a time. ``cut``: ends amid an answer. ``lie``: other bytes than it says."""

    def push_alone(self, path: str, tag: str, config: Mapping[str, Any], kind: str = CONFIG, **annotations: str) -> str:
        """An image without an index, with its configuration."""
        blob = json.dumps(config).encode()
        digest = f"sha256:{sha256(blob).hexdigest()}"
        self.files[f"/v2/{path}/blobs/{digest}"] = blob
        named = {"mediaType": kind, "digest": digest}
        made = self._put(path, {**_image(""), "config": named, "annotations": annotations}, MANIFEST)
        self.manifests[path, tag] = self.manifests[path, made]
        return made

    def push(self, path: str, tag: str, *processors: str, content: str = "") -> str:
        """An image for these processors, or a chart without any. Returns its digest."""
        made = {each: self._put(path, _image(f"{content}{each}"), MANIFEST) for each in processors or ("",)}
        if not processors:
            self.manifests[path, tag] = self.manifests[path, made[""]]
            return made[""]
        listed = [{"digest": made[each], "platform": {"os": "linux", "architecture": each}} for each in processors]
        # What BuildKit adds to tell how an image was built.
        listed.append({"digest": made[processors[0]], "platform": {"os": "unknown", "architecture": "unknown"}})
        digest = self._put(path, {"mediaType": INDEX, "manifests": listed}, INDEX)
        self.manifests[path, tag] = self.manifests[path, digest]
        return digest

    def put(self, path: str, tag: str, manifest: Mapping[str, Any], kind: str) -> str:
        """A manifest as it is."""
        made = self._put(path, manifest, kind)
        self.manifests[path, tag] = self.manifests[path, made]
        return made

    def _put(self, path: str, manifest: Mapping[str, Any], kind: str) -> str:
        body = json.dumps(manifest).encode()
        digest = f"sha256:{sha256(body).hexdigest()}"
        self.manifests[path, digest] = (body, kind)
        return digest


def _image(content: str) -> dict[str, Any]:
    return {"mediaType": MANIFEST, "layers": [{"size": 1000}, {"size": 24}], "annotations": {"content": content}}


@contextmanager
def registry() -> Generator[Registry]:
    """A registry that answers on 127.0.0.1 until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    made = Registry(f"127.0.0.1:{server.server_port}")
    server.registry = made  # ty: ignore[missing-attribute]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        held: Registry = self.server.registry  # ty: ignore[missing-attribute]
        if held.status != 200:
            self.send_error(held.status)
            return
        if (file := held.files.get(self.path)) is not None:
            self._answer(held, file, "application/yaml")
            return
        given = self.headers.get("Authorization", "")
        if self.path.startswith("/token?"):
            whose = "somebody" if given == _basic(*LOGIN) else "nobody"
            self._answer(held, json.dumps({"token": whose}).encode(), "application/json")
            return
        if held.wants_login and given not in (_basic(*LOGIN), f"Bearer {held.token}"):
            self.send_response(401)
            if held.challenge:
                self.send_header("Www-Authenticate", held.challenge)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, version = self.path.removeprefix("/v2/").rpartition("/")
        path, _, question = path.rpartition("/")
        if question == "referrers" and held.knows_referrers:
            kinds = [{"artifactType": kind} for kind in held.referrers.get(version, [])]
            self._answer(held, json.dumps({"manifests": kinds}).encode(), INDEX)
        elif (found := held.manifests.get((path, version))) is not None and self._takes(found[1]):
            self._answer(held, *found)
        else:
            self.send_error(404)

    def _takes(self, kind: str) -> bool:
        """Whether who asks reads manifests of that kind; registries have no others for it."""
        return kind.partition(";")[0] in self.headers["Accept"].split(", ")

    def _answer(self, held: Registry, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Docker-Content-Digest", f"sha256:{sha256(body).hexdigest()}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if held.trouble == "lie":
            body = body.replace(b"1000", b"1001")
        if held.trouble == "cut":
            body = body[: len(body) // 2]
        if held.trouble == "drip":
            self.wfile.write(body[:1])
            self.wfile.flush()
            threading.Event().wait(1)
        self.wfile.write(body[held.trouble == "drip" :])

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
