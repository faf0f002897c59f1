"""The docstrings that stand below the keys of a class, and the help that shows them."""

import json
from collections.abc import Iterator
from enum import Enum
from functools import cache
from importlib.resources import files
from inspect import cleandoc, get_annotations, getsource
from sys import modules
from typing import Annotated, Any, NotRequired, TypeVar, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict
from .source_docs import Docs, docs_of_module

BUILT = "key_docs.json"
"""In a wheel, the docstrings of all modules as JSON; a clone has its sources."""
T = TypeVar("T")
_OURS = f"{__name__.partition('.')[0]}."


def key_docs(cls: type) -> dict[str, str]:
    """The docstring of each key of a schema, choice of an enum or output of a component, inherited ones too."""
    docs: dict[str, str] = {}
    # A TypedDict forgets its bases but for this; other classes have them among their own.
    for base in getattr(cls, "__orig_bases__", cls.__bases__):
        if isinstance(base, type) and base.__module__.startswith(_OURS):
            docs |= key_docs(base)
    return docs | _of_module(cls.__module__).get(cls.__name__, {})


def summary(cls: type) -> str:
    """The docstring of a class as its author wrote it, without its keys."""
    doc = vars(cls).get("__doc__")
    return cleandoc(doc.summary if isinstance(doc, _Doc) else doc or "")


def with_keys(cls: type[T]) -> type[T]:
    """Puts the keys of a schema, or of a component's args, below its docstring, where ``help`` finds them."""
    args = getattr(cls.__init__, "__annotations__", {}).get("args", cls)
    setattr(cls, "__doc__", _Doc(cls.__doc__ or "", args))  # noqa: B010
    if args is not cls:
        setattr(cls, "__init__", _Init(cls.__init__))  # noqa: B010
    return cls


class _Doc:
    """A class's ``__doc__``. It is put together when ``help`` reads it: a `plan` imports a hundred schemas."""

    def __init__(self, summary: str, args: type) -> None:
        self.summary, self._args = summary, args

    def __get__(self, instance: object, owner: type) -> str:
        outputs = () if self._args is owner else _outputs(owner)
        return "\n".join([cleandoc(self.summary), "", *_keys(self._args, ""), *outputs]).strip()


class _Init:
    """A component's ``__init__``, whose docstring is its class's and its own. Without one ``help`` shows Pulumi's."""

    def __init__(self, function: Any) -> None:
        self._function, self._own = function, cleandoc(function.__doc__ or "")

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is not None:
            return self._function.__get__(instance, owner)
        self._function.__doc__ = f"{owner.__doc__}\n\n{self._own}".strip()
        return self._function


def _outputs(component: type) -> Iterator[str]:
    """The outputs of a component, own and inherited, as lines of its help."""
    yield from ("", "Outputs:")
    docs = key_docs(component)
    for key, hint in (item for base in component.__mro__ for item in get_annotations(base).items()):
        if key in docs:
            yield f"{key} ({_spelled(get_args(hint)[0] if hasattr(get_origin(hint), 'apply') else hint)})"
            yield from (f"    {line}" for line in docs[key].splitlines())


def _keys(shape: type, indent: str) -> Iterator[str]:
    """The keys of a schema as lines of its help."""
    docs, required = key_docs(shape), getattr(shape, "__required_keys__", ())
    # The type of a key where it is given.
    hints = {
        key: get_args(hint)[0] if get_origin(hint) is NotRequired else hint
        for key, hint in get_type_hints(shape, include_extras=True).items()
    }
    # Required keys first, each group in the order of the source.
    for key, hint in sorted(hints.items(), key=lambda item: item[0] not in required):
        optional = "" if key in required else ", optional"
        yield f"{indent}{key} ({_spelled(hint)}{optional})"
        yield from (f"{indent}    {line}" for line in docs.get(key, "").splitlines())
        if is_typeddict(nested := _element(hint)):
            yield from _keys(nested, f"{indent}    ")


def _element(hint: Any) -> Any:
    """The schema that a key holds: by itself, in a list, or as what another resource may bring."""
    return _element(get_args(hint)[0]) if get_origin(hint) in (list, Annotated) else hint


def _spelled(hint: Any) -> str:
    """A type as a reader writes it: ``list[GkePool]``, ``'dra' | 'device-plugin'``, ``Input[str]``."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return " | ".join(repr(choice.value) for choice in hint)
    if (origin := get_origin(hint)) is None:
        return getattr(hint, "__name__", str(hint))
    plain = get_args(hint)[:1] if origin is Annotated else get_args(hint)
    return f"{'Input' if origin is Annotated else origin.__name__}[{', '.join(map(_spelled, plain))}]"


@cache
def _of_module(name: str) -> Docs:
    """The docstrings of a module's classes. A class of a user's that stands on one of ours may have no source."""
    if name.startswith(_OURS) and (built := _built()):
        return built.get(name, {})
    try:
        return docs_of_module(getsource(modules[name]))
    except (OSError, TypeError):
        return {}


@cache
def _built() -> dict[str, Docs]:
    """The docstrings that the build of this wheel wrote down; empty in a clone."""
    file = files("rdma_cluster.base") / BUILT
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
