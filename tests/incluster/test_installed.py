"""What is installed comes in order, is a part of its cluster, and is replaced where it cannot change."""

import re
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.incluster.plan.charts import Settings
from rdma_cluster.incluster.plan.pod_files import anew_with
from tests import quick_yaml
from tests.incluster.installed import called, comes_after, graph, objects, plans, there

# One graph serves all of these tests.
pytestmark = pytest.mark.xdist_group("installed")
CLUSTERS = ["aws", "google", "metal", "claims", "racks", "azure"]
EXPECTED = quick_yaml.load((Path(__file__).parent / "comes_after.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CLUSTERS)
def test_an_object_comes_after_what_it_needs(name: str):
    """What must be there before an object stays until it is gone."""
    expected = {
        each: sorted(one for of in after for one in EXPECTED["sets"].get(of, [of]))
        for each, after in EXPECTED[name].items()
    }

    assert comes_after(name) == expected


@pytest.mark.parametrize("name", CLUSTERS)
def test_an_object_is_on_its_cluster_and_goes_with_it(name: str):
    """It is a part of a component of the cluster's, has the cluster's provider, and is never protected."""
    by_urn = {each.urn: each for each in graph().resources}
    for each in objects(name):
        line = [each]
        while line[-1].parent:
            line.append(by_urn[line[-1].parent])
        assert each.provider and each.provider.endswith(f"::{name}"), each.urn
        assert line[-1].type == "test:index:Whole" and "protect" not in each.options
        assert any(str(of.options.get("deletedWith", "")).endswith(f"::{name}-cluster") for of in line), each.urn


def test_only_what_cannot_change_is_made_anew():
    """It keeps its name, and so comes only after the old one is gone; all else changes in place."""
    made = [each for name in CLUSTERS for each in objects(name)]
    anew = {called(each) for each in made if each.options.get("deleteBeforeReplace")}
    by_part = {called(each): each.options["replaceOnChanges"] for each in made if "replaceOnChanges" in each.options}
    claims = {called(each) for each in made if "ResourceClaimTemplate " in called(each)}
    fixed = re.compile(r"(MPIJob|ComputeDomain|PriorityClass|PersistentVolume(Claim)?) |Secret .*dispatch$")

    assert {each for each in anew if not each.startswith("ResourceClaimTemplate ")} == {
        called(each) for each in made if fixed.match(called(each))
    }
    assert claims - anew == {"ResourceClaimTemplate rdma-monitoring/every-gpu"}
    assert all(by_part[each] == ["spec"] for each in claims & anew)
    assert by_part["PriorityClass urgent"] == ["value"]
    assert by_part["ComputeDomain rdma-acceptance/nccl-claimed-racks-nvlink"] == ["spec"]


def charts(name: str) -> dict[str, Settings]:
    """Return the charts of a cluster's plan by the names of their releases."""
    plan = plans()[name]
    found: list[Settings | None] = []
    for part in (plan.drivers, plan.device_plugins):
        found += [part.plan.gpu, part.plan.nic] if part else []
    found += plan.addons.queues.plan.charts if plan.addons.queues else ()
    found += [plan.addons.monitoring.plan.definitions] if plan.addons.monitoring else ()
    return {each.chart.name: each for each in found if each is not None}


@pytest.mark.parametrize("name", CLUSTERS)
def test_a_release_is_the_chart_of_the_plan_and_never_atomic(name: str):
    """One bad node must not undo the others."""
    releases = {each.inputs["name"]: each.inputs for each in objects(name) if each.type.endswith(":Release")}

    assert releases.keys() == charts(name).keys()
    for each, settings in charts(name).items():
        expected: dict[str, Any] = {
            "chart": settings.chart.chart,
            "version": settings.chart.version,
            "namespace": settings.namespace,
            "values": settings.values,
            "timeout": settings.timeout_seconds,
        }
        assert expected.items() <= releases[each].items() and "atomic" not in releases[each]
        assert releases[each].get("repositoryOpts", {}).get("repo", "") == settings.chart.repo


def test_what_is_planned_is_what_is_installed():
    """Files, policies, pods and monitors reach their objects as they were planned."""
    aws, plan = there("aws"), plans()["aws"]
    readiness, monitoring = plan.addons.readiness, plan.addons.monitoring
    assert readiness and monitoring and readiness.plan.prover
    prover, watcher, seen = readiness.plan.prover, readiness.plan.watcher, monitoring.plan
    files = [prover.files, watcher.files, seen.dashboards, plan.acceptance.plan.files]
    files += [each.config for each in plan.acceptance.plan.tests]
    specs = [*prover.policies.values(), readiness.plan.registration, watcher.spec, *seen.monitors.values(), seen.claim]
    specs += [{"groups": seen.rules}, *(each.spec for each in seen.exporters)]
    rules = [prover.cluster_rules, prover.event_rules, prover.test_rules, prover.own_rules, watcher.rules]

    assert all(each in [of.inputs.get("data") for of in aws.values()] for each in files)
    assert all(each in [of.inputs.get("spec") for of in aws.values()] for each in specs)
    assert all(list(each) in [of.inputs.get("rules") for of in aws.values()] for each in rules)
    # With other files there is another pod, which reads them.
    assert aws["Deployment rdma-readiness/rdma-prover"].inputs["spec"] == prover.deployment
    marks = [each["template"]["metadata"]["annotations"] for each in (prover.deployment, watcher.spec)]
    assert marks == [anew_with(prover.files), anew_with(watcher.files)] and marks[0] != marks[1]
    locked, (file,) = plans()["google"].locked_images, plans()["azure"].workloads["ib"].adds.files
    assert locked and there("google")["ValidatingAdmissionPolicy rdma-locked-images"].inputs["spec"] == locked.spec
    assert there("azure")[f"ConfigMap team/{file.config_map}"].inputs["data"] == {file.name: file.text}
