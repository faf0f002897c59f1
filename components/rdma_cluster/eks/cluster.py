"""An EKS cluster for GPU node pools, and the Kubernetes provider of everything on it."""

import json
from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s
from ..base.key_docs import with_keys
from ..catalog.eks.registries import registry
from ..common.pools import SYSTEM_NODES
from ..component.account import signed_in
from ..component.frame import Opts, PlannedComponent, Shown, computed, outputs, replaceable, waiting_for, with_more
from ..incluster.kubeconfig import cluster_provider, exec_kubeconfig
from ..incluster.same_cluster import CreationId, same_cluster
from .network import ids_of
from .plan.cluster import EksAddonPlan, EksClusterArgs, EksClusterLinks, EksClusterPlan, EksEndpoint, plan_cluster
from .plan.sign_in import SIGN_IN

# AWS managed policies. A node registers itself and pulls images, no more: EFA needs no permission, the CNI has its own.
NODE_POLICIES = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly")
CLUSTER_POLICIES = ("AmazonEKSClusterPolicy",)

_LOGS = ["api", "audit", "authenticator", "controllerManager", "scheduler"]
_ADMIN_POLICY = "AmazonEKSClusterAdminPolicy"
# EKS takes the first type that has capacity; their interfaces and addresses are alike.
_SYSTEM_TYPES = ["m7i.xlarge", "m6i.xlarge"]

# The cluster's own, with an id of 32 characters: ``https://oidc.eks.REGION.amazonaws.com/id/ID``
# (docs.aws.amazon.com/eks/latest/userguide/enable-iam-roles-for-service-accounts.html, 2026-11-27).
_ISSUER = ("identities", 0, "oidcs", 0, "issuer")


@with_keys
class EksCluster(PlannedComponent[EksClusterPlan, EksClusterLinks]):
    """A cluster whose API servers are private by default, with its roles, entries, add-ons and system nodes."""

    name: pulumi.Output[str]
    """Name of the cluster."""
    endpoint: pulumi.Output[str]
    """URL of the Kubernetes API."""
    kubeconfig: pulumi.Output[str]
    """Kubeconfig with exec credentials, as JSON; secret."""
    security_group: pulumi.Output[str]
    """Id of the security group that EKS gives control plane and nodes."""
    node_role: pulumi.Output[str]
    """ARN of the role that nodes run as."""
    provider: k8s.Provider
    """Provider for what runs on the cluster. Replaced only with the cluster."""

    def __init__(self, name: str, args: EksClusterArgs, opts: Opts = None):
        self._plan_alone(name, EksClusterArgs, plan_cluster, args, opts, name)

    def _make(self, name: str, plan: EksClusterPlan, links: EksClusterLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:EksCluster", name, shown, opts)
        child = on_it = pulumi.ResourceOptions(parent=self)

        self.image_registry = registry(plan.region) or ""
        """Registry of EKS's own images in the region, for ``nic_registry`` of drivers; empty where it is not known."""
        self.node_needs: list[pulumi.Resource] = []
        """Resources that each node pool depends on: they come before its nodes and leave after them."""
        self.cluster: aws.eks.Cluster | None = None
        """The cluster where it is ours; what runs on it is replaced and deleted with it."""
        self.system_nodes: list[pulumi.Resource] = []
        """Nodes for pods without GPUs; empty on an existing cluster."""
        entries: list[pulumi.Resource] = []
        if (existing := plan.existing) is not None:
            self.name = pulumi.Output.from_input(plan.name)
            self.endpoint = pulumi.Output.from_input(existing["endpoint"])
            self.security_group = pulumi.Output.from_input(existing["security_group"])
            self.node_role = pulumi.Output.from_input(existing["node_role"])
            ca_certificate: pulumi.Input[str] = existing["ca_certificate"]
            asked = CreationId("aws:eks/getCluster:getCluster", {"name": plan.name}, _ISSUER, "eks:DescribeCluster")
            on_it = with_more(child, depends_on=same_cluster(name, plan.name, asked, self.endpoint, self))
        else:
            self.cluster = cluster = _cluster(name, plan, links, child)
            role, attached = _role(f"{name}-nodes", plan, "ec2.amazonaws.com", NODE_POLICIES, child)
            before = [_addon(name, plan, addon, cluster, [], child) for addon in plan.addons_before_nodes]
            self.node_needs = [*attached, *before]
            entries = _admins(name, plan, cluster, replaceable(child))
            self.system_nodes = [self._system_nodes(name, links, cluster, role)]
            for addon in plan.addons_on_nodes:
                _addon(name, plan, addon, cluster, self.system_nodes, child)
            self.name = cluster.name
            self.endpoint = cluster.endpoint
            self.security_group = cluster.vpc_config.cluster_security_group_id.apply(str)
            self.node_role = role.arn
            ca_certificate = computed(cluster.certificate_authority, lambda known: str(known.data), "")

        token = signed_in(self, SIGN_IN, _token(plan))
        self.kubeconfig = exec_kubeconfig(plan.name, self.endpoint, token, ca_certificate)
        # The client is let in by an access entry, not by having made the cluster.
        self.provider = cluster_provider(name, self.kubeconfig, plan.identifier, waiting_for(on_it, entries))
        self.register_outputs(outputs(self))

    def _system_nodes(
        self, name: str, links: EksClusterLinks, cluster: aws.eks.Cluster, role: aws.iam.Role
    ) -> aws.eks.NodeGroup:
        return aws.eks.NodeGroup(
            f"{name}-system",
            cluster_name=cluster.name,
            node_role_arn=role.arn,
            subnet_ids=ids_of(links.get("system_subnets", links["subnets"])),
            # They follow the control plane in the same `up`.
            version=cluster.version,
            ami_type="AL2023_x86_64_STANDARD",
            instance_types=_SYSTEM_TYPES,
            scaling_config={"desired_size": 2, "min_size": 2, "max_size": SYSTEM_NODES},
            update_config={"max_unavailable": 1},
            node_repair_config={"enabled": True},
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=self.node_needs,
                # An autoscaler, where somebody installs one, owns the count.
                ignore_changes=["scalingConfig.desiredSize"],
            ),
        )


def _cluster(name: str, plan: EksClusterPlan, links: EksClusterLinks, child: pulumi.ResourceOptions) -> aws.eks.Cluster:
    role, attached = _role(f"{name}-cluster", plan, "eks.amazonaws.com", CLUSTER_POLICIES, child)
    key = plan.secrets_key
    return aws.eks.Cluster(
        name,
        name=plan.name,
        version=plan.version,
        role_arn=role.arn,
        vpc_config={
            "subnet_ids": ids_of(links["subnets"]),
            "endpoint_private_access": True,
            "endpoint_public_access": plan.endpoint is EksEndpoint.PUBLIC,
            "public_access_cidrs": list(plan.public_cidrs) or None,
        },
        access_config={"authentication_mode": "API", "bootstrap_cluster_creator_admin_permissions": False},
        # The add-ons below are EKS's managed ones; left to itself it installs unmanaged ones beside them.
        bootstrap_self_managed_addons=False,
        kubernetes_network_config={"ip_family": "ipv4", "service_ipv4_cidr": plan.service_cidr},
        enabled_cluster_log_types=_LOGS,
        encryption_config={"provider": {"key_arn": key}, "resources": ["secrets"]} if key is not None else None,
        opts=pulumi.ResourceOptions(
            parent=child.parent,
            # Without its policy the cluster cannot take its interfaces down again.
            depends_on=attached,
            protect=plan.protected,
            # Its name is its own until it is gone.
            delete_before_replace=True,
            replacement_trigger=plan.vpc_block,
            custom_timeouts=pulumi.CustomTimeouts(create="60m", update="60m", delete="60m"),
        ),
    )


def _admins(name: str, plan: EksClusterPlan, cluster: aws.eks.Cluster, child: Opts) -> list[pulumi.Resource]:
    entries: list[pulumi.Resource] = []
    for arn in plan.admins:
        # Named after the principal, so that the others stay when one is removed.
        admin = f"{name}-admin-{_who(arn)}"
        entry = aws.eks.AccessEntry(admin, cluster_name=cluster.name, principal_arn=arn, type="STANDARD", opts=child)
        entries.append(
            aws.eks.AccessPolicyAssociation(
                admin,
                cluster_name=cluster.name,
                principal_arn=entry.principal_arn,
                policy_arn=f"arn:{plan.partition}:eks::aws:cluster-access-policy/{_ADMIN_POLICY}",
                access_scope={"type": "cluster"},
                opts=child,
            )
        )
    return entries


def _addon(
    name: str,
    plan: EksClusterPlan,
    addon: EksAddonPlan,
    cluster: aws.eks.Cluster,
    after: Sequence[pulumi.Resource],
    child: pulumi.ResourceOptions,
) -> aws.eks.Addon:
    identity = None
    if addon.pod_identity is not None:
        account, policy = addon.pod_identity
        role, attached = _role(f"{name}-{addon.name}", plan, "pods.eks.amazonaws.com", (policy,), child)
        identity, after = (account, role), [*after, *attached]
    # Unset the version stays what EKS took at creation: no `up` moves an add-on under running jobs by itself.
    choices: Any = {"version": addon.version, "identity": identity, "settings": addon.settings}
    return managed_addon(name, addon.name, cluster.name, waiting_for(child, after), **choices)


# More than 6 parameters: those of the resource that its two callers set.
def managed_addon(  # noqa: PLR0913
    name: str,
    addon: str,
    cluster: pulumi.Input[str],
    opts: Opts,
    *,
    version: str | None = None,
    identity: tuple[str, aws.iam.Role] | None = None,
    settings: str | None = None,
) -> aws.eks.Addon:
    """An add-on of EKS; ``identity`` is a service account of its pods, and the role that they take.

    ``settings`` are its configuration values, JSON.
    """
    return aws.eks.Addon(
        f"{name}-{addon}",
        cluster_name=cluster,
        addon_name=addon,
        addon_version=version,
        configuration_values=settings,
        pod_identity_associations=[{"role_arn": identity[1].arn, "service_account": identity[0]}] if identity else None,
        resolve_conflicts_on_create="OVERWRITE",
        resolve_conflicts_on_update="OVERWRITE",
        opts=opts,
    )


def trust(service: str) -> str:
    """The trust policy of a role that ``service`` takes; for pods it tags the session with what they are."""
    actions = ["sts:AssumeRole"] if service == "ec2.amazonaws.com" else ["sts:AssumeRole", "sts:TagSession"]
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": actions}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def _who(arn: str) -> str:
    """Account, kind and path of a principal: ``111122223333-role-admin``."""
    account, _, path = arn.split(":", 4)[4].partition(":")
    return f"{account}-{path.replace('/', '-')}"


def _role(
    name: str, plan: EksClusterPlan, service: str, policies: tuple[str, ...], child: Opts
) -> tuple[aws.iam.Role, list[pulumi.Resource]]:
    """A role that a service takes, with AWS managed policies, and their attachments, which outlive its users."""
    role = aws.iam.Role(name, assume_role_policy=trust(service), opts=child)
    attached: list[pulumi.Resource] = [
        aws.iam.RolePolicyAttachment(
            f"{name}-{policy}", role=role.name, policy_arn=f"arn:{plan.partition}:iam::aws:policy/{policy}", opts=child
        )
        for policy in policies
    ]
    return role, attached


def _token(plan: EksClusterPlan) -> dict[str, object]:
    page = "https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html"
    return {
        "command": "aws",
        "args": ["eks", "get-token", "--region", plan.region, "--cluster-name", plan.name, "--output", "json"],
        "installHint": f"install the AWS CLI: {page}",
    }
