"""Where the nodes of an EKS pool come from and how near they are, and who hands out their devices."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.catalog.machine import Capacity
from rdma_cluster.eks.plan.capacity import EksPlacement, check_reservation, place
from rdma_cluster.eks.plan.devices import plan_drivers
from rdma_cluster.eks.plan.machines import BUILDABLE, machine_for
from rdma_cluster.eks.plan.node_pool import plan_pool
from rdma_cluster.fabrics import GpuAllocation
from rdma_cluster.incluster.plan.dra_drivers import ManagedBy
from tests.eks.plans import BLOCK

CLUSTER, NONE = EksPlacement.CLUSTER, EksPlacement.NONE
ON_DEMAND, RESERVATION, SPOT = Capacity.ON_DEMAND, Capacity.RESERVATION, Capacity.SPOT
OF_BLOCK = Capacity.CAPACITY_BLOCK
GROUP = "arn:aws:resource-groups:us-east-2:111122223333:group/gpus"


@pytest.mark.parametrize(
    ("capacity", "placement", "group", "makes", "wrong"),
    [
        (ON_DEMAND, None, None, True, ""),
        (ON_DEMAND, CLUSTER, None, True, ""),
        (ON_DEMAND, NONE, None, False, ""),
        (ON_DEMAND, None, "mine", False, ""),
        (ON_DEMAND, CLUSTER, "mine", False, ""),
        (ON_DEMAND, NONE, "mine", False, "placement_group: not allowed with placement: none"),
        (ON_DEMAND, None, " ", False, "placement_group: empty"),
        (SPOT, None, None, False, ""),
        (SPOT, CLUSTER, None, True, ""),
        (SPOT, NONE, None, False, ""),
        (RESERVATION, None, None, False, ""),
        (RESERVATION, NONE, None, False, ""),
        (RESERVATION, CLUSTER, "its own", False, ""),
        (RESERVATION, None, "its own", False, ""),
        (RESERVATION, CLUSTER, None, True, "placement: got cluster"),
        (OF_BLOCK, None, None, False, ""),
        (OF_BLOCK, NONE, None, False, ""),
        (OF_BLOCK, CLUSTER, None, True, "placement: not allowed with a capacity block"),
        (OF_BLOCK, None, "mine", False, "placement_group: not allowed with a capacity block"),
        (OF_BLOCK, NONE, "mine", False, "placement_group: not allowed with a capacity block"),
        (None, None, None, False, ""),
        (None, CLUSTER, None, True, ""),
        # A group that another resource makes is known later.
        (ON_DEMAND, None, object(), False, ""),
    ],
)
def test_placement(capacity: Capacity | None, placement: EksPlacement | None, group: Any, makes: bool, wrong: str):
    """A group is made where nothing else places the nodes; what keeps them out of what is reserved is refused."""
    errors = ErrorList()

    assert place(placement, group, capacity, errors) is makes
    assert [str(each).partition(";")[0].startswith(wrong) for each in errors.found()] == [True] * bool(wrong)


@pytest.mark.parametrize(
    ("capacity", "wrong"),
    [
        ({"reservation": {"id": "cr-01234567"}}, []),
        ({"reservation": {"id": "cr-0123456789abcdef0", "zone": "us-east-2a"}}, []),
        ({"reservation": {"group": GROUP}}, []),
        ({"reservation": {"id": "cr-0123456"}}, ["reservation.id"]),
        ({"reservation": {"id": "r"}}, ["reservation.id"]),
        ({"reservation": {}}, ["reservation"]),
        ({"reservation": {"id": "cr-01234567", "group": GROUP}}, ["reservation"]),
        ({"reservation": {"group": "gpus"}}, ["reservation.group"]),
        ({"reservation": {"group": GROUP.replace("east-2", "west-2")}}, ["reservation.group"]),
        ({"reservation": {"group": GROUP.replace("aws:", "aws-cn:")}}, ["reservation.group"]),
        ({"reservation": {"id": "cr-01234567", "zone": "us-east-2b"}}, ["reservation.zone"]),
        ({"capacity_block": {"id": "cr-01234567", "zone": "us-east-2a"}}, []),
        ({"capacity_block": {"id": "cr-01234567", "zone": "us-east-2b"}}, ["capacity_block.zone"]),
        ({"capacity_block": {"id": "block"}}, ["capacity_block.id"]),
        ({"spot": True}, []),
    ],
)
def test_what_names_a_reservation(capacity: dict[str, Any], wrong: list[str]):
    """An id, or the ARN of a group in the region, one of the two; and the pool's own zone."""
    errors = ErrorList()
    check_reservation(capacity, zone="us-east-2a", errors=errors)  # ty: ignore[invalid-argument-type]

    assert [str(each).partition(": ")[0] for each in errors.found()] == wrong


@pytest.mark.parametrize(("key", "noun"), [("reservation", "reservation"), ("capacity_block", "capacity block")])
def test_a_reservation_elsewhere_is_told_by_its_kind(key: str, noun: str):
    """With both zones."""
    errors = ErrorList()
    named: Any = {key: {"id": "cr-01234567", "zone": "us-east-2b"}}
    check_reservation(named, zone="us-east-2a", errors=errors)

    assert [each.reason for each in errors.found()] == [
        f"the {noun} is in us-east-2b and the pool in us-east-2a; use one of us-east-2a or move the stack"
    ]


@pytest.mark.parametrize(
    ("choice", "region", "registry", "wrong"),
    [
        ({}, "us-east-2", "602401143452.dkr.ecr.us-east-2.amazonaws.com", []),
        ({"registry": "mirror.example/eks"}, "us-east-2", "mirror.example/eks", []),
        ({"registry": "mirror.example/eks"}, "xx-east-9", "mirror.example/eks", []),
        ({"registry": "https://mirror.example"}, "us-east-2", "", ["registry"]),
        ({}, "xx-east-9", "", ["registry"]),
        # A region without a form has that error alone.
        ({}, "east", "", []),
        ({"nic": ManagedBy.MANAGED}, "us-east-2", "602401143452.dkr.ecr.us-east-2.amazonaws.com", ["nic"]),
    ],
)
def test_registry_of_eks_images(choice: dict[str, Any], region: str, registry: str, wrong: list[str]):
    """AWS's own in the region, or the user's; of a region that the catalogue lacks it must be named."""
    errors = ErrorList()
    _, found = plan_drivers(choice, region=region, errors=errors)  # ty: ignore[invalid-argument-type]

    assert (found, [str(each).partition(": ")[0] for each in errors.found()]) == (registry, wrong)


def test_drivers():
    """Who brings which one goes on as it was said, without the registry."""
    choice: Any = {"gpu": ManagedBy.EXISTING, "registry": "mirror.example/eks"}

    assert plan_drivers(choice, region="us-east-2", errors=ErrorList())[0] == {"gpu": ManagedBy.EXISTING}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("p5.48xlarge", ""),
        ("g4dn.metal", ""),
        ("hpc7a.96xlarge", "hpc7a.96xlarge has no NVIDIA GPU; choose one of "),
        ("p6e-gb300r.36xlarge", "p6e-gb300r.36xlarge is in the catalogue, but its RoCE fabric is not built yet; "),
        ("g7.8xlarge", "g7.8xlarge is not built yet: "),
        ("p5.96xlarge", "unknown machine 'p5.96xlarge', or one without EFA; nearest are "),
        ("a4-highgpu-8g", "a4-highgpu-8g is a machine of GKE; nearest on EKS are "),
    ],
)
def test_machines(name: str, told: str):
    """One that can be built is found; of another it is said why not, and which have GPUDirect RDMA."""
    errors = ErrorList()
    found = machine_for(name, errors)

    assert found is BUILDABLE.get(name) and (found is None) is bool(told)
    assert [each.reason.startswith(told) for each in errors.found()] == [True] * bool(told)
    if "choose one of" in "".join(each.reason for each in errors.found()):
        with_gdr = (
            "p4d.24xlarge, p4de.24xlarge, p5.48xlarge, p5e.48xlarge, p5en.48xlarge, p6-b200.48xlarge, "
            "p6-b300.48xlarge, p6e-gb200.36xlarge, g7e.12xlarge, g7e.24xlarge, g7e.48xlarge, ..."
        )
        assert errors.found()[0].reason.endswith(f"choose one of {with_gdr}")


def pool(version: str | None = "1.35", **more: Any) -> tuple[Any, list[str]]:
    """The plan of a pool of P5, and what is refused of it, by path and first words."""
    errors = ErrorList()
    listed: Any = {"name": "p5", "machine": "p5.48xlarge", "nodes": 2, "capacity": {"on_demand": True}, **more}
    made = plan_pool(listed, zone="us-east-2a", version=version, errors=errors)
    return made, [str(each).partition(";")[0] for each in errors.found()]


GB200 = {"machine": "p6e-gb200.36xlarge", "nodes": 9, "capacity": BLOCK}


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ({"release_version": "1.35.0-20251023"}, []),
        ({"release_version": "1.32.9-20251023"}, []),
        ({"release_version": "1.35.0-20251022"}, ["release_version: got 1.35.0-20251022"]),
        ({"release_version": "1.36.0-20260101"}, ["release_version: got a node image of 1.36"]),
        ({"release_version": "1.31.0-20260101"}, ["release_version: got a node image of 1.31"]),
        ({"release_version": "1.36.0-20260101", "version": None}, []),
        ({"release_version": "1.35"}, ["release_version: got '1.35'"]),
        ({**GB200, "release_version": "1.35.0-20251103"}, []),
        ({**GB200, "release_version": "1.35.0-20251102"}, ["release_version: got 1.35.0-20251102"]),
        ({"max_pods": 12}, []),
        ({"max_pods": 11}, ["max_pods: got 11"]),
        ({"max_pods": 51}, []),
        ({"max_pods": 52}, ["max_pods: got 52"]),
        # Nothing is published of its addresses.
        ({**GB200, "max_pods": 500}, []),
        ({**GB200, "gpu_allocation": GpuAllocation.DEVICE_PLUGIN}, ["gpu_allocation: got device-plugin"]),
        ({"gpu_allocation": GpuAllocation.DEVICE_PLUGIN}, []),
        ({"labels": {"team": "a"}}, []),
        (
            {"labels": {"vpc.amazonaws.com/efa.present": "false"}},
            ["labels.vpc.amazonaws.com/efa.present: set by this library and read by the drivers"],
        ),
        (
            {"labels": {"eks.amazonaws.com/nodegroup": "x"}},
            ["labels.eks.amazonaws.com/nodegroup: set by this library and read by the drivers"],
        ),
    ],
)
def test_what_a_pool_refuses(more: dict[str, Any], wrong: list[str]):
    """Node images that read what the node is told, pods that have an address, labels that are the user's."""
    made, found = pool(**more)

    assert [line.startswith(words) for line, words in zip(found, wrong, strict=True)] == [True] * len(wrong)
    assert (made is None) is bool(wrong)


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        ("p5.48xlarge", "p5.48xlarge has addresses for 51, since only card 0 serves pods, and its EFA interface takes"),
        ("p6-b300.48xlarge", "p6-b300.48xlarge has addresses for 198, since only card 0 serves pods; take 198 or "),
    ],
)
def test_why_a_node_holds_no_more_pods(machine: str, words: str):
    """An EFA device on card 0 takes a place that pods would have."""
    errors = ErrorList()
    listed: Any = {"name": "x", "machine": machine, "nodes": 2, "capacity": {"on_demand": True}, "max_pods": 999}
    plan_pool(listed, zone="us-east-2a", errors=errors)

    assert [words in each.reason for each in errors.found()] == [True]


@pytest.mark.parametrize(("release", "minor"), [(None, None), ("1.34.2-20260101", "1.34")])
def test_minor_of_the_node_image(release: str | None, minor: str | None):
    """That of its release; without one EKS's own."""
    made, _ = pool(**({} if release is None else {"release_version": release}))

    assert made.node_version == minor
