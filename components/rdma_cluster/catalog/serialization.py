"""The JSON form of a machine, one way and back: every field of the record under its own name.

The form is an interface (docs/catalogue.md): fields are added, never renamed. Enums stand as their values, tuples as
lists, records as objects; of a ``null`` that is no fact in itself, ``unknown`` or ``evidence`` gives the reason.
"""

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from . import machines
from .machine import Machine


def to_json(machine: Machine) -> dict[str, Any]:
    """The machine as plain lists, dicts, strings and numbers, in the record's order."""
    return plain(machine)


def from_json(form: Mapping[str, Any]) -> Machine:
    """The machine a form describes; equal to the one it was made from."""
    return _record(record_of(form["cloud"]), form)


def record_of(cloud: str) -> type[Machine]:
    """The record class of a cloud's machines, e.g. ``GkeMachine``."""
    return type(machines(cloud)[0])


def plain(value: Any) -> Any:
    """A value of a record as JSON has it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    return value


@cache
def _hints(record: type) -> dict[str, Any]:
    return get_type_hints(record)


def _record(record: type, form: Mapping[str, Any]) -> Any:
    return record(**{name: _typed(hint, form[name]) for name, hint in _hints(record).items() if name in form})


def _typed(hint: Any, value: Any) -> Any:
    """``value`` as the annotation says: the few kinds of annotation that the records use."""
    if get_origin(hint) in (Union, types.UnionType):
        if value is None:
            return None
        (hint,) = (each for each in get_args(hint) if each is not types.NoneType)
    if get_origin(hint) is tuple:
        return tuple(_typed(get_args(hint)[0], each) for each in value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    if is_dataclass(hint):
        return _record(hint, value)
    if get_origin(hint) is Mapping:
        return {key: _typed(get_args(hint)[1], each) for key, each in value.items()}
    return value
