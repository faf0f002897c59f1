"""Where a GKE stack keeps its data, and who may read and write it."""

import pulumi
import pulumi_gcp as gcp
from ..base.args import Link
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, inputs, outputs, plan_args
from ..incluster.in_cluster import BaseStorage
from .plan.storage import GkeBucketPlan, GkeLustrePlan, GkeStorageArgs, GkeStoragePlan, StoreUse, plan_storage

_FILESYSTEM = "data"
"""The file system's name in Lustre: up to eight letters and digits."""


@with_keys
class GkeStorage(BaseStorage, PlannedComponent[GkeStoragePlan, Link | None]):
    """A bucket that pods of some namespaces may read and write, or a Lustre instance; ``SharedVolume`` mounts it.

    The cluster has Workload Identity and the add-on ``GcsFuseCsiDriver``, or ``LustreCsiDriver``.
    """

    def __init__(self, name: str, args: GkeStorageArgs, opts: Opts = None):
        args, plan = plan_args(GkeStorageArgs, plan_storage, args, None, name)
        self._make(name, plan, args.get("network"), inputs(GkeStorageArgs, args), opts)

    def _make(self, name: str, plan: GkeStoragePlan, links: Link | None, shown: Shown, opts: Opts) -> None:
        """``links`` is the name of the VPC from which a Lustre instance is reached."""
        super().__init__("rdma-cluster:index:GkeStorage", name, shown, opts)
        child, place = pulumi.ResourceOptions(parent=self), plan.use.place
        if plan.bucket is not None:
            self.handle = _bucket(name, plan.bucket, plan.use, child)
            self.store = pulumi.Output.format("gs://{0}", self.handle)
            self.attributes = pulumi.Output.from_input(dict[str, str]())
        elif plan.lustre is not None:
            assert links is not None  # the plan refuses a Lustre instance without it
            instance = _lustre(name, plan.lustre, plan.use, links, child)
            self.handle = pulumi.Output.format("{0}/{1}/{2}", place.project, place.zone, instance.instance_id)
            self.store = instance.instance_id
            # IP_ADDRESS@tcp:/FILESYSTEM
            address = instance.mount_point.apply(lambda mounted: mounted.partition("@")[0])
            self.attributes = pulumi.Output.all(ip=address, filesystem=instance.filesystem).apply(dict)
        self.register_outputs(outputs(self))


def _lustre(
    name: str, plan: GkeLustrePlan, use: StoreUse, vpc: Link, child: pulumi.ResourceOptions
) -> gcp.lustre.Instance:
    """An instance that is reached from the cluster's VPC, by way of Google's private services access."""
    project = use.place.project
    network = pulumi.Output.format("projects/{0}/global/networks/{1}", project, vpc)
    reached = _private_access(name, project, network, child) if use.connect else []
    return gcp.lustre.Instance(
        f"{name}-storage",
        project=project,
        instance_id=name,
        location=use.place.zone,
        filesystem=_FILESYSTEM,
        capacity_gib=str(plan.capacity_gib),
        per_unit_storage_throughput=str(plan.mbps_per_tib),
        network=network,
        opts=pulumi.ResourceOptions.merge(
            child,
            pulumi.ResourceOptions(
                depends_on=reached,
                protect=plan.protected or None,
                # Its name is its own until it is gone.
                delete_before_replace=True,
                custom_timeouts=pulumi.CustomTimeouts(create="60m", update="60m", delete="60m"),
            ),
        ),
    )


def _private_access(
    name: str, project: str, network: pulumi.Output[str], child: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Reserve addresses of Google's choice for the instance, peer with Google's network, and let its answers in.

    As in cluster-toolkit@1047080 examples/gke-managed-lustre.yaml, modules/network/private-service-access.
    """
    addresses = gcp.compute.GlobalAddress(
        f"{name}-storage",
        project=project,
        network=network,
        purpose="VPC_PEERING",
        address_type="INTERNAL",
        prefix_length=22,
        opts=child,
    )
    peering = gcp.servicenetworking.Connection(
        f"{name}-storage",
        network=network,
        service="servicenetworking.googleapis.com",
        reserved_peering_ranges=[addresses.name],
        # Google holds on to it for a while after the instance is gone; it goes with the VPC. Unverified.
        deletion_policy="ABANDON",
        update_on_creation_fail=True,
        opts=child,
    )
    answers = gcp.compute.Firewall(
        f"{name}-storage",
        project=project,
        network=network,
        allows=[{"protocol": "tcp", "ports": ["988"]}],
        source_ranges=[pulumi.Output.format("{0}/{1}", addresses.address, addresses.prefix_length)],
        opts=child,
    )
    return [peering, answers]


def _bucket(name: str, plan: GkeBucketPlan, use: StoreUse, child: pulumi.ResourceOptions) -> pulumi.Output[str]:
    """Let pods of the namespaces use the bucket, which is new unless the plan names one. Returns its name."""
    project = use.place.project
    if plan.existing:
        bucket: pulumi.Output[str] = pulumi.Output.from_input(plan.existing)
        number = gcp.organizations.get_project_output(
            project_id=project, opts=pulumi.InvokeOutputOptions(parent=child.parent)
        ).number
    else:
        new = gcp.storage.Bucket(
            f"{name}-storage",
            project=project,
            location=plan.location,
            uniform_bucket_level_access=True,
            public_access_prevention="enforced",
            # Folders that can be renamed at once, as checkpoints are: only from the start, and only with the above.
            hierarchical_namespace={"enabled": True},
            force_destroy=not plan.protected,
            opts=pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(protect=plan.protected or None)),
        )
        bucket, number = new.name, new.project_number.apply(str)
    for namespace in use.namespaces:
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
