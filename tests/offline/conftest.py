"""A component every test may use: it has children of two packages, as ours do."""

import warnings
from collections.abc import Callable

import pulumi
import pulumi_aws as aws
import pulumi_gcp as gcp
import pytest


@pytest.fixture(scope="module", autouse=True)
def sdks(request: pytest.FixtureRequest) -> None:
    """The SDKs' modules load when they are touched, and some warn of classes of theirs which nobody asked for."""
    if not vars(request.module).keys() & {"pulumi", "gcp"}:
        return  # tests of graphs that are written by hand
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        assert aws.ec2.LaunchTemplate and gcp.compute.Network and gcp.storage.BucketObject


class Rail(pulumi.ComponentResource):
    """A network and its subnet."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("test:index:Rail", name, {"mtuBytes": 8896}, opts)
        child = pulumi.ResourceOptions(parent=self)
        self.network = gcp.compute.Network(f"{name}-net", auto_create_subnetworks=False, mtu=8896, opts=child)
        self.subnet = gcp.compute.Subnetwork(
            f"{name}-subnet", network=self.network.self_link, ip_cidr_range="10.0.0.0/24", region="r", opts=child
        )
        self.register_outputs({"network": self.network.name, "key": pulumi.Output.secret("hush")})


@pytest.fixture
def rail() -> Callable[..., Rail]:
    """Makes the component."""
    return Rail
