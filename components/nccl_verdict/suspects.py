"""What is at fault, where some tests of pairs or of rails are good and others bad: the fewest nodes, rails or cuts that
explain the bad ones, with how many each explains."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from .gate import Gate, listing, rail_of
from .gates import APART, WITH_MPI
from .run import Run
from .subtests import SLOW, Subtest, best_of

_EXACT = 8
"""The most nodes of a cover that is found by trying; a larger one is put together greedily."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Judged:
    """A part, and the gates that it failed by itself."""

    subtest: Subtest
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A node, a pair of nodes, a cut between groups of them, a rail or a NIC that is broken or slow."""

    kind: str
    """``node``, ``pair``, ``cut``, ``rail``, ``NIC`` or ``all``."""
    name: str
    why: str
    explains: int = 0
    """How many of the bad tests it explains."""
    is_suspected: bool = False
    """Whether it is a node that failed in most of its tests, with two others or more, each of them good elsewhere."""


@dataclass(frozen=True)
class _Tests:
    """Tests of pairs: which are good, and the bad ones with what was seen."""

    good: frozenset[Pair]
    bad: Mapping[Pair, str]
    """The bad pairs, each with its speed beside that of the best."""

    @cached_property
    def good_nodes(self) -> frozenset[str]:
        """The nodes of the good pairs."""
        return frozenset(node for pair in self.good for node in pair)

    @cached_property
    def counts(self) -> tuple[Counter[str], Counter[str]]:
        """How many bad and how many good pairs each node has."""
        return _degrees(self.bad), _degrees(self.good)

    def share(self, node: str) -> float:
        """The part of a node's pairs that is bad."""
        bad, good = (counts[node] for counts in self.counts)
        return bad / (bad + good)

    def rank(self, node: str) -> tuple[float, int, str]:
        """The key of an order in which the worst node comes first."""
        return -self.share(node), -self.counts[0][node], node

    def explains(self, pairs: Collection[Pair]) -> str:
        return f"explains {len(pairs)} of {len(self.bad)} bad pairs"


def locate(judged: Sequence[Judged]) -> tuple[Suspect, ...]:
    """The suspects that explain the bad tests; the one that explains most comes first."""
    pairs = [each for each in judged if each.subtest.kind in ("pair", "whole") and len(each.subtest.run.hosts) == 2]
    rails = [each for each in judged if each.subtest.kind == "rail"]
    split = [each.subtest.run for each in judged if each.subtest.run.groups > 1]
    found = [*_from_pairs(pairs), *_from_rails(rails), *_from_split(split)]
    return tuple(sorted(found, key=lambda suspect: -suspect.explains))


def agree(gates: Iterable[Gate], suspects: Sequence[Suspect], runs: Sequence[Run]) -> list[Gate]:
    """Gates that blame nothing beside the suspects, and tests of one node each told as parts of one that fell apart."""
    alone = len(runs) > 1 and len({tuple(run.hosts) for run in runs}) > 1 and all(len(run.hosts) == 1 for run in runs)
    agreed = []
    for gate in gates:
        if gate.name == "bandwidth" and not gate.passed and suspects and suspects[0].kind != "all":
            gate = replace(gate, cause=f"see {suspects[0].kind} {suspects[0].name} below")
        if gate.name == "nodes" and not gate.passed and alone:
            gate = replace(gate, cause=APART, then=WITH_MPI)
        agreed.append(gate)
    return agreed


def _tests(judged: Sequence[Judged]) -> _Tests:
    """A pair is bad where one of its tests is: it failed a gate, or is slow beside the best of its collective."""
    best = best_of(each.subtest for each in judged)
    good: set[Pair] = set()
    bad: dict[Pair, str] = {}
    for each in judged:
        one, two = each.subtest.run.hosts
        speed, other = each.subtest.speed, [gate for gate in each.failed if gate != "bandwidth"]
        if each.failed or speed < SLOW * best[each.subtest.measure]:
            figure = f"{speed:g} of {best[each.subtest.measure]:g} GB/s" if speed else "no result"
            bad.setdefault((one, two), f"{figure}, fails {listing(other)}" if speed and other else figure)
        else:
            good.add((one, two))
    return _Tests(frozenset(good - bad.keys()), bad)


def _from_pairs(judged: Sequence[Judged]) -> Iterator[Suspect]:
    tests = _tests(judged)
    if len(tests.bad) + len(tests.good) < 2 or not tests.bad:
        return
    rails = [_rails_named(each.subtest.run) for each in judged if tuple(each.subtest.run.hosts) in tests.bad]
    common = frozenset.intersection(*rails)
    if len(tests.bad) > 1 and len(common) == 1 and max(map(len, rails)) == 1:
        (rail,) = common
        why = f"{tests.explains(tests.bad)}: each of them lacks GDRDMA there and nowhere else"
        yield Suspect("rail", rail.removeprefix("rail "), why, len(tests.bad))
    elif not tests.good:
        why = (
            f"{listing(sorted(tests.bad.values()))}: no pair is good, so that nothing tells one node from another: "
            "look at what they share, or run each against a node that is known to be good"
        )
        yield Suspect("all", f"{len(tests.bad)} pairs", why, len(tests.bad))
    else:
        yield from _causes(tests)


def _rails_named(run: Run) -> frozenset[str]:
    """The rails without GPUDirect in a test."""
    return frozenset(rail_of(run, spot.rank, spot.device) for spot in run.evidence.channels.spots.values())


def _causes(tests: _Tests) -> Iterator[Suspect]:
    """The fewest nodes, pairs and cuts that every bad pair has one of."""
    pairs = list(tests.bad)
    nodes = _cover(tests, pairs)
    groups = [group for group in _groups(tests) if len(group) > 1]
    across = [pair for pair in pairs if sum(not group.isdisjoint(pair) for group in groups) > 1]
    rest = _cover(tests, [pair for pair in pairs if pair not in across])
    if len(across) > 1 and 1 + len(rest) < len(nodes):
        why = (
            f"{tests.explains(across)}, each from one group to the other, and pairs inside the groups are good: the "
            "way between the groups, so their switches and uplinks; it is probably neither the nodes nor their NICs"
        )
        yield Suspect("cut", " | ".join(" ".join(sorted(group)) for group in groups), why, len(across))
        nodes, pairs = rest, [pair for pair in pairs if pair not in across]
    for node in nodes:
        mine = [pair for pair in pairs if node in pair]
        alone = [pair for pair in mine if not set(pair) - {node} & set(nodes)]
        yield _node(tests, node, mine, nodes) if len(mine) > 1 else _single(tests, (alone or mine)[0])


def _groups(tests: _Tests) -> list[set[str]]:
    """The groups of nodes that good pairs join."""
    groups: list[set[str]] = []
    for pair in (*tests.good, *((node, node) for bad in tests.bad for node in bad)):
        joined = [group for group in groups if not group.isdisjoint(pair)]
        groups = [group for group in groups if group not in joined] + [set(pair).union(*joined)]
    return sorted(groups, key=sorted)


def _cover(tests: _Tests, pairs: Sequence[Pair]) -> list[str]:
    """The smallest vertex cover, of nodes whose tests are most often bad; exact up to ``_EXACT`` nodes, then greedy."""
    for most in range(_EXACT + 1):
        if (found := _within(tests, pairs, most)) is not None:
            return sorted(found, key=tests.rank)
    found, left = [], list(pairs)
    while left:
        degrees = _degrees(left)
        node = min(degrees, key=lambda each: (-degrees[each], tests.rank(each)))
        found.append(node)
        left = [pair for pair in left if node not in pair]
    return found


def _degrees(pairs: Iterable[Pair]) -> Counter[str]:
    return Counter(node for pair in pairs for node in pair)


def _within(tests: _Tests, pairs: Sequence[Pair], most: int) -> list[str] | None:
    """A vertex cover of at most ``most`` nodes, or ``None``."""
    if not pairs:
        return []
    if len(pairs) <= most * max(_degrees(pairs).values()):
        pair = min(pairs, key=lambda each: min(map(tests.rank, each)))
        for node in sorted(pair, key=tests.rank):
            if (rest := _within(tests, [each for each in pairs if node not in each], most - 1)) is not None:
                return [node, *rest]
    return None


def _node(tests: _Tests, node: str, mine: Sequence[Pair], nodes: Collection[str]) -> Suspect:
    """A node that several bad pairs have in common."""
    partners = sorted({other for pair in mine for other in pair if other != node})
    unclear = [other for other in partners if other not in tests.good_nodes and other not in nodes]
    figures = listing(f"{tests.bad[pair]} with {' '.join(set(pair) - {node})}" for pair in mine)
    is_suspected = tests.share(node) > 0.5 and not unclear
    if is_suspected:
        outcome = f"the suspect: {len(partners)} others blame it"
    elif unclear:
        outcome = f"{listing(unclear)} was in no good pair: run it against a good node"
    else:
        outcome = "its other pairs are good: run it again before it is taken out"
    why = f"{figures}; {tests.explains(mine)}, {tests.share(node):.0%} of its own; {outcome}"
    return Suspect("node", node, why, len(mine), is_suspected)


def _single(tests: _Tests, pair: Pair) -> Suspect:
    """The cause of one bad pair: the node that was in no good one, or the way between two that were."""
    unclear = set(pair) - tests.good_nodes
    why = tests.bad[pair]
    if not unclear:
        return Suspect("pair", " - ".join(pair), f"{why}; each is fine elsewhere: look at the way between them", 1)
    if len(unclear) == 2:
        neither = "neither was seen in a good pair: run each against a good node"
        return Suspect("pair", " or ".join(pair), f"{why}, and {neither}", 1)
    (node,) = unclear
    (other,) = set(pair) - {node}
    return Suspect("node", node, f"{why}; {other} is fine elsewhere: run {node} against one more good node", 1)


def _from_rails(judged: Sequence[Judged]) -> Iterator[Suspect]:
    """A rail of which every test is bad; else the NICs on it that the pairs of nodes tell."""
    best = best_of(each.subtest for each in judged)
    for rail in sorted({each.subtest.rails[0] for each in judged}):
        on_rail = [each for each in judged if each.subtest.rails[0] == rail]
        limits = [SLOW * best[each.subtest.measure] if len(judged) > 1 else 0.0 for each in on_rail]
        rated = zip(on_rail, limits, strict=True)
        bad = [each for each, limit in rated if each.failed or each.subtest.speed < limit]
        if bad and len(bad) == len(on_rail):
            speed, most = min(each.subtest.speed for each in bad), max(best.values())
            why = f"{speed:g} GB/s, the best rail has {most:g}" if speed else "no result"
            yield Suspect("rail", str(rail), f"{why}; every test of the rail is bad", len(bad))
        elif bad and all(len(each.subtest.run.hosts) == 2 for each in on_rail):
            for cause in _causes(_tests(on_rail)):
                kind = "NIC" if cause.kind == "node" else cause.kind
                yield Suspect(kind, f"rail {rail} of {cause.name}", cause.why, cause.explains)
        elif bad:
            yield Suspect("rail", str(rail), f"{len(bad)} of its {len(on_rail)} tests are bad", len(bad))


def _from_split(runs: Sequence[Run]) -> Iterator[Suspect]:
    """One table stands for all groups; only the processes' own times tell the rails apart."""
    for run in runs:
        slowest: dict[int, float] = {}
        for process in run.process_seconds.keys() & run.ranks.keys():
            rail = run.ranks[process].device
            slowest[rail] = max(slowest.get(rail, 0.0), run.process_seconds[process])
        best = min(slowest.values(), default=0.0)
        for rail, seconds in sorted(slowest.items()):
            if best < SLOW * seconds:
                why = f"{seconds * 1e3:.4g} ms, the best rail takes {best * 1e3:.4g}"
                yield Suspect("rail", str(rail), why, 1)
