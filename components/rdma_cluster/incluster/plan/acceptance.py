"""Whether a pool's fabric is proved inside `up`, with which test, and what runs again when."""

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, NotRequired

from typing_extensions import TypedDict

from ...catalog import find, nearest, releases
from ...catalog.machine import Machine
from ...claims import GpuMode, NicDriver, Nics, Target, Template, Whole, templates
from ...door import shape
from ...faults import Faults
from ...nccl.expectation import expect
from ...nccl.ship import files
from ...nccl.wanted import Expectation
from ...versions import parse
from .acceptance_job import indexed_job, ring, service
from .nccl_installer import NcclInstallerArgs, Plugin, decide_nccl_installer
from .nodes import NodeSet
from .workload import Workload

COLLECTIVE = "all_gather"
"""The collective that the published floors of the gIB machines are for."""
_PULL_SECONDS = 900  # a node's first pull of the test image, drivers and devices included
_PAIR_SECONDS = 600  # one test of 1 to 8 GiB; over TCP instead of RDMA it takes about five minutes


@shape
class AcceptanceChoice(TypedDict):
    """How the fabric is proved."""

    enabled: NotRequired[bool]
    """Run the test inside `up` and fail when a gate fails. Default: true."""
    rerun: NotRequired[str]
    """Any text; a new one runs the test again. It runs by itself when what it proves has changed."""
    waive: NotRequired[list[str]]
    """Gates that may fail; the verdict names them. Default: none."""


@shape
class AcceptancePool(TypedDict):
    """A pool to be proved."""

    name: str
    """The pool's name, the value of its node label."""
    machine: str
    """Machine type."""
    nodes: int
    """Nodes of the pool; all of them are tested."""
    gpus_by_claim: NotRequired[bool]
    """Default: true."""
    nics_by_claim: NotRequired[bool]
    """Default: true."""
    limits: NotRequired[dict[str, str]]
    """What a whole node's pod asks device plugins for. Default: nothing."""
    not_proven: NotRequired[str]
    """A reason why this pool cannot be proved inside `up`."""


@shape
class NcclAcceptanceArgs(AcceptanceChoice):
    """The pools to be proved, and what a pod on them needs."""

    pools: list[AcceptancePool]
    """Pools of one fabric."""
    pool_label: str
    """Node label that holds a pool's name. Example: ``cloud.google.com/gke-nodepool``."""
    taint: dict[str, str]
    """Key and value of the GPU taint: ``{"key": ..., "value": ...}``."""
    plugin: Plugin
    """NCCL plugin of the fabric."""
    nic_driver: NotRequired[NicDriver]
    """Default: ``dranet``."""
    version: NotRequired[str]
    """Kubernetes version of the cluster. Default: ``1.35``."""


@dataclass(frozen=True, slots=True)
class PoolTest:
    """The objects of one pool's test, in the Kubernetes API's own form."""

    pool: str
    expectation: Expectation
    config: dict[str, str]
    """Data of the ConfigMap with the expectation."""
    templates: tuple[Template, ...]
    service: dict[str, Any]
    job: dict[str, Any]
    """The Job; its name changes with everything that it proves."""
    timeout_seconds: int


@dataclass(frozen=True, slots=True)
class AcceptancePlan:
    """What ``NcclAcceptance`` runs."""

    tests: tuple[PoolTest, ...]
    not_proven: dict[str, str]
    """Pools that are not tested, with the reason."""
    judge: dict[str, str]
    """Source files of the verdict, run in the cluster as they are here."""


def decide_acceptance(args: NcclAcceptanceArgs, faults: Faults) -> AcceptancePlan | None:
    """All choices of ``NcclAcceptance``. Returns ``None`` when a fault was added."""
    _check_waivers(args.get("waive", []), faults.at("waive"))
    tests, not_proven = [], {}
    for i, pool in enumerate(args["pools"]):
        machine = find(pool["machine"])
        if machine is None:
            near = ", ".join(nearest(pool["machine"]))
            faults.at("pools", i, "machine").add(f"unknown machine {pool['machine']!r}; nearest are {near}")
        elif reason := _why_not(pool, args):
            not_proven[pool["name"]] = reason
        else:
            _check_figures(machine, args, faults)
            if not faults:
                tests.append(_test(pool, machine, args))
    if faults:
        return None
    return AcceptancePlan(tuple(tests), not_proven, files() if tests else {})


def _check_waivers(waive: list[str], faults: Faults) -> None:
    if waive:
        from ...nccl.verdict import GATES

        for i, gate in enumerate(waive):
            if gate not in GATES:
                faults.at(i).add(f"got {gate!r}; no such gate, known are {', '.join(GATES)}")


def _check_figures(machine: Machine, args: NcclAcceptanceArgs, faults: Faults) -> None:
    """A gate without a figure to measure against fails every time: only its name in ``waive`` lets `up` pass."""
    want = expect(machine, nodes=2, collective=COLLECTIVE)
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
        return "a fabric is proved between 2 nodes or more, the pool has 1"
    return pool.get("not_proven")


def _test(pool: AcceptancePool, machine: Machine, args: NcclAcceptanceArgs) -> PoolTest:
    """Every node against its two neighbours in a ring: the published floors are those of two nodes, and of a node
    that is slow with both neighbours one knows the name."""
    major, minor = (parse(args.get("version", releases.GKE.default)) or (1, 34))[:2]
    mode = GpuMode.DRA if pool.get("gpus_by_claim", True) else GpuMode.DEVICE_PLUGIN
    target = Target(args.get("nic_driver", NicDriver.DRANET), mode, (major, minor))
    whole = Whole() if mode is GpuMode.DRA else Nics()
    claims = templates(machine, whole, target) if pool.get("nics_by_claim", True) else ()
    rounds = ring(pool["nodes"])
    expectation = expect(machine, nodes=2, collective=COLLECTIVE, tests=sum(map(len, rounds)))
    ready_seconds = _PULL_SECONDS + 2 * pool["nodes"]  # each pod is asked over ssh, one after the other
    workload = _workload(pool, claims, args)
    config = {"expectation.json": expectation.to_json()}
    job = indexed_job(
        pool=pool["name"],
        gpus=machine.gpus,
        collective=COLLECTIVE,
        workload=workload,
        waive=tuple(args.get("waive", [])),
        rounds=rounds,
        ready_seconds=ready_seconds,
        pair_seconds=_PAIR_SECONDS,
    )
    proves = [job, config, [template.spec() for template in claims], _versions(), args.get("rerun", "")]
    digest = sha256(json.dumps(proves, sort_keys=True).encode()).hexdigest()[:8]
    job["metadata"]["name"] = f"{job['metadata']['name']}-{digest}"
    return PoolTest(
        pool=pool["name"],
        expectation=expectation,
        config=config,
        templates=claims,
        service=service(pool["name"]),
        job=job,
        timeout_seconds=job["spec"]["activeDeadlineSeconds"] + 300,
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


def _versions() -> list[str]:
    """What the test proves besides its own objects: new drivers are proved anew."""
    return [releases.NVIDIA_DRA_DRIVER.version, releases.DRANET.version, releases.GIB_X86.installer]
