"""A project with one stack, and graphs of a few resources in the place of its program's."""

from pathlib import Path
from typing import Any

from pulumi_offline import Graph, Resource
from pulumi_offline.problems import BrokenProgram, Problem

CLUSTER, POOL = "gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool"
NETWORK, SUBNET = "gcp:compute/network:Network", "gcp:compute/subnetwork:Subnetwork"
POD, RELEASE = "kubernetes:core/v1:Pod", "kubernetes:helm.sh/v3:Release"


def write_project(folder: Path) -> None:
    """Writes the files of a project whose only stack is called lab."""
    (folder / "Pulumi.yaml").write_text("name: p\n")
    (folder / "Pulumi.lab.yaml").write_text("config: {rdma-cluster:cloud: gke}\n")


def urn(kind: str, name: str) -> str:
    """The name by which the engine knows a resource."""
    return f"urn:pulumi:lab::p::{kind}::{name}"


def resource(kind: str, name: str, /, *after: str, parent: str | None = None, **inputs: Any) -> Resource:
    """A resource that waits for others."""
    return Resource(urn(kind, name), kind, name, parent, None, inputs, dependencies=after)


def pod(image: str) -> Resource:
    """A pod with a container of this image."""
    return resource(POD, image, spec={"containers": [{"name": "a", "image": image}]})


def release(chart: str) -> Resource:
    """A release of this chart."""
    return resource(RELEASE, chart, chart=chart)


def broken_program(*_: object) -> Graph:
    """Runs a program that the engine would refuse."""
    raise BrokenProgram((Problem("", "mtu", "is no number"),), Graph("lab", ()))
