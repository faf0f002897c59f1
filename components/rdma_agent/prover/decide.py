"""What the prover does next: a pure function of what the API server holds and of the time.

It has no memory: a prover that starts again at any step goes on from here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from .. import proof
from ..proof import UNPROVEN, Attempts, Proof
from .fleet import Action, Condition, End, Node, Pool, Seen, SetMark, Start, Test
from .outcomes import taken_over
from .rings import starts

_YIELDS = "work wants its nodes"


def decide(seen: Seen) -> tuple[list[Action], dict[str, Condition]]:
    """What is done now, in this order, and the condition of every node after it."""
    pools = {pool.name: pool for pool in seen.pools}
    nodes = {node.name: node for node in seen.nodes if node.pool in pools}
    # Each reads what the one before has written.
    actions: list[Action] = [*taken_over(seen, pools, nodes), *_held(pools, nodes), *_judged(nodes)]
    ended = {action.test for action in actions if isinstance(action, End)}
    running = [test for test in seen.tests if test.name not in ended and test.pool in pools]
    stopped = list(_stopped(seen, running, nodes))
    actions += stopped
    running = [test for test in running if test.name not in {each.test for each in stopped}]
    begun: list[Start] = []
    for pool in pools.values():
        if pool.name not in seen.tested_by_up:
            begun += starts(pool, seen, nodes, [test for test in running if test.pool == pool.name])
    actions += begun
    testing = {name for each in (*running, *begun) for name in each.nodes}
    return actions, {
        node.name: _condition(node, pools[node.pool], testing, seen.tested_by_up) for node in nodes.values()
    }


def _set(nodes: dict[str, Node], node: Node, mark: proof.Mark, reason: str, message: str) -> SetMark:
    nodes[node.name] = node.marked(mark)
    return SetMark(node.name, mark, reason, message)


def _judged(nodes: dict[str, Node]) -> Iterator[Action]:
    """A node that failed beside two proven ones is bad; one whose accusers are bad themselves is looked at again."""
    for node in list(nodes.values()):
        tried = node.attempts
        if node.is_failed:
            if tried.failed_with and sum(not _is_bad(nodes, name) for name in tried.failed_with) < 2:
                left = tuple(name for name in tried.failed_with if not _is_bad(nodes, name))
                mark = proof.held(replace(tried, failed_with=left))
                yield _set(nodes, node, mark, "FabricDoubtful", "those beside which it failed are bad themselves")
            continue
        accusers = [name for name in tried.failed_with if name in nodes and nodes[name].is_proven]
        if len(accusers) > 1:
            message = f"failed beside {' and '.join(accusers)}, which are proven: {tried.why}"
            yield _set(nodes, node, proof.failed(tried), "FabricFailed", message)


def _is_bad(nodes: Mapping[str, Node], name: str) -> bool:
    return name in nodes and nodes[name].is_failed


def _held(pools: Mapping[str, Pool], nodes: dict[str, Node]) -> Iterator[Action]:
    """Nodes whose taint is not what their proof says."""
    for node in list(nodes.values()):
        if node.is_proven:
            if node.taint is not None and node.proof is not None:
                # A cloud has set the pool's taints again, or a hand.
                mark = proof.Mark(None, node.proof.fingerprint, attempts=node.attempts, keep_proof=True)
                yield _set(nodes, node, mark, "FabricProven", "proven before in this boot")
        elif node.is_failed:
            if node.taint != proof.FAILED:
                yield _set(nodes, node, proof.failed(node.attempts), "FabricFailed", node.attempts.why)
        elif node.taint == proof.FAILED:
            # It has booted since, or somebody took the label away.
            yield _set(nodes, node, proof.held(Attempts(node.boot)), "FabricUnproven", "tested from the beginning")
        elif node.taint != UNPROVEN and pools[node.pool].holds:
            why = "not tested since its last boot" if node.proof else "not tested yet"
            yield _set(nodes, node, proof.held(node.attempts), "FabricUnproven", why)


def _stopped(seen: Seen, running: list[Test], nodes: Mapping[str, Node]) -> Iterator[End]:
    """Tests that others must not wait for. They count for nothing."""
    for test in running:
        there = {name: nodes[name] for name in test.nodes if name in nodes}
        booted = dict(zip(test.nodes, test.boots, strict=True))
        gone = [name for name, boot in booted.items() if name not in there or there[name].boot != boot]
        if test.pool in seen.tested_by_up:
            yield End(test.name, "`up` tests this pool")
        elif gone:
            yield End(test.name, f"{gone[0]} is another node by now")
        elif any(node.busy or (node.takes_work and seen.waiting_since > test.started) for node in there.values()):
            yield End(test.name, _YIELDS)


def _condition(node: Node, pool: Pool, testing: set[str], tested_by_up: frozenset[str]) -> Condition:
    """The condition of a node, in words that change only when its state does: each change is a write."""
    if node.is_proven and node.proof is not None:
        return _of_proof(node, pool, node.proof)
    tried = node.attempts
    if node.is_failed:
        return Condition(False, "FabricFailed", tried.why)
    if node.name in testing or node.pool in tested_by_up:
        return Condition(False, "Testing", "its fabric is being tested")
    if node.waits_for:
        return Condition(False, "Waiting", node.waits_for)
    if node.busy:
        return Condition(False, "Busy", "has work on it, and is tested when that has ended")
    if tried.failed_with:
        why = f"failed beside {', '.join(tried.failed_with)}, and no other node tells which is bad: {tried.why}"
        return Condition(False, "Undecided", why)
    if tried.lost:
        return Condition(False, "NoVerdict", f"{tried.lost} tests in a row ended without a verdict: {tried.why}")
    return Condition(False, "NoNeighbour", "waits for an idle node of its pool to be tested with")


def _of_proof(node: Node, pool: Pool, shown: Proof) -> Condition:
    beside = f" beside {', '.join(shown.beside)}" if shown.beside else ""
    figure = f"{shown.busbw:g} GB/s{beside}" if shown.busbw else f"passed{beside}"
    floor = f", floor {shown.floor:g}" if shown.floor else ""
    if node.attempts.failed_with:
        return Condition(True, "ProvenAndDoubted", f"{figure}{floor}; since then it failed: {node.attempts.why}")
    if node.tainted:
        return Condition(True, "ProvenDeviceTainted", f"{figure}{floor}; not tested again while {node.tainted}")
    if shown.fingerprint != pool.fingerprint:
        why = "of an earlier release, driver or threshold; tested again when idle"
        return Condition(True, "ProvenDue", f"{figure}{floor}; {why}")
    if shown.is_slower:
        return Condition(True, "ProvenSlower", f"{figure}{floor}; its own median is {shown.usual:g}")
    return Condition(True, "FabricProven", f"{figure}{floor}")
