"""Whether `up` proves a pool's fabric, with which test, and when a test runs again."""

import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from ....catalog import charts, releases
from ....catalog.artifact import mirrored
from ....catalog.images import JUDGE_PYTHON, MPI_OPERATOR
from ....catalog.machine import Machine
from ....catalog.releases import NcclTests
from ....claims import Template, Unsatisfiable
from ....errors import ErrorList
from ....fabrics import Claims, ExtendedResource, Fabric, GpuAllocation, HostPlugin, Launcher
from ....frozen import frozen
from ....nccl.bundle import files
from ....nccl.expectation import GIB, Expectation
from ...in_pod import script
from ..dra_drivers import InstalledBy
from ..full_node import compute_domain, full_node_templates
from ..pool import GpuPool, InClusterPool
from ..resolve import check_fit, resolve
from ..workload import workload_on
from . import indexed_job, mpi_job
from .args import AcceptanceImages, NcclAcceptanceArgs
from .checks import check_choice
from .expectation import expect_test
from .pod import MOST_NODES, NAMESPACE, Measure, PoolTest, job_name, over_nvlink, ring, short
from .thresholds import BadThresholdError, row_from

_PULL_SECONDS = 900  # a node's first pull of the test image, drivers and devices included
_MOST_BYTES = 8 * GIB
_PAIR_SECONDS = 600  # one test of 1 to 8 GiB; over TCP instead of RDMA it takes about five minutes
_CARRIERS = {Launcher.INDEXED_JOB: indexed_job, Launcher.MPI_JOB: mpi_job}


@frozen
class AcceptancePlan:
    """What ``NcclAcceptance`` runs."""

    tests: tuple[PoolTest, ...]
    skip_reason: dict[str, str]
    """Pools that are not tested, with the reason."""
    files: dict[str, str]
    """Scripts and source files, run in the cluster as they are here."""
    watched: bool
    """Whether some tests are MPIJobs, each with a watcher."""
    marks_nodes: bool
    """Whether the judge may taint nodes."""
    operator: bool
    """Whether the MPI operator is installed."""
    operator_image: str
    """Empty where it is not."""


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
        return machine.is_rack and self.pool.channels and (2, machine.gpus) in published


def plan_acceptance(
    args: NcclAcceptanceArgs, errors: ErrorList, pools: Sequence[GpuPool] | None = None
) -> AcceptancePlan | None:
    """All choices of ``NcclAcceptance``; ``pools`` are those of ``args``, in a stack that has resolved them.

    Returns ``None`` when an error was added.
    """
    check_choice(args, errors)
    subjects, skip_reason = [], {}
    names: list[str] = []
    for i, pool in enumerate(args["pools"]):
        at = errors.at("pools", i)
        if short(pool["name"]) in names:
            at.at("name").add(f"{pool['name']} is listed twice; name each pool once")
            continue
        names.append(short(pool["name"]))
        if reason := _why_not(pool, args):
            skip_reason[pool["name"]] = reason
        elif record := pools[i] if pools is not None else resolve(pool, at):
            subjects.append(_subject(record, args, errors, at))
    subjects = [subject for subject in subjects if subject is not None]
    launchers = list(dict.fromkeys(subject.launcher for subject in subjects))
    if "operator" in args.get("images", {}) and launchers and Launcher.MPI_JOB not in launchers:
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
    tests = tuple(_test(each, args, nvlink=over) for each in subjects for over in (False, True)[: 1 + each.nvlink])
    scripts = {name: script(name) for launcher in launchers for name in _CARRIERS[launcher].SCRIPTS}
    watched = Launcher.MPI_JOB in launchers
    operator = watched and args.get("mpi_operator", InstalledBy.INSTALLED) == InstalledBy.INSTALLED
    return AcceptancePlan(
        tests=tests,
        skip_reason=skip_reason,
        files={**files(), **scripts} if tests else {},
        watched=watched,
        marks_nodes=bool(tests) and args.get("taint_suspects", False),
        operator=operator,
        operator_image=_fetched(args, "operator", MPI_OPERATOR.image) if operator else "",
    )


def _why_not(pool: InClusterPool, args: NcclAcceptanceArgs) -> str | None:
    if not args.get("enabled", True):
        return "acceptance is disabled"
    if (nodes := pool.get("nodes", 2)) < 2:
        return f"a fabric is proved between 2 nodes or more, the pool has {nodes}"
    return pool.get("skip_reason")


def _subject(pool: GpuPool, args: NcclAcceptanceArgs, errors: ErrorList, at: ErrorList) -> _Subject | None:
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
    image = _image(machine, fabric.acceptance.tests, args, errors)
    launcher = args.get("launcher", fabric.acceptance.launcher)
    if launcher == Launcher.INDEXED_JOB and not image.daemon:
        errors.at("launcher").add(f"got indexed-job; the image for {fabric.name} holds no ssh keys; choose mpi-job")
    _check_figures(machine, fabric, args, errors)
    try:
        _claims(pool, args)
    except Unsatisfiable as refusal:
        at.at("machine").add(str(refusal))
        return None
    return _Subject(pool, image, launcher)


def _image(machine: Machine, tests: tuple[NcclTests, ...], args: NcclAcceptanceArgs, errors: ErrorList) -> NcclTests:
    """The fabric's image for the machine's architecture, with the user's own in its place."""
    images: AcceptanceImages = args.get("images", {})
    pinned = next((each for each in tests if each.architecture == machine.architecture), None)
    if pinned is None and "test" not in images:
        built = " and ".join(each.architecture for each in tests)
        errors.at("images", "test").add(
            f"missing; the pinned image is built for {built}, {machine.name} is {machine.architecture}; "
            "name one, or set acceptance.enabled: false"
        )
    pinned = pinned or tests[0]
    return replace(
        pinned,
        image=_fetched(args, "test", pinned.image),
        tests=images.get("nccl_tests", pinned.tests),
        mpirun=images.get("mpirun", pinned.mpirun),
    )


def _fetched(args: NcclAcceptanceArgs, name: str, pinned: str) -> str:
    """The user's own image, or the pinned one, from its mirror if there is one."""
    return args.get("images", {}).get(name) or mirrored(pinned, args.get("registries", {}))


def _check_figures(machine: Machine, fabric: Fabric, args: NcclAcceptanceArgs, errors: ErrorList) -> None:
    """A gate without a figure to measure against fails every time: only its name in ``waive`` lets `up` pass."""
    try:
        want = expect_test(machine, fabric, args.get("thresholds", {}).get(machine.name, []))
    except BadThresholdError:
        return  # an error already
    missing = {"bandwidth": not want.thresholds, "nics": want.nics is None}
    for gate in (gate for gate, absent in missing.items() if absent and gate not in args.get("waive", [])):
        own = "give one of your own in acceptance.thresholds, " if gate == "bandwidth" else ""
        errors.at("waive").add(
            f"no figure for gate {gate} is published for {machine.name}, so it cannot pass; "
            f"{own}add {gate} to acceptance.waive, or set acceptance.enabled: false"
        )


def _measure(
    subject: _Subject, args: NcclAcceptanceArgs, *, nvlink: bool
) -> tuple[Measure, Expectation, tuple[Template, ...]]:
    """What a test runs, what that must show, and the claims of its pods."""
    pool, machine = subject.pool, subject.pool.machine
    name = short(over_nvlink(pool.name) if nvlink else pool.name)
    claims = _claims(pool, args)
    thresholds = args.get("thresholds", {}).get(machine.name, [])
    pairs, also = sum(map(len, ring(pool.nodes))), args.get("also_run", [])
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
        waive=tuple(args.get("waive", [])),
        image=subject.image,
        judge_image=_fetched(args, "python", JUDGE_PYTHON.image),
        workload=workload_on(pool, args, names),
        ready_seconds=_CARRIERS[subject.launcher].READY_SECONDS,
        pair_seconds=_PAIR_SECONDS * most_bytes // _MOST_BYTES,
        marks_nodes=args.get("taint_suspects", False),
        # NCCL would take NVLink between the nodes of a rack, and fail where no IMEX channel is.
        nvlink=nvlink if machine.is_rack else None,
    )
    return measure, expectation, claims


def _test(subject: _Subject, args: NcclAcceptanceArgs, *, nvlink: bool) -> PoolTest:
    """Every node against its two neighbours in a ring: the published thresholds are those of two nodes, and a node that
    is slow with both neighbours is known by name."""
    measure, expectation, claims = _measure(subject, args, nvlink=nvlink)
    pool, test_name = subject.pool, job_name(measure.pool)
    launcher = _CARRIERS[subject.launcher]
    test = launcher.test_of(measure, _PULL_SECONDS + args.get("driver_seconds", 0))
    proves = [
        test,
        expectation.demands,
        [template.spec() for template in claims],
        [file.text for file in measure.workload.adds.files],
        _versions(pool, channels=nvlink),
        pool.fingerprint,
        args.get("rerun", ""),
    ]
    test["metadata"]["name"] += "-" + sha256(json.dumps(proves, sort_keys=True).encode()).hexdigest()[:8]
    carried = launcher.carry(measure, test)
    return PoolTest(
        **vars(carried),
        pool=pool.name,
        short=measure.pool,
        measure=measure,
        expectation=expectation,
        config={"expectation.json": expectation.to_json()},
        files=measure.workload.adds.files,
        templates=claims,
        compute_domain=compute_domain(test_name, NAMESPACE, test_name) if nvlink else None,
        most_bytes=measure.most_bytes,
        waived=measure.waive,
        timeout_seconds=carried.job["spec"]["activeDeadlineSeconds"] + 300,
    )


def _claims(pool: GpuPool, args: NcclAcceptanceArgs) -> tuple[Template, ...]:
    return full_node_templates(pool.machine, pool.fabric, pool.allocation, args.get("version", releases.KUBERNETES))


def _versions(pool: GpuPool, *, channels: bool) -> list[str]:
    """Releases that the test proves besides its own objects: a new driver runs the tests of its pools again."""
    nic_attachment, plugin = pool.fabric.nic_attachment, pool.fabric.plugin
    drivers = (
        [nic_attachment.chart.chart]
        if isinstance(nic_attachment, Claims | ExtendedResource) and nic_attachment.chart
        else []
    )
    if pool.allocation == GpuAllocation.DRA or channels:
        drivers.append(charts.NVIDIA_DRA_DRIVER)
    elif isinstance(nic_attachment, ExtendedResource) and nic_attachment.chart:
        # A pool whose NICs have a device plugin of ours has one for its GPUs, too; elsewhere that is the cloud's own.
        drivers.append(charts.NVIDIA_DEVICE_PLUGIN)
    installed = [plugin.release.installer] if isinstance(plugin, HostPlugin) else []
    also = pool.fabric.acceptance.also
    return [*(f"{chart.chart} {chart.version}" for chart in drivers), *installed, *also]
