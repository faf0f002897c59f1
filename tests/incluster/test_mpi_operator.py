"""What the MPI operator may do, and how it is told where."""

import pytest
from rdma_cluster.base.args import plan_from
from rdma_cluster.incluster.plan.mpi_operator import (
    JOB_RULES,
    LEADER_RULES,
    PRIORITY_RULES,
    MpiOperatorArgs,
    MpiOperatorPlan,
    crd,
    plan_mpi_operator,
)


def container(**args: str) -> dict:
    """The operator's container."""
    plan: MpiOperatorPlan = plan_from(MpiOperatorArgs, plan_mpi_operator, args)
    (only,) = plan.deployment(args.get("watch"))["template"]["spec"]["containers"]
    return only


def granted(rules: list[dict]) -> set[tuple[str, str, str]]:
    """Group, resource and verb of everything that rules allow."""
    return {
        (group, resource, verb)
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


@pytest.mark.parametrize("namespace", ["mpi-operator", "mine"])
def test_leader_is_chosen_where_the_operator_may(namespace: str):
    """Its lease lies in its own namespace, where its rights to leases are; elsewhere no replica would ever lead."""
    args = {} if namespace == "mpi-operator" else {"namespace": namespace}

    assert container(**args)["args"] == [f"--lock-namespace={namespace}"]
    assert {("coordination.k8s.io", "leases", verb) for verb in ("get", "create", "update")} <= granted(LEADER_RULES)


def test_one_namespace_is_watched_or_all():
    """By the variable that stands for its flag."""
    assert container(watch="jobs")["env"] == [{"name": "KUBEFLOW_NAMESPACE", "value": "jobs"}]
    assert "env" not in container()


# mpi-operator@v0.8.0 pkg/controller/mpi_job_controller.go: what each step of a job's life asks of the API.
NEEDED = {
    "a job is seen, and what it says is kept": [
        ("kubeflow.org", "mpijobs", "list"),
        ("kubeflow.org", "mpijobs", "watch"),
        ("kubeflow.org", "mpijobs/status", "update"),
    ],
    "hosts and keys are written, and written again": [
        ("", "configmaps", "create"),
        ("", "configmaps", "update"),
        ("", "secrets", "create"),
        ("", "secrets", "update"),
        ("", "services", "create"),
        ("", "services", "update"),
    ],
    "workers come and go, a launcher comes, a suspended one goes on": [
        ("", "pods", "create"),
        ("", "pods", "delete"),
        ("batch", "jobs", "create"),
        ("batch", "jobs", "update"),
    ],
    "all of it is watched": [
        (group, resource, verb)
        for group, resource in (("", "configmaps"), ("", "secrets"), ("", "services"), ("", "pods"), ("batch", "jobs"))
        for verb in ("list", "watch")
    ],
    "objects block the deletion of their owner": [("kubeflow.org", "mpijobs/finalizers", "update")],
    "what happens is told": [("", "events", "create"), ("", "events", "patch")],
}


@pytest.mark.parametrize("step", NEEDED)
def test_operator_may_do_what_it_does(step: str):
    """A right that lacks ends a job that never starts."""
    assert set(NEEDED[step]) <= granted(JOB_RULES)


def test_operator_may_do_no_more():
    """Neither in the namespace of its jobs nor on the cluster."""
    assert granted(JOB_RULES) == {right for rights in NEEDED.values() for right in rights}
    assert granted(PRIORITY_RULES) == {
        ("scheduling.k8s.io", "priorityclasses", "list"),
        ("scheduling.k8s.io", "priorityclasses", "watch"),
    }


def test_status_of_a_job_is_a_part_of_its_own():
    """The operator writes it there; without the subresource every such call is refused."""
    (version,) = crd()["versions"]

    assert version["subresources"] == {"status": {}}
    assert (version["name"], version["served"], version["storage"]) == ("v2beta1", True, True)
    assert (crd()["group"], crd()["names"]["kind"], crd()["scope"]) == ("kubeflow.org", "MPIJob", "Namespaced")
