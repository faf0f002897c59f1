"""Which lines of a block are looked at: those that tell something, each once and in order."""

import pytest
from nccl_verdict.prefilter import WORDS, telling

BLOCK = b"\n".join(
    [
        b"NCCL INFO Using network IB",
        b"nothing to see",
        b"  1048576  262144  float  none  -1  1 2 3 0",
        b"# Using devices and bytes, and lost communication",
        b"a bus error",
        b"",
        b"1000\t250 bfloat16",
        b"1024 256 text",
        b"[rank0] considered dead",
    ]
)


def told(block: bytes) -> list[tuple[bytes, bool]]:
    """The lines, and whether each may be a row."""
    return [(block[start:end], is_row) for start, end, is_row in telling(block)]


def test_each_line_is_told_once_and_in_order() -> None:
    """Whole, whichever words it holds and however many; rows are called so."""
    lines = BLOCK.split(b"\n")
    assert told(BLOCK) == [
        (lines[0], False), (lines[2], True), (lines[3], False), (lines[4], False), (lines[6], True), (lines[8], False),
    ]  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_a_word_alone(word: bytes) -> None:
    """It tells where it begins or ends a block, and twice in a line; without its first letter it tells nothing."""
    assert told(word) == [(word, False)]
    block = b"\n".join([word + b"a" + word, b"nothing", b"-" + word])
    assert told(block) == [(block.split(b"\n")[0], False), (b"-" + word, False)]
    if not any(each in word[1:] for each in WORDS):
        assert told(word[1:]) == told(b"\n" + word[1:]) == []


def test_a_row_that_also_tells_something() -> None:
    """Is a row; a line that begins the block and one that ends it are whole, too."""
    both = b"1024 256 float sum NCCL WARN x"
    assert told(both) == [(both, True)]
    assert told(b"bus error") == [(b"bus error", False)]
    assert told(b"\nbus error\n") == [(b"bus error", False)]
    assert told(b"") == told(b"\n\n") == []
