"""What all tests of a plan follow from beside their pools, and checks of the user's options."""

import re
from collections.abc import Mapping, Sequence

from nccl_verdict.busbw import COLLECTIVES
from nccl_verdict.expectation import size_text
from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ....catalog import find
from ....catalog.artifact import mirrored
from ....catalog.machine import Machine
from ....claims import Template
from ....fabrics import Fabric, Launcher
from ..context import ClusterContext
from ..dra_drivers import InstalledBy
from ..full_node import full_node_templates
from ..images import check_image
from ..pool import GpuPool
from .args import AcceptanceImages, AcceptanceOptions
from .expectation import BadThresholdError, expect_test, largest_row, parse_thresholds, row_from


@frozen
class Carried:
    """What carries the tests, where it is not what the fabric's record says."""

    launcher: Launcher | None = None
    """``None`` is the fabric's own."""
    mpi_operator: InstalledBy = InstalledBy.INSTALLED


@frozen
class Choice:
    """What all tests of a plan follow from beside their pools."""

    options: AcceptanceOptions
    context: ClusterContext
    fingerprints: Mapping[str, str] | None
    carried: Carried

    @property
    def marks(self) -> bool:
        """Whether the judge may taint nodes."""
        return self.options.get("taint_suspects", False) or bool(self.fingerprints)

    def fetched(self, name: str, pinned: str) -> str:
        """The user's own image, or the pinned one, from its mirror if there is one."""
        return self.options.get("images", {}).get(name) or mirrored(pinned, self.context.registries)

    def waived(self, pool: GpuPool, *, nvlink: bool) -> tuple[str, ...]:
        """The gates that may fail. Where no figure of a rack's NICs is published, only theirs is waived: NVLink's is
        judged."""
        waived, own = tuple(self.options.get("waive", [])), self.options.get("thresholds", {})
        if nvlink and not expect_test(pool.machine, pool.fabric, own.get(pool.machine.name, [])).thresholds:
            return tuple(gate for gate in waived if gate != "bandwidth")
        return waived

    def claims(self, pool: GpuPool) -> tuple[Template, ...]:
        """The claims of a pod that takes a whole node of the pool."""
        return full_node_templates(pool.machine, pool.fabric, pool.allocation, self.context.version)


_FOLDERS = ("nccl_tests", "mpirun")
_PATH = re.compile(r"[\w./][\w./+-]*", re.ASCII)
"""Of a file in an image. Kubernetes puts variables in the place of ``$(NAME)``; on plain machines a shell reads it."""
_IMAGES = tuple(key for key in AcceptanceImages.__annotations__ if key not in _FOLDERS)


def check_choice(options: AcceptanceOptions, pools: Sequence[GpuPool | None], errors: ErrorList) -> None:
    """Check each option for itself; the machine of a pool that is ``None`` is not known."""
    if waived := options.get("waive"):
        from nccl_verdict.verdict import GATES  # the judge, which few plans need

        for i, gate in enumerate(waived):
            if gate not in GATES:
                errors.at("waive", i).add(f"got {gate!r}; no such gate, known are {', '.join(GATES)}")
    also = options.get("also_run", [])
    for i, collective in enumerate(also):
        if collective not in COLLECTIVES:
            errors.at("also_run", i).add(f"got {collective!r}; nccl-tests has {', '.join(COLLECTIVES)}")
        elif collective in also[:i]:
            errors.at("also_run", i).add(f"{collective} is listed twice; name each collective once")
    machines = {pool.machine.name for pool in pools if pool is not None}
    # Thresholds of machines that the pools have, each of one collective.
    at = errors.at("thresholds")
    for machine, words in options.get("thresholds", {}).items():
        if machine not in machines and None not in pools:
            at.at(machine).add(f"no pool has such machines; the pools have {', '.join(sorted(machines))}")
        _check_threshold(words, find(machine), also, at.at(machine))
    images = options.get("images", {})
    for key in _IMAGES:
        check_image(images.get(key, key), errors.at("images", key))
    for key in _FOLDERS:
        if not _PATH.fullmatch(path := images.get(key, key)):
            got = f"got {path!r}" if path.strip() else "empty"
            errors.at("images", key).add(f"{got}; write a path of letters, digits and ._+-/, or leave the key out")


def _check_threshold(words: list[str], machine: Machine | None, also: list[str], errors: ErrorList) -> None:
    try:
        thresholds = parse_thresholds(words)
    except BadThresholdError as error:
        errors.add(str(error))
        return
    if len(thresholds.keys() - set(also)) > 1:
        errors.add("thresholds of several collectives; one is run, name those of one, or add the others to also_run")
    memory = machine.gpu.memory_gib if machine is not None and machine.gpu is not None else None
    for line in (line for lines in thresholds.values() for line in lines):
        if memory is not None and row_from(line.size_bytes) > (most := largest_row(memory)):
            errors.add(
                f"a threshold from {size_text(line.size_bytes)} on; on GPUs of {memory} GiB nccl-tests runs sizes up "
                f"to {size_text(most)}, so that it would never be measured; name one of these"
            )


def check_figures(machine: Machine, fabric: Fabric, options: AcceptanceOptions, errors: ErrorList) -> None:
    """A gate without a figure to measure against fails every time: only its name in ``waive`` lets `up` pass."""
    try:
        want = expect_test(machine, fabric, options.get("thresholds", {}).get(machine.name, []))
    except BadThresholdError:
        return  # an error already
    missing = {"bandwidth": not want.thresholds, "nics": want.nics is None}
    for gate in (gate for gate, absent in missing.items() if absent and gate not in options.get("waive", [])):
        own = "give one of your own in acceptance.thresholds, " if gate == "bandwidth" else ""
        errors.at("waive").add(
            f"no figure for gate {gate} is published for {machine.name}, so it cannot pass; "
            f"{own}add {gate} to acceptance.waive, or set acceptance.enabled: false"
        )


def gate_warnings(pools: Sequence[GpuPool], options: AcceptanceOptions) -> tuple[str, ...]:
    """What a plan says of gates that its machines cannot pass, or may not, before anything is paid for."""
    if not options.get("enabled", True):
        return ()
    warnings = []
    for pool in pools:
        name, reaches = pool.machine.name, pool.machine.reaches_gpu_memory
        if pool.machine.gpu is None or pool.nodes < 2 or reaches:
            continue
        if reaches is False:
            warnings.append(
                f"pool {pool.name}: {name} has no GPUDirect RDMA, data goes by the host's memory: the test asks all "
                "gates but gdr, and nothing is to be waived for it"
            )
        elif "gdr" not in options.get("waive", []):
            warnings.append(
                f"pool {pool.name}: nobody says whether {name} has GPUDirect RDMA: healthy nodes may fail gate gdr; if "
                "the first two do, add gdr to acceptance.waive"
            )
    return tuple(warnings)
