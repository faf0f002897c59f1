"""JSON of other people is read up to a depth and a length."""

import json
from pathlib import Path

import pytest
from pulumi_offline import json_file
from pulumi_offline.json_file import LONGEST, parse_json, read_json

DEEPEST = 100


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_a_hundred_levels_are_read_and_no_more(opening: str, closing: str):
    inner = "[]" if opening == "[" else "{}"
    deep = opening * (DEEPEST - 1) + inner + closing * (DEEPEST - 1)
    assert parse_json(deep) is not None and parse_json(deep.encode()) == json.loads(deep)
    for more in (1, 100_000):
        with pytest.raises(ValueError, match=f"nested deeper than {DEEPEST} levels"):
            parse_json(opening * (DEEPEST + more) + "1" + closing * (DEEPEST + more))


def test_a_file_is_read_to_the_last_byte_of_the_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    assert LONGEST == 64 * 1024 * 1024
    monkeypatch.setattr(json_file, "LONGEST", 1 << 20)
    (tmp_path / "fits").write_text(f'"{"x" * ((1 << 20) - 2)}"')
    (tmp_path / "long").write_text(f'"{"x" * ((1 << 20) - 1)}"')
    assert len(read_json(tmp_path / "fits")) == (1 << 20) - 2
    with pytest.raises(ValueError, match="longer than 1 MiB"):
        read_json(tmp_path / "long")


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "", "{", "'a'"])
def test_a_text_that_is_no_json_is_refused(text: str):
    """Python alone takes some of these for numbers."""
    with pytest.raises(ValueError, match=r"is no JSON|Expect"):
        parse_json(text)
