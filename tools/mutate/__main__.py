"""`python -m tools.mutate`: a drawn sample of mutants, which test notices each, and what none does."""

import argparse
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.stacks import ROOT
from .copies import copied, files
from .outcome import EQUIVALENT, Outcome, equivalents, judged, working
from .sample import draw, mutants

LEFT_OUT = ("rdma_cluster/catalog", "pulumi_offline/constraints/models")
"""What `make test` cannot judge (the engine does), tables of facts whose truth is outside, and recorded models."""

RECORDED = ROOT / "build" / "mutate" / "runs"
"""Which tests run what, of an earlier time."""


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutate", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the draw; the same seed draws the same mutants")
    parser.add_argument("--count", type=int, default=200, help="how many mutants")
    parser.add_argument("--again", type=Path, help="a file with what was printed: the mutants that it lists as unheard")
    parser.add_argument("--seconds", type=float, default=45, help="of a processor, for the tests of each mutant")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--golden", action="store_true", help="ask golden tests of what nobody else noticed")
    parser.add_argument("--record", action="store_true", help="anew which tests run what, some minutes")
    parser.add_argument("--kind", action="append", help="only this kind of change, as it is printed; once for each")
    parser.add_argument("--tests", action="append", default=[], help="only tests of this file or folder; once for each")
    parser.add_argument("--since", help="only files that differ from this commit")
    parser.add_argument("paths", nargs="*", help="files or folders of the package; all but what the engine runs")
    return parser.parse_args()


def main() -> int:
    """Draw, try, tell. The exit code says nothing of survivors: a person judges them."""
    asked = arguments()
    found = mutants(files(asked.paths, asked.since, LEFT_OUT))
    if asked.again:
        told = asked.again.read_text(encoding="utf-8")
        chosen = [each for each in found if f"{each.path}:{each.line}\n" in told and f"{each.key}\n" in told]
    else:
        known = equivalents()
        asked_for = [each for each in found if not asked.kind or each.kind in asked.kind]
        chosen = draw([each for each in asked_for if not known.fullmatch(each.key)], asked.count, asked.seed)
    print(f"{len(chosen)} of {len(found)} mutants, seed {asked.seed}", flush=True)
    with TemporaryDirectory(prefix="rdma-cluster-mutate-") as folder:
        roots = [copied(Path(folder) / str(i)) for i in range(asked.processes)]
        outcomes = []
        recorded = Path(folder) / "runs" if asked.tests else RECORDED
        if asked.record:
            recorded.unlink(missing_ok=True)
        with working(roots, asked.seconds, recorded, golden=asked.golden, only=asked.tests) as workers:
            for outcome in judged(chosen, workers):
                outcomes.append(outcome)
                print(f"{len(outcomes):4} {outcome}", flush=True)
    _tell(outcomes)
    return 0


def _tell(outcomes: list[Outcome]) -> None:
    counted = Counter(outcome.how for outcome in outcomes)
    print(f"\n{', '.join(f'{count} {how}' for how, count in counted.most_common())}, of {len(outcomes)}")
    unheard = [outcome for outcome in outcomes if not outcome.noticed]
    if unheard:
        print(
            f"\nto judge: a test is missing, or the mutant changes nothing ({EQUIVALENT.relative_to(ROOT)} lists those)"
        )
    for outcome in unheard:
        print(f"  {outcome.mutant.path}:{outcome.mutant.line}\n    {outcome.how}: {outcome.mutant.key}")


if __name__ == "__main__":
    sys.exit(main())
