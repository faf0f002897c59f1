"""Whether a pool's fabric is proved inside `up`, with which test, and what runs again when."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from ....catalog import find, releases
from ....catalog.artifact import mirrored
from ....catalog.machine import Machine
from ....catalog.releases import NcclTests
from ....claims import Template, Unsatisfiable
from ....clouds.names import check_key, check_taint
from ....fabrics import Carrier, Claims, ExtendedResource, Fabric, GpuAllocation, HostPlugin
from ....faults import Faults
from ....nccl.bundle import files
from ....nccl.expectation import GIB, Expectation, FloorLine, size_text
from ...in_pod import script
from ..compute_domain import compute_domain
from ..dra_drivers import Part
from ..images import check_image, check_registries
from ..looked_up import machine_and_fabric, misfit
from ..whole_node import whole_templates
from ..workload import Workload
from . import indexed_job, mpi_job
from .args import AcceptanceImages, AcceptancePool, NcclAcceptanceArgs
from .expectation import expect
from .floors import BadFloorError, largest_row, parse_floors, row_from
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
class _Pool:
    """A pool to be proved, with what its words stand for."""

    args: AcceptancePool
    machine: Machine
    fabric: Fabric
    image: NcclTests
    carrier: Carrier
    allocation: GpuAllocation

    @property
    def nvlink(self) -> bool:
        """Whether NVLink between its nodes is proved, too: pods get channels, and there is a figure to measure by."""
        published = [floor for floor in self.machine.floors if floor.nvlink]
        of_two = any((floor.nodes, floor.gpus_per_node) == (2, self.machine.gpus) for floor in published)
        return self.machine.is_rack and self.args.get("channels", False) and of_two


def decide_acceptance(args: NcclAcceptanceArgs, faults: Faults) -> AcceptancePlan | None:
    """All choices of ``NcclAcceptance``. Returns ``None`` when a fault was added."""
    _check_choice(args, faults)
    pools, not_proven = [], {}
    names: list[str] = []
    called: dict[str, str] = {}
    for i, pool in enumerate(args["pools"]):
        at = faults.at("pools", i)
        if _is_twice(pool["name"], names, at.at("name")):
            continue
        reason = _why_not(pool, args)
        if reason:
            not_proven[pool["name"]] = reason
        elif (looked_up := _look_up(pool, args, faults, at)) is not None:
            pools.append(looked_up)
            if looked_up.nvlink:
                called[over_nvlink(pool["name"])] = pool["name"]
    for name, of in called.items():
        if short(name) in names:
            faults.at("pools").add(
                f"{name} is a pool, and what the test of {of} over NVLink is called; rename one of the two"
            )
    if faults:
        return None
    # NVLink after the NICs: both take whole nodes.
    tests = tuple(_test(pool, args, nvlink=over) for pool in pools for over in (False, True) if not over or pool.nvlink)
    carriers = list(dict.fromkeys(pool.carrier for pool in pools))
    scripts = {name: script(name) for carrier in carriers for name in _CARRIERS[carrier].SCRIPTS}
    watched = Carrier.MPI_JOB in carriers
    return AcceptancePlan(
        tests=tests,
        not_proven=not_proven,
        files={**files(), **scripts} if tests else {},
        watched=watched,
        marks_nodes=bool(tests) and args.get("taint_suspects", False),
        operator=watched and args.get("mpi_operator", Part.INSTALLED) == Part.INSTALLED,
        operator_image=_fetched(args, "operator", releases.MPI_OPERATOR.image),
    )


def _is_twice(name: str, before: list[str], faults: Faults) -> bool:
    """Whether a pool of this name is there already, with a fault; the names are noted in ``before``."""
    if short(name) in before:
        faults.add(f"{name} is listed twice; name each pool once")
        return True
    before.append(short(name))
    return False


def collective_of(
    machine: Machine, own: Mapping[str, tuple[FloorLine, ...]] | None = None, *, nvlink: bool = False
) -> str:
    """The collective of the user's own floors, else that of the published ones: of two whole nodes if there is one, and
    of the most rows."""
    if own:
        return next(iter(own))
    over = [floor for floor in machine.floors if floor.nvlink == nvlink]
    known = [floor for floor in over if (floor.nodes, floor.gpus_per_node) == (2, machine.gpus)] or over
    return min(known, key=lambda floor: floor.size_bytes).collective if known else "all_reduce"


def _check_choice(args: NcclAcceptanceArgs, faults: Faults) -> None:
    check_key(args["pool_label"], faults.at("pool_label"))
    check_taint(args["taint"], faults.at("taint"))
    for i, gate in enumerate(args.get("waive", [])):
        _check_gate(gate, faults.at("waive", i))
    machines = [pool["machine"] for pool in args["pools"]]
    _check_floors(args.get("floors", {}), machines, faults.at("floors"))
    check_registries(args.get("registries", {}), faults.at("registries"))
    images = args.get("images", {})
    for key in _IMAGES:
        check_image(images.get(key, key), faults.at("images", key))
    for key in _FOLDERS:
        _check_folder(images.get(key, key), faults.at("images", key))
    if args.get("mpi_operator") == Part.MANAGED:
        faults.at("mpi_operator").add("got managed; no cloud brings an MPI operator; choose installed or existing")


def _check_floors(floors: Mapping[str, list[str]], machines: list[str], faults: Faults) -> None:
    """Floors of machines that the pools have, each of one collective."""
    for machine, words in floors.items():
        if machine not in machines:
            faults.at(machine).add(f"no pool has such machines; the pools have {', '.join(sorted(set(machines)))}")
        _check_floor(words, find(machine), faults.at(machine))


def _check_floor(words: list[str], machine: Machine | None, faults: Faults) -> None:
    try:
        found = parse_floors(words)
    except BadFloorError as error:
        faults.add(str(error))
        return
    if len(found) > 1:
        faults.add("floors of several collectives; one is run, name those of one")
    memory = machine.gpu.memory_gib if machine is not None and machine.gpu is not None else None
    for line in (line for lines in found.values() for line in lines):
        if memory is not None and row_from(line.size_bytes) > (most := largest_row(memory)):
            faults.add(
                f"a floor from {size_text(line.size_bytes)} on; on GPUs of {memory} GiB nccl-tests runs sizes up to "
                f"{size_text(most)}, so that it would never be measured; name one of these"
            )


_FOLDERS = ("nccl_tests", "mpirun")
_IMAGES = tuple(key for key in AcceptanceImages.__annotations__ if key not in _FOLDERS)


def _check_gate(gate: str, faults: Faults) -> None:
    from ....nccl.verdict import GATES

    if gate not in GATES:
        faults.add(f"got {gate!r}; no such gate, known are {', '.join(GATES)}")


def _check_folder(folder: str, faults: Faults) -> None:
    if not folder.strip():
        faults.add("empty; name it, or leave the key out")


def _why_not(pool: AcceptancePool, args: NcclAcceptanceArgs) -> str | None:
    if not args.get("enabled", True):
        return "acceptance is disabled"
    if pool["nodes"] < 2:
        return f"a fabric is proved between 2 nodes or more, the pool has {pool['nodes']}"
    return pool.get("not_proven")


def _look_up(pool: AcceptancePool, args: NcclAcceptanceArgs, faults: Faults, at: Faults) -> _Pool | None:
    """The machine, the fabric and the image of a pool that can be proved, or faults."""
    if (found := machine_and_fabric(pool["machine"], pool["fabric"], at)) is None:
        return None
    machine, fabric = found
    if machine.gpu is None:
        at.at("machine").add(f"{machine.name} has no GPU, nccl-tests does not run on it; set acceptance.enabled: false")
        return None
    if why := misfit(machine, fabric):
        at.at("fabric").add(why)
        return None
    if pool["nodes"] > MOST_NODES:
        at.at("nodes").add(f"got {pool['nodes']:,}; a cluster holds {MOST_NODES:,} nodes at the most")
        return None
    image = _image(machine, fabric.proof.tests, args, faults)
    carrier = args.get("carrier", fabric.proof.carrier)
    if (carrier == Carrier.INDEXED_JOB) and not image.daemon:
        faults.at("carrier").add(f"got indexed-job; the image for {fabric.name} holds no ssh keys; choose mpi-job")
    known = _Pool(pool, machine, fabric, image, carrier, pool.get("gpu_allocation", GpuAllocation.DRA))
    _check_figures(machine, fabric, args, faults)
    try:
        _claims(known, args)
    except Unsatisfiable as refusal:
        at.at("machine").add(str(refusal))
        return None
    return known


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
    """The user's own image, or the pinned one where a mirror holds it."""
    return args.get("images", {}).get(name) or mirrored(pinned, args.get("registries", {}))


def _check_figures(machine: Machine, fabric: Fabric, args: NcclAcceptanceArgs, faults: Faults) -> None:
    """A gate without a figure to measure against fails every time: only its name in ``waive`` lets `up` pass."""
    try:
        want = _expect(machine, fabric, args)
    except BadFloorError:
        return  # told already
    missing = {"bandwidth": not want.floors, "nics": want.nics is None}
    for gate in (gate for gate, absent in missing.items() if absent and gate not in args.get("waive", [])):
        faults.at("waive").add(
            f"no figure for gate {gate} is published for {machine.name}, so it cannot pass; "
            f"{_OWN[gate]}add {gate} to acceptance.waive, or set acceptance.enabled: false"
        )


_OWN = {"bandwidth": "give one of your own in acceptance.floors, ", "nics": ""}


def _expect(
    machine: Machine, fabric: Fabric, args: NcclAcceptanceArgs, tests: int | None = None, *, nvlink: bool = False
) -> Expectation:
    """What a test of two nodes must show; floors of the user's own are of the NICs."""
    if nvlink:
        return expect(machine, nodes=2, collective=collective_of(machine, nvlink=True), tests=tests, nvlink=True)
    own = parse_floors(args.get("floors", {}).get(machine.name, []))
    return expect(
        machine,
        nodes=2,
        collective=collective_of(machine, own),
        own_floors=own,
        tests=tests,
        nvlink=False,
        network=fabric.proof.network,
    )


def _test(pool: _Pool, args: NcclAcceptanceArgs, *, nvlink: bool) -> PoolTest:
    """Every node against its two neighbours in a ring: the published floors are those of two nodes, and of a node
    that is slow with both neighbours one knows the name."""
    machine, name, nodes = pool.machine, pool.args["name"], pool.args["nodes"]
    carrier = _CARRIERS[pool.carrier]
    called = short(over_nvlink(name) if nvlink else name)
    channel = job_name(called)
    claims = _claims(pool, args)
    expectation = _expect(machine, pool.fabric, args, tests=sum(map(len, ring(nodes))), nvlink=nvlink)
    collective = expectation.collective or ""
    # A floor of 16 GiB is a floor of no smaller row.
    most_bytes = max([_MOST_BYTES, *(row_from(line.size_bytes) for line in expectation.floors.get(collective, ()))])
    measure = Measure(
        pool=called,
        nodes=nodes,
        gpus=machine.gpus,
        collective=collective,
        most_bytes=most_bytes,
        waive=tuple(args.get("waive", [])),
        image=pool.image,
        judge_image=_fetched(args, "python", releases.JUDGE_PYTHON.image),
        workload=Workload(
            pool.fabric,
            node_selector={args["pool_label"]: name},
            taint=(args["taint"]["key"], args["taint"]["value"]),
            other_taints=args.get("other_taints", {}),
            claim_templates=(*(template.name for template in claims), *([channel] if nvlink else [])),
            machine=machine,
            allocation=pool.allocation,
            registries=args.get("registries", {}),
        ),
        ready_seconds=carrier.READY_SECONDS,
        pair_seconds=_PAIR_SECONDS * most_bytes // _MOST_BYTES,
        marks_nodes=args.get("taint_suspects", False),
        # NCCL would take NVLink between the nodes of a rack, and fail where no IMEX channel is.
        nvlink=nvlink if machine.is_rack else None,
    )
    test = carrier.test_of(measure, _PULL_SECONDS + args.get("driver_seconds", 0))
    proves = [
        test,
        replace(expectation, notes=(), floors_from="", above_wire="").to_json(),
        [template.spec() for template in claims],
        [file.text for file in measure.workload.adds.files],
        _versions(pool, channels=nvlink),
        pool.args.get("made_of", ""),
        args.get("rerun", ""),
    ]
    test["metadata"]["name"] += "-" + sha256(json.dumps(proves, sort_keys=True).encode()).hexdigest()[:8]
    carried = carrier.carry(measure, test)
    return PoolTest(
        pool=name,
        short=measure.pool,
        measure=measure,
        expectation=expectation,
        config={"expectation.json": expectation.to_json()},
        files=measure.workload.adds.files,
        templates=claims,
        compute_domain=compute_domain(job_name(called), NAMESPACE, channel) if nvlink else None,
        service=carried.service,
        mpi_job=carried.mpi_job,
        job=carried.awaited,
        log=carried.log,
        most_bytes=most_bytes,
        waived=measure.waive,
        timeout_seconds=carried.awaited["spec"]["activeDeadlineSeconds"] + 300,
    )


def _claims(pool: _Pool, args: NcclAcceptanceArgs) -> tuple[Template, ...]:
    return whole_templates(pool.machine, pool.fabric, pool.allocation, args.get("version", releases.KUBERNETES))


def _versions(pool: _Pool, *, channels: bool) -> list[str]:
    """What the test proves besides its own objects: new drivers are proved anew, and those of other pools are not."""
    exposure, plugin = pool.fabric.exposure, pool.fabric.plugin
    charts = [exposure.chart.chart] if isinstance(exposure, Claims | ExtendedResource) and exposure.chart else []
    if pool.allocation == GpuAllocation.DRA or channels:
        charts.append(releases.NVIDIA_DRA_DRIVER)
    elif isinstance(exposure, ExtendedResource) and exposure.chart:
        # A pool whose NICs have a device plugin of ours has one for its GPUs, too; elsewhere that is the cloud's own.
        charts.append(releases.NVIDIA_DEVICE_PLUGIN)
    installed = [plugin.release.installer] if isinstance(plugin, HostPlugin) else []
    also = pool.fabric.proof.also
    return [*(f"{chart.chart} {chart.version}" for chart in charts), *installed, *also]
