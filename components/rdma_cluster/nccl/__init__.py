"""nccl-tests output to verdict: pure, standard library only, and the same files run inside the cluster.

Only ``expectation`` and ``ship`` stay outside; everything here imports nothing but its neighbours.
"""

from .files import NotReadableError, judge_logs, read_log, read_stream
from .plot import write_svg
from .verdict import GATES, UnknownGateError, Verdict, judge
from .wanted import BadExpectationError, Expectation, FloorLine, from_json
from .words import fault_rows, gate_rows, plain_text, size_rows, termination_message

__all__ = [
    "GATES",
    "BadExpectationError",
    "Expectation",
    "FloorLine",
    "NotReadableError",
    "UnknownGateError",
    "Verdict",
    "fault_rows",
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
