"""NcclAcceptance and MpiOperator in a program: their objects, what waits for what, and what is told at the end."""

from collections.abc import Mapping
from typing import Any

import pytest
from pulumi_offline import Graph, Resource, preview
from rdma_cluster.incluster.plan.dra_drivers import ManagedBy
from tests.acceptance.plans import args, efa, plan, pool

JOB, MPI_JOB = "kubernetes:batch/v1:Job", "kubernetes:kubeflow.org/v2beta1:MPIJob"
CONFIG_MAP, NAMESPACE = "kubernetes:core/v1:ConfigMap", "kubernetes:core/v1:Namespace"
TEMPLATE = "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate"
RBAC = "kubernetes:rbac.authorization.k8s.io/v1"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"


def graph(given: Mapping[str, Any]) -> Graph:
    def program() -> None:
        import pulumi
        from rdma_cluster.incluster import NcclAcceptance

        pulumi.export("proofs", NcclAcceptance("t", given, None).proofs)  # ty: ignore[invalid-argument-type]

    return preview(program)


def operator(given: Mapping[str, Any]) -> Graph:
    def program() -> None:
        from rdma_cluster.incluster import MpiOperator

        MpiOperator("op", given, None)  # ty: ignore[invalid-argument-type]

    return preview(program)


def waits_for(graph: Graph, resource: Resource) -> set[str]:
    """Types of what a resource waits for."""
    by_urn = {each.urn: each.type for each in graph.resources}
    return {by_urn[urn] for urn in resource.dependencies}


def test_what_a_test_names_is_there_before_its_runner():
    """`up` waits for the watcher alone, which another runner replaces."""
    made = graph(args())
    runner, test, watcher = (made.one(JOB, name) for name in ("t-a-runner", "t-a-test", "t-a-watcher"))

    service, policy = "kubernetes:core/v1:Service", "kubernetes:networking.k8s.io/v1:NetworkPolicy"
    assert waits_for(made, runner) >= {NAMESPACE, CONFIG_MAP, TEMPLATE, service, policy, f"{RBAC}:RoleBinding"}
    again = {"pulumi.com/replaceUnready": "true"}
    assert runner.inputs["metadata"]["annotations"] == {**again, "pulumi.com/skipAwait": "true"}
    assert watcher.inputs["metadata"]["annotations"] == again
    assert {runner.urn, test.urn} <= {*watcher.dependencies} and runner.urn in test.dependencies
    assert test.inputs["spec"]["suspend"] is True
    pods = [each.inputs["spec"]["template"]["metadata"]["annotations"] for each in (test, watcher)]
    assert pods[0]["rdma-cluster/runner"] == pods[1]["rdma-cluster/runner"]
    # A named object is deleted before its next one is made, and with it whatever was made from outputs of it.
    assert all("name" not in each.inputs["metadata"] for each in (runner, watcher))
    timeout = f"{plan(args()).tests[0].timeout_seconds}s"
    assert watcher.options["customTimeouts"] == {"create": timeout, "update": timeout}
    assert not made.of_type(DEPLOYMENT)


def test_0_1_0_left_its_expectation_under_a_name_that_nobody_overwrites():
    """The runner reads it to know what that proof was of; it goes when this `up` has ended."""
    names = {each.inputs["metadata"]["name"] for each in graph(args()).of_type(CONFIG_MAP)}

    assert "nccl-test-a" in names and "nccl-expect-a" not in names


def test_the_operator_runs_before_the_runner_of_an_mpi_job():
    made = graph(efa())
    (mpi_job,), runner = made.of_type(MPI_JOB), made.one(JOB, "t-p5-runner")

    assert mpi_job.inputs["spec"]["runPolicy"]["suspend"] is True and mpi_job.options["deleteBeforeReplace"] is True
    assert {DEPLOYMENT, f"{RBAC}:RoleBinding", TEMPLATE, CONFIG_MAP} <= waits_for(made, runner)
    assert any("CustomResourceDefinition" in each for each in waits_for(made, runner))
    assert not made.of_type("kubernetes:core/v1:Service")


def test_two_pools_share_what_they_can():
    """There is one namespace, one set of files, one operator, and one template a machine."""
    made = graph(efa(*(pool(name, 4, "p5.48xlarge", "efa") for name in "ab"), mpi_operator="installed"))

    assert len(made.of_type(MPI_JOB)) == 2 and len(made.of_type(JOB)) == 4
    assert len(made.of_type(NAMESPACE)) == 2  # the operator's own with it
    assert len(made.of_type(TEMPLATE)) == len({each.inputs["metadata"]["name"] for each in made.of_type(TEMPLATE)})
    assert len(made.of_type(DEPLOYMENT)) == 1


def test_an_existing_operator_is_left_alone():
    made = graph(efa(mpi_operator=ManagedBy.EXISTING))

    assert made.of_type(MPI_JOB)
    assert not made.of_type(DEPLOYMENT)
    assert not [each for each in made.resources if "CustomResourceDefinition" in each.type]


def test_a_pool_that_is_not_tested_says_why_and_makes_nothing():
    made = graph(args(pool(skip_reason="no nodes until a job asks")))

    assert [*made.outputs["proofs"].values()] == [{"status": "not proven", "reason": "no nodes until a job asks"}]
    assert [each.type for each in made.resources] == ["rdma-cluster:index:NcclAcceptance"]


def test_no_pod_has_more_than_it_needs():
    """Runner and watcher alone have credentials, and nobody is privileged."""
    for given in (args(), efa()):
        made = graph(given)
        specs = [job.inputs["spec"]["template"]["spec"] for job in made.of_type(JOB)]
        for mpi_job in made.of_type(MPI_JOB):
            specs += [each["template"]["spec"] for each in mpi_job.inputs["spec"]["mpiReplicaSpecs"].values()]
        for spec in specs:
            looks = spec.get("serviceAccountName") == "nccl-runner"
            assert looks or spec["automountServiceAccountToken"] is False
            assert not spec.get("hostNetwork")
            for container in spec["containers"]:
                context = container.get("securityContext", {})
                assert not context.get("privileged")
                if container["name"] in ("verdict", "run-test", "watch-test"):
                    assert context["readOnlyRootFilesystem"] is context["runAsNonRoot"] is True


def test_launcher_leaves_the_nodes_to_the_workers():
    """Each node has a worker that keeps its like away: a launcher must not look like one, nor take a device."""
    (test,) = plan(efa()).tests
    replicas = test.test["spec"]["mpiReplicaSpecs"]
    launcher, worker = replicas["Launcher"]["template"], replicas["Worker"]["template"]
    (apart,) = worker["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]

    assert apart["labelSelector"]["matchLabels"].items() <= worker["metadata"]["labels"].items()
    assert not apart["labelSelector"]["matchLabels"].items() <= launcher["metadata"]["labels"].items()
    assert "affinity" not in launcher["spec"] and "resourceClaims" not in launcher["spec"]
    assert launcher["spec"]["containers"][0]["resources"].keys() == {"requests"}
    # The operator writes into the first container of each.
    assert [template["spec"]["containers"][0]["name"] for template in (launcher, worker)] == ["test", "worker"]


@pytest.mark.parametrize("watch", [None, "team"])
def test_an_operator_may_watch_one_namespace_alone(watch: str | None):
    made = operator({"watch": watch} if watch else {})
    (deployment,) = made.of_type(DEPLOYMENT)
    over_jobs = [each for each in made.resources if each.name == "op-jobs"]

    (container,) = deployment.inputs["spec"]["template"]["spec"]["containers"]
    assert container.get("env") == ([{"name": "KUBEFLOW_NAMESPACE", "value": watch}] if watch else None)
    assert [each.type for each in over_jobs] == [f"{RBAC}:{'RoleBinding' if watch else 'ClusterRoleBinding'}"]
    assert over_jobs[0].inputs["metadata"].get("namespace") == watch
    (kind,) = (each for each in made.resources if "CustomResourceDefinition" in each.type)
    assert kind.urn in deployment.dependencies


@pytest.mark.parametrize(
    ("conditions", "status"),
    [
        (None, "not proven"),
        ([], "not proven"),
        ([("Failed", "True"), ("Complete", "False")], "not proven"),
        ([("SuccessCriteriaMet", "True")], "not proven"),
        ([("SuccessCriteriaMet", "True"), ("Complete", "True"), ("Suspended", "False")], "proven"),
    ],
)
def test_a_pool_is_proven_by_the_condition_complete_alone(conditions: list[tuple[str, str]] | None, status: str):
    from pulumi_kubernetes.batch.v1.outputs import JobCondition, JobStatus
    from rdma_cluster.incluster.nccl_acceptance import status_of

    held = None if conditions is None else [JobCondition(type=kind, status=value) for kind, value in conditions]
    assert status_of(JobStatus(conditions=held)) == status
    assert status_of(None) == "not proven"


def test_the_provider_has_room_for_a_name_of_its_own():
    """It adds nine characters, and a Job's name is a label of its pods."""
    made = graph(args(pool("a" * 40)))

    assert all(len(job.name) + 9 <= 63 for job in made.of_type(JOB) if "name" not in job.inputs["metadata"])
