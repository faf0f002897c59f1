"""Which permissions an account needs for what the provider asks Google's APIs."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import yaml

PERMISSIONS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    wanted: {method: tuple(taken) for method, taken in methods.items()}
    for wanted, methods in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8")).items()
}
"""By what a stack asks it for, and by the method's name in its document."""
LOOK_UPS = "look-ups"
UNASKED: Mapping[str, str] = {
    "cloudquotas.quotas.get": "a plugin that was built without Cloud Quotas asks nothing; the look-up is then a warning"
}
"""Permissions that a plan may name though nothing was asked that takes them, and why."""


def taken_by(asked: Collection[str]) -> list[str]:
    """The permissions of some methods."""
    return sorted({each for methods in PERMISSIONS.values() for name in asked for each in methods.get(name, ())})


def against(asked: Collection[str], named: Iterable[str]) -> Iterator[str]:
    """Methods that no row has; look-ups' permissions that a plan, with those ``named``, misses or names for nothing."""
    known = {method for methods in PERMISSIONS.values() for method in methods}
    yield from (f"{each}: no row of permissions.yaml says what it takes" for each in sorted({*asked} - known))
    wanted, taken = {*named}, {*taken_by(PERMISSIONS[LOOK_UPS].keys() & {*asked})}
    yield from (f"{each}: a look-up takes it, and the plan does not name it" for each in sorted(taken - wanted))
    needless = sorted(wanted - taken - {*UNASKED})
    yield from (f"{each}: the plan names it, and nothing was asked that takes it" for each in needless)
