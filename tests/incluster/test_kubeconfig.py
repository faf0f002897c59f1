"""Kubeconfigs name a command for a token and hold none."""

import json
from typing import Any

from rdma_cluster.offline import preview


def kubeconfig_of(cluster: Any, args: dict[str, Any]) -> dict[str, Any]:
    """What a cluster's kubeconfig says, which graphs show as secret."""
    texts: list[str] = []

    def program() -> None:
        cluster("c", args).kubeconfig.apply(texts.append)

    preview(program)
    return json.loads(texts[0])


def test_gke():
    """Google's plugin, told of the cluster; a DNS endpoint's certificate is public."""
    from rdma_cluster.gke import GkeRdmaCluster

    pool = {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"spot": True}}
    said = kubeconfig_of(GkeRdmaCluster, {"project": "p", "zone": "us-west8-c", "pools": [pool]})

    user = said["users"][0]["user"]
    assert list(user) == ["exec"]
    assert user["exec"]["command"] == "gke-gcloud-auth-plugin"
    assert user["exec"]["provideClusterInfo"] is True
    assert list(said["clusters"][0]["cluster"]) == ["server"]
    assert said["clusters"][0]["cluster"]["server"].startswith("https://")


def test_eks():
    """The AWS CLI, for this region and cluster; the certificate is the cluster's own."""
    from rdma_cluster.eks import EksRdmaCluster

    pool = {"name": "p5", "machine": "p5.48xlarge", "nodes": 2, "capacity": {"spot": True}}
    args = {
        "region": "us-east-2",
        "zone": "us-east-2a",
        "network": {"control_plane_zones": ["us-east-2b"]},
        "kubernetes": {"admins": ["arn:aws:iam::111122223333:role/admin"]},
        "pools": [pool],
    }
    said = kubeconfig_of(EksRdmaCluster, args)

    user = said["users"][0]["user"]
    assert list(user) == ["exec"]
    assert user["exec"]["command"] == "aws"
    expected = ["eks", "get-token", "--region", "us-east-2", "--cluster-name", "c", "--output", "json"]
    assert user["exec"]["args"] == expected
    assert sorted(said["clusters"][0]["cluster"]) == ["certificate-authority-data", "server"]
