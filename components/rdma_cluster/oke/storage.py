"""Where an OKE stack keeps its data."""

from collections.abc import Sequence

import pulumi
import pulumi_oci as oci

from ..component import Opts, inputs, outputs, plan_args
from ..incluster.in_cluster import BaseStorage
from ..key_docs import with_keys
from . import lookups
from .plan.storage import OkeStorageArgs, OkeStoragePlan, plan_storage

_FILE_SYSTEM = "data"
"""As Lustre calls it: up to eight letters, digits and underscores."""


@with_keys
class OkeStorage(BaseStorage):
    """A file system of File Storage with Lustre, beside the GPU nodes; ``SharedVolume`` gives it to pods.

    A policy of the tenancy lets Oracle's service attach servers to the subnet, and TCP port 988 is open between them,
    and between them and the nodes, both ways.
    """

    def __init__(
        self,
        name: str,
        args: OkeStorageArgs,
        opts: Opts = None,
        *,
        plan: OkeStoragePlan | None = None,
        after: Sequence[pulumi.Resource] = (),
    ):
        """The file system comes after ``after``; protecting it does not keep those."""
        args, plan = plan_args(OkeStorageArgs, plan_storage, args, plan)
        super().__init__("rdma-cluster:index:OkeStorage", name, inputs(OkeStorageArgs, args), opts)
        assert plan.lustre is not None
        files = oci.lustre.FileStorageLustreFileSystem(
            f"{name}-storage",
            compartment_id=args["compartment"],
            availability_domain=lookups.availability_domain(plan.lustre.zone, args["tenancy"], self),
            display_name=f"{name}-storage",
            file_system_name=_FILE_SYSTEM,
            capacity_in_gbs=plan.lustre.capacity_gb,
            performance_tier=f"MBPS_PER_TB_{plan.lustre.mbps_per_tb}",
            # Oracle's default: root of a pod is root of its files.
            root_squash_configuration={"identity_squash": "NONE"},
            subnet_id=_once_made(after, args["subnet"]),
            nsg_ids=args.get("groups"),
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
