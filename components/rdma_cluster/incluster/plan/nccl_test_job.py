"""nccl-tests by hand: what a job of the user's own runs to measure any nodes and rails, with any of NCCL's variables.

Nobody judges it in the cluster; its log is as `rdma-cluster verdict` reads it. The acceptance test is another thing: it
runs pairs of nodes, is judged in place and marks nodes.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...catalog.releases import NcclTests
from .security import verbatim

if TYPE_CHECKING:
    from .job import Training

PROGRAM = ("all_gather_perf", "-b", "1K", "-e", "8G", "-f", "2", "-g", "1", "-w", "5", "-n", "20", "-c", "1")
"""What runs by default: sizes as in the guides of Google and DraNet."""
SHOWN = ("NCCL_DEBUG=INFO", "NCCL_DEBUG_SUBSYS=INIT,NET")
"""Variables without which a log shows nothing of the network."""
OF_TEST: dict[str, Any] = {
    "successPolicy": {"rules": [{"succeededIndexes": "0"}]},
    # A test that hangs must not hold its GPUs for ever.
    "activeDeadlineSeconds": 3600,
}
"""What the Job of a test adds: it has succeeded when the pod that leads has."""
_SSH = (
    "-o BatchMode=yes -o LogLevel=ERROR -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=5"
)
_OPEN_MPI = ("--bind-to", "none", "--mca", "plm_rsh_no_tree_spawn", "1", "--mca", "orte_keep_fqdn_hostnames", "1",
             "--mca", "btl", "self,tcp", "--mca", "btl_tcp_if_include", "eth0")  # fmt: skip
"""As the acceptance test has them: MPI starts the ranks over the pods' first network, and carries nothing else."""
# An image or the operator may have chosen an interface to exclude, and Open MPI takes only one of the two options.
# Open MPI 5 starts its daemons by PRRTE, which has names of its own.
_MPIRUN = """unset NCCL_DEBUG_FILE OMPI_MCA_btl_tcp_if_exclude
export PRTE_MCA_plm_ssh_agent="$AGENT" PRTE_MCA_plm_ssh_no_tree_spawn=1 PRTE_MCA_prte_keep_fqdn_hostnames=1
mpirun=$1
shift
exports=$(printf -- ' -x %s' ${!NCCL*} ${!FI_*} ${!SHARP_*} LD_LIBRARY_PATH PATH)
exec "$mpirun" --mca plm_rsh_agent "$AGENT" $exports "$@"
"""
"""A shell, since the variables of the image are to reach the ranks, too."""
_LEAD = """set -u
/sbin/ldconfig
$DAEMON &
[ "$JOB_COMPLETION_INDEX" = 0 ] || exec sleep infinity
hosts=
for index in $(seq 0 $((NODES - 1))); do
  host=$NAME-$index.$NAME
  until timeout 15 $AGENT "$host" true; do sleep 2; done
  hosts=$hosts,$host:$GPUS
done
mpirun=$1
shift
set -- "$mpirun" --allow-run-as-root --host "${hosts#,}" -np $((NODES * GPUS)) "$@"
unset OMPI_MCA_orte_default_hostfile
"""
"""The first pod waits for the others and leads; they lend their node until it has ended."""


def program(words: Sequence[str], test: NcclTests) -> tuple[str, ...]:
    """The test's words, its program looked up in the folder of the image."""
    first, *rest = words or PROGRAM
    path = first if "/" in first else f"{test.tests}/{first}"
    # What runs is said first: early nccl-tests do not name themselves.
    said = '[ "${OMPI_COMM_WORLD_RANK:-0}" != 0 ] || echo "# $1"; exec "$@"'
    return "bash", "-c", said, "bash", path, *rest


def led(training: "Training", ranks: Sequence[str]) -> list[str]:
    """The command of each pod where the image holds the keys of its sshd."""
    test = training.test
    assert test is not None
    counts = {"NODES": training.nodes, "GPUS": training.node.gpus, "NAME": training.name}
    told = {"DAEMON": test.daemon, "AGENT": f"ssh -p {test.ssh_port} {_SSH}", **counts}
    words = [test.mpirun, *_OPEN_MPI, *test.mpi_args.split(), *ranks]
    script = verbatim(_LEAD + _MPIRUN)
    return ["env", *(f"{name}={value}" for name, value in told.items()), "bash", "-c", script, "bash", *words]


def sshd(port: int, test: NcclTests | None) -> list[str]:
    """The command of an MPIJob's worker. The operator mounts the keys with modes that StrictModes dislikes."""
    usual = ["/usr/sbin/sshd", "-De", *(["-p", str(port)] if port != 22 else [])]
    if test is None:
        return usual
    return ["bash", "-c", f"mkdir -p /run/sshd; ssh-keygen -A; exec {' '.join(usual)} -o StrictModes=no"]


def mpirun(training: "Training", port: int) -> list[str]:
    """The words by which an MPIJob's launcher starts a rank on each GPU."""
    ranks = ["--allow-run-as-root", "-np", str(training.nodes * max(training.node.gpus, 1))]
    other = ["--mca", "plm_rsh_args", f"-p {port}"] if port != 22 else []
    if (test := training.test) is None:
        return ["mpirun", *ranks, *other]
    words = [test.mpirun, *ranks, *_OPEN_MPI, *test.mpi_args.split()]
    return ["env", f"AGENT=ssh -p {port} {_SSH}", "bash", "-c", verbatim(_MPIRUN), "bash", *words]


def peers_only(name: str, namespace: str, labels: Mapping[str, str]) -> dict[str, Any]:
    """Keeps everyone but a test's own pods away from them: the keys of their sshd lie in a public image."""
    selected, peers = ({"podSelector": {"matchLabels": dict(labels)}} for _ in range(2))
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {**selected, "policyTypes": ["Ingress"], "ingress": [{"from": [peers]}]},
    }
