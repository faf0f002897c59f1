"""Our YAML means the same to every reader."""

import io
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from pulumi_offline import strict_yaml
from pulumi_offline.errors import Refused
from pulumi_offline.strict_yaml import bytes_of, decode, read, read_manifest

BOTH = "one: &one {x: 1, y: 1}\ntwo: &two {y: 2, z: 2}\n"


@pytest.mark.parametrize(
    ("text", "merged"),
    [
        ("{<<: *one}", {"x": 1, "y": 1}),
        ("{<<: [*one, *two]}", {"x": 1, "y": 1, "z": 2}),
        ("{<<: [*two, *one]}", {"x": 1, "y": 2, "z": 2}),
        ("{<<: *one, x: 0}", {"x": 0, "y": 1}),
        ("{x: 0, <<: *one}", {"x": 0, "y": 1}),
        ("{<<: *one, w: 5}", {"x": 1, "y": 1, "w": 5}),
    ],
)
def test_merged_keys_come_after_own_keys_and_those_of_an_earlier_item(text: str, merged: dict[str, int]):
    """YAML 1.1 has it so (yaml.org/type/merge.html)."""
    assert read(f"{BOTH}all: {text}\n", "a.yaml")["all"] == merged


@pytest.mark.parametrize("text", ["{<<: 1}", "{<<: [1]}", "{<<: [1, 2]}", "{<<: [*one, 1, 2], x: 1}"])
def test_a_merge_of_what_is_no_set_of_keys_is_refused_once(text: str):
    with pytest.raises(Refused) as refused:
        read(f"{BOTH}all: {text}\n", "a.yaml")

    assert len(refused.value.errors) == 1
    assert "<< takes a set of keys" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True), ("FALSE", False), ("'true'", "true"), ('"no"', "no"), ("~", None), ("", None), ("''", ""),
        ("12", 12), ("-3", -3), ("1.5", 1.5), ("1:30", "1:30"), ("1.2.3", "1.2.3"), ("x", "x"),
        ("'2026-11-23'", "2026-11-23"),
        ("9" * 31, float("9" * 31)), ("<<", "<<"), ("=", "="), ("[1, a]", [1, "a"]), ("!!map {a: 1}", {"a": 1}),
    ],
)  # fmt: skip
def test_a_value_that_every_reader_takes_alike_is_read(text: str, value: object):
    (found,) = read_manifest(f"a: {text}\n", "a.yaml")
    assert found["a"] == value and isinstance(found["a"], type(value))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yes", "a: got yes, which some readers take for a text; write true or false, or put it in quotes"),
        ("Off", "a: got Off, which some readers take for a text"),
        ("2026-11-23", "a: got the date 2026-11-23; put it in quotes"),
        (".inf", "a: got .inf, which JSON has no number for"),
        (".nan", "a: got .nan, which JSON has no number for"),
        ("!!binary aGk=", "the tag tag:yaml.org,2002:binary is not known here; write a plain value"),
        ("!mine {b: 1}", "the tag !mine is not known here; write plain keys or a plain list"),
        ("*x", "*x is named nowhere before; write &x first"),
        ("&x [*x]", "*x holds itself; a manifest has an end"),
        ("{b: 1, b: 2}", "'b' stands here twice; remove one of the two"),
        ("{1: 2}", "a key must be a word, got 1; put it in quotes"),
        ("{[1]: 2}", "a key must be a word; this one is a list or a set of keys"),
    ],
)
def test_a_value_that_readers_take_differently_is_refused_at_its_line(text: str, said: str):
    with pytest.raises(Refused) as refused:
        read_manifest(f"first: 1\na: {text}\n", "a.yaml")
    assert re.match(r"a\.yaml:2:\d+: ", str(refused.value)) and said in str(refused.value)


def test_a_file_is_read_to_its_limit_and_one_byte_beyond(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The last byte tells that it is longer."""
    monkeypatch.setattr(strict_yaml, "LONGEST", 1000)
    for length in (999, 1000, 1001, 5000):
        (tmp_path / "a.yaml").write_bytes(b"x" * length)
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"x" * length)))
        assert len(bytes_of(tmp_path / "a.yaml")) == len(bytes_of(Path("-"))) == min(length, 1001)
    assert decode(b"x" * 1000, "a.yaml") == "x" * 1000
    with pytest.raises(Refused, match=r"a\.yaml: longer than 0 MiB, which no stack file is"):
        decode(b"x" * 1001, "a.yaml")
    with pytest.raises(Refused, match=r"a\.yaml:2:3: byte 0xff is no UTF-8"):
        decode(b"a\nbc\xff", "a.yaml")
