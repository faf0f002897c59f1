"""Whether `up` proves a pool's fabric, with which test, and when a test runs again."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from ....catalog import charts, releases
from ....catalog.artifact import mirrored
from ....catalog.images import JUDGE_PYTHON, MPI_OPERATOR
from ....catalog.machine import Machine
from ....catalog.releases import NcclTests
from ....claims import Template, Unsatisfiable
from ....fabrics import Carrier, Claims, ExtendedResource, Fabric, GpuAllocation, HostPlugin
from ....faults import Faults
from ....nccl.bundle import files
from ....nccl.expectation import GIB, Expectation
from ...in_pod import script
from ..dra_drivers import Part
from ..looked_up import check_fit, resolve
from ..pool import InClusterPool, SitePool
from ..whole_node import compute_domain, whole_templates
from ..workload import workload_on
from . import indexed_job, mpi_job
from .args import AcceptanceImages, NcclAcceptanceArgs
from .checks import check_choice
from .expectation import expect_test
from .floors import BadFloorError, row_from
from .pod import MOST_NODES, NAMESPACE, Measure, PoolTest, job_name, over_nvlink, ring, short

_PULL_SECONDS = 900  # a node's first pull of the test image, drivers and devices included
_MOST_BYTES = 8 * GIB
_PAIR_SECONDS = 600  # one test of 1 to 8 GiB; over TCP instead of RDMA it takes about five minutes
_CARRIERS = {Carrier.INDEXED_JOB: indexed_job, Carrier.MPI_JOB: mpi_job}


@dataclass(frozen=True)
class AcceptancePlan:
    """What ``NcclAcceptance`` runs."""

    tests: tuple[PoolTest, ...]
    not_proven: dict[str, str]
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


@dataclass(frozen=True)
class _Subject:
    """A pool to be tested, with what tests it."""

    pool: SitePool
    image: NcclTests
    carrier: Carrier

    @property
    def nvlink(self) -> bool:
        """Whether NVLink between its nodes is tested, too: pods get channels, and there is a figure to measure by."""
        machine = self.pool.machine
        published = [(floor.nodes, floor.gpus_per_node) for floor in machine.floors if floor.nvlink]
        return machine.is_rack and self.pool.channels and (2, machine.gpus) in published


def plan_acceptance(
    args: NcclAcceptanceArgs, faults: Faults, pools: Sequence[SitePool] | None = None
) -> AcceptancePlan | None:
    """All choices of ``NcclAcceptance``; ``pools`` are those of ``args``, in a stack that has resolved them.

    Returns ``None`` when a fault was added.
    """
    check_choice(args, faults)
    subjects, not_proven = [], {}
    names: list[str] = []
    for i, pool in enumerate(args["pools"]):
        at = faults.at("pools", i)
        if short(pool["name"]) in names:
            at.at("name").add(f"{pool['name']} is listed twice; name each pool once")
            continue
        names.append(short(pool["name"]))
        if reason := _why_not(pool, args):
            not_proven[pool["name"]] = reason
        elif record := pools[i] if pools is not None else resolve(pool, at):
            subjects.append(_subject(record, args, faults, at))
    subjects = [subject for subject in subjects if subject is not None]
    for pool in (subject.pool.name for subject in subjects if subject.nvlink):
        if short(over_nvlink(pool)) in names:
            faults.at("pools").add(
                f"{over_nvlink(pool)} is a pool, and what the test of {pool} over NVLink is called; rename one of the "
                "two"
            )
    if faults:
        return None
    # NVLink after the NICs: both take whole nodes.
    tests = tuple(_test(each, args, nvlink=over) for each in subjects for over in (False, True)[: 1 + each.nvlink])
    carriers = list(dict.fromkeys(subject.carrier for subject in subjects))
    scripts = {name: script(name) for carrier in carriers for name in _CARRIERS[carrier].SCRIPTS}
    watched = Carrier.MPI_JOB in carriers
    return AcceptancePlan(
        tests=tests,
        not_proven=not_proven,
        files={**files(), **scripts} if tests else {},
        watched=watched,
        marks_nodes=bool(tests) and args.get("taint_suspects", False),
        operator=watched and args.get("mpi_operator", Part.INSTALLED) == Part.INSTALLED,
        operator_image=_fetched(args, "operator", MPI_OPERATOR.image),
    )


def _why_not(pool: InClusterPool, args: NcclAcceptanceArgs) -> str | None:
    if not args.get("enabled", True):
        return "acceptance is disabled"
    if (nodes := pool.get("nodes", 2)) < 2:
        return f"a fabric is proved between 2 nodes or more, the pool has {nodes}"
    return pool.get("not_proven")


def _subject(pool: SitePool, args: NcclAcceptanceArgs, faults: Faults, at: Faults) -> _Subject | None:
    """The image and the carrier of a pool's test, or errors."""
    machine, fabric = pool.machine, pool.fabric
    if machine.gpu is None:
        at.at("machine").add(f"{machine.name} has no GPU, nccl-tests does not run on it; set acceptance.enabled: false")
        return None
    if not check_fit(pool, at):
        return None
    if pool.nodes > MOST_NODES:
        at.at("nodes").add(f"got {pool.nodes:,}; a cluster holds {MOST_NODES:,} nodes at the most")
        return None
    image = _image(machine, fabric.proof.tests, args, faults)
    carrier = args.get("carrier", fabric.proof.carrier)
    if carrier == Carrier.INDEXED_JOB and not image.daemon:
        faults.at("carrier").add(f"got indexed-job; the image for {fabric.name} holds no ssh keys; choose mpi-job")
    _check_figures(machine, fabric, args, faults)
    try:
        _claims(pool, args)
    except Unsatisfiable as refusal:
        at.at("machine").add(str(refusal))
        return None
    return _Subject(pool, image, carrier)


def _image(machine: Machine, tests: tuple[NcclTests, ...], args: NcclAcceptanceArgs, faults: Faults) -> NcclTests:
    """The fabric's image for the machine's architecture, with the user's own in its place."""
    images: AcceptanceImages = args.get("images", {})
    pinned = next((each for each in tests if each.architecture == machine.architecture), None)
    if pinned is None and "test" not in images:
        built = " and ".join(each.architecture for each in tests)
        faults.at("images", "test").add(
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


def _check_figures(machine: Machine, fabric: Fabric, args: NcclAcceptanceArgs, faults: Faults) -> None:
    """A gate without a figure to measure against fails every time: only its name in ``waive`` lets `up` pass."""
    try:
        want = expect_test(machine, fabric, args.get("floors", {}).get(machine.name, []))
    except BadFloorError:
        return  # an error already
    missing = {"bandwidth": not want.floors, "nics": want.nics is None}
    for gate in (gate for gate, absent in missing.items() if absent and gate not in args.get("waive", [])):
        own = "give one of your own in acceptance.floors, " if gate == "bandwidth" else ""
        faults.at("waive").add(
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
    floors = args.get("floors", {}).get(machine.name, [])
    expectation = expect_test(machine, pool.fabric, floors, tests=sum(map(len, ring(pool.nodes))), nvlink=nvlink)
    collective = expectation.collective or ""
    # A floor of 16 GiB is a floor of no smaller row.
    most_bytes = max([_MOST_BYTES, *(row_from(line.size_bytes) for line in expectation.floors.get(collective, ()))])
    names = (*(template.name for template in claims), *([job_name(name)] if nvlink else []))
    measure = Measure(
        pool=name,
        nodes=pool.nodes,
        gpus=machine.gpus,
        collective=collective,
        most_bytes=most_bytes,
        waive=tuple(args.get("waive", [])),
        image=subject.image,
        judge_image=_fetched(args, "python", JUDGE_PYTHON.image),
        workload=workload_on(pool, args, names),
        ready_seconds=_CARRIERS[subject.carrier].READY_SECONDS,
        pair_seconds=_PAIR_SECONDS * most_bytes // _MOST_BYTES,
        marks_nodes=args.get("taint_suspects", False),
        # NCCL would take NVLink between the nodes of a rack, and fail where no IMEX channel is.
        nvlink=nvlink if machine.is_rack else None,
    )
    return measure, expectation, claims


def _test(subject: _Subject, args: NcclAcceptanceArgs, *, nvlink: bool) -> PoolTest:
    """Every node against its two neighbours in a ring: the published floors are those of two nodes, and a node that is
    slow with both neighbours is known by name."""
    measure, expectation, claims = _measure(subject, args, nvlink=nvlink)
    pool, test_name = subject.pool, job_name(measure.pool)
    carrier = _CARRIERS[subject.carrier]
    test = carrier.test_of(measure, _PULL_SECONDS + args.get("driver_seconds", 0))
    proves = [
        test,
        replace(expectation, notes=(), floors_from="", above_wire="").to_json(),
        [template.spec() for template in claims],
        [file.text for file in measure.workload.adds.files],
        _versions(pool, channels=nvlink),
        pool.made_of,
        args.get("rerun", ""),
    ]
    test["metadata"]["name"] += "-" + sha256(json.dumps(proves, sort_keys=True).encode()).hexdigest()[:8]
    carried = carrier.carry(measure, test)
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


def _claims(pool: SitePool, args: NcclAcceptanceArgs) -> tuple[Template, ...]:
    return whole_templates(pool.machine, pool.fabric, pool.allocation, args.get("version", releases.KUBERNETES))


def _versions(pool: SitePool, *, channels: bool) -> list[str]:
    """Releases that the test proves besides its own objects: a new driver runs the tests of its pools again."""
    exposure, plugin = pool.fabric.exposure, pool.fabric.plugin
    drivers = [exposure.chart.chart] if isinstance(exposure, Claims | ExtendedResource) and exposure.chart else []
    if pool.allocation == GpuAllocation.DRA or channels:
        drivers.append(charts.NVIDIA_DRA_DRIVER)
    elif isinstance(exposure, ExtendedResource) and exposure.chart:
        # A pool whose NICs have a device plugin of ours has one for its GPUs, too; elsewhere that is the cloud's own.
        drivers.append(charts.NVIDIA_DEVICE_PLUGIN)
    installed = [plugin.release.installer] if isinstance(plugin, HostPlugin) else []
    also = pool.fabric.proof.also
    return [*(f"{chart.chart} {chart.version}" for chart in drivers), *installed, *also]
