"""Node repair: on reserved capacity it keeps the instance, whatever AWS's agent says of a GPU."""

from typing import Any

from rdma_cluster.catalog.eks.repair import CONDITION, KEEPS_INSTANCE
from tests.stacks import graph_of

# Reasons of severity Condition below AcceleratedHardwareReady, without those of Neuron; the XIDs are its
# WellKnownXidCodes (github.com/aws/eks-node-monitoring-agent@51af549 docs/node-health-issues.adoc,
# monitors/nvidia/dcgm/dcgm_policies.go, 2026-08-18). DCGMHealthCode bears DCGM's own numbers, which are not listed.
_XIDS = (46, 48, 54, 62, 63, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 142, 143, 151, 155, 156, 158)
REASONS = {
    *(f"NvidiaXID{code}Error" for code in _XIDS),
    *("DCGMDiagnosticFailure", "DCGMError", "FabricManagerNotRunning", "NvidiaDeviceCountMismatch"),
    *("NvidiaDoubleBitError", "NvidiaFabricError", "NvidiaNVLinkError"),
}


def repair_of(*overrides: str) -> dict[str, Any]:
    """What the GPU pool of the stack has, whose capacity is a block unless it is set."""
    groups = graph_of("eks", *overrides).of_type("aws:eks/nodeGroup:NodeGroup")
    (group,) = (each for each in groups if each.inputs.get("nodeGroupName") == "p5")
    return group.inputs["nodeRepairConfig"]


def test_a_capacity_block_is_not_given_back():
    """Every reason of AWS's agent has an action, and none of them is to replace."""
    repair = repair_of("pools[0].autoRepair=true")
    actions = {each["nodeUnhealthyReason"]: each["repairAction"] for each in repair["nodeRepairConfigOverrides"]}

    assert repair["enabled"] and actions == KEEPS_INSTANCE
    assert actions.keys() == REASONS and set(actions.values()) == {"Reboot", "NoAction"}
    assert {each["nodeMonitoringCondition"] for each in repair["nodeRepairConfigOverrides"]} == {CONDITION}


def test_a_power_cycle_is_no_reboot():
    """A GPU off the bus, its power cord, and NVSwitches that do not train: a reboot would only end what still runs."""
    assert {KEEPS_INSTANCE[f"NvidiaXID{code}Error"] for code in (54, 79, 142)} == {"NoAction"}
    assert KEEPS_INSTANCE["NvidiaFabricError"] == "NoAction"


def test_off_by_default():
    """Nobody has asked for it."""
    assert repair_of() == {"enabled": False}
