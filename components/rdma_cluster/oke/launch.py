"""How every self-managed node is launched: its agent, volume and interface in the VCN, and how it joins."""

from typing import Any

import pulumi
from .cluster import KUBE_PROXY
from .plan.cni import OkeCniType
from .plan.node_pool import OkeNodePoolPlan, OkePoolLinks

# Oracle's agent on RDMA hosts (oci-hpc-oke@61d210a terraform/oke-workers.tf, 2026-08-20). The first answers 802.1X on
# the RDMA ports; the second gives them addresses, MTU and routes.
PLUGINS = {
    "Compute HPC RDMA Authentication": "ENABLED",
    "Compute HPC RDMA Auto-Configuration": "ENABLED",
    "Compute RDMA GPU Monitoring": "ENABLED",
    "Compute Instance Monitoring": "ENABLED",
    "Compute Instance Run Command": "ENABLED",
    "Custom Logs Monitoring": "ENABLED",
    "Management Agent": "ENABLED",
    "Bastion": "DISABLED",
    "Block Volume Management": "DISABLED",
    "Oracle Autonomous Linux": "DISABLED",
    "OS Management Service Agent": "DISABLED",
}


AGENT: Any = {
    "are_all_plugins_disabled": False,
    "is_management_disabled": False,
    "is_monitoring_disabled": False,
    "plugins_configs": [{"name": name, "desired_state": state} for name, state in PLUGINS.items()],
}


def metadata(plan: OkeNodePoolPlan, links: OkePoolLinks) -> dict[str, pulumi.Input[str]]:
    """What a self-managed node reads about its cluster, by the keys of Oracle's bootstrap."""
    values: dict[str, pulumi.Input[str]] = {
        "apiserver_host": links["api_host"],
        "cluster_ca_cert": links["ca_certificate"],
        "oke-k8version": f"v{plan.version}",
        "oke-kubeproxy-proxy-mode": KUBE_PROXY,
        "oke-tenancy-id": plan.tenancy,
        "oke-initial-node-labels": pulumi.Output.all(**plan.labels).apply(
            lambda labels: ",".join(f"{key}={value}" for key, value in labels.items())
        ),
        "user_data": plan.user_data,
    }
    if plan.ssh_public_key is not None:
        values["ssh_authorized_keys"] = plan.ssh_public_key
    if plan.cni is OkeCniType.VCN_NATIVE:
        groups = pulumi.Output.from_input(links.get("pod_groups", []))
        values |= {
            "oke-native-pod-networking": "true",
            "oke-max-pods": str(plan.max_pods),
            "pod-subnets": links.get("pod_subnet", ""),
            "pod-nsgids": groups.apply(lambda ids: ",".join(map(str, ids))),
        }
    if plan.dual_stack:
        values["ip-families"] = "IPv4,IPv6"
    return values


def vnic(plan: OkeNodePoolPlan, links: OkePoolLinks) -> Any:
    """The interface in the VCN; the RDMA ports are apart from it."""
    return {
        "subnet_id": links["subnet"],
        "nsg_ids": links.get("groups", []),
        "assign_public_ip": False,
        "assign_ipv6ip": True if plan.dual_stack else None,
        "assign_private_dns_record": True,
    }


def boot_volume(plan: OkeNodePoolPlan) -> Any:
    gb, vpus = str(plan.boot_volume_gb), str(plan.vpus_per_gb)
    return {"source_type": "image", "boot_volume_size_in_gbs": gb, "boot_volume_vpus_per_gb": vpus}


def instance(plan: OkeNodePoolPlan, links: OkePoolLinks) -> Any:
    """What a single instance and a template of instances have in common, beside their place."""
    placement = {"type": "HOST_GROUP", "compute_host_group_id": plan.host_group}
    return {
        "compartment_id": plan.compartment,
        "shape": plan.machine.name,
        "agent_config": AGENT,
        "capacity_reservation_id": plan.reservation_id,
        "instance_options": {"are_legacy_imds_endpoints_disabled": True},
        "metadata": metadata(plan, links),
        "placement_constraint_details": placement if plan.host_group else None,
    }
