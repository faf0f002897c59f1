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
    """The repair of the stack's GPU pool, which is of a capacity block."""
    groups = graph_of("eks", *overrides).of_type("aws:eks/nodeGroup:NodeGroup")
    (group,) = (each for each in groups if each.inputs.get("nodeGroupName") == "p5")
    return group.inputs["nodeRepairConfig"]


def test_no_reason_of_awss_agent_gives_a_capacity_block_back():
    """Each reason has an action, and none is to replace the instance."""
    repair = repair_of("pools[0].autoRepair=true")
    actions = {each["nodeUnhealthyReason"]: each["repairAction"] for each in repair["nodeRepairConfigOverrides"]}

    assert repair["enabled"] and actions == KEEPS_INSTANCE
    assert actions.keys() == REASONS and set(actions.values()) == {"Reboot", "NoAction"}
    assert {each["nodeMonitoringCondition"] for each in repair["nodeRepairConfigOverrides"]} == {CONDITION}


def test_a_fault_that_no_reboot_mends_ends_nothing():
    """These are a GPU off the bus, its power cord, and NVSwitches that do not train."""
    assert {KEEPS_INSTANCE[f"NvidiaXID{code}Error"] for code in (54, 79, 142)} == {"NoAction"}
    assert KEEPS_INSTANCE["NvidiaFabricError"] == "NoAction"


def test_a_capacity_block_is_repaired_only_where_a_user_asks():
    assert repair_of() == {"enabled": False}
