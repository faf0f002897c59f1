"""The proof inside `up`: nccl-tests over every node of a pool, judged before anything says ready."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

import pulumi
import pulumi_kubernetes as k8s
from rdma_agent.names import OUTCOME, TESTS_NAMESPACE
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, in_time, inputs, outputs, plan_args, waiting_for
from ..component.outputs import PoolProof
from .account import Admission, confined_account, policy_rules, role_binding
from .mpi_operator import MpiOperator
from .objects import autonamed, claim_template, config_map, custom_resource, replaced
from .on_cluster import Links, on_cluster
from .plan.acceptance import AcceptancePlan, NcclAcceptanceArgs, PoolTest, marker_policy, plan_acceptance, runner_job
from .plan.acceptance.marker_policy import MARKER, MARKER_RULES
from .plan.acceptance.pod import FILES, NETWORK_POLICY, expectation_name, over_nvlink
from .plan.acceptance.runner_job import RUNNER
from .plan.statements import statements

# The host's folders with drivers and plugin, and IPC_LOCK, are beyond what a cluster may admit by default.
_PRIVILEGED = {"pod-security.kubernetes.io/enforce": "privileged"}


@with_keys
class NcclAcceptance(PlannedComponent[AcceptancePlan, Links]):
    """Runs NCCL over the fabric of each pool; a gate that fails, fails `up` with the gate's name."""

    proofs: pulumi.Output[dict[str, PoolProof]]
    """By pool: ``proven`` or ``not proven``, with the collective, the sizes and the threshold that were judged."""

    def __init__(
        self, name: str, args: NcclAcceptanceArgs, opts: Opts = None, *, after: Sequence[pulumi.Resource] = ()
    ):
        """``after`` is what the tests alone wait for: drivers, plugins, nodes."""
        args, plan = plan_args(NcclAcceptanceArgs, plan_acceptance, args)
        self._make(name, plan, Links(statements(args), after), inputs(NcclAcceptanceArgs, args), opts)

    # Longer than 60 lines: each resource once, in the order in which they come and go.
    def _make(self, name: str, plan: AcceptancePlan, links: Links, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:NcclAcceptance", name, shown, opts)
        child, after = on_cluster(self, links.statements), links.after
        proofs: dict[str, pulumi.Input[dict[str, Any]]] = {
            pool: {"status": "not proven", "reason": reason} for pool, reason in plan.skip_reason.items()
        }
        # By pool, what ends when its fabric is proved.
        self.tests: dict[str, k8s.batch.v1.Job] = {}
        # What tests name, those of the prover too.
        self.prepared: list[pulumi.Resource] = []
        named = (*plan.tests, *plan.prepared)
        if named:
            namespace = k8s.core.v1.Namespace(
                name, metadata={"name": TESTS_NAMESPACE, "labels": _PRIVILEGED}, opts=child
            )
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
            if (operator := plan.operator) is not None:
                # For the jobs of this namespace alone; its name as an output, so that the operator's objects here wait.
                watched, image = namespace.metadata["name"], {"image": operator.image}
                first.append(MpiOperator.planned(name, operator, watched, image, child))
            if plan.tests:
                first += _runner(f"{name}-{RUNNER}", plan, inside)
            if plan.marks_nodes:
                # The judge's container may read nodes, and set our taint; where nodes are held, proofs too.
                held = marker_policy.spec(holds=plan.holds)
                policy = Admission(marker_policy.NAME, "", held)
                account, logical = (MARKER, TESTS_NAMESPACE), f"{name}-{MARKER}"
                first.append(confined_account(logical, account, MARKER_RULES, [policy], inside).rights)
            for template in {template.name: template for test in named for template in test.templates}.values():
                logical, fixed = f"{name}-{template.name}", replaced(inside, "spec")
                first.append(claim_template(logical, template.name, TESTS_NAMESPACE, template.spec(), fixed))
            for file in {file.config_map: file for test in named for file in test.files}.values():
                first.append(config_map(f"{name}-{file.config_map}", file, TESTS_NAMESPACE, inside))
            self.prepared = [namespace, *first]
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


def _runner(name: str, plan: AcceptancePlan, inside: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """The account that runs tests: it sees which nodes are in use, and lets suspended tests run."""
    account = (RUNNER, TESTS_NAMESPACE)
    confined = confined_account(
        name, account, runner_job.CLUSTER_RULES, [Admission(RUNNER, "", runner_job.policy())], inside
    )
    metadata = _named(RUNNER)
    rules = policy_rules(runner_job.rules(mpi=plan.has_mpi_jobs))
    role = k8s.rbac.v1.Role(name, metadata=metadata, rules=rules, opts=waiting_for(inside, [*confined.bound]))
    within = waiting_for(inside, [confined.account, role])
    return [confined.rights, role_binding(name, metadata, "Role", RUNNER, account, within)]


def _run(
    name: str,
    test: PoolTest,
    first: Sequence[pulumi.Resource],
    after: Sequence[pulumi.Resource],
    inside: pulumi.ResourceOptions,
) -> k8s.batch.v1.Job:
    """Runs one test where it is due. Returns the Job that ends when that is decided and done."""
    # Not under the names that 0.1.0 gave: its test, and what that had to show, stay readable until this `up` ends.
    names = _named(expectation_name(test.short))
    config = k8s.core.v1.ConfigMap(f"{name}-test", metadata=names, data=test.config, opts=inside)
    needs = [*first, *after, config]
    if test.compute_domain:
        # After the drivers, which bring its definition, and gone before them: it has a finalizer of theirs.
        needs.append(custom_resource(name, test.compute_domain, replaced(waiting_for(inside, needs), "spec")))
    if test.service:
        metadata, spec = test.service["metadata"], test.service["spec"]
        needs.append(k8s.core.v1.Service(name, metadata=metadata, spec=spec, opts=inside))
    runs = waiting_for(inside, needs)
    named = autonamed(name)
    runner = k8s.batch.v1.Job(f"{named}-runner", metadata=test.runner["metadata"], spec=test.runner["spec"], opts=runs)
    uid = runner.metadata.apply(lambda metadata: (metadata and metadata.uid) or "")
    waits = cast("Any", runner_job.suspended(test.test, uid))
    skip: Any = {**test.test["metadata"], "annotations": {"pulumi.com/skipAwait": "true"}}
    held: pulumi.Resource
    if test.test["kind"] == "Job":
        held = k8s.batch.v1.Job(f"{name}-test", metadata=skip, spec=waits, opts=runs)
    else:
        # The templates of its pods never change.
        held = custom_resource(f"{name}-test", {**test.test, "spec": waits}, replaced(runs, "spec"))
    called = runner.metadata.apply(lambda metadata: (metadata and metadata.name) or "")
    return k8s.batch.v1.Job(
        f"{named}-watcher",
        metadata=test.watcher["metadata"],
        spec=cast("Any", runner_job.watching(test.watcher["spec"], called, uid)),
        opts=in_time(waiting_for(runs, [runner, held]), test.timeout_seconds),
    )


def _named(name: str) -> k8s.meta.v1.ObjectMetaArgsDict:
    return {"name": name, "namespace": TESTS_NAMESPACE}


def _proof(test: PoolTest, job: k8s.batch.v1.Job) -> pulumi.Output[dict[str, Any]]:
    """What the Job has shown, known once it has ended."""
    return job.status.apply(lambda status: job.metadata.apply(lambda metadata: proof_of(test, metadata, status)))


def proof_of(test: PoolTest, metadata: Any, status: "k8s.batch.v1.outputs.JobStatus | None") -> dict[str, Any]:
    """What a watcher's Job tells of a test: the outcome stands in an annotation that it gave itself."""
    told: dict[str, Any] = json.loads(((metadata and metadata.annotations) or {}).get(OUTCOME, "{}"))
    if told.get("due"):
        words = f"pool {test.pool}: {told['message']}; the next `up` tests it, or set acceptance.onBusy: wait"
        pulumi.log.warn(words)
    known = {"provenAt": told.get("at"), "provenBy": told.get("by"), "due": told.get("due")}
    seconds = {"seconds": told["seconds"]} if told.get("seconds") else {} if told else _took(status)
    return {"status": status_of(status), **{key: of for key, of in known.items() if of}, **test.shown, **seconds}


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
