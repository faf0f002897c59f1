"""What networks and machines of a graph without Kubernetes must keep to."""

import json
import re
from collections.abc import Iterator

from pulumi_offline import Graph
from rdma_cluster.catalog.gce_image import CONTAINER_IMAGES
from tests.gce.readers import INSTANCE, SUBNET, VMS, machines_of
from tools.api import google

NETWORK = "rdma-cluster:index:GceHpcNetwork"
VPC = "gcp:compute/network:Network"
FIREWALL = "gcp:compute/firewall:Firewall"
_IAP = ["35.235.240.0/20"]
_READ = re.compile(r"attributes/([\w-]+)")
_EFFECTIVE = re.compile(r"Effective ([\w-]+) value")
OF_COS = {
    "user-data",  # docs.cloud.google.com/container-optimized-os/docs/how-to/create-configure-instance
    "google-logging-enabled",  # docs.cloud.google.com/container-optimized-os/docs/how-to/logging
    "cos-update-strategy",  # docs.cloud.google.com/container-optimized-os/docs/concepts/auto-update
    # Compute Engine's own, which the API tells by another name (vmDnsSettingMetadataValue):
    "VmDnsSetting",  # docs.cloud.google.com/compute/docs/metadata/predefined-metadata-keys
}
"""Keys that Google's software on the machine reads, each with the page that has it (2026-11-23)."""


def machines_have_no_public_address(graph: Graph) -> Iterator[str]:
    """An interface with an access configuration is on the internet."""
    for machine in graph.of_type(INSTANCE):
        if any(nic.get("accessConfigs") for nic in machine.inputs["networkInterfaces"]):
            yield f"{machine.name}: has a public address"


def nics_are_in_order(graph: Graph) -> Iterator[str]:
    """eth0's network, then a gVNIC on every rail in its order; no two NICs in one VPC."""
    made = [subnet.name for subnet in graph.of_type(SUBNET)]
    rails = sorted((name for name in made if "-rail-" in name), key=lambda name: int(name.rpartition("-")[2]))
    for machine in graph.of_type(INSTANCE):
        nics = machine.inputs["networkInterfaces"]
        names = [nic["subnetwork"] for nic in nics]
        if made and not (names[0].endswith("-primary") and names[1:] == rails):
            yield f"{machine.name}: NICs on {names}"
        if len({nic["network"] for nic in nics}) != 5 or any(nic["nicType"] != "GVNIC" for nic in nics):
            yield f"{machine.name}: NICs {nics}"


def packets_have_one_size(graph: Graph) -> Iterator[str]:
    """All networks carry the packets that TCPX wants."""
    for vpc in graph.of_type(VPC):
        if vpc.inputs.get("mtu") != 8244:
            yield f"{vpc.name}: MTU {vpc.inputs.get('mtu')}"


def ways_in_are_few(graph: Graph) -> Iterator[str]:
    """A rule lets in its own subnet, or Identity-Aware Proxy to the port of SSH alone."""
    blocks = {subnet.name: subnet.inputs["ipCidrRange"] for subnet in graph.of_type(SUBNET)}
    for rule in graph.of_type(FIREWALL):
        sources = rule.inputs.get("sourceRanges")
        ssh = rule.inputs["allows"] == [{"protocol": "tcp", "ports": ["22"]}]
        if sources != [blocks.get(rule.name)] and not (sources == _IAP and ssh):
            yield f"{rule.name}: lets in {sources}"


def subnets_hold_the_ceiling(graph: Graph) -> Iterator[str]:
    """Every subnet holds as many machines as the network was told, and the pools fit below that."""
    for network in graph.of_type(NETWORK):
        ceiling = network.inputs.get("maxNodes", 250)
        if (asked := len(graph.of_type(INSTANCE))) > ceiling:
            yield f"{asked} machines over a ceiling of {ceiling}"
        for subnet in graph.of_type(SUBNET):
            holds = 2 ** (32 - int(subnet.inputs["ipCidrRange"].partition("/")[2])) - 4
            if holds < ceiling:
                yield f"{subnet.name}: holds {holds} machines of {ceiling}"


def capacity_has_one_source(graph: Graph) -> Iterator[str]:
    """A machine that Google takes back uses no reservation, is not restarted by itself, and says what becomes of it."""
    for machine in graph.of_type(INSTANCE):
        scheduling = machine.inputs["scheduling"]
        if (model := scheduling["provisioningModel"]) == "STANDARD":
            continue
        affinity = machine.inputs.get("reservationAffinity", {"type": "NO_RESERVATION"})
        if affinity != {"type": "NO_RESERVATION"} or scheduling["automaticRestart"]:
            yield f"{machine.name}: {model} with a reservation or a restart"
        if not scheduling.get("instanceTerminationAction"):
            yield f"{machine.name}: {model}, and nothing says what becomes of it"


def every_pool_is_ordered_alike(graph: Graph) -> Iterator[str]:
    """All machines of a pool have one order; the first one alone has the judge, and all may leave a verdict."""
    for vms in graph.of_type(VMS):
        machines = [each.inputs["metadata"] for each in machines_of(graph, vms)]
        if len({each.get("nccl-acceptance") for each in machines}) != 1:
            yield f"{vms.name}: several orders"
        leads = ["expect/expectation.json" in json.loads(each.get("nccl-acceptance-judge", "{}")) for each in machines]
        if any(leads[1:]) or leads[0] is not ("nccl-acceptance" in machines[0]):
            yield f"{vms.name}: led by {leads}"
        if any(each.get("enable-guest-attributes") != "TRUE" for each in machines):
            yield f"{vms.name}: cannot leave a verdict"


def metadata_fits(graph: Graph) -> Iterator[str]:
    """262,144 bytes a value and 512 KB in all: compute.v1 Metadata."""
    for machine in graph.of_type(INSTANCE):
        sizes = [len(value.encode()) for value in machine.inputs["metadata"].values()]
        if max(sizes) > 262_144 or sum(sizes) > 512_000:
            yield f"{machine.name}: metadata of {max(sizes)} and {sum(sizes)} bytes"


def metadata_is_read(graph: Graph) -> Iterator[str]:
    """A key that neither Google's software nor a script of ours reads is misspelt: nobody refuses it.

    The list of images is read by `rdma-cluster artifacts`.
    """
    for machine in graph.of_type(INSTANCE):
        ours = set(_READ.findall(json.dumps(machine.inputs)))
        for key in sorted(set(machine.inputs["metadata"]) - ours - _of_compute_engine() - OF_COS - {CONTAINER_IMAGES}):
            yield f"{machine.name}: nobody reads the metadata {key}"


def _of_compute_engine() -> set[str]:
    """The keys whose effective values the API tells."""
    told = google.schema("compute.v1", "ResourceStatusEffectiveInstanceMetadata").members().values()
    return {found[1] for member in told if (found := _EFFECTIVE.match(member.words))}
