"""Who brings what of monitoring, and what is warned of."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.incluster.addons.monitoring.plan import plan_monitoring
from rdma_cluster.incluster.plan.dra_drivers import InstalledBy
from rdma_cluster.incluster.plan.pool import GpuPool
from tests.incluster.pools import GIB, NAMED, NICS
from tests.monitoring.test_manifests import AMD, ARGS, BROUGHT, planned


@pytest.mark.parametrize(
    ("some", "args", "claim", "exports"),
    [
        ((GIB,), {}, True, True),
        ((NICS, GIB), {}, True, True),
        ((NICS,), {}, False, True),
        ((AMD,), {}, False, False),
        ((GIB,), {"managed_exporter": BROUGHT}, False, False),
    ],
)
def test_the_claim_of_every_gpu(some: tuple[GpuPool, ...], args: dict[str, Any], claim: bool, exports: bool):
    """Beside those who use them, where some pool's are claimed and the exporter is ours."""
    made = planned(*some, **args)

    asked = {"deviceClassName": "gpu.nvidia.com", "allocationMode": "All", "adminAccess": True}
    assert made.claim == ({"spec": {"devices": {"requests": [{"name": "gpus", "exactly": asked}]}}} if claim else None)
    assert made.exports_gpus == exports


@pytest.mark.parametrize(("host", "pods"), [("cos", 2 * (2 + 3)), ("al2023", 0)])
def test_critical_pods_are_admitted(host: str, pods: int):
    """GKE asks for a quota: two exporters on each of five nodes."""
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
def test_whose_exporter_of_gpus(args: dict[str, Any], exports: bool, errors: bool, warned: int):
    """Ours, or one that says as much; alerts on what it does not say are left out, which is warned of."""
    made = planned(GIB, **args)
    told = {rule.get("alert") for group in made.rules for rule in group["rules"]}

    assert (made.exports_gpus, "GpuXid" in told, len(made.warnings)) == (exports, errors, warned)


@pytest.mark.parametrize(
    ("some", "needs"), [(GIB, ", and kube-state-metrics 2.20.0 or later for pods that wait for claims"), (NAMED, "")]
)
def test_what_reads_it_all_is_the_users(some: GpuPool, needs: str):
    """The Prometheus Operator, and what publishes claims where pods have some."""
    (warning,) = planned(some).warnings

    assert warning == (
        "monitoring: exporters, alerts and a dashboard are installed and no Prometheus; who reads them needs the "
        f"Prometheus Operator{needs}"
    )


def test_the_kinds_of_the_prometheus_operator():
    """Two of ten, which stay when the chart goes; from a mirror, or not at all where they are there."""
    made = planned(GIB, registries={"prometheus-community.github.io": "m.example"}).definitions
    off = "alertmanagerconfigs alertmanagers probes prometheusagents prometheuses scrapeconfigs servicemonitors"

    assert made is not None and made.values == {
        "crds": {
            "annotations": {"helm.sh/resource-policy": "keep"},
            **{each: {"enabled": False} for each in (*off.split(), "thanosrulers")},
        }
    }
    assert (made.namespace, made.timeout_seconds) == ("rdma-monitoring", 1200)
    assert made.chart.repo == "https://m.example/helm-charts"
    assert planned(GIB, definitions=InstalledBy.INSTALLED).definitions is not None
    assert planned(GIB, definitions=InstalledBy.EXISTING).definitions is None


def test_labels_and_names():
    """What a Prometheus selects by, and where all of it is."""
    made = planned(GIB, labels={"release": "prometheus", "team": ""})

    assert (made.namespace, made.labels, list(made.dashboards)) == (
        "rdma-monitoring",
        {"release": "prometheus", "team": ""},
        ["rdma-fabric.json"],
    )
    assert planned(GIB).labels == {}


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
def test_a_component_of_its_own(wrong: dict[str, Any], path: str):
    """It checks what a stack checks by other keys, each by itself; a stack's label is not judged here."""
    given: Any = {**ARGS, "pools": [{"name": "a", "machine": "a4-highgpu-8g", "nodes": 2}], **wrong}
    errors = ErrorList()
    made = plan_monitoring(given, errors)

    assert (made is None) == bool(path)
    assert [str(each).partition(": ")[0] for each in errors.found()] == [path] * bool(path)
