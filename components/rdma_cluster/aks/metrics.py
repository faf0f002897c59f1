"""Azure's managed Prometheus for a cluster: where metrics are kept, and the rule that brings them there."""

import pulumi
from pulumi_azure_native import containerservice, monitor


def managed_prometheus(
    name: str,
    group: pulumi.Input[str],
    location: str,
    cluster: containerservice.ManagedCluster,
    child: pulumi.ResourceOptions,
) -> None:
    """A workspace, and what carries the cluster's metrics into it."""
    workspace = monitor.AzureMonitorWorkspace(name, resource_group_name=group, location=location, opts=child)
    endpoint = monitor.DataCollectionEndpoint(
        name, resource_group_name=group, location=location, kind="Linux", opts=child
    )
    rule = monitor.DataCollectionRule(
        name,
        resource_group_name=group,
        location=location,
        kind="Linux",
        data_collection_endpoint_id=endpoint.id,
        data_sources={"prometheus_forwarder": [{"name": "prometheus", "streams": ["Microsoft-PrometheusMetrics"]}]},
        destinations={"monitoring_accounts": [{"name": "workspace", "account_resource_id": workspace.id}]},
        data_flows=[{"streams": ["Microsoft-PrometheusMetrics"], "destinations": ["workspace"]}],
        opts=child,
    )
    monitor.DataCollectionRuleAssociation(name, resource_uri=cluster.id, data_collection_rule_id=rule.id, opts=child)
