"""Each resource of a pool whole: what Oracle's API is told, what the engine is told, and what it comes after."""

from functools import cache
from typing import Any

import pytest
from pulumi_offline import Graph
from rdma_cluster.oke.launch import AGENT
from tests.oke.plans import CLUSTER, COMPARTMENT, FABRIC, POOL, RACKS, TENANCY, ZONE, built, made, pool_plan

IMAGE, HOSTS, KEY = "ocid1.image.oc1..a", "ocid1.computehostgroup.oc1..a", "ssh-ed25519 AAAA me"
COMPUTE_CLUSTER = "[id of oci:Core/computeCluster:ComputeCluster oke]"
TEMPLATE = "[id of oci:Core/instanceConfiguration:InstanceConfiguration oke]"
FIRST: dict[str, Any] = {
    "customTimeouts": {"create": "122m", "update": "122m", "delete": "2h"},
    "deleteBeforeReplace": True,
    "replacementTrigger": CLUSTER,
}
"""The old nodes hold the hosts; another cluster needs other nodes."""
CHOICES: dict[str, dict[str, Any]] = {
    "managed": {"image_id": IMAGE, "ssh_public_key": KEY, "placement": {"host_group": HOSTS}},
    "network": {"mode": "cluster-network", "image_id": IMAGE, "ssh_public_key": KEY, "dual_stack": True},
    "instances": {"mode": "instances", "image": {"id": IMAGE}, "placement": {"host_group": HOSTS}},
    "flannel": {
        "mode": "instances",
        "image_id": IMAGE,
        "cni": "flannel",
        "boot_volume": {"gb": 100, "vpus_per_gb": 20},
    },
    "racks": {**RACKS, "image_id": IMAGE},
    "imported": {"placement": {"spread": "packed"}},
}


@cache
def pool(choice: str) -> Graph:
    """What a pool of one of these choices makes."""
    return built("OkeGpuNodePool", {**POOL, **CHOICES[choice]})


def metadata(choice: str, *left_out: str, **more: str) -> dict[str, Any]:
    """What a self-managed node reads about its cluster, by the keys of Oracle's bootstrap."""
    usual = {
        "apiserver_host": "10.140.0.2",
        "cluster_ca_cert": "eA==",
        "oke-k8version": "v1.36.1",
        "oke-kubeproxy-proxy-mode": "ipvs",
        "oke-tenancy-id": TENANCY,
        "oke-initial-node-labels": "rdma-cluster/pool=h100,oci.oraclecloud.com/disable-gpu-device-plugin=false",
        "oke-native-pod-networking": "true",
        "oke-max-pods": "64",
        "pod-subnets": "ocid1.subnet.oc1..pods",
        "pod-nsgids": "pg",
        "user_data": pool_plan(**CHOICES[choice]).user_data,
        **more,
    }
    return {key: value for key, value in usual.items() if key not in left_out}


def test_agent():
    """Nothing of it is off, the two plugins of RDMA are on, and what restarts or updates a host is not."""
    assert {key: AGENT[key] for key in AGENT if key != "plugins_configs"} == {
        "are_all_plugins_disabled": False,
        "is_management_disabled": False,
        "is_monitoring_disabled": False,
    }
    assert {each["name"]: each["desired_state"] for each in AGENT["plugins_configs"]} == {
        "Compute HPC RDMA Authentication": "ENABLED",
        "Compute HPC RDMA Auto-Configuration": "ENABLED",
        "Compute RDMA GPU Monitoring": "ENABLED",
        "Compute Instance Monitoring": "ENABLED",
        "Compute Instance Run Command": "ENABLED",
        "Custom Logs Monitoring": "ENABLED",
        "Management Agent": "ENABLED",
        "Bastion": "DISABLED",
        "Block Volume Management": "DISABLED",
        "Oracle Autonomous Linux": "DISABLED",
        "OS Management Service Agent": "DISABLED",
    }


def test_managed_pool():
    """A node pool of OKE in a compute cluster, on its host group."""
    inputs, options, after = made(pool("managed"), "NodePool", "oke")

    assert inputs == {
        "name": "h100",
        "compartmentId": COMPARTMENT,
        "clusterId": CLUSTER,
        "kubernetesVersion": "v1.36.1",
        "nodeShape": "BM.GPU.H100.8",
        "nodeSourceDetails": {"sourceType": "IMAGE", "imageId": IMAGE, "bootVolumeSizeInGbs": "512"},
        "nodeConfigDetails": {
            "size": 2,
            "computeClusterId": COMPUTE_CLUSTER,
            "placementConfigs": [{"availabilityDomain": ZONE, "subnetId": "w", "hostGroupId": HOSTS}],
            "nsgIds": ["wg"],
            "nodePoolPodNetworkOptionDetails": {
                "cniType": "OCI_VCN_IP_NATIVE",
                "maxPodsPerNode": 64,
                "podSubnetIds": ["ocid1.subnet.oc1..pods"],
                "podNsgIds": ["pg"],
            },
        },
        "initialNodeLabels": [
            {"key": "rdma-cluster/pool", "value": "h100"},
            {"key": "oci.oraclecloud.com/disable-gpu-device-plugin", "value": "false"},
        ],
        "nodeMetadata": {
            "apiserver_host": "10.140.0.2",
            "oke-kubeproxy-proxy-mode": "ipvs",
            "areLegacyImdsEndpointsDisabled": "true",
            "user_data": pool_plan(**CHOICES["managed"]).user_data,
        },
        "sshPublicKey": KEY,
    }
    assert (options, after) == (FIRST, {"ComputeCluster oke"})


@pytest.mark.parametrize(
    ("choice", "constraint"),
    [
        ("managed", None),
        ("imported", {"type": "COMPUTE_CLUSTER", "logicalPlacementConstraint": "PACKED_DISTRIBUTION_MULTI_BLOCK"}),
    ],
)
def test_compute_cluster(choice: str, constraint: dict[str, str] | None):
    """In the pool's domain, and constrained where something is asked for."""
    inputs, options, after = made(pool(choice), "ComputeCluster", "oke")
    placed = {} if constraint is None else {"placementConstraintDetails": constraint}

    assert inputs == {"compartmentId": COMPARTMENT, "availabilityDomain": ZONE, "displayName": "oke", **placed}
    assert (options, after) == ({}, set())


def test_cluster_network():
    """One instance pool, whose nodes get addresses of both families."""
    inputs, options, after = made(pool("network"), "ClusterNetwork", "oke")

    assert inputs == {
        "compartmentId": COMPARTMENT,
        "displayName": "oke",
        "instancePools": [{"instanceConfigurationId": TEMPLATE, "size": 2, "displayName": "h100"}],
        "placementConfiguration": {
            "availabilityDomain": ZONE,
            "primaryVnicSubnets": {"subnetId": "w", "isAssignIpv6ip": True},
        },
    }
    assert (options, after) == (FIRST, {"InstanceConfiguration oke"})


def test_template():
    """Of a node that joins by itself: a changed one is another resource, called by what a node does first."""
    plan = pool_plan(**CHOICES["network"])
    inputs, options, after = made(pool("network"), "InstanceConfiguration", "oke")
    launch = inputs["instanceDetails"].pop("launchDetails")

    assert inputs == {
        "compartmentId": COMPARTMENT,
        "displayName": f"oke-{plan.boot_digest}",
        "instanceDetails": {"instanceType": "compute"},
    }
    agent = launch.pop("agentConfig")
    assert launch == {
        "availabilityDomain": ZONE,
        "compartmentId": COMPARTMENT,
        "shape": "BM.GPU.H100.8",
        "createVnicDetails": {
            "subnetId": "w",
            "nsgIds": ["wg"],
            "assignPublicIp": False,
            "assignIpv6ip": True,
            "assignPrivateDnsRecord": True,
        },
        "instanceOptions": {"areLegacyImdsEndpointsDisabled": True},
        "metadata": metadata("network", **{"ssh_authorized_keys": KEY, "ip-families": "IPv4,IPv6"}),
        "sourceDetails": {
            "sourceType": "image",
            "imageId": IMAGE,
            "bootVolumeSizeInGbs": "512",
            "bootVolumeVpusPerGb": "10",
        },
    }
    assert len(agent["pluginsConfigs"]) == 11 and agent["isMonitoringDisabled"] is False
    assert (options, after) == ({}, set())


def test_instance():
    """One by one in a compute cluster, on its host group; its disk goes with it."""
    inputs, options, after = made(pool("instances"), "Instance", "oke-1")
    agent = inputs.pop("agentConfig")

    assert inputs == {
        "availabilityDomain": ZONE,
        "compartmentId": COMPARTMENT,
        "shape": "BM.GPU.H100.8",
        "displayName": "oke-1",
        "computeClusterId": COMPUTE_CLUSTER,
        "createVnicDetails": {
            "subnetId": "w",
            "nsgIds": ["wg"],
            "assignPublicIp": "false",
            "assignPrivateDnsRecord": True,
        },
        "instanceOptions": {"areLegacyImdsEndpointsDisabled": True},
        "metadata": metadata("instances"),
        "placementConstraintDetails": {"type": "HOST_GROUP", "computeHostGroupId": HOSTS},
        "preserveBootVolume": False,
        "sourceDetails": {
            "sourceType": "image",
            "sourceId": IMAGE,
            "bootVolumeSizeInGbs": "512",
            "bootVolumeVpusPerGb": "10",
        },
    }
    assert len(agent["pluginsConfigs"]) == 11
    assert options == {**FIRST, "ignoreChanges": ["agentConfig", "metadata", "sourceDetails.sourceId"]}
    assert after == {"ComputeCluster oke"}


def test_instance_with_flannel():
    """It is told nothing of pods, and its disk is as large and as fast as is asked for."""
    inputs, _, _ = made(pool("flannel"), "Instance", "oke-0")
    of_pods = ("oke-native-pod-networking", "oke-max-pods", "pod-subnets", "pod-nsgids")

    assert inputs["metadata"] == metadata("flannel", *of_pods)
    assert inputs["sourceDetails"] == {
        "sourceType": "image",
        "sourceId": IMAGE,
        "bootVolumeSizeInGbs": "100",
        "bootVolumeVpusPerGb": "20",
    }
    assert "placementConstraintDetails" not in inputs


@pytest.mark.parametrize("number", [1, 2])
def test_rack(number: int):
    """A GPU memory cluster of each fabric, by the end of its OCID, which counts its hosts itself."""
    inputs, options, after = made(pool("racks"), "ComputeGpuMemoryCluster", f"oke-aaaexample{number}")

    assert inputs == {
        "compartmentId": COMPARTMENT,
        "availabilityDomain": ZONE,
        "computeClusterId": COMPUTE_CLUSTER,
        "instanceConfigurationId": TEMPLATE,
        "gpuMemoryFabricId": FABRIC.format(number),
        "displayName": f"h100-aaaexample{number}",
        "gpuMemoryClusterScaleConfig": {"isUpsizeEnabled": True, "isDownsizeEnabled": True, "targetSize": "18"},
    }
    timeouts = {"customTimeouts": {"create": "156m", "update": "156m", "delete": "2h"}}
    assert options == {**FIRST, **timeouts, "ignoreChanges": ["size"]}
    assert after == {"ComputeCluster oke", "InstanceConfiguration oke"}


def test_pool_with_an_image_of_its_own():
    """Which it imports under its name and the image's, and waits for."""
    graph = pool("imported")
    inputs, _, after = made(graph, "NodePool", "oke")
    image = graph.one("oci:Core/image:Image", "oke-ubuntu-24.04-595")

    assert inputs["nodeSourceDetails"]["imageId"] == "[id of oci:Core/image:Image oke-ubuntu-24.04-595]"
    assert after >= {"Image oke-ubuntu-24.04-595", "ShapeManagement oke-ubuntu-24.04-595-BM.GPU.H100.8"}
    assert image.inputs["displayName"] == "ubuntu-24.04-595"
    assert "hostGroupId" not in inputs["nodeConfigDetails"]["placementConfigs"][0]
    assert "sshPublicKey" not in inputs


@pytest.mark.parametrize(("choice", "cluster"), [("racks", "ComputeCluster"), ("network", "")])
def test_outputs(choice: str, cluster: str):
    """The pool's label, and its compute cluster where it has one."""
    component = pool(choice).one("rdma-cluster:index:OkeGpuNodePool", "oke")

    assert component.outputs == {"name": "h100", "computeCluster": COMPUTE_CLUSTER if cluster else ""}
