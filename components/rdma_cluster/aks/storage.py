"""Where an AKS stack keeps its data, and who may read and write it."""

import pulumi
from pulumi_azure_native import authorization, storage, storagecache

from ..component import Opts, inputs, outputs, plan_args
from ..incluster.in_cluster import BaseStorage
from ..key_docs import with_keys
from .plan.blobs import AccountPlan
from .plan.lustre import AksLustrePlan
from .plan.storage import AksStorageArgs, AksStoragePlan, plan_storage
from .role_assignments import STORAGE_BLOB_DATA_CONTRIBUTOR, role_definition

_DECIDED_ONCE = ("sku", "storageCapacityTiB", "filesystemSubnet", "zones", "location")
"""What Azure changes of no file system that is there."""


@with_keys
class AksStorage(BaseStorage):
    """A container of blobs, which the nodes may mount, or a Lustre file system; ``SharedVolume`` gives it to pods.

    The cluster has AKS's driver for blobs, or Azure's chart of the driver for Lustre.
    """

    def __init__(self, name: str, args: AksStorageArgs, opts: Opts = None, *, plan: AksStoragePlan | None = None):
        args, plan = plan_args(AksStorageArgs, plan_storage, args, plan, name)
        super().__init__("rdma-cluster:index:AksStorage", name, inputs(AksStorageArgs, args), opts)
        child = pulumi.ResourceOptions(parent=self)
        group = pulumi.Output.from_input(args["resource_group"])
        if plan.lustre is not None:
            files = _lustre(name, args, plan.lustre, group, child)
            self.store = self.handle = files.name
            self.attributes = files.client_info.apply(lambda info: {"mgs-ip-address": info.mgs_address})
        elif plan.account is not None:
            self._blobs(name, args, plan.account, group, child)
        self.register_outputs(outputs(self))

    def _blobs(
        self,
        name: str,
        args: AksStorageArgs,
        account: AccountPlan,
        group: pulumi.Output[str],
        child: pulumi.ResourceOptions,
    ) -> None:
        if account.existing:
            group = pulumi.Output.from_input(account.resource_group) if account.resource_group else group
            account_name = pulumi.Output.from_input(account.existing)
            scope = pulumi.Output.format(
                "/subscriptions/{0}/resourceGroups/{1}/providers/Microsoft.Storage/storageAccounts/{2}",
                args["subscription"],
                group,
                account_name,
            )
        else:
            created = _account(args, account, group, child)
            account_name, scope = created.name, created.id
        # The nodes' identity: workload identity would be narrower, and every tenant's pods would have to name a service
        # account that is federated for it (docs/security.md, Decisions).
        authorization.RoleAssignment(
            f"{name}-storage",
            principal_id=args["identity_principal"],
            principal_type="ServicePrincipal",
            role_definition_id=role_definition(args["subscription"], STORAGE_BLOB_DATA_CONTRIBUTOR),
            scope=scope,
            opts=child,
        )
        self.store = pulumi.Output.format("{0}/{1}", account_name, account.container)
        self.handle = pulumi.Output.format("{0}#{1}#{2}", group, account_name, account.container)
        self.attributes = pulumi.Output.all(
            protocol="fuse2",
            resourceGroup=group,
            storageAccount=account_name,
            containerName=account.container,
            AzureStorageAuthType="MSI",
            AzureStorageIdentityClientID=args["identity_client"],
        ).apply(dict)


def _lustre(
    name: str, args: AksStorageArgs, plan: AksLustrePlan, group: pulumi.Output[str], child: pulumi.ResourceOptions
) -> storagecache.AmlFilesystem:
    """A file system in a subnet of its own. It has no public address, and Azure encrypts all that is in it."""
    assert "lustre_subnet" in args
    return storagecache.AmlFilesystem(
        f"{name}-storage",
        resource_group_name=group,
        location=args["location"],
        sku={"name": plan.sku},
        storage_capacity_ti_b=plan.capacity_tib,
        zones=[args["zone"]] if "zone" in args else None,
        filesystem_subnet=args["lustre_subnet"],
        maintenance_window={
            "day_of_week": storagecache.MaintenanceDayOfWeekType(plan.day),
            "time_of_day_utc": plan.time,
        },
        opts=pulumi.ResourceOptions(
            parent=child.parent,
            protect=plan.protected or None,
            # A new one could have no addresses beside it.
            delete_before_replace=True,
            replace_on_changes=list(_DECIDED_ONCE),
            custom_timeouts=pulumi.CustomTimeouts(create="60m", update="60m", delete="60m"),
        ),
    )


def _account(
    args: AksStorageArgs, plan: AccountPlan, group: pulumi.Output[str], child: pulumi.ResourceOptions
) -> storage.StorageAccount:
    """An account that Entra ID alone opens, and its container. Azure encrypts all that is in it by itself."""
    # The resource group would take it along: what is protected keeps that, too.
    options = pulumi.ResourceOptions(parent=child.parent, protect=plan.protected or None)
    account = storage.StorageAccount(
        plan.name,
        resource_group_name=group,
        location=args["location"],
        kind=storage.Kind.STORAGE_V2,
        sku={"name": storage.SkuName.STANDARD_LRS},
        allow_blob_public_access=False,
        allow_shared_key_access=False,
        enable_https_traffic_only=True,
        minimum_tls_version=storage.MinimumTlsVersion.TLS1_2,
        opts=options,
    )
    storage.BlobContainer(
        f"{plan.name}-{plan.container}",
        resource_group_name=group,
        account_name=account.name,
        container_name=plan.container,
        public_access=storage.PublicAccess.NONE,
        opts=options,
    )
    return account
