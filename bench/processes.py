"""Whole processes, timed side by side: the median of paired runs, as a ratio to an empty Python process."""

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from statistics import median

EMPTY = "empty process"


def ratios(commands: Mapping[str, Sequence[str]], rounds: int = 7) -> dict[str, tuple[float, float]]:
    """Seconds and ratio to ``python -c pass`` of each command.

    Each round runs every command once, so that what else the machine does falls on all of them alike.
    """
    everything = {EMPTY: [sys.executable, "-c", "pass"], **commands}
    seconds: dict[str, list[float]] = {name: [] for name in everything}
    for _ in range(rounds):
        for name, command in everything.items():
            started = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            seconds[name].append(time.perf_counter() - started)
    baseline = seconds[EMPTY]
    return {
        name: (median(taken), median(one / empty for one, empty in zip(taken, baseline, strict=True)))
        for name, taken in seconds.items()
    }
