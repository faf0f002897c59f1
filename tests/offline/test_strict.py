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
    (lambda: node_pool(count="eight"), "nodeConfig.guestAccelerators[0].count: 'eight' is not int"),
    (
        lambda: launch_template({"deviceIndx": 1}),
        "networkInterfaces[1].deviceIndx: unknown property of LaunchTemplateNetworkInterfaceArgs; "
        "did you mean deviceIndex",
    ),
    (lambda: launch_template({"device_index": "zero"}), "networkInterfaces[1].deviceIndex: 'zero' is not int"),
    (
        lambda: agent_pool(gpu_profile={"drvr": "Install"}),
        "gpuProfile.drvr: unknown property of GPUProfileArgs; did you mean driver",
    ),
    (lambda: agent_pool(os_sku="Ubunto"), "osSKU: 'Ubunto' is not a known OSSKU; did you mean Ubuntu"),
    (lambda: agent_pool(count=2.5), "count: 2.5 is not int"),
    (
        lambda: oci_pool({"instance_configuration_id": "i"}),
        "instancePools[0].size: required by ClusterNetworkInstancePoolArgs",
    ),
    (
        lambda: oci_pool({"instance_configuration_id": "i", "size": 2, "defined_tag": {}}),
        "instancePools[0].defined_tag: unknown property of ClusterNetworkInstancePoolArgs; did you mean defined_tags",
    ),
    (lambda: daemon_set({"image": "i"}), "spec.template.spec.containers[1].name: required by ContainerArgs"),
    (
        lambda: daemon_set({"name": "b", "volume_mount": []}),
        "spec.template.spec.containers[1].volume_mount: unknown property of ContainerArgs; did you mean volume_mounts",
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
def test_seeded_error_is_found_with_its_path(program, expected):
    """One slip, one problem, at the right place."""
    assert problems(program) == [expected]


def good() -> None:
    """What a sound program does with all five SDKs, their odd corners included."""
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
    k8s.helm.v3.Release("drivers", chart="gpu-operator", values={"any": {"thing_at": ["all", {"goes": 1}]}})
    k8s.apiextensions.CustomResource("cr", api_version="a.b/v1", kind="Net", metadata={"name": "n"}, spec={"x_y": 1})
    k8s.core.v1.Secret("secret", string_data=pulumi.Output.secret({"a": "b"}))
    k8s.core.v1.ConfigMap("unknown", data={"a": pulumi.StackReference("o/p/s").get_output("x")})
    gcp.storage.BucketObject("asset", bucket="b", source=pulumi.StringAsset("text"))
    k8s.Provider("provider", kubeconfig='{"kind": "Config"}', enable_server_side_apply=True)
    batching: Any = {"enableBatching": False}
    gcp.Provider("west", project="p", default_labels={"a": "b"}, batching=batching)


def test_good_program_has_no_problems():
    """Nothing sound is complained about: secrets, unknowns, assets, enums, CRDs, Helm values, providers."""
    assert len(preview(good).resources) == 16


def test_policy_given_as_an_object_comes_back_as_text():
    """A provider turns a policy document into JSON; a program may read it again."""

    def program() -> None:
        role = aws.iam.Role("role", assume_role_policy=POLICY)
        pulumi.export("policy", role.assume_role_policy.apply(lambda policy: policy[:1]))

    assert preview(program).outputs == {"policy": "{"}


def test_a_value_of_the_wrong_shape_is_a_error_and_no_crash():
    """The SDK would stumble over it when it reads the outputs back; the list of problems has to come first."""
    count: Any = {"a": 1}

    assert problems(lambda: gcp.container.NodePool("n", cluster="c", node_count=count)) == [
        "nodeCount: {'a': 1} is not int"
    ]


def test_of_several_alternatives_the_nearest_is_told():
    """A policy is text or an object; whoever gives an object wants to know what it lacks."""
    policy: Any = {"Version": "2012-10-17"}

    assert problems(lambda: aws.iam.Role("role", assume_role_policy=policy)) == [
        "assumeRolePolicy.Statement: required by PolicyDocumentArgs"
    ]


def test_error_inside_a_provider():
    """Its JSON text is looked into. The SDK does not translate keys there, so a Python name is a problem as well."""
    batching: Any = {"send_after": "3s", "enableBatchin": True}

    assert problems(lambda: gcp.Provider("west", batching=batching)) == [
        "batching.enableBatchin: unknown property of ProviderBatchingArgs; did you mean enableBatching",
        "batching.send_after: unknown property of ProviderBatchingArgs; did you mean sendAfter",
    ]


def test_metadata_of_a_custom_resource_is_checked():
    """The rest of it is its CRD's affair."""

    def program() -> None:
        k8s.apiextensions.CustomResource("cr", api_version="a.b/v1", kind="Net", metadata={"lables": {}}, spec={"q": 1})

    assert problems(program) == ["metadata.lables: unknown property of ObjectMetaArgs; did you mean labels"]


def test_secret_values_are_checked_and_not_told():
    """A problem inside a secret names the path; the message must not give the secret away."""
    (message,) = problems(lambda: k8s.core.v1.Secret("s", type=pulumi.Output.secret(4711)))  # ty: ignore

    assert message == "type: a secret value is not str"


def test_problems_of_the_whole_program_come_together():
    """Two resources, three slips: one exception lists all, sorted, and keeps the graph."""

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


def test_check_inputs_stands_alone():
    """The check needs no run, only the SDK to be imported; a type nobody knows has nothing to check."""
    assert check_inputs("kubernetes:core/v1:ConfigMap", {"dta": {}}) == [
        ("dta", "unknown property of ConfigMapInitArgs; did you mean data")
    ]
    assert check_inputs("test:index:Rail", {"anything": 1}) == []


def test_an_error_message_of_the_program_is_a_problem():
    """pulumi.log.error fails a deployment, so it fails a preview."""
    assert problems(lambda: pulumi.log.error("no capacity")) == [": no capacity"]
