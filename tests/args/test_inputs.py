"""A key may be an output of another resource, or the plan itself shows why it must be known."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial, reduce
from importlib import import_module
from typing import Annotated, Any, NamedTuple, get_args, get_origin

import pytest
from pulumi_offline import preview
from pulumi_offline.errors import ErrorList
from rdma_cluster.base.args import Input, hints, parse, plain
from rdma_cluster.cli.stack_file import plan_of, read_stack
from typing_extensions import is_typeddict
from tests.args.judged import JUDGED
from tests.clouds import clouds
from tests.incluster.components import IN_CLUSTER

_OF_NODES = "of the one record of the nodes, of which this component needs another part"
_NEEDS_KNOWN = {
    "AksOperatorsArgs.registries": "part of the references of images",
    "EksClusterLinks.vpc_block": "an unknown trigger of a replacement is shown as one",
    "FabricInjectionArgs.host": _OF_NODES,
    "FromNodePools.host": _OF_NODES,
    "FromPools.pool_label": _OF_NODES,
    "FromPools.taint": _OF_NODES,
    "NodeSet.label": "the key of a selector",
    "NodeSet.values": "names of pools, by which their proofs go",
    "OkeAdoptedPool.cluster_network": "each of its nodes is a resource",
    "OkeAdoptedPool.node_pool": "each of its nodes is a resource",
    "OkeMemoryFabric.id": "a logical name ends in it",
    "OkeVirtualFunctionsArgs.registries": "part of the references of images",
    "PodFilesArgs.namespaces": "part of logical names",
}
"""Texts and numbers that plans hand on unread, and what reads them behind the plan."""
_ALSO: dict[str, list[dict[str, Any]]] = {
    "AksRdmaCluster": [{"storage": {"object_store": {"account": "mine", "container": "c", "resource_group": "r"}}}],
    "AksCluster": [
        {
            "endpoint": "public",
            "public_cidrs": ["203.0.113.7/32"],
            "outbound": "routes",
            "egress_cidrs": ["198.51.100.4/32"],
        }
    ],
    "EksGpuNodePool": [
        {"capacity": {"reservation": {"id": "cr-0123456789abcdef0"}}},
        {"capacity": {"capacity_block": {"id": "cr-0123456789abcdef0"}}},
    ],
}
"""What no other args of a component hold, laid over its first."""


class Later:
    """Stands for an output."""

    def apply(self, known: Any) -> "Later":
        return self


class Unread(Later):
    """Stops a plan that reads it."""

    def _read(self, *_: Any) -> Any:
        raise TypeError("a plan has read what may come later")

    __str__ = __repr__ = __format__ = __eq__ = __bool__ = __len__ = __iter__ = __contains__ = __index__ = _read
    __lt__ = __gt__ = __add__ = __radd__ = __sub__ = __mul__ = __mod__ = __floordiv__ = _read
    __hash__ = object.__hash__


class Place(NamedTuple):
    """Where a value stands in args."""

    key: str
    """``SCHEMA.key`` of the schema that declares it."""
    path: tuple[str | int, ...]
    hint: Any
    given: bool = True
    """Whether the args have it."""

    @property
    def is_input(self) -> bool:
        return get_origin(self.hint) is Annotated and Input in self.hint.__metadata__


def places(place: Place, value: Any) -> Iterator[Place]:
    """``place`` and all that a value holds, with keys of its schemas that it leaves out."""
    yield place
    hint = plain(place.hint)
    if is_typeddict(hint) and isinstance(value, Mapping):
        for key, of in hints(hint).items():
            yield from places(Place(f"{_owner(hint, key)}.{key}", (*place.path, key), of, key in value), value.get(key))
    elif get_origin(hint) is list:
        for i, item in enumerate(value or [None]):
            yield from places(Place(place.key, (*place.path, i), get_args(hint)[0], place.given), item)
    elif get_origin(hint) is dict:
        for key, of in (value or {"a": None}).items():
            yield from places(Place(place.key, (*place.path, key), get_args(hint)[1], place.given), of)


def _owner(schema: Any, key: str) -> str:
    bases = [base for base in getattr(schema, "__orig_bases__", ()) if is_typeddict(base) and key in hints(base)]
    return _owner(bases[0], key) if bases else schema.__name__


def put(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    """``value`` with ``new`` at a path, whose last dicts and lists may be missing."""
    if not path:
        return new
    key, *below = path
    if isinstance(key, int):
        items = list(value or [None])
        return [*items[:key], put(items[key], tuple(below), new), *items[key + 1 :]]
    return {**(value or {}), key: put((value or {}).get(key), tuple(below), new)}


@cache
def sound_args(room: str) -> tuple[tuple[str, Any], ...]:
    """Components of a cloud or of any cluster with args that are planned: alone, and as each graph has them."""
    if room == "incluster":
        found: list[tuple[str, Any]] = list(IN_CLUSTER.items())
    else:
        (cloud,) = [cloud for cloud in clouds() if cloud.name == room]
        found = list(cloud.components.items())
        (whole,) = [name for name, _ in found if name.endswith("RdmaCluster")]
        found += [
            (whole, dict(plan_of(read_stack(stack, None, sets)[1]).args)) for stack, *sets in cloud.graphs.values()
        ]
    found += [(name, {**args, **more}) for name, args in found for more in _ALSO.get(name, [])]
    return tuple((name, parse(JUDGED[name].shape, args, ErrorList())) for name, args in found)


def planned(name: str, args: Any) -> bool:
    """Whether a component's plan takes the args."""
    errors = ErrorList()
    return JUDGED[name].make_plan(args, errors) is not None and not errors


def unknown() -> Any:
    """An output that no preview knows."""
    import pulumi

    def done(value: Any) -> Any:
        future = asyncio.get_event_loop().create_future()
        future.set_result(value)
        return future

    return pulumi.Output(done(set()), done(None), done(False))


ROOMS = ["incluster", *(cloud.name for cloud in clouds())]


def fitting(name: str, args: Any, inputs: Iterable[Place]) -> list[Place]:
    """As many of the inputs, in their order, as may be outputs together: of a list the whole or its items."""
    apart: list[Place] = []
    for each in inputs:
        if not any(begins(each.path, other.path) or begins(other.path, each.path) for other in apart):
            apart.append(each)
    if planned(name, laid(args, apart)):
        return apart
    later: list[Place] = []
    for each in apart:
        if planned(name, laid(args, [*later, each])):
            later.append(each)
    return later


def begins(path: tuple[str | int, ...], with_path: tuple[str | int, ...]) -> bool:
    return path[: len(with_path)] == with_path


def laid(args: Any, later: Iterable[Place], make: Callable[[], Any] = Later) -> Any:
    """``args`` with an output at each place."""
    return reduce(lambda known, each: put(known, each.path, make()), later, args)


def make(component: Any, args: Any, later: list[Place]) -> None:
    """A program with one component, and an output that is not known at each place of its args."""
    component("later", laid(args, later, unknown))


@pytest.mark.parametrize("room", ROOMS)
def test_every_input_may_be_unknown_in_a_preview(room: str):
    package = import_module(f"rdma_cluster.{room}")
    left = [
        (name, args, inputs)
        for name, args in sound_args(room)
        if (inputs := [each for each in places(Place("", (), JUDGED[name].shape), args) if each.is_input])
    ]
    unseen = {each.key for _, _, inputs in left for each in inputs}
    while unseen:
        assert left, f"no args of {room} have {sorted(unseen)}, or their plan refuses an output"
        left.sort(key=lambda case: (len({each.key for each in case[2]} & unseen), -len(str(case[1]))))
        name, args, inputs = left.pop()
        outputs = [
            fitting(name, args, sorted(inputs, key=lambda each: len(each.path), reverse=deepest_first))
            for deepest_first in (False, True)
        ]
        if keys := {each.key for later in outputs for each in later} & unseen:
            unseen -= keys
            for later in outputs if set(outputs[0]) != set(outputs[1]) else outputs[:1]:
                assert preview(partial(make, getattr(package, name), args, later)).resources


def reads(name: str, args: Any, place: Place) -> bool | None:
    """Whether a component's plan reads what stands there, or refuses another value; ``None`` where it refuses a key."""
    try:
        return False if planned(name, laid(args, [place], Unread)) else True if place.given else None
    except (TypeError, AttributeError):
        return True


def test_a_plan_reads_each_text_and_number_that_must_be_known():
    """Choices and switches are read at the door."""
    read: dict[bool | None, set[str]] = {True: set(), False: set(), None: set()}
    for name, args in (each for room in ROOMS for each in sound_args(room)):
        for place in places(Place("", (), JUDGED[name].shape), args):
            if place.hint in (str, int) and place.key not in read[True]:
                read[reads(name, args, place)].add(place.key)

    assert read[False] - read[True] == set(_NEEDS_KNOWN)
