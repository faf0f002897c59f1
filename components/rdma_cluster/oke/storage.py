"""Where an OKE stack keeps its data."""

from collections.abc import Sequence

import pulumi
import pulumi_oci as oci
from pulumi_offline.frozen import frozen
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, inputs, outputs, plan_args
from ..incluster.in_cluster import BaseStorage
from . import lookups
from .plan.storage import OkeStorageArgs, OkeStoragePlan, plan_storage

_FILE_SYSTEM = "data"
"""Name of the file system in Lustre: up to eight letters, digits and underscores."""


@frozen
class StorageLinks:
    """The network that a file system joins, and what it comes after."""

    subnet: pulumi.Input[str]
    """OCID of the subnet of Lustre's servers."""
    groups: list[pulumi.Input[str]] | None
    """OCIDs of network security groups of the servers."""
    after: Sequence[pulumi.Resource]
    """Resources that exist before the file system; protecting it does not keep them."""


@with_keys
class OkeStorage(PlannedComponent[OkeStoragePlan, StorageLinks], BaseStorage):
    """A file system of File Storage with Lustre, beside the GPU nodes; ``SharedVolume`` gives it to pods.

    A policy of the tenancy lets Oracle's service attach servers to the subnet, and TCP port 988 is open between them,
    and between them and the nodes, both ways.
    """

    def __init__(self, name: str, args: OkeStorageArgs, opts: Opts = None, *, after: Sequence[pulumi.Resource] = ()):
        """``after`` are resources that exist before the file system; protecting it does not keep them."""
        args, plan = plan_args(OkeStorageArgs, plan_storage, args)
        links = StorageLinks(args["subnet"], args.get("groups"), after)
        self._make(name, plan, links, inputs(OkeStorageArgs, args), opts)

    def _make(self, name: str, plan: OkeStoragePlan, links: StorageLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:OkeStorage", name, shown, opts)
        assert plan.lustre is not None
        place = plan.lustre.place
        files = oci.lustre.FileStorageLustreFileSystem(
            f"{name}-storage",
            compartment_id=place.compartment,
            availability_domain=lookups.availability_domain(place.zone, place.tenancy, self),
            display_name=f"{name}-storage",
            file_system_name=_FILE_SYSTEM,
            capacity_in_gbs=plan.lustre.capacity_gb,
            performance_tier=f"MBPS_PER_TB_{plan.lustre.mbps_per_tb}",
            # Oracle's default: root of a pod is root of its files.
            root_squash_configuration={"identity_squash": "NONE"},
            subnet_id=_once_made(links.after, links.subnet),
            nsg_ids=links.groups,
            opts=pulumi.ResourceOptions(
                parent=self,
                protect=plan.lustre.protected or None,
                custom_timeouts=pulumi.CustomTimeouts(create="120m", update="120m", delete="60m"),
            ),
        )
        self.store = files.id
        self.handle = pulumi.Output.format("{0}@{1}:/{2}", files.management_service_address, files.lnet, _FILE_SYSTEM)
        # The driver loads LNet on the node, on its first VNIC.
        self.attributes = pulumi.Output.from_input({"setupLnet": "true"})
        self.register_outputs(outputs(self))


def _once_made(resources: Sequence[pulumi.Resource], value: pulumi.Input[str]) -> pulumi.Output[str]:
    """A value that is known once resources exist.

    ``pulumi destroy --exclude-protected`` keeps the dependencies of a protected resource; it need not keep these.
    """

    async def waited(known: str) -> str:
        for each in resources:
            await each.urn.future()
        return known

    return pulumi.Output.from_input(value).apply(waited)
