"""Which nodes are tested together next. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from .fleet import Node, Pool, Seen, Start, Test

_SETTLE_SECONDS = 10
"""The time between a newcomer's being Ready and its test: others may come with it."""
_RENEWED_AT_ONCE = 0.1
"""The part of a pool's nodes whose proofs are renewed at one time."""


def starts(pool: Pool, seen: Seen, nodes: Mapping[str, Node], running: Sequence[Test]) -> Iterator[Start]:
    """The tests of a pool that begin now. Nodes with work on them are in none."""
    taken = {name for test in running for name in test.nodes}
    own = [node for node in nodes.values() if node.pool == pool.name]
    free = [node for node in own if node.name not in taken and not node.busy and not node.waits_for]
    chosen = _Chosen(pool, free, seen.now, pool.most_at_once - len(taken))
    yield from chosen.newcomers([node for node in own if _is_coming(node, pool, seen.now)])
    yield from chosen.doubtful()
    yield from chosen.renewed(len(own), len(taken), waited_for=seen.waiting_since > 0)


def _is_coming(node: Node, pool: Pool, now: int) -> bool:
    """Whether it joined a moment ago and has not all its devices yet."""
    is_new = not node.is_proven and not node.is_failed and not node.busy
    return is_new and bool(node.waits_for) and now - node.joined < pool.gather_seconds


class _Chosen:
    """The nodes of a pool that are free for a test, less those that one was found for."""

    def __init__(self, pool: Pool, free: Sequence[Node], now: int, room: int) -> None:
        self._pool, self._now, self._room = pool, now, room
        self._free = {node.name: node for node in free if not node.is_failed}

    def newcomers(self, coming: Sequence[Node]) -> Iterator[Start]:
        """Nodes of which nothing is known: all together in rings, or a single one beside a proven node."""
        fresh = [node for node in self._free.values() if not node.is_proven and not node.attempts.failed_with]
        fresh = [node for node in fresh if node.attempts.next <= self._now]
        if not fresh or self._now - max(node.joined for node in fresh) < _SETTLE_SECONDS:
            return
        if coming and self._now - min(node.joined for node in fresh) < self._pool.gather_seconds:
            return
        fresh.sort(key=lambda node: (node.joined, node.name))
        if len(fresh) == 1:
            yield from self._beside_another(fresh[0])
            return
        rings = -(-len(fresh) // self._pool.most_in_ring)
        for i in range(rings):
            yield from self._start(fresh[i::rings], fresh[i::rings])

    def doubtful(self) -> Iterator[Start]:
        """Nodes that failed beside another: a third decides."""
        doubted = [node for node in self._free.values() if node.attempts.failed_with]
        for node in sorted(doubted, key=lambda node: (node.is_proven, node.attempts.tests, node.name)):
            if node.name in self._free and not (node.attempts.lost and node.attempts.next > self._now):
                yield from self._beside_another(node)

    def renewed(self, nodes: int, taken: int, *, waited_for: bool) -> Iterator[Start]:
        """Idle nodes whose proof is old, or is of what is no longer there; a few at a time, and none while work waits
        for nodes."""
        most = max(2, int(nodes * _RENEWED_AT_ONCE)) - taken
        due = [node for node in self._free.values() if self._is_due(node)]
        due = sorted(due, key=lambda node: (_age_key(node), node.name))[:most]
        if waited_for or not due or most < 2:
            return
        if len(due) > 1:
            yield from self._start(due[: self._pool.most_in_ring], due[: self._pool.most_in_ring])
        else:
            yield from self._beside_another(due[0])

    def _is_due(self, node: Node) -> bool:
        if not node.is_proven or node.proof is None or node.attempts.next > self._now:
            return False
        is_old = 0 < self._pool.renew_seconds <= self._now - node.proof.at
        return is_old or node.proof.fingerprint != self._pool.fingerprint

    def _beside_another(self, node: Node) -> Iterator[Start]:
        """With a proven node, the one with the oldest proof, which is renewed by that; or with one that is not."""
        tried = node.attempts
        others = [each for each in self._free.values() if each.name != node.name]
        new = [each for each in others if each.name not in tried.failed_with]
        # Again beside the same one only after a while.
        among = new or (others if tried.next <= self._now else [])
        # One that is doubted itself comes last: what fails then tells nothing.
        among.sort(key=lambda each: (not each.is_proven, bool(each.attempts.failed_with), _age_key(each), each.name))
        for other in among[:1]:
            yield from self._start([node, other], [node] if other.is_proven else [node, other])

    def _start(self, members: Sequence[Node], subjects: Sequence[Node]) -> Iterator[Start]:
        if len(members) > self._room:
            return
        self._room -= len(members)
        for node in members:
            del self._free[node.name]
        names = tuple(node.name for node in members)
        yield Start(self._pool.name, names, tuple(node.name for node in subjects), tuple(node.boot for node in members))


def _age_key(node: Node) -> int:
    return node.proof.at if node.proof else 0
