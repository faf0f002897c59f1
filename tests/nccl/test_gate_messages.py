"""docs/verdict.md shows every gate's message as it prints."""

from nccl_verdict.verdict import GATES
from tests.nccl.gate_messages import BEGIN, PAGE, SHOWN, block, outcome, page


def test_the_page_shows_what_is_printed() -> None:
    """``python -m tests.nccl.gate_messages`` renews it."""
    text = PAGE.read_text(encoding="utf-8")

    assert BEGIN in text
    assert page(text) == text


def test_every_gate_is_shown() -> None:
    assert list(dict.fromkeys(name for name, _, _ in SHOWN)) == list(GATES)
    for name, change, want in SHOWN:
        verdict = outcome(change, want)
        assert name in {gate.name for gate in (*verdict.reported, *verdict.warned)}


def test_a_message_says_where_to_look_and_what_it_probably_is_not() -> None:
    for part in block().split("\n\n"):
        name = part.partition(":")[0]
        if name in ("socket", "nics", "gdr", "affinity"):
            assert " on node-" in part or ": node-" in part
        if name in ("ran", "socket", "nics", "gdr", "affinity", "data", "bandwidth"):
            assert "probably" in part, part
