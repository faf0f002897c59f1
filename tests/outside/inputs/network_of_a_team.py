"""A component of somebody's own holds one of ours, and is given a provider; the environment has another account."""

import pulumi
import pulumi_gcp
from rdma_cluster.gke import GkeHpcNetwork


class _Team(pulumi.ComponentResource):
    def __init__(self, name: str, opts: pulumi.ResourceOptions) -> None:
        super().__init__("acme:index:Team", name, {}, opts)
        GkeHpcNetwork(
            "train",
            {"project": "my-project", "zone": "us-west8-c", "machines": ["a4-highgpu-8g"]},
            pulumi.ResourceOptions(parent=self),
        )


def program() -> None:
    _Team("team", pulumi.ResourceOptions(provider=pulumi_gcp.Provider("corp", project="my-project")))
