"""The docstrings that stand below the keys of a class, which Python keeps in its source alone."""

import ast
from collections.abc import Iterator
from enum import Enum
from functools import cache
from inspect import cleandoc, get_annotations, getsource
from itertools import pairwise
from sys import modules
from typing import Annotated, Any, NotRequired, TypeVar, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

T = TypeVar("T")


def key_docs(cls: type) -> dict[str, str]:
    """What stands below each key of a schema, each choice of an enum, each output of a component, inherited ones
    too."""
    docs: dict[str, str] = {}
    # A TypedDict forgets its bases but for this; other classes have them among their own.
    for base in getattr(cls, "__orig_bases__", cls.__bases__):
        if isinstance(base, type) and base.__module__.startswith(f"{__package__}."):
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


class _Init:
    """A component's ``__init__``; its docstring, which has to be text, is put together when the class is asked for it.
    Without one of its own ``help`` would show Pulumi's."""

    def __init__(self, function: Any) -> None:
        self._function, self._own = function, cleandoc(function.__doc__ or "")

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is not None:
            return self._function.__get__(instance, owner)
        self._function.__doc__ = f"{owner.__doc__}\n\n{self._own}".strip()
        return self._function


class _Doc:
    """A class's ``__doc__``, put together when it is read: most processes never read it."""

    def __init__(self, summary: str, args: type) -> None:
        self.summary = summary
        self._args = args

    def __get__(self, instance: object, owner: type) -> str:
        shown = [] if self._args is owner else [*self._outputs(owner)]
        return "\n".join([cleandoc(self.summary), "", *self._keys(self._args, ""), *shown]).strip()

    def _outputs(self, component: type) -> Iterator[str]:
        """What a component shows, own and inherited."""
        yield from ("", "Outputs:")
        docs = key_docs(component)
        for key, hint in (item for base in component.__mro__ for item in get_annotations(base).items()):
            if key in docs:
                yield f"{key} ({_spelled(get_args(hint)[0] if hasattr(get_origin(hint), 'apply') else hint)})"
                yield from (f"    {line}" for line in docs[key].splitlines())

    def _keys(self, shape: type, indent: str) -> Iterator[str]:
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
                yield from self._keys(nested, f"{indent}    ")


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
def _of_module(name: str) -> dict[str, dict[str, str]]:
    """The keys' docstrings of every class of a module, by the class's name."""
    classes = (node for node in ast.parse(getsource(modules[name])).body if isinstance(node, ast.ClassDef))
    return {node.name: dict(_documented(node.body)) for node in classes}


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for key, doc in pairwise(body):
        match key, doc:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, cleandoc(text)
