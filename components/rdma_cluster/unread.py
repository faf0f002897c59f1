"""A value that could not be read, and rules that stop where they meet it: one fault hides only what follows from it.

The door puts ``UNREAD`` where a value is missing or of a wrong type. It may be passed on, and what is below it is
unread as well; but who compares, counts or prints it raises ``MetUnread``. ``rule`` ends a rule there, ``if_read``
makes of an expression one more value that is unread. So the rules themselves are written as if all were read.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class MetUnread(Exception):
    """A rule looked at a value that could not be read; the door has told why."""


class _Unread:
    """Stands for a value that could not be read."""

    def _stop(self, *_: object) -> Any:
        raise MetUnread

    def get(self, *_: object) -> Any:
        return self

    __getitem__ = get
    __getattr__ = __contains__ = __iter__ = __len__ = __bool__ = __hash__ = __index__ = _stop
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __str__ = __repr__ = __format__ = _stop
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __or__ = __ror__ = __neg__ = _stop


UNREAD: Any = _Unread()


def rule(judge: Callable[P, T]) -> Callable[P, T | None]:
    """``judge`` as a rule: it ends with ``None`` where it needs a value that could not be read.

    It needs all that it is given by position; what it is given by keyword it needs when it looks at it.
    """

    @wraps(judge)
    def judged(*args: P.args, **kwargs: P.kwargs) -> T | None:
        if any(each is UNREAD for each in args):
            return None
        try:
            return judge(*args, **kwargs)
        except MetUnread:
            return None

    return judged


def holds(test: Callable[[], object]) -> bool:
    """Whether a test holds; it does not where it needs a value that could not be read."""
    return if_read(lambda: bool(test())) is True


def if_read(compute: Callable[[], T]) -> T:
    """What ``compute`` gives; ``UNREAD`` where it needs a value that could not be read."""
    try:
        return compute()
    except MetUnread:
        return UNREAD


def or_else(value: T, stand_in: T) -> T:
    """``value``, or a stand-in for rules to which any value would do."""
    return stand_in if value is UNREAD else value


def items(values: list[T]) -> list[T]:
    """The items of a list, each of which may be unread; none where the list itself is."""
    return [] if values is UNREAD else values


def readable(values: list[T]) -> list[T]:
    """The items that could be read."""
    return [value for value in items(values) if value is not UNREAD]
