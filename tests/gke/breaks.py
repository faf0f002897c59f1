"""Graphs of the GKE stack that break a policy each; those of all clouds are broken in `tests.policies.common`, too."""

from tests.policies import claims, in_cluster, pods, tree
from tests.policies.breaking import Data, the
from tests.policies.spoil import Broken, both, by_policy, gone, has, holds, inputs, lacks, resource
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
    return the(data, ":Job", "gke-a3-mega-a3-mega-test")["inputs"]["spec"]["template"]


def second_network(data: Data) -> Data:
    """What A3 Mega's pods call vpc2."""
    return the(data, ":GKENetworkParamSet", "gke-a3-mega-vpc2")["inputs"]["spec"]


def asapd(data: Data) -> Data:
    """The pod of the daemon of bare-metal NICs."""
    return the(data, ":DaemonSet", "gke-a4x-gib-metal-asapd-lite")["inputs"]["spec"]["template"]["spec"]


MEGA: Broken = {
    policies.pod_networks_stand_for_the_nodes_networks: [
        gone("networking.gke.io/v1:Network"),
        has("gke-a3-mega-rail-0", second_network, "vpcSubnet"),
        has(
            '[{"interfaceName": "eth0", "network": "default"}]',
            proof,
            "metadata",
            "annotations",
            "networking.gke.io/interfaces",
        ),
    ],
    policies.nodes_come_after_their_networks: [has([], resource(":GkeGpuNodePool"), "dependencies")],
    policies.sidecars_get_their_devices: [
        lacks(proof, "spec", "initContainers"),
        gone(":DaemonSet", "gke-a3-mega-tcpxo-nri-device-injector"),
    ],
    policies.gvnic_rails_have_one_packet_size: [lacks(inputs("compute/network:Network", "gke-a3-mega-primary"), "mtu")],
    policies.rails_are_in_order: [
        holds(
            {"network": "ninth", "subnetwork": "ninth"},
            inputs(":NodePool", "gke-a3-mega-a3-mega"),
            "networkConfig",
            "additionalNodeNetworkConfigs",
        )
    ],
    policies.gpus_have_one_owner: [has("dra", inputs(":GkeGpuNodePool"), "gpuAllocation")],
    pods.volumes_and_mounts_agree: [lacks(proof, "spec", "volumes", -1)],
    pods.only_installers_are_privileged: [has(True, proof, "spec", "containers", 0, "securityContext", "privileged")],
}

RACKS: Broken = {
    policies.racks_are_one_domain: [
        gone(":ResourcePolicy", "gke-a4x-rack-2"),
        has("gke-a4x-rack-1", inputs(":NodePool", "gke-a4x-rack-2"), "placementPolicy", "policyName"),
        has("1x36", inputs(":ResourcePolicy"), "workloadPolicy", "acceleratorTopology"),
        has(20, inputs(":NodePool", "gke-a4x-rack-1"), "nodeCount"),
    ]
}

METAL: Broken = {
    policies.hosts_are_worked_on_as_google_does: [
        has("/asapd-lite", asapd, "containers", 0, "env", 0, "value"),
        has(False, asapd, "containers", 0, "securityContext", "privileged"),
        has(80, asapd, "containers", 0, "readinessProbe", "httpGet", "port"),
        has("/sys/class", asapd, "volumes", 0, "hostPath", "path"),
        lacks(asapd, "hostPID"),
    ],
    policies.bare_metal_can_join: [
        has(True, inputs(":Cluster"), "enableShieldedNodes"),
        lacks(inputs(":NodePool", "gke-a4x-metal"), "nodeConfig", "linuxNodeConfig"),
        gone(":DaemonSet", "gke-a4x-gib-metal-asapd-lite"),
    ],
    policies.rails_are_in_order: [
        lacks(inputs(":NodePool", "gke-a4x-metal"), "networkConfig", "additionalNodeNetworkConfigs", -1)
    ],
}

_OF_GRAPHS: dict[str, Broken] = {
    "queued, beside a pool of the autoscaler's": {
        policies.capacity_has_one_source: [lacks(pool, "nodeConfig", "reservationAffinity"), has(2, pool, "nodeCount")]
    },
    "gke-a4x": RACKS,
    "bare metal": METAL,
    "networks by name": {
        policies.pod_networks_stand_for_the_nodes_networks: [
            has("NetDevice", inputs(":GKENetworkParamSet", "gke-rdma-3"), "spec", "deviceMode")
        ]
    },
    "networks by GKE": {
        policies.rails_are_in_order: [
            lacks(inputs(":NodePool", "gke-a4"), "networkConfig", "acceleratorNetworkProfile")
        ]
    },
    "gke-a3-mega": MEGA,
    "gke": {
        policies.counts_of_an_autoscaler_are_its_own: [
            lambda data: the(data, ":NodePool", "gke-system")["options"]["ignoreChanges"].remove("nodeCount"),
            has(["nodeCount", "initialNodeCount"], resource(":NodePool", "gke-a4"), "options", "ignoreChanges"),
        ],
        in_cluster.gpu_nodes_are_tainted: [lacks(pool, "nodeConfig", "taints")],
        in_cluster.drivers_reach_their_nodes: [
            lacks(pod, "tolerations"),
            has([{"key": "nvidia.com/gpu", "operator": "Equal", "value": "x"}], pod, "tolerations"),
            has([{"operator": "Exists", "effect": "NoExecute"}], pod, "tolerations"),
            lacks(pod, "affinity"),
            has("other", pool, "name"),
        ],
        in_cluster.drivers_roll_in_waves: [
            both(lacks(inputs(":DaemonSet"), "spec", "updateStrategy", "rollingUpdate"), has(50, pool, "nodeCount"))
        ],
        in_cluster.charts_wait_long_enough: [has(60, pool, "nodeCount")],
        tree.nothing_is_open_to_the_world: [
            holds("0.0.0.0/0", inputs(":Firewall"), "sourceRanges"),
            has([{"cidr": "0.0.0.0/0"}], inputs(":Cluster"), "masterAuthorizedNetworksConfig"),
        ],
        policies.firewalls_name_their_sources: [lacks(inputs(":Firewall"), "sourceRanges")],
        tree.subnets_are_disjoint: [has("10.2.16.0/20", inputs(":Subnetwork", "gke-rail-1"), "ipCidrRange")],
        policies.subnets_hold_the_ceiling: [
            has("10.2.20.0/25", inputs(":Subnetwork", "gke-rail-1"), "ipCidrRange"),
            has("10.0.0.0/16", inputs(":Subnetwork", "gke-primary"), "secondaryIpRanges", 0, "ipCidrRange"),
            has(251, inputs(":GkeGpuNodePool"), "nodes"),
        ],
        policies.rails_are_in_order: [
            lambda data: pool(data)["networkConfig"]["additionalNodeNetworkConfigs"].insert(
                1, pool(data)["networkConfig"]["additionalNodeNetworkConfigs"].pop()
            ),
            lacks(pool, "networkConfig", "additionalNodeNetworkConfigs", -1),
            lacks(pool, "networkConfig", "additionalNodeNetworkConfigs"),
        ],
        policies.network_policies_are_enforced: [lacks(inputs("container/cluster:Cluster"), "datapathProvider")],
        policies.gpus_have_one_owner: [
            has(
                "DEFAULT", pool, "nodeConfig", "guestAccelerators", 0, "gpuDriverInstallationConfig", "gpuDriverVersion"
            ),
            lacks(pool, "nodeConfig", "labels", "nvidia.com/gpu.present"),
            has("device-plugin", inputs(":GkeGpuNodePool"), "gpuAllocation"),
        ],
        policies.kernel_driver_has_one_owner: [gone(":DaemonSet", "gke-kernel")],
        policies.capacity_has_one_source: [
            has(True, pool, "nodeConfig", "spot"),
            both(lacks(pool, "nodeConfig", "reservationAffinity"), has(True, pool, "nodeConfig", "flexStart")),
        ],
        policies.fixed_names_are_freed_first: [
            lacks(resource(":Cluster"), "options", "deleteBeforeReplace"),
            has(False, resource(":NodePool", "gke-system"), "options", "deleteBeforeReplace"),
        ],
        pods.what_writes_to_a_host_is_privileged: [lacks(pod, "initContainers", 0, "securityContext")],
        pods.volumes_and_mounts_agree: [lacks(pod, "initContainers", 0, "volumeMounts", -1)],
        policies.nodes_have_no_public_address: [
            lacks(pool, "networkConfig", "enablePrivateNodes"),
            lacks(inputs(":Cluster"), "controlPlaneEndpointsConfig", "ipEndpointsConfig"),
        ],
        claims.pairs_have_their_own_constraint: [
            lacks(devices, "constraints", -1),
            lacks(devices, "constraints"),
            holds({"matchAttribute": claims.PCIE_ROOT, "requests": ["gpu-0", "nic-1"]}, devices, "constraints"),
        ],
        claims.device_classes_exist: [gone(":DeviceClass"), gone(":Release", "gke-gpu")],
        claims.workloads_name_templates_that_exist: [gone(":ResourceClaimTemplate")],
    },
    "405B from a bucket, in two namespaces": {
        policies.data_is_closed_and_kept: [
            lacks(bucket, "inputs", "publicAccessPrevention"),
            lacks(bucket, "inputs", "uniformBucketLevelAccess"),
            lacks(bucket, "options", "protect"),
        ],
        in_cluster.volumes_have_a_claim_each: [
            lambda data: the(data, ":PersistentVolumeClaim")["options"].clear(),
            gone(":PersistentVolume"),
            has("other", inputs(":PersistentVolumeClaim"), "spec", "volumeName"),
        ],
    },
    "405B from Lustre": {
        policies.volumes_have_their_driver: [
            has(False, addons, "lustreCsiDriverConfig", "enabled"),
            lambda data: addons(data).clear(),
        ],
        policies.data_is_closed_and_kept: [
            lacks(resource(":Instance"), "options", "protect"),
            has("us-west8-a", inputs(":Instance"), "location"),
        ],
    },
}

BREAKS = {graph: by_policy(breaks) for graph, breaks in _OF_GRAPHS.items()}
