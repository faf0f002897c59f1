"""A stack is decided once: the plan that is shown is the one that the program builds, and each child gets its part."""

import sys
from collections import Counter
from functools import wraps
from importlib import import_module
from inspect import signature
from pkgutil import walk_packages
from types import FunctionType

import pytest
from rdma_cluster.cli.app import run
from rdma_cluster.common import CLOUDS, stack
from tests.clouds import clouds
from tests.stacks import ROOT, STACKS, cloud_of

pytestmark = pytest.mark.variant

WITH_KUBERNETES = [cloud.name for cloud in clouds() if cloud.has_kubernetes]


def plan_functions(cloud: str) -> dict[str, FunctionType]:
    """Every function of our own that decides, by module and name."""
    for room in (f"rdma_cluster.{cloud}", "rdma_cluster.incluster"):
        package = import_module(room)
        for found in walk_packages(package.__path__, f"{room}."):
            import_module(found.name)
    return {
        f"{module}.{name}": value
        for module, loaded in list(sys.modules.items())
        if module.startswith("rdma_cluster.")
        for name, value in vars(loaded).items()
        if name.startswith("plan_")
        and isinstance(value, FunctionType)
        and "errors" in signature(value).parameters
        and value.__module__ == module
    }


@pytest.mark.parametrize("name", [next(each for each in STACKS if cloud_of(each) == cloud) for cloud in CLOUDS])
def test_preview_decides_once(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """One `preview` of a stack with one pool calls no deciding function twice."""
    monkeypatch.chdir(ROOT)
    stack._planned.cache_clear()
    calls: Counter[str] = Counter()

    def counted(path: str, function: FunctionType):
        @wraps(function)
        def call(*args, **kwargs):
            calls[path] += 1
            return function(*args, **kwargs)

        return call

    for path, function in plan_functions(cloud_of(name)).items():
        wrapped = counted(path, function)
        for module in [each for key, each in sys.modules.items() if key.startswith("rdma_cluster.")]:
            for attribute, value in list(vars(module).items()):
                if value is function:
                    monkeypatch.setattr(module, attribute, wrapped)
    code = run(["preview", name])
    stack._planned.cache_clear()

    assert (code, capsys.readouterr().err) == (0, "")
    assert {path: count for path, count in calls.items() if count > 1} == {}
    decided = {path.rpartition(".")[2] for path in calls}
    of_kubernetes = {"plan_in_cluster", "plan_claim_templates"} if cloud_of(name) in WITH_KUBERNETES else set[str]()
    assert {"plan_acceptance_on", *of_kubernetes} <= decided
