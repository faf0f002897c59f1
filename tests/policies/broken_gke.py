"""For each policy of a GKE graph, graphs of the GKE stack that break it."""

from . import claims, gke, in_cluster, tree
from .broken import Break, Data, put, the


def pool(data: Data) -> Data:
    """The GPU pool's inputs."""
    return the(data, ":NodePool", "gke-a4")["inputs"]


def pod(data: Data) -> Data:
    """The pod of the plugin's installer."""
    return the(data, ":DaemonSet", "gke-gib")["inputs"]["spec"]["template"]["spec"]


def devices(data: Data) -> Data:
    """The devices of the template of two pairs."""
    template = the(data, ":ResourceClaimTemplate", "gke-default-a4-highgpu-8g-pairs-2-rails-0-1")
    return template["inputs"]["spec"]["spec"]["devices"]


BREAKS: dict[str, list[Break]] = {
    "gke": [
        (in_cluster.gpu_nodes_are_tainted, lambda data: pool(data)["nodeConfig"].pop("taints")),
        (in_cluster.drivers_reach_their_nodes, lambda data: pod(data).pop("tolerations")),
        (
            in_cluster.drivers_reach_their_nodes,
            lambda data: put(pod(data), "tolerations", [{"key": "nvidia.com/gpu", "operator": "Equal", "value": "x"}]),
        ),
        (
            in_cluster.drivers_reach_their_nodes,
            lambda data: put(pod(data), "tolerations", [{"operator": "Exists", "effect": "NoExecute"}]),
        ),
        (in_cluster.drivers_reach_their_nodes, lambda data: pod(data).pop("affinity")),
        (in_cluster.drivers_reach_their_nodes, lambda data: put(pool(data), "name", "other")),
        (
            in_cluster.drivers_roll_in_waves,
            lambda data: (
                the(data, ":DaemonSet")["inputs"]["spec"]["updateStrategy"].pop("rollingUpdate")
                and put(pool(data), "nodeCount", 50)
            ),
        ),
        (
            in_cluster.drivers_roll_in_waves,
            lambda data: put(the(data, ":DaemonSet")["inputs"]["spec"], "updateStrategy", {"type": "OnDelete"}),
        ),
        (in_cluster.charts_are_pinned, lambda data: put(the(data, ":Release")["inputs"], "version", ">=0.4")),
        (in_cluster.charts_are_pinned, lambda data: the(data, ":Release")["inputs"].pop("version")),
        (in_cluster.charts_are_pinned, lambda data: the(data, ":Release")["inputs"].pop("namespace")),
        (in_cluster.charts_are_pinned, lambda data: the(data, ":Release")["inputs"].pop("timeout")),
        (in_cluster.charts_are_pinned, lambda data: put(the(data, ":Release")["inputs"], "atomic", True)),
        (in_cluster.charts_wait_long_enough, lambda data: put(pool(data), "nodeCount", 60)),
        (in_cluster.objects_are_on_the_cluster, lambda data: put(the(data, ":DeviceClass"), "provider", None)),
        (
            in_cluster.objects_are_on_the_cluster,
            lambda data: the(data, "pulumi:providers:kubernetes")["inputs"].pop("clusterIdentifier"),
        ),
        (
            in_cluster.objects_are_on_the_cluster,
            lambda data: put(
                the(data, "pulumi:providers:kubernetes")["inputs"], "clusterIdentifier", "[name of cluster]"
            ),
        ),
        (
            in_cluster.objects_are_on_the_cluster,
            lambda data: put(the(data, "pulumi:providers:kubernetes"), "parent", None),
        ),
        (
            in_cluster.objects_are_on_the_cluster,
            lambda data: data["resources"].append({**the(data, "pulumi:providers:kubernetes"), "urn": "a::b::c::d"}),
        ),
        (in_cluster.namespaces_come_first, lambda data: put(the(data, ":Release"), "dependencies", [])),
        (tree.parents_are_components, lambda data: put(the(data, ":Firewall"), "parent", None)),
        (tree.parents_are_components, lambda data: put(the(data, ":Firewall"), "parent", the(data, ":Network")["urn"])),
        (tree.no_default_provider, lambda data: put(the(data, ":Firewall"), "provider", None)),
        (tree.dependencies_exist, lambda data: put(the(data, ":Firewall"), "dependencies", ["a::b::c::d"])),
        (
            tree.dependencies_exist,
            lambda data: put(the(data, ":Network"), "dependencies", [each["urn"] for each in data["resources"]]),
        ),
        (
            tree.nothing_is_open_to_the_world,
            lambda data: the(data, ":Firewall")["inputs"]["sourceRanges"].append("0.0.0.0/0"),
        ),
        (tree.nothing_is_open_to_the_world, lambda data: the(data, ":Firewall")["inputs"].pop("sourceRanges")),
        (
            tree.nothing_is_open_to_the_world,
            lambda data: put(
                the(data, ":Cluster")["inputs"], "masterAuthorizedNetworksConfig", [{"cidr": "0.0.0.0/0"}]
            ),
        ),
        (
            tree.kubeconfigs_are_secret,
            lambda data: put(the(data, "pulumi:providers:kubernetes")["inputs"], "kubeconfig", "[kubeconfig]"),
        ),
        (tree.kubeconfigs_are_secret, lambda data: put(data["outputs"], "kubeconfig", "clusters: []")),
        (
            tree.kubeconfigs_are_secret,
            lambda data: put(the(data, ":Namespace")["inputs"]["metadata"], "annotations", {"a": "current-context: x"}),
        ),
        (
            tree.subnets_are_disjoint,
            lambda data: put(the(data, ":Subnetwork", "gke-rail-1")["inputs"], "ipCidrRange", "10.2.16.0/20"),
        ),
        (
            gke.subnets_hold_the_ceiling,
            lambda data: put(the(data, ":Subnetwork", "gke-rail-1")["inputs"], "ipCidrRange", "10.2.20.0/25"),
        ),
        (
            gke.subnets_hold_the_ceiling,
            lambda data: put(
                the(data, ":Subnetwork", "gke-primary")["inputs"]["secondaryIpRanges"][0], "ipCidrRange", "10.0.0.0/16"
            ),
        ),
        (gke.subnets_hold_the_ceiling, lambda data: put(the(data, ":GkeGpuNodePool")["inputs"], "nodes", 251)),
        (
            gke.rails_are_in_order,
            lambda data: pool(data)["networkConfig"]["additionalNodeNetworkConfigs"].insert(
                1, pool(data)["networkConfig"]["additionalNodeNetworkConfigs"].pop()
            ),
        ),
        (gke.rails_are_in_order, lambda data: pool(data)["networkConfig"]["additionalNodeNetworkConfigs"].pop()),
        (gke.rails_are_in_order, lambda data: pool(data)["networkConfig"].pop("additionalNodeNetworkConfigs")),
        (
            gke.gpus_have_one_owner,
            lambda data: put(
                pool(data)["nodeConfig"]["guestAccelerators"][0]["gpuDriverInstallationConfig"],
                "gpuDriverVersion",
                "DEFAULT",
            ),
        ),
        (gke.gpus_have_one_owner, lambda data: pool(data)["nodeConfig"]["labels"].pop("nvidia.com/gpu.present")),
        (
            gke.gpus_have_one_owner,
            lambda data: put(the(data, ":GkeGpuNodePool")["inputs"], "gpuAllocation", "device-plugin"),
        ),
        (
            gke.kernel_driver_has_one_owner,
            lambda data: data["resources"].remove(the(data, ":DaemonSet", "gke-kernel")),
        ),
        (
            tree.reserved_capacity_is_freed_first,
            lambda data: the(data, ":NodePool", "gke-a4")["options"].pop("deleteBeforeReplace"),
        ),
        (gke.capacity_has_one_source, lambda data: put(pool(data)["nodeConfig"], "spot", True)),
        (
            gke.capacity_has_one_source,
            lambda data: (
                pool(data)["nodeConfig"].pop("reservationAffinity") and put(pool(data)["nodeConfig"], "flexStart", True)
            ),
        ),
        (gke.nodes_have_no_public_address, lambda data: pool(data)["networkConfig"].pop("enablePrivateNodes")),
        (
            gke.nodes_have_no_public_address,
            lambda data: the(data, ":Cluster")["inputs"]["privateClusterConfig"].pop("enablePrivateEndpoint"),
        ),
        (in_cluster.drivers_leave_before_their_nodes, lambda data: put(the(data, ":DraDrivers"), "dependencies", [])),
        (claims.pairs_have_their_own_constraint, lambda data: devices(data)["constraints"].pop()),
        (claims.pairs_have_their_own_constraint, lambda data: devices(data).pop("constraints")),
        (
            claims.pairs_have_their_own_constraint,
            lambda data: devices(data)["constraints"].append({"matchAttribute": claims.PCIE_ROOT}),
        ),
        (
            claims.pairs_have_their_own_constraint,
            lambda data: devices(data)["constraints"].append(
                {"matchAttribute": claims.PCIE_ROOT, "requests": ["gpu-0", "nic-1"]}
            ),
        ),
        (
            claims.pairs_have_their_own_constraint,
            lambda data: devices(data)["constraints"].append(
                {"matchAttribute": claims.PCIE_ROOT, "requests": ["gpu-7", "nic-7"]}
            ),
        ),
        (
            claims.attributes_are_read_with_care,
            lambda data: put(
                devices(data)["requests"][1]["exactly"]["selectors"][0]["cel"],
                "expression",
                'device.attributes["dra.net"].rdma',
            ),
        ),
        (claims.device_classes_exist, lambda data: data["resources"].remove(the(data, ":DeviceClass"))),
        (claims.device_classes_exist, lambda data: data["resources"].remove(the(data, ":Release", "gke-gpu"))),
        (
            claims.workloads_name_templates_that_exist,
            lambda data: data["resources"].remove(the(data, ":ResourceClaimTemplate")),
        ),
        (
            claims.workloads_name_templates_that_exist,
            lambda data: data["outputs"]["workloads"]["a4"]["claimTemplates"].clear(),
        ),
    ]
}
