"""The objects of a cluster that sends jobs to others, and what it may do there."""

from typing import Any

from rdma_cluster.incluster.addons.queues.args import DispatchKind
from rdma_cluster.incluster.addons.queues.dispatch import cluster_queue_of, secret_name, target_of
from rdma_cluster.incluster.addons.queues.worker import rights
from tests.incluster.test_queue_objects import NAMESPACES, manifest, planned

SENT: Any = {
    "manager": "lab",
    "clusters": [{"name": "google", "stack": "a/b/c"}, {"name": "amazon", "stack": "d"}],
    "queues": {"train": ["google", "amazon"], "infer": ["amazon"]},
}


def test_the_objects_of_a_manager():
    """A flavor of all that runs elsewhere, each cluster by its Secret, and for each queue its clusters and a check."""
    made = planned(dispatch=SENT).dispatch
    assert made is not None

    assert made.stages == (
        (
            manifest("{kind: ResourceFlavor, metadata: {name: dispatched}, spec: {}}"),
            *(
                manifest(f"""
                    kind: MultiKueueCluster
                    metadata: {{name: {name}}}
                    spec: {{clusterSource: {{kubeConfig: {{locationType: Secret, location: dispatch-{name}}}}}}}
                    """)
                for name in ("google", "amazon")
            ),
        ),
        (
            manifest("""
                kind: MultiKueueConfig
                metadata: {name: dispatch-train}
                spec: {clusters: [google, amazon]}
                """),
            manifest("{kind: MultiKueueConfig, metadata: {name: dispatch-infer}, spec: {clusters: [amazon]}}"),
        ),
        tuple(
            manifest(f"""
                kind: AdmissionCheck
                metadata: {{name: dispatch-{name}}}
                spec:
                  controllerName: kueue.x-k8s.io/multikueue
                  parameters: {{apiGroup: kueue.x-k8s.io, kind: MultiKueueConfig, name: dispatch-{name}}}
                """)
            for name in ("train", "infer")
        ),
    )
    assert made.local_queues == tuple(
        manifest(f"""
            kind: LocalQueue
            metadata: {{name: {name}, namespace: {namespace}}}
            spec: {{clusterQueue: {name}}}
            """)
        for namespace in ("default", "team")
        for name in ("train", "infer")
    )
    assert (made.clusters, made.queues) == (("google", "amazon"), {"train": ("google", "amazon"), "infer": ("amazon",)})
    assert (made.namespaces, made.frameworks) == (("default", "team"), ("batch/job", "jobset.x-k8s.io/jobset"))
    assert made.configuration == {"origin": "lab", "workerLostTimeout": "15m"}
    assert secret_name("google") == "dispatch-google"


def test_a_queue_whose_jobs_run_elsewhere():
    """It counts GPUs alone, and lets a job go when another cluster admits it."""
    assert cluster_queue_of("train", ["default", "team"], "48") == manifest(f"""
        kind: ClusterQueue
        metadata: {{name: train}}
        spec:
          namespaceSelector: {NAMESPACES}
          queueingStrategy: BestEffortFIFO
          resourceGroups:
          - coveredResources: [nvidia.com/gpu]
            flavors: [{{name: dispatched, resources: [{{name: nvidia.com/gpu, nominalQuota: "48"}}]}}]
          admissionChecksStrategy: {{admissionChecks: [{{name: dispatch-train}}]}}
        """)


def test_what_a_cluster_tells_its_manager():
    """A kubeconfig, and GPUs by queue."""
    assert target_of('{"kubeconfig": "{}", "gpus": {"train": "8"}}') == ("{}", {"train": 8})


def test_a_managers_rights():
    """It watches everywhere what Kueue watches, and makes and deletes jobs where they are; no job is changed."""
    everywhere, within = rights([DispatchKind.MPIJOB])

    assert everywhere == (
        {"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads"], "verbs": ["list", "watch"]},
        {"apiGroups": ["kubeflow.org"], "resources": ["mpijobs"], "verbs": ["watch"]},
    )
    assert within == (
        {"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads"], "verbs": ["create", "delete", "get", "update"]},
        {"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads/status"], "verbs": ["patch"]},
        {"apiGroups": ["kubeflow.org"], "resources": ["mpijobs"], "verbs": ["create", "delete", "get"]},
    )
