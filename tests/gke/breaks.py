"""Graphs of the GKE stack that break a policy each; those of all clouds are broken in `tests.policies.common`, too."""

from tests.policies import claims, in_cluster, pods, tree
from tests.policies.breaking import Break, Data, put, the
from . import policies


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


def addons(data: Data) -> Data:
    """The cluster's add-ons."""
    return the(data, "/cluster:Cluster")["inputs"]["addonsConfig"]


def bucket(data: Data) -> Data:
    """The bucket that a stack keeps its data in."""
    return the(data, ":Bucket")


def proof(data: Data) -> Data:
    """The pods of A3 Mega's acceptance test."""
    return the(data, ":Job", "gke-a3-mega-a3-mega")["inputs"]["spec"]["template"]


def second_network(data: Data) -> Data:
    """What A3 Mega's pods call vpc2."""
    return the(data, ":GKENetworkParamSet", "gke-a3-mega-vpc2")["inputs"]["spec"]


def asapd(data: Data) -> Data:
    """The pod of the daemon of bare-metal NICs."""
    return the(data, ":DaemonSet", "gke-a4x-gib-metal-asapd-lite")["inputs"]["spec"]["template"]["spec"]


MEGA: list[Break] = [
    (
        policies.pod_networks_stand_for_the_nodes_networks,
        lambda data: data["resources"].remove(the(data, "networking.gke.io/v1:Network")),
    ),
    (
        policies.pod_networks_stand_for_the_nodes_networks,
        lambda data: put(second_network(data), "vpcSubnet", "gke-a3-mega-rail-0"),
    ),
    (
        policies.pod_networks_stand_for_the_nodes_networks,
        lambda data: put(
            proof(data)["metadata"]["annotations"],
            "networking.gke.io/interfaces",
            '[{"interfaceName": "eth0", "network": "default"}]',
        ),
    ),
    (policies.nodes_come_after_their_networks, lambda data: put(the(data, ":GkeGpuNodePool"), "dependencies", [])),
    (policies.sidecars_get_their_devices, lambda data: proof(data)["spec"].pop("initContainers")),
    (
        policies.sidecars_get_their_devices,
        lambda data: data["resources"].remove(the(data, ":DaemonSet", "gke-a3-mega-tcpxo-nri-device-injector")),
    ),
    (
        policies.gvnic_rails_have_one_packet_size,
        lambda data: the(data, "compute/network:Network", "gke-a3-mega-primary")["inputs"].pop("mtu"),
    ),
    (
        policies.rails_are_in_order,
        lambda data: the(data, ":NodePool", "gke-a3-mega-a3-mega")["inputs"]["networkConfig"][
            "additionalNodeNetworkConfigs"
        ].append({"network": "ninth", "subnetwork": "ninth"}),
    ),
    (policies.gpus_have_one_owner, lambda data: put(the(data, ":GkeGpuNodePool")["inputs"], "gpuAllocation", "dra")),
    (pods.volumes_and_mounts_agree, lambda data: proof(data)["spec"]["volumes"].pop()),
    (
        pods.only_installers_are_privileged,
        lambda data: put(proof(data)["spec"]["containers"][0]["securityContext"], "privileged", True),
    ),
]

RACKS: list[Break] = [
    (
        policies.racks_are_one_domain,
        lambda data: data["resources"].remove(the(data, ":ResourcePolicy", "gke-a4x-rack-2")),
    ),
    (
        policies.racks_are_one_domain,
        lambda data: put(
            the(data, ":NodePool", "gke-a4x-rack-2")["inputs"]["placementPolicy"], "policyName", "gke-a4x-rack-1"
        ),
    ),
    (
        policies.racks_are_one_domain,
        lambda data: put(the(data, ":ResourcePolicy")["inputs"]["workloadPolicy"], "acceleratorTopology", "1x36"),
    ),
    (
        policies.racks_are_one_domain,
        lambda data: put(the(data, ":NodePool", "gke-a4x-rack-1")["inputs"], "nodeCount", 20),
    ),
]

METAL: list[Break] = [
    *(
        (policies.hosts_are_worked_on_as_google_does, lambda data, change=change: change(asapd(data)))
        for change in (
            lambda daemon: put(daemon["containers"][0]["env"][0], "value", "/asapd-lite"),
            lambda daemon: put(daemon["containers"][0]["securityContext"], "privileged", False),
            lambda daemon: put(daemon["containers"][0]["readinessProbe"]["httpGet"], "port", 80),
            lambda daemon: put(daemon["volumes"][0]["hostPath"], "path", "/sys/class"),
            lambda daemon: daemon.pop("hostPID"),
        )
    ),
    (policies.bare_metal_can_join, lambda data: put(the(data, ":Cluster")["inputs"], "enableShieldedNodes", True)),
    (
        policies.bare_metal_can_join,
        lambda data: the(data, ":NodePool", "gke-a4x-metal")["inputs"]["nodeConfig"].pop("linuxNodeConfig"),
    ),
    (
        policies.bare_metal_can_join,
        lambda data: data["resources"].remove(the(data, ":DaemonSet", "gke-a4x-gib-metal-asapd-lite")),
    ),
    (
        policies.rails_are_in_order,
        lambda data: the(data, ":NodePool", "gke-a4x-metal")["inputs"]["networkConfig"][
            "additionalNodeNetworkConfigs"
        ].pop(),
    ),
]

BREAKS: dict[str, list[Break]] = {
    "queued, beside a pool of the autoscaler's": [
        (policies.capacity_has_one_source, lambda data: pool(data)["nodeConfig"].pop("reservationAffinity")),
        (policies.capacity_has_one_source, lambda data: put(pool(data), "nodeCount", 2)),
    ],
    "gke-a4x": RACKS,
    "bare metal": METAL,
    "networks by name": [
        (
            policies.pod_networks_stand_for_the_nodes_networks,
            lambda data: put(
                the(data, ":GKENetworkParamSet", "gke-rdma-3")["inputs"]["spec"], "deviceMode", "NetDevice"
            ),
        )
    ],
    "networks by GKE": [
        (
            policies.rails_are_in_order,
            lambda data: the(data, ":NodePool", "gke-a4")["inputs"]["networkConfig"].pop("acceleratorNetworkProfile"),
        )
    ],
    "gke-a3-mega": MEGA,
    "gke": [
        (
            policies.counts_of_an_autoscaler_are_its_own,
            lambda data: the(data, ":NodePool", "gke-system")["options"]["ignoreChanges"].remove("nodeCount"),
        ),
        (
            policies.counts_of_an_autoscaler_are_its_own,
            lambda data: put(
                the(data, ":NodePool", "gke-a4")["options"], "ignoreChanges", ["nodeCount", "initialNodeCount"]
            ),
        ),
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
        (in_cluster.charts_wait_long_enough, lambda data: put(pool(data), "nodeCount", 60)),
        (
            tree.nothing_is_open_to_the_world,
            lambda data: the(data, ":Firewall")["inputs"]["sourceRanges"].append("0.0.0.0/0"),
        ),
        (policies.firewalls_name_their_sources, lambda data: the(data, ":Firewall")["inputs"].pop("sourceRanges")),
        (
            tree.nothing_is_open_to_the_world,
            lambda data: put(
                the(data, ":Cluster")["inputs"], "masterAuthorizedNetworksConfig", [{"cidr": "0.0.0.0/0"}]
            ),
        ),
        (
            tree.subnets_are_disjoint,
            lambda data: put(the(data, ":Subnetwork", "gke-rail-1")["inputs"], "ipCidrRange", "10.2.16.0/20"),
        ),
        (
            policies.subnets_hold_the_ceiling,
            lambda data: put(the(data, ":Subnetwork", "gke-rail-1")["inputs"], "ipCidrRange", "10.2.20.0/25"),
        ),
        (
            policies.subnets_hold_the_ceiling,
            lambda data: put(
                the(data, ":Subnetwork", "gke-primary")["inputs"]["secondaryIpRanges"][0], "ipCidrRange", "10.0.0.0/16"
            ),
        ),
        (policies.subnets_hold_the_ceiling, lambda data: put(the(data, ":GkeGpuNodePool")["inputs"], "nodes", 251)),
        (
            policies.rails_are_in_order,
            lambda data: pool(data)["networkConfig"]["additionalNodeNetworkConfigs"].insert(
                1, pool(data)["networkConfig"]["additionalNodeNetworkConfigs"].pop()
            ),
        ),
        (
            policies.network_policies_are_enforced,
            lambda data: the(data, "container/cluster:Cluster")["inputs"].pop("datapathProvider"),
        ),
        (policies.rails_are_in_order, lambda data: pool(data)["networkConfig"]["additionalNodeNetworkConfigs"].pop()),
        (policies.rails_are_in_order, lambda data: pool(data)["networkConfig"].pop("additionalNodeNetworkConfigs")),
        (
            policies.gpus_have_one_owner,
            lambda data: put(
                pool(data)["nodeConfig"]["guestAccelerators"][0]["gpuDriverInstallationConfig"],
                "gpuDriverVersion",
                "DEFAULT",
            ),
        ),
        (policies.gpus_have_one_owner, lambda data: pool(data)["nodeConfig"]["labels"].pop("nvidia.com/gpu.present")),
        (
            policies.gpus_have_one_owner,
            lambda data: put(the(data, ":GkeGpuNodePool")["inputs"], "gpuAllocation", "device-plugin"),
        ),
        (
            policies.kernel_driver_has_one_owner,
            lambda data: data["resources"].remove(the(data, ":DaemonSet", "gke-kernel")),
        ),
        (policies.capacity_has_one_source, lambda data: put(pool(data)["nodeConfig"], "spot", True)),
        (
            policies.capacity_has_one_source,
            lambda data: (
                pool(data)["nodeConfig"].pop("reservationAffinity") and put(pool(data)["nodeConfig"], "flexStart", True)
            ),
        ),
        (
            policies.fixed_names_are_freed_first,
            lambda data: the(data, ":Cluster")["options"].pop("deleteBeforeReplace"),
        ),
        (
            policies.fixed_names_are_freed_first,
            lambda data: put(the(data, ":NodePool", "gke-system")["options"], "deleteBeforeReplace", False),
        ),
        (pods.what_writes_to_a_host_is_privileged, lambda data: pod(data)["initContainers"][0].pop("securityContext")),
        (pods.volumes_and_mounts_agree, lambda data: pod(data)["initContainers"][0]["volumeMounts"].pop()),
        (policies.nodes_have_no_public_address, lambda data: pool(data)["networkConfig"].pop("enablePrivateNodes")),
        (
            policies.nodes_have_no_public_address,
            lambda data: the(data, ":Cluster")["inputs"]["controlPlaneEndpointsConfig"].pop("ipEndpointsConfig"),
        ),
        (claims.pairs_have_their_own_constraint, lambda data: devices(data)["constraints"].pop()),
        (claims.pairs_have_their_own_constraint, lambda data: devices(data).pop("constraints")),
        (
            claims.pairs_have_their_own_constraint,
            lambda data: devices(data)["constraints"].append(
                {"matchAttribute": claims.PCIE_ROOT, "requests": ["gpu-0", "nic-1"]}
            ),
        ),
        (claims.device_classes_exist, lambda data: data["resources"].remove(the(data, ":DeviceClass"))),
        (claims.device_classes_exist, lambda data: data["resources"].remove(the(data, ":Release", "gke-gpu"))),
        (
            claims.workloads_name_templates_that_exist,
            lambda data: data["resources"].remove(the(data, ":ResourceClaimTemplate")),
        ),
    ],
    "405B from a bucket, in two namespaces": [
        (policies.data_is_closed_and_kept, lambda data: bucket(data)["inputs"].pop("publicAccessPrevention")),
        (policies.data_is_closed_and_kept, lambda data: bucket(data)["inputs"].pop("uniformBucketLevelAccess")),
        (policies.data_is_closed_and_kept, lambda data: bucket(data)["options"].pop("protect")),
        (in_cluster.volumes_have_a_claim_each, lambda data: the(data, ":PersistentVolumeClaim")["options"].clear()),
        (in_cluster.volumes_have_a_claim_each, lambda data: data["resources"].remove(the(data, ":PersistentVolume"))),
        (
            in_cluster.volumes_have_a_claim_each,
            lambda data: put(the(data, ":PersistentVolumeClaim")["inputs"]["spec"], "volumeName", "other"),
        ),
        (
            in_cluster.volumes_have_a_claim_each,
            lambda data: [
                put(each["inputs"]["spec"]["csi"], "volumeHandle", "one")
                for each in data["resources"]
                if each["type"].endswith(":PersistentVolume")
            ],
        ),
    ],
    "405B from Lustre": [
        (policies.volumes_have_their_driver, lambda data: put(addons(data)["lustreCsiDriverConfig"], "enabled", False)),
        (policies.volumes_have_their_driver, lambda data: addons(data).clear()),
        (policies.data_is_closed_and_kept, lambda data: the(data, ":Instance")["options"].pop("protect")),
        (
            policies.data_is_closed_and_kept,
            lambda data: put(the(data, ":Instance")["inputs"], "location", "us-west8-a"),
        ),
    ],
}
