"""Mutants, drawn: each kind as often as the others, so that not every second one is a misspelt word."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

from tests.stacks import ROOT
from .operators import Mutant, mutants_of


def mutants(paths: Iterable[Path]) -> list[Mutant]:
    """All of some files."""
    return [mutant for path in paths for mutant in mutants_of(str(path.relative_to(ROOT)), path.read_bytes())]


def draw(found: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """So many of them, no two in one statement."""
    random = Random(seed)
    kinds: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in found:
        kinds[mutant.kind].append(mutant)
    for each in kinds.values():
        random.shuffle(each)
    drawn: dict[tuple[str, tuple[int, int]], Mutant] = {}
    while kinds and len(drawn) < count:
        kind = random.choice(sorted(kinds))
        mutant = kinds[kind].pop()
        drawn.setdefault((mutant.path, mutant.lines), mutant)
        if not kinds[kind]:
            del kinds[kind]
    return list(drawn.values())
