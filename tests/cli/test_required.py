"""Options without which a verb cannot begin: each is named, and nothing is guessed in its place."""

import pytest
from tests.cli.commands import command


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        (("verdict", "nccl.log", "--nodes", "2"), "--machine"),
        (("verdict", "nccl.log", "--machine", "a4-highgpu-8g"), "--nodes"),
        (("verdict", "--machine", "a4-highgpu-8g", "--nodes", "2"), "LOG"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_missing_is_named(words: tuple[str, ...], missing: str):
    """With exit code 2, before any log is read."""
    code, out, err = command(*words)

    assert (code, out) == (2, "")
    assert f"required: {missing}" in err
