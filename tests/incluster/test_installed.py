"""What six clusters get: what comes after what, whose it is, and what the components add to their plans."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from rdma_cluster.incluster.plan.charts import Settings
from tests.incluster.installed import called, comes_after, graph, objects, plans, there

# One graph for all of them.
pytestmark = pytest.mark.xdist_group("installed")
CLUSTERS = ["aws", "google", "metal", "claims", "racks", "azure"]
EXPECTED = yaml.safe_load((Path(__file__).parent / "comes_after.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CLUSTERS)
def test_what_comes_after_what(name: str):
    """Every object of a cluster, and what must be there before it and stay until it is gone."""
    expected = {
        each: sorted(one for of in after for one in EXPECTED["sets"].get(of, [of]))
        for each, after in EXPECTED[name].items()
    }

    assert comes_after(name) == expected


@pytest.mark.parametrize("name", CLUSTERS)
def test_each_object_is_on_its_cluster(name: str):
    """By the cluster's provider, as a part of a component, which goes with the cluster; nothing is protected."""
    by_urn = {each.urn: each for each in graph().resources}
    for each in objects(name):
        assert each.provider and each.provider.endswith(f"::{name}"), each.urn
        assert "protect" not in each.options
        line = []
        at = each.parent
        while at:
            line.append(by_urn[at])
            at = by_urn[at].parent
        holders = [*line, each]
        assert any(str(of.options.get("deletedWith", "")).endswith(f"::{name}-cluster") for of in holders), each.urn
        assert line[-1].type == "test:index:Whole"


def test_what_is_made_anew():
    """What cannot change, under its own name and so only after the old is gone; all else changes in place."""
    found = {
        called(each): {
            key: value for key, value in each.options.items() if key in ("replaceOnChanges", "deleteBeforeReplace")
        }
        for name in CLUSTERS
        for each in objects(name)
        if each.options
    }
    by_value: dict[str, Any] = {"replaceOnChanges": ["value"], "deleteBeforeReplace": True}
    by_spec: dict[str, Any] = {"replaceOnChanges": ["spec"], "deleteBeforeReplace": True}
    anew: dict[str, Any] = {"deleteBeforeReplace": True}
    claims = [each for name in CLUSTERS for each in there(name) if "ResourceClaimTemplate" in each]

    assert {key: value for key, value in found.items() if value} == {
        **dict.fromkeys([each for each in claims if "every-gpu" not in each], by_spec),
        "MPIJob rdma-acceptance/nccl-efa-DIGEST": by_spec,
        "MPIJob rdma-acceptance/nccl-plugged-DIGEST": by_spec,
        "ComputeDomain rdma-acceptance/nccl-claimed-racks-nvlink": by_spec,
        "Job rdma-acceptance/nccl-claimed-racks-DIGEST": anew,
        "Job rdma-acceptance/nccl-claimed-racks-nvlink-DIGEST": anew,
        "Job rdma-acceptance/nccl-efa-DIGEST": anew,
        "Job rdma-acceptance/nccl-plugged-DIGEST": anew,
        "PriorityClass rdma-cluster-prover": by_value,
        "PriorityClass urgent": by_value,
        "Secret kueue-system/rdma-cluster-dispatch": anew,
        **{f"PersistentVolume data-{each}": anew for each in ("default", "team")},
        **{f"PersistentVolumeClaim {each}/data": anew for each in ("default", "team")},
    }


def test_how_long_each_may_take():
    """A rollout on hosts has four waves, a test its own deadline; charts have theirs among their inputs."""
    tests = [test for name in ("aws", "racks") for test in plans()[name].acceptance.plan.tests]
    found = {
        called(each): each.options["customTimeouts"]
        for name in CLUSTERS
        for each in objects(name)
        if "customTimeouts" in each.options
    }

    waves = {"create": "1200s", "update": "1200s"}
    installers = [f"nccl-installer-{each}" for each in ("gib", "gib-arm64", "tcpxo")]
    hosts = (*installers, "nvidia-driver-installer", "nri-device-injector", "asapd-lite")
    assert found == {
        **{f"DaemonSet kube-system/{each}": waves for each in hosts},
        **{
            f"Job rdma-acceptance/nccl-{test.short}-DIGEST": dict.fromkeys(waves, f"{test.timeout_seconds}s")
            for test in tests
        },
    }


def charts(name: str) -> dict[str, Settings]:
    """Of a cluster's plan, by the name of the release."""
    plan = plans()[name]
    found: list[Settings | None] = []
    if plan.drivers is not None:
        found += [plan.drivers.plan.gpu, plan.drivers.plan.nic]
    if plan.device_plugins is not None:
        found += [plan.device_plugins.plan.gpu, plan.device_plugins.plan.nic]
    if plan.addons.queues is not None:
        found += plan.addons.queues.plan.charts
    if plan.addons.monitoring is not None:
        found.append(plan.addons.monitoring.plan.definitions)
    return {each.chart.name: each for each in found if each is not None}


@pytest.mark.parametrize("name", CLUSTERS)
def test_releases_of_charts(name: str):
    """Of the pinned version with the plan's values, never atomic: one bad node must not undo the others."""
    releases = {each.inputs["name"]: each.inputs for each in objects(name) if each.type.endswith(":Release")}
    expected = {
        called: {
            "name": called,
            "chart": settings.chart.chart,
            "version": settings.chart.version,
            "namespace": settings.namespace,
            "values": settings.values,
            "timeout": settings.timeout_seconds,
            **({"repositoryOpts": {"repo": settings.chart.repo}} if settings.chart.repo else {}),
        }
        for called, settings in charts(name).items()
    }

    assert releases.keys() == expected.keys()
    for each, wanted in expected.items():
        assert {key: value for key, value in releases[each].items() if key != "compat"} == wanted
