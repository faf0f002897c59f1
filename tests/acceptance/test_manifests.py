"""The objects of a test, key by key: of four nodes with all that a test can have, and what is left out without it."""

import json
from dataclasses import replace
from typing import Any

import yaml
from rdma_cluster.catalog.machine import Source
from rdma_cluster.catalog.releases import NcclTests
from rdma_cluster.fabrics import FABRICS, PodPatch
from rdma_cluster.incluster.plan.acceptance import indexed_job, mpi_job
from rdma_cluster.incluster.plan.acceptance.pod import Measure
from rdma_cluster.incluster.plan.workload import Workload

IMAGE = NcclTests("my/tests:1", "amd64", "/tests", "/mpirun", "--mca x", Source("-", "2026-01-01"), "/sshd", 222)
PATCH = PodPatch(env={"NCCL_NET": "gIB"}, source="/env.sh", capabilities=("IPC_LOCK",), annotations={"nics": "all"})
FABRIC = replace(
    FABRICS["gib"], pod_patch=PATCH, acceptance=replace(FABRICS["gib"].acceptance, check_of_node="check-nics")
)
WORKLOAD = Workload(FABRIC, {"pool": "a"}, ("gpu", "present"), claim_templates=("whole", "more"))
FULL = Measure(
    pool="a",
    nodes=4,
    gpus=8,
    collective="all_reduce",
    also=("alltoall", "sendrecv"),
    most_bytes=1 << 33,
    waive=("nics", "gdr"),
    image=IMAGE,
    judge_image="python:3",
    workload=WORKLOAD,
    ready_seconds=900,
    pair_seconds=600,
    fabric_of_node="which-fabric",
    marks_nodes=True,
    nvlink=True,
    held=True,
    fingerprint="f00",
)
BARE = replace(
    FULL,
    nodes=2,
    also=(),
    waive=(),
    fabric_of_node="",
    workload=Workload(replace(FABRIC, pod_patch=PodPatch(), acceptance=FABRICS["gib"].acceptance), {"pool": "a"}),
    marks_nodes=False,
    nvlink=None,
    held=False,
    fingerprint="",
)
# A judge's time: 900 seconds until all pods answer, 60 to begin, and for each of two rounds of pairs three collectives
# of 630 seconds. The pods get 120 more, and those of the test 1000 before, in which they start.
MADE: dict[str, Any] = yaml.safe_load("""
labels: &labels {app.kubernetes.io/name: nccl-acceptance, rdma-cluster/pool: a}
metadata: &metadata {labels: *labels, annotations: {nics: all}}
alone: &alone
  podAntiAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
    - {labelSelector: {matchLabels: *labels}, topologyKey: kubernetes.io/hostname}
placed: &placed
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 5
  nodeSelector: {pool: a}
  tolerations:
  - {key: gpu, operator: Equal, value: present, effect: NoSchedule}
  - {key: rdma-cluster/fabric, operator: Exists, effect: NoSchedule}
  - {key: startup-taint.cluster-autoscaler.kubernetes.io/rdma-fabric, operator: Exists, effect: NoSchedule}
claims: &claims
- {name: fabric-0, resourceClaimTemplateName: whole}
- {name: fabric-1, resourceClaimTemplateName: more}
files: &files {name: files, configMap: {name: nccl-judge}}
node: &node {name: NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
commands: &commands
- *node
- {name: FABRIC_OF_NODE, value: which-fabric}
- {name: CHECK_OF_NODE, value: check-nics}
env: &env
- {name: NCCL_NET, value: gIB}
- {name: NODES, value: "4"}
- {name: GPUS, value: "8"}
- {name: COLLECTIVE, value: all_reduce}
- {name: MOST_BYTES, value: "8589934592"}
- {name: READY_SECONDS, value: "900"}
- {name: PAIR_SECONDS, value: "600"}
- {name: ROUNDS, value: "0,1 2,3\\n1,2 3,0"}
- {name: SOURCE, value: /env.sh}
- {name: TESTS, value: /tests}
- {name: MPIRUN, value: /mpirun}
- {name: MPI_ARGS, value: --mca x}
- {name: ALSO, value: alltoall sendrecv}
- {name: NVLINK, value: "1"}
- {name: SSH_PORT, value: "222"}
member: &member
  allowPrivilegeEscalation: false
  capabilities:
    drop: [ALL]
    add: [AUDIT_WRITE, IPC_LOCK, NET_BIND_SERVICE, SETGID, SETUID, SYS_CHROOT, SYS_NICE]
  seccompProfile: {type: RuntimeDefault}
confined: &confined
  runAsNonRoot: true
  runAsUser: 65534
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
  seccompProfile: {type: RuntimeDefault}
verdict: &verdict
  name: verdict
  image: python:3
  command: [sh, /opt/rdma-cluster/judge.sh, --waive, nics, --waive, gdr]
  env:
  - {name: SECONDS_IN_ALL, value: "4740"}
  - {name: MARK_NODES, value: proofs}
  - {name: FINGERPRINT, value: f00}
  - {name: WAIVED, value: nics gdr}
  resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {memory: 272Mi}}
  securityContext: *confined
  volumeMounts:
  - {name: files, mountPath: /opt/rdma-cluster}
  - {name: expect, mountPath: /expect}
  - {name: results, mountPath: /results, readOnly: true}
  - {name: credentials, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
volumes: &volumes
- {name: results, emptyDir: {}}
- *files
- {name: expect, configMap: {name: nccl-expect-a}}
- name: credentials
  projected:
    sources:
    - serviceAccountToken: {path: token, expirationSeconds: 3600}
    - configMap: {name: kube-root-ca.crt, items: [{key: ca.crt, path: ca.crt}]}

job:
  apiVersion: batch/v1
  kind: Job
  metadata:
    name: nccl-a
    namespace: rdma-acceptance
    labels: *labels
    annotations: {pulumi.com/replaceUnready: "true"}
  spec:
    completions: 4
    parallelism: 4
    completionMode: Indexed
    successPolicy: {rules: [{succeededIndexes: "0"}]}
    backoffLimit: 0
    activeDeadlineSeconds: 5860
    template:
      metadata: *metadata
      spec:
        <<: *placed
        resourceClaims: *claims
        affinity: *alone
        serviceAccountName: nccl-marker
        restartPolicy: Never
        subdomain: nccl-a
        volumes: *volumes
        containers:
        - name: test
          image: my/tests:1
          command: [bash, /opt/rdma-cluster/pod.sh]
          resources: {claims: [{name: fabric-0}, {name: fabric-1}]}
          securityContext: *member
          volumeMounts: [{name: files, mountPath: /opt/rdma-cluster}, {name: results, mountPath: /results}]
        - *verdict
service:
  apiVersion: v1
  kind: Service
  metadata: {name: nccl-a, namespace: rdma-acceptance, annotations: {pulumi.com/skipAwait: "true"}}
  spec: {clusterIP: None, publishNotReadyAddresses: true, selector: *labels}

mpi_job:
  apiVersion: kubeflow.org/v2beta1
  kind: MPIJob
  metadata: {name: nccl-a, namespace: rdma-acceptance, labels: *labels}
  spec:
    mpiImplementation: OpenMPI
    sshAuthMountPath: /root/.ssh
    slotsPerWorker: 8
    launcherCreationPolicy: WaitForWorkersReady
    runPolicy: {cleanPodPolicy: Running, backoffLimit: 0, activeDeadlineSeconds: 5460}
    mpiReplicaSpecs:
      Launcher:
        replicas: 1
        restartPolicy: Never
        template:
          metadata: {labels: {app.kubernetes.io/name: nccl-acceptance-launcher}}
          spec:
            <<: *placed
            serviceAccountName: nccl-marker
            volumes: *volumes
            containers:
            - name: test
              image: my/tests:1
              command: [bash, /opt/rdma-cluster/launcher.sh]
              resources: {requests: {cpu: 100m, memory: 64Mi}}
              securityContext:
                allowPrivilegeEscalation: false
                capabilities: {drop: [ALL]}
                seccompProfile: {type: RuntimeDefault}
              volumeMounts: [{name: files, mountPath: /opt/rdma-cluster}, {name: results, mountPath: /results}]
            - *verdict
      Worker:
        replicas: 4
        restartPolicy: Never
        template:
          metadata: *metadata
          spec:
            <<: *placed
            activeDeadlineSeconds: 6460
            resourceClaims: *claims
            affinity: *alone
            volumes: [*files]
            containers:
            - name: worker
              image: my/tests:1
              command: [bash, /opt/rdma-cluster/worker.sh]
              env:
              - {name: SSH_PORT, value: "222"}
              - *node
              - {name: FABRIC_OF_NODE, value: which-fabric}
              - {name: CHECK_OF_NODE, value: check-nics}
              resources: {claims: [{name: fabric-0}, {name: fabric-1}]}
              securityContext: *member
              volumeMounts: [{name: files, mountPath: /opt/rdma-cluster}]
watcher:
  apiVersion: batch/v1
  kind: Job
  metadata: {name: nccl-a, namespace: rdma-acceptance, annotations: {pulumi.com/replaceUnready: "true"}}
  spec:
    backoffLimit: 0
    activeDeadlineSeconds: 7120
    template:
      metadata: {labels: {app.kubernetes.io/name: nccl-watcher}}
      spec:
        restartPolicy: Never
        serviceAccountName: nccl-watcher
        enableServiceLinks: false
        volumes: [*files]
        containers:
        - name: watcher
          image: python:3
          command: [python3, /opt/rdma-cluster/run.py, watch-mpi-job]
          args: [--namespace, rdma-acceptance, --job, nccl-a, --seconds, "6520"]
          resources: {requests: {cpu: 10m, memory: 32Mi}, limits: {memory: 128Mi}}
          securityContext: *confined
          volumeMounts: [{name: files, mountPath: /opt/rdma-cluster}]
""")
_JOB_ENV = [{"name": "SUBDOMAIN", "value": "nccl-a"}, {"name": "DAEMON", "value": "/sshd"}]
MADE["job"]["spec"]["template"]["spec"]["containers"][0]["env"] = [*MADE["env"], *_JOB_ENV, *MADE["commands"]]
MADE["mpi_job"]["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]["env"] = [
    *MADE["env"],
    *MADE["commands"],
]


def plain(value: Any) -> Any:
    """As an API server gets it."""
    return json.loads(json.dumps(value))


def test_an_indexed_job():
    """Its first pod leads and is judged by a container of its own; the Service lets the pods find each other."""
    job = indexed_job.test_of(FULL, 1000)
    carried = indexed_job.carry(FULL, job)

    assert plain(job) == MADE["job"]
    assert (carried.job, carried.service, carried.mpi_job) == (job, MADE["service"], None)
    assert carried.log == (
        "kubectl --namespace rdma-acceptance logs --selector batch.kubernetes.io/job-name=nccl-a,"
        "batch.kubernetes.io/job-completion-index=0 --container verdict --tail=-1"
    )


def test_an_mpi_job():
    """Its launcher takes no device and leads; a watcher of the same name waits a minute longer, its Job ten more."""
    job = mpi_job.test_of(FULL, 1000)
    carried = mpi_job.carry(FULL, job)
    annotations = carried.job["spec"]["template"]["metadata"].pop("annotations")

    assert annotations.keys() == {"rdma-cluster/mpi-job"}
    assert plain(job) == MADE["mpi_job"]
    assert (plain(carried.job), carried.mpi_job, carried.service) == (MADE["watcher"], job, None)
    assert carried.log == "kubectl --namespace rdma-acceptance logs job/nccl-a-launcher --container verdict"
