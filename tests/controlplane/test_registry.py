"""What a lock asks, asked of the registry that others are built on: github.com/distribution/distribution/v3."""

import base64
import json
from collections.abc import Generator
from pathlib import Path

import pytest
from rdma_cluster.supply import registry as asked
from rdma_cluster.supply.fetched import Fetched
from rdma_cluster.supply.lock import Lock, Locked, compare
from rdma_cluster.supply.registry import ask
from .registries import LOGIN, Registry, line_to, registry


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Generator[Registry]:
    """A registry that lets everybody in."""
    with registry(tmp_path_factory.mktemp("registry")) as made:
        yield made


@pytest.fixture(autouse=True)
def logins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of this machine's credentials, where there are none."""
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    return tmp_path


def answer(reference: str, *processors: str) -> Locked | str:
    """What is told of one image."""
    return ask([Fetched(reference, "image", processors)])[reference]


def test_a_lock_of_a_real_registry(pushed: Registry):
    """An image for two processors, a chart, then a tag that moves, an image that goes, and a processor that goes."""
    first = pushed.image("a/one", "v1", "amd64", "arm64", licenses="Apache-2.0")
    second = pushed.image("a/two", "v1", "amd64", "arm64")
    pushed.image("a/three", "v1", "amd64", "arm64")
    chart = pushed.chart("charts/four", "0.1.0")
    names = {name: f"{pushed.host}/{name}:v1" for name in ("a/one", "a/two", "a/three")}
    wanted = [Fetched(each, "image", ("amd64", "arm64")) for each in names.values()]
    wanted.append(Fetched(f"{pushed.host}/charts/four:0.1.0", "chart"))

    before = ask(wanted)

    locked = [each for each in before.values() if isinstance(each, Locked)]
    assert [each.digest for each in locked][:2] == [first, second] and locked[3].digest == chart
    assert sorted(locked[0].platforms) == ["amd64", "arm64"] and locked[0].size_bytes == len("amd64arm64")
    assert [each.licenses for each in locked] == ["Apache-2.0", "", "", ""]

    moved = pushed.image("a/one", "v1", "amd64", "arm64", content="other")
    pushed.delete("a/two", second)
    pushed.image("a/three", "v1", "amd64")

    told = {each.reference: each.what for each in compare(Lock("s", "", tuple(locked)), ask(wanted))}

    assert told == {
        names["a/one"]: f"moved from {first} to {moved}; pods still take {first}",
        names["a/two"]: "not there",
        names["a/three"]: "not built for arm64, but for amd64",
    }


def test_a_credential_is_wanted_wrong_and_right(tmp_path: Path, logins: Path):
    """Behind its own htpasswd; neither credential is told."""
    with registry(tmp_path, login=True) as held:
        held.image("a/b", "v1", "amd64")
        reference = f"{held.host}/a/b:v1"
        assert answer(reference) == f"it wants a credential; run `docker login {held.host}`"

        found = {}
        for password in ("wrong", LOGIN[1]):
            auth = base64.b64encode(f"{LOGIN[0]}:{password}".encode()).decode()
            (logins / "config.json").write_text(json.dumps({"auths": {held.host: {"auth": auth}}}))
            found[password] = answer(reference, "amd64")

    assert found["wrong"] == f"the credential for it is refused; run `docker login {held.host}`"
    assert isinstance(found[LOGIN[1]], Locked)


@pytest.mark.parametrize("after", [0, 20, 400])
def test_the_connection_is_cut(pushed: Registry, after: int):
    """Before a first byte, amid the headers, amid a manifest: told, and no digest made of half an answer."""
    pushed.image("a/cut", "v1", "amd64", "arm64")
    with line_to(pushed.host) as line:
        assert isinstance(answer(f"{line.host}/a/cut:v1", "amd64"), Locked)
        line.cut_after = after

        found = answer(f"{line.host}/a/cut:v1", "amd64")

    assert found == "its registry cannot be reached, or cut the connection"


def test_it_is_slow(pushed: Registry, monkeypatch: pytest.MonkeyPatch):
    """The connection stands, and nothing comes."""
    monkeypatch.setattr(asked, "_SECONDS", 0.5)
    pushed.image("a/slow", "v1", "amd64")
    with line_to(pushed.host) as line:
        line.waits.clear()

        assert answer(f"{line.host}/a/slow:v1", "amd64") == "no answer within 0 s"
