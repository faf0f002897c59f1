"""The proof inside `up`: nccl-tests over every node of a pool, judged before anything says ready."""

from typing import Any, cast

import pulumi
import pulumi_kubernetes as k8s

from ..component import inputs, plan_args
from .plan.acceptance import NcclAcceptanceArgs, PoolTest, decide_acceptance
from .plan.acceptance_job import JUDGE, NAMESPACE, expectation_name


class NcclAcceptance(pulumi.ComponentResource):
    """Runs NCCL over the fabric of each pool; a gate that fails, fails `up` with the gate's name."""

    proofs: pulumi.Output[dict[str, Any]]
    """By pool: ``proven`` or ``not proven``, with the collective, the sizes and the floor that were judged."""

    def __init__(self, name: str, args: NcclAcceptanceArgs, opts: pulumi.ResourceOptions | None = None):
        plan = plan_args(NcclAcceptanceArgs, decide_acceptance, args)
        super().__init__("rdma-cluster:index:NcclAcceptance", name, inputs(NcclAcceptanceArgs, args), opts)
        child = pulumi.ResourceOptions(parent=self)
        proofs: dict[str, pulumi.Input[dict[str, Any]]] = {
            pool: {"status": "not proven", "reason": reason} for pool, reason in plan.not_proven.items()
        }
        if plan.tests:
            namespace = k8s.core.v1.Namespace(name, metadata={"name": NAMESPACE}, opts=child)
            inside = pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=[namespace]))
            judge = k8s.core.v1.ConfigMap(name, metadata=_named(JUDGE), data=plan.judge, opts=inside)
            for template in {template.name: template for test in plan.tests for template in test.templates}.values():
                k8s.resource.v1.ResourceClaimTemplate(
                    f"{name}-{template.name}",
                    metadata=_named(template.name),
                    spec=cast("k8s.resource.v1.ResourceClaimTemplateSpecArgsDict", template.spec()),
                    opts=inside,
                )
            for test in plan.tests:
                proofs[test.pool] = _proof(test, _run(f"{name}-{test.pool}", test, judge, inside))
        self.proofs = pulumi.Output.all(**proofs)
        self.register_outputs({"proofs": self.proofs})


def _run(name: str, test: PoolTest, judge: k8s.core.v1.ConfigMap, inside: pulumi.ResourceOptions) -> k8s.batch.v1.Job:
    config = k8s.core.v1.ConfigMap(name, metadata=_named(expectation_name(test.pool)), data=test.config, opts=inside)
    service = k8s.core.v1.Service(
        name,
        metadata=test.service["metadata"],
        spec=cast("k8s.core.v1.ServiceSpecArgsDict", test.service["spec"]),
        opts=inside,
    )
    timeout = f"{test.timeout_seconds}s"
    return k8s.batch.v1.Job(
        name,
        metadata=test.job["metadata"],
        spec=cast("k8s.batch.v1.JobSpecArgsDict", test.job["spec"]),
        opts=pulumi.ResourceOptions.merge(
            inside,
            pulumi.ResourceOptions(
                depends_on=[judge, config, service],
                # The nodes are whole for one test at a time.
                delete_before_replace=True,
                custom_timeouts=pulumi.CustomTimeouts(create=timeout, update=timeout),
            ),
        ),
    )


def _named(name: str) -> k8s.meta.v1.ObjectMetaArgsDict:
    return {"name": name, "namespace": NAMESPACE}


def _proof(test: PoolTest, job: k8s.batch.v1.Job) -> pulumi.Output[dict[str, Any]]:
    """What the Job has shown, known once it has succeeded; the measured figures stand in its log."""
    want = test.expectation
    floors = {
        collective: [{"fromBytes": line.size_bytes, "busbwGBytes": line.busbw_gbytes} for line in lines]
        for collective, lines in want.floors.items()
    }
    shown = {
        "collective": want.collective,
        "tests": want.tests,
        "gpusPerNode": want.gpus_per_node,
        "floors": floors,
        "log": f"kubectl --namespace {NAMESPACE} logs job/{test.job['metadata']['name']} --container verdict",
    }

    def proof(status: "k8s.batch.v1.outputs.JobStatus | None") -> dict[str, Any]:
        conditions = (status.conditions if status else None) or []
        complete = any(each.type == "Complete" and each.status == "True" for each in conditions)
        return {"status": "proven" if complete else "not proven", **shown}

    return job.status.apply(proof)
