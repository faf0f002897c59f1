"""What registries answer, and how each of their troubles is told: never with a digest that nobody checked."""

import base64
import os
from pathlib import Path

import pytest
import requests
from rdma_cluster.supply import registry as asked
from rdma_cluster.supply.credentials import HUB, authorization
from rdma_cluster.supply.fetched import Fetched
from rdma_cluster.supply.lock import Locked
from rdma_cluster.supply.registry import ask, place_of
from tests.supply.registry import Registry, answer


def test_a_signature_by_a_tag(there: Registry):
    """As cosign put them before registries knew referrers."""
    digest = there.push("a/b", "v1")
    there.push("a/b", digest.replace(":", "-") + ".sig")

    found = answer(f"{there.host}/a/b:v1")

    assert isinstance(found, Locked) and found.signature == "cosign"


def test_a_processor_is_missing(there: Registry):
    """A node of another processor would find no image."""
    there.push("a/b", "v1", "amd64")

    assert answer(f"{there.host}/a/b:v1", "amd64", "arm64") == "not built for arm64, but for amd64"
    there.push("a/b", "v2", "riscv64", "ppc64le")
    both = "not built for amd64, arm64, but for ppc64le, riscv64"
    assert answer(f"{there.host}/a/b:v2", "arm64", "amd64") == answer(f"{there.host}/a/b:v2", "amd64", "arm64") == both


@pytest.mark.parametrize(
    ("repository", "host", "url"),
    [
        ("python", HUB, "https://registry-1.docker.io/v2/library/python"),
        ("curlimages/curl", HUB, "https://registry-1.docker.io/v2/curlimages/curl"),
        ("docker.io/library/python", HUB, "https://registry-1.docker.io/v2/library/python"),
        ("nvcr.io/nvidia/cloud-native/x", "nvcr.io", "https://nvcr.io/v2/nvidia/cloud-native/x"),
        ("mirror:5000/a", "mirror:5000", "https://mirror:5000/v2/a"),
        ("localhost/a/b", "localhost", "http://localhost/v2/a/b"),
        ("127.0.0.1:5000/a", "127.0.0.1:5000", "http://127.0.0.1:5000/v2/a"),
        ("[::1]:5000/a", "[::1]:5000", "http://[::1]:5000/v2/a"),
    ],
)
def test_where_a_repository_is(repository: str, host: str, url: str):
    """As container runtimes take names (github.com/distribution/reference, normalize.go, 2026-11-23)."""
    assert place_of(repository) == (host, url)


def test_a_configuration_that_lies(there: Registry):
    """Its bytes are held to their digest, as those of manifests."""
    there.push_alone("a/b", "v1", {"architecture": "amd64"})
    (place,) = there.files
    there.files[place] = b'{"architecture": "arm64"}'

    found = answer(f"{there.host}/a/b:v1", "arm64")

    assert isinstance(found, str) and found.startswith("its registry answers other bytes than sha256:")


def test_docker_hub_is_asked_for_by_its_own_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """`docker login` gives the credential for it to a helper under an address that is not the registry's."""
    helper = tmp_path / "docker-credential-tests"
    helper.write_text(
        '#!/bin/sh\nread -r host; [ "$host" = https://index.docker.io/v1/ ] && echo \'{"Username":"u","Secret":"s"}\'\n'
    )
    helper.chmod(0o755)
    (tmp_path / "config.json").write_text('{"credsStore": "tests"}')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    challenge = requests.Response()
    challenge.headers["Www-Authenticate"] = 'Basic realm="x"'

    ours = authorization(challenge, HUB, requests.Session())
    other = authorization(challenge, "quay.io", requests.Session())

    assert ours == ({"Authorization": "Basic " + base64.b64encode(b"u:s").decode()}, True)
    assert other == ({}, False)


def test_a_tag_moves_under_a_digest(there: Registry):
    """The catalogue's digest still holds, and somebody should know."""
    was = there.push("a/b", "v1", content="1")
    is_now = there.push("a/b", "v1", content="2")

    assert answer(f"{there.host}/a/b:v1@{was}") == f"its tag has moved to {is_now}; pods still take {was}"


@pytest.mark.parametrize("holds", [True, False])
def test_what_holds_no_digest_stays_so(there: Registry, holds: bool):
    """A lock says it: of images whose tags a node's own program completes, no digest is named anywhere."""
    there.push("a/b", "v1")
    wanted = Fetched(f"{there.host}/a/b:v1", "image", holds=holds)

    (found,) = ask([wanted]).values()

    assert isinstance(found, Locked) and found.holds is holds


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        ("drip", "no answer within 0 s"),
        ("cut", "its registry cannot be reached, or cut the connection"),
        ("lie", "its registry calls sha256:"),
    ],
)
def test_trouble(there: Registry, monkeypatch: pytest.MonkeyPatch, trouble: str, told: str):
    """Slow, cut or other bytes: told within the time, in a line."""
    monkeypatch.setattr(asked, "_SECONDS", 0.4)
    there.push("a/b", "v1")
    there.trouble = trouble

    found = answer(f"{there.host}/a/b:v1")

    assert isinstance(found, str) and found.startswith(told)
