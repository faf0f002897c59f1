"""Verbs as records: the fields are the options, so that a type checker sees who reads which, and ``run`` answers.

``cli.app`` lists the verbs. Options that several verbs have stand here.
"""

import re
from argparse import ArgumentTypeError, _MutuallyExclusiveGroup
from collections.abc import Callable
from dataclasses import field, fields
from pathlib import Path
from types import NoneType
from typing import Any, dataclass_transform, get_args, get_origin

from pulumi_offline.frozen import frozen
from ..common import CLOUDS
from .parser import Parser

KUBECONFIG = "--kubeconfig"
WHOSE = "the cluster's, as `pulumi stack output kubeconfig --show-secrets` prints it"
"""What file the option names."""


def option(words: str = "", help: str | None = None, group: str = "", **how: Any) -> Any:
    """A field that is an option, as a help writes it: ``--html FILE``, or ``STACK`` for an argument by its place.

    The field's type tells how the value is read, and whether there may be several; ``how`` is argparse's. Of the
    options of one ``group`` a command line has one at most.
    """
    return field(metadata={"option": (words, group, {"help": help, **how})})


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(option,))
class Verb:
    """A verb with the options of one command line."""

    def __init_subclass__(cls) -> None:
        frozen(kw_only=True)(cls)

    def run(self) -> int:
        """Answer, and return the exit code. Raises ``Refused`` for wrong input."""
        raise NotImplementedError

    @classmethod
    def add_to(cls, parser: Parser) -> None:
        """Add the options to the verb's parser."""
        exclusive: dict[str, _MutuallyExclusiveGroup] = {}
        for each in fields(cls):  # ty: ignore[invalid-argument-type]
            words, group, how = each.metadata["option"]
            flag, _, metavar = words.rpartition(" ") if " " in words or not words.startswith("-") else (words, "", "")
            if group and group not in exclusive:
                exclusive[group] = parser.add_mutually_exclusive_group()
            add = exclusive[group].add_argument if group else parser.add_argument
            how = {**({"metavar": metavar} if metavar else {}), **_of_type(each.type, how)}
            add(flag, dest=each.name, **how) if flag else add(each.name, **how)
        parser.set_defaults(verb=cls)


def _of_type(hint: Any, how: dict[str, Any]) -> dict[str, Any]:
    """What argparse needs to know to give a field what its type says."""
    if hint is bool:
        return {"action": "store_true", **how}
    if get_origin(hint) is list:
        several = {} if "nargs" in how else {"action": "append"}
        return {"default": [], **several, **_of_type(get_args(hint)[0], how)}
    kind = next(each for each in get_args(hint) or (hint,) if each is not NoneType)
    return {**({"type": _READ[kind]} if kind in _READ else {}), **how}


def overrides_option() -> Any:
    """The field ``overrides`` of verbs that read a stack."""
    return option("--set PATH=VALUE", "lay a value over the configuration, e.g. pools[0].nodes=4; may be given again")


def json_option() -> Any:
    """The field ``json``."""
    return option("--json", "print JSON alone")


def cloud_option(help: str | None = None) -> Any:
    """The field ``cloud``: an argument, or with ``help`` an option."""
    if help is None:
        return option("CLOUD", " or ".join(CLOUDS), choices=CLOUDS)
    return option("--cloud CLOUD", f"{help}: {', '.join(CLOUDS)}", choices=CLOUDS)


def kubeconfig_option() -> Any:
    """The field ``kubeconfig``: no other file is asked, whatever the environment says."""
    return option(f"{KUBECONFIG} FILE", "of the cluster; exec plugins are run")


def duration(text: str) -> float:
    """Seconds of ``90s``, ``10m`` or ``2h``."""
    match = re.fullmatch(r"([1-9]\d{0,5})([smh])", text)
    if match is None:
        raise ArgumentTypeError(f"got {text!r}; expected a time as 90s, 10m or 2h")
    return int(match[1]) * {"s": 1.0, "m": 60.0, "h": 3600.0}[match[2]]


def whole_number(text: str) -> int:
    """A whole number in ASCII digits, as an option writes it."""
    if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) < 10):
        raise ArgumentTypeError(f"must be a whole number, got {text!r}")
    return int(text)


_READ: dict[Any, Callable[[str], Any]] = {Path: Path, int: whole_number, float: duration}
"""What reads an option of a type."""
