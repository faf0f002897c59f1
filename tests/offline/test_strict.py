"""Inputs against the SDKs' own Args classes: what is wrong at any depth is found, what is right is left alone."""

from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_azure_native as azure
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s
import pulumi_oci as oci
import pytest
from pulumi_offline import BrokenProgram, Problem, check_inputs, preview
from pulumi_offline.codec import SECRET, SIGNATURE
from pulumi_offline.unknowns import UNKNOWN


def problems(program) -> list[str]:
    """Path and message of every problem of a program."""
    with pytest.raises(BrokenProgram) as caught:
        preview(program)
    return [f"{problem.path}: {problem.message}" for problem in caught.value.problems]


def node_pool(**accelerator) -> None:
    gcp.container.NodePool(
        "a4", cluster="c", node_config={"guest_accelerators": [{"type": "nvidia-b200", "count": 8, **accelerator}]}
    )


def launch_template(interface: dict) -> None:
    interfaces: Any = [{"device_index": 0, "interface_type": "efa"}, interface]
    aws.ec2.LaunchTemplate("p6", network_interfaces=interfaces)


def agent_pool(**more) -> None:
    azure.containerservice.AgentPool("nd", resource_group_name="g", resource_name_="c", **more)


def oci_pool(pool: Any) -> None:
    oci.core.ClusterNetwork("h100", compartment_id="c", instance_pools=[pool], placement_configuration=PLACEMENT)


def daemon_set(container: dict) -> None:
    pod = {"containers": [{"name": "a", "image": "i"}, container]}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod}
    spec: Any = {"selector": {"match_labels": {"a": "b"}}, "template": template}
    k8s.apps.v1.DaemonSet("nccl", spec=spec)


PLACEMENT: Any = {"availability_domain": "ad", "primary_subnet_id": "s"}

POLICY: Any = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}],
}

SEEDED = [
    (
        lambda: node_pool(gpu_driver_installation_confg={"gpu_driver_version": "LATEST"}),
        "nodeConfig.guestAccelerators[0].gpu_driver_installation_confg: unknown property of "
        "NodePoolNodeConfigGuestAcceleratorArgs; did you mean gpu_driver_installation_config",
    ),
    (
        lambda: launch_template({"deviceIndx": 1}),
        "networkInterfaces[1].deviceIndx: unknown property of LaunchTemplateNetworkInterfaceArgs; "
        "did you mean deviceIndex",
    ),
    (lambda: agent_pool(os_sku="Ubunto"), "osSKU: 'Ubunto' is not a known OSSKU; did you mean Ubuntu"),
    (lambda: agent_pool(count=2.5), "count: 2.5 is not int"),
    (
        lambda: oci_pool({"instance_configuration_id": "i"}),
        "instancePools[0].size: required by ClusterNetworkInstancePoolArgs",
    ),
    (
        lambda: daemon_set({"name": "b", "args": "--fast"}),
        "spec.template.spec.containers[1].args: '--fast' is not a list",
    ),
    (
        lambda: daemon_set({"name": "b", "resources": "1"}),
        "spec.template.spec.containers[1].resources: '1' is not the object ResourceRequirementsArgs",
    ),
]


@pytest.mark.parametrize(("program", "expected"), SEEDED, ids=[expected.partition(":")[0] for _, expected in SEEDED])
def test_a_seeded_error_is_found_with_its_path(program, expected):
    """One slip is one problem, at the right place."""
    assert problems(program) == [expected]


def good() -> None:
    """A sound program with all five SDKs and their odd corners."""
    node_pool(gpu_driver_installation_config={"gpu_driver_version": "LATEST"})
    launch_template({"device_index": 1, "network_card_index": 1, "interface_type": "efa-only"})
    agent_pool(count=2, os_sku=azure.containerservice.OSSKU.UBUNTU, gpu_profile={"driver": "Install"}, node_taints=[])
    oci_pool({"instance_configuration_id": "i", "size": 2})
    daemon_set({"name": "b", "resources": {"limits": {"nvidia.com/gpu": "8"}}})
    aws.ec2.SecurityGroup("sg", ingress=[{"protocol": "-1", "from_port": 0, "to_port": 0, "self": True}])
    aws.ec2.SecurityGroupRule(
        "all", type="ingress", protocol="-1", from_port=0, to_port=0, self=True, security_group_id="sg"
    )
    aws.iam.Role("role", assume_role_policy=POLICY)
    metrics: Any = {"streams": ["Microsoft-PrometheusMetrics"]}
    azure.monitor.DataCollectionRule(
        "metrics", resource_group_name="g", data_flows=[metrics], data_sources={"prometheus_forwarder": [metrics]}
    )
    k8s.helm.v3.Release("drivers", chart="gpu-operator", values={"any": {"thing_at": ["all", {"goes": 1}]}})
    k8s.apiextensions.CustomResource("cr", api_version="a.b/v1", kind="Net", metadata={"name": "n"}, spec={"x_y": 1})
    k8s.core.v1.Secret("secret", string_data=pulumi.Output.secret({"a": "b"}))
    k8s.core.v1.ConfigMap("unknown", data={"a": pulumi.StackReference("o/p/s").get_output("x")})
    gcp.storage.BucketObject("asset", bucket="b", source=pulumi.StringAsset("text"))
    k8s.Provider("provider", kubeconfig='{"kind": "Config"}', enable_server_side_apply=True)
    batching: Any = {"enableBatching": False}
    gcp.Provider("west", project="p", default_labels={"a": "b"}, batching=batching)


def test_a_sound_program_has_no_problems():
    """Secrets, unknowns, assets, enums, custom resources, Helm values and providers are let through."""
    assert len(preview(good).resources) == 17


def test_a_policy_given_as_an_object_comes_back_as_text():
    """A provider turns it into JSON, which a program may read again."""

    def program() -> None:
        role = aws.iam.Role("role", assume_role_policy=POLICY)
        pulumi.export("policy", role.assume_role_policy.apply(lambda policy: policy[:1]))

    assert preview(program).outputs == {"policy": "{"}


def test_a_value_of_the_wrong_shape_is_an_error_and_no_crash():
    """The SDK would stumble over it when it reads the outputs back; the list of problems has to come first."""
    count: Any = {"a": 1}

    assert problems(lambda: gcp.container.NodePool("n", cluster="c", node_count=count)) == [
        "nodeCount: {'a': 1} is not int"
    ]


def test_the_nearest_of_several_alternatives_is_named():
    """A policy is text or an object; whoever gives an object wants to know what it lacks."""
    policy: Any = {"Version": "2012-10-17"}

    assert problems(lambda: aws.iam.Role("role", assume_role_policy=policy)) == [
        "assumeRolePolicy.Statement: required by PolicyDocumentArgs"
    ]


def test_an_error_inside_a_provider_is_found():
    """The SDK does not translate keys in a provider's JSON, so a Python name is a problem as well."""
    batching: Any = {"send_after": "3s", "enableBatchin": True}

    assert problems(lambda: gcp.Provider("west", batching=batching)) == [
        "batching.enableBatchin: unknown property of ProviderBatchingArgs; did you mean enableBatching",
        "batching.send_after: unknown property of ProviderBatchingArgs; did you mean sendAfter",
    ]


def test_problems_of_the_whole_program_come_together():
    """One exception lists all slips of two resources, sorted, and keeps the graph."""

    def program() -> None:
        node_pool(cnt=1)
        daemon_set({"image": 3})

    with pytest.raises(BrokenProgram) as caught:
        preview(program, stack="lab")

    assert str(caught.value).splitlines() == [
        "3 problems in stack lab",
        "  gcp:container/nodePool:NodePool a4: nodeConfig.guestAccelerators[0].cnt: unknown property of "
        "NodePoolNodeConfigGuestAcceleratorArgs; did you mean count",
        "  kubernetes:apps/v1:DaemonSet nccl: spec.template.spec.containers[1].image: 3 is not str",
        "  kubernetes:apps/v1:DaemonSet nccl: spec.template.spec.containers[1].name: required by ContainerArgs",
    ]
    assert [resource.name for resource in caught.value.graph.resources] == ["a4", "nccl"]
    assert all(isinstance(problem, Problem) and problem.urn for problem in caught.value.problems)


def container(**fields: Any) -> dict[str, Any]:
    """A pod of one container."""
    return {"metadata": {}, "spec": {"containers": [{"name": "a", **fields}]}}


def secret(value: Any) -> dict[str, Any]:
    """A secret as it travels."""
    return {SIGNATURE: SECRET, "value": value}


@pytest.mark.parametrize(
    ("token", "inputs", "wrong"),
    [
        ("kubernetes:core/v1:ConfigMap", {"data": {"a": 1}}, "data.a: 1 is not str"),
        ("kubernetes:core/v1:ConfigMap", {"data": ["a"]}, "data: ['a'] is not a map"),
        ("kubernetes:core/v1:ConfigMap", {"immutable": 1}, "immutable: 1 is not bool"),
        ("kubernetes:core/v1:ConfigMap", {"immutable": UNKNOWN, "data": None}, ""),
        ("kubernetes:core/v1:ConfigMap", {"data": secret(secret({"a": "x"}))}, ""),
        ("kubernetes:core/v1:ConfigMap", {"data": {"a": secret(4711)}}, "data.a: a secret value is not str"),
        ("kubernetes:core/v1:Pod", container(stdin=True, args=["x"]), ""),
        ("kubernetes:core/v1:Pod", container(args=["x", 1]), "spec.containers[0].args[1]: 1 is not str"),
        ("kubernetes:core/v1:Pod", container(qqq=1), "spec.containers[0].qqq: unknown property of ContainerArgs"),
        ("gcp:compute/network:Network", {"mtu": True}, "mtu: True is not int"),
        ("gcp:compute/network:Network", {"mtu": 1.0}, "mtu: 1.0 is not int"),
        ("gcp:compute/network:Network", {"mtu": "x" * 58}, f"mtu: '{'x' * 58}' is not int"),
        ("gcp:compute/network:Network", {"mtu": "x" * 59}, f"mtu: '{'x' * 56}... is not int"),
        ("azure-native:storage:StorageAccount", {"kind": "StorageV3"}, "did you mean StorageV2"),
        ("azure-native:containerservice:AgentPool", {"osSKU": "Ubuntu2404"}, ""),
        ("azure-native:containerservice:AgentPool", {"osSKU": "qqqq"}, "osSKU: 'qqqq' is not a known OSSKU; allowed: "),
        ("azure-native:containerservice:AgentPool", {"spotMaxPrice": -1}, ""),
        ("azure-native:containerservice:AgentPool", {"spotMaxPrice": "-1"}, "spotMaxPrice: '-1' is not float"),
        ("kubernetes:a.b/v1:Net", {"kind": "Net", "metadata": {"labels": {"a": 1}}}, "metadata.labels.a: 1 is not str"),
        ("kubernetes:a.b/v1:Net", {"kind": "Net", "spec": {}}, ""),
        ("kubernetes:a.b/v1:Net", {"metadata": {"lables": {}}}, ""),
        ("other:a.b/v1:Net", {"kind": "Net", "metadata": {"lables": {}}}, ""),
    ],
)
def test_a_value_fits_its_type_or_is_named(token: str, inputs: dict[str, Any], wrong: str):
    """What is not known yet fits everywhere, and a secret is checked and not shown."""
    assert k8s.core.v1.Pod and gcp.compute.Network and azure.storage.StorageAccount
    told = [f"{path}: {message}" for path, message in check_inputs(token, inputs)]

    assert [each for each in told if "required" not in each] == [each for each in told if wrong and wrong in each]
    assert any(wrong in each for each in told) or not wrong
