"""The proof inside `up`: nccl-tests over every node of a pool, judged before anything says ready."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

import pulumi
import pulumi_kubernetes as k8s

from ..component import Opts, inputs, outputs, plan_args, waiting_for
from ..key_docs import with_keys
from ..shown import PoolProof
from .account import account_with, cluster_binding, policy_rules
from .claim_templates import REPLACED
from .mpi_operator import MpiOperator
from .on_cluster import on_cluster
from .plan.acceptance import AcceptancePlan, NcclAcceptanceArgs, PoolTest, marker_policy, plan_acceptance
from .plan.acceptance.mpi_job import WATCHER, WATCHER_RULES
from .plan.acceptance.node_taints import MARKER, MARKER_RULES
from .plan.acceptance.pod import FILES, NAMESPACE, NETWORK_POLICY, expectation_name, over_nvlink
from .plan.mpi_operator import MpiOperatorArgs

# The host's folders with drivers and plugin, and IPC_LOCK, are beyond what a cluster may admit by default.
_PRIVILEGED = {"pod-security.kubernetes.io/enforce": "privileged"}


@with_keys
class NcclAcceptance(pulumi.ComponentResource):
    """Runs NCCL over the fabric of each pool; a gate that fails, fails `up` with the gate's name."""

    proofs: pulumi.Output[dict[str, PoolProof]]
    """By pool: ``proven`` or ``not proven``, with the collective, the sizes and the threshold that were judged."""

    # Longer than 60 lines: each resource once, in the order in which they come and go.
    def __init__(
        self,
        name: str,
        args: NcclAcceptanceArgs,
        opts: Opts = None,
        *,
        plan: AcceptancePlan | None = None,
        after: Sequence[pulumi.Resource] = (),
    ):
        """``after`` is what the tests alone wait for: drivers, plugins, nodes."""
        args, plan = plan_args(NcclAcceptanceArgs, plan_acceptance, args, plan)
        super().__init__("rdma-cluster:index:NcclAcceptance", name, inputs(NcclAcceptanceArgs, args), opts)
        child = on_cluster(self, args)
        proofs: dict[str, pulumi.Input[dict[str, Any]]] = {
            pool: {"status": "not proven", "reason": reason} for pool, reason in plan.skip_reason.items()
        }
        # By pool, what ends when its fabric is proved.
        self.tests: dict[str, k8s.batch.v1.Job] = {}
        if plan.tests:
            namespace = k8s.core.v1.Namespace(name, metadata={"name": NAMESPACE, "labels": _PRIVILEGED}, opts=child)
            inside = waiting_for(child, [namespace])
            first: list[pulumi.Resource] = [
                k8s.core.v1.ConfigMap(name, metadata=_named(FILES), data=plan.files, opts=inside),
                k8s.networking.v1.NetworkPolicy(
                    name,
                    metadata=_named("nccl-acceptance"),
                    spec=cast("k8s.networking.v1.NetworkPolicySpecArgsDict", NETWORK_POLICY),
                    opts=inside,
                ),
            ]
            if plan.operator:
                # For the jobs of this namespace alone; its name as an output, so that the operator's objects here wait.
                operator = MpiOperatorArgs(watch=namespace.metadata["name"], image=plan.operator_image)
                first.append(MpiOperator(name, operator, child))
            if plan.watched:
                # They look at MPIJobs and at their pods.
                first.append(account_with(name, WATCHER, NAMESPACE, WATCHER_RULES, inside))
            if plan.marks_nodes:
                first.append(_marker_rights(f"{name}-{MARKER}", inside))
            for template in {template.name: template for test in plan.tests for template in test.templates}.values():
                claim = k8s.resource.v1.ResourceClaimTemplate(
                    f"{name}-{template.name}",
                    metadata=_named(template.name),
                    spec=cast("k8s.resource.v1.ResourceClaimTemplateSpecArgsDict", template.spec()),
                    opts=pulumi.ResourceOptions.merge(inside, REPLACED),
                )
                first.append(claim)
            for file in {file.config_map: file for test in plan.tests for file in test.files}.values():
                names, data = _named(file.config_map), {file.name: file.text}
                first.append(k8s.core.v1.ConfigMap(f"{name}-{file.config_map}", metadata=names, data=data, opts=inside))
            for test in plan.tests:
                if test.compute_domain is None:
                    self.tests[test.pool] = job = _run(f"{name}-{test.pool}", test, first, after, inside)
                    proofs[test.pool] = _proof(test, job)
                    continue
                # The nodes are free again then.
                job = _run(f"{name}-{over_nvlink(test.pool)}", test, first, [*after, self.tests[test.pool]], inside)
                both = pulumi.Output.all(proofs[test.pool], _proof(test, job))
                proofs[test.pool] = both.apply(lambda of: {**of[0], "nvlink": of[1]})
                self.tests[test.pool] = job
        self.proofs = pulumi.Output.all(**proofs)
        self.register_outputs(outputs(self))


def _marker_rights(name: str, inside: pulumi.ResourceOptions) -> pulumi.Resource:
    """What the container that judges may do where suspected nodes are tainted: read nodes, and set our taint."""
    account = k8s.core.v1.ServiceAccount(name, metadata=_named(MARKER), opts=inside)
    role = k8s.rbac.v1.ClusterRole(name, metadata={"name": MARKER}, rules=policy_rules(MARKER_RULES), opts=inside)
    admission = k8s.admissionregistration.v1
    policy = admission.ValidatingAdmissionPolicy(
        name,
        metadata={"name": marker_policy.NAME},
        spec=cast("k8s.admissionregistration.v1.ValidatingAdmissionPolicySpecArgsDict", marker_policy.SPEC),
        opts=inside,
    )
    bound = admission.ValidatingAdmissionPolicyBinding(
        name,
        metadata={"name": marker_policy.NAME},
        spec=cast("k8s.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpecArgsDict", marker_policy.BINDING),
        opts=waiting_for(inside, [policy]),
    )
    # It has the right only while the policy holds it.
    return cluster_binding(name, MARKER, MARKER, NAMESPACE, waiting_for(inside, [account, role, bound]))


def _run(
    name: str,
    test: PoolTest,
    first: Sequence[pulumi.Resource],
    after: Sequence[pulumi.Resource],
    inside: pulumi.ResourceOptions,
) -> k8s.batch.v1.Job:
    names = _named(expectation_name(test.short))
    needs = [*first, *after, k8s.core.v1.ConfigMap(name, metadata=names, data=test.config, opts=inside)]
    if test.compute_domain:
        # After the drivers, which bring its definition, and gone before them: it has a finalizer of theirs.
        needs.append(_custom(name, test.compute_domain, needs, inside, REPLACED))
    if test.service:
        spec = cast("k8s.core.v1.ServiceSpecArgsDict", test.service["spec"])
        needs.append(k8s.core.v1.Service(name, metadata=test.service["metadata"], spec=spec, opts=inside))
    # The nodes are whole for one test at a time.
    alone = pulumi.ResourceOptions(delete_before_replace=True)
    if test.mpi_job:
        # Its name does not follow a pull secret, and the templates of its pods never change.
        needs.append(_custom(name, test.mpi_job, needs, inside, REPLACED))
    timeout = f"{test.timeout_seconds}s"
    timeouts = pulumi.ResourceOptions(custom_timeouts=pulumi.CustomTimeouts(create=timeout, update=timeout))
    return k8s.batch.v1.Job(
        name,
        metadata=test.job["metadata"],
        spec=cast("k8s.batch.v1.JobSpecArgsDict", test.job["spec"]),
        opts=pulumi.ResourceOptions.merge(waiting_for(inside, needs), pulumi.ResourceOptions.merge(alone, timeouts)),
    )


def _custom(
    name: str,
    custom: dict[str, Any],
    after: Sequence[pulumi.Resource],
    inside: pulumi.ResourceOptions,
    changes: pulumi.ResourceOptions,
) -> k8s.apiextensions.CustomResource:
    """A custom resource; ``changes`` says how a changed one is replaced."""
    return k8s.apiextensions.CustomResource(
        name,
        api_version=custom["apiVersion"],
        kind=custom["kind"],
        metadata=custom["metadata"],
        spec=custom["spec"],
        opts=pulumi.ResourceOptions.merge(waiting_for(inside, list(after)), changes),
    )


def _named(name: str) -> k8s.meta.v1.ObjectMetaArgsDict:
    return {"name": name, "namespace": NAMESPACE}


def _proof(test: PoolTest, job: k8s.batch.v1.Job) -> pulumi.Output[dict[str, Any]]:
    """What the Job has shown, known once it has succeeded."""
    return job.status.apply(lambda status: {"status": status_of(status), **test.shown, **_took(status)})


def _took(status: "k8s.batch.v1.outputs.JobStatus | None") -> dict[str, int]:
    """The seconds from a Job's start to its end, once it has both."""
    times = (status.start_time, status.completion_time) if status else (None, None)
    try:
        began, ended = (datetime.fromisoformat(str(each).replace("Z", "+00:00")) for each in times)
    except ValueError:
        return {}
    return {"seconds": int((ended - began).total_seconds())}


def status_of(status: "k8s.batch.v1.outputs.JobStatus | None") -> str:
    """``proven`` once the Job has succeeded, and never before it says so."""
    conditions = (status.conditions if status else None) or []
    complete = any(each.type == "Complete" and each.status == "True" for each in conditions)
    return "proven" if complete else "not proven"
