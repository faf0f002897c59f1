"""A tree as its difference from another stack's: words that are others throughout, and then a JSON merge patch.

In a merge patch (RFC 7386) `null` takes a key away, a mapping changes what is inside, and everything else stands in the
place of what was there.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .tree import Tree


def difference(one: Tree, other: Tree) -> Tree:
    """The second tree as its difference from the first."""
    words = dict(sorted(_words(_asked(one), _asked(other))))
    patch = _patch(_renamed(one, other["stack"], words), other)
    return {"stack": other["stack"], "like": one["stack"], "words": words, **patch}


def changed(one: Tree, difference: Tree) -> Tree:
    """The second tree, from the first and the difference."""
    patch = {key: value for key, value in difference.items() if key not in ("like", "words")}
    return _patched(_renamed(one, difference["stack"], difference["words"]), patch)


def _asked(tree: Tree) -> list[Tree]:
    """What is asked of the components at the top: zone, pools, machines."""
    return [{key: value for key, value in node.items() if key[0] != "."} for node in tree["resources"].values()]


def _words(one: Any, other: Any) -> Iterator[tuple[str, str]]:
    """The texts that differ in the same place."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() & other.keys():
            yield from _words(one[key], other[key])
    elif isinstance(one, list) and isinstance(other, list):
        for pair in zip(one, other, strict=False):
            yield from _words(*pair)
    elif isinstance(one, str) and isinstance(other, str) and one != other:
        yield one, other


def _renamed(tree: Tree, stack: str, words: Mapping[str, str]) -> Tree:
    """The tree under another stack's name, which the names of its resources begin with, and with other words."""
    old = tree["stack"]
    longer = {name for name in _names(tree["resources"]) if name.startswith(f"{old}-")}
    for change in (
        _replacing({name: stack + name.removeprefix(old) for name in longer}, r"\w.-", r"\w/-"),
        _replacing({old: stack}, r"\w.:-", r"\w.:/-"),
        _replacing(words, r"\w.", r"\w"),
    ):
        tree = _mapped(tree, change)
    return tree


def _replacing(words: Mapping[str, str], before: str, behind: str) -> Callable[[str], str]:
    """Puts the others in the place of words that are not part of longer ones: next to none of these characters."""
    if not words:
        return str
    longest_first = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    pattern = re.compile(rf"(?<![{before}])({longest_first})(?![{behind}])")
    return lambda text: pattern.sub(lambda found: words[found[1]], text)


def _patch(one: Any, other: Any) -> Any:
    """What changes one value into another, neither of which holds a null."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return other
    new = {key: _patch(one.get(key), value) for key, value in other.items() if key not in one or one[key] != value}
    return {**new, **{key: None for key in one if key not in other}}


def _patched(one: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    kept = one if isinstance(one, dict) else {}
    new = {**kept, **{key: _patched(kept.get(key), value) for key, value in patch.items()}}
    return {key: value for key, value in new.items() if value is not None}


def _names(resources: Tree) -> Iterator[str]:
    for key, node in resources.items():
        yield key.partition(" ")[2]
        yield from _names(node.get(".below", {}))


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        new = {change(key): _mapped(of, change) for key, of in value.items()}
        return {**new, ".after": sorted(new[".after"])} if ".after" in new else new
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return change(value) if isinstance(value, str) else value
