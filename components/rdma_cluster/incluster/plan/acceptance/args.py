"""Args of `NcclAcceptance`: the user's options, the pools, and what pods on them need."""

from enum import Enum
from typing import NotRequired

from typing_extensions import TypedDict
from ....base.args import Choice, args_schema
from ....fabrics import Launcher
from ..dra_drivers import InstalledBy
from ..pool import TaintedPools


class OnBusy(str, Enum):
    """What becomes of a test that is due while the pool's GPUs are in use."""

    KEEP = "keep"
    """The earlier proof is kept, with its date and the reason; `up` warns and goes on. The next `up` tests."""
    WAIT = "wait"
    """`up` waits until enough nodes are idle, 12 hours at the most."""
    FAIL = "fail"
    """`up` fails."""


@args_schema
class AcceptanceImages(TypedDict):
    """Images in the place of the pinned ones: a mirror, or a build for another machine."""

    test: NotRequired[str]
    """Image with nccl-tests, NCCL and the fabric's plugin. Default: the plugin's publisher's."""
    nccl_tests: NotRequired[str]
    """Folder of nccl-tests in it. Default: as in the publisher's image."""
    mpirun: NotRequired[str]
    """Open MPI's ``mpirun`` in it. Default: as in the publisher's image."""
    python: NotRequired[str]
    """Image with Python 3.10 or later, which judges the log."""
    operator: NotRequired[str]
    """Image of the MPI operator."""


@args_schema
class AcceptanceOptions(TypedDict):
    """How the fabric is proved."""

    enabled: NotRequired[bool]
    """Run the test inside `up` and fail when a gate fails. Default: true."""
    rerun: NotRequired[str]
    """Any text; a new one runs the test again. It runs by itself when what it proves has changed."""
    on_busy: NotRequired[Choice[OnBusy]]
    """What becomes of a test that is due while the pool's GPUs are in use. A pool without an earlier proof is never
    waved through: its test waits for nodes. Default: ``keep``."""
    waive: NotRequired[list[str]]
    """Gates that may fail; the verdict names them. Where no figure of a rack's NICs is published, their ``bandwidth``
    alone is waived: NVLink's is judged. Default: none."""
    thresholds: NotRequired[dict[str, list[str]]]
    """By machine type, thresholds of your own in the place of the published ones, each `COLLECTIVE:SIZE=GBPS`: the
    least out-of-place bus bandwidth in GB/s from a message size on. Example: `{"p5en.48xlarge":
    ["all_reduce:1G=300"]}`."""
    also_run: NotRequired[list[str]]
    """Collectives that each pair runs besides the one of the thresholds: `alltoall` and `sendrecv` load the fabric as
    experts and pipelines do. Each takes as long again. A threshold of your own holds for it; without one it is measured
    against the best pair. Default: none. Example: `[alltoall, sendrecv]`."""
    taint_suspects: NotRequired[bool]
    """Taint a node that failed with both its neighbours, each of them good elsewhere, with
    `rdma-cluster/fabric=failed:NoSchedule`, label it so, and clear both when it passes again. Default: false."""
    images: NotRequired[AcceptanceImages]
    """Images in the place of the pinned ones."""


@args_schema
class NcclAcceptanceArgs(AcceptanceOptions, TaintedPools):
    """The pools to be proved, and what a pod on them needs."""

    launcher: NotRequired[Choice[Launcher]]
    """What carries the test. Default: the fabric's own."""
    mpi_operator: NotRequired[Choice[InstalledBy]]
    """Who brings the MPI operator that the launcher ``mpi-job`` needs. Default: ``installed``."""
    driver_seconds: NotRequired[int]
    """How much longer than a pull of images a new node takes until its devices are there, because a driver is compiled
    on it. Default: 0."""
    fingerprints: NotRequired[dict[str, str]]
    """Where ``NodeReadiness`` holds nodes until they are proven: by pool, what a node is labelled with that passes.
    Default: nodes are not held."""
