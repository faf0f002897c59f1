"""What sources say of the figures that stacks rest on, read by people who had the address and the field's name alone.

``said/`` has a file for each cloud and one for ``artifacts``. A reader who has not seen our value cannot copy it, so a
row that holds something else than its source shows as a disagreement.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from .machine import Machine
from .serialization import plain


class Saying(NamedTuple):
    """One reading of one source."""

    of: str
    """The machine type, or the artifact without its digest."""
    field: str
    """The field's name, with a dot below it: ``gpu.model``."""
    says: Any
    """The value in the field's own form and unit: a number, a text, a list, or an object of the parts that the source
    names. ``thresholds`` has a list of runs, each with ``collective``, ``nodes``, ``gpus_per_node``, ``size_bytes`` and
    ``gbytes``. ``None`` where the source could not be opened or does not say."""
    source: str
    """The address, or the repository, commit and path."""
    version: str
    """The commit, release or date of what was read."""
    read: str
    """The day of the reading, ISO 8601."""
    why: str = ""
    """Why there is no value, or why the row holds another one all the same."""


@cache
def sayings() -> Mapping[str, tuple[Saying, ...]]:
    """Every reading by the machine or artifact that it is of."""
    said: dict[str, tuple[Saying, ...]] = {}
    for file in sorted(files("rdma_cluster.catalog").joinpath("said").iterdir(), key=lambda each: each.name):
        for of, readings in json.loads(file.read_text(encoding="utf-8")).items():
            said[of] = tuple(Saying(of, **reading) for reading in readings)
    return said


def sayings_of(machine: Machine) -> tuple[Saying, ...]:
    """The readings of one machine's figures."""
    return sayings().get(machine.name, ())


def disagrees(saying: Saying, record: object) -> bool:
    """Whether a record of the catalogue holds something else than a source says of its field."""
    if saying.says is None:
        return False
    if isinstance(record, Machine) and saying.field == "thresholds":
        return _contradicted(saying.says, record)
    return not _holds(value_of(record, saying.field), saying.says)


def value_of(record: object, field: str) -> Any:
    """The value of a field as JSON has it; below a list, that of each entry."""
    name, *parts = field.split(".", 1)
    held = plain(getattr(record, name))
    for part in parts:
        held = [each[part] for each in held] if isinstance(held, list) else held[part]
    return held


def _holds(held: Any, says: Any) -> bool:
    """Whether a value holds all that a source says of it; a source may be silent on a part of a record.

    Records of a list may stand in another order, whole numbers may be rounded, and words may be in capitals.
    """
    match held, says:
        case dict(), dict():
            return all(name in held and _holds(held[name], each) for name, each in says.items())
        case list(), [dict(), *_]:
            return len(held) == len(says) and all(any(_holds(each, one) for each in held) for one in says)
        case list(), list():
            return len(held) == len(says) and all(map(_holds, held, says))
        case int(), float():
            return held == round(says)
        case str(), str():
            return held.casefold() == says.casefold()
    return held == says


def _contradicted(runs: list[dict[str, Any]], machine: Machine) -> bool:
    """Whether a run is slower than the threshold that it should pass, or a published figure is in no run."""
    for threshold in machine.thresholds:
        alike = [
            run["gbytes"]
            for run in runs
            if (run["collective"], run["nodes"], run["gpus_per_node"], bool(run.get("nvlink")))
            == (threshold.collective, threshold.nodes, threshold.gpus_per_node, threshold.nvlink)
            and (run["size_bytes"] or 0) >= threshold.size_bytes
        ]
        if alike and (min(alike) < threshold.busbw_gbytes or threshold.published_gbytes not in (None, *alike)):
            return True
    return False
