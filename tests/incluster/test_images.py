"""Images, mirrors and logins are taken as a container runtime and the kubelet read them."""

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from pulumi_offline.unknowns import SECRET
from rdma_cluster.incluster.plan.images import check_image, check_pull_secret, check_registries, check_registry

LOCK = f"sha256:{'0' * 64}"


def told(ask: Callable[[ErrorList], object]) -> list[str]:
    """Return the reasons of what is refused."""
    errors = ErrorList()
    ask(errors)
    return [error.reason for error in errors.found()]


@pytest.mark.parametrize(
    "image",
    ["a", "a:1", f"a@{LOCK}", f"quay.io:5000/team/a_b__c-d.e:v1.2-x_y@{LOCK}", "a" * 255, f"{'a' * 255}:{'t' * 128}"],
)
def test_a_reference_may_have_a_registry_a_tag_and_a_digest(image: str):
    """A name has 255 characters at the most, and a tag 128."""
    assert told(lambda errors: check_image(image, errors)) == []


@pytest.mark.parametrize("image", ["", "A", "a:", "https://quay.io/a", "a@sha256:0", "a" * 256, f"a:{'t' * 129}", "a/"])
def test_what_no_runtime_reads_is_refused(image: str):
    assert len(told(lambda errors: check_image(image, errors))) == 1


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("m.example:5000/k8s/x", ""),
        ("m" * 63 + "/" + "a" * 191, ""),
        ("m" * 63 + "/" + "a" * 192, "no place"),
        ("", "empty"),
        ("https://m.example", "without https://"),
        ("m.example/", "without the last slash"),
        ("m.example/X", "no place"),
    ],
)
def test_a_mirror_is_a_host_and_a_path_and_what_is_too_much_is_named(place: str, words: str):
    found = told(lambda errors: check_registry(place, errors))

    assert len(found) == bool(words) and all(words in each for each in found)


def test_a_reference_that_is_locked_vouches_for_no_mirror_beside_it():
    registries = {"quay.io/a:1": f"quay.io/a:1@{LOCK}", "x y": "m.example", "quay.io": "m.example/"}

    assert len(told(lambda errors: check_registries(registries, errors))) == 2


def base64(words: str) -> str:
    """Return words as a docker config has them."""
    return b64encode(words.encode()).decode()


def of_config(config: Any) -> list[str]:
    """Return what is told of a docker config, which args have as JSON."""
    text = config if config is None or isinstance(config, str) else json.dumps(config)
    return told(lambda errors: check_pull_secret(text, errors))


NAMED = {"username": "robot", "password": "hunter2"}


@pytest.mark.parametrize(
    "entry",
    [
        NAMED,
        {"auth": base64("robot:word")},
        {"auth": base64("robot:words").rstrip("=")},
        {"auth": base64("robot:w:o")},
        # What is not known yet is not judged.
        {"auth": SECRET},
        {"auth": "", **NAMED},
    ],
)
def test_a_login_is_a_name_and_a_word_or_both_in_base64(entry: dict[str, str]):
    assert of_config({"auths": {"m.example": entry, "n.example": NAMED}}) == []
    assert of_config(None) == of_config(SECRET) == []


@pytest.mark.parametrize(
    "config",
    [
        "no JSON",
        pytest.param("[" * 100_000, id="too deep"),
        [],
        {"auths": {"m.example": "robot:hunter2"}},
        {"auths": {"m.example": {"username": "", "password": "hunter2"}}},
        {"auths": {"m.example": {"auth": base64(":hunter2")}}},
        {"auths": {"m.example": {"auth": base64("robot:")}}},
        {"auths": {"m.example": {"auth": "no base64!", **NAMED}}},
        # One entry that the kubelet cannot read costs all others.
        {"auths": {"m.example": NAMED, "n.example": {}}},
    ],
)
def test_a_config_without_a_login_is_refused_and_never_shown(config: Any):
    (reason,) = of_config(config)

    assert "hunter2" not in reason and base64("robot:") not in reason
