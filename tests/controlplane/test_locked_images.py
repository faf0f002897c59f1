"""A real API server lets only the locked images run in the namespaces that are ours."""

from collections.abc import Iterator
from time import monotonic, sleep
from typing import Any

import pytest
from rdma_cluster.incluster.plan.artifacts import NAME, LockedImages
from .api import Api, Refused
from .cluster import Cluster

LOCKED = "m.example/a/b:v1@sha256:" + "a" * 64
PLAN = LockedImages((LOCKED, "m.example/c@sha256:" + "c" * 64), ("locked-images-ours",))
OURS = "locked-images-ours"


def pod(*images: str, namespace: str = OURS, first: str = "") -> dict[str, Any]:
    """A pod of these images, with another one for its init container."""
    spec: dict[str, Any] = {"containers": [{"name": f"c{i}", "image": image} for i, image in enumerate(images)]}
    if first:
        spec["initContainers"] = [{"name": "first", "image": first}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": namespace}, "spec": spec}


@pytest.fixture(scope="module")
def policy(api: Api) -> Iterator[Api]:
    """The API server, once the policy is in force."""
    admission = "admissionregistration.k8s.io/v1"
    named = {"apiVersion": admission, "metadata": {"name": NAME}}
    with Cluster(api) as cluster:
        cluster.create_all(
            [
                *({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": each}} for each in (OURS, "not-ours")),
                {**named, "kind": "ValidatingAdmissionPolicy", "spec": PLAN.spec},
                {**named, "kind": "ValidatingAdmissionPolicyBinding", "spec": PLAN.binding},
            ]
        )
        # The server takes a new policy up within seconds, and tells nobody when; so it makes an account of pods.
        deadline = monotonic() + 30
        while monotonic() < deadline:
            try:
                api.create(pod("other:1"), dry_run=True)
            except Refused as refusal:
                if "not among the locked images" in str(refusal):
                    break
            sleep(0.1)
        yield api


def test_locked_images_run(policy: Api):
    """By tag and digest, or by digest alone, in every kind of container."""
    policy.create(pod(*PLAN.images, first=LOCKED), dry_run=True)


@pytest.mark.parametrize(
    ("images", "first", "told"),
    [
        ((LOCKED, "m.example/a/b:v1"), "", "m.example/a/b:v1"),
        (("m.example/a/b:v1@sha256:" + "b" * 64,), "", "@sha256:bbb"),
        ((LOCKED,), "evil/x@sha256:" + "d" * 64, "evil/x"),
    ],
)
def test_others_are_refused_by_name(policy: Api, images: tuple[str, ...], first: str, told: str):
    """A tag, another digest, an init container."""
    with pytest.raises(Refused, match=f"not among the locked images of this cluster: .*{told}"):
        policy.create(pod(*images, first=first), dry_run=True)


def test_other_namespaces_are_free(policy: Api):
    """What users run is theirs."""
    policy.create(pod("docker.io/library/python:3", namespace="not-ours"), dry_run=True)
