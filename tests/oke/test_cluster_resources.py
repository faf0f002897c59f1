"""Each resource of a cluster, its network and its identity whole: what Oracle's API and the engine are told."""

import json
from functools import cache
from typing import Any

import pytest
from rdma_cluster import oke
from rdma_cluster.offline import Graph, preview

from tests.oke.plans import CLUSTER, COMPARTMENT, IN_CLUSTER, NETWORK, OF_CLUSTER, TENANCY, ZONE, built, made

HOUR = {"customTimeouts": {"create": "60m", "update": "60m", "delete": "60m"}}
VCN = "[id of oci:Core/vcn:Vcn oke]"
IN_VCN = {"compartmentId": COMPARTMENT, "vcnId": VCN}
SERVICES = "All REG Services In Oracle Services Network"
RULE = "NetworkSecurityGroupSecurityRule"
ADDONS = {"addons": ["NvidiaNetworkOperator", "NodeFeatureDiscovery"]}
BOTH: dict[str, Any] = {"public_cidrs": ["203.0.113.7/32"], "dual_stack": True}
LINK = "https://objectstorage.eu-frankfurt-1.oraclecloud.com/p/x/n/y/b/images/o/mine.oci"
OF_IAM: dict[str, Any] = {**{key: IN_CLUSTER[key] for key in ("region", "tenancy", "compartment")}, "cluster": CLUSTER}


@cache
def cluster(plain: bool = False) -> Graph:
    """A cluster with all its choices, or with none."""
    more = {"secrets_key": "ocid1.key.oc1..a", "protected": True, "worker_groups": ["wg"], "pod_groups": ["pg"]}
    families = {"dual_stack": True, "endpoint": "public", "public_cidrs": ["203.0.113.7/32"], "api_groups": ["ag"]}
    return built("OkeCluster", {**OF_CLUSTER, **({} if plain else {**ADDONS, **more, **families})})


@cache
def network(stateless: bool = False) -> Graph:
    """A network of both families with a public API, or one of IPv4 whose rules keep no state."""
    return built("OkeHpcNetwork", {**NETWORK, **({"stateless_rules": True} if stateless else BOTH)})


@pytest.mark.parametrize("plain", [False, True])
def test_cluster(plain: bool):
    """Enhanced; with a key, both families, a public API and groups where these are asked for."""
    inputs, options, after = made(cluster(plain), "Cluster", "oke")
    choices = {"kmsKeyId": "ocid1.key.oc1..a"}
    families = {"ipFamilies": ["IPv4", "IPv6"]}

    assert inputs == {
        "name": "oke",
        "compartmentId": COMPARTMENT,
        "vcnId": "v",
        "kubernetesVersion": "v1.36.1",
        "type": "ENHANCED_CLUSTER",
        "endpointConfig": {"subnetId": "a", "isPublicIpEnabled": not plain, "nsgIds": [] if plain else ["ag"]},
        "clusterPodNetworkOptions": [{"cniType": "OCI_VCN_IP_NATIVE"}],
        "options": {
            "serviceLbSubnetIds": ["ocid1.subnet.oc1..balancers"],
            "kubernetesNetworkConfig": {"servicesCidr": "10.96.0.0/16"},
            **({} if plain else families),
        },
        **({} if plain else choices),
    }
    assert options == {**HOUR, "deleteBeforeReplace": True, **({} if plain else {"protect": True})}
    assert after == set()


@pytest.mark.parametrize("plain", [False, True])
def test_system_nodes(plain: bool):
    """Three small ones of OKE's own image, whose newer ones are the user's choice."""
    inputs, options, after = made(cluster(plain), "NodePool", "oke-system")

    assert inputs == {
        "name": "system",
        "compartmentId": COMPARTMENT,
        "clusterId": "[id of oci:ContainerEngine/cluster:Cluster oke]",
        "kubernetesVersion": "v1.36.1",
        "nodeShape": "VM.Standard.E5.Flex",
        "nodeShapeConfig": {"ocpus": 4, "memoryInGbs": 16},
        "nodeSourceDetails": {
            "sourceType": "IMAGE",
            "imageId": "[id of Oracle-Linux-8.10-2026.06.30-0-OKE-1.36.1-1330]",
            "bootVolumeSizeInGbs": "128",
        },
        "nodeConfigDetails": {
            "size": 3,
            "placementConfigs": [{"availabilityDomain": ZONE, "subnetId": "w"}],
            "nsgIds": [] if plain else ["wg"],
            "nodePoolPodNetworkOptionDetails": {
                "cniType": "OCI_VCN_IP_NATIVE",
                "maxPodsPerNode": 93,
                "podSubnetIds": ["ocid1.subnet.oc1..pods"],
                "podNsgIds": [] if plain else ["pg"],
            },
        },
        "nodeMetadata": {"oke-kubeproxy-proxy-mode": "ipvs", "areLegacyImdsEndpointsDisabled": "true"},
    }
    assert options == {**HOUR, "ignoreChanges": ["nodeSourceDetails.imageId"]}
    assert after == {"Cluster oke"}


@pytest.mark.parametrize(
    ("name", "further", "after"),
    [
        ("NodeFeatureDiscovery", {"configurations": []}, {"Cluster oke", "NodePool oke-system"}),
        (
            "NvidiaNetworkOperator",
            {"version": "v25.10.0", "configurations": [{"key": "sriovNetworkOperator.enabled", "value": "true"}]},
            {"Cluster oke", "Addon oke-NodeFeatureDiscovery"},
        ),
    ],
)
def test_addon(name: str, further: dict[str, Any], after: set[str]):
    """In place of what is there, and gone with all that it made; each waits for the one before."""
    inputs, options, waits = made(cluster(), "Addon", f"oke-{name}")

    assert inputs == {
        "clusterId": "[id of oci:ContainerEngine/cluster:Cluster oke]",
        "addonName": name,
        "overrideExisting": True,
        "removeAddonResourcesOnDelete": True,
        **further,
    }
    assert (options, waits) == ({}, after)


@pytest.mark.parametrize(
    ("endpoint", "server"), [("private", "https://192.0.2.1:6443"), ("public", "https://203.0.113.1:6443")]
)
def test_addresses_of_an_existing_cluster(endpoint: str, server: str):
    """Clients come by the endpoint that is chosen, nodes always by the private one."""
    there = {**OF_CLUSTER, "version": "1.35.2", "existing": {"id": CLUSTER}, "name": "mine", "endpoint": endpoint}
    told: list[str] = []

    def program() -> None:
        oke.OkeCluster("oke", there).kubeconfig.apply(told.append)  # ty: ignore[invalid-argument-type]

    component = preview(program).one("rdma-cluster:index:OkeCluster", "oke")
    said = json.loads(told[0])

    assert (component.outputs["id"], component.outputs["name"]) == (CLUSTER, "mine")
    assert component.outputs["apiHost"] == "192.0.2.1"
    assert said["clusters"][0]["cluster"]["server"] == server
    assert said["users"][0]["user"]["exec"]["args"] == [
        "ce", "cluster", "generate-token", "--cluster-id", CLUSTER, "--region", "eu-frankfurt-1"
    ]  # fmt: skip


def test_vcn():
    """Its blocks, and no address of the internet's; its name for hosts is the first that it had."""
    inputs, options, _ = made(network(), "Vcn", "oke")

    assert inputs == {
        "compartmentId": COMPARTMENT,
        "cidrBlocks": ["10.140.0.0/16"],
        "isIpv6enabled": True,
        "isOracleGuaAllocationEnabled": False,
        "ipv6privateCidrBlocks": ["fd00:10:140::/56"],
        "displayName": "oke",
        "dnsLabel": "oke",
    }
    assert options == {"replacementTrigger": "10.140.0.0/16, fd00:10:140::/56", "ignoreChanges": ["dnsLabel"]}
    inputs, options, _ = made(network(stateless=True), "Vcn", "oke")
    assert inputs.keys() == {"compartmentId", "cidrBlocks", "displayName", "dnsLabel"}
    assert options["replacementTrigger"] == "10.140.0.0/16"


@pytest.mark.parametrize(
    ("token", "name", "inputs"),
    [
        ("NatGateway", "oke-nat", {}),
        ("InternetGateway", "oke-internet", {"enabled": True}),
        ("ServiceGateway", "oke-services", {"services": [{"serviceId": f"[id of {SERVICES}]"}]}),
        ("SecurityList", "oke-closed", {}),
        ("NetworkSecurityGroup", "oke-workers", {}),
        (
            "RouteTable",
            "oke-public",
            {
                "routeRules": [
                    {
                        "destination": "0.0.0.0/0",
                        "destinationType": "CIDR_BLOCK",
                        "networkEntityId": "[id of oci:Core/internetGateway:InternetGateway oke-internet]",
                    }
                ]
            },
        ),
        (
            "RouteTable",
            "oke-private",
            {
                "routeRules": [
                    {
                        "destination": "0.0.0.0/0",
                        "destinationType": "CIDR_BLOCK",
                        "networkEntityId": "[id of oci:Core/natGateway:NatGateway oke-nat]",
                    },
                    {
                        "destination": "all-reg-services-in-oracle-network",
                        "destinationType": "SERVICE_CIDR_BLOCK",
                        "networkEntityId": "[id of oci:Core/serviceGateway:ServiceGateway oke-services]",
                    },
                ]
            },
        ),
    ],
)  # fmt: skip
def test_part_of_a_vcn(token: str, name: str, inputs: dict[str, Any]):
    """Gateways, routes, the list that is empty, and groups, each under its name."""
    found, options, _ = made(network(), token, name)

    assert found == {**IN_VCN, "displayName": name, **inputs}
    assert options == {}


@pytest.mark.parametrize(
    ("part", "cidr", "ipv6", "dns", "way"),
    [
        ("api", "10.140.255.64/29", "fd00:10:140::/64", "api", "public"),
        ("load-balancers", "10.140.255.0/27", "fd00:10:140:1::/64", "loadbalancers", "private"),
        ("workers", "10.140.64.0/24", "fd00:10:140:3::/64", "workers", "private"),
    ],
)
def test_subnet(part: str, cidr: str, ipv6: str, dns: str, way: str):
    """Closed but by its groups; only what the internet reaches has a way in from there."""
    inputs, options, _ = made(network(), "Subnet", f"oke-{part}")

    assert inputs == {
        **IN_VCN,
        "displayName": f"oke-{part}",
        "cidrBlock": cidr,
        "ipv6cidrBlocks": [ipv6],
        "dnsLabel": dns,
        "prohibitPublicIpOnVnic": way == "private",
        "prohibitInternetIngress": way == "private",
        "routeTableId": f"[id of oci:Core/routeTable:RouteTable oke-{way}]",
        "securityListIds": ["[id of oci:Core/securityList:SecurityList oke-closed]"],
    }
    assert options == {"deleteBeforeReplace": True}
    assert "ipv6cidrBlocks" not in made(network(stateless=True), "Subnet", f"oke-{part}")[0]


def group(name: str) -> str:
    """The OCID of a group."""
    return f"[id of oci:Core/networkSecurityGroup:NetworkSecurityGroup oke-{name}]"


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        (
            "api-to-services-tcp",
            {
                "networkSecurityGroupId": group("api"),
                "direction": "EGRESS",
                "protocol": "6",
                "description": "control plane to Oracle's services",
                "destination": "all-reg-services-in-oracle-network",
                "destinationType": "SERVICE_CIDR_BLOCK",
                "stateless": False,
            },
        ),
        (
            "workers-from-load-balancers-udp-30000",
            {
                "networkSecurityGroupId": group("workers"),
                "direction": "INGRESS",
                "protocol": "17",
                "description": "load balancers to node ports",
                "source": group("load-balancers"),
                "sourceType": "NETWORK_SECURITY_GROUP",
                "stateless": True,
                "udpOptions": {"destinationPortRange": {"min": 30000, "max": 32767}},
            },
        ),
        (
            "api-to-workers-tcp-6443-reply",
            {
                "networkSecurityGroupId": group("api"),
                "direction": "EGRESS",
                "protocol": "6",
                "description": "nodes to the Kubernetes API: replies",
                "destination": group("workers"),
                "destinationType": "NETWORK_SECURITY_GROUP",
                "stateless": True,
                "tcpOptions": {"sourcePortRange": {"min": 6443, "max": 6443}},
            },
        ),
        (
            "workers-from-api-icmp",
            {
                "networkSecurityGroupId": group("workers"),
                "direction": "INGRESS",
                "protocol": "1",
                "description": "path MTU discovery",
                "source": group("api"),
                "sourceType": "NETWORK_SECURITY_GROUP",
                "stateless": True,
                "icmpOptions": {"type": 3, "code": 4},
            },
        ),
        (
            "workers-to-anywhere",
            {
                "networkSecurityGroupId": group("workers"),
                "direction": "EGRESS",
                "protocol": "all",
                "description": "nodes to registries, through the NAT gateway",
                "destination": "0.0.0.0/0",
                "destinationType": "CIDR_BLOCK",
                "stateless": False,
            },
        ),
    ],
)
def test_rule(name: str, rule: dict[str, Any]):
    """Out or in, from or to a group, a block or Oracle's services, by one protocol, to ports or from them."""
    assert made(network(stateless=True), RULE, f"oke-{name}")[:2] == (rule, {})


def test_policies():
    """In the compartment and in the tenancy, in the home region, and gone before others of their names come."""
    graph = built("OkeIdentityPolicies", {**OF_IAM, "modes": ["instances", "gpu-memory-cluster"], "lustre": True})
    of_nodes, options, after = made(graph, "Policy", "oke-nodes")
    of_tenancy, _, _ = made(graph, "Policy", "oke-tenancy")
    statements = of_nodes.pop("statements")
    words = {"description": "Nodes of OKE cluster oke"}

    assert of_nodes == {"compartmentId": COMPARTMENT, "name": "oke-nodes", **words}
    assert len(statements) == 5 and all(f"in compartment id {COMPARTMENT} " in each for each in statements)
    assert of_tenancy == {
        "compartmentId": TENANCY,
        "name": "oke-tenancy",
        **words,
        "statements": [
            "Allow any-user to use tag-namespaces in tenancy where request.principal.type = "
            "'compute-gpu-memory-clusters'",
            "Allow service lustrefs to use virtual-network-family in tenancy",
        ],
    }
    assert (options, after) == ({"deleteBeforeReplace": True}, {"DynamicGroup oke-nodes"})
    assert made(graph, "DynamicGroup", "oke-nodes")[:2] == (
        {
            "compartmentId": TENANCY,
            "name": "oke-nodes",
            **words,
            "matchingRule": f"ALL {{instance.compartment.id = '{COMPARTMENT}'}}",
        },
        {"deleteBeforeReplace": True},
    )
    component = graph.one("rdma-cluster:index:OkeIdentityPolicies", "oke")
    assert component.outputs == {"statements": [*statements, *of_tenancy["statements"]]}


def test_group_of_a_domain():
    """As the domain's API writes it."""
    domain = {"name": "Default", "url": "https://idcs-1.identity.oraclecloud.com:443"}
    graph = built("OkeIdentityPolicies", {**OF_IAM, "modes": ["instances"], "domain": domain})

    assert made(graph, "DomainsDynamicResourceGroup", "oke-nodes")[:2] == (
        {
            "idcsEndpoint": domain["url"],
            "schemas": ["urn:ietf:params:scim:schemas:oracle:idcs:DynamicResourceGroup"],
            "displayName": "oke-nodes",
            "description": "Nodes of OKE cluster oke",
            "matchingRule": f"ALL {{instance.compartment.id = '{COMPARTMENT}'}}",
        },
        {"deleteBeforeReplace": True},
    )


def test_image():
    """Imported once, whatever becomes of its link; 20 GB take their time; an entry for its shape."""
    graph = built("OkeImportedImage", {"compartment": COMPARTMENT, "machines": ["BM.GPU.H100.8"], "url": LINK})

    assert made(graph, "Image", "oke-mine")[:2] == (
        {
            "compartmentId": COMPARTMENT,
            "displayName": "mine",
            "imageSourceDetails": {"sourceType": "objectStorageUri", "sourceUri": LINK},
        },
        {"customTimeouts": {"create": "3h", "delete": "1h"}, "ignoreChanges": ["imageSourceDetails"]},
    )
    assert made(graph, "ShapeManagement", "oke-mine-BM.GPU.H100.8")[:2] == (
        {
            "compartmentId": COMPARTMENT,
            "imageId": "[id of oci:Core/image:Image oke-mine]",
            "shapeName": "BM.GPU.H100.8",
        },
        {},
    )
    assert graph.one("rdma-cluster:index:OkeImportedImage", "oke").outputs == {
        "image": "[id of oci:Core/image:Image oke-mine]"
    }


@pytest.mark.parametrize(("deletable", "options"), [(False, {"protect": True}), (True, {})])
def test_file_system(deletable: bool, options: dict[str, bool]):
    """Of the size and the tier, in the servers' subnet; root of a pod is root of its files."""
    lustre = {"capacity_gb": 31_200, "mbps_per_tb": 250, "deletable": deletable}
    args = {**IN_CLUSTER, "subnet": "s", "groups": ["g"], "namespaces": ["a"], "lustre": lustre}
    found = made(built("OkeStorage", args), "FileStorageLustreFileSystem", "oke-storage")

    assert found[:2] == (
        {
            "compartmentId": COMPARTMENT,
            "availabilityDomain": ZONE,
            "displayName": "oke-storage",
            "fileSystemName": "data",
            "capacityInGbs": 31_200,
            "performanceTier": "MBPS_PER_TB_250",
            "rootSquashConfiguration": {"identitySquash": "NONE"},
            "subnetId": "s",
            "nsgIds": ["g"],
        },
        {"customTimeouts": {"create": "120m", "update": "120m", "delete": "60m"}, **options},
    )
