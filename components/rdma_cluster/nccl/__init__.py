"""nccl-tests output to verdict: pure, standard library only, and the same files run inside the cluster.

Only ``bundle`` stays outside; everything here imports nothing but its neighbours.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .advice import closing
    from .busbw import COLLECTIVES
    from .expectation import NETWORKS, BadExpectationError, Expectation, FloorLine, from_json
    from .files import NotReadableError, judge_logs, read_log, read_stream
    from .plot import write_svg
    from .text import cause_rows, culprit_rows, gate_rows, plain_text, size_rows, termination_message
    from .verdict import GATES, UnknownGateError, Verdict, judge

_HOMES = {
    "busbw": ("COLLECTIVES",),
    "files": ("NotReadableError", "judge_logs", "read_log", "read_stream"),
    "plot": ("write_svg",),
    "verdict": ("GATES", "UnknownGateError", "Verdict", "judge"),
    "expectation": ("NETWORKS", "BadExpectationError", "Expectation", "FloorLine", "from_json"),
    "advice": ("closing",),
    "text": ("cause_rows", "culprit_rows", "gate_rows", "plain_text", "size_rows", "termination_message"),
}

__all__ = [
    "COLLECTIVES",
    "GATES",
    "NETWORKS",
    "BadExpectationError",
    "Expectation",
    "FloorLine",
    "NotReadableError",
    "UnknownGateError",
    "Verdict",
    "cause_rows",
    "closing",
    "culprit_rows",
    "from_json",
    "gate_rows",
    "judge",
    "judge_logs",
    "plain_text",
    "read_log",
    "read_stream",
    "size_rows",
    "termination_message",
    "write_svg",
]


def __getattr__(name: str) -> Any:
    """A name from its module, imported when it is first asked for: a plan needs the expectation and not the reader."""
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
