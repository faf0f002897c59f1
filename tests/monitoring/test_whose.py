"""Monitoring says what it installs, what it takes from others, and what it cannot see."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.addons.monitoring.plan import plan_monitoring
from rdma_cluster.incluster.plan.dra_drivers import InstalledBy
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.incluster.pools import EFA, GIB, NAMED, NICS
from tests.monitoring.plans import ARGS, BROUGHT, planned


@pytest.mark.parametrize(("host", "pods"), [("cos", 2 * (2 + 3)), ("al2023", 0)])
def test_gke_admits_two_exporters_on_each_node(host: str, pods: int):
    """It asks for a quota of critical pods."""
    assert planned(GIB, NICS, host=host).critical_pods == pods


@pytest.mark.parametrize(
    ("args", "exports", "errors", "warned"),
    [
        ({}, True, True, 1),
        ({"managed_exporter": BROUGHT}, False, True, 1),
        ({"managed_exporter": {**BROUGHT, "errors": True}}, False, True, 1),
        # One that says less is taken only where it is asked for.
        ({"managed_exporter": {**BROUGHT, "errors": False}}, True, True, 1),
        ({"managed_exporter": {**BROUGHT, "errors": False}, "gpu_exporter": "installed"}, True, True, 1),
        ({"managed_exporter": {**BROUGHT, "errors": False}, "gpu_exporter": "managed"}, False, False, 2),
        ({"gpu_exporter": "installed"}, True, True, 1),
    ],
)
def test_another_exporter_takes_the_place_of_ours_where_it_says_as_much(
    args: dict[str, Any], exports: bool, errors: bool, warned: int
):
    """Alerts on what it does not say are left out, with a warning."""
    made = planned(GIB, **args)
    told = {rule.get("alert") for group in made.rules for rule in group["rules"]}

    assert (made.exports_gpus, "GpuXid" in told, len(made.warnings)) == (exports, errors, warned)


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({}, ""),
        ({"pools": []}, "pools"),
        ({"pool_label": "a b"}, "pool_label"),
        ({"host": "windows"}, "host"),
        ({"registries": {"x y": "z"}}, "registries.x y"),
        ({"labels": {"a b": "c"}}, "labels.a b"),
        ({"labels": {"a": "c d"}}, "labels.a"),
    ],
)
def test_a_component_of_its_own_is_judged_as_a_stack_is(wrong: dict[str, Any], path: str):
    given: Any = {**ARGS, "pools": [{"name": "a", "machine": "a4-highgpu-8g", "nodes": 2}], **wrong}
    errors = ErrorList()
    made = plan_monitoring(given, errors)

    assert (made is None) == bool(path)
    assert [str(each).partition(": ")[0] for each in errors.found()] == [path] * bool(path)


def test_everything_comes_from_a_mirror():
    """The images of both exporters and of the reader do, and so does the chart of the definitions."""
    mirrors = {"nvcr.io": "m.example", "quay.io": "m.example", "prometheus-community.github.io": "m.example"}
    made = planned(GIB, NICS, EFA, registries=mirrors)
    boxes = [box["image"] for each in made.exporters for box in each.spec["template"]["spec"]["containers"]]

    assert len(boxes) > 3 and all(image.startswith("m.example/") for image in boxes)
    assert made.definitions is not None and made.definitions.chart.repo == "https://m.example/helm-charts"


def test_definitions_of_the_prometheus_operator_stay_when_their_chart_goes():
    """They are not installed where they are there already."""
    made = planned(GIB).definitions

    assert made is not None and made.values["crds"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    assert planned(GIB, definitions=InstalledBy.EXISTING).definitions is None


@pytest.mark.parametrize(("some", "claims"), [(GIB, True), (NAMED, False)])
def test_a_plan_says_what_reads_the_series(some: GpuPool, claims: bool):
    """kube-state-metrics publishes claims, and is needed where pods have some."""
    (warning,) = planned(some).warnings

    assert "Prometheus Operator" in warning and ("kube-state-metrics" in warning) is claims
