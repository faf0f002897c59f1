"""Kyverno's own engine makes of a pod what the command shows, too."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from rdma_cluster.injection import Pattern, Scope, inject, kyverno
from tests.injected_pods import pods
from tests.machines import known_machine
from . import build
from .api import Object
from .injected import FABRICS_HERE, POOL_LABEL, SOME, planned, pod_for, served


@pytest.fixture(scope="module")
def engine() -> Path:
    """The program around the engine."""
    if (program := build.kyverno()) is None:
        pytest.skip("not built: python -m tests.controlplane.build kyverno")
    return program


def evaluated(engine: Path, scope: Scope, pattern: Pattern, given_pods: list[Object]) -> list[Object]:
    """The pods as the policy leaves them."""
    (policy,) = kyverno(scope, [pattern])
    asked = json.dumps({"policy": policy, "pods": given_pods})
    done = subprocess.run([engine], input=asked, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    return [pod if found is None else found for pod, found in zip(given_pods, made, strict=True)]


def said(value: Any) -> Any:
    """Without what says nothing, which the API leaves out when it stores an object."""
    if isinstance(value, dict):
        return {key: said(of) for key, of in value.items() if of not in ({}, [], None)}
    return [said(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("fabric", FABRICS_HERE)
def test_every_machine(engine: Path, fabric: str):
    """Each number of GPUs on each of the rails that may be named."""
    plan = planned(fabric, served(fabric), "default")
    for pattern in plan.patterns:
        machine = known_machine(pattern["labels"]["rdma-cluster/machine"])
        asked = []
        for device_request in pattern["shapes"]:
            gpus, _, window = device_request.partition("-")
            pod = pod_for(machine, int(gpus))
            pod["metadata"]["annotations"] |= {"rdma-cluster/rails": window} if window else {}
            asked.append(pod)
        shown = [inject(pod, plan.patterns, plan.scope).pod for pod in asked]

        assert said(evaluated(engine, plan.scope, pattern, asked)) == said(shown)


@pytest.mark.parametrize("fabric", SOME)
def test_generated_pods(engine: Path, fabric: str):
    """Also pods with much of their own."""
    plan = planned(fabric, SOME[fabric][:1], "default")
    (pattern,) = plan.patterns
    asked: list[Object] = []

    @settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(pods(SOME[fabric][:1], POOL_LABEL, ["of-the-user"]))
    def collect(pod: Object) -> None:
        asked.append(json.loads(json.dumps(pod)))

    collect()
    shown = [inject(pod, plan.patterns, plan.scope).pod for pod in asked]

    assert said(evaluated(engine, plan.scope, pattern, asked)) == said(shown)
