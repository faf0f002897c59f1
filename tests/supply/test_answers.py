"""What registries and Helm repositories answer, in each form that it may have, and what is told of it."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.supply.lock import Locked
from tests.supply.registry import CONFIG, INDEX, LOGIN, MANIFEST, Registry, answer

DOCKER = "application/vnd.docker.distribution.manifest"


def locked(reference: str, *architectures: str, kind: str = "image") -> Locked:
    """The same where it is there."""
    found = answer(reference, *architectures, kind=kind)
    assert isinstance(found, Locked), found
    return found


def built(there: Registry, of: str, size: int) -> dict[str, Any]:
    """An image for one platform, as an index lists it: ``linux/arm64``."""
    system, architecture = of.split("/")
    manifest = {"layers": [{"size": size}], "annotations": {"of": of}}
    digest = there.put("a/b", of, manifest, MANIFEST)
    return {"digest": digest, "platform": {"os": system, "architecture": architecture}}


@pytest.mark.parametrize(
    ("written", "sent", "told"),
    [
        (INDEX, INDEX, INDEX),
        (None, INDEX, INDEX),
        (None, f"{INDEX}; charset=utf-8", INDEX),
        (f"{DOCKER}.list.v2+json", f"{DOCKER}.list.v2+json", f"{DOCKER}.list.v2+json"),
        ("of/another", INDEX, "of/another"),
    ],
)
def test_an_index_has_images_by_processor(there: Registry, written: str | None, sent: str, told: str):
    """All of Linux, sorted, where nobody says which are wanted; its kind is what it says itself, or what was sent."""
    images = [built(there, of, size) for of, size in (("linux/arm64", 5), ("windows/amd64", 7), ("linux/amd64", 11))]
    manifest = {**({"mediaType": written} if written else {}), "manifests": [*images, {"digest": "sha256:1"}]}
    digest = there.put("a/b", "v1", manifest, sent)
    name = f"{there.host}/a/b:v1"

    found = locked(name)

    platforms = {"amd64": images[2]["digest"], "arm64": images[0]["digest"]}
    assert found == Locked(name, "image", digest, 16, told, platforms)
    assert list(found.platforms) == ["amd64", "arm64"]
    assert locked(name, "arm64") == Locked(name, "image", digest, 5, told, {"arm64": images[0]["digest"]})


def test_an_index_for_other_systems_is_for_nothing(there: Registry):
    """An image of Windows runs on none of our nodes; an index without a list is none."""
    there.put("a/b", "v1", {"mediaType": INDEX, "manifests": [built(there, "windows/amd64", 1)]}, INDEX)
    there.put("a/b", "v2", {"mediaType": INDEX}, INDEX)

    assert answer(f"{there.host}/a/b:v1", "amd64") == "not built for amd64, but for nothing"
    assert answer(f"{there.host}/a/b:v2") == "its registry answers what is no manifest"


@pytest.mark.parametrize(
    ("kind", "platforms"),
    [(CONFIG, ["amd64"]), ("application/vnd.docker.container.image.v1+json", ["amd64"]), ("application/json", [])],
)
@pytest.mark.parametrize("sent", [MANIFEST, f"{DOCKER}.v2+json"])
def test_an_image_alone_tells_its_processor(there: Registry, kind: str, platforms: list[str], sent: str):
    """In a configuration of an image; what else a manifest names is not looked into, and any processor may be."""
    digest = there.push_alone("a/b", "v1", {"architecture": "amd64"}, kind)
    body = json.loads(there.manifests["a/b", "v1"][0])
    digest = there.put("a/b", "v1", {**body, "mediaType": sent}, sent)
    name = f"{there.host}/a/b:v1"

    assert locked(name) == Locked(name, "image", digest, 1024, sent, dict.fromkeys(platforms, digest))
    assert locked(name, "amd64") == locked(name)
    assert isinstance(answer(name, "arm64"), str) == bool(platforms)


def test_a_name_alone_is_the_latest(there: Registry):
    """As container runtimes take it; a digest alone is asked for as such, and no tag is compared with it."""
    latest = there.push("a/b", "latest", content="2")
    other = there.push("a/b", "v1", content="1")

    assert locked(f"{there.host}/a/b").digest == latest
    assert locked(f"{there.host}/a/b@{other}").digest == other
    assert locked(f"{there.host}/a/b:v1@{other}").digest == other


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        (["application/vnd.dev.cosign.artifact.sig.v1+json"], "cosign"),
        (["application/vnd.dev.sigstore.bundle.v0.3+json"], "sigstore"),
        (["application/vnd.cncf.notary.signature"], "notation"),
        (["", "application/vnd.dev.sigstore.bundle.v0.3+json", "application/vnd.cncf.notary.signature"],
         "notation, sigstore"),
        (["application/spdx+json"], ""),
        ([], ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("knows_referrers", [True, False])
def test_signatures_refer_to_what_they_sign(there: Registry, kinds: list[str], told: str, knows_referrers: bool):
    """By the registry's own list, or where it has none by the list under the digest's tag; each kind once, sorted."""
    digest = there.push("a/b", "v1")
    there.knows_referrers = knows_referrers
    if knows_referrers:
        there.referrers[digest] = kinds
    else:
        listed = [{"artifactType": kind} if kind else {} for kind in kinds]
        there.put("a/b", digest.replace(":", "-"), {"manifests": listed}, INDEX)

    assert locked(f"{there.host}/a/b:v1").signature == told


@pytest.mark.parametrize(
    ("labels", "annotations", "told"),
    [
        ({"org.opencontainers.image.licenses": " MIT "}, {}, "MIT"),
        ({}, {"org.opencontainers.image.licenses": "MIT", "artifacthub.io/license": "Apache-2.0"}, "MIT"),
        ({"org.opencontainers.image.licenses": "MIT"}, {"artifacthub.io/license": "Apache-2.0"}, "Apache-2.0"),
        ({"org.opencontainers.image.licenses": " "}, {"artifacthub.io/license": " "}, ""),
        ({"org.opencontainers.image.licenses": ["MIT"]}, {}, ""),
        (None, {}, ""),
    ],
)
def test_the_first_licence_is_told(
    there: Registry, labels: dict[str, Any] | None, annotations: dict[str, str], told: str
):
    """A manifest's before its configuration's, OCI's key before Artifact Hub's; an empty or odd one is none."""
    there.push_alone("a/b", "v1", {"config": {"Labels": labels}}, **annotations)

    assert locked(f"{there.host}/a/b:v1").licenses == told


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (403, "it wants a credential; run `docker login {host}`"),
        (404, "not there"),
        (429, "its registry has had too many questions; log in to it, or try again later"),
        (500, "its registry answers 500"),
    ],
)
def test_a_registry_says_no(there: Registry, status: int, told: str):
    """Each answer in words that say what to do."""
    there.push("a/b", "v1")
    there.status = status

    assert answer(f"{there.host}/a/b:v1") == told.format(host=there.host)


def test_bytes_are_held_to_the_digest_that_names_them(there: Registry):
    """A registry that says what it was asked for and sends other bytes is not believed."""
    digest = there.push("a/b", "v1")
    there.trouble = "lie"

    assert answer(f"{there.host}/a/b@{digest}") == f"its registry answers other bytes than {digest} names"


@pytest.mark.parametrize(("whose", "logged_in"), [("nobody", False), ("nobody", True), ("somebody", True)])
def test_a_token_is_asked_for(there: Registry, tmp_path: Path, whose: str, logged_in: bool):
    """Where the challenge says, as nobody or with the credential of `docker login`; a wrong one is told as refused."""
    there.push("a/b", "v1")
    there.wants_login, there.token = True, "somebody" if logged_in else "nobody"
    there.challenge = f'Bearer realm="http://{there.host}/token",service="tests",scope="repository:a/b:pull"'
    if logged_in:
        (tmp_path / ".docker").mkdir()
        user, password = LOGIN if whose == "somebody" else ("somebody", "wrong")
        auth = base64.b64encode(f"{user}:{password}".encode()).decode()
        (tmp_path / ".docker" / "config.json").write_text(json.dumps({"auths": {there.host: {"auth": auth}}}))

    found = answer(f"{there.host}/a/b:v1")

    if whose == "nobody" and logged_in:
        assert found == f"the credential for it is refused; run `docker login {there.host}`"
    else:
        assert isinstance(found, Locked)


def helm(there: Registry, index: str) -> Locked | str:
    """What is told of version 0.2.0 of the chart lws in a repository with this index."""
    there.files["/charts/index.yaml"] = index.encode()
    return answer(f"http://{there.host}/charts/ lws 0.2.0", kind="helm")


def test_a_chart_by_its_version(there: Registry):
    """Of several the one that is asked for, its digest with or without the name of its algorithm."""
    for written in ("b" * 64, f"sha256:{'b' * 64}"):
        versions = f"[{{version: 0.1.0, digest: {'a' * 64}}}, {{version: 0.2.0, digest: '{written}'}}]"
        name = f"http://{there.host}/charts/ lws 0.2.0"
        held = Locked(name, "helm", f"sha256:{'b' * 64}", 0, "application/gzip", {}, holds=False)
        assert helm(there, f"entries: {{lws: {versions}}}") == held


@pytest.mark.parametrize(
    ("index", "told"),
    [
        ("entries: {}", "not in its repository's index"),
        ("entries: {lws: [{version: 0.1.0, digest: aa}]}", "not in its repository's index"),
        ("entries: {lws: [{version: 0.2.0}]}", "its repository's index has no digest of it"),
        ("entries: {lws: [{version: 0.2.0, digest: ''}]}", "its repository's index has no digest of it"),
        ("entries", "its registry answers what is no manifest"),
        ("{", "its registry answers what is no manifest"),
    ],
)
def test_a_helm_repository_without_the_chart(there: Registry, index: str, told: str):
    """Its index is the only answer: what is not in it cannot be locked."""
    assert helm(there, index) == told
