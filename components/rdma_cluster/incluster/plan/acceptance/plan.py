"""Whether a pool's fabric is proved inside `up`, with which test, and what runs again when."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from ....catalog import find, nearest, releases
from ....catalog.machine import Machine
from ....catalog.releases import NcclTests
from ....claims import GpuMode, NicDriver, Nics, Target, Template, Whole, templates
from ....faults import Faults
from ....nccl.bundle import files
from ....nccl.expectation import GIB
from ....versions import parse
from ...in_pod import script
from ..dra_drivers import Part
from ..nccl_installer import NcclInstallerArgs, Plugin, decide_nccl_installer
from ..nodes import NodeSet
from ..workload import Workload
from . import indexed_job, mpi_job
from .args import AcceptanceImages, AcceptancePool, Carrier, NcclAcceptanceArgs
from .expectation import expect
from .pod import Measure, PoolTest, ring, short

_PULL_SECONDS = 900  # a node's first pull of the test image, drivers and devices included
_READY_SECONDS = 900  # where the other pods pull while the first one waits
_AWAKE_SECONDS = 300  # where they run already
_MOST_BYTES = 8 * GIB
_PAIR_SECONDS = 600  # one test of 1 to 8 GiB; over TCP instead of RDMA it takes about five minutes
_TESTS = {Plugin.GIB: releases.GIB_TESTS, Plugin.AWS_OFI_NCCL: releases.EFA_TESTS}
_NIC_CHARTS = {NicDriver.DRANET: releases.DRANET, NicDriver.AWS_DRANET: releases.AWS_DRANET}
_DEVICE_PLUGINS = {
    # A pool with this resource is one whose plugins this library installs; GKE's GPU plugin is GKE's own.
    "vpc.amazonaws.com/efa": (releases.EFA_DEVICE_PLUGIN, releases.NVIDIA_DEVICE_PLUGIN),
}


@dataclass(frozen=True)
class AcceptancePlan:
    """What ``NcclAcceptance`` runs."""

    tests: tuple[PoolTest, ...]
    not_proven: dict[str, str]
    """Pools that are not tested, with the reason."""
    files: dict[str, str]
    """Scripts and source files, run in the cluster as they are here."""
    watched: bool
    """Whether the tests are MPIJobs, each with a watcher."""
    operator: bool
    """Whether the MPI operator is installed."""
    operator_image: str | None


def decide_acceptance(args: NcclAcceptanceArgs, faults: Faults) -> AcceptancePlan | None:
    """All choices of ``NcclAcceptance``. Returns ``None`` when a fault was added."""
    by_mpi = args.get("carrier", Carrier.INDEXED_JOB) is Carrier.MPI_JOB
    _check_choice(args, faults)
    tests, not_proven = [], {}
    names = [short(pool["name"]) for pool in args["pools"]]
    for i, pool in enumerate(args["pools"]):
        machine = find(pool["machine"])
        if names[i] in names[:i]:
            faults.at("pools", i, "name").add(f"{pool['name']} is listed twice; name each pool once")
        elif machine is None:
            near = ", ".join(nearest(pool["machine"]))
            faults.at("pools", i, "machine").add(f"unknown machine {pool['machine']!r}; nearest are {near}")
        elif reason := _why_not(pool, args):
            not_proven[pool["name"]] = reason
        else:
            _check_machine(machine, args, faults, faults.at("pools", i, "machine"))
            if not faults:
                tests.append(_test(pool, machine, args))
    if faults:
        return None
    carrier = mpi_job if by_mpi else indexed_job
    shipped = {**files(), **{name: script(name) for name in carrier.SCRIPTS}} if tests else {}
    return AcceptancePlan(
        tests=tuple(tests),
        not_proven=not_proven,
        files=shipped,
        watched=by_mpi,
        operator=by_mpi and bool(tests) and args.get("mpi_operator", Part.INSTALLED) is Part.INSTALLED,
        operator_image=args.get("images", {}).get("operator"),
    )


def collective_of(machine: Machine) -> str:
    """The collective that its published floors are for: of two whole nodes if there is one, and of the most rows."""
    whole = [floor for floor in machine.floors if (floor.nodes, floor.gpus_per_node) == (2, machine.gpus)]
    known = whole or list(machine.floors)
    return min(known, key=lambda floor: floor.size_bytes).collective if known else "all_reduce"


def _check_choice(args: NcclAcceptanceArgs, faults: Faults) -> None:
    if waive := args.get("waive"):
        from ....nccl.verdict import GATES

        for i, gate in enumerate(waive):
            if gate not in GATES:
                faults.at("waive", i).add(f"got {gate!r}; no such gate, known are {', '.join(GATES)}")
    for key, image in args.get("images", {}).items():
        if not image:
            faults.at("images", key).add("empty; name it, or leave the key out")
    if args.get("mpi_operator") is Part.MANAGED:
        faults.at("mpi_operator").add("got managed; no cloud brings an MPI operator; choose installed or existing")
    if args.get("carrier", Carrier.INDEXED_JOB) is Carrier.INDEXED_JOB and not _TESTS[args["plugin"]].daemon:
        faults.at("carrier").add(
            f"got indexed-job; the image for {args['plugin'].value} holds no ssh keys; choose mpi-job"
        )


def _check_machine(machine: Machine, args: NcclAcceptanceArgs, faults: Faults, at: Faults) -> None:
    """A gate without a figure to measure against fails every time: only its name in ``waive`` lets `up` pass."""
    if machine.gpu is None:
        at.add(f"{machine.name} has no GPU, nccl-tests does not run on it; set acceptance.enabled: false")
        return
    image = _TESTS[args["plugin"]]
    if machine.architecture != image.architecture and "test" not in args.get("images", {}):
        faults.at("images", "test").add(
            f"missing; the pinned image is built for {image.architecture}, {machine.name} is {machine.architecture}; "
            "name one, or set acceptance.enabled: false"
        )
    want = expect(machine, nodes=2, collective=collective_of(machine))
    missing = {"bandwidth": not want.floors, "nics": want.nics is None}
    for gate in (gate for gate, absent in missing.items() if absent and gate not in args.get("waive", [])):
        faults.at("waive").add(
            f"no figure for gate {gate} is published for {machine.name}, so it cannot pass; "
            f"add {gate} to acceptance.waive, or set acceptance.enabled: false"
        )


def _why_not(pool: AcceptancePool, args: NcclAcceptanceArgs) -> str | None:
    if not args.get("enabled", True):
        return "acceptance is disabled"
    if pool["nodes"] < 2:
        return f"a fabric is proved between 2 nodes or more, the pool has {pool['nodes']}"
    return pool.get("not_proven")


def _test(pool: AcceptancePool, machine: Machine, args: NcclAcceptanceArgs) -> PoolTest:
    """Every node against its two neighbours in a ring: the published floors are those of two nodes, and of a node
    that is slow with both neighbours one knows the name."""
    major, minor = (parse(args.get("version", releases.GKE.default)) or (1, 34))[:2]
    mode = GpuMode.DRA if pool.get("gpus_by_claim", True) else GpuMode.DEVICE_PLUGIN
    target = Target(args.get("nic_driver", NicDriver.DRANET), mode, (major, minor))
    whole = Whole() if mode is GpuMode.DRA else Nics()
    claims = templates(machine, whole, target) if pool.get("nics_by_claim", True) else ()
    collective = collective_of(machine)
    pairs = sum(map(len, ring(pool["nodes"])))
    expectation = expect(machine, nodes=2, collective=collective, tests=pairs)
    # A floor of 16 GiB is a floor of no smaller row.
    most_bytes = max([_MOST_BYTES, *(line.size_bytes for line in expectation.floors.get(collective, ()))])
    by_mpi = args.get("carrier", Carrier.INDEXED_JOB) is Carrier.MPI_JOB
    images = args.get("images", {})
    measure = Measure(
        pool=short(pool["name"]),
        nodes=pool["nodes"],
        gpus=machine.gpus,
        collective=collective,
        most_bytes=most_bytes,
        waive=tuple(args.get("waive", [])),
        image=_image(args["plugin"], images),
        judge_image=images.get("python", releases.JUDGE_PYTHON.image),
        workload=_workload(pool, claims, args),
        ready_seconds=_AWAKE_SECONDS if by_mpi else _READY_SECONDS,
        pair_seconds=_PAIR_SECONDS * most_bytes // _MOST_BYTES,
    )
    test = mpi_job.mpi_job(measure, _PULL_SECONDS) if by_mpi else indexed_job.indexed_job(measure, _PULL_SECONDS)
    proves = [
        test,
        replace(expectation, notes=()).to_json(),
        [template.spec() for template in claims],
        (major, minor),
        _versions(pool, args),
        args.get("rerun", ""),
    ]
    test["metadata"]["name"] += "-" + sha256(json.dumps(proves, sort_keys=True).encode()).hexdigest()[:8]
    awaited = mpi_job.watcher_job(measure, test) if by_mpi else test
    carrier = mpi_job if by_mpi else indexed_job
    return PoolTest(
        pool=pool["name"],
        short=measure.pool,
        expectation=expectation,
        config={"expectation.json": expectation.to_json()},
        templates=claims,
        service=None if by_mpi else indexed_job.service(measure.pool),
        mpi_job=test if by_mpi else None,
        job=awaited,
        log=carrier.log_command(test["metadata"]["name"]),
        most_bytes=most_bytes,
        waived=measure.waive,
        timeout_seconds=awaited["spec"]["activeDeadlineSeconds"] + 300,
    )


def _image(plugin: Plugin, images: AcceptanceImages) -> NcclTests:
    pinned = _TESTS[plugin]
    return replace(
        pinned,
        image=images.get("test", pinned.image),
        tests=images.get("nccl_tests", pinned.tests),
        mpirun=images.get("mpirun", pinned.mpirun),
    )


def _workload(pool: AcceptancePool, claims: tuple[Template, ...], args: NcclAcceptanceArgs) -> Workload:
    nodes = NodeSet(label=args["pool_label"], values=[pool["name"]], nodes=pool["nodes"])
    installer = decide_nccl_installer(NcclInstallerArgs(plugin=args["plugin"], nodes=nodes), Faults())
    assert installer is not None
    return replace(
        installer.workload,
        node_selector={args["pool_label"]: pool["name"]},
        taint=(args["taint"]["key"], args["taint"]["value"]),
        claim_templates=tuple(template.name for template in claims),
        limits=pool.get("limits", {}),
    )


def _versions(pool: AcceptancePool, args: NcclAcceptanceArgs) -> list[str]:
    """What the test proves besides its own objects: new drivers are proved anew, and those of other pools are not."""
    limits: Mapping[str, str] = pool.get("limits", {})
    charts = [chart for resource in limits for chart in _DEVICE_PLUGINS.get(resource, ())]
    if pool.get("gpus_by_claim", True):
        charts.append(releases.NVIDIA_DRA_DRIVER)
    nic_driver = args.get("nic_driver", NicDriver.DRANET)
    if pool.get("nics_by_claim", True) and nic_driver in _NIC_CHARTS:
        charts.append(_NIC_CHARTS[nic_driver])
    plugin = [releases.GIB_X86.installer] if args["plugin"] is Plugin.GIB else []
    return [*(f"{chart.chart} {chart.version}" for chart in charts), *plugin]
