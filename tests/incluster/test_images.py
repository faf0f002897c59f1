"""What a user may write of images, mirrors and logins, beside what is refused."""

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from pulumi_offline.unknowns import SECRET
from rdma_cluster.incluster.plan.images import (
    check_image,
    check_pull_secret,
    check_registries,
    check_registry,
    is_locked,
)

LOCK = f"sha256:{'0' * 64}"


def told(ask: Callable[[ErrorList], object]) -> list[str]:
    """The first words of each reason."""
    errors = ErrorList()
    ask(errors)
    return [error.reason.partition(";")[0] for error in errors.found()]


@pytest.mark.parametrize(
    "image",
    ["a", "a:1", f"a@{LOCK}", f"quay.io:5000/team/a_b__c-d.e:v1.2-x_y@{LOCK}", "a" * 255, f"{'a' * 255}:{'t' * 128}"],
)
def test_a_reference(image: str):
    """With a tag, a digest or both, from any registry; its name has 255 characters at the most, its tag 128."""
    assert told(lambda errors: check_image(image, errors)) == []


@pytest.mark.parametrize(
    "image",
    ["A", "a:", "a b", "https://quay.io/a", "a@sha256:0", f"a@{LOCK}0", "a___b", "a" * 256, f"a:{'t' * 129}", "a/"],
)
def test_no_reference(image: str):
    """Nothing that a container runtime would not read."""
    assert told(lambda errors: check_image(image, errors)) == [f"got {image!r}, no reference of an image"]


def test_an_image_that_is_named_by_nothing():
    """Says that it is empty."""
    assert told(lambda errors: check_image("", errors)) == ["empty"]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("m.example", []),
        ("m.example:5000/k8s/x", []),
        ("m" * 63 + "/" + "a" * 191, []),
        ("m" * 63 + "/" + "a" * 192, [f"got '{'m' * 63}/{'a' * 192}', no place of a registry"]),
        ("", ["empty"]),
        ("https://m.example", ["got 'https://m.example', no place of a registry (without https://)"]),
        ("m.example/", ["got 'm.example/', no place of a registry (without the last slash)"]),
        ("m.example/X", ["got 'm.example/X', no place of a registry"]),
    ],
)
def test_a_place_of_a_registry(place: str, words: list[str]):
    """A host with a port and a path, 255 characters at the most; what people often write too much is named."""
    assert told(lambda errors: check_registry(place, errors)) == words


@pytest.mark.parametrize(
    ("registries", "words"),
    [
        ({}, []),
        ({"quay.io": "m.example", "charts.example/X": "oci://m.example/helm"}, []),
        ({"a:1": f"a:1@{LOCK}"}, []),
        ({"https://quay.io": "m.example"}, ["not the prefix of a reference (without https://)"]),
        ({"quay.io/": "m.example"}, ["not the prefix of a reference (without the last slash)"]),
        ({"quay.io": "https://m.example"}, ["got 'https://m.example', no place of a registry (without https://)"]),
        ({"a:b:1": f"a:b:1@{LOCK}"}, ["not the prefix of a reference", f"got 'a:b:1@{LOCK}', no place of a registry"]),
    ],
)
def test_prefixes_and_their_mirrors(registries: dict[str, str], words: list[str]):
    """A line of a lock is one, too; both sides are told, and whether all of it can be used."""
    usable: list[bool] = []

    assert told(lambda errors: usable.append(check_registries(registries, errors))) == words
    assert usable == [not words]


@pytest.mark.parametrize(
    ("reference", "held", "locked"),
    [
        ("a:1", f"a:1@{LOCK}", True),
        ("a", f"a@{LOCK}", True),
        ("a:1", f"a:2@{LOCK}", False),
        ("a:1", f"b/a:1@{LOCK}", False),
        ("a:1", "a:1@sha256:0", False),
        ("A:1", f"A:1@{LOCK}", False),
    ],
)
def test_a_line_of_a_lock(reference: str, held: str, locked: bool):
    """The same whole reference, with a whole digest."""
    assert is_locked(reference, held) == locked


def base64(words: str, *, padded: bool = True) -> str:
    """As a docker config has it."""
    text = b64encode(words.encode()).decode()
    return text if padded else text.rstrip("=")


def of_config(config: Any) -> list[str]:
    """What is told of a docker config, which args have as JSON."""
    text = config if config is None or isinstance(config, str) else json.dumps(config)
    return told(lambda errors: check_pull_secret(text, errors))


NAMED = {"username": "robot", "password": "word"}


@pytest.mark.parametrize(
    "config",
    [
        None,
        SECRET,
        {"auths": {"m.example": NAMED}},
        {"auths": {"m.example": {"auth": base64("robot:word")}}},
        {"auths": {"m.example": {"auth": base64("robot:words", padded=False)}}},
        {"auths": {"m.example": {"auth": base64("robot:w:o")}}},
        # What is not known yet is not judged.
        {"auths": {"m.example": {"auth": SECRET}}},
        # Without a word of its own for both, the two keys count.
        {"auths": {"m.example": {"auth": "", **NAMED}}},
        {"auths": {"m.example": NAMED, "n.example": {"auth": base64("a:b")}}},
    ],
)
def test_a_login(config: Any):
    """By name and word, or both in base64 with its padding or without; where it is not known yet it is taken."""
    assert of_config(config) == []


@pytest.mark.parametrize(
    "config",
    [
        "no JSON",
        pytest.param("[" * 100_000, id="too deep"),
        [],
        {},
        {"auths": {}},
        {"auths": ["m.example"]},
        {"auths": {"m.example": "robot:word"}},
        {"auths": {"m.example": {}}},
        {"auths": {"m.example": {"username": "robot"}}},
        {"auths": {"m.example": {"username": "", "password": "word"}}},
        {"auths": {"m.example": {"username": "robot", "password": ["word"]}}},
        {"auths": {"m.example": {"auth": 7}}},
        {"auths": {"m.example": {"auth": base64("robot")}}},
        {"auths": {"m.example": {"auth": base64(":word")}}},
        {"auths": {"m.example": {"auth": base64("robot:")}}},
        {"auths": {"m.example": {"auth": "no base64!", **NAMED}}},
        # One entry that the kubelet cannot read costs all others.
        {"auths": {"m.example": NAMED, "n.example": {}}},
    ],
)
def test_no_login(config: Any):
    """The kubelet would pull without one; what was got is never shown."""
    (words,) = of_config(config)

    assert words == "no docker config with a login for each host"
