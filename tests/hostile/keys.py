"""Every key of every cloud's stack whose value is a text, and texts that would do something in a shell."""

from collections.abc import Iterator
from contextlib import chdir
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, get_args, get_origin

from pulumi_offline.project import Settings
from rdma_cluster.base.args import hints, plain, to_camel
from rdma_cluster.base.config import NAMESPACE, value
from rdma_cluster.cli.stack_file import read_stack
from typing_extensions import is_typeddict
from tests.stacks import ROOT

TEXTS = ("$(id)", "`id`", "'", '"', "\n", "{{ x }}", "${HOME}", "$(HF_TOKEN)", "\\", ";id", "\x1b[2J")
CLOUDS: list[ModuleType] = [
    import_module(f"tests.{path.parent.name}.changes") for path in sorted((ROOT / "tests").glob("*/changes.py"))
]
IN_CLUSTER = ("acceptance", "claims", "drivers", "injection", "queues", "inference", "monitoring")
"""The parts of a stack that are the same on each cluster."""
_SUBNETS = ", systemSubnets: [{subnet: subnet-0000000d, zone: us-east-2a}], gpuSubnets"
_SYSTEM = (import_module("tests.eks.variants").NETWORK.replace(", gpuSubnets", _SUBNETS),)
ALONE = {
    "network.existing.system_subnets.subnet": _SYSTEM,
    "network.existing.system_subnets.zone": _SYSTEM,
    "pools.memory_fabrics.id": ("pools[0].memoryFabrics=[{id: ocid1.computegpumemoryfabric.oc1..a, nodes: 2}]",),
    "storage.existing.storage_class": ("storage={existing: {storageClass: fast}}",),
    "storage.existing.volume": ("storage={existing: {volume: data}}",),
}
"""Keys that go with none of those beside them, and one that is nowhere else."""
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

    @property
    def steps(self) -> list[str]:
        """As a stack file has them, the first with its namespace."""
        keys = {arg: key for key, arg in import_module(f"rdma_cluster.{self.cloud}.plan").STACK_KEYS.items()}
        first = to_camel(self.path[0])
        return [keys.get(first) or f"{NAMESPACE}:{first}", *map(to_camel, self.path[1:])]

    @cached_property
    def base(self) -> Settings:
        """A sound stack with this key, or with the keys beside it."""
        variants = import_module(f"tests.{self.cloud}.variants").VARIANTS.values()
        others = [(self.changes.STACK, *overrides) for overrides in self.changes.OTHER.values()]
        own = (self.changes.STACK, *self.changes.OTHER.get(self.name, ()), *ALONE.get(self.name, ()))
        stacks = [_base(each) for each in (own, *variants, *others)]
        for depth in (len(self.path), len(self.path) - 1):
            for stack in stacks:
                if _at(_config(stack), self.steps[:depth], self.many) is not None:
                    return stack
        return stacks[0]

    def settings(self, text: str, form: str) -> Iterator[Settings]:
        """Stacks with a hostile text at every place in the key's value."""
        config = _config(self.base)
        sound = _at(config, self.steps, self.many)
        for made in _values(self.hint, sound, text, form):
            changed = deepcopy(config)
            _put(changed, self.steps, self.many, made)
            yield self.base.over({self.steps[0]: changed[self.steps[0]]})


@cache
def _base(stack: tuple[str, ...]) -> Settings:
    with chdir(ROOT):
        return read_stack(stack[0], None, stack[1:])[1]


def _config(settings: Settings) -> dict[str, Any]:
    return {key: value(each) for key, each in settings.config.items()}


def text_keys() -> Iterator[tuple[TextKey, bool]]:
    """Every key, and whether the same one of another cloud came before: parts inside a cluster are alike."""
    seen: set[str] = set()
    for changes in CLOUDS:
        cloud = changes.__name__.split(".")[1]
        for path, many, hint in _leaves(changes.ARGS):
            key = TextKey(cloud, path, many, hint, changes)
            again = path[0] in IN_CLUSTER and key.name in seen and changes.STACK != "gce"
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
    for step, listed in zip(steps, many, strict=False):
        config = config.get(step) if isinstance(config, dict) else None
        config = config[0] if listed and config else config
    return config


def _put(config: dict[str, Any], steps: list[str], many: tuple[bool, ...], made: Any) -> None:
    for step, listed in zip(steps[:-1], many, strict=False):
        below: Any = config.get(step) or ([{}] if listed else {})
        config[step] = below
        config = below[0] if listed else below
    config[steps[-1]] = made
