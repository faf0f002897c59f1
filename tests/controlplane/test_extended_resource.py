"""On pools whose GPUs are handed out by claims, a pod that asks for `nvidia.com/gpu` is served, too, from 1.36 on.

NVIDIA's chart says so in its DeviceClass (dra-driver-nvidia-gpu@v0.5.0 deployments/helm/dra-driver-nvidia-gpu/
templates/deviceclass-gpu.yaml: `extendedResourceName: nvidia.com/gpu`), and the gate DRAExtendedResource is on from
1.36 on (kubernetes@v1.36.3 pkg/features/kube_features.go; a beta there, stable in 1.37).
"""

import pytest
from rdma_cluster.catalog import machines
from rdma_cluster.claims import Target
from rdma_cluster.claims.slices import resource_slices
from rdma_cluster.fabrics import FABRICS, Claims
from rdma_cluster.injection import inject
from rdma_cluster.injection.device_requests import GPU
from .api import Object
from .cluster import RESOURCE_API, Cluster, allocation
from .injected import BETA, planned, pod_for, pool_of
from .scenarios import device_classes

pytestmark = pytest.mark.skipif(BETA, reason="the gate is off before Kubernetes 1.36")
A4 = next(each for each in machines() if each.name == "a4-highgpu-8g")


def plain(name: str, gpus: int) -> Object:
    """A pod that asks for GPUs alone, as whoever knows nothing of claims."""
    pod = pod_for(A4, gpus, name)
    del pod["metadata"]["annotations"]
    return pod


def test_whoever_asks_for_a_resource_is_served(cluster: Cluster):
    """By devices of the same node, never by those that a claim holds, and a claim never gets theirs."""
    pool, templates = pool_of("gib", A4.name, cluster.namespace)
    nic_attachment = FABRICS["gib"].nic_attachment
    assert isinstance(nic_attachment, Claims)
    target = Target(nic_attachment, pool.allocation)
    cluster.add_node("gpu-0", {"node.kubernetes.io/instance-type": A4.name})
    cluster.create_all([each.manifest() for each in resource_slices(A4, target, "gpu-0")])
    for each in device_classes([target]):
        if each["metadata"]["name"] == target.gpu_class:
            each["spec"]["extendedResourceName"] = GPU
        cluster.create(each)
    for template in templates:
        cluster.apply(template)

    assert cluster.schedule(plain("all", 8)).node == "gpu-0"
    (claim,) = claims(cluster)
    assert sum(map(len, allocation(claim).values())) == 8
    assert cluster.schedule(plain("one-more", 1)).node is None

    api, plan = cluster.api, planned("gib", [A4.name], cluster.namespace)
    api.delete_all("v1", "Pod", cluster.namespace)
    held = claims(cluster)
    api.delete_all(RESOURCE_API, "ResourceClaim", cluster.namespace)
    for each in held:  # a controller takes its finalizer away, in its own time
        api.wait(each, lambda it: it is None or None, 60)
    half = inject(pod_for(A4, 4, "injected"), plan.patterns, plan.scope).pod
    assert cluster.schedule(half).node == "gpu-0"
    assert cluster.schedule(plain("beside", 4)).node == "gpu-0"
    assert cluster.schedule(plain("too-many", 1)).node is None


def claims(cluster: Cluster) -> list[Object]:
    """Return the claims of the test's namespace."""
    return cluster.api.objects(RESOURCE_API, "ResourceClaim", cluster.namespace)
