"""A value that could not be read, and rules that stop where they meet it: one fault hides only what follows from it."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class MetUnread(Exception):
    """A rule looked at a value that could not be read; the door has told why."""


class _Unread:
    """Stands in args for a value that is missing or of a wrong type. It may be passed on; to look at it is to stop."""

    def _stop(self, *_: object) -> Any:
        raise MetUnread

    __getattr__ = __getitem__ = __contains__ = __iter__ = __len__ = __bool__ = __hash__ = __index__ = _stop
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
