"""The values of every chart have keys that the chart knows.

Helm takes an unknown key without a word, unless the chart ships a schema. No chart is rendered here: that needs its
registry and Helm. Its keys are recorded from its source instead, in charts.yaml.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline import Resource
from tests import quick_yaml
from tests.stacks import STACKS, graph_of
from .stack_objects import RELEASE

CHARTS: dict[str, dict[str, Any]] = quick_yaml.load(Path(__file__).with_name("charts.yaml").read_text())


def releases(stack: str) -> Iterator[tuple[str, Resource]]:
    """The charts of a stack by the names of their releases."""
    for release in graph_of(stack).of_type(RELEASE):
        yield release.inputs["name"], release


def wrong(chart: str, values: Any, path: str = "") -> list[str]:
    """What the chart does not know in some values."""
    if path in CHARTS[chart]["keys"].split():
        allowed = CHARTS[chart].get("allowed", {}).get(path)
        return [f"{path}: {values}"] if allowed and values not in allowed.split() else []
    if not isinstance(values, dict) or not values:
        return [path]
    return [line for key, value in values.items() for line in wrong(chart, value, f"{path}.{key}".lstrip("."))]


@pytest.mark.parametrize("stack", STACKS)
def test_values_are_known_to_the_chart(stack: str):
    """A misspelt key would be ignored, and the driver would run with its default."""
    for name, release in releases(stack):
        if name not in CHARTS:
            print(f"{stack}: not checked: values of {name}, whose keys are not recorded")
            continue
        assert release.inputs["version"] == CHARTS[name]["version"], f"{name}: record the keys of the new version"
        for key, value in release.inputs.get("values", {}).items():
            assert wrong(name, value, key) == []
