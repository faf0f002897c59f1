"""The objects that keep nodes ready, key by key: prover, watcher, and the policies that hold them."""

import json
from typing import Any

import pytest
import yaml
from rdma_cluster.incluster.addons.readiness.args import OnFault
from rdma_cluster.incluster.addons.readiness.policies import own_tests, registration_policy, watcher_policies
from rdma_cluster.incluster.addons.readiness.prover import digest_of, prover
from rdma_cluster.incluster.addons.readiness.watcher import plan_watcher, watched
from rdma_cluster.incluster.plan.acceptance import marker_policy
from tests.incluster.pools import GIB, NAMED, NICS, pool

PYTHON = "python:3"


def test_the_provers_deployment():
    """One at a time, looked after by the kubelet, with no right on its node."""
    made = prover({"pools": []}, PYTHON, slices=False, mpi=False)

    assert made.deployment == yaml.safe_load("""
        replicas: 1
        strategy: {type: Recreate}
        selector:
          matchLabels: &labels {app.kubernetes.io/name: rdma-prover, app.kubernetes.io/managed-by: rdma-cluster}
        template:
          metadata: {labels: *labels}
          spec:
            serviceAccountName: rdma-prover
            enableServiceLinks: false
            priorityClassName: system-cluster-critical
            volumes: [{name: files, configMap: {name: rdma-prover}}]
            containers:
            - name: prover
              image: python:3
              command: [python3, -B, /opt/rdma-cluster/run.py, prove]
              args: [--config, /opt/rdma-cluster/config.json, --namespace, rdma-readiness, --port, "9188"]
              ports: [{name: metrics, containerPort: 9188}]
              livenessProbe: {httpGet: {path: /healthz, port: 9188}, periodSeconds: 30, failureThreshold: 3}
              resources: {requests: {cpu: 50m, memory: 64Mi}, limits: {memory: 512Mi}}
              securityContext:
                runAsNonRoot: true
                runAsUser: 65534
                allowPrivilegeEscalation: false
                readOnlyRootFilesystem: true
                capabilities: {drop: [ALL]}
                seccompProfile: {type: RuntimeDefault}
              volumeMounts: [{name: files, mountPath: /opt/rdma-cluster}]
        """)
    assert json.loads(made.files["config.json"]) == {"pools": []}


def test_other_files_are_another_pod():
    """A pod reads them at its start; the order in which they stand, or the keys of one, is no other content."""
    made, alike, other = (
        prover(config, PYTHON, slices=False, mpi=False) for config in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 2})
    )

    assert made.files == alike.files
    assert (made.digest == alike.digest, made.digest == other.digest) == (True, False)
    assert digest_of({"a": "1", "b": "2"}) == digest_of({"b": "2", "a": "1"}) != digest_of({"a": "2", "b": "1"})
    assert len(made.digest) == 12 and made.digest == digest_of(made.files)


def granted(rules: Any) -> list[str]:
    """Each right as its group, resource and verbs."""
    return [f"{rule['apiGroups'][0]}/{rule['resources'][0]} {' '.join(rule['verbs'])}" for rule in rules]


def test_the_provers_rights():
    """On nodes, on its tests, on its lease and on events; of slices and MPIJobs where there are some."""
    bare, full = (prover({}, PYTHON, slices=each, mpi=each) for each in (False, True))
    devices = ["resource.k8s.io/resourceslices list", "resource.k8s.io/devicetaintrules list"]

    assert granted(bare.cluster_rules) == ["/nodes list patch", "/nodes/status patch", "/pods list"]
    assert granted(full.cluster_rules) == [*granted(bare.cluster_rules), *devices]
    assert granted(bare.test_rules) == ["batch/jobs list create delete", "/configmaps create", "/services create"]
    assert granted(full.test_rules) == [
        "batch/jobs list create delete",
        "kubeflow.org/mpijobs list create delete",
        "/configmaps create",
        "/services create",
    ]
    assert granted(bare.own_rules) == ["coordination.k8s.io/leases get create update"]
    assert granted(bare.event_rules) == ["/events create"]
    assert list(bare.policies) == ["rdma-prover", "rdma-prover-conditions", "rdma-prover-tests"]


def test_the_watchers_pods_and_rights():
    """On every node of the pools, whatever taints it has, with the kernel's log and a token as its only rights."""
    made = plan_watcher([GIB, NAMED], "pool", OnFault.QUARANTINE, True, PYTHON, ["gib"])

    assert made.spec == yaml.safe_load("""
        selector:
          matchLabels: &labels {app.kubernetes.io/name: rdma-fault-watcher, app.kubernetes.io/managed-by: rdma-cluster}
        updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 25%}}
        template:
          metadata: {labels: *labels}
          spec:
            priorityClassName: system-node-critical
            serviceAccountName: rdma-fault-watcher
            automountServiceAccountToken: false
            hostNetwork: true
            dnsPolicy: ClusterFirstWithHostNet
            affinity:
              nodeAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                  nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: In, values: [gib, named]}]}]
            tolerations: [{operator: Exists}]
            volumes:
            - {name: files, configMap: {name: rdma-fault-watcher}}
            - name: credentials
              projected:
                sources:
                - serviceAccountToken: {path: token, expirationSeconds: 3600}
                - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}
            containers:
            - name: watcher
              image: python:3
              command: [python3, -B, /opt/rdma-cluster/run.py, watch-faults, --config, /opt/rdma-cluster/faults.json]
              env: [{name: NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
              resources: {requests: {cpu: 20m, memory: 48Mi}, limits: {memory: 256Mi}}
              securityContext:
                runAsUser: 0
                readOnlyRootFilesystem: true
                allowPrivilegeEscalation: false
                capabilities: {drop: [ALL], add: [SYSLOG]}
                seccompProfile: {type: RuntimeDefault}
              volumeMounts:
              - {name: files, mountPath: /opt/rdma-cluster, readOnly: true}
              - {name: credentials, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
        """)
    assert granted(made.rules) == [
        "/nodes get",
        "/nodes/status patch",
        "/nodes patch",
        "resource.k8s.io/resourceslices list",
        "resource.k8s.io/devicetaintrules list create delete",
    ]
    config = json.loads(made.files["faults.json"])
    assert {name: each["proved"] for name, each in config["pools"].items()} == {"gib": True, "named": False}
    assert (config["label"], config["on_fault"], config["evict"]) == ("pool", "quarantine", True)
    assert config["start_taint"] == {
        "key": "startup-taint.cluster-autoscaler.kubernetes.io/rdma-fabric",
        "value": "unproven",
        "effect": "NoSchedule",
    }
    assert config["proof_label"] == "rdma-cluster/fabric"
    assert sorted(config["conditions"]) == sorted(config["taints"])
    assert set(config["taints"].values()) == {"device", "node", "nothing"}


def test_a_sound_node():
    """As many GPUs and NICs as the catalogue has; of AMD's GPUs nothing is read, and NICs that pods hold are not on
    the host."""
    gib = watched(GIB)
    amd = watched(pool("amd", "Standard_ND96isr_MI300X_v5", "infiniband", NICS.allocation))
    bare = watched(pool("bare", "a3-highgpu-8g", "tcpx", NICS.allocation))

    # A ConnectX by its vendor alone.
    assert gib["nics"] == [["0x15b3", ""]]
    assert (gib["expected"]["gpus"], gib["expected"]["nics"], len(gib["expected"]["rails"])) == (8, 8, 8)
    assert gib["expected"]["on_host"] is True and gib["expected"]["xids"]["79"] == "GpuLost"
    assert (amd["expected"]["gpus"], amd["expected"]["nics"], amd["expected"]["xids"]) == (0, 8, {})
    assert (bare["expected"]["rails"], bare["expected"]["on_host"]) == ([], False)
    assert all(len(limit) == 4 for limit in gib["expected"]["limits"]) and gib["expected"]["limits"]


POLICIES = {
    **watcher_policies(True),
    "prover": marker_policy.spec("rdma-readiness", "rdma-prover", holds=True),
    "conditions": marker_policy.spec_of_status("rdma-readiness", "rdma-prover", "C"),
    "tests": own_tests("rdma-readiness", "rdma-prover"),
    "up": marker_policy.spec(),
}
_NODES = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"]}
RULES = {
    "rdma-fault-watcher-status": [{**_NODES, "resources": ["nodes/status"]}],
    "rdma-fault-watcher-events": [{**_NODES, "operations": ["CREATE"], "resources": ["events"]}],
    "rdma-fault-watcher-taints": [{**_NODES, "resources": ["nodes"]}],
    "rdma-fault-watcher-devices": [
        {
            "apiGroups": ["resource.k8s.io"],
            "apiVersions": ["*"],
            "operations": ["CREATE", "DELETE"],
            "resources": ["devicetaintrules"],
        }
    ],
    "prover": [{**_NODES, "resources": ["nodes"]}],
    "conditions": [{**_NODES, "resources": ["nodes/status"]}],
    "tests": [
        {"apiGroups": ["batch"], "apiVersions": ["*"], "operations": ["CREATE", "DELETE"], "resources": ["jobs"]},
        {
            "apiGroups": ["kubeflow.org"],
            "apiVersions": ["*"],
            "operations": ["CREATE", "DELETE"],
            "resources": ["mpijobs"],
        },
    ],
    "up": [{**_NODES, "resources": ["nodes"]}],
}


@pytest.mark.parametrize("name", RULES)
def test_whom_a_policy_holds_to_what(name: str):
    """One account by its name, at each such request; what a policy cannot judge is refused."""
    policy = POLICIES[name]
    account = {
        "up": "rdma-acceptance:nccl-marker",
        **dict.fromkeys(("prover", "conditions", "tests"), "rdma-readiness:rdma-prover"),
    }.get(name, "kube-system:rdma-fault-watcher")

    assert policy["matchConstraints"] == {"resourceRules": RULES[name]}
    assert policy["matchConditions"] == [
        {
            "name": account.partition(":")[2],
            "expression": f"request.userInfo.username == 'system:serviceaccount:{account}'",
        }
    ]
    assert policy["failurePolicy"] == "Fail"
    assert all(set(each) == {"expression", "message"} for each in policy["validations"])


def test_policies_that_there_are():
    """Who only observes has no right that two of them would hold; a binding denies."""
    assert list(POLICIES) == list(RULES)
    assert list(watcher_policies(False)) == ["rdma-fault-watcher-status", "rdma-fault-watcher-events"]
    assert marker_policy.BINDING == {"policyName": "rdma-acceptance-marker", "validationActions": ["Deny"]}


def test_the_policy_of_nodes_that_join():
    """It adds the taint to whatever taints there are, once, and keeps no node from joining."""
    taint = (
        "Object.spec.taints{key: 'startup-taint.cluster-autoscaler.kubernetes.io/rdma-fabric', value: 'unproven', "
        "effect: 'NoSchedule'}"
    )
    more = f"JSONPatch{{op: 'add', path: '/spec/taints/-', value: {taint}}}"
    whole = f"JSONPatch{{op: 'add', path: '/spec/taints', value: [{taint}]}}"

    assert registration_policy("l", ["a", "b"]) == {
        "failurePolicy": "Ignore",
        "reinvocationPolicy": "Never",
        "matchConstraints": {
            "resourceRules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["nodes"]}
            ]
        },
        "matchConditions": [
            {
                "name": "of-a-pool-that-is-proved",
                "expression": "object.metadata.?labels['l'].orValue('') in ['a', 'b']",
            },
            {
                "name": "not-tainted-yet",
                "expression": "!object.spec.?taints.orValue([]).exists(t, "
                "t.key == 'startup-taint.cluster-autoscaler.kubernetes.io/rdma-fabric')",
            },
        ],
        "mutations": [
            {"patchType": "JSONPatch", "jsonPatch": {"expression": f"has(object.spec.taints) ? [{more}] : [{whole}]"}}
        ],
    }
