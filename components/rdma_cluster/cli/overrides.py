"""``--set PATH=VALUE``: one value laid over a stack's configuration.

PATH is a key, then any number of ``.key`` and ``[index]``; a key with dots or other signs stands in brackets and
quotes: ``pools[0].labels["example.com/team"]``. A first key without a namespace is ours. VALUE is YAML. ``null``, or
nothing, takes the key or the item away; an index one past the end adds an item.
"""

import json
import re
from typing import Any

from pulumi_offline import strict_yaml
from pulumi_offline.errors import refusal, show
from ..base.config import NAMESPACE

_WORD = r"[^.\[\]=\"'\s]+"
_FIRST = re.compile(rf"(?!:){_WORD}(?<!:)")
_STEP = re.compile(rf"""\.(?P<key>{_WORD})|\[(?P<index>[0-9]{{1,6}})\]|\[(?P<quoted>"(?:[^"\\]|\\.)*"|'[^']*')\]""")

Step = str | int


def lay_over(config: dict[str, Any], override: str) -> None:
    """Change ``config`` by one override. Raises ``Refused`` for what is none, or fits nowhere."""
    if (path_and_text := path_of(override)) is None:
        raise refusal(f"got {show(override)}; write PATH=VALUE, e.g. pools[0].nodes=4", "--set")
    path, text = path_and_text
    value = strict_yaml.read(text, f"--set {override.partition('=')[0]}")
    if (why := _put(config, path, value)) is not None:
        raise refusal(f"got {show(override)}; {why}", "--set")


def path_of(override: str) -> tuple[list[Step], str] | None:
    """The steps before the equals sign, and what is after it."""
    if (first := _FIRST.match(override)) is None:
        return None
    steps: list[Step] = [first[0] if ":" in first[0] else f"{NAMESPACE}:{first[0]}"]
    at = first.end()
    while len(steps) < strict_yaml.DEEPEST and (step := _STEP.match(override, at)) is not None:
        at = step.end()
        if step["index"] is not None:
            steps.append(int(step["index"]))
        elif step["key"] is not None:
            steps.append(step["key"])
        else:
            quoted = step["quoted"]
            try:
                steps.append(json.loads(quoted) if quoted[0] == '"' else quoted[1:-1])
            except ValueError:
                return None
    return (steps, override[at + 1 :]) if override[at : at + 1] == "=" else None


def _put(config: dict[str, Any], path: list[Step], value: Any) -> str | None:
    """Set ``value`` at ``path``; ``None`` takes away what is there. Returns why a step leads nowhere."""
    at: Any = config
    for step, following in zip(path, [*path[1:], None], strict=True):
        if isinstance(step, int):
            if not isinstance(at, list) or step > len(at):
                return f"there is nothing at {show(step)} to set"
            there = at[step] if step < len(at) else None
        elif isinstance(at, dict):
            there = at.get(step)
        elif isinstance(at, list):
            return f"{show(step)} names no item of a list; write its index in brackets, e.g. pools[0].nodes=4"
        else:
            return f"there is nothing at {show(step)} to set"
        if following is None:
            there = value
        elif there is None and value is not None:
            there = [] if isinstance(following, int) else {}
        if isinstance(at, list) and isinstance(step, int):
            at[step : step + 1] = [] if there is None else [there]
        elif isinstance(at, dict):
            at[step] = there
        if there is None:  # taken away, or not there to take anything from
            return None
        at = there
    return None
