"""Frozen dataclasses that are made quickly.

``dataclass(frozen=True)`` writes six methods for each class as text and compiles them. Here all classes share one set
of methods. A `plan` imports 114 such classes and takes 0.21 s of CPU time; with the standard library's it takes 0.30 s
(2026-11-27, Python 3.11). ``fields``, ``replace``, ``asdict``, pattern matching, ``inspect.signature`` and type
checkers see an ordinary frozen dataclass.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from inspect import Parameter, Signature
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def frozen(cls: type[T]) -> type[T]: ...
@overload
def frozen(*, kw_only: bool = False, eq: bool = True) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field, Field))
def frozen(cls: Any = None, *, kw_only: bool = False, eq: bool = True) -> Any:
    """``cls`` as a frozen dataclass; ``kw_only`` and ``eq`` as in ``dataclass``. A method that the class defines itself
    stays."""

    def make(own: Any) -> Any:
        made = dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(own)
        for name in _SHARED:
            if name not in vars(own) and (eq or name not in ("__eq__", "__hash__")):
                setattr(made, name, vars(_Methods)[name])
        return made

    return make if cls is None else make(cls)


class _Signature:
    """What ``inspect.signature`` and ``help`` show of a class: its fields. It is put together when it is read."""

    def __get__(self, instance: object, owner: Any) -> Signature:
        # Fields that go by keyword come last, as in the constructor that a dataclass writes.
        return Signature([_parameter(each) for each in sorted(fields(owner), key=lambda each: bool(each.kw_only))])


def _parameter(each: Field[Any]) -> Parameter:
    default = each.default if each.default_factory is MISSING else each.default_factory()
    return Parameter(
        each.name,
        Parameter.KEYWORD_ONLY if each.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
        default=Parameter.empty if default is MISSING else default,
        annotation=each.type,
    )


class _Methods:
    """What all frozen classes share."""

    __signature__ = _Signature()

    __match_args__: tuple[str, ...]
    __dataclass_fields__: dict[str, Field[Any]]

    def __init__(self, *args: Any, **named: Any) -> None:
        values = self.__dict__
        if args:
            if len(args) > len(self.__match_args__):
                cls = type(self).__name__
                raise TypeError(f"{cls} takes {len(self.__match_args__)} positional arguments, got {len(args)}")
            values.update(zip(self.__match_args__, args, strict=False))
            if twice := values.keys() & named.keys():
                raise TypeError(f"{type(self).__name__} got two values for {', '.join(sorted(twice))}")
        values.update(named)
        if values.keys() != self.__dataclass_fields__.keys():
            _complete(self, values)
        if check := getattr(self, "__post_init__", None):
            check()

    def __repr__(self) -> str:
        shown = [each.name for each in self.__dataclass_fields__.values() if each.repr]
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def __eq__(self, other: object) -> bool:
        return _compared(self) == _compared(other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(_compared(self))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


_SHARED = ("__signature__", "__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__")


def _complete(record: Any, values: dict[str, Any]) -> None:
    """Fill in the defaults."""
    cls, known = type(record).__name__, record.__dataclass_fields__
    if unknown := values.keys() - known.keys():
        raise TypeError(f"{cls} has no {', '.join(sorted(unknown))}")
    for name, each in known.items():
        if name not in values:
            if each.default is MISSING and each.default_factory is MISSING:
                raise TypeError(f"{cls} needs {name}")
            values[name] = each.default if each.default_factory is MISSING else each.default_factory()


def _compared(record: Any) -> tuple[Any, ...]:
    return tuple(getattr(record, each.name) for each in record.__dataclass_fields__.values() if each.compare)
