"""What a lock asks, asked of the registry that others are built on: github.com/distribution/distribution/v3."""

import json
from collections.abc import Generator
from hashlib import sha256
from pathlib import Path

import pytest
import requests
from rdma_cluster.rehearsal.controlplane.servers import HOST, await_ready, free_ports, running
from rdma_cluster.supply.fetched import Fetched
from rdma_cluster.supply.lock import Lock, Locked, compare
from rdma_cluster.supply.registry import ask

from . import build

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CHART = "application/vnd.cncf.helm.config.v1+json"


class Pushed:
    """A registry that a test fills."""

    def __init__(self, host: str):
        self.host = host

    def image(self, path: str, tag: str, *processors: str, content: str = "") -> str:
        """An image for these processors. Returns its digest."""
        listed = [
            {"mediaType": MANIFEST, "digest": digest, "size": size, "platform": {"os": "linux", "architecture": each}}
            for each in processors
            for digest, size in [
                self.manifest(path, None, f"{content}{each}", "application/vnd.oci.image.config.v1+json")
            ]
        ]
        return self._put(path, tag, {"schemaVersion": 2, "mediaType": INDEX, "manifests": listed}, INDEX)[0]

    def manifest(self, path: str, tag: str | None, content: str, kind: str) -> tuple[str, int]:
        """One manifest with a layer. Returns digest and size."""
        config, layer = self._blob(path, b"{}"), self._blob(path, content.encode())
        parts = {"config": {"mediaType": kind, **config}, "layers": [{"mediaType": "application/gzip", **layer}]}
        return self._put(path, tag, {"schemaVersion": 2, "mediaType": MANIFEST, **parts}, MANIFEST)

    def delete(self, path: str, digest: str) -> None:
        """Take a manifest away."""
        requests.delete(f"http://{self.host}/v2/{path}/manifests/{digest}", timeout=10).raise_for_status()

    def _blob(self, path: str, data: bytes) -> dict[str, object]:
        digest = f"sha256:{sha256(data).hexdigest()}"
        begun = requests.post(f"http://{self.host}/v2/{path}/blobs/uploads/", timeout=10)
        requests.put(begun.headers["Location"], data, params={"digest": digest}, timeout=10).raise_for_status()
        return {"digest": digest, "size": len(data)}

    def _put(self, path: str, tag: str | None, manifest: dict[str, object], kind: str) -> tuple[str, int]:
        data = json.dumps(manifest).encode()
        digest = f"sha256:{sha256(data).hexdigest()}"
        url = f"http://{self.host}/v2/{path}/manifests/{tag or digest}"
        requests.put(url, data, headers={"Content-Type": kind}, timeout=10).raise_for_status()
        return digest, len(data)


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Generator[Pushed]:
    """The registry's own program, with its files in a folder of the test."""
    folder: Path = tmp_path_factory.mktemp("registry")
    (port,) = free_ports(1)
    config = {
        "version": "0.1",
        "log": {"level": "error"},
        "storage": {"filesystem": {"rootdirectory": str(folder / "data")}, "delete": {"enabled": True}},
        "http": {"addr": f"{HOST}:{port}"},
    }
    (folder / "config.yml").write_text(json.dumps(config))
    with running(folder) as run:
        started = run("registry", build.registry(), "serve", folder / "config.yml")
        await_ready(f"http://{HOST}:{port}/", *started)
        yield Pushed(f"{HOST}:{port}")


def test_a_lock_of_a_real_registry(pushed: Pushed):
    """An image for two processors, a chart, then a tag that moves, an image that goes, and a processor that goes."""
    first = pushed.image("a/one", "v1", "amd64", "arm64")
    second = pushed.image("a/two", "v1", "amd64", "arm64")
    pushed.image("a/three", "v1", "amd64", "arm64")
    chart, _ = pushed.manifest("charts/four", "0.1.0", "archive", CHART)
    names = {name: f"{pushed.host}/{name}:v1" for name in ("a/one", "a/two", "a/three")}
    wanted = [Fetched(each, "image", ("amd64", "arm64")) for each in names.values()]
    wanted.append(Fetched(f"{pushed.host}/charts/four:0.1.0", "chart"))

    before = ask(wanted)

    locked = [each for each in before.values() if isinstance(each, Locked)]
    assert [each.digest for each in locked][:2] == [first, second] and locked[3].digest == chart
    assert sorted(locked[0].platforms) == ["amd64", "arm64"] and locked[0].size_bytes == len("amd64arm64")

    moved = pushed.image("a/one", "v1", "amd64", "arm64", content="other")
    pushed.delete("a/two", second)
    pushed.image("a/three", "v1", "amd64")

    told = {each.reference: each.what for each in compare(Lock("s", "", tuple(locked)), ask(wanted))}

    assert told == {
        names["a/one"]: f"moved from {first} to {moved}; pods still take {first}",
        names["a/two"]: "not there",
        names["a/three"]: "not built for arm64, but for amd64",
    }
