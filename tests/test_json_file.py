"""JSON of others: how much, how deep, and what is none."""

import json
from pathlib import Path

import pytest
from pulumi_offline import json_file
from pulumi_offline.json_file import LONGEST, parse_json, read_json

DEEPEST = 100


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth(opening: str, closing: str):
    """A hundred levels are read, one more is refused, and so are a hundred thousand."""
    inner = "[]" if opening == "[" else "{}"
    deep = opening * (DEEPEST - 1) + inner + closing * (DEEPEST - 1)
    assert parse_json(deep) is not None and parse_json(deep.encode()) == json.loads(deep)
    for more in (1, 100_000):
        with pytest.raises(ValueError, match=f"nested deeper than {DEEPEST} levels"):
            parse_json(opening * (DEEPEST + more) + "1" + closing * (DEEPEST + more))


def test_length(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """64 MiB, to the byte of whatever the limit is; it is told in MiB."""
    assert LONGEST == 64 * 1024 * 1024
    monkeypatch.setattr(json_file, "LONGEST", 1 << 20)
    (tmp_path / "fits").write_text(f'"{"x" * ((1 << 20) - 2)}"')
    (tmp_path / "long").write_text(f'"{"x" * ((1 << 20) - 1)}"')
    assert len(read_json(tmp_path / "fits")) == (1 << 20) - 2
    with pytest.raises(ValueError, match="longer than 1 MiB"):
        read_json(tmp_path / "long")


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "", "{", "'a'"])
def test_what_is_no_json(text: str):
    """Also what Python alone takes for a number."""
    with pytest.raises(ValueError, match=r"is no JSON|Expect"):
        parse_json(text)
