"""The acceptance test as an Indexed Job: pod 0 runs nccl-tests over ssh and judges the log, the others lend their node.

No operator and no credentials: the diagnostic image holds the ssh keys, the pods know each other by the names that an
Indexed Job gives them, and the Job has succeeded when pod 0 has (``successPolicy``, GA in Kubernetes 1.33).
"""

from typing import Any

from ...catalog.releases import JUDGE_PYTHON
from ...nccl.ship import PACKAGE
from .workload import Workload

NAMESPACE = "rdma-acceptance"
JUDGE = "nccl-judge"
"""ConfigMap with the judge's source files."""


def expectation_name(pool: str) -> str:
    """ConfigMap with what a pool's test must show."""
    return f"nccl-expect-{pool}"


def subdomain(pool: str) -> str:
    """The Service under which a test's pods find each other."""
    return f"nccl-{pool}"


# One shell in every pod. The gIB diagnostic image starts its sshd on port 222 (its own script), and holds nccl-tests.
# The command line is the one that cluster-toolkit v1.95 publishes for this image (examples/gke-a4).
_RUN = r"""set -u
/sbin/ldconfig
echo "$NODE_NAME" > /tmp/node
/scripts/container_entry.sh daemon &
if [ "$JOB_COMPLETION_INDEX" != 0 ]; then exec sleep infinity; fi

trap 'touch /results/done' EXIT
: > /results/ready.log
ssh="ssh -q -p 222 -o StrictHostKeyChecking=no -o ConnectTimeout=5"
base=${HOSTNAME%-0}
host() { echo "$base-$1.$SUBDOMAIN"; }

deadline=$(($(date +%s) + READY_SECONDS))
for i in $(seq 0 $((NODES - 1))); do
  until node=$($ssh "$(host "$i")" cat /tmp/node 2>/dev/null); do
    if [ "$(date +%s)" -ge "$deadline" ]; then
      echo "pod $base-$i did not answer within $READY_SECONDS s" | tee -a /results/ready.log
      exit 0
    fi
    sleep 2
  done
  echo "pod $base-$i is on node $node"
  # The verdict speaks of nodes, and two pods on one node show as one.
  echo "s/\b$base-$i\b/$node/g" >> /tmp/nodes.sed
done

source /usr/local/gib/scripts/set_nccl_env.sh
export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET
exports=$(printf -- ' -x %s' ${!NCCL*} LD_LIBRARY_PATH PATH)

pair() {
  one=$(host "$1") other=$(host "$2")
  timeout "$PAIR_SECONDS" mpirun --allow-run-as-root --host "$one:$GPUS,$other:$GPUS" -np $((2 * GPUS)) --bind-to none \
    --mca plm_rsh_agent "$ssh" --mca plm_rsh_no_tree_spawn 1 --mca orte_keep_fqdn_hostnames 1 \
    --mca btl self,tcp --mca btl_tcp_if_include eth0 $exports \
    "/third_party/nccl-tests/build/${COLLECTIVE}_perf" -b 1G -e 8G -f 2 -g 1 -w 5 -n 20 -c 1 2>&1 \
    | sed -f /tmp/nodes.sed > "/results/pair-$1-$2.log"
}

while read -r round; do
  running=
  for pair in $round; do pair "${pair%,*}" "${pair#*,}" & running="$running $!"; done
  wait $running
done <<< "$ROUNDS"
cat /results/pair-*.log
"""

_JUDGE = r"""set -u
if [ "$JOB_COMPLETION_INDEX" != 0 ]; then exec sleep infinity; fi
deadline=$(($(date +%s) + SECONDS_IN_ALL))
until [ -e /results/done ] || [ "$(date +%s)" -ge "$deadline" ]; do sleep 1; done
exec python3 -m nccl /results/*.log --expect /expect/expectation.json --termination /dev/termination-log "$@"
"""


def ring(nodes: int) -> list[list[tuple[int, int]]]:
    """Each node beside its two neighbours, in rounds of disjoint pairs: ``[[(0, 1), (2, 3)], [(1, 2), (3, 0)]]``."""
    if nodes == 2:
        return [[(0, 1)]]
    edges = [(i, (i + 1) % nodes) for i in range(nodes)]
    last = edges[nodes - nodes % 2 :]
    rounds = [edges[0 : nodes - nodes % 2 : 2], edges[1 : nodes - nodes % 2 : 2]]
    return [*rounds, last] if last else rounds


def service(pool: str) -> dict[str, Any]:
    """A headless Service: each pod has a name before it is ready."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": subdomain(pool),
            "namespace": NAMESPACE,
            # Its pods come with the Job, and the Job comes after it: nothing to wait for.
            "annotations": {"pulumi.com/skipAwait": "true"},
        },
        "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": _labels(pool)},
    }


def indexed_job(
    *,
    pool: str,
    gpus: int,
    collective: str,
    workload: Workload,
    waive: tuple[str, ...],
    rounds: list[list[tuple[int, int]]],
    ready_seconds: int,
    pair_seconds: int,
) -> dict[str, Any]:
    """The Job. It ends by itself after ``ready_seconds`` and ``pair_seconds`` a round, a stuck test with a verdict."""
    part = workload.fragment()
    nodes = 1 + max(node for pairs in rounds for pair in pairs for node in pair)
    everything = ready_seconds + len(rounds) * pair_seconds + 60
    claims = [
        {"name": f"fabric-{i}", "resourceClaimTemplateName": name} for i, name in enumerate(part["claimTemplates"])
    ]
    results = {"name": "results", "mountPath": "/results"}
    env = {
        "NODES": str(nodes),
        "GPUS": str(gpus),
        "COLLECTIVE": collective,
        "SUBDOMAIN": subdomain(pool),
        "READY_SECONDS": str(ready_seconds),
        "PAIR_SECONDS": str(pair_seconds),
        "ROUNDS": "\n".join(" ".join(f"{one},{other}" for one, other in pairs) for pairs in rounds),
    }
    test = {
        "name": "test",
        "image": part["imageHint"],
        "command": ["bash", "-c", _RUN],
        "env": [
            *part["env"],
            *({"name": name, "value": value} for name, value in env.items()),
            {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        ],
        "resources": {**part["resources"], "claims": [{"name": claim["name"]} for claim in claims]},
        "securityContext": part["securityContext"],
        "volumeMounts": [*part["volumeMounts"], results],
    }
    verdict = {
        "name": "verdict",
        "image": JUDGE_PYTHON.image,
        "command": ["sh", "-c", _JUDGE, "verdict", *(word for gate in waive for word in ("--waive", gate))],
        "env": [{"name": "PYTHONPATH", "value": "/judge"}, {"name": "SECONDS_IN_ALL", "value": str(everything)}],
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 65534,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [
            {"name": "judge", "mountPath": f"/judge/{PACKAGE}"},
            {"name": "expect", "mountPath": "/expect"},
            {**results, "readOnly": True},
        ],
    }
    apart = {"labelSelector": {"matchLabels": _labels(pool)}, "topologyKey": "kubernetes.io/hostname"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": subdomain(pool), "namespace": NAMESPACE, "labels": _labels(pool)},
        "spec": {
            "completions": nodes,
            "parallelism": nodes,
            "completionMode": "Indexed",
            "successPolicy": {"rules": [{"succeededIndexes": "0"}]},
            "backoffLimit": 0,
            # The verdict's own deadline comes first, so that a stuck test fails with a gate and not with a time-out.
            "activeDeadlineSeconds": everything + 120,
            "template": {
                "metadata": {"labels": _labels(pool)},
                "spec": {
                    "restartPolicy": "Never",
                    "automountServiceAccountToken": False,
                    "enableServiceLinks": False,
                    "terminationGracePeriodSeconds": 5,
                    "subdomain": subdomain(pool),
                    "nodeSelector": part["nodeSelector"],
                    "tolerations": part["tolerations"],
                    "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}},
                    "resourceClaims": claims,
                    "containers": [test, verdict],
                    "volumes": [
                        *part["volumes"],
                        {"name": "results", "emptyDir": {}},
                        {"name": "judge", "configMap": {"name": JUDGE}},
                        {"name": "expect", "configMap": {"name": expectation_name(pool)}},
                    ],
                },
            },
        },
    }


def _labels(pool: str) -> dict[str, str]:
    return {"app.kubernetes.io/name": "nccl-acceptance", "rdma-cluster/pool": pool}
