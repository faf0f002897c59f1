"""A Job of a user's on a whole cluster: what it waits for, and what a unit test sees of the cluster."""

import sys
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
from pulumi_offline import preview
from pulumi_offline.testing import Mocks
from rdma_cluster.eks import EksRdmaCluster

GROUP = "aws:eks/nodeGroup:NodeGroup"


def program() -> pulumi.Output[Any]:
    """A cluster, and a Job that runs on its pool."""
    cluster = EksRdmaCluster(
        "train",
        {
            "region": "us-east-2",
            "zone": "us-east-2a",
            "network": {"control_plane_zones": ["us-east-2b"]},
            "kubernetes": {"admins": ["arn:aws:iam::111122223333:role/admin"]},
            "pools": [{"name": "p5", "machine": "p5.48xlarge", "nodes": 2, "capacity": {"spot": True}}],
        },
    )
    workload = cluster.workloads["p5"]
    spec: Any = {"nodeSelector": workload["nodeSelector"], "restartPolicy": "Never", "containers": [{"name": "a"}]}
    opts = pulumi.ResourceOptions(provider=cluster.provider)
    k8s.batch.v1.Job("mine", spec={"template": {"spec": spec}}, opts=opts)
    return cluster.workloads


if sys.argv[1] == "graph":
    by_urn = {each.urn: each for each in preview(program).resources}
    (job,) = (each for each in by_urn.values() if each.name == "mine")
    print("on", job.provider)
    print("knows", job.inputs["spec"]["template"]["spec"]["nodeSelector"])
    before, further = set(), {*job.dependencies}
    while further:
        before |= further
        further = {urn for each in further for urn in by_urn[each].dependencies} - before
    print("after", *sorted(urn.rpartition("$")[2] for urn in before))
else:
    mocks = Mocks()
    mocks.run(program)
    for token in (GROUP, "kubernetes:batch/v1:Job", GROUP.lower()):
        print(token, *sorted(each.name for each in mocks.of_type(token)))
