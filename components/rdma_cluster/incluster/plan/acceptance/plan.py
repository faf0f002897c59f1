"""Whether `up` proves a pool's fabric, with which test, and when a test runs again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nccl_verdict.expectation import GIB, Expectation
from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from rdma_agent.acceptance.runner import TEST_SECONDS
from rdma_agent.names import TESTS_NAMESPACE
from rdma_agent.payload import payload
from .... import __version__
from ....catalog.clouds import CLOUD_FACTS
from ....catalog.images import JUDGE_PYTHON, MPI_OPERATOR
from ....catalog.machine import Machine
from ....catalog.releases import NcclTests
from ....claims import Template, Unsatisfiable
from ....fabrics import Launcher
from ....fabrics.acceptance import FabricAcceptance
from ..context import ClusterContext, context_of
from ..dra_drivers import InstalledBy
from ..full_node import compute_domain
from ..mpi_operator import MpiOperatorPlan, plan_mpi_operator
from ..pool import GpuPool
from ..resolve import check_cluster, check_fit, resolve
from ..workload import workload_on
from . import indexed_job, mpi_job, runner_job
from .args import AcceptanceImages, AcceptanceOptions, NcclAcceptanceArgs, OnBusy
from .checks import Carried, Choice, check_choice, check_figures
from .expectation import expect_test, row_from
from .pod import MOST_NODES, Measure, PoolTest, job_name, over_nvlink, ring, short
from .rests_on import RELEASED, digest, released_values, values_of

_PULL_SECONDS = 900  # a node's first pull of the test image, drivers and devices included
_MOST_BYTES = 8 * GIB
_PAIR_SECONDS = 600  # one test of 1 to 8 GiB; over TCP instead of RDMA it takes about five minutes
_CARRIERS = {Launcher.INDEXED_JOB: indexed_job, Launcher.MPI_JOB: mpi_job}


@frozen
class AcceptancePlan:
    """What ``NcclAcceptance`` runs."""

    tests: tuple[PoolTest, ...]
    prepared: tuple[PoolTest, ...]
    """Tests of two nodes of pools that the prover tests when their nodes come: what they name is made now."""
    skip_reason: dict[str, str]
    """Pools that are not tested, with the reason."""
    files: dict[str, str]
    """Scripts and source files, run in the cluster as they are here."""
    has_mpi_jobs: bool
    """Whether some tests are MPIJobs."""
    marks_nodes: bool
    """Whether the judge may taint nodes."""
    holds: bool
    """Whether it writes proofs, too, and clears nodes of the start-up taint."""
    operator: MpiOperatorPlan | None
    """The MPI operator; ``None`` where it is not installed."""


@frozen
class _Subject:
    """A pool to be tested, with what tests it."""

    pool: GpuPool
    image: NcclTests
    launcher: Launcher

    @property
    def nvlink(self) -> bool:
        """Whether NVLink between its nodes is tested, too: pods get channels, and there is a figure to measure by."""
        machine = self.pool.machine
        published = [(threshold.nodes, threshold.gpus_per_node) for threshold in machine.thresholds if threshold.nvlink]
        paired = 0 < self.pool.racks < self.pool.nodes  # some rack has two of the nodes
        return machine.is_rack and self.pool.channels and paired and (2, machine.gpus) in published


def plan_acceptance(args: NcclAcceptanceArgs, errors: ErrorList) -> AcceptancePlan | None:
    """Plan ``NcclAcceptance`` used alone. Returns ``None`` when an error was added."""
    check_cluster(args, errors)
    pools: list[GpuPool | None] = []
    for i, pool in enumerate(args["pools"]):
        skipped = not args.get("enabled", True) or "skip_reason" in pool or pool.get("nodes", 2) < 2
        record = resolve(pool, errors.at("pools", i), None if skipped else 0)
        # A pool that is not tested need not say how many nodes it has.
        pools.append(record and replace(record, nodes=pool.get("nodes", 2)))
    carried = Carried(args.get("launcher"), args.get("mpi_operator", InstalledBy.INSTALLED))
    return plan_acceptance_on(args, pools, context_of(args), errors, args.get("fingerprints"), carried)


def plan_acceptance_on(
    options: AcceptanceOptions,
    pools: Sequence[GpuPool | None],
    context: ClusterContext,
    errors: ErrorList,
    fingerprints: Mapping[str, str] | None = None,
    carried: Carried | None = None,
) -> AcceptancePlan | None:
    """Plan the tests of ``pools``; a pool that is ``None`` has errors of its own.

    ``fingerprints`` say, by pool, what a node is labelled with that passes, where ``NodeReadiness`` holds nodes until
    they are proven; ``None`` where it does not. Returns ``None`` when an error was added.
    """
    check_choice(options, pools, errors)
    choice = Choice(options, context, fingerprints, carried or Carried())
    subjects, later, skip_reason = [], [], {}
    names: list[str] = []
    for i, pool in enumerate(pools):
        if pool is None:
            continue
        at = errors.at("pools", i)
        if short(pool.name) in names:
            at.at("name").add(f"{pool.name} is listed twice; name each pool once")
            continue
        names.append(short(pool.name))
        if reason := _why_not(pool, options):
            skip_reason[pool.name] = reason
            if fingerprints is not None and pool.name in fingerprints:
                later.append(_subject(replace(pool, nodes=2), choice, errors, at))
        else:
            subjects.append(_subject(pool, choice, errors, at))
    subjects = [subject for subject in subjects if subject is not None]
    later = [subject for subject in later if subject is not None]
    launchers = list(dict.fromkeys(subject.launcher for subject in (*subjects, *later)))
    if "operator" in options.get("images", {}) and launchers and Launcher.MPI_JOB not in launchers:
        errors.at("images", "operator").add("not used: the test of these pools runs without an operator; remove it")
    for pool in (subject.pool.name for subject in subjects if subject.nvlink):
        if short(over_nvlink(pool)) in names:
            errors.at("pools").add(
                f"{over_nvlink(pool)} is a pool, and what the test of {pool} over NVLink is called; rename one of the "
                "two"
            )
    if errors:
        return None
    # NVLink after the NICs: both take whole nodes.
    tests = tuple(_test(each, choice, nvlink=over) for each in subjects for over in (False, True)[: 1 + each.nvlink])
    has_mpi_jobs = Launcher.MPI_JOB in launchers
    operator = None
    if has_mpi_jobs and choice.carried.mpi_operator == InstalledBy.INSTALLED:
        operator = plan_mpi_operator({"image": choice.fetched("operator", MPI_OPERATOR.image)}, errors)
    return AcceptancePlan(
        tests=tests,
        prepared=tuple(_test(each, choice, nvlink=False) for each in later),
        skip_reason=skip_reason,
        files=payload("nccl_verdict", "rdma_agent.acceptance") if tests or later else {},
        has_mpi_jobs=has_mpi_jobs,
        marks_nodes=bool(tests) and choice.marks,
        holds=bool(fingerprints),
        operator=operator,
    )


def _why_not(pool: GpuPool, options: AcceptanceOptions) -> str:
    if not options.get("enabled", True):
        return "acceptance is disabled"
    if pool.nodes < 2:
        return f"a fabric is proved between 2 nodes or more, the pool has {pool.nodes}"
    return pool.skip_reason


def _subject(pool: GpuPool, choice: Choice, errors: ErrorList, at: ErrorList) -> _Subject | None:
    """The image and the launcher of a pool's test, or errors."""
    machine, fabric = pool.machine, pool.fabric
    if machine.gpu is None:
        at.at("machine").add(f"{machine.name} has no GPU, nccl-tests does not run on it; set acceptance.enabled: false")
        return None
    if not check_fit(pool, at):
        return None
    if pool.nodes > MOST_NODES:
        at.at("nodes").add(f"got {pool.nodes}; a cluster holds {MOST_NODES:,} nodes at the most")
        return None
    image = _image(machine, fabric.acceptance, choice, errors)
    launcher = choice.carried.launcher or fabric.acceptance.launcher
    if launcher == Launcher.INDEXED_JOB and not image.daemon:
        errors.at("launcher").add(f"got indexed-job; the image for {fabric.name} holds no ssh keys; choose mpi-job")
    check_figures(machine, fabric, choice.options, errors)
    try:
        choice.claims(pool)
    except Unsatisfiable as refusal:
        at.at("machine").add(str(refusal))
        return None
    return _Subject(pool, image, launcher)


def _image(machine: Machine, acceptance: FabricAcceptance, choice: Choice, errors: ErrorList) -> NcclTests:
    """The fabric's image for the machine's architecture, with the user's own in its place."""
    images: AcceptanceImages = choice.options.get("images", {})
    pinned = acceptance.test_on(machine.architecture)
    if pinned is None and "test" not in images:
        built = " and ".join(each.architecture for each in acceptance.tests)
        errors.at("images", "test").add(
            f"missing; the pinned image is built for {built}, {machine.name} is {machine.architecture}; "
            "name one, or set acceptance.enabled: false"
        )
    pinned = pinned or acceptance.tests[0]
    return replace(
        pinned,
        image=choice.fetched("test", pinned.image),
        tests=images.get("nccl_tests", pinned.tests),
        mpirun=images.get("mpirun", pinned.mpirun),
    )


def _measure(subject: _Subject, choice: Choice, *, nvlink: bool) -> tuple[Measure, Expectation, tuple[Template, ...]]:
    """What a test runs, what that must show, and the claims of its pods."""
    pool, machine, options = subject.pool, subject.pool.machine, choice.options
    name = short(over_nvlink(pool.name) if nvlink else pool.name)
    claims = choice.claims(pool)
    thresholds = options.get("thresholds", {}).get(machine.name, [])
    pairs, also = sum(map(len, ring(pool.nodes))), options.get("also_run", [])
    racks = pool.racks if nvlink else 1
    # A ring through several racks leaves each once.
    pairs -= racks if racks > 1 else 0
    expectation = expect_test(machine, pool.fabric, thresholds, pairs, also, nvlink=nvlink)
    collective = expectation.collective or ""
    # A threshold of 16 GiB is a threshold of no smaller row.
    most_bytes = max([_MOST_BYTES, *(row_from(line.size_bytes) for line in expectation.thresholds.get(collective, ()))])
    names = (*(template.name for template in claims), *([job_name(name)] if nvlink else []))
    measure = Measure(
        pool=name,
        nodes=pool.nodes,
        gpus=machine.gpus,
        collective=collective,
        also=expectation.also,
        most_bytes=most_bytes,
        waive=choice.waived(pool, nvlink=nvlink),
        image=subject.image,
        judge_image=choice.fetched("python", JUDGE_PYTHON.image),
        workload=workload_on(pool, choice.context, names),
        ready_seconds=_CARRIERS[subject.launcher].READY_SECONDS,
        pair_seconds=_PAIR_SECONDS * most_bytes // _MOST_BYTES,
        fabric_of_node=CLOUD_FACTS[machine.cloud].fabric_of_node,
        marks_nodes=choice.marks,
        held=choice.fingerprints is not None,
        fingerprint=(choice.fingerprints or {}).get(pool.name, ""),
        # NCCL would take NVLink between the nodes of a rack, and fail where no IMEX channel is.
        nvlink=nvlink if machine.is_rack else None,
        racks=racks,
    )
    return measure, expectation, claims


def _test(subject: _Subject, choice: Choice, *, nvlink: bool) -> PoolTest:
    """Every node against its two neighbours in a ring: the published thresholds are those of two nodes, and a node that
    is slow with both neighbours is known by name."""
    measure, expectation, claims = _measure(subject, choice, nvlink=nvlink)
    pool, test_name = subject.pool, job_name(measure.pool)
    launcher = _CARRIERS[subject.launcher]
    start_seconds = _PULL_SECONDS + choice.context.driver_seconds
    values = values_of(pool, measure, expectation, choice, nvlink)
    test = launcher.test_of(measure, start_seconds)
    proves = digest(values)
    test["metadata"]["name"] += f"-{proves}"
    carried = launcher.carry(measure, test)
    on_busy = choice.options.get("on_busy", OnBusy.KEEP).value
    waits = runner_job.wait_seconds(on_busy, start_seconds)
    seconds = TEST_SECONDS + waits + carried.seconds
    runner, watcher = runner_job.jobs(proves, measure.pool, measure.judge_image, seconds)
    config = {
        "pool": measure.pool,
        "nodes": pool.nodes,
        "selector": f"{choice.context.pool_label}={pool.name}",
        "kind": test["kind"],
        "test": test["metadata"]["name"],
        "values": values,
        "onBusy": on_busy,
        "waitSeconds": waits,
        "testSeconds": carried.seconds,
        "release": __version__,
        "earlier": {
            "release": RELEASED,
            "values": released_values(pool, nvlink=nvlink),
            "expectation": f"nccl-expect-{measure.pool}",
        },
    }
    return PoolTest(
        **vars(carried),
        pool=pool.name,
        short=measure.pool,
        measure=measure,
        expectation=expectation,
        values=values,
        runner=runner,
        watcher=watcher,
        config={"expectation.json": expectation.to_json(), runner_job.CONFIG: json.dumps(config, sort_keys=True)},
        files=measure.workload.adds.files,
        templates=claims,
        compute_domain=compute_domain(test_name, TESTS_NAMESPACE, test_name) if nvlink else None,
        most_bytes=measure.most_bytes,
        waived=measure.waive,
        timeout_seconds=watcher["spec"]["activeDeadlineSeconds"] + 300,
    )
