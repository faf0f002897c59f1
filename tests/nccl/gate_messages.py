"""Every gate's message as it prints, for docs/verdict.md. ``python -m tests.nccl.gate_messages`` renews the page."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from nccl_verdict.expectation import Expectation, SizeThreshold
from nccl_verdict.reader import read_bytes
from nccl_verdict.text import cause_rows, closing, suspect_rows
from nccl_verdict.verdict import Verdict, judge
from tests.nccl import render
from tests.nccl.judging import Lines, known
from tests.nccl.log_changes import CHANGES, mirrored, swapped

PAGE = Path(__file__).parents[2] / "docs" / "verdict.md"
BEGIN, END = "<!-- messages: python -m tests.nccl.gate_messages -->\n", "<!-- /messages -->\n"

_DOWN = "node-1:709:950 [1] net_ib.cc:179 NCCL WARN NET/IB : mlx5_3:1 Got non-fatal async event: port error(10)"


def _named(name: str) -> Callable[[Lines], Lines]:
    return lambda lines: CHANGES[name][0](lines, "gIB")


def _without_gdr(lines: Lines) -> Lines:
    return [line.replace("/GDRDMA", "") if "node-1:7" in line and " [3] " in line else line for line in lines]


def _rowless(lines: Lines) -> Lines:
    return [line for line in lines if " float " not in line][:-2]


SHOWN: tuple[tuple[str, Callable[[Lines], Lines], Expectation], ...] = (
    ("ran", lambda lines: [line for line in _rowless(lines) if " Rank " not in line], render.want()),
    ("ran", lambda lines: [line for line in _rowless(lines) if "busbw" not in line and " via " not in line],
     render.want()),
    ("ran", lambda lines: [line for line in _rowless(lines) if "NCCL INFO" not in line], render.want()),
    ("finished", _named("truncated before the footer"), render.want()),
    ("finished", lambda lines: [*lines, _DOWN], render.want("InfiniBand")),
    ("nodes", _named("one node twice"), render.want()),
    ("ranks", _named("a rank lost"), render.want()),
    ("gpus", _named("a GPU listed twice"), render.want()),
    ("collective", lambda lines: ["# Collective test starting: all_reduce_perf", *lines],
     replace(render.want(), collective="all_gather")),
    ("implied_ranks", _named("one node posing as two"), render.want()),
    ("socket", _named("socket fall-back of one process"), render.want()),
    ("transport", _named("NCCL silent on one rank"), render.want()),
    ("nics", swapped("via NET/gIB/7/", "via NET/gIB/0/", only="node-1"), render.want()),
    ("gdr", _without_gdr, render.want()),
    ("gdr", lambda lines: [line.replace("Enabled for HCA 3", "Disabled for HCA 3") for line in lines], render.want()),
    ("affinity", mirrored, known(sure=True)),
    ("affinity", mirrored, known()),
    ("rows", _named("a row lost"), render.want()),
    ("data", _named("wrong data"), render.want()),
    ("bandwidth", lambda lines: render.log(busbw=[140.0] * 4), render.want()),
    ("bandwidth", lambda lines: render.log(busbw=[267.0] * 4),
     replace(render.want(), expected={"all_gather": (SizeThreshold(8 << 30, 325.0),)}, expected_from="the last proof")),
)  # fmt: skip
"""The gate, the change to a healthy log, and the expectation."""


def outcome(change: Callable[[Lines], Lines], want: Expectation) -> Verdict:
    healthy = render.log(form="InfiniBand" if want.network.transport == "InfiniBand" else "gIB")
    return judge(read_bytes(render.joined(change(healthy))), want)


def block() -> str:
    """The part of the page."""
    parts = []
    for name, change, want in SHOWN:
        verdict = outcome(change, want)
        seen = next(gate.seen for gate in verdict.gates if gate.name == name)
        (cause,) = {cause for gate, cause in cause_rows(verdict) if gate == name}
        _, _, then = closing(verdict).partition("\n")
        parts.append("\n".join(filter(None, [f"{name}: {seen}", f"  {cause}", f"  {then}" if then else ""])))
    parts += [f"{kind} {name}: {why}" for kind, name, why in suspect_rows(_pool())]
    return "\n\n".join(parts)


def _pool() -> Verdict:
    """Seven nodes of which all pairs were run: a cut of three and three, and a bad node."""
    nodes, left = [f"n{n}" for n in range(7)], {"n0", "n1", "n2"}
    runs = []
    for one, two in combinations(nodes, 2):
        is_slow = "n6" in (one, two) or (one in left) != (two in left)
        runs += read_bytes(render.joined(render.log([one, two], busbw=[90.0 if is_slow else 324.0])))
    return judge(runs, render.want(nodes=7))


def page(text: str) -> str:
    """The page with the part renewed."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}```\n{block()}\n```\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
