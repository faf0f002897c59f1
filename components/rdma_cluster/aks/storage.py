"""Where an AKS stack keeps its data, and who may read and write it."""

import pulumi
from pulumi_azure_native import storage, storagecache
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, outputs
from ..incluster.in_cluster import BaseStorage
from .plan.blobs import AccountPlan
from .plan.lustre import AksLustrePlan
from .plan.storage import AksStorageArgs, AksStorageLinks, AksStoragePlan, plan_storage
from .role_assignments import STORAGE_BLOB_DATA_CONTRIBUTOR, grant

_DECIDED_ONCE = ("sku", "storageCapacityTiB", "filesystemSubnet", "zones", "location")
"""Inputs that Azure changes of no existing file system."""


@with_keys
class AksStorage(PlannedComponent[AksStoragePlan, AksStorageLinks], BaseStorage):
    """A container of blobs, which the nodes may mount, or a Lustre file system; ``SharedVolume`` gives it to pods.

    The cluster has AKS's driver for blobs, or Azure's chart of the driver for Lustre.
    """

    def __init__(self, name: str, args: AksStorageArgs, opts: Opts = None):
        self._plan_alone(name, AksStorageArgs, plan_storage, args, opts, name)

    def _make(self, name: str, plan: AksStoragePlan, links: AksStorageLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:AksStorage", name, shown, opts)
        child = pulumi.ResourceOptions(parent=self)
        if plan.lustre is not None:
            files = _lustre(name, plan, plan.lustre, links, child)
            self.store = self.handle = files.name
            self.attributes = files.client_info.apply(lambda info: {"mgs-ip-address": info.mgs_address})
        elif plan.account is not None:
            self._blobs(name, plan, plan.account, links)
        self.register_outputs(outputs(self))

    def _blobs(self, name: str, plan: AksStoragePlan, account: AccountPlan, links: AksStorageLinks) -> None:
        child = pulumi.ResourceOptions(parent=self)
        group = pulumi.Output.from_input(links["resource_group"])
        if account.existing:
            group = pulumi.Output.from_input(account.resource_group) if account.resource_group else group
            account_name = pulumi.Output.from_input(account.existing)
            scope = pulumi.Output.format(
                "/subscriptions/{0}/resourceGroups/{1}/providers/Microsoft.Storage/storageAccounts/{2}",
                plan.place["subscription"],
                group,
                account_name,
            )
        else:
            created = _account(account, plan.place["location"], group, child)
            account_name, scope = created.name, created.id
        # The nodes' identity: workload identity would be narrower, and every tenant's pods would have to name a service
        # account that is federated for it (docs/security.md, Decisions).
        subscription, principal = plan.place["subscription"], links["identity_principal"]
        grant(f"{name}-storage", subscription, STORAGE_BLOB_DATA_CONTRIBUTOR, principal, scope, child)
        self.store = pulumi.Output.format("{0}/{1}", account_name, account.container)
        self.handle = pulumi.Output.format("{0}#{1}#{2}", group, account_name, account.container)
        self.attributes = pulumi.Output.all(
            protocol="fuse2",
            resourceGroup=group,
            storageAccount=account_name,
            containerName=account.container,
            AzureStorageAuthType="MSI",
            AzureStorageIdentityClientID=links["identity_client"],
        ).apply(dict)


def _lustre(
    name: str, plan: AksStoragePlan, files: AksLustrePlan, links: AksStorageLinks, child: pulumi.ResourceOptions
) -> storagecache.AmlFilesystem:
    """A file system in a subnet of its own. It has no public address, and Azure encrypts all that is in it."""
    day = storagecache.MaintenanceDayOfWeekType(files.day)
    return storagecache.AmlFilesystem(
        f"{name}-storage",
        resource_group_name=links["resource_group"],
        location=plan.place["location"],
        sku={"name": files.sku},
        storage_capacity_ti_b=files.capacity_tib,
        zones=[plan.place["zone"]] if "zone" in plan.place else None,
        filesystem_subnet=links.get("lustre_subnet", ""),
        maintenance_window={"day_of_week": day, "time_of_day_utc": files.time},
        opts=pulumi.ResourceOptions(
            parent=child.parent,
            protect=files.protected or None,
            # A new one could have no addresses beside it.
            delete_before_replace=True,
            replace_on_changes=list(_DECIDED_ONCE),
            custom_timeouts=pulumi.CustomTimeouts(create="60m", update="60m", delete="60m"),
        ),
    )


def _account(
    plan: AccountPlan, location: str, group: pulumi.Output[str], child: pulumi.ResourceOptions
) -> storage.StorageAccount:
    """An account that Entra ID alone opens, and its container. Azure encrypts all that is in it by itself."""
    # The resource group would take it along: what is protected keeps that, too.
    options = pulumi.ResourceOptions(parent=child.parent, protect=plan.protected or None)
    account = storage.StorageAccount(
        plan.name,
        resource_group_name=group,
        location=location,
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
