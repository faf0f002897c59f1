"""Azure's roles and its managed Prometheus."""

from ...catalog.machine import Source
from .forms import at, distinct, form, holds, unique
from .record import Inputs, Rule
from .there import Made

_ASSIGNMENT = "azure-native:authorization:RoleAssignment"
_GUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_ROLE = "/providers/Microsoft.Authorization/roleDefinitions/7f951dda-4ed3-4680-a7ca-43fe172d538d"
_WHO = {"scope": "/subscriptions/s", "roleDefinitionId": _ROLE}
_MONITOR = "azure-mgmt-monitor"


def _flows_to_known(rule: Inputs) -> bool:
    """Each flow ends at a destination that the rule describes."""
    there = {name for _, name in at(rule, "destinations.monitoringAccounts.name")}
    return not there or all(name in there for _, name in at(rule, "dataFlows.destinations"))


RULES: dict[str, tuple[Rule, ...]] = {
    _ASSIGNMENT: (
        Rule(
            "RoleAssignmentExists: The role assignment already exists",
            Source("learn.microsoft.com/azure/role-based-access-control/troubleshooting", "2026-08"),
            unique(_ASSIGNMENT, "principalId", "scope", "roleDefinitionId"),
            {"principalId": "b", **_WHO},
            {"principalId": "a", **_WHO},
            (Made(_ASSIGNMENT, {"principalId": "a", **_WHO}),),
        ),
        Rule(
            "The role definition ID",
            Source("azure-mgmt-authorization RoleAssignmentCreateParameters.properties.roleDefinitionId", "2026-11"),
            form("roleDefinitionId", f"(/.*)?/providers/Microsoft.Authorization/roleDefinitions/{_GUID}"),
            {"roleDefinitionId": _ROLE},
            {"roleDefinitionId": "AcrPull"},
        ),
    ),
    "azure-native:monitor:DataCollectionRule": (
        Rule(
            "This name should be unique across all destinations",
            Source(f"{_MONITOR} MonitoringAccountDestination.name", "2026-11"),
            holds(
                "destinations.monitoringAccounts",
                lambda rule: distinct(name for _, name in at(rule, "destinations.monitoringAccounts.name")),
            ),
            {"destinations": {"monitoringAccounts": [{"name": "a"}, {"name": "b"}]}},
            {"destinations": {"monitoringAccounts": [{"name": "a"}, {"name": "a"}]}},
        ),
        Rule(
            "List of destinations for this data flow",
            Source(f"{_MONITOR} DataFlow.destinations", "2026-11"),
            holds("dataFlows.destinations", _flows_to_known),
            {"dataFlows": [{"destinations": ["a"]}], "destinations": {"monitoringAccounts": [{"name": "a"}]}},
            {"dataFlows": [{"destinations": ["b"]}], "destinations": {"monitoringAccounts": [{"name": "a"}]}},
        ),
    ),
}
