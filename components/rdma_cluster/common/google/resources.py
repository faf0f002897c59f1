"""Resources of Google Cloud that GKE and plain machines make alike. The one file of ``common`` that imports an SDK."""

from collections.abc import Sequence

import pulumi
import pulumi_gcp as gcp

RESERVATION_KEY = "compute.googleapis.com/reservation-name"
"""The label by which nodes and machines name the reservation that they consume."""


def service_account(
    name: str, project: str, account_id: str, display_name: str, roles: Sequence[str], child: pulumi.ResourceOptions
) -> tuple[gcp.serviceaccount.Account, list[pulumi.Resource]]:
    """A service account, and the resources that give it ``roles`` in its project."""
    account = gcp.serviceaccount.Account(
        name, project=project, account_id=account_id, display_name=display_name, opts=child
    )
    rights: list[pulumi.Resource] = [
        gcp.projects.IAMMember(
            f"{name}-{role.removeprefix('roles/')}", project=project, role=role, member=account.member, opts=child
        )
        for role in roles
    ]
    return account, rights


def vpc(
    name: str,
    project: str,
    blocks: Sequence[str],
    child: pulumi.ResourceOptions,
    *,
    mtu_bytes: int | None,
    profile: str | None = None,
) -> gcp.compute.Network:
    """A VPC for subnets with the addresses ``blocks``.

    It is replaced when its addresses change: subnets of one network never overlap, those of two may.
    """
    return gcp.compute.Network(
        name,
        project=project,
        auto_create_subnetworks=False,
        routing_mode="REGIONAL",
        network_profile=profile,
        mtu=mtu_bytes,
        opts=pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(replacement_trigger=list(blocks))),
    )


def allow_inside(
    name: str, project: str, network: gcp.compute.Network, blocks: Sequence[str], child: pulumi.ResourceOptions
) -> None:
    """Lets machines with addresses of ``blocks`` reach each other on every port."""
    gcp.compute.Firewall(
        name,
        project=project,
        network=network.id,
        allows=[{"protocol": "tcp"}, {"protocol": "udp"}, {"protocol": "icmp"}],
        source_ranges=list(blocks),
        opts=child,
    )


def nat(name: str, project: str, region: str, network: gcp.compute.Network, child: pulumi.ResourceOptions) -> None:
    """NAT for all subnets of a network in a region, whose machines have no external address."""
    router = gcp.compute.Router(name, project=project, region=region, network=network.id, opts=child)
    gcp.compute.RouterNat(
        name,
        project=project,
        region=region,
        router=router.name,
        nat_ip_allocate_option="AUTO_ONLY",
        source_subnetwork_ip_ranges_to_nat="ALL_SUBNETWORKS_ALL_IP_RANGES",
        opts=child,
    )
