"""Published manifests before a real API server: stored as `inject` prints them, or refused in its words."""

import os
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog import machines
from rdma_cluster.incluster.addons.injection.args import FabricInjectionArgs, InjectionEngine
from rdma_cluster.incluster.addons.injection.plan import InjectionPlan, plan_injection
from rdma_cluster.incluster.plan.pool import InClusterPool
from rdma_cluster.injection import inject
from rdma_cluster.injection.policies import NOT_GIVEN
from tests.portable.manifests import STACKS, Manifest, injecting, manifests
from .api import Api, Object, Refused
from .applied import lacking
from .build import KUBERNETES
from .injected import BETA, Policies, comparable, in_force, pod_for, policies, stored
from .queueing import jobset, leader_worker_set, mpi_operator, trainer, until

ALL = manifests()
P5 = next(each for each in machines() if each.name == "p5.48xlarge")


def plan_for(stack: str, namespace: str) -> InjectionPlan:
    """What the stack would have in a namespace of the test's, with the API server's own engine."""
    cluster, errors = injecting(stack), ErrorList()
    injection, claims = cluster.addons.injection, cluster.claims
    assert injection is not None
    asked: Any = {**(claims.options if claims else {}), "namespaces": [namespace]}
    key, value = cluster.context.taint
    args: Any = {
        **{key: of for key, of in injection.options.items() if key not in ("enabled", "namespaces")},
        "pools": [
            InClusterPool(
                name=each.name, machine=each.machine.name, fabric=each.fabric.name, gpu_allocation=each.allocation
            )
            for each in cluster.pools
        ],
        "pool_label": cluster.context.pool_label,
        "taint": {"key": key, "value": value},
        "other_taints": cluster.context.other_taints,
        "claims": asked,
        "version": KUBERNETES,
        "beta": BETA,
        "engine": InjectionEngine.NATIVE,
    }
    plan = plan_injection(FabricInjectionArgs(**args), errors)
    assert plan is not None, errors.found()
    return plan


@pytest.fixture(scope="module", params=STACKS)
def on_stack(request: pytest.FixtureRequest, api: Api) -> Iterator[Policies]:
    """A stack's policies, by which every pod of the namespace asks."""
    with in_force(api, lambda namespace: plan_for(request.param, namespace)) as found:
        yield found


def whole(template: Object) -> Object:
    """A pod that the API takes: volumes that a controller would add are there."""
    pod: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, **deepcopy(template)}
    spec = pod["spec"]
    spec["automountServiceAccountToken"] = False
    volumes = {each["name"] for each in spec.get("volumes", [])}
    mounts = [mount["name"] for each in spec["containers"] for mount in each.get("volumeMounts", [])]
    missing = [{"name": name, "emptyDir": {}} for name in dict.fromkeys(mounts) if name not in volumes]
    if missing:
        spec["volumes"] = [*spec.get("volumes", []), *missing]
    return pod


@pytest.mark.parametrize("manifest", ALL, ids=lambda each: each.name)
def test_stored_as_printed(on_stack: Policies, manifest: Manifest):
    """With no edit, or refused in the command's own words."""
    for template in manifest.pods:
        pod = whole(template)
        made = inject(pod, on_stack.plan.patterns, on_stack.plan.scope)
        if made.refusals:
            with pytest.raises(Refused) as refused:
                stored(on_stack.cluster, pod)
            assert "; ".join(made.refusals) in refused.value.message
        else:
            changed, shown = stored(on_stack.cluster, pod), stored(on_stack.elsewhere, made.pod)
            assert changed == shown, lacking(shown, changed) + lacking(changed, shown)


def test_no_policy_that_fails_lets_a_pod_through(api: Api):
    """One whose expression breaks at run time, and one that is gone: whoever asked is refused, and nobody else."""
    with policies(api, "efa-device-plugin", [P5.name]) as found:
        pod, other = pod_for(P5, 8), pod_for(P5, 8)
        del other["metadata"]["annotations"]
        broken = deepcopy(dict(found.plan.policies[0]))
        broken["spec"]["variables"][0]["expression"] = "object.spec.thereIsNoSuchPart"
        found.cluster.apply(broken)
        assert "thereIsNoSuchPart" in until(lambda: _refusal(found, pod), "the pod is refused")
        assert stored(found.cluster, other)

        api.delete(broken)
        until(lambda: NOT_GIVEN in _refusal(found, pod), "the pod is refused by the other policy")
        assert stored(found.cluster, other)


def _refusal(found: Policies, pod: Object) -> str:
    try:
        stored(found.cluster, pod)
    except Refused as refused:
        return refused.message
    return ""


@pytest.mark.skipif("KUBECONFIG_E2E" in os.environ, reason="the programs run beside a control plane of ours")
def test_through_their_own_controllers(api: Api, kubeconfig: Path, tmp_path: Path):
    """Pods that controllers make of the manifests, on a stack that serves parts of nodes."""
    with (
        jobset(api, kubeconfig, tmp_path / "jobset"),
        trainer(api, kubeconfig, tmp_path / "trainer"),
        mpi_operator(api, kubeconfig, tmp_path / "mpi"),
        leader_worker_set(api, kubeconfig, tmp_path / "lws"),
        in_force(api, lambda namespace: plan_for("gke", namespace)) as found,
    ):
        patterns, scope = found.plan.patterns, found.plan.scope
        chosen = [
            each
            for each in ALL
            if each.kind in OWNERS and not any(inject(pod, patterns, scope).refusals for pod in each.pods)
        ]
        assert {each.kind for each in chosen} == set(OWNERS)
        for number, manifest in enumerate(chosen):
            owner = until(lambda name=f"m{number}", of=manifest: _applied(found, name, of), manifest.name)
            pods = until(lambda of=manifest, name=f"m{number}": _pods(found, name, len(of.pods)), manifest.name)
            for template in manifest.pods:
                shown = inject(whole(template), patterns, scope).pod
                said = stored(found.elsewhere, shown)
                names = [each["name"] for each in said["spec"]["containers"]]
                made = [each for each in pods if [own["name"] for own in each["spec"]["containers"]] == names]
                missing = [lost(said, comparable(each)) for each in made]
                assert [] in missing, (manifest.name, missing)
            found.cluster.api.delete(owner)


def _applied(found: Policies, name: str, manifest: Manifest) -> Object | None:
    """The owner of the pods; its webhook answers a moment after it is there."""
    templates = [{"metadata": {}, "spec": whole(pod)["spec"]} for pod in manifest.pods]
    owner: Object = {}
    try:
        for each in OWNERS[manifest.kind](templates):
            owner = found.cluster.apply({"metadata": {"name": name}, **each}).result
    except Refused as refused:
        if "connect" not in refused.message:
            raise
        return None
    return owner


def _replicated(templates: Sequence[Object]) -> list[Object]:
    never = [{**each, "spec": {**each["spec"], "restartPolicy": "Never"}} for each in templates]
    return [
        {"name": f"job-{i}", "template": {"spec": {"backoffLimit": 0, "template": each}}}
        for i, each in enumerate(never)
    ]


def _of_jobset(templates: Sequence[Object]) -> list[Object]:
    spec = {"replicatedJobs": _replicated(templates)}
    return [{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "spec": spec}]


def _of_leader_worker_set(templates: Sequence[Object]) -> list[Object]:
    leader = {"leaderTemplate": templates[0]} if len(templates) > 1 else {}
    spec = {"replicas": 1, "leaderWorkerTemplate": {"size": 2, **leader, "workerTemplate": templates[-1]}}
    return [{"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "spec": spec}]


def _of_mpi_job(templates: Sequence[Object]) -> list[Object]:
    replicas = {
        kind: {"replicas": 1, "template": each} for kind, each in zip(("Launcher", "Worker"), templates, strict=True)
    }
    return [{"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "spec": {"mpiReplicaSpecs": replicas}}]


def _of_trainer(templates: Sequence[Object]) -> list[Object]:
    runtime = {"mlPolicy": {"numNodes": 1}, "template": {"spec": {"replicatedJobs": _replicated(templates)}}}
    names = {"name": "runtime"}
    return [
        {**_TRAINER, "kind": "TrainingRuntime", "metadata": names, "spec": runtime},
        {**_TRAINER, "kind": "TrainJob", "spec": {"runtimeRef": {"kind": "TrainingRuntime", **names}}},
    ]


_TRAINER = {"apiVersion": "trainer.kubeflow.org/v1alpha1"}
OWNERS: dict[str, Callable[[Sequence[Object]], list[Object]]] = {
    "JobSet": _of_jobset,
    "LeaderWorkerSet": _of_leader_worker_set,
    "MPIJob": _of_mpi_job,
    "ClusterTrainingRuntime": _of_trainer,
    "TrainJob": _of_trainer,
}
"""Objects with some templates of pods, by the manifest's kind; the last of them owns the pods."""


def _pods(found: Policies, name: str, number: int) -> list[Object]:
    pods = found.cluster.api.objects("v1", "Pod", found.cluster.namespace)
    of_owner = [each for each in pods if each["metadata"]["name"].startswith(name)]
    return of_owner if len(of_owner) >= number else []


def lost(said: Object, made: Object) -> list[str]:
    """What a pod lacks of what was printed; controllers add variables and volumes of their own."""
    spec = deepcopy(made["spec"])
    parts = [(said["spec"], spec, "volumes")]
    for ours, theirs in zip(said["spec"]["containers"], spec["containers"], strict=True):
        parts += [(ours, theirs, "env"), (ours, theirs, "volumeMounts")]
    for ours, theirs, key in parts:
        names = [each["name"] for each in ours.get(key, [])]
        shared = (each for each in theirs.get(key, []) if each["name"] in names)
        theirs[key] = sorted(shared, key=lambda each, names=names: names.index(each["name"]))
    for key in ("dnsPolicy", "restartPolicy", "tolerations"):
        spec[key] = said["spec"].get(key)
    return lacking(said["spec"], spec)
