"""The lock's file read back: what is written, what is refused and why, and what has moved since."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.supply.lock import Lock, Locked, Moved, compare, lock_file, read_lock, with_lock

ONE, TWO = f"sha256:{'1' * 64}", f"sha256:{'2' * 64}"
IMAGE = Locked("a/b:1", "image", ONE, 7, "m/t", {"amd64": ONE}, "cosign", "MIT")
LOCK = Lock("lab", "2026-11-25", (IMAGE, Locked("https://h k 2", "helm", TWO, 0, "m/t", {}, holds=False)))
AGAIN = "take the committed one back, or remove it and run `rdma-cluster lock`"
ROW: dict[str, Any] = {
    "reference": "a/b:1", "kind": "image", "digest": ONE, "sizeBytes": 7, "mediaType": "m/t",
    "platforms": {"amd64": ONE}, "signature": "cosign", "licenses": "MIT", "holds": True,
}  # fmt: skip


def refused(path: Path, text: str) -> list[str]:
    """What is said of a file with this text."""
    path.write_text(text)
    with pytest.raises(Refused) as found:
        read_lock(path)
    return found.value.lines


def test_what_is_written_is_read(tmp_path: Path):
    """A key a line, in the order of the record; the same lock comes back."""
    path = lock_file(tmp_path, "lab")
    path.write_text(LOCK.to_text())

    assert path.name == "artifacts.lab.lock" and read_lock(path) == LOCK
    assert path.read_text().splitlines()[:14] == [
        "{", ' "stack": "lab",', ' "date": "2026-11-25",', ' "artifacts": [', "  {", '   "reference": "a/b:1",',
        '   "kind": "image",', f'   "digest": "{ONE}",', '   "sizeBytes": 7,', '   "mediaType": "m/t",',
        '   "platforms": {', f'    "amd64": "{ONE}"', "   },", '   "signature": "cosign",',
    ]  # fmt: skip
    assert path.read_text().endswith("}\n")
    assert [list(row) for row in json.loads(LOCK.to_text())["artifacts"]] == [list(ROW)] * 2


def test_an_older_lock_tells_neither_signature_nor_licence(tmp_path: Path):
    """These keys came later; without them nothing is known of either. Without a file there is no lock."""
    path = tmp_path / "x"
    assert read_lock(path) is None
    row = {key: value for key, value in ROW.items() if key not in ("signature", "licenses")}
    path.write_text(json.dumps({"stack": "lab", "date": "d", "artifacts": [row]}))

    assert read_lock(path) == Lock("lab", "d", (replace(IMAGE, signature="", licenses=""),))


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("reference", "", "''"),
        ("reference", 3, "3"),
        ("kind", "images", "'images'"),
        ("digest", 3, "3"),
        ("digest", ONE[:-1], None),
        ("digest", f"{ONE}1", None),
        ("digest", "1" * 64, None),
        ("sizeBytes", "7", "'7'"),
        ("platforms", [], "[]"),
        ("holds", 1, "1"),
    ],
)
def test_a_wrong_value_is_named(tmp_path: Path, key: str, value: Any, shown: str | None):
    """With its place and what to do; a row beside it that is right is not spoken of."""
    lines = refused(tmp_path / "x", json.dumps({"artifacts": [ROW, {**ROW, key: value}]}))

    assert len(lines) == 1 and lines[0].startswith(f"x.artifacts[1].{key}: got {shown or ''}")
    assert lines[0].endswith(f"; {AGAIN}")


@pytest.mark.parametrize("text", ["[]", "{}", '{"artifacts": {}}', "3"])
def test_what_lists_nothing_is_no_lock(tmp_path: Path, text: str):
    """Whatever else stands in it; a folder in its place cannot be read either."""
    assert refused(tmp_path / "x", text) == [f"x: no lock: it lists no artifacts; {AGAIN}"]
    with pytest.raises(Refused, match=r"cannot be read: .*Is a directory.*; take the committed one back"):
        read_lock(tmp_path)


def test_digests_are_lines_of_registries():
    """Of what can be held and has no digest of its own."""
    others = (replace(IMAGE, reference=f"a/b@{ONE}"), replace(IMAGE, reference="a/c:1", digest=TWO))

    assert replace(LOCK, artifacts=(*LOCK.artifacts, *others)).digests == {
        "a/b:1": f"a/b:1@{ONE}", "a/c:1": f"a/c:1@{TWO}",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("registries", "with_digests"),
    [
        (None, f'{{"a/b:1": "a/b:1@{ONE}"}}'),
        ('{"a": "m", "a/b:1": "old"}', f'{{"a": "m", "a/b:1": "a/b:1@{ONE}"}}'),
        ("m.example", "m.example"),
    ],
)
def test_a_lock_adds_its_digests_to_the_configuration(tmp_path: Path, registries: str | None, with_digests: str):
    """Beside the mirrors; what is no mapping is left to be refused, and without a lock nothing is added."""
    key = "rdma-cluster:registries"
    config = {"gcp:project": "p", **({key: registries} if registries else {})}
    assert with_lock(config, tmp_path, "lab") == config

    lock_file(tmp_path, "lab").write_text(LOCK.to_text())
    assert with_lock(config, tmp_path, "lab") == {"gcp:project": "p", key: with_digests}
    assert with_lock(config, tmp_path, "other") == config


def test_what_is_otherwise_is_told_in_order():
    """Each artifact that has moved, gone or come, or lost a processor, by its reference; what is the same is not."""
    names = "abcdefg"
    before = {name: replace(IMAGE, reference=name, platforms={"amd64": ONE, "arm64": TWO}) for name in names[1:]}
    lock = Lock("lab", "d", tuple(replace(each, holds=name != "e") for name, each in reversed(before.items())))
    moved = {name: replace(before[name], digest=TWO) for name in "de"}
    fewer = {"f": replace(before["f"], platforms={"amd64": ONE}), "g": replace(before["g"], platforms={})}
    many = dict.fromkeys(("s390x", "riscv64", "ppc64le", "arm64", "amd64", "386"), ONE)
    lock = replace(
        lock, artifacts=tuple(replace(e, platforms=many) if e.reference == "g" else e for e in lock.artifacts)
    )
    now: dict[str, Locked | str] = {**fewer, **moved, "c": "not there", "a": IMAGE}

    assert compare(lock, now) == [
        Moved("a", "fetched, and not in the lock; run `rdma-cluster lock` again"),
        Moved("b", "in the lock, and fetched no more"),
        Moved("c", "not there"),
        Moved("d", f"moved from {ONE} to {TWO}; pods still take {ONE}"),
        Moved("e", f"moved from {ONE} to {TWO}; nothing holds it to what it was"),
        Moved("f", "no longer built for arm64"),
        Moved("g", "no longer built for 386, amd64, arm64, ppc64le, riscv64, s390x"),
    ]
    assert compare(LOCK, {each.reference: each for each in LOCK.artifacts}) == []
    assert str(Moved("a", "b")) == "a: b"
