"""No trouble of a registry makes a digest that nobody checked: each is told in a line, within the time."""

import base64
import json
import os
from pathlib import Path

import pytest
import requests
from rdma_cluster.supply import registry as asked
from rdma_cluster.supply.credentials import HUB, authorization
from rdma_cluster.supply.lock import Locked
from rdma_cluster.supply.registry import place_of
from tests.supply.registry import LOGIN, Registry, answer


@pytest.mark.parametrize(
    ("status", "words"), [(403, "`docker login {host}`"), (404, "not there"), (429, "later"), (500, "500")]
)
def test_a_registry_that_says_no_is_quoted(there: Registry, status: int, words: str):
    there.push("a/b", "v1")
    there.status = status

    assert words.format(host=there.host) in str(answer(f"{there.host}/a/b:v1"))


def test_bytes_are_held_to_the_digest_that_names_them(there: Registry):
    """A registry may say what it was asked for and send other bytes, of a manifest or of a configuration."""
    digest = there.push("a/b", "v1")
    there.trouble = "lie"
    assert f"other bytes than {digest}" in str(answer(f"{there.host}/a/b@{digest}"))

    there.trouble = ""
    there.push_alone("a/b", "v2", {"architecture": "amd64"})
    (place,) = there.files
    there.files[place] = b'{"architecture": "arm64"}'
    assert "other bytes than sha256:" in str(answer(f"{there.host}/a/b:v2", "arm64"))


@pytest.mark.parametrize(("trouble", "words"), [("drip", "no answer"), ("cut", "cut the connection"), ("lie", "calls")])
def test_a_slow_cut_or_wrong_answer_is_told(there: Registry, monkeypatch: pytest.MonkeyPatch, trouble: str, words: str):
    monkeypatch.setattr(asked, "_SECONDS", 0.4)
    there.push("a/b", "v1")
    there.trouble = trouble

    assert words in str(answer(f"{there.host}/a/b:v1"))


@pytest.mark.parametrize(("login", "is_let_in"), [(None, True), (LOGIN, True), (("somebody", "wrong"), False)])
def test_a_token_is_asked_for_where_the_challenge_says(
    there: Registry, tmp_path: Path, login: tuple[str, str] | None, is_let_in: bool
):
    """Without a credential of `docker login` nobody asks for it."""
    there.push("a/b", "v1")
    there.wants_login, there.token = True, "somebody" if login else "nobody"
    there.challenge = f'Bearer realm="http://{there.host}/token",service="tests",scope="repository:a/b:pull"'
    if login:
        (tmp_path / ".docker").mkdir()
        auth = base64.b64encode(":".join(login).encode()).decode()
        (tmp_path / ".docker" / "config.json").write_text(json.dumps({"auths": {there.host: {"auth": auth}}}))

    found = answer(f"{there.host}/a/b:v1")

    assert isinstance(found, Locked) is is_let_in
    assert is_let_in or "credential for it is refused" in str(found)


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

    assert ours == ({"Authorization": "Basic " + base64.b64encode(b"u:s").decode()}, True)
    assert authorization(challenge, "quay.io", requests.Session()) == ({}, False)


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
def test_a_repository_is_where_container_runtimes_look_for_it(repository: str, host: str, url: str):
    """github.com/distribution/reference, normalize.go, 2026-11-23."""
    assert place_of(repository) == (host, url)


def test_a_tag_that_moves_under_a_digest_is_told(there: Registry):
    """The catalogue's digest still holds, and somebody should know."""
    was = there.push("a/b", "v1", content="1")
    is_now = there.push("a/b", "v1", content="2")

    told = str(answer(f"{there.host}/a/b:v1@{was}"))
    assert f"moved to {is_now}" in told and f"take {was}" in told
    # Helm asks for no tag beside a digest.
    assert isinstance(answer(f"{there.host}/a/b:v1@{was}", kind="chart"), Locked)


@pytest.mark.parametrize("holds", [True, False])
def test_an_answer_says_whether_pods_are_held_to_its_digest(there: Registry, holds: bool):
    """A node's own program completes the tags of some images."""
    there.push("a/b", "v1")
    found = answer(f"{there.host}/a/b:v1", holds=holds)

    assert isinstance(found, Locked) and found.holds is holds
