"""The IAM policies with which nodes join the cluster and Oracle's services place them, and no more than these."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NotRequired

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from pulumi_offline.unknowns import known
from typing_extensions import TypedDict
from ...base.args import Link, args_schema
from .capacity_modes import OkePoolMode
from .zones import check_ocid, check_region, check_tenancy, once_known

_DOMAIN_NAME = re.compile(r"[^'\"\\]+")
_DOMAIN_URL = re.compile(r"https://[-a-z0-9.]+(:\d+)?/?", re.ASCII)


@args_schema
class OkeIdentityDomain(TypedDict):
    """An identity domain, in a tenancy that has them."""

    name: Link
    """Its name. Example: ``Default``."""
    url: Link
    """Its URL. Example: ``https://idcs-....identity.oraclecloud.com:443``."""


@args_schema
class OkeIdentity(TypedDict):
    """Who gives the nodes their permissions."""

    existing: NotRequired[bool]
    """The policies exist; make none. Default: false. What they must say stands in the plan."""
    home_region: NotRequired[str]
    """The tenancy's home region, where IAM is written. Default: looked up."""
    domain: NotRequired[OkeIdentityDomain]
    """Make the dynamic group in this identity domain. Default: in the tenancy, the older way."""
    dynamic_group: NotRequired[Link]
    """OCID of a dynamic group that holds the nodes, in place of one of ours."""


@args_schema
class OkeIdentityPoliciesArgs(OkeIdentity):
    """What runs, and where."""

    region: str
    """Region."""
    tenancy: Link
    """OCID of the tenancy."""
    compartment: Link
    """OCID of the compartment of cluster and nodes."""
    cluster: Link
    """OCID of the cluster."""
    modes: list[OkePoolMode]
    """How the pools obtain their nodes."""
    host_groups: NotRequired[list[Link]]
    """OCIDs of compute host groups that managed pools use. Default: none."""
    dual_stack: NotRequired[bool]
    """Whether the cluster has IPv6, too. Default: false."""
    lustre: NotRequired[bool]
    """Whether there is a file system of File Storage with Lustre. Default: false."""


@frozen
class Statement:
    """One statement of a policy, with variables for what is known only when the cluster is made."""

    text: str
    """Text with the variables ``$group``, ``$cluster``, ``$compartment`` and ``$host_group``."""
    host_group: Link = ""
    """OCID of the compute host group that it is about; empty of most."""

    @property
    def in_tenancy(self) -> bool:
        """Whether it must be in a policy of the tenancy itself."""
        return " in tenancy" in self.text


# Lustre's servers attach to their subnet: docs.oracle.com/iaas/Content/lustre/manage-file-systems.htm, Required IAM
# Policy: of the tenancy, with no condition.
LUSTRE = Statement("Allow service lustrefs to use virtual-network-family in tenancy")


@frozen
class IdentityPlan:
    """What ``OkeIdentityPolicies`` builds."""

    tenancy: Link
    compartment: Link
    make: bool
    home_region: str | None
    """Home region of the tenancy; ``None`` is looked up."""
    domain: OkeIdentityDomain | None
    """Identity domain of the dynamic group; ``None`` is the tenancy itself."""
    dynamic_group: Link | None
    """OCID of the user's dynamic group."""
    makes_group: bool
    matching_rule: Link
    """Which instances are in the group."""
    statements: tuple[Statement, ...]


def plan_policies(args: OkeIdentityPoliciesArgs, errors: ErrorList) -> IdentityPlan | None:
    """All choices of ``OkeIdentityPolicies``. Returns ``None`` when an error was added."""
    check_region(args["region"], errors.at("region"))
    check_tenancy(args["tenancy"], args["compartment"], errors)
    check_ocid(args["cluster"], ("cluster",), errors.at("cluster"))
    dual_stack, lustre = args.get("dual_stack", False), args.get("lustre", False)
    statements = statements_for(args["modes"], args.get("host_groups", []), dual_stack=dual_stack, lustre=lustre)
    return plan_identity(args, args["tenancy"], args["compartment"], tuple(statements), errors)


def plan_identity(
    choice: OkeIdentity, tenancy: Link, compartment: Link, statements: tuple[Statement, ...], errors: ErrorList
) -> IdentityPlan | None:
    """Plan the policies of a stack from its choice. Returns ``None`` when an error was added."""
    if "home_region" in choice:
        check_region(choice["home_region"], errors.at("home_region"))
    if "domain" in choice:
        _check_domain(choice["domain"], errors.at("domain"))
    if "dynamic_group" in choice:
        check_ocid(choice["dynamic_group"], ("dynamicgroup", "domaindynamicresourcegroup"), errors.at("dynamic_group"))
        if "domain" in choice:
            at = errors.at("domain")
            at.add("not allowed with dynamicGroup, which is in a domain already; remove one of the two")
    if choice.get("existing"):
        for key in sorted(choice.keys() & OkeIdentity.__annotations__.keys() - {"existing"}):
            errors.at(key).add("not allowed with existing policies, which are made already; remove one of the two")
    if errors:
        return None
    return IdentityPlan(
        tenancy=tenancy,
        compartment=compartment,
        make=bool(statements) and not choice.get("existing", False),
        home_region=choice.get("home_region"),
        domain=choice.get("domain"),
        dynamic_group=choice.get("dynamic_group"),
        makes_group="dynamic_group" not in choice and any("$group" in each.text for each in statements),
        # A rule could otherwise ask for defined tags alone, which need a namespace of the tenancy's first. So any
        # instance of the compartment may join: the stack wants a compartment of its own, or ``dynamic_group``
        # (docs/security.md, Decisions).
        matching_rule=once_known(compartment, lambda ocid: f"ALL {{instance.compartment.id = '{ocid}'}}"),
        statements=statements,
    )


def _check_domain(domain: OkeIdentityDomain, errors: ErrorList) -> None:
    name = domain["name"]
    if name == "":
        errors.at("name").add("empty; write the domain's name, e.g. Default")
    elif isinstance(name, str) and not (_DOMAIN_NAME.fullmatch(name) and name.isprintable()):
        errors.at("name").add(f"got {name!r}; write it without quotes and backslashes: policies name it in quotes")
    url = domain["url"]
    if isinstance(url, str) and known(url) and not _DOMAIN_URL.fullmatch(url):
        errors.at("url").add(f"got {url!r}; write its URL, e.g. https://idcs-....identity.oraclecloud.com:443")


def statements_for(
    modes: Collection[OkePoolMode], host_groups: Iterable[Link], *, dual_stack: bool, lustre: bool
) -> Iterator[Statement]:
    """What pools of these modes need; ``host_groups`` are OCIDs of the compute host groups of managed pools."""
    if any(mode != OkePoolMode.MANAGED for mode in modes):
        # Self-managed nodes join this cluster and no other.
        yield Statement(
            "Allow dynamic-group $group to {CLUSTER_JOIN} in compartment id $compartment "
            "where target.cluster.id = '$cluster'"
        )
    if OkePoolMode.MANAGED in modes:
        # Node pools start nodes in compute clusters.
        yield Statement(
            "Allow any-user to {COMPUTE_CLUSTER_LAUNCH_INSTANCE} in compartment id $compartment "
            "where request.principal.type = 'nodepool'"
        )
    for group in dict.fromkeys(host_groups):
        # Node pools start nodes on this host group.
        yield Statement(
            "Allow any-user to {HOST_GROUP_LAUNCH_INSTANCE} in compartment id $compartment "
            "where all {request.principal.type = 'nodepool', target.resource.id = '$host_group'}",
            host_group=group,
        )
    if dual_stack and modes:
        # The cluster gives pods their IPv6 addresses: terraform-oci-oke@25ef9a0 modules/iam/policy.tf (2026-04-29).
        yield Statement(
            "Allow any-user to use ipv6s in compartment id $compartment where request.principal.type = 'cluster'"
        )
    if OkePoolMode.GPU_MEMORY_CLUSTER in modes:
        yield from _memory_cluster_statements()
    if lustre:
        yield LUSTRE


def _memory_cluster_statements() -> Iterator[Statement]:
    """A GPU memory cluster is a principal that starts the rack's instances itself.

    It starts and ends the instances, gives them network interfaces and boot volumes, reads their configuration and tags
    them. Oracle's stack allows this in the whole tenancy; the pool's compartment is enough, except for tag namespaces,
    which belong to the tenancy.
    """
    principal = "where request.principal.type = 'compute-gpu-memory-clusters'"
    instances, networks = "manage instance-family", "use virtual-network-family"
    for verb in (instances, networks, "read compute-management-family", "use volume-family"):
        yield Statement(f"Allow any-user to {verb} in compartment id $compartment {principal}")
    yield Statement(f"Allow any-user to use tag-namespaces in tenancy {principal}")
