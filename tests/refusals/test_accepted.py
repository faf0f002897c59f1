"""What is right is let in: each of these was refused once, or stands beside what is."""

from pathlib import Path

import pytest
from tests.refusals.running import command

_FIVE = ", ".join(f"{{network: n{i}, subnetwork: s{i}}}" for i in range(5))
_OKE = ", ".join(
    f"{key}: ocid1.subnet.oc1..a" for key in ("apiSubnet", "workerSubnet", "podSubnet", "loadBalancerSubnet")
)
_OKE_NETWORK = f"existing: {{vcn: ocid1.vcn.oc1..a, {_OKE}, cidrs: [10.0.0.0/16]}}"
_AKS_CLUSTER = (
    "kubernetes={name: c, existing: {server: 'https://c.hcp.southcentralus.azmk8s.io:443', caCertificate: YQ==}, "
    "metrics: false}"
)
_SPOT = "capacity: {spot: true}"
_AKS_NETWORK_OF_A_LOAD_BALANCER = (
    "network={existing: {subnet: /subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/"
    "subnets/n, cidrs: [10.1.0.0/16], outbound: load-balancer}}"
)
_AKS_NETWORK = (
    "network={existing: {subnet: /subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/"
    "subnets/n, cidrs: [10.1.0.0/16], outbound: nat-gateway}}"
)


@pytest.mark.parametrize(
    ("stack", "sets"),
    [
        # Documented defaults beside what makes them say nothing.
        ("gke", ["storage={objectStore: {bucket: my-data, deletable: false}}"]),
        ("eks", ["storage={objectStore: {bucket: my-data, deletable: false}}"]),
        ("aks", ["storage={objectStore: {account: mydata, container: data, deletable: false}}"]),
        ("aks", [_AKS_CLUSTER, _AKS_NETWORK]),
        ("oke", [f"network={{{_OKE_NETWORK}, statelessRules: false, publicLoadBalancers: false}}"]),
        ("gce", [f"network={{existing: [{_FIVE}], iapSsh: true}}"]),
        # Limits that are Google's and Kubernetes' own.
        ("gce", ["pools[0].name=a-pool-whose-name-has-thirty-two"]),
        ("gke", ["queues={enabled: true, priorities: {low: -2147483648, high: 1000000000}}"]),
        # A pool of one node beside one of two.
        (
            "gce",
            [
                "acceptance.compare=true",
                "pools[0].nodes=1",
                f"pools[1]={{name: b, machine: a3-highgpu-8g, nodes: 2, {_SPOT}}}",
            ],
        ),
        # Names of zones and locations that are longer than most.
        ("gke", ["zone=us-central1-ai1a", "pools[0].capacity={reservation: {name: r, zone: us-central1-ai1a}}"]),
        ("gce", ["zone=us-south1-ai1b"]),
        ("aks", ["azure-native:location=eastus2euap"]),
        # Beside a limit.
        ("aks", [_AKS_NETWORK_OF_A_LOAD_BALANCER, "pools[0].nodes=100", "network.maxNodes=100"]),
        ("oke", ["network.maxNodes=507"]),
        ("oke", ["network.maxNodes=2000", "kubernetes.cni=flannel"]),
        ("oke", ["oci:region=ap-osaka-1", "zone='1'"]),
        ("aks", ["pools[0].osDiskGb=2048"]),
        ("gce", ["system={image: projects/my-project/global/images/my-cos, driver: R525}"]),
        ("eks", ["kubernetes.publicCidrs=[" + ", ".join(f"203.0.113.{i}/32" for i in range(40)) + "]"]),
        (
            "aks",
            ["kubernetes.publicCidrs=[" + ", ".join(f"203.0.113.{i}/32" for i in range(199)) + "]"],
        ),  # and the NAT gateway's
    ],
)
def test_accepted(stack: str, sets: list[str]):
    code, _, err = command("plan", stack, *(word for override in sets for word in ("--set", override)))

    assert (code, err) == (0, "")


ENCRYPTED = """
config:
  aws:region: us-east-2
  rdma-cluster:cloud: eks
  rdma-cluster:zone: us-east-2a
  rdma-cluster:network: {controlPlaneZones: [us-east-2b]}
  rdma-cluster:kubernetes: {admins: ["arn:aws:iam::111122223333:role/admin"], secretsKey: {secure: v1:key}}
  rdma-cluster:pools:
  - {name: a, machine: p5.48xlarge, nodes: 2, capacity: {capacityBlock: {id: {secure: v1:block}}}}
"""


def test_encrypted_below_the_top(tmp_path: Path):
    """Ids of other resources may be secret, at whatever depth; the program runs with them, too."""
    file = tmp_path / "Pulumi.eks.yaml"
    file.write_text(ENCRYPTED)

    for verb in ("plan", "preview"):
        code, _, err = command(verb, "eks", "--config", str(file))
        assert (code, err) == (0, "")


def test_addons_that_are_off_ask_nothing_of_the_stack():
    """Their keys are checked, what they need of the cluster is not."""
    sets = ["pools[0].gpuAllocation=device-plugin", "injection={enabled: false, nemo: true}"]
    code, _, err = command("plan", "gke-a3-ultra", *(word for override in sets for word in ("--set", override)))

    assert (code, err) == (0, "")


def test_an_addon_that_is_off_hides_no_other():
    """One with nothing but its switch stands before one whose keys are wrong."""
    sets = ["injection.enabled=false", "queues={enabled: false, priorities: {Low: 1}}"]
    code, _, err = command("plan", "gke", *(word for override in sets for word in ("--set", override)))

    assert (code, "queues.priorities" in err) == (2, True), err
