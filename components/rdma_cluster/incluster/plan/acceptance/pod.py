"""What the pods of both carriers have in common: names, the pairs to run, the two containers of the pod that leads."""

import re
from hashlib import sha256
from typing import Any

from nccl_verdict.expectation import Expectation
from pulumi_offline.frozen import frozen
from rdma_agent import FOLDER
from rdma_agent.names import POOL
from rdma_agent.prover.fill import ring
from ....catalog.releases import NcclTests
from ....claims import Template
from ....fabrics import ConfigFile, HostNetwork
from ..full_node import apart, claims, devices, placed
from ..host_ports import SSH
from ..security import runs_nccl, unprivileged
from ..workload import Workload
from .marker_policy import CREDENTIALS, CREDENTIALS_VOLUME, MARKER, STARTUP_TOLERATION, TOLERATION

FILES = "nccl-judge"
"""ConfigMap with the judge's source files and the scripts."""
FILES_VOLUME: dict[str, Any] = {"name": "files", "configMap": {"name": FILES}}
# OpenSSH 9.2, run as root with these alone, lets root in: it takes a port below 1024, and changes to a user of its own
# in an empty folder. One that is built with Linux' audit writes a record of each login (podman/issues/17575).
_OF_SSHD = ("AUDIT_WRITE", "NET_BIND_SERVICE", "SETGID", "SETUID", "SYS_CHROOT")
_NAME = 36
"""Most characters of a pool's name in ours: 63 less ``nccl-``, a digest, and an MPIJob's ``-worker-9999``."""


@frozen
class Measure:
    """What one pool's test runs."""

    pool: str
    """As ``short`` makes it."""
    nodes: int
    gpus: int
    """Of one node."""
    collective: str
    also: tuple[str, ...]
    """Collectives that each pair runs besides."""
    most_bytes: int
    """The largest message."""
    waive: tuple[str, ...]
    image: NcclTests
    judge_image: str
    workload: Workload
    ready_seconds: int
    """How long the pods may take to answer one another."""
    pair_seconds: int
    """How long one collective of a pair may take."""
    fabric_of_node: str = ""
    """The command of ``CloudFacts`` that names a node's fabric."""
    marks_nodes: bool = False
    """Whether suspected nodes are tainted."""
    nvlink: bool | None = None
    """Whether NCCL goes from node to node over NVLink; ``None`` where that ends at the node."""
    racks: int = 1
    """NVLink racks of the nodes, among which a test over NVLink tells them apart."""
    held: bool = False
    """Whether nodes have a start-up taint until they are proven."""
    fingerprint: str = ""
    """What proven nodes are labelled with, where they are held."""

    @property
    def seconds(self) -> int:
        """The verdict's own deadline, with a little more for each step than the step takes for itself."""
        return self.ready_seconds + 60 + len(ring(self.nodes)) * (1 + len(self.also)) * (self.pair_seconds + 30)


@frozen(kw_only=True)
class Carried:
    """A test as its launcher carries it, in the Kubernetes API's own form."""

    test: dict[str, Any]
    """The Job or MPIJob; its name follows the values on which its proof rests."""
    seconds: int
    """When it has ended by itself, counted from its start."""
    service: dict[str, Any] | None = None
    """Of an Indexed Job; the MPI operator makes its own."""
    log: str
    """The command that prints the verdict."""


@frozen(kw_only=True)
class PoolTest(Carried):
    """The objects of one pool's test, in the Kubernetes API's own form."""

    values: dict[str, Any]
    """On what its proof rests, by name."""
    runner: dict[str, Any]
    """The Job that decides whether the test is due, and runs it."""
    watcher: dict[str, Any]
    """The Job that `up` waits for: it ends as the runner decided."""
    pool: str
    short: str
    """The pool's name as a part of the objects' names."""
    measure: Measure
    expectation: Expectation
    config: dict[str, str]
    """Data of the ConfigMap with the expectation."""
    files: tuple[ConfigFile, ...]
    """What its pods read besides, each in a ConfigMap of its own."""
    templates: tuple[Template, ...]
    compute_domain: dict[str, Any] | None
    """What gives its pods IMEX channels, in a test over NVLink."""
    most_bytes: int
    waived: tuple[str, ...]
    timeout_seconds: int

    @property
    def shown(self) -> dict[str, Any]:
        """What the proof of a pool shows of its test; the measured figures stand in its log."""
        want = self.expectation
        thresholds = {
            collective: [{"fromBytes": line.size_bytes, "busbwGBytes": line.busbw_gbytes} for line in lines]
            for collective, lines in want.thresholds.items()
        }
        counts = {"collective": want.collective, "tests": want.tests, "gpusPerNode": want.gpus_per_node}
        also = {"also": list(want.also)} if want.also else {}
        return {**counts, **also, "thresholds": thresholds, "waived": list(self.waived), "log": self.log}


def short(pool: str) -> str:
    """A pool's name as a part of ours, which are DNS labels; one that does not fit is cut and gets a digest."""
    if len(pool) <= _NAME and re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", pool):
        return pool
    readable = re.sub(r"[^a-z0-9]+", "-", pool.lower()).strip("-")[: _NAME - 9].rstrip("-") or "pool"
    return f"{readable}-{sha256(pool.encode()).hexdigest()[:8]}"


def over_nvlink(pool: str) -> str:
    """Name of a pool's test over NVLink; its other test has the pool's own name."""
    return f"{pool}-nvlink"


def job_name(pool: str) -> str:
    """The test of a pool, and the Service under which its pods find each other."""
    return f"nccl-{pool}"


def expectation_name(pool: str) -> str:
    """ConfigMap with a pool's test, and with what it must show."""
    return f"nccl-test-{pool}"


def labels(pool: str) -> dict[str, str]:
    """Of the pods that take a node each."""
    return {"app.kubernetes.io/name": "nccl-acceptance", POOL: pool}


MOST_NODES = 15_000
"""No cluster of any cloud holds more; a pool of more is refused before its pairs are listed."""
NETWORK_POLICY: dict[str, Any] = {
    "podSelector": {},
    "policyTypes": ["Ingress"],
    "ingress": [{"from": [{"podSelector": {}}]}],
}
"""Of the test's namespace: its pods hear each other and nobody else. The keys of their sshd lie in a public image, and
the ports of MPI and NCCL are any. Whom they call is not limited: DNS and the API are elsewhere on each cloud, and a
plugin may ask the machine's metadata."""


# The domain and the part of it that its GPUs may use, as NCCL and NVIDIA's DRA driver tell nodes of a rack apart.
_RACK = r"nvidia-smi -q -i 0 | sed -n 's/^ *\(ClusterUUID\|CliqueId\) *: *//p' | paste -s -d ."


def lead_env(measure: Measure) -> list[dict[str, Any]]:
    """What the script of the leading pod reads."""
    values = {
        "NODES": measure.nodes,
        "GPUS": measure.gpus,
        "COLLECTIVE": measure.collective,
        "MOST_BYTES": measure.most_bytes,
        "READY_SECONDS": measure.ready_seconds,
        "PAIR_SECONDS": measure.pair_seconds,
        "ROUNDS": "\n".join(" ".join(f"{one},{two}" for one, two in pairs) for pairs in ring(measure.nodes)),
        "SOURCE": measure.workload.adds.source,
        "TESTS": measure.image.tests,
        "MPIRUN": measure.image.mpirun,
        "MPI_ARGS": measure.image.mpi_args,
        **({"ALSO": " ".join(measure.also)} if measure.also else {}),
        **({} if measure.nvlink is None else {"NVLINK": int(measure.nvlink)}),
        **({"RACKS": measure.racks} if measure.racks > 1 else {}),
    }
    env = [{"name": name, "value": str(value)} for name, value in values.items()]
    return [*measure.workload.pod_patch()["env"], *env, ssh_port(measure)]


def ssh_port(measure: Measure) -> dict[str, str]:
    """Where the members' sshd listens: beside the host's own in the host's network."""
    port = SSH if isinstance(measure.workload.fabric.nic_attachment, HostNetwork) else measure.image.ssh_port
    return {"name": "SSH_PORT", "value": str(port)}


def node_container(name: str, script: str, measure: Measure, env: list[dict[str, Any]]) -> dict[str, Any]:
    """A container with a whole node's devices and the fabric's libraries."""
    part = measure.workload.pod_patch()
    # Commands by which a member learns of its node before the test.
    commands = {
        "FABRIC_OF_NODE": measure.fabric_of_node,
        "CHECK_OF_NODE": measure.workload.fabric.acceptance.check_of_node,
        "RACK_OF_NODE": _RACK if measure.racks > 1 else "",
    }
    return {
        "name": name,
        "image": measure.image.image,
        "command": ["bash", f"{FOLDER}/{script}"],
        "env": [
            *env,
            {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            *({"name": variable, "value": command} for variable, command in commands.items() if command),
        ],
        "resources": devices(part, claims(measure.workload)),
        "securityContext": runs_nccl(part, *_OF_SSHD),
        "volumeMounts": [*part["volumeMounts"], {"name": "files", "mountPath": FOLDER}],
    }


def verdict_container(measure: Measure) -> dict[str, Any]:
    """The judge beside the test: its exit is the test's outcome, its termination message the first failed gate."""
    waivers = [word for gate in measure.waive for word in ("--waive", gate)]
    marks = [{"name": "credentials", "mountPath": CREDENTIALS, "readOnly": True}] * measure.marks_nodes
    env: dict[str, object] = {"SECONDS_IN_ALL": measure.seconds}
    if marks:
        env["MARK_NODES"] = "proofs" if measure.held else "suspects"
    if measure.fingerprint:
        env["FINGERPRINT"] = measure.fingerprint
    if measure.held and measure.waive:
        env["WAIVED"] = " ".join(measure.waive)
    return {
        "name": "verdict",
        "image": measure.judge_image,
        "command": ["sh", f"{FOLDER}/judge.sh", *waivers],
        "env": [{"name": name, "value": str(value)} for name, value in env.items()],
        "resources": {
            "requests": {"cpu": "100m", "memory": "64Mi"},
            # Measured: 23 MiB, and 1 MiB more for each log of 16 ranks.
            "limits": {"memory": f"{256 + 4 * sum(map(len, ring(measure.nodes)))}Mi"},
        },
        "securityContext": unprivileged(),
        "volumeMounts": [
            {"name": "files", "mountPath": FOLDER},
            {"name": "expect", "mountPath": "/expect"},
            {"name": "results", "mountPath": "/results", "readOnly": True},
            *marks,
        ],
    }


def lead_spec(measure: Measure, test: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """The leading pod: ``node``, with the container ``test`` and the judge. Where that marks nodes, the pod has an
    account, whose token is mounted into the judge alone."""
    volumes = [
        *node.get("volumes", []),
        {"name": "results", "emptyDir": {}},
        FILES_VOLUME,
        {"name": "expect", "configMap": {"name": expectation_name(measure.pool)}},
    ]
    spec = {**node, "containers": [test, verdict_container(measure)]}
    if not measure.marks_nodes:
        return {**spec, "volumes": volumes}
    return {**spec, "serviceAccountName": MARKER, "volumes": [*volumes, CREDENTIALS_VOLUME]}


def pod_metadata(measure: Measure) -> dict[str, Any]:
    """Of the pods that take a node each."""
    part = measure.workload.pod_patch()
    annotations = {"annotations": part["annotations"]} if "annotations" in part else {}
    return {"labels": labels(measure.pool), **annotations}


def node_spec(measure: Measure) -> dict[str, Any]:
    """What every pod that takes a node says of itself: where it runs, on its own, with no credentials."""
    part = measure.workload.pod_patch()
    where = placed(part, claims(measure.workload))
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": 5,
        **where,
        "tolerations": [*where["tolerations"], TOLERATION, *([STARTUP_TOLERATION] if measure.held else [])],
        "affinity": apart(labels(measure.pool)),
        "volumes": part["volumes"],
    }
