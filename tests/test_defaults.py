"""The default that the documentation says of a key makes the same plan when it is written down."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.base.config import NAMESPACE, value
from rdma_cluster.base.reference import Key
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.common.stack import keys_of, plan_of
from tests.clouds import CloudTests, with_all_graphs
from tests.stacks import ROOT, cloud_of

_LITERAL = re.compile(r"(?:``([^`]+)``|(true|false|\d+))")
"""A default that can be written as it is said; others are told in words, or with a condition."""


ARGS = ("args", "dra", "options", "statements", "protected", "admins")
"""Fields of plans that hold what was written, for the components that read it."""
ELSEWHERE = {"queues.dispatch.lostMinutes", "injection.engine", "acceptance.onBusy"}
"""What is the same on all clouds: one has variants of it, or the version that it needs."""


def literal(key: Key, beside: tuple[Key, ...]) -> str | None:
    """The default of a key, where it can be written; one that names another key cannot."""
    match = _LITERAL.fullmatch(key.default or "")
    text = match and (match[1] or match[2])
    return None if text in {each.path.rpartition(".")[2] for each in beside} else text


def left_out(keys: tuple[Key, ...], holder: dict[str, Any], at: str, *above: str) -> Iterator[tuple[str, list[str]]]:
    """Every key that could stand here and does not: its path, what to set above it, and the key with its default."""
    for key in keys:
        name = key.path.rpartition(".")[2]
        there = holder.get(name)
        if isinstance(there, list) and key.keys:
            for i, each in enumerate(there):
                yield from left_out(key.keys, each, f"{at}{name}[{i}].", *above)
        elif isinstance(there, dict) or (there is None and key.keys and not key.many):
            switch = "enabled: true" if any(each.path == f"{key.path}.enabled" for each in key.keys) else ""
            empty = [] if there is not None else [f"{at}{name}={{{switch}}}"]
            yield from left_out(key.keys, there or {}, f"{at}{name}.", *above, *empty)
        elif there is None and (text := literal(key, keys)):
            yield key.path, [*above, f"{at}{name}={text}"]


def decided(plan: Any) -> Any:
    """A plan without the parts that repeat what was written."""
    if is_dataclass(plan) and not isinstance(plan, type):
        return type(plan), [decided(getattr(plan, each.name)) for each in fields(plan) if each.name not in ARGS]
    if isinstance(plan, Mapping):
        return {key: decided(each) for key, each in plan.items()}
    return [decided(each) for each in plan] if isinstance(plan, list | tuple) else plan


def plan(stack: str, *overrides: str) -> Any:
    """The decisions about a stack."""
    return decided(plan_of(cloud_of(stack), read_stack(stack, None, overrides)[1].config, stack))


@pytest.mark.parametrize("cloud", with_all_graphs())
def test_a_default_written_down_changes_nothing(cloud: CloudTests, monkeypatch: pytest.MonkeyPatch):
    """Each key is tried in the first stack or variant that leaves it out and may have it."""
    monkeypatch.chdir(ROOT)
    everything = [each for top in keys_of(cloud.name) for each in top.walk()]
    ahead = {key.path for above in everything for key in above.keys if literal(key, above.keys)}
    wrong = []
    for stack, *sets in cloud.graphs.values():
        settings = read_stack(stack, None, sets)[1]
        config = {key.removeprefix(f"{NAMESPACE}:"): value(text) for key, text in settings.config.items()}
        for path, overrides in left_out(keys_of(cloud.name), config, ""):
            if path in ahead:
                try:
                    before, after = (plan(stack, *sets, *each) for each in (overrides[:-1], overrides))
                except Refused:
                    continue
                ahead.remove(path)
                if before != after:
                    wrong.append((stack, sets, overrides))

    assert (wrong, ahead - ELSEWHERE) == ([], set())
