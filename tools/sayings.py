"""What has to be read in sources: `python -m tools.sayings` prints the questions, without a value of ours.

A reader who gets these alone opens each address and enters what it says into `catalog/said/` (docs/catalogue.md). With
`--all` the readings that there are already are asked again.
"""

import inspect
import json
import sys
from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

from rdma_cluster.base.source_docs import docs_of_module
from rdma_cluster.catalog import aks_releases, machines, releases
from rdma_cluster.catalog.machine import Known, Machine, Source, TopologyFile
from rdma_cluster.catalog.questions import figures
from rdma_cluster.catalog.sayings import sayings, value_of
from rdma_cluster.cli.evidence import promises_of
from rdma_cluster.cli.stack_file import read_stack
from tests.stacks import STACKS

FLOORS = {"GKE": releases.GKE, "EKS": releases.EKS, "AKS": aks_releases.FLOORS}
# A chart's tag or an image's is part of its name, the digest is what a source has to say.
_ARTIFACTS = ("chart", "image")
_OUR_CHOICE = {"default", "source", "minors_source"}


class Asked(NamedTuple):
    """One question to a source."""

    of: str
    field: str
    sources: tuple[Source, ...]
    record: object
    """The machine, the floors or the whole reference: what holds our value, which a reader does not get."""


def asked() -> Iterator[Asked]:
    """Every settled figure of a machine that a stack has, every digest of an artifact, every floor of Kubernetes.

    Words of our own (kinds, choices, yes or no) stand in no source, and a figure that is open promises nothing.
    """
    found = {(each.of, each.what): each for stack in STACKS for each in promises_of(read_stack(stack, None, ())[1])}
    named = {machine.name: machine for machine in machines()}
    for of in dict.fromkeys(of for of, _ in found if of in named):
        yield from _of_machine(named[of])
    for (kind, name), promise in found.items():
        if kind in _ARTIFACTS and promise.sources and "@" in name:
            yield Asked(name.partition("@")[0], "digest", promise.sources, name)
    for of, floors in FLOORS.items():
        for field in sorted(floors.__dataclass_fields__.keys() - _OUR_CHOICE):
            source = getattr(floors, f"{field}_source", floors.source)
            yield Asked(of, field, (source,), floors)


def _of_machine(machine: Machine) -> Iterator[Asked]:
    """The settled figures, and the runs of every threshold."""
    questions: dict[str, Asked] = {}
    for figure in figures(machine):
        if figure.known in (Known.MEASURED, Known.PUBLISHED):
            for field in _parts(machine, figure.field):
                if _is_said(getattr(machine, field.partition(".")[0])) and value_of(machine, field):
                    questions[field] = Asked(machine.name, field, figure.sources, machine)
    if machine.thresholds:
        runs = tuple(dict.fromkeys(each.source for each in machine.thresholds))
        questions["thresholds"] = Asked(machine.name, "thresholds", runs, machine)
    yield from questions.values()


def _parts(machine: Machine, field: str) -> list[str]:
    """The field, or each of its parts where it has names of our own."""
    if field == "gpu":
        return ["gpu.model", "gpu.memory_gib"]
    if field.startswith("roots."):
        return []  # the whole of `roots` is asked
    return [f"{field}.{each}" for each in machine.min_kubernetes] if field == "min_kubernetes" else [field]


def _is_said(value: object) -> bool:
    """Whether a source can say a value: it is no word of ours, and no file."""
    if isinstance(value, (bool, Enum, TopologyFile)) or value is None:
        return False
    return not isinstance(value, tuple) or not any(isinstance(each, (bool, Enum)) for each in value)


def _meaning(record: object, field: str) -> str:
    """The text that stands below a field in its class; empty for a field whose name says it."""
    classes = () if isinstance(record, str) else type(record).__mro__[:-1]
    texts = (docs_of_module(inspect.getsource(each)).get(each.__name__, {}) for each in classes)
    return next((" ".join(docs[name].split()) for docs in texts if (name := field.partition(".")[0]) in docs), "")


def main() -> int:
    """Print the questions as JSON, by machine or artifact."""
    known = set() if "--all" in sys.argv else {(each.of, each.field) for some in sayings().values() for each in some}
    questions: dict[str, list[dict[str, Any]]] = {}
    for each in asked():
        if (each.of, each.field) not in known:
            sources = [f"{source.ref} ({source.seen})" for source in each.sources]
            means = _meaning(each.record, each.field)
            questions.setdefault(each.of, []).append({"field": each.field, "means": means, "sources": sources})
    json.dump(questions, sys.stdout, indent=1, ensure_ascii=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
