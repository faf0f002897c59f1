"""An artifact is locked with digest, size, processors, signature and licence, in whatever form a registry answers."""

import json
from typing import Any

import pytest
from rdma_cluster.supply.lock import Locked
from tests.supply.registry import CONFIG, INDEX, MANIFEST, Registry, answer

DOCKER = "application/vnd.docker.distribution.manifest"


def locked(reference: str, *architectures: str, kind: str = "image") -> Locked:
    """The answer for an artifact that is there."""
    found = answer(reference, *architectures, kind=kind)
    assert isinstance(found, Locked), found
    return found


def built(there: Registry, of: str, size: int) -> dict[str, Any]:
    """An image for one platform, such as ``linux/arm64``, as an index lists it."""
    system, architecture = of.split("/")
    manifest = {"layers": [{"size": size}], "annotations": {"of": of}}
    digest = there.put("a/b", of, manifest, MANIFEST)
    return {"digest": digest, "platform": {"os": system, "architecture": architecture}}


@pytest.mark.parametrize(
    ("written", "sent", "kind"),
    [
        (None, f"{INDEX}; charset=utf-8", INDEX),
        (f"{DOCKER}.list.v2+json", f"{DOCKER}.list.v2+json", f"{DOCKER}.list.v2+json"),
        ("of/another", INDEX, "of/another"),
    ],
)
def test_an_index_lists_images_by_processor(there: Registry, written: str | None, sent: str, kind: str):
    """All of Linux count where nobody says which are wanted; the index's own kind comes before the one that is sent."""
    images = [built(there, of, size) for of, size in (("linux/arm64", 5), ("windows/amd64", 7), ("linux/amd64", 11))]
    manifest = {**({"mediaType": written} if written else {}), "manifests": [*images, {"digest": "sha256:1"}]}
    digest = there.put("a/b", "v1", manifest, sent)
    name = f"{there.host}/a/b:v1"

    found = locked(name)

    assert found == Locked(
        name, "image", digest, 16, kind, {"amd64": images[2]["digest"], "arm64": images[0]["digest"]}
    )
    assert list(found.platforms) == ["amd64", "arm64"]
    assert locked(name, "arm64") == Locked(name, "image", digest, 5, kind, {"arm64": images[0]["digest"]})


def test_an_image_for_other_systems_or_processors_is_for_nothing_of_ours(there: Registry):
    """An image of Windows runs on none of our nodes, and an index without a list is none."""
    there.put("a/b", "v1", {"mediaType": INDEX, "manifests": [built(there, "windows/amd64", 1)]}, INDEX)
    there.put("a/b", "v2", {"mediaType": INDEX}, INDEX)
    there.push("a/b", "v3", "riscv64", "ppc64le")

    assert "but for nothing" in str(answer(f"{there.host}/a/b:v1", "amd64"))
    assert "no manifest" in str(answer(f"{there.host}/a/b:v2"))
    assert "amd64, arm64, but for ppc64le, riscv64" in str(answer(f"{there.host}/a/b:v3", "arm64", "amd64"))


@pytest.mark.parametrize(
    ("kind", "platforms"),
    [(CONFIG, ["amd64"]), ("application/vnd.docker.container.image.v1+json", ["amd64"]), ("application/json", [])],
)
@pytest.mark.parametrize("sent", [MANIFEST, f"{DOCKER}.v2+json"])
def test_an_image_without_an_index_tells_its_processor(there: Registry, kind: str, platforms: list[str], sent: str):
    """Its configuration says which; what else a manifest names is not looked into, and may be for any processor."""
    there.push_alone("a/b", "v1", {"architecture": "amd64"}, kind)
    body = json.loads(there.manifests["a/b", "v1"][0])
    digest = there.put("a/b", "v1", {**body, "mediaType": sent}, sent)
    name = f"{there.host}/a/b:v1"

    assert locked(name) == Locked(name, "image", digest, 1024, sent, dict.fromkeys(platforms, digest))
    assert isinstance(answer(name, "arm64"), str) == bool(platforms)


def test_a_name_without_a_tag_is_the_latest(there: Registry):
    """Container runtimes take it so; with a digest alone no tag is compared."""
    latest = there.push("a/b", "latest", content="2")
    other = there.push("a/b", "v1", content="1")

    assert locked(f"{there.host}/a/b").digest == latest
    assert locked(f"{there.host}/a/b@{other}").digest == locked(f"{there.host}/a/b:v1@{other}").digest == other


@pytest.mark.parametrize(
    ("kinds", "signature"),
    [
        (["application/vnd.dev.cosign.artifact.sig.v1+json"], "cosign"),
        (["", "application/vnd.dev.sigstore.bundle.v0.3+json", "application/vnd.cncf.notary.signature"],
         "notation, sigstore"),
        (["application/spdx+json"], ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("knows_referrers", [True, False])
def test_signatures_refer_to_what_they_sign(there: Registry, kinds: list[str], signature: str, knows_referrers: bool):
    """A registry that does not list them has the list under the digest's tag."""
    digest = there.push("a/b", "v1")
    there.knows_referrers = knows_referrers
    there.referrers[digest] = kinds
    listed = [{"artifactType": kind} if kind else {} for kind in kinds]
    there.put("a/b", digest.replace(":", "-"), {"manifests": listed}, INDEX)

    assert locked(f"{there.host}/a/b:v1").signature == signature


def test_a_signature_may_lie_under_a_tag(there: Registry):
    """Cosign put them there before registries knew referrers."""
    digest = there.push("a/b", "v1")
    there.push("a/b", digest.replace(":", "-") + ".sig")

    assert locked(f"{there.host}/a/b:v1").signature == "cosign"


@pytest.mark.parametrize(
    ("labels", "annotations", "licence"),
    [
        ({"org.opencontainers.image.licenses": " MIT "}, {}, "MIT"),
        ({}, {"org.opencontainers.image.licenses": "MIT", "artifacthub.io/license": "Apache-2.0"}, "MIT"),
        ({"org.opencontainers.image.licenses": "MIT"}, {"artifacthub.io/license": "Apache-2.0"}, "Apache-2.0"),
        ({"org.opencontainers.image.licenses": " "}, {"artifacthub.io/license": " "}, ""),
        ({"org.opencontainers.image.licenses": ["MIT"]}, {}, ""),
        (None, {}, ""),
    ],
)
def test_the_licence_of_a_manifest_comes_before_that_of_its_configuration(
    there: Registry, labels: dict[str, Any] | None, annotations: dict[str, str], licence: str
):
    """OCI's key comes before Artifact Hub's; an empty or odd one is none."""
    there.push_alone("a/b", "v1", {"config": {"Labels": labels}}, **annotations)

    assert locked(f"{there.host}/a/b:v1").licenses == licence


def helm(there: Registry, index: str) -> Locked | str:
    """The answer for version 0.2.0 of the chart lws in a repository with this index."""
    there.files["/charts/index.yaml"] = index.encode()
    return answer(f"http://{there.host}/charts/ lws 0.2.0", kind="helm")


@pytest.mark.parametrize("written", ["b" * 64, f"sha256:{'b' * 64}"])
def test_a_helm_repository_has_digests_that_nothing_is_held_to(there: Registry, written: str):
    """The name of the digest's algorithm may be missing."""
    versions = f"[{{version: 0.1.0, digest: {'a' * 64}}}, {{version: 0.2.0, digest: '{written}'}}]"
    name = f"http://{there.host}/charts/ lws 0.2.0"
    held = Locked(name, "helm", f"sha256:{'b' * 64}", 0, "application/gzip", {}, holds=False)

    assert helm(there, f"entries: {{lws: {versions}}}") == held


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ("entries: {lws: [{version: 0.1.0, digest: aa}]}", "not in its repository's index"),
        ("entries: {lws: [{version: 0.2.0, digest: ''}]}", "no digest of it"),
        ("entries", "no manifest"),
        ("{", "no manifest"),
        ("entries: {}".ljust((16 << 20) + 1), "more than 16 MiB"),
    ],
)
def test_a_chart_that_a_helm_repository_does_not_index_cannot_be_locked(there: Registry, index: str, words: str):
    assert words in str(helm(there, index))
