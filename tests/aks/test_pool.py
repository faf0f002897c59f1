"""A node pool on AKS in a program of one's own, and the feature of the subscription that it needs."""

from functools import cache
from typing import Any

import pulumi
import pytest
from pulumi_offline import Graph, preview
from pulumi_offline.errors import ErrorList
from rdma_cluster.aks.plan.features import check_one_kind
from tests.aks.plans import RESERVATIONS, SUBNET, built, made, row
from tests.asked import MINE, Question, told

FEATURE = "azure-native:features:getSubscriptionFeatureRegistration"
H100, A100, GB300 = "Standard_ND96isr_H100_v5", "Standard_ND96asr_v4", "Standard_ND128isr_GB300_v6"
ARGS: dict[str, Any] = {
    "name": "h100",
    "machine": H100,
    "nodes": 2,
    "capacity": {"on_demand": True},
    "resource_group": "g",
    "cluster": "c",
    "subnet": SUBNET,
    "infiniband_feature": "taken-as-right",
}


@cache
def plain() -> Graph:
    """A pool on demand."""
    return built("AksGpuNodePool", ARGS)


def pool(**choices: Any) -> dict[str, Any]:
    """The scale set of some choices."""
    return made(built("AksGpuNodePool", {**ARGS, **choices}), "AgentPool", "aks")[0]


def test_a_pool_is_one_scale_set_of_a_fixed_size():
    """A node goes before its successor comes, since there is neither quota nor fabric for both."""
    found, options, _ = made(plain(), "AgentPool", "aks")

    assert (found["type"], found["count"], found["enableAutoScaling"]) == ("VirtualMachineScaleSets", 2, False)
    assert found["upgradeSettings"] == {"maxSurge": "0", "maxUnavailable": "1"}
    assert found["scaleDownMode"] == "Delete" and found["mode"] == "User"
    assert options["deleteBeforeReplace"] is True
    assert {"availabilityZones", "gpuProfile", "vnetSubnetID", "capacityReservationGroupID"} <= set(
        options["replaceOnChanges"]
    )


def test_nodes_have_no_public_address_and_only_pods_with_gpus():
    found = made(plain(), "AgentPool", "aks")[0]

    assert found["enableNodePublicIP"] is False
    assert found["nodeTaints"] == ["nvidia.com/gpu=present:NoSchedule"]


def test_choices_of_a_pool_reach_its_scale_set():
    found = pool(
        zone="2", node_version="1.35", os_disk="Ephemeral", os_disk_gb=256, labels={"a": "b"}, gpu_driver="aks"
    )

    assert (found["availabilityZones"], found["orchestratorVersion"]) == (["2"], "1.35")
    assert (found["osDiskType"], found["osDiskSizeGB"], found["nodeLabels"]) == ("Ephemeral", 256, {"a": "b"})
    assert found["gpuProfile"] == {"driver": "Install"}


@pytest.mark.parametrize(
    ("capacity", "said"),
    [
        ({"on_demand": True}, {"scaleSetPriority": "Regular"}),
        ({"spot": True}, {"scaleSetPriority": "Spot", "scaleSetEvictionPolicy": "Delete", "spotMaxPrice": -1}),
        (
            {"reservation": {"group": RESERVATIONS}},
            {"scaleSetPriority": "Regular", "capacityReservationGroupID": RESERVATIONS},
        ),
    ],
    ids=["on demand", "spot", "reservation"],
)
def test_capacity_has_one_source(capacity: dict[str, Any], said: dict[str, Any]):
    found = pool(capacity=capacity)
    of_capacity = {"scaleSetPriority", "scaleSetEvictionPolicy", "spotMaxPrice", "capacityReservationGroupID"}

    assert {key: found[key] for key in of_capacity & found.keys()} == said


def looked_up(machine: str, state: str | None) -> Graph:
    """A pool that looks the feature up, whose state is this one, or cannot be read."""

    def program() -> None:
        from rdma_cluster import aks

        args: Any = {**ARGS, "machine": machine, "infiniband_feature": "look-up"}
        aks.AksGpuNodePool("aks", args)

    return preview(program, invokes={FEATURE: {"properties": {"state": state}}} if state else {})


@pytest.mark.parametrize(
    ("machine", "state", "command"),
    [
        (H100, "Registered", None),
        (H100, "Registering", "az feature register "),
        (H100, "NotRegistered", "az feature register "),
        (GB300, "NotRegistered", None),
        (GB300, "Unregistered", None),
        (GB300, "Unregistering", "az feature unregister "),
        (GB300, "Registered", "az feature unregister "),
    ],
)
def test_a_feature_in_the_wrong_state_stops_a_preview(machine: str, state: str, command: str | None):
    """Half on is not on, and half off is not off; the reason names the command."""
    if command is None:
        assert looked_up(machine, state).resources
        return
    with pytest.raises(pulumi.RunError, match=command):
        looked_up(machine, state)


@pytest.mark.parametrize(("machine", "wanted"), [(H100, "registered"), (GB300, "not registered")])
def test_a_feature_that_cannot_be_looked_up_is_a_warning(machine: str, wanted: str):
    """Whoever may make clusters need not be allowed to read it; the warning names the command that tells."""
    found = told(
        "aks", "pulumi_azure_native", "AksGpuNodePool", {**ARGS, "machine": machine, "infiniband_feature": "look-up"}
    )
    question = {"featureName": "AKSInfinibandSupport", "providerNamespace": "Microsoft.ContainerService"}
    (warning,) = [each for each in found.warnings if "could not be looked up" in each]

    assert found.asked == [Question(FEATURE, question, MINE)]
    assert f"must be {wanted}," in warning and "az feature show" in warning
    assert told("aks", "pulumi_azure_native", "AksGpuNodePool", ARGS).asked == []


@pytest.mark.parametrize("order", [(H100, GB300), (GB300, H100)])
def test_one_subscription_serves_one_kind_of_machine(order: tuple[str, str]):
    """The pool that disagrees with the first is named, whichever comes first."""
    errors, fine = ErrorList(), ErrorList()
    check_one_kind([row(order[0]), None, row(order[1])], errors)
    check_one_kind([row(H100), row(A100), None], fine)

    (error,) = errors.found()
    assert error.path == (2, "machine")
    assert f"{H100} needs AKSInfinibandSupport registered and {GB300} needs it away" in error.reason
    assert not fine.found()
