"""Published logs as test data: the file's own header says where it is from, what was wanted, and the outcome."""

import json
from dataclasses import dataclass
from pathlib import Path

from rdma_cluster.nccl import Expectation, from_json

LOGS = Path(__file__).parent / "logs"


@dataclass(frozen=True)
class Case:
    """One log with its outcome."""

    name: str
    source: str
    expectation: Expectation
    fails: tuple[str, ...]
    largest: tuple[int, float | None, float | None] | None
    text: bytes


def load(path: Path) -> Case:
    """Read a log and its header of four ``##`` lines."""
    text = path.read_bytes()
    head = dict(line[3:].split(": ", 1) for line in text.decode().splitlines()[:4] if line.startswith("## "))
    largest = None
    if head["largest"] != "none":
        size, out, into = head["largest"].split()
        largest = (int(size), _figure(out), _figure(into))
    expectation = from_json(json.dumps(json.loads(head["expect"])))
    return Case(path.stem, head["source"], expectation, tuple(head["fails"].split()), largest, text)


def _figure(word: str) -> float | None:
    return None if word == "None" else float(word)


CASES = [load(path) for path in sorted(LOGS.glob("*.log"))]
