"""Where an AKS stack keeps its data, and who may read and write it."""

import pulumi
from pulumi_azure_native import authorization, storage

from ..component import inputs, plan_args
from ..key_docs import with_keys
from .plan import roles
from .plan.storage import AccountPlan, AksStorageArgs, StoragePlan, decide_storage


@with_keys
class AksStorage(pulumi.ComponentResource):
    """A container of blobs, new or one that is there, which the nodes may mount; ``SharedVolume`` gives it to pods.

    The cluster has AKS's driver for blobs.
    """

    store: pulumi.Output[str]
    """What it is, for people: ``ACCOUNT/CONTAINER``."""
    handle: pulumi.Output[str]
    """What the CSI driver knows it by."""
    attributes: pulumi.Output[dict[str, str]]
    """What the CSI driver is told of it."""

    def __init__(
        self,
        name: str,
        args: AksStorageArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        plan: StoragePlan | None = None,
    ):
        if plan is None:
            args, plan = plan_args(AksStorageArgs, lambda checked, faults: decide_storage(checked, name, faults), args)
        super().__init__("rdma-cluster:index:AksStorage", name, inputs(AksStorageArgs, args), opts)
        child = pulumi.ResourceOptions(parent=self)
        assert plan.account is not None
        account = plan.account
        group = pulumi.Output.from_input(args["resource_group"])
        if account.existing:
            group = pulumi.Output.from_input(account.resource_group) if account.resource_group else group
            called = pulumi.Output.from_input(account.existing)
            scope = pulumi.Output.format(
                "/subscriptions/{0}/resourceGroups/{1}/providers/Microsoft.Storage/storageAccounts/{2}",
                account.subscription,
                group,
                called,
            )
        else:
            made = _account(account, group, child)
            called, scope = made.name, made.id
        authorization.RoleAssignment(
            f"{name}-storage",
            principal_id=args["identity_principal"],
            principal_type="ServicePrincipal",
            role_definition_id=roles.definition(account.subscription, roles.STORAGE_BLOB_DATA_CONTRIBUTOR),
            scope=scope,
            opts=child,
        )
        self.store = pulumi.Output.format("{0}/{1}", called, account.container)
        self.handle = pulumi.Output.format("{0}#{1}#{2}", group, called, account.container)
        self.attributes = pulumi.Output.all(
            protocol="fuse2",
            resourceGroup=group,
            storageAccount=called,
            containerName=account.container,
            AzureStorageAuthType="MSI",
            AzureStorageIdentityClientID=args["identity_client"],
        ).apply(dict)
        self.register_outputs({"store": self.store, "handle": self.handle, "attributes": self.attributes})


def _account(plan: AccountPlan, group: pulumi.Output[str], child: pulumi.ResourceOptions) -> storage.StorageAccount:
    """An account that Entra ID alone opens, and its container. Azure encrypts all that is in it by itself."""
    # The resource group would take it along: what is protected keeps that, too.
    kept = pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(protect=plan.protected))
    account = storage.StorageAccount(
        plan.name,
        resource_group_name=group,
        location=plan.location,
        kind=storage.Kind.STORAGE_V2,
        sku={"name": storage.SkuName.STANDARD_LRS},
        allow_blob_public_access=False,
        allow_shared_key_access=False,
        enable_https_traffic_only=True,
        minimum_tls_version=storage.MinimumTlsVersion.TLS1_2,
        opts=kept,
    )
    storage.BlobContainer(
        f"{plan.name}-{plan.container}",
        resource_group_name=group,
        account_name=account.name,
        container_name=plan.container,
        public_access=storage.PublicAccess.NONE,
        opts=kept,
    )
    return account
