"""The lock's file is read back as it is written, a broken one is refused at its places, and what has moved is told."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.supply.lock import Lock, Locked, compare, lock_file, read_lock, with_lock

ONE, TWO = f"sha256:{'1' * 64}", f"sha256:{'2' * 64}"
IMAGE = Locked("a/b:1", "image", ONE, 7, "m/t", {"amd64": ONE}, "cosign", "MIT")
LOCK = Lock("lab", "2026-11-25", (IMAGE, Locked("https://h k 2", "helm", TWO, 0, "m/t", {}, holds=False)))
ROW: dict[str, Any] = json.loads(LOCK.to_text())["artifacts"][0]


def refused(path: Path, text: str) -> list[str]:
    """The places that are wrong in a file with this text."""
    path.write_text(text)
    with pytest.raises(Refused) as found:
        read_lock(path)
    return [line.partition(": ")[0] for line in found.value.lines]


def test_the_same_lock_is_read_that_was_written(tmp_path: Path):
    """Each key stands on a line of its own, for who compares two."""
    path = lock_file(tmp_path, "lab")
    assert read_lock(path) is None
    path.write_text(LOCK.to_text())

    assert path.name == "artifacts.lab.lock" and read_lock(path) == LOCK
    assert f'   "digest": "{ONE}",\n   "sizeBytes": 7,\n' in path.read_text() and path.read_text().endswith("}\n")


def test_an_older_lock_tells_neither_signature_nor_licence(tmp_path: Path):
    """These keys came later."""
    path = tmp_path / "x"
    row = {key: value for key, value in ROW.items() if key not in ("signature", "licenses")}
    path.write_text(json.dumps({"stack": "lab", "date": "d", "artifacts": [row]}))

    assert read_lock(path) == Lock("lab", "d", (replace(IMAGE, signature="", licenses=""),))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("reference", wrong) for wrong in ("", 3)),
        ("kind", "images"),
        *(("digest", wrong) for wrong in (3, ONE[:-1], f"{ONE}1", "1" * 64)),
        ("sizeBytes", "7"),
        ("platforms", []),
        ("holds", 1),
    ],
)
def test_a_wrong_value_of_a_lock_is_named(tmp_path: Path, key: str, value: Any):
    assert refused(tmp_path / "x", json.dumps({"artifacts": [ROW, {**ROW, key: value}]})) == [f"x.artifacts[1].{key}"]


@pytest.mark.parametrize("text", ["[]", "{}", '{"artifacts": {}}', "3"])
def test_a_file_that_lists_nothing_is_no_lock(tmp_path: Path, text: str):
    assert refused(tmp_path / "x", text) == ["x"]
    assert refused(tmp_path / "x", '{"artifacts": [3, {}]}')[:2] == ["x.artifacts[0]", "x.artifacts[1].reference"]
    with pytest.raises(Refused, match="Is a directory"):
        read_lock(tmp_path)


@pytest.mark.parametrize(
    ("registries", "with_digests"),
    [
        (None, f'{{"a/b:1": "a/b:1@{ONE}"}}'),
        ('{"a": "m", "a/b:1": "old"}', f'{{"a": "m", "a/b:1": "a/b:1@{ONE}"}}'),
        ("m.example", "m.example"),
    ],
)
def test_a_lock_adds_its_digests_to_the_registries(tmp_path: Path, registries: str | None, with_digests: str):
    """They stand beside the mirrors; an artifact that has a digest, or cannot be held to one, needs none."""
    key = "rdma-cluster:registries"
    config = {"gcp:project": "p", **({key: registries} if registries else {})}
    assert with_lock(config, tmp_path, "lab") == config

    lock = replace(LOCK, artifacts=(*LOCK.artifacts, replace(IMAGE, reference=f"a/b@{ONE}")))
    lock_file(tmp_path, "lab").write_text(lock.to_text())
    assert with_lock(config, tmp_path, "lab") == {"gcp:project": "p", key: with_digests}
    assert with_lock(config, tmp_path, "other") == config


def test_differences_are_told_in_order_of_their_references():
    """An artifact may have come, gone or moved, or may have lost a processor."""
    both = {"amd64": ONE, "arm64": TWO}
    was = {name: replace(IMAGE, reference=name, platforms=both, holds=name != "e") for name in "fedcb"}
    now: dict[str, Locked | str] = {
        "f": replace(was["f"], platforms={}),
        "d": replace(was["d"], digest=TWO),
        "e": replace(was["e"], digest=TWO),
        "c": "not there",
        "a": IMAGE,
    }

    told = [(each.reference, each.what) for each in compare(Lock("lab", "d", tuple(was.values())), now)]

    assert [reference for reference, _ in told] == list("abcdef")
    words = [
        "not in the lock",
        "fetched no more",
        "not there",
        f"pods still take {ONE}",
        "nothing holds it",
        "amd64, arm64",
    ]
    assert [what for (_, what), word in zip(told, words, strict=True) if word not in what] == []
    assert compare(LOCK, {each.reference: each for each in LOCK.artifacts}) == []
