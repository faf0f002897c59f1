"""Where a GKE stack keeps its data, and who may read and write it."""

import pulumi
import pulumi_gcp as gcp

from ..component import inputs, plan_args
from ..key_docs import with_keys
from .plan.storage import BucketPlan, GkeStorageArgs, StoragePlan, decide_storage


@with_keys
class GkeStorage(pulumi.ComponentResource):
    """A bucket, new or one that is there, which pods of some namespaces may read and write; ``SharedVolume`` mounts it.

    The cluster has Workload Identity, and the add-on ``GcsFuseCsiDriver``.
    """

    store: pulumi.Output[str]
    """What it is, for people: ``gs://BUCKET``; empty where nothing is made."""
    handle: pulumi.Output[str]
    """What the CSI driver knows it by."""

    def __init__(
        self,
        name: str,
        args: GkeStorageArgs,
        opts: pulumi.ResourceOptions | None = None,
        *,
        plan: StoragePlan | None = None,
    ):
        if plan is None:
            args, plan = plan_args(GkeStorageArgs, lambda checked, faults: decide_storage(checked, name, faults), args)
        super().__init__("rdma-cluster:index:GkeStorage", name, inputs(GkeStorageArgs, args), opts)
        child = pulumi.ResourceOptions(parent=self)
        self.handle = self.store = pulumi.Output.from_input("")
        if plan.bucket is not None:
            self.handle = _bucket(name, args, plan.bucket, child)
            self.store = pulumi.Output.format("gs://{0}", self.handle)
        self.register_outputs({"store": self.store, "handle": self.handle})


def _bucket(name: str, args: GkeStorageArgs, plan: BucketPlan, child: pulumi.ResourceOptions) -> pulumi.Output[str]:
    """Name of the bucket, which pods of the namespaces may use."""
    project = args["project"]
    if plan.existing:
        bucket = pulumi.Output.from_input(plan.existing)
        number = gcp.organizations.get_project_output(
            project_id=project, opts=pulumi.InvokeOutputOptions(parent=child.parent)
        ).number
    else:
        made = gcp.storage.Bucket(
            f"{name}-storage",
            project=project,
            location=plan.location,
            uniform_bucket_level_access=True,
            public_access_prevention="enforced",
            # Folders that can be renamed at once, as checkpoints are: only from the start, and only with the above.
            hierarchical_namespace={"enabled": True},
            force_destroy=not plan.protected,
            opts=pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(protect=plan.protected)),
        )
        bucket, number = made.name, made.project_number.apply(str)
    for namespace in args["namespaces"]:
        # Everybody in the namespace: who may start pods there may read the claim anyway.
        # https://docs.cloud.google.com/kubernetes-engine/docs/concepts/workload-identity#principal-id-examples
        gcp.storage.BucketIAMMember(
            f"{name}-storage-{namespace}",
            bucket=bucket,
            role="roles/storage.objectUser",
            member=pulumi.Output.format(
                "principalSet://iam.googleapis.com/projects/{0}/locations/global/workloadIdentityPools/"
                "{1}.svc.id.goog/namespace/{2}",
                number,
                project,
                namespace,
            ),
            opts=child,
        )
    return bucket
