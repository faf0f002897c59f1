"""Published manifests on our stacks, with no edit: every pod has its fabric, or is told what it lacks."""

from typing import Any

import pytest
from rdma_cluster.injection import inject
from rdma_cluster.injection.device_requests import GPU
from docs.generate import PORTABLE, portable
from .manifests import STACKS, Manifest, Pod, injected, manifests, plan_on

ALL = manifests()


def test_kinds():
    """Those that people submit; each is somebody else's, at a commit, with the digest of its text."""
    kinds = {each.kind for each in ALL}

    assert len(ALL) >= 20
    assert kinds >= {"Job", "JobSet", "ClusterTrainingRuntime", "MPIJob", "PyTorchJob", "LeaderWorkerSet", "RayCluster"}
    assert kinds >= {
        "RayJob",
        "RayService",
        "StatefulSet",
        "Deployment",
        "DynamoGraphDeployment",
        "TrainJob",
        "NodeSet",
    }
    for each in ALL:
        assert (len(each.source["commit"]), len(each.source["sha256"])) == (40, 64), each.name
        assert any(_asks(pod) for pod in each.pods), each.name


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("manifest", ALL, ids=lambda each: each.name)
def test_pods_have_their_fabric(manifest: Manifest, stack: str):
    """Nothing is lost of what was written, and a second time changes nothing."""
    plan = plan_on(stack)
    (pattern,) = plan.patterns
    for pod in manifest.pods:
        done = injected(pod, plan)
        if not _asks(pod):
            assert done.pod == pod
        elif done.refusals:
            assert done.pod == pod
            reasons = [each for each in done.refusals if each not in plan.scope.way_out]
            assert all(any(word in reason for word in ("serves", "; take ", "remove ")) for reason in reasons), reasons
        else:
            _has_fabric(done.pod, pod, pattern)
            assert inject(done.pod, plan.patterns, plan.scope) == done


def test_the_page_is_fresh():
    """docs/portable-jobs.md shows what the manifests are given; `make docs` renews it."""
    assert PORTABLE.read_text(encoding="utf-8") == portable()


def _asks(pod: Pod) -> bool:
    return GPU in str(pod)


def _has_fabric(done: Pod, asked: Pod, pattern: dict[str, Any]) -> None:
    for ours, theirs in zip(done["spec"]["containers"], asked["spec"]["containers"], strict=True):
        if not _asks(theirs):
            assert ours == theirs
            continue
        gpus = str(theirs["resources"]["limits"][GPU])
        shape, given = pattern["shapes"][gpus], pattern["container"]
        assert {name: str(of) for name, of in ours["resources"]["limits"].items()}.items() >= shape["limits"].items()
        assert ours["resources"].get("claims", []) == shape["claims"]
        assert {each["name"] for each in ours.get("env", [])} >= {each["name"] for each in given["env"]}
        paths = {each["mountPath"] for each in ours["volumeMounts"]}
        assert paths >= {"/dev/shm", *(each["mountPath"] for each in given["volumeMounts"])}
        context = ours.get("securityContext", {})
        locks = set(context["capabilities"]["add"])
        assert locks >= set(given["securityContext"].get("capabilities", {}).get("add", []))
        assert context.get("privileged", False) >= given["securityContext"].get("privileged", False)
        mounted = {each["name"] for each in ours["volumeMounts"] if each["name"].startswith("rdma-")}
        assert {each["name"] for each in done["spec"]["volumes"]} >= mounted
    assert {each["name"] for each in done["spec"].get("resourceClaims", [])} >= {
        claim["name"] for each in done["spec"]["containers"] for claim in each.get("resources", {}).get("claims", [])
    }
