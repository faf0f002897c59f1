"""`python -m tests.many CLOUD [COUNT]`: what the generated tests do a little of, as often as one has time for.

COUNT configurations (10,000 unless given), and a fifth as many mutated stack files and `--set` words: a plan, or listed
errors. Each other outcome is told once, by its cause, and ends this with exit code 1.
"""

import os
import random
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from rdma_cluster.cli.app import run
from rdma_cluster.common.stack import keys_of
from tests.args.outcomes import planned, told
from tests.clouds import CloudTests, clouds
from tests.stacks import ROOT

WORDS = ("null", "{}", "[]", "[1]", "-1", "0", "1e9", "0x1F", "~", "yes", "''", "a b", "{a: b}", "é", "2026-01-02")
SIGNS = ":[]{}'\"#&*!|>%@`,=.-\t\0\n é"


class Told:
    """How often what came out, and the first of each cause that should not have."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.causes: dict[str, str] = {}

    def note(self, outcome: Callable[[], str], given: object) -> None:
        try:
            said = outcome()
        except Exception as error:
            at = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__} at {Path(at.filename).name}:{at.lineno}"
            self.causes.setdefault(said, f"{error}\n  from {str(given)[:2000]}")
        self.outcomes[said] += 1


def configurations(cloud: CloudTests, count: int, told_of: Told) -> None:
    """Stack files as hypothesis makes them, through the pure side."""

    @settings(
        max_examples=count, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=[*HealthCheck]
    )
    @given(cloud.generated.odd)
    def each(config: Any) -> None:
        told_of.note(lambda: "planned" if planned(told(cloud, config)) else "refused", config)

    each()


def mutated(text: str, chance: random.Random) -> bytes:
    """A file with a change or two: of bytes, signs, lines, words."""
    data = text.encode()
    for _ in range(chance.randint(1, 2)):
        at, end = sorted(chance.choices(range(len(data) + 1), k=2))
        end = min(end, at + chance.choice((1, 1, 8, 60)))
        put = chance.choice(
            (b"", bytes([chance.randrange(256)]), chance.choice(SIGNS).encode(), chance.choice(WORDS).encode())
        )
        data = chance.choice((data[:at] + put + data[end:], data[:at] + data[at:end] * 2 + data[end:]))
    return data


def overrides(cloud: str, chance: random.Random) -> Iterator[str]:
    """Words after `--set`: a key of the cloud, perhaps spoiled, and a value, perhaps one of the key's own."""
    keys = [key for top in keys_of(cloud) for key in top.walk()]
    while True:
        key = chance.choice(keys)
        path = ".".join(part + "[0]" * (part in ("pools", "machines")) for part in key.path.split("."))
        value = chance.choice((*WORDS, str(key.example), str(key.default), *(each.value for each in key.choices)))
        word = f"{path}={value}"
        if chance.random() < 0.4:
            at = chance.randrange(len(word) + 1)
            word = word[:at] + chance.choice(SIGNS) + word[at + chance.randrange(3) :]
        yield word


def command(words: list[str]) -> str:
    """What `plan` does: 0 with a plan and nothing on stderr, or 2 with errors and nothing on stdout."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = run(words)
    shape = (code, bool(out.getvalue()), bool(err.getvalue().strip()))
    if shape not in ((0, True, False), (2, False, True)):
        raise AssertionError(f"exit code {code}, stdout {shape[1]}, stderr {err.getvalue()[:300]!r}")
    return "planned" if code == 0 else "refused"


def main() -> int:
    """Run all three, and say what came out."""
    cloud = next(each for each in clouds() if each.name == sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    chance = random.Random(int(os.environ.get("SEED", "1")))
    stack = cloud.stacks[0]
    text = (ROOT / "stacks" / f"Pulumi.{stack}.yaml").read_text()
    by = {"configurations": Told(), "mutated files": Told(), "--set words": Told()}
    with chdir(ROOT), TemporaryDirectory() as folder:
        configurations(cloud, count, by["configurations"])
        path = Path(folder) / "Pulumi.yaml"
        for _ in range(count // 5):
            path.write_bytes(data := mutated(text, chance))
            by["mutated files"].note(lambda: command(["plan", stack, "--config", str(path)]), data)
        for word, _ in zip(overrides(cloud.name, chance), range(count // 5), strict=False):
            by["--set words"].note(lambda word=word: command(["plan", stack, f"--set={word}"]), word)
    for what, of in by.items():
        print(f"{cloud.name}, {what}: {', '.join(f'{times:,} {said}' for said, times in of.outcomes.most_common())}")
        for cause, first in of.causes.items():
            print(f"  {cause}: {first}")
    return 1 if any(of.causes for of in by.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
