"""What the end of a test means for its nodes. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from .. import proof
from ..proof import Proof, Report
from .fleet import Action, End, Node, Pool, Seen, SetMark, Test

_MOST_WORDS = 600
"""Characters of the judge's message that are kept on a node."""
_LONGEST_SECONDS = 3600
"""The longest pause between two tests of a node that taught nothing."""


def taken_over(seen: Seen, pools: Mapping[str, Pool], nodes: dict[str, Node]) -> Iterator[Action]:
    """Writes the outcome of each test that has ended onto its nodes, and deletes it then.

    A node tells which outcome it holds already, so that nothing counts twice when the prover stops in between.
    """
    for test in seen.tests:
        if not test.ended or test.pool not in pools:
            continue
        booted = zip(test.nodes, test.boots, strict=True)
        there = [nodes[name] for name, boot in booted if name in nodes and nodes[name].boot == boot]
        fresh = [node for node in there if not _holds(node, test)]
        marks = _verdict(test, fresh, pools[test.pool], nodes) if test.report else _lost(test, fresh)
        for node, mark, reason in marks:
            nodes[node.name] = node.marked(mark)
            yield SetMark(node.name, mark, reason, _words(mark, test))
        yield End(test.name, "its outcome is on its nodes")


def _words(mark: proof.Mark, test: Test) -> str:
    """What is said of a node: its own figure, or why it did not pass."""
    if mark.proof is None:
        return test.message[:_MOST_WORDS]
    figure = f"{mark.proof.busbw:g} GB/s" if mark.proof.busbw else "passed"
    return f"{figure} beside {', '.join(mark.proof.beside)}"


def _holds(node: Node, test: Test) -> bool:
    """Whether the node carries this outcome already."""
    shown = node.proof is not None and node.proof.boot == node.boot and node.proof.at == test.ended
    return shown or node.attempts.last == test.name


def _verdict(
    test: Test, fresh: list[Node], pool: Pool, nodes: Mapping[str, Node]
) -> Iterator[tuple[Node, proof.Mark, str]]:
    report = test.report or Report()
    bad = {*report.suspected(), *(name for name in test.nodes if name in nodes and nodes[name].is_failed)}
    passed = report.passed(bad)
    for node in fresh:
        if node.name in passed:
            beside, busbw = report.partners(node.name, good=True), report.busbw(node.name)
            shown = Proof(test.ended, "prover", node.boot, pool.fingerprint, beside, busbw, report.floor)
            yield node, proof.proven(shown, node.proof, report.measured(node.name)), "FabricProven"
            continue
        partners = report.partners(node.name, good=False)
        if not partners:  # its pair was not run at all
            yield node, *_without_verdict(test, node)
            continue
        tried = replace(
            node.attempts,
            last=test.name,
            failed_with=tuple(dict.fromkeys((*node.attempts.failed_with, *partners))),
            tests=node.attempts.tests + 1,
            lost=0,
            next=test.ended + _pause(node.attempts.tests, 600),
            why=test.message[:_MOST_WORDS],
        )
        if node.name in report.suspected():
            yield node, proof.failed(tried), "FabricFailed"
        elif node.name in test.subjects or not node.is_proven:
            yield node, proof.held(tried), "FabricDoubtful"
        else:
            # A neighbour keeps its proof until another node says the same.
            yield node, proof.Mark(node.taint, node.label, attempts=tried, keep_proof=True), "FabricDoubtful"


def _lost(test: Test, fresh: list[Node]) -> Iterator[tuple[Node, proof.Mark, str]]:
    for node in fresh:
        if node.name in test.subjects:
            yield node, *_without_verdict(test, node)


def _without_verdict(test: Test, node: Node) -> tuple[proof.Mark, str]:
    """Tested again after a while: what ended the test may be over then. A proof stands."""
    tried = replace(
        node.attempts,
        last=test.name,
        lost=node.attempts.lost + 1,
        next=test.ended + _pause(node.attempts.lost, 60),
        why=test.message[:_MOST_WORDS],
    )
    if node.is_proven:
        return proof.Mark(node.taint, node.label, attempts=tried, keep_proof=True), "FabricTestLost"
    return proof.held(tried), "FabricTestLost"


def _pause(before: int, seconds: int) -> int:
    """A pause that doubles after each try."""
    return min(seconds * 2**before, _LONGEST_SECONDS)
