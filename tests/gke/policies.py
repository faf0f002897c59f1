"""What networks and node pools of a GKE graph must keep to."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pulumi_offline import Graph, Resource
from rdma_cluster.catalog import find
from rdma_cluster.catalog.gke import GkeMachine
from tests.gke.host_access import HOST_ACCESS
from tests.gke.readers import CLUSTER, POOL, SUBNET, WHOLE, gpu_pools, ranges
from tests.policies.in_cluster import DAEMON_SET, VOLUME
from tests.policies.readers import chosen

NETWORK = "rdma-cluster:index:GkeHpcNetwork"
FIREWALL = "gcp:compute/firewall:Firewall"
GPU_POOL = "rdma-cluster:index:GkeGpuNodePool"
VPC = "gcp:compute/network:Network"
STORAGE = "rdma-cluster:index:GkeStorage"
LUSTRE = "gcp:lustre/instance:Instance"
BUCKET = "gcp:storage/bucket:Bucket"
POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
PARAMETERS = "kubernetes:networking.gke.io/v1:GKENetworkParamSet"
POD_NETWORK = "kubernetes:networking.gke.io/v1:Network"

_ADDONS = {"gcsfuse.csi.storage.gke.io": "gcsFuseCsiDriverConfig", "lustre.csi.storage.gke.io": "lustreCsiDriverConfig"}
_DEVICES = "devices.gke.io/container."
_SYSTEM_NODES = 10
_RESERVED = 4
_NO_PLUGIN = {"gke-no-default-nvidia-gpu-device-plugin": "true", "nvidia.com/gpu.present": "true"}


def subnets_hold_the_ceiling(graph: Graph) -> Iterator[str]:
    """Every subnet holds as many nodes as the network was told, and the pools fit below that."""
    for network in graph.of_type(NETWORK):
        ceiling = network.inputs.get("maxNodes", 250)
        if (asked := sum(pool.inputs["nodes"] for pool in graph.of_type(GPU_POOL))) > ceiling:
            yield f"{asked} nodes over a ceiling of {ceiling}"
        for name, block in ranges(graph):
            if name.endswith("/services"):
                continue
            system = 0 if "-rail-" in name or name.endswith("-gvnic") else _SYSTEM_NODES
            holds = 2 ** (24 - block.prefixlen) if name.endswith("/pods") else block.num_addresses - _RESERVED
            if holds < ceiling + system:
                yield f"{name} {block} holds {holds} nodes of {ceiling + system}"


def network_policies_are_enforced(graph: Graph) -> Iterator[str]:
    """Dataplane V2 enforces them always, and nothing does without it."""
    for cluster in graph.of_type(CLUSTER):
        if cluster.inputs.get("datapathProvider") != "ADVANCED_DATAPATH":
            yield f"{cluster.name}: its datapath is {cluster.inputs.get('datapathProvider')}"


def rails_are_in_order(graph: Graph) -> Iterator[str]:
    """A pool attaches the gVNIC network, then every rail in its order: the order of NICs is the order of rails."""
    for pool in _gpu_pools(graph):
        machine = find(pool.inputs["nodeConfig"]["machineType"], "gke")
        assert isinstance(machine, GkeMachine)
        attached = [each["subnetwork"] for each in pool.inputs["networkConfig"].get("additionalNodeNetworkConfigs", [])]
        by_gke = pool.inputs["networkConfig"].get("acceleratorNetworkProfile") == "auto"
        if len(attached) != (0 if by_gke else machine.node_networks):
            yield f"{pool.name}: {len(attached)} networks"
        if attached != (wanted := _in_order(graph, machine)[: len(attached)]):
            yield f"{pool.name}: attaches {attached}, not {wanted}"


def pod_networks_stand_for_the_nodes_networks(graph: Graph) -> Iterator[str]:
    """Each network that a pod names is an object, and stands for the NIC that has the pod's name of it."""
    parameters = {each.inputs["metadata"]["name"]: each.inputs["spec"] for each in graph.of_type(PARAMETERS)}
    named = {
        each.inputs["metadata"]["name"]: each.inputs["spec"]["parametersRef"] for each in graph.of_type(POD_NETWORK)
    }
    attached = {
        f"eth{i + 1}": each
        for pool in _gpu_pools(graph)
        for i, each in enumerate(pool.inputs["networkConfig"].get("additionalNodeNetworkConfigs", []))
    }
    for job in graph.of_type("kubernetes:batch/v1:Job"):
        annotations = job.inputs["spec"]["template"]["metadata"].get("annotations", {})
        asked = json.loads(annotations.get("networking.gke.io/interfaces", "[]"))
        for each in asked[1:]:
            reference = named.get(each["network"], {})
            spec = parameters.get(reference.get("name"), {})
            if reference.get("kind") != "GKENetworkParamSet" or not spec:
                yield f"{job.name}: {each['network']} is no network"
            elif {"network": spec["vpc"], "subnetwork": spec["vpcSubnet"]} != attached.get(each["interfaceName"]):
                yield f"{job.name}: {each['network']} is not what nodes have as {each['interfaceName']}"
            elif spec["deviceMode"] != ("RDMA" if _is_rdma(graph, spec["vpc"]) else "NetDevice"):
                yield f"{job.name}: {each['network']} is given as {spec['deviceMode']}"
        if asked and len(asked) - 1 != len(attached):
            yield f"{job.name}: names {len(asked) - 1} of {len(attached)} networks"


def nodes_come_after_their_networks(graph: Graph) -> Iterator[str]:
    """Google's guide makes the objects first: a node looks for them when it joins."""
    objects = {each.urn for each in graph.of_type(POD_NETWORK)}
    for pool in graph.of_type(GPU_POOL):
        if not objects <= set(pool.dependencies):
            yield f"{pool.name}: does not wait for the networks that its pods name"


def sidecars_get_their_devices(graph: Graph) -> Iterator[str]:
    """An annotation for a container that the pod has not, or that no injector reads, gives nobody a device."""
    injected = {
        name
        for each in graph.of_type("kubernetes:apps/v1:DaemonSet")
        if each.inputs["metadata"]["name"] == "nri-device-injector"
        for name in chosen(each.inputs["spec"]["template"]["spec"])
    }
    for job in graph.of_type("kubernetes:batch/v1:Job"):
        pod = job.inputs["spec"]["template"]
        containers = {each["name"] for each in pod["spec"].get("initContainers", [])}
        for key in pod["metadata"].get("annotations", {}):
            if key.startswith(_DEVICES) and key.removeprefix(_DEVICES) not in containers:
                yield f"{job.name}: {key} is of no container"
            if key.startswith(_DEVICES) and not set(chosen(pod["spec"])) <= injected:
                yield f"{job.name}: nobody injects devices on {chosen(pod['spec'])}"


def gvnic_rails_have_one_packet_size(graph: Graph) -> Iterator[str]:
    """TCPX and TCPXO want the same large packets on every network of a node, the primary one included."""
    for pool in graph.of_type(GPU_POOL):
        machine = find(pool.inputs["machine"], "gke")
        assert isinstance(machine, GkeMachine)
        for network in graph.of_type(VPC) if machine.gvnic_rails else []:
            if network.inputs.get("mtu") != machine.rail_mtu_bytes:
                yield f"{network.name}: MTU {network.inputs.get('mtu')}, {machine.name} wants {machine.rail_mtu_bytes}"


def gpus_have_one_owner(graph: Graph) -> Iterator[str]:
    """With DRA the platform installs neither driver nor device plugin; with the device plugin it installs both."""
    for pool in _gpu_pools(graph):
        node = pool.inputs["nodeConfig"]
        component = next(each for each in graph.of_type(GPU_POOL) if each.urn == pool.parent)
        machine = find(component.inputs["machine"], "gke")
        assert isinstance(machine, GkeMachine)
        usual = "device-plugin" if _names_networks(graph, machine) or machine.is_rack else "dra"
        by_claim = component.inputs.get("gpuAllocation", usual) == "dra"
        driver = node["guestAccelerators"][0]["gpuDriverInstallationConfig"]["gpuDriverVersion"]
        if driver != ("INSTALLATION_DISABLED" if by_claim else "LATEST" if machine.metal else "DEFAULT"):
            yield f"{pool.name}: driver {driver}"
        for key, value in _NO_PLUGIN.items():
            if (node.get("labels", {}).get(key) == value) is not by_claim:
                yield f"{pool.name}: label {key} is {node.get('labels', {}).get(key)}"


def kernel_driver_has_one_owner(graph: Graph) -> Iterator[str]:
    """Where the platform leaves the kernel driver out, our DaemonSet runs, or somebody else's, and nowhere else."""
    if any(each.inputs.get("drivers", {}).get("kernel") == "existing" for each in graph.of_type(WHOLE)):
        return
    disabled = {
        pool.inputs["name"] for pool in _gpu_pools(graph) if "INSTALLATION_DISABLED" in str(pool.inputs["nodeConfig"])
    }
    served = set()
    for each in graph.of_type("kubernetes:apps/v1:DaemonSet"):
        if each.inputs["metadata"]["name"] == "nvidia-driver-installer":
            affinity = each.inputs["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]
            (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
            served |= set(term["matchExpressions"][0]["values"])
    if disabled != served:
        yield f"driver left to us on {sorted(disabled)}, installed on {sorted(served)}"


def capacity_has_one_source(graph: Graph) -> Iterator[str]:
    """Spot, flex-start and a reservation exclude one another; flex-start has no fixed size and no repair."""
    for pool in _gpu_pools(graph):
        node = pool.inputs["nodeConfig"]
        reserved = node.get("reservationAffinity", {}).get("consumeReservationType") == "SPECIFIC_RESERVATION"
        if sum([bool(node.get("spot")), bool(node.get("flexStart")), reserved]) > 1:
            yield f"{pool.name}: more than one capacity source"
        asked = node.get("flexStart") or pool.inputs.get("queuedProvisioning")
        if asked and (pool.inputs["management"]["autoRepair"] or "nodeCount" in pool.inputs):
            yield f"{pool.name}: flex-start with repair or a fixed size"
        if asked and node.get("reservationAffinity", {}).get("consumeReservationType") != "NO_RESERVATION":
            yield f"{pool.name}: flex-start that may use a reservation"


def nodes_have_no_public_address(graph: Graph) -> Iterator[str]:
    """Neither the nodes nor the control plane are on the internet."""
    for pool in graph.of_type(POOL):
        if not pool.inputs.get("networkConfig", {}).get("enablePrivateNodes"):
            yield f"{pool.name}: public nodes"
    for cluster in graph.of_type(CLUSTER):
        private = cluster.inputs.get("privateClusterConfig", {})
        by_address = cluster.inputs.get("controlPlaneEndpointsConfig", {}).get("ipEndpointsConfig", {})
        hidden = private.get("enablePrivateEndpoint") or by_address.get("enabled", True) is False
        if not (private.get("enablePrivateNodes") and hidden):
            yield f"{cluster.name}: public nodes or endpoint"


def racks_are_one_domain(graph: Graph) -> Iterator[str]:
    """A pool of racks fits into one NVLink domain, and has a workload policy of its own for it."""
    policies = {each.name: each.inputs["workloadPolicy"] for each in graph.of_type(POLICY)}
    taken: set[str] = set()
    for pool in _gpu_pools(graph):
        machine = find(pool.inputs["nodeConfig"]["machineType"], "gke")
        assert isinstance(machine, GkeMachine)
        named = pool.inputs.get("placementPolicy", {}).get("policyName")
        if machine.max_nodes is None:
            if named in policies:
                yield f"{pool.name}: has a rack's policy {named}, and no rack"
            continue
        if policies.get(named) != {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "1x72"} or named in taken:
            yield f"{pool.name}: policy {named} does not put it into an NVLink domain of its own"
        if pool.inputs["nodeCount"] > machine.max_nodes:
            yield f"{pool.name}: {pool.inputs['nodeCount']} nodes are more than a rack"
        taken.add(named)


def bare_metal_can_join(graph: Graph) -> Iterator[str]:
    """Bare metal wants huge pages for the daemon of its NICs, that daemon, and a cluster without Shielded Nodes."""
    served = {
        name
        for each in graph.of_type("kubernetes:apps/v1:DaemonSet")
        if each.inputs["metadata"]["name"] == "asapd-lite"
        for name in chosen(each.inputs["spec"]["template"]["spec"])
    }
    for pool in _gpu_pools(graph):
        machine = find(pool.inputs["nodeConfig"]["machineType"], "gke")
        assert isinstance(machine, GkeMachine)
        pages = pool.inputs["nodeConfig"].get("linuxNodeConfig", {}).get("hugepagesConfig", {}).get("hugepageSize2m")
        if pages != (4096 if machine.metal else None):
            yield f"{pool.name}: {pages} huge pages"
        if machine.metal != (pool.inputs["name"] in served):
            yield f"{pool.name}: asapd-lite serves {sorted(served)}"
        for cluster in graph.of_type(CLUSTER) if machine.metal else []:
            if cluster.inputs.get("enableShieldedNodes") is not False:
                yield f"{pool.name}: cannot join {cluster.name}, which has Shielded Nodes"


def volumes_have_their_driver(graph: Graph) -> Iterator[str]:
    """GKE's add-on, by which pods mount what they claim, is on; without it they wait for ever."""
    drivers = {volume.inputs["spec"]["csi"]["driver"] for volume in graph.of_type(VOLUME)}
    for cluster in graph.of_type(CLUSTER):
        addons = cluster.inputs.get("addonsConfig", {})
        for driver in sorted(drivers):
            if addons.get(_ADDONS[driver], {}).get("enabled") is not True:
                yield f"{cluster.name}: has no add-on for {driver}"


def counts_of_an_autoscaler_are_its_own(graph: Graph) -> Iterator[str]:
    """A later `up` takes away no node that it added, and adds none that it took away."""
    for pool in graph.of_type(POOL):
        left_alone = {"nodeCount", "initialNodeCount"} <= set(pool.options.get("ignoreChanges", []))
        if left_alone is not ("autoscaling" in pool.inputs):
            yield f"{pool.name}: its count is {'left alone' if left_alone else 'set anew'}"


def firewalls_name_their_sources(graph: Graph) -> Iterator[str]:
    """A rule without a source lets everybody in."""
    for rule in graph.of_type(FIREWALL):
        sources = ("sourceRanges", "sourceTags", "sourceServiceAccounts")
        if rule.inputs.get("direction") != "EGRESS" and not any(rule.inputs.get(key) for key in sources):
            yield f"{rule.name}: has no source"


def data_is_closed_and_kept(graph: Graph) -> Iterator[str]:
    """A bucket cannot be made public, an instance is where the GPUs are, and neither goes with the stack unasked."""
    asked = any(
        each.inputs.get(kind, {}).get("deletable")
        for each in graph.of_type(STORAGE)
        for kind in ("objectStore", "lustre")
    )
    for instance in graph.of_type(LUSTRE):
        if any(instance.inputs["location"] not in pool.inputs["nodeLocations"] for pool in _gpu_pools(graph)):
            yield f"{instance.name}: is not where the GPUs are"
        if bool(instance.options.get("protect")) is asked:
            yield f"{instance.name}: goes with the stack, or stays, whatever was asked"
    for bucket in graph.of_type(BUCKET):
        if bucket.inputs.get("publicAccessPrevention") != "enforced":
            yield f"{bucket.name}: may be made public"
        if not bucket.inputs.get("uniformBucketLevelAccess"):
            yield f"{bucket.name}: has rights by object"
        if (bucket.options.get("protect"), bucket.inputs["forceDestroy"]) != ((None, True) if asked else (True, False)):
            yield f"{bucket.name}: goes with the stack, or stays, whatever was asked"


def fixed_names_are_freed_first(graph: Graph) -> Iterator[str]:
    """A cluster's and a pool's name is taken until the old one is gone."""
    for resource in (*graph.of_type(CLUSTER), *graph.of_type(POOL)):
        if resource.inputs.get("name") and not resource.options.get("deleteBeforeReplace"):
            yield f"{resource.name}: is created beside the old one, under its name"


def _is_rdma(graph: Graph, vpc: str) -> bool:
    """Whether a VPC is of a RoCE profile, ours or one that a variant names."""
    made = [network for network in graph.of_type(VPC) if network.name == vpc]
    return bool(made[0].inputs.get("networkProfile")) if made else vpc == "roce" and not _gvnic_alone(graph)


def _gvnic_alone(graph: Graph) -> bool:
    return "gvnic" not in graph.one(WHOLE).inputs.get("network", {}).get("existing", {})


def _names_networks(graph: Graph, machine: GkeMachine) -> bool:
    """Whether pods on its nodes name networks: they get GPUs by the device plugin alone."""
    return machine.gvnic_rails or any(graph.of_type(POD_NETWORK))


def _gpu_pools(graph: Graph) -> list[Resource]:
    return [pool.resource for pool in gpu_pools(graph)]


def _in_order(graph: Graph, machine: GkeMachine) -> list[str]:
    """Names of the additional subnets, gVNIC first: ours, the user's, or on bare metal Google's one for every rail."""
    made = [subnet.name for subnet in graph.of_type(SUBNET)]
    if made:
        rails = sorted((name for name in made if "-rail-" in name), key=lambda name: int(name.rpartition("-")[2]))
        if machine.metal:
            own = [each.name for each in graph.of_type(VPC) if each.name.endswith("-rails")]
            rails = [f"default-subnet-1-{vpc}" for vpc in own for _ in range(machine.nics)]
        return [*(name for name in made if name.endswith("-gvnic")), *rails]
    existing: dict[str, Any] = graph.one(WHOLE).inputs["network"]["existing"]
    gvnic = [existing["gvnic"]] if "gvnic" in existing else []
    return [each["subnetwork"] for each in (*gvnic, *existing["rails"] * (machine.nics if machine.metal else 1))]


def hosts_are_worked_on_as_google_does(graph: Graph) -> Iterator[str]:
    """Installers and daemons have the host's folders, variables, rights and port of Google's own manifests."""
    for daemons in graph.of_type(DAEMON_SET):
        pod = daemons.inputs["spec"]["template"]["spec"]
        paths = {each["name"]: each["hostPath"]["path"] for each in pod.get("volumes", []) if "hostPath" in each}
        for container in [*pod.get("initContainers", []), *pod["containers"]]:
            image = re.split("[:@]", container["image"].rpartition("/")[2])[0]
            if (access := HOST_ACCESS.get(image)) is None:
                continue
            mounts = container.get("volumeMounts", [])
            ports = {container[probe]["httpGet"]["port"] for probe in container if probe.endswith("Probe")}
            ours = {
                "folders": {paths[each["name"]]: each["mountPath"] for each in mounts if each["name"] in paths},
                "env": {each["name"]: each["value"] for each in container.get("env", [])},
                "ports of probes": ports,
                "rights": [container["securityContext"].get("privileged"), pod.get("hostNetwork"), pod.get("hostPID")],
            }
            ports = {access.health_port} - {0}
            google = {"folders": access.folders, "env": access.env, "ports of probes": ports, "rights": [True] * 3}
            for what, wanted in google.items():
                if ours[what] != wanted:
                    yield f"{daemons.name}: {what} of {image} are {ours[what]}, {access.source} has {wanted}"
