"""Every key of every cloud's stack whose value is a text, and texts that would do something in a shell or a template."""

from collections.abc import Iterator
from contextlib import chdir
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, get_args, get_origin

from rdma_cluster.args import hints, plain, to_camel
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.config import NAMESPACE, value
from rdma_cluster.offline.project import Settings
from typing_extensions import is_typeddict

from tests.changes.test_changes import CLOUDS, IN_CLUSTER, NO_CLUSTER
from tests.stacks import ROOT

TEXTS = ("$(id)", "`id`", "'", '"', "\n", "{{ x }}", "${HOME}", "$(HF_TOKEN)", "\\", ";id", "\x1b[2J")
FORMS = ("{hostile}", "{sound}{hostile}", "{sound} {hostile}", "{sound}={hostile}")


@dataclass(frozen=True)
class TextKey:
    """A key, as a cloud's stack file has it."""

    cloud: str
    path: tuple[str, ...]
    """As the schema spells it; no index."""
    many: tuple[bool, ...]
    """Of each step whether items of a list follow."""
    hint: Any
    changes: ModuleType

    @property
    def name(self) -> str:
        """As tests/<cloud>/changes.py has it."""
        return ".".join(self.path)

    @property
    def spelt(self) -> str:
        """As errors have it, an index left out."""
        return ".".join(map(to_camel, self.path))

    def settings(self, text: str, form: str) -> Iterator[Settings]:
        """Stacks with this key, and a hostile text at every place in its value."""
        keys = {arg: key for key, arg in import_module(f"rdma_cluster.{self.cloud}.plan").STACK_KEYS.items()}
        base = _base(self.changes.STACK, self.changes.OTHER.get(self.name, ()))
        first = to_camel(self.path[0])
        steps = [keys.get(first) or f"{NAMESPACE}:{first}", *map(to_camel, self.path[1:])]
        config = {key: value(each) for key, each in base.config.items()}
        sound = _at(config, steps, self.many)
        for made in _values(self.hint, sound, text, form):
            changed = deepcopy(config)
            _put(changed, steps, self.many, made)
            yield base.over({steps[0]: changed[steps[0]]})


@cache
def _base(stack: str, overrides: tuple[str, ...]) -> Settings:
    with chdir(ROOT):
        return read_stack(stack, None, overrides)[1]


def text_keys() -> Iterator[tuple[TextKey, bool]]:
    """Every key, and whether the same one of another cloud came before: parts inside a cluster are alike."""
    seen: set[str] = set()
    for changes in CLOUDS:
        cloud = changes.__name__.split(".")[1]
        for path, many, hint in _leaves(changes.ARGS):
            key = TextKey(cloud, path, many, hint, changes)
            again = path[0] in IN_CLUSTER and key.name in seen and changes.STACK != NO_CLUSTER
            seen.add(key.name)
            yield key, again


def _leaves(schema: type) -> Iterator[tuple[tuple[str, ...], tuple[bool, ...], Any]]:
    for name, hint in hints(schema).items():
        hint = plain(hint)
        many = get_origin(hint) is list
        inner = plain(get_args(hint)[0]) if many else hint
        if is_typeddict(inner):
            yield from (((name, *path), (many, *below), leaf) for path, below, leaf in _leaves(inner))
        elif list(_values(hint, None, "x", "{hostile}")):
            yield (name,), (False,), hint


def _values(hint: Any, sound: Any, text: str, form: str) -> Iterator[Any]:
    """Values of a type with one hostile text each; ``sound`` is one that has none."""
    hint = plain(hint)
    if hint is str:
        yield form.format(sound=sound if isinstance(sound, str) else "x", hostile=text)
    elif get_origin(hint) is list:
        item = sound[0] if isinstance(sound, list) and sound else None
        yield from ([each] for each in _values(get_args(hint)[0], item, text, form))
    elif get_origin(hint) is dict:
        key, item = next(iter(sound.items())) if isinstance(sound, dict) and sound else ("x", None)
        yield from ({key: each} for each in _values(get_args(hint)[1], item, text, form))
        yield {form.format(sound=key, hostile=text): item if item is not None else _sound(get_args(hint)[1])}


def _sound(hint: Any) -> Any:
    return [_sound(get_args(hint)[0])] if get_origin(plain(hint)) is list else 1 if plain(hint) is int else "x"


def _at(config: Any, steps: list[str], many: tuple[bool, ...]) -> Any:
    for step, listed in zip(steps, many, strict=True):
        config = config.get(step) if isinstance(config, dict) else None
        config = config[0] if listed and config else config
    return config


def _put(config: dict[str, Any], steps: list[str], many: tuple[bool, ...], made: Any) -> None:
    for step, listed in zip(steps[:-1], many, strict=False):
        below = config.get(step) or ([{}] if listed else {})
        config[step] = below
        config = below[0] if listed else below
    config[steps[-1]] = made
