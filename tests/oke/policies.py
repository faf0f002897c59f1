"""What networks, pools and policies of an OKE graph must keep to."""

import json
from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network

from pulumi_offline import Graph
from rdma_cluster.catalog import find
from rdma_cluster.catalog.oke_releases import RDMA_RANGES
from tests.oke.readers import (
    ADDON,
    CLUSTER,
    COMPUTE_CLUSTER,
    FILES,
    NETWORK,
    NODE_POOL,
    POLICY,
    RELEASE,
    RULE,
    STORAGE,
    SUBNET,
    TEMPLATE,
    VCN,
    WHOLE,
    launches,
    makers,
    ranges,
)

_PLUGINS = ("Compute HPC RDMA Authentication", "Compute HPC RDMA Auto-Configuration")
_NO_PLUGIN = "oci.oraclecloud.com/disable-gpu-device-plugin"
_METADATA_BYTES = 32_000
_LUSTRE = "Allow service lustrefs to use virtual-network-family in tenancy"
"""Oracle's own words, which know no compartment and no condition."""
_ICMP = ("1", "58")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def rdma_ports_are_served(graph: Graph) -> Iterator[str]:
    """Oracle's agent authenticates the RDMA ports and gives them addresses, where a node is launched by us."""
    for name, launch in launches(graph):
        agent = launch["agentConfig"]
        on = {each["name"] for each in agent["pluginsConfigs"] if each["desiredState"] == "ENABLED"}
        if agent.get("areAllPluginsDisabled") or agent.get("isManagementDisabled"):
            yield f"{name}: the agent is off"
        for plugin in (each for each in _PLUGINS if each not in on):
            yield f"{name}: {plugin} is off"


def pools_are_on_one_fabric(graph: Graph) -> Iterator[str]:
    """GPU nodes are in a compute cluster of their pool's own, in its availability domain, or in a cluster network."""
    clusters = {f"[id of {each.type} {each.name}]": each for each in graph.of_type(COMPUTE_CLUSTER)}
    for pool, maker in makers(graph):
        if maker.type == NETWORK:
            continue
        inputs = maker.inputs
        details = inputs.get("nodeConfigDetails", inputs)
        cluster = clusters.get(details.get("computeClusterId"))
        if cluster is None or cluster.parent != pool.urn:
            yield f"{maker.name}: is in compute cluster {details.get('computeClusterId')}"
            continue
        places = details.get("placementConfigs", [inputs])
        domains = {each["availabilityDomain"] for each in places}
        if domains != {cluster.inputs["availabilityDomain"]}:
            yield f"{maker.name}: is in {sorted(domains)}, its fabric in {cluster.inputs['availabilityDomain']}"


def templates_go_last(graph: Graph) -> Iterator[str]:
    """The API deletes no template that a pool uses: the new one comes first."""
    for template in graph.of_type(TEMPLATE):
        if template.options.get("deleteBeforeReplace"):
            yield f"{template.name}: is deleted before it is replaced"


def bare_metal_is_waited_for(graph: Graph) -> Iterator[str]:
    """Two hours at least: the provider's own time-outs end while hosts test their hardware."""
    for _, maker in makers(graph):
        minutes = maker.options.get("customTimeouts", {}).get("create", "0m")
        if not minutes.endswith("m") or int(minutes[:-1]) < 120:
            yield f"{maker.name}: is given {minutes}"


def nodes_are_private(graph: Graph) -> Iterator[str]:
    """No public address for a node, and no way in to a subnet but those of the API and of load balancers."""
    for subnet in graph.of_type(SUBNET):
        closed = subnet.inputs.get("prohibitPublicIpOnVnic") and subnet.inputs.get("prohibitInternetIngress")
        if not closed and not subnet.name.endswith(("-api", "-public-load-balancers")):
            yield f"{subnet.name}: takes public addresses"
        if not subnet.inputs.get("securityListIds"):
            yield f"{subnet.name}: has the VCN's own security list, which lets ssh in from everywhere"
    for name, launch in launches(graph):
        if str(launch["createVnicDetails"].get("assignPublicIp")).lower() != "false":
            yield f"{name}: takes a public address"


def credentials_need_a_header(graph: Graph) -> Iterator[str]:
    """The first version of the metadata service hands a node's identity to whoever asks."""
    for name, launch in launches(graph):
        if not launch.get("instanceOptions", {}).get("areLegacyImdsEndpointsDisabled"):
            yield f"{name}: the old metadata service is on"
    for pool in graph.of_type(NODE_POOL):
        if pool.inputs["nodeMetadata"].get("areLegacyImdsEndpointsDisabled") != "true":
            yield f"{pool.name}: the old metadata service is on"


def metadata_fits(graph: Graph) -> Iterator[str]:
    """OCI takes 32,000 bytes of it in all."""
    found = [(name, launch["metadata"]) for name, launch in launches(graph)]
    found += [(pool.name, pool.inputs["nodeMetadata"]) for pool in graph.of_type(NODE_POOL)]
    for name, metadata in found:
        # The certificate is known only later; Oracle's have about 1,600 bytes.
        if (size := len(json.dumps(metadata)) + 2000) > _METADATA_BYTES:
            yield f"{name}: {size} bytes of metadata"


def pods_reach_few_ports_of_nodes(graph: Graph) -> Iterator[str]:
    """In the host's network stand pods of ours that take orders from whoever reaches them: no port but named ones."""
    for rule in graph.of_type(RULE):
        of = rule.inputs
        if of["direction"] != "INGRESS" or not of["networkSecurityGroupId"].endswith("-workers]"):
            continue
        options = of.get("tcpOptions") or of.get("udpOptions") or {}
        ports = options.get("destinationPortRange") or options.get("sourcePortRange") or {"min": 0, "max": 65535}
        named = ports["min"] == ports["max"] or ports == {"min": 30000, "max": 32767}
        if of["source"].endswith("-pods]") and of["protocol"] not in _ICMP and not named:
            yield f"{rule.name}: lets {of['protocol']} {ports} in from pods"


def permissions_are_narrow(graph: Graph) -> Iterator[str]:
    """Every statement names its compartment and a condition, and joining is to one cluster."""
    for policy in graph.of_type(POLICY):
        for statement in policy.inputs["statements"]:
            if statement == _LUSTRE:
                continue
            if "all-resources" in statement or " where " not in statement:
                yield f"{policy.name}: {statement}"
            if " in tenancy" in statement and "tag-namespaces" not in statement:
                yield f"{policy.name}: {statement}"
            if "{CLUSTER_JOIN}" in statement and "target.cluster.id = '" not in statement:
                yield f"{policy.name}: {statement}"


def files_are_kept_beside_the_nodes(graph: Graph) -> Iterator[str]:
    """A file system is where the GPUs are, in a group of its own, after a policy that lets its servers attach; and it
    goes with the stack only where somebody asked."""
    asked = any(each.inputs["lustre"].get("deletable") for each in graph.of_type(STORAGE))
    whole = [each.inputs for each in graph.of_type(WHOLE)]
    written = [text for policy in graph.of_type(POLICY) for text in policy.inputs["statements"]]
    for files in graph.of_type(FILES):
        if any(files.inputs["availabilityDomain"] != each["zone"] for each in whole):
            yield f"{files.name}: is not where the GPUs are"
        if bool(files.options.get("protect")) is asked:
            yield f"{files.name}: goes with the stack, or stays, whatever was asked"
        if not files.inputs.get("nsgIds"):
            yield f"{files.name}: nothing reaches its servers"
        if _LUSTRE not in written and not any(each.get("identity", {}).get("existing") for each in whole):
            yield f"{files.name}: Oracle may not attach its servers"
    for store in graph.of_type(STORAGE) if whole else ():
        if missing := {policy.urn for policy in graph.of_type(POLICY)} - set(store.dependencies):
            yield f"{store.name}: does not wait for {sorted(missing)}"
    for kept in (*graph.of_type(STORAGE), *graph.of_type(FILES)):
        if nodes := {maker.urn for _, maker in makers(graph)} & set(kept.dependencies):
            yield f"{kept.name}: where it is kept, {sorted(nodes)} stay with it"


def identity_is_written_at_home(graph: Graph) -> Iterator[str]:
    """IAM takes writes in the tenancy's home region alone."""
    homes = {each.urn for each in graph.of_type("pulumi:providers:oci") if each.name.endswith("-home")}
    for resource in graph.resources:
        if resource.type.startswith("oci:Identity/") and resource.provider not in homes:
            yield f"{resource.name}: under provider {resource.provider}"


def nodes_wait_for_their_policies(graph: Graph) -> Iterator[str]:
    """A node that nobody lets in gives up after some minutes."""
    policies = {each.urn for each in graph.of_type(POLICY)}
    for pool, _ in makers(graph):
        if missing := policies - set(pool.dependencies):
            yield f"{pool.name}: does not wait for {sorted(missing)}"


def blocks_avoid_rdma_ports(graph: Graph) -> Iterator[str]:
    """A host reaches these addresses over its RDMA ports, and nothing of ours there."""
    for name, block in ranges(graph):
        for taken in RDMA_RANGES:
            if block.overlaps(IPv4Network(taken)):
                yield f"{name}: {block} overlaps {taken}"


def both_families_go_all_the_way(graph: Graph) -> Iterator[str]:
    """Where a cluster has IPv6, so have the VCN and its private subnets, and each node that joins by itself."""
    wanted = any("IPv6" in each.inputs["options"].get("ipFamilies", []) for each in graph.of_type(CLUSTER))
    vcns = {f"[id of {each.type} {each.name}]": each.inputs for each in graph.of_type(VCN)}
    for subnet in graph.of_type(SUBNET):
        blocks = [IPv6Network(each) for each in subnet.inputs.get("ipv6cidrBlocks", [])]
        whole = [IPv6Network(each) for each in vcns[subnet.inputs["vcnId"]].get("ipv6privateCidrBlocks", [])]
        if not all(block.prefixlen == 64 and any(block.subnet_of(each) for each in whole) for block in blocks):
            yield f"{subnet.name}: {blocks} in a VCN of {whole}"
        if bool(blocks) is not wanted and not subnet.name.endswith(("-public-load-balancers", "-lustre")):
            yield f"{subnet.name}: has IPv6 {blocks}, the cluster {wanted}"
    for name, launch in launches(graph) if any(True for _ in graph.of_type(CLUSTER)) else ():
        said = (launch["createVnicDetails"].get("assignIpv6ip", False), "ip-families" in launch["metadata"])
        if said != (wanted, wanted):
            yield f"{name}: asks for an IPv6 address, and says so to its pods: {said}; the cluster {wanted}"


def gpus_have_one_owner(graph: Graph) -> Iterator[str]:
    """OKE's plugin is off exactly where the operator's or a DRA driver hands out the GPUs."""
    for release in graph.of_type(RELEASE):
        values = release.inputs["values"]
        if "gpuResourcesEnabledOverride" in values:
            (term,) = values["kubeletPlugin"]["affinity"]["nodeAffinity"][_REQUIRED]["nodeSelectorTerms"]
            names = term["matchExpressions"][0]["values"]
            claimed = {each.inputs["name"] for each, _ in makers(graph) if each.inputs.get("gpuAllocation") == "dra"}
            said = values["resources"]["gpus"]["enabled"]
            if said is not values["gpuResourcesEnabledOverride"] or said is not (set(names) <= claimed):
                yield f"{release.name}: hands out GPUs of {names}: {said}; claimed are those of {sorted(claimed)}"
    operator = any(each.inputs["addonName"] == "NvidiaGpuOperator" for each in graph.of_type(ADDON))
    for pool, maker in makers(graph):
        wanted = operator or pool.inputs.get("gpuAllocation") == "dra"
        said = str(wanted).lower()
        labels = {each["key"]: each["value"] for each in maker.inputs.get("initialNodeLabels", [])}
        texts = [launch["metadata"]["oke-initial-node-labels"] for _, launch in launches(graph)]
        found = labels.get(_NO_PLUGIN) if labels else None
        if found is None and any(f"{_NO_PLUGIN}={said}" in text and pool.inputs["name"] in text for text in texts):
            continue
        if found != said:
            yield f"{pool.name}: {_NO_PLUGIN} is {found}, wanted {said}"


def pods_have_every_rail(graph: Graph) -> Iterator[str]:
    """A pod of a whole node names as many networks as it asks for virtual functions: one for each rail."""
    for job in graph.of_type("kubernetes:kubeflow.org/v2beta1:MPIJob"):
        worker = job.inputs["spec"]["mpiReplicaSpecs"]["Worker"]["template"]
        (container,) = worker["spec"]["containers"]
        asked = [int(n) for name, n in container["resources"].get("limits", {}).items() if name != "nvidia.com/gpu"]
        networks = worker["metadata"].get("annotations", {}).get("k8s.v1.cni.cncf.io/networks", "")
        if asked and len(networks.split(",")) != asked[0]:
            yield f"{job.name}: {asked[0]} functions and networks {networks}"
        for pool in (pool for pool, _ in makers(graph) if job.name.endswith(f"-{pool.inputs['name']}-test")):
            machine = find(pool.inputs["machine"], "oke")
            if asked and machine is not None and asked[0] != machine.nics:
                yield f"{job.name}: {asked[0]} functions of {machine.nics} rails"


def consoles_show_names(graph: Graph) -> Iterator[str]:
    """Of all that Oracle knows by an OCID alone: the display name is that of the resource, or the part of it that stays
    the same."""
    shown = {each.type for each in graph.resources if "displayName" in each.inputs}
    for resource in (each for each in graph.resources if each.type in shown):
        name = resource.inputs.get("displayName", "")
        if not name or not (resource.name.endswith(name) or name.startswith(resource.name)):
            yield f"{resource.urn}: its display name is {name!r}"
