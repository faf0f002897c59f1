"""Graphs of the OKE stacks that break a policy each; those of all clouds are broken in `tests.policies.common`, too."""

from pulumi_offline import Graph
from tests.oke.readers import makers
from tests.policies import in_cluster, pods, tree
from tests.policies.breaking import Break, Data, put, the
from . import policies


def launch(data: Data) -> Data:
    """How a node of the cluster network is launched."""
    return the(data, ":InstanceConfiguration", "oke-h100")["inputs"]["instanceDetails"]["launchDetails"]


def rule(data: Data, name: str) -> Data:
    """A rule of a network security group."""
    return the(data, ":NetworkSecurityGroupSecurityRule", f"oke-{name}")["inputs"]


def statements(data: Data, name: str = "oke-nodes") -> list[str]:
    """What a policy says."""
    return the(data, ":Policy", name)["inputs"]["statements"]


def maker(data: Data) -> Data:
    """What makes the first GPU nodes."""
    urn = next(made.urn for _, made in makers(Graph.from_dict(data)))
    return next(each for each in data["resources"] if each["urn"] == urn)


def component(data: Data) -> Data:
    """The pool that it belongs to."""
    return next(each for each in data["resources"] if each["urn"] == maker(data)["parent"])


def worker(data: Data) -> Data:
    """The worker of the acceptance test."""
    return the(data, ":MPIJob")["inputs"]["spec"]["mpiReplicaSpecs"]["Worker"]["template"]


def replace_in(texts: list[str], old: str, new: str) -> None:
    """Say it another way."""
    texts[:] = [text.replace(old, new) for text in texts]


def plugin_off(data: Data) -> None:
    """The agent's first RDMA plugin is off."""
    found = launch(data)["agentConfig"]["pluginsConfigs"]
    next(each for each in found if each["name"].endswith("RDMA Authentication"))["desiredState"] = "DISABLED"


def label(data: Data, value: str) -> None:
    """Somebody else's word on who hands out the GPUs."""
    metadata = launch(data)["metadata"]
    key = "oci.oraclecloud.com/disable-gpu-device-plugin"
    metadata["oke-initial-node-labels"] = f"rdma-cluster/pool=h100,{key}={value}"


def driver(data: Data) -> Data:
    """What NVIDIA's DRA driver is told."""
    return the(data, ":Release", "oke-gb200-gpu")["inputs"]["values"]


def subnet(data: Data, name: str = "oke-workers") -> Data:
    """A subnet."""
    return the(data, ":Subnet", name)["inputs"]


BREAKS: dict[str, list[Break]] = {
    "oke": [
        (policies.consoles_show_names, lambda data: put(the(data, ":NatGateway")["inputs"], "displayName", "other")),
        (policies.consoles_show_names, lambda data: the(data, ":NetworkSecurityGroup")["inputs"].pop("displayName")),
        (
            tree.nothing_is_open_to_the_world,
            lambda data: put(rule(data, "workers-from-workers"), "source", "0.0.0.0/0"),
        ),
        (tree.subnets_are_disjoint, lambda data: put(subnet(data), "cidrBlock", "10.140.0.0/24")),
        (
            tree.subnets_are_disjoint,
            lambda data: put(
                the(data, ":Cluster")["inputs"]["options"]["kubernetesNetworkConfig"], "servicesCidr", "10.140.0.0/20"
            ),
        ),
        (in_cluster.drivers_reach_their_nodes, lambda data: worker(data)["spec"]["tolerations"].clear()),
        (in_cluster.drivers_reach_their_nodes, lambda data: put(component(data)["inputs"], "name", "other")),
        (in_cluster.gpu_nodes_are_tainted, lambda data: put(component(data)["inputs"], "machine", "BM.HPC.E5.144")),
        (pods.only_installers_are_privileged, lambda data: worker(data)["spec"].pop("hostNetwork")),
        (policies.rdma_ports_are_served, plugin_off),
        (policies.rdma_ports_are_served, lambda data: put(launch(data)["agentConfig"], "areAllPluginsDisabled", True)),
        (
            policies.templates_go_last,
            lambda data: put(the(data, ":InstanceConfiguration")["options"], "deleteBeforeReplace", True),
        ),
        (
            policies.bare_metal_is_waited_for,
            lambda data: put(maker(data)["options"]["customTimeouts"], "create", "50m"),
        ),
        (policies.nodes_are_private, lambda data: put(subnet(data), "prohibitPublicIpOnVnic", False)),
        (policies.nodes_are_private, lambda data: subnet(data).pop("securityListIds")),
        (policies.nodes_are_private, lambda data: put(launch(data)["createVnicDetails"], "assignPublicIp", True)),
        (policies.credentials_need_a_header, lambda data: launch(data).pop("instanceOptions")),
        (
            policies.credentials_need_a_header,
            lambda data: the(data, ":NodePool", "oke-system")["inputs"]["nodeMetadata"].clear(),
        ),
        (policies.metadata_fits, lambda data: put(launch(data)["metadata"], "user_data", "x" * 31_000)),
        (
            policies.permissions_are_narrow,
            lambda data: replace_in(statements(data), "target.cluster.id = '", "target.cluster.name = '"),
        ),
        (
            policies.pods_reach_few_ports_of_nodes,
            lambda data: rule(data, "workers-from-pods-tcp-8000").pop("tcpOptions"),
        ),
        (
            policies.permissions_are_narrow,
            lambda data: statements(data).append("Allow group a to manage all-resources in compartment id b where c"),
        ),
        (
            policies.permissions_are_narrow,
            lambda data: statements(data).append("Allow any-user to use instances in tenancy where c"),
        ),
        (
            policies.identity_is_written_at_home,
            lambda data: put(the(data, ":Policy"), "provider", the(data, ":Vcn")["provider"]),
        ),
        (policies.nodes_wait_for_their_policies, lambda data: component(data)["dependencies"].clear()),
        (policies.blocks_avoid_rdma_ports, lambda data: put(subnet(data), "cidrBlock", "192.168.4.0/24")),
        (policies.gpus_have_one_owner, lambda data: label(data, "true")),
        (policies.gpus_have_one_owner, lambda data: put(component(data)["inputs"], "gpuAllocation", "dra")),
    ],
    "dual stack": [
        (policies.both_families_go_all_the_way, lambda data: subnet(data, "oke-pods").pop("ipv6cidrBlocks")),
        (
            policies.both_families_go_all_the_way,
            lambda data: put(subnet(data), "ipv6cidrBlocks", ["2603:c020:401d:7e03::/64"]),
        ),
        (policies.both_families_go_all_the_way, lambda data: launch(data)["metadata"].pop("ip-families")),
        (policies.both_families_go_all_the_way, lambda data: launch(data)["createVnicDetails"].pop("assignIpv6ip")),
        (
            policies.both_families_go_all_the_way,
            lambda data: the(data, ":Cluster")["inputs"]["options"].pop("ipFamilies"),
        ),
    ],
    "405B from Lustre": [
        (
            policies.files_are_kept_beside_the_nodes,
            lambda data: the(data, ":FileStorageLustreFileSystem")["options"].pop("protect"),
        ),
        (
            policies.files_are_kept_beside_the_nodes,
            lambda data: put(
                the(data, ":FileStorageLustreFileSystem")["inputs"], "availabilityDomain", "TrcQ:EU-FRANKFURT-1-AD-1"
            ),
        ),
        (
            policies.files_are_kept_beside_the_nodes,
            lambda data: the(data, ":FileStorageLustreFileSystem")["inputs"].pop("nsgIds"),
        ),
        (policies.files_are_kept_beside_the_nodes, lambda data: the(data, ":OkeStorage")["dependencies"].clear()),
        (
            policies.files_are_kept_beside_the_nodes,
            lambda data: the(data, ":OkeStorage")["dependencies"].append(maker(data)["urn"]),
        ),
        (policies.files_are_kept_beside_the_nodes, lambda data: statements(data, "oke-tenancy").clear()),
    ],
    "GPU operator": [
        (policies.gpus_have_one_owner, lambda data: label(data, "false")),
        (
            policies.gpus_have_one_owner,
            lambda data: data["resources"].remove(the(data, ":Addon", "oke-NvidiaGpuOperator")),
        ),
    ],
    "oke-b200": [
        (
            policies.pools_are_on_one_fabric,
            lambda data: maker(data)["inputs"]["nodeConfigDetails"].pop("computeClusterId"),
        ),
        (
            policies.pools_are_on_one_fabric,
            lambda data: put(the(data, ":ComputeCluster")["inputs"], "availabilityDomain", "Abcd:REGION-1-AD-1"),
        ),
        (
            policies.pools_are_on_one_fabric,
            lambda data: put(the(data, ":ComputeCluster"), "parent", the(data, ":OkeRdmaCluster")["urn"]),
        ),
        (
            policies.credentials_need_a_header,
            lambda data: maker(data)["inputs"]["nodeMetadata"].pop("areLegacyImdsEndpointsDisabled"),
        ),
        (policies.gpus_have_one_owner, lambda data: maker(data)["inputs"]["initialNodeLabels"].pop()),
        (policies.pods_have_every_rail, lambda data: worker(data)["metadata"]["annotations"].clear()),
        (
            policies.pods_have_every_rail,
            lambda data: put(
                worker(data)["metadata"]["annotations"],
                "k8s.v1.cni.cncf.io/networks",
                "default/rdma-vf,default/rdma-vf",
            ),
        ),
        (
            policies.pods_have_every_rail,
            lambda data: (
                put(worker(data)["spec"]["containers"][0]["resources"]["limits"], "nvidia.com/rdma-vf", "1")
                or put(worker(data)["metadata"]["annotations"], "k8s.v1.cni.cncf.io/networks", "default/rdma-vf")
            ),
        ),
    ],
    "oke-gb200": [
        (
            policies.gpus_have_one_owner,
            lambda data: put(
                driver(data), "resources", {"gpus": {"enabled": True}, "computeDomains": {"enabled": True}}
            ),
        ),
        (policies.gpus_have_one_owner, lambda data: put(driver(data), "gpuResourcesEnabledOverride", True)),
        (
            policies.permissions_are_narrow,
            lambda data: replace_in(statements(data, "oke-gb200-nodes"), " where ", " if "),
        ),
        (
            policies.permissions_are_narrow,
            lambda data: replace_in(statements(data, "oke-gb200-tenancy"), "tag-namespaces", "instances"),
        ),
        (policies.pools_are_on_one_fabric, lambda data: maker(data)["inputs"].pop("computeClusterId")),
    ],
}
