"""Node pools that a change takes away, or whose nodes it does."""

import pulumi
import pulumi_aws as aws
import pulumi_gcp as gcp


class _Team(pulumi.ComponentResource):
    def __init__(self) -> None:
        super().__init__("acme:index:Team", "team")


def _pool(opts: pulumi.ResourceOptions | None = None) -> None:
    gcp.container.NodePool(
        "gpu",
        name="gpu",
        cluster="corp",
        location="us-central1",
        node_count=2,
        node_config={
            "machine_type": "a3-megagpu-8g",
            "reservation_affinity": {
                "consume_reservation_type": "SPECIFIC_RESERVATION",
                "key": "compute.googleapis.com/reservation-name",
                "values": ["corp-h100"],
            },
        },
        opts=opts,
    )


def at_the_root() -> None:
    _pool()


def below_a_team() -> None:
    _pool(pulumi.ResourceOptions(parent=_Team()))


def _group(disk_gb: int) -> None:
    size = aws.ec2.LaunchTemplateBlockDeviceMappingEbsArgs(volume_size=disk_gb)
    disk = aws.ec2.LaunchTemplateBlockDeviceMappingArgs(device_name="/dev/xvda", ebs=size)
    template = aws.ec2.LaunchTemplate("gpu", block_device_mappings=[disk])
    aws.eks.NodeGroup(
        "gpu",
        cluster_name="corp",
        node_role_arn="arn:aws:iam::123456789012:role/nodes",
        subnet_ids=["subnet-0123456789abcdef0"],
        scaling_config={"desired_size": 2, "min_size": 2, "max_size": 2},
        launch_template={"id": template.id, "version": template.latest_version.apply(str)},
    )


def small_disks() -> None:
    _group(100)


def large_disks() -> None:
    _group(500)
