"""Where an EKS stack keeps its data, who may read and write it, and the driver that mounts it."""

import json
from collections.abc import Sequence

import pulumi
import pulumi_aws as aws
from pulumi_offline.frozen import frozen
from ..base.key_docs import with_keys
from ..component.frame import Opts, PlannedComponent, Shown, inputs, outputs, plan_args, waiting_for
from ..incluster.in_cluster import BaseStorage
from .cluster import managed_addon, trust
from .plan.storage import BUCKET_ACCOUNT, EksBucketPlan, EksLustrePlan, EksStorageArgs, EksStoragePlan, plan_storage

# What Mountpoint asks for: github.com/awslabs/mountpoint-s3 doc/CONFIGURATION.md, IAM permissions.
_OF_BUCKET = ["s3:ListBucket"]
_OF_OBJECTS = ["s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:PutObject"]


@frozen
class EksStorageLinks:
    """What other resources bring to a store, by the names of its args."""

    cluster: pulumi.Input[str]
    subnet: pulumi.Input[str]
    security_group: pulumi.Input[str]
    after: Sequence[pulumi.Resource]
    """Nodes that the driver may run on."""


@with_keys
class EksStorage(PlannedComponent[EksStoragePlan, EksStorageLinks], BaseStorage):
    """A bucket or a Lustre file system, and the add-on that mounts it; ``SharedVolume`` gives it to pods."""

    def __init__(self, name: str, args: EksStorageArgs, opts: Opts = None, *, after: Sequence[pulumi.Resource] = ()):
        """``after`` are nodes that the driver may run on."""
        args, plan = plan_args(EksStorageArgs, plan_storage, args, None, name)
        links = EksStorageLinks(args["cluster"], args.get("subnet", ""), args.get("security_group", ""), after)
        self._make(name, plan, links, inputs(EksStorageArgs, args), opts)

    def _make(self, name: str, plan: EksStoragePlan, links: EksStorageLinks, shown: Shown, opts: Opts) -> None:
        super().__init__("rdma-cluster:index:EksStorage", name, shown, opts)
        child = pulumi.ResourceOptions(parent=self)
        identity, after = None, links.after
        if plan.bucket is not None:
            self.handle = _bucket(name, plan.bucket, child)
            self.store = pulumi.Output.format("s3://{0}", self.handle)
            self.attributes = pulumi.Output.all(bucketName=self.handle).apply(dict)
            if plan.brings_driver:
                role, granted = _role(name, plan.bucket, self.handle, child)
                identity, after = (BUCKET_ACCOUNT, role), [*after, granted]
        elif plan.lustre is not None:
            files = _lustre(name, plan.lustre, links, child)
            self.handle = self.store = files.id
            self.attributes = pulumi.Output.all(dnsname=files.dns_name, mountname=files.mount_name).apply(dict)
        if plan.brings_driver:
            managed_addon(name, plan.addon, links.cluster, waiting_for(child, after), identity=identity)
        self.register_outputs(outputs(self))


def _bucket(name: str, plan: EksBucketPlan, child: Opts) -> pulumi.Output[str]:
    """Name of the bucket. S3 encrypts all that is in it by itself, and knows no rights by object."""
    if plan.existing:
        return pulumi.Output.from_input(plan.existing)
    opts = pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(protect=plan.protected or None))
    bucket = aws.s3.Bucket(f"{name}-storage", force_destroy=not plan.protected, opts=opts)
    aws.s3.BucketPublicAccessBlock(
        f"{name}-storage",
        bucket=bucket.bucket,
        block_public_acls=True,
        block_public_policy=True,
        ignore_public_acls=True,
        restrict_public_buckets=True,
        opts=child,
    )
    return bucket.bucket


def _role(
    name: str, plan: EksBucketPlan, bucket: pulumi.Output[str], child: Opts
) -> tuple[aws.iam.Role, pulumi.Resource]:
    """The role that the driver's pods take, and its policy for this bucket alone."""
    role = aws.iam.Role(f"{name}-storage", assume_role_policy=trust("pods.eks.amazonaws.com"), opts=child)

    def policy(bucket_name: str) -> str:
        arn = f"arn:{plan.partition}:s3:::{bucket_name}"
        statements = [
            {"Effect": "Allow", "Action": _OF_BUCKET, "Resource": arn},
            {"Effect": "Allow", "Action": _OF_OBJECTS, "Resource": f"{arn}/*"},
        ]
        return json.dumps({"Version": "2012-10-17", "Statement": statements})

    return role, aws.iam.RolePolicy(f"{name}-storage", role=role.name, policy=bucket.apply(policy), opts=child)


def _lustre(
    name: str, plan: EksLustrePlan, links: EksStorageLinks, child: pulumi.ResourceOptions
) -> aws.fsx.LustreFileSystem:
    """A file system beside the GPU nodes.

    It is in the cluster's own group, among whose members all traffic may go: FSx refuses a group without ports 988 and
    1018 to 1023, both ways (docs.aws.amazon.com/fsx/latest/LustreGuide/cannot-create-fs.html).
    """
    return aws.fsx.LustreFileSystem(
        f"{name}-storage",
        subnet_ids=links.subnet,
        security_group_ids=[links.security_group],
        deployment_type="PERSISTENT_2",
        storage_type="SSD",
        storage_capacity=plan.capacity_gib,
        per_unit_storage_throughput=plan.mbps_per_tib,
        # AWS's advice for all new ones; it would take 2.12.
        file_system_type_version="2.15",
        tags={"Name": f"{name}-storage"},
        opts=pulumi.ResourceOptions(
            parent=child.parent,
            protect=plan.protected or None,
            custom_timeouts=pulumi.CustomTimeouts(create="60m", update="120m", delete="60m"),
        ),
    )
