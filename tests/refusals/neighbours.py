"""The neighbour of a refusal case: the nearest that is let in."""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rdma_cluster.base.config import NAMESPACE
from rdma_cluster.cli.overrides import lay_over, path_of
from tests.refusals.case import Case
from tests.refusals.pairs import of_form, settings, told
from tests.refusals.running import build, command, run_command

_TEXT = re.compile(r"Pulumi\.[\w-]+\.yaml:|--set")
"""Where a line is about the text of a file or of an override, before anything is read out of it."""


def before_rules(case: Case) -> bool:
    """Whether a case is refused before a rule is judged: unknown keys, wrong types, what is no YAML."""
    return of_form(case) or (case.kind == "stack" and all(map(_TEXT.match, case.refused)))


def neighbour(case: Case) -> Case | None:
    """What its file says is let in."""
    if case.allowed is None:
        return None
    other = {"set": case.allowed} if isinstance(case.allowed, list) else dict(case.allowed)
    values = other.pop("set", [])
    if case.kind == "component":
        other["args"] = _laid_over(case.args, values)
    else:
        other["set"] = [*case.set, *values]
    return replace(case, refused=[], allowed=None, **other)


def _laid_over(args: dict[str, Any], values: list[str]) -> dict[str, Any]:
    config = {f"{NAMESPACE}:{key}": value for key, value in deepcopy(args).items()}
    for each in values:
        lay_over(config, each)
    return {key.partition(":")[2]: value for key, value in config.items() if value is not None}


def refused(case: Case, folder: Path) -> str:
    """What is said against a case; nothing where it is let in."""
    if case.kind == "component":
        build(case)
        return ""
    if case.kind == "command":
        code, _, err = run_command(case, folder / "here", folder / "path")
        return err if code == 2 else ""
    if case.file is None:
        return "\n".join(told(case.stack, case.set))
    code, _, err = command("plan", *case.stack_options(folder))
    return err if code else ""


@dataclass(frozen=True)
class Limit:
    """A limit that a refusal names, and what the neighbour has there."""

    path: str
    next_to_it: str
    found: str
    beyond: str = ""
    """The first value that is too little or too much, where there is one."""

    @property
    def met(self) -> bool:
        """Whether the neighbour is next to it."""
        return self.found == self.next_to_it


_BETWEEN = re.compile(r"got (?P<got>-?\d+); must be (?P<least>[\d,]+) (?:to (?P<most>[\d,]+)|or more)")
_MOST = re.compile(r"got (?P<got>\d+); .*?(?<![/\d,])(?P<most>[\d,]+)(?: nodes| pods)? (?:at the most|or fewer)\b")
_VERSION = re.compile(r".* needs (?:[A-Z]KE|[EA]KS|Kubernetes) (?P<least>[\w.-]+) or later")
_BLOCK = re.compile(r".*; take a (?P<block>/\d+) or larger$")
_NAME = re.compile(r"got '(?P<got>[\w-]+)'.*?1 to (?P<most>\d+) (?:lower-case )?letters")


def limits(case: Case, other: Case) -> Iterator[Limit]:
    """The limits of a case that is refused for one alone."""
    if len(case.refused) != 1 or case.kind == "command":
        return
    path, _, text = case.refused[0].partition(": ")
    value = _value(other, path)
    # Of a list it is the length that has a limit, and the case itself is one beyond it.
    found = str(len(value) if isinstance(value, list) else value)
    if (limit := _BETWEEN.match(text)) or (limit := _MOST.match(text)):
        ends = {end: int(value.replace(",", "")) for end, value in limit.groupdict().items() if value is not None}
        least, got = ends.get("least"), ends["got"]
        last, step = (least, -1) if least is not None and got < least else (ends["most"], 1)
        yield Limit(path, str(last), found, "" if isinstance(value, list) else str(last + step))
    elif limit := _VERSION.match(text):
        at = "kubernetes.version" if case.kind == "stack" else "version"
        yield Limit(at, limit["least"], str(_value(other, at)), _before(limit["least"]))
    elif limit := _BLOCK.match(text):
        smaller = f"{found.partition('/')[0]}/{int(limit['block'][1:]) + 1}"
        yield Limit(path, limit["block"], "/" + found.partition("/")[2], smaller)
    elif (limit := _NAME.match(text)) and len(limit["got"]) > int(limit["most"]):
        yield Limit(path, limit["most"], str(len(found)), f"{found}a")


def _before(version: str) -> str:
    """The version before: its last number is one less."""
    head, dot, last = version.rpartition(".")
    return f"{head}{dot}{int(last) - 1}"


def _value(case: Case, path: str) -> Any:
    """The value at a path of what a neighbour is given; an empty text where there is none."""
    if (steps := path_of(f"{path}=")) is None:
        return ""
    at = _given(case)
    for step in steps[0]:
        try:
            at = at[step]
        except (LookupError, TypeError):
            return ""
    return at


def _given(case: Case) -> Any:
    if case.kind == "component":
        return {f"{NAMESPACE}:{key}": value for key, value in {"name": case.called, **case.args}.items()}
    if case.file is not None:
        return {f"{NAMESPACE}:name": case.stack}
    _, parsed = settings(case.stack)
    config = deepcopy(parsed)
    for each in case.set:
        lay_over(config, each)
    return config
