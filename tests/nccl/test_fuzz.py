"""Fifty thousand mutations of rendered logs: never a traceback, and nothing that is taken away or made worse helps.

What passes has all its rows, ranks and rails, by a count of its own that knows nothing of the judge's.
"""

import re
from collections.abc import Callable
from functools import cache
from random import Random

import pytest
from nccl_verdict.plot import write_svg
from nccl_verdict.reader import read_bytes
from nccl_verdict.text import plain_text, termination_message
from nccl_verdict.verdict import judge
from tests.nccl import render
from tests.nccl.forms import FABRICS, PREFIXES
from tests.nccl.judging import Lines
from tests.nccl.log_changes import CHANGES

MUTATIONS = 50_000
SEED = "November 2026"
"""Another one makes other mutations: renewed when the judge learns to tell more."""
PARTS = 100
"""The mutations are dealt to as many tests, so that they run side by side, and one of them in every run."""
MENDED_BY_LUCK = {
    "the test timed out", "started and never concluded", "sizes that fall",
    "a NIC that failed", "a link that flapped", "a process out of memory", "least average not reached",
}  # fmt: skip
"""Failures that a single line or word tells of in a log that is healthy without it, or that another order mends."""


def cut(lines: Lines, random: Random) -> Lines:
    """A piece of it, down to the byte."""
    text = "\n".join(lines)
    start = random.choice((0, random.randrange(len(text))))
    return text[start : random.randrange(start, len(text))].split("\n")


def drop(lines: Lines, random: Random) -> Lines:
    """Some lines are lost, single ones or a run of them."""
    count = random.choice((1, 1, 2, 3, 8))
    if random.random() < 0.5:
        start = random.randrange(len(lines))
        return lines[:start] + lines[start + count :]
    lost = set(random.sample(range(len(lines)), min(count, len(lines))))
    return [line for number, line in enumerate(lines) if number not in lost]


def shuffle(lines: Lines, random: Random) -> Lines:
    """A stretch in another order, as when processes write at once."""
    start = random.randrange(len(lines))
    stop = random.randrange(start, len(lines)) + 1
    return lines[:start] + random.sample(lines[start:stop], stop - start) + lines[stop:]


def repeat(lines: Lines, random: Random) -> Lines:
    """Lines said twice, there or elsewhere."""
    again = random.choices(lines, k=random.choice((1, 2, 9)))
    place = random.randrange(len(lines) + 1)
    return lines[:place] + again + lines[place:]


def worsen(lines: Lines, random: Random) -> Lines:
    """A figure of one row is lower, or its wrong elements more."""
    rows = [number for number, line in enumerate(lines) if " float " in line]
    if not rows:
        return lines
    place = random.choice(rows)
    if random.random() < 0.3:
        return [*lines[:place], re.sub(r"\d(\s*)$", r"9\1", lines[place]), *lines[place + 1 :]]
    figures = list(re.finditer(r"\d+\.\d\d", lines[place])) or [re.search("float", lines[place])]
    chosen = random.choice(figures)
    assert chosen is not None
    lower = "0.01".rjust(len(chosen[0]))
    return [*lines[:place], lines[place][: chosen.start()] + lower + lines[place][chosen.end() :], *lines[place + 1 :]]


def splice(lines: Lines, random: Random) -> Lines:
    """A piece of another log in the middle, a line torn by it."""
    other = "\n".join(random.choice(pool())[1])
    start = random.randrange(len(other))
    piece = other[start : start + random.choice((5, 60, 900))]
    text = "\n".join(lines)
    place = random.randrange(len(text))
    return (text[:place] + piece + text[place:]).split("\n")


def flip(lines: Lines, random: Random) -> Lines:
    """Bytes that are others."""
    text = list("\n".join(lines))
    for _ in range(random.choice((1, 3, 40))):
        text[random.randrange(len(text))] = chr(
            random.choice((random.randrange(256), 10, 13, 27, 48 + random.randrange(10)))
        )
    return "".join(text).split("\n")


def rehost(lines: Lines, random: Random) -> Lines:
    """What one node says is said by the other, in some lines."""
    said = [number for number, line in enumerate(lines) if "node-" in line]
    chosen = set(random.sample(said, min(len(said), random.choice((1, 1, 2, 5)))))
    other = {"node-0": "node-1", "node-1": "node-0"}
    return [
        re.sub("node-[01]", lambda match: other[match[0]], line) if number in chosen else line
        for number, line in enumerate(lines)
    ]


def rails(text: str, node: int) -> set[str]:
    """The NICs of a node that channels use with GPUDirect."""
    said = rf"node-{node}:\d+:\d+ \[[^\n]*via (?:COLL)?NET/[^/\n]+/(\d+)(?:\(\d+\))?/GDRDMA"
    return set(re.findall(said, text))


def lacks(form: str, lines: Lines) -> str:
    """What of rows, ranks and rails a log does not hold, by its plain text."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", "\n".join(lines))
    healthy = next("\n".join(log) for name, log, fails in pool() if name == form and not fails)
    for size in (1 << 30, 2 << 30):
        if not re.search(rf"(?<!\d){size}\s+\d+\s+float", text):
            return f"a row of {size} bytes"
    for node in (0, 1):
        if not re.search(rf"Rank\s+{node}\s[^\n]* on node-{node}\s", text):
            return f"rank {node}"
        if len(rails(text, node)) < len(rails(healthy, node)):
            return f"a rail of node-{node}"
    return ""


TAKE_AWAY: tuple[Callable[[Lines, Random], Lines], ...] = (cut, drop, shuffle, repeat, worsen)
OTHERS: tuple[Callable[[Lines, Random], Lines], ...] = (splice, flip, rehost)


@cache
def pool() -> list[tuple[str, Lines, bool]]:
    """(fabric, log, whether it fails): healthy ones of every form, and every change to them."""
    found: list[tuple[str, Lines, bool]] = []
    for form, fabric in FABRICS.items():
        healthy = render.log(gpus=1, form=form, busbw=[32.2, 33.3])
        found.append((form, healthy, False))
        for name, (change, _) in CHANGES.items():
            try:
                changed = change(healthy, fabric.network)
            except (StopIteration, IndexError):
                continue  # it changes what two GPUs do not show
            if verdict(form, [line for line in changed if line in healthy]).passed:
                continue  # what tells of it may be lost, and the rest is healthy
            if name not in MENDED_BY_LUCK and changed != healthy and not verdict(form, changed).passed:
                found.append((form, changed, True))
    return found


def verdict(form: str, lines: Lines):
    text = "\n".join(lines).encode("utf-8", "surrogatepass")
    return judge(read_bytes(text), render.want(form, gpus=1, threshold=30.0))


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.thorough) for part in range(1, PARTS))])
def test_a_log_that_fails_does_not_pass_for_losing_or_repeating_anything(part: int) -> None:
    """Whatever is done to a log gives a verdict."""
    random = Random(f"{SEED} {part}")
    prefixes = list(PREFIXES.values())
    for number in range(MUTATIONS // PARTS):
        form, lines, fails = random.choice(pool())
        mutate = random.choice(TAKE_AWAY + OTHERS)
        changed = mutate(lines, random)
        if number % 10 == 0:
            prefix = random.choice(prefixes)
            changed = [prefix(place, line) for place, line in enumerate(changed)]
        outcome = verdict(form, changed)

        assert not (fails and mutate in TAKE_AWAY and outcome.passed), (mutate, part, number, changed)
        assert not (outcome.passed and lacks(form, changed)), (lacks(form, changed), mutate, part, number, changed)
        assert outcome.exit_code in ((0,) if outcome.passed else (1, 2))
        if number % 8 == 0:
            assert write_svg(outcome).endswith("</svg>\n")
            assert len(termination_message(outcome).encode()) <= 4096
            assert outcome.headline in plain_text(outcome)
            assert outcome.to_json()["passed"] is outcome.passed
