"""A pool of plain machines: what its capacity decides, what it boots, what its machines are told to prove."""

import json
from dataclasses import replace
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList, Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.catalog.machine import Capacity
from rdma_cluster.common.google.names import Place
from rdma_cluster.gce.plan.acceptance import plan_machines_acceptance
from rdma_cluster.gce.plan.network import BUILDABLE
from rdma_cluster.gce.plan.vms import GceGpuVmsArgs, VmsPlan, check_system, plan_pool, plan_vms, to_test
from tests.gce.plans import pool_of

COS = "projects/cos-cloud/global/images/family/cos-125-lts"
PLACE = Place("my-project", "us-central1-a", "us-central1")
NICS = [{"network": f"n{i}", "subnetwork": f"s{i}"} for i in range(5)]


def vms(called: str = "s", **args: Any) -> VmsPlan:
    """The plan of a component on its own."""
    base = {"name": "a3", "machine": "a3-highgpu-8g", "nodes": 2, "capacity": {"spot": True}, "networks": NICS}
    place = {"project": "my-project", "zone": "us-central1-a"}
    return plan_from(GceGpuVmsArgs, lambda read, errors: plan_vms(read, called, errors), {**base, **place, **args})


def wrong(called: str = "s", **args: Any) -> list[str]:
    """What is refused, by path and first words."""
    try:
        vms(called, **args)
    except Refused as refused:
        return [line.partition(";")[0] for line in refused.lines]
    return []


def test_default():
    """Two machines, with COS of GKE's nodes and its own driver."""
    made = vms()

    assert made == VmsPlan(
        name="a3",
        machine=BUILDABLE["a3-highgpu-8g"],
        fabric=made.fabric,
        nodes=2,
        place=PLACE,
        capacity=Capacity.SPOT,
        reservation=None,
        compact=False,
        image=COS,
        start=made.start,
        cloud_config=made.cloud_config,
        members="s-a3-",
        order=made.order,
        skip_reason="",
        create_minutes=61,
        warnings=("pool a3: one preempted spot node stops every job that spans it",),
    )
    assert (made.fabric.name, made.start.driver, dict(made.start.registries)) == ("tcpx", "default", {})
    assert made.order is not None and made == pool_of()


@pytest.mark.parametrize(
    ("capacity", "source", "reservation", "compact"),
    [
        ({"on_demand": True}, Capacity.ON_DEMAND, None, True),
        ({"spot": True}, Capacity.SPOT, None, False),
        ({"reservation": {"name": "r"}}, Capacity.RESERVATION, "r", False),
        (
            {"reservation": {"name": "r", "project": "owner-1"}},
            Capacity.RESERVATION,
            "projects/owner-1/reservations/r",
            False,
        ),
    ],
)
def test_capacity(capacity: dict[str, Any], source: Capacity, reservation: str | None, compact: bool):
    """On-demand machines are asked to be close; a reservation has its own policy."""
    made = vms(capacity=capacity)

    assert (made.capacity, made.reservation, made.compact) == (source, reservation, compact)


def test_every_choice():
    """Another prefix, image and driver; a part of the proof that is not wanted."""
    image = "projects/mine/global/images/my-cos"
    made = vms("component", prefix="p", system={"image": image, "driver": "latest"}, acceptance={"enabled": False})

    assert (made.members, made.image, made.start.driver, made.order) == ("p-a3-", image, "latest", None)
    assert made.skip_reason == "acceptance is disabled"
    assert made.warnings[1:] == (
        "pool a3: with the driver `latest`, GPUDirect-TCPX was seen to break (cluster-toolkit issue 3032)",
    )


@pytest.mark.parametrize(
    ("args", "refused"),
    [
        ({"networks": NICS[:4]}, ["networks: got 4"]),
        ({"networks": [*NICS, NICS[0]]}, ["networks: got 6"]),
        ({"prefix": "p" * 30}, []),
        ({"prefix": "p" * 31}, ["name: got"]),
        ({"prefix": "P"}, ["name: got 'P'"]),
        ({"zone": "central"}, ["zone: got 'central', which has no zone's form"]),
        ({"nodes": 0}, ["nodes: got 0"]),
        ({"nodes": 15_000}, []),
        ({"nodes": 15_001}, ["nodes: got 15001"]),
        ({"capacity": {"reservation": {"name": "R"}}}, ["capacity.reservation.name: got 'R'"]),
        ({"capacity": {"reservation": {"name": "r" * 63}}}, []),
        ({"capacity": {"reservation": {"name": "r" * 64}}}, ["capacity.reservation.name: got"]),
        ({"capacity": {"reservation": {"name": "r", "project": "P"}}}, ["capacity.reservation.project: got 'P'"]),
        ({"capacity": {}}, ["capacity: empty"]),
        ({"name": "a" * 53}, []),
        ({"name": "a" * 54}, ["name: got"]),
        ({"name": "a" * 24, "prefix": "p" * 30}, []),
        ({"name": "a" * 25, "prefix": "p" * 30}, ["name: got"]),
        ({"name": "A"}, ["name: got 'A'"]),
        ({"registries": {"docker.io": "https://x"}}, ["registries.docker.io: got"]),
        ({"system": {"image": "cos"}}, ["system.image: got 'cos'"]),
        ({"acceptance": {"compare": True, "enabled": False}}, ["acceptance.compare: not allowed with enabled: false"]),
    ],
)
def test_what_is_refused(args: dict[str, Any], refused: list[str]):
    """At the key that is wrong, and nothing else; the nearest that works is let in."""
    found = wrong(**args)

    assert [line.startswith(words) for line, words in zip(found, refused, strict=True)] == [True] * len(refused)


@pytest.mark.parametrize(
    ("system", "told"),
    [
        ({}, None),
        ({"image": COS}, None),
        ({"image": "projects/mine/global/images/my-cos"}, None),
        ({"image": "projects/debian-cloud/global/images/family/debian-13"}, "image: got"),
        ({"image": "projects/cos-cloud/global/images/family/cos-arm64-125-lts"}, "image: got"),
        ({"image": "cos-125-lts"}, "image: got 'cos-125-lts'; write projects/PROJECT/global/images/NAME"),
        ({"driver": "default"}, None),
        ({"driver": "latest"}, None),
        ({"driver": "R525"}, None),
        ({"driver": "R524"}, "driver: got R524; NVIDIA H100 80GB HBM3 needs R525 or later, take default or R580"),
        ({"driver": "525.85.12"}, None),
        ({"driver": "524.85.12"}, "driver: got 524.85.12; NVIDIA H100 80GB HBM3 needs R525 or later"),
        ({"driver": "R58"}, "driver: got 'R58'; write default, a branch (R580) or a version"),
    ],
)
def test_what_machines_boot(system: Any, told: str | None):
    """COS for x86, and a driver that knows the GPU; only Google knows which there are."""
    errors = ErrorList()
    check_system(system, errors)

    assert [str(each).startswith(told or "") for each in errors.found()] == [True] * (told is not None)


def test_pools_that_are_tested():
    """Of known machines, each name once, with no more nodes than there can be."""
    listed: Any = [
        {"name": "a", "machine": "a3-highgpu-8g", "nodes": 20_000},
        {"name": "b", "machine": "no-machine", "nodes": 2},
        {"name": "c", "machine": "a3-edgegpu-8g", "nodes": 3},
        {"name": "a", "machine": "a3-edgegpu-8g", "nodes": 4},
    ]

    assert to_test(listed) == [
        {"name": "a", "machine": "a3-highgpu-8g", "nodes": 15_000, "fabric": "tcpx"},
        {"name": "c", "machine": "a3-edgegpu-8g", "nodes": 3, "fabric": "tcpx"},
    ]


@pytest.mark.parametrize(
    ("nodes", "choice", "refused"),
    [
        ([1], {}, []),
        ([2], {"compare": True}, []),
        ([1, 2], {"compare": True}, []),
        ([2, 1], {"compare": True}, []),
        ([1], {"compare": True}, ["compare"]),
        ([1, 1], {"compare": True}, ["compare"]),
        ([1, 1], {"compare": False}, []),
        # A list without pools is an error of its own.
        ([], {"compare": True}, []),
        ([2], {"compare": True, "enabled": True}, []),
        ([2], {"compare": True, "enabled": False}, ["compare"]),
        ([2], {"compare": False, "enabled": False}, []),
        ([2], {"taint_suspects": False}, []),
        ([2], {"taint_suspects": True}, ["taint_suspects"]),
    ],
)
def test_what_is_not_proved_on_plain_machines(nodes: list[int], choice: dict[str, Any], refused: list[str]):
    """A comparison goes between two machines of a pool, after the proof; only Kubernetes has taints."""
    errors = ErrorList()
    pools: Any = [{"name": f"p{i}", "machine": "a3-highgpu-8g", "nodes": each} for i, each in enumerate(nodes)]
    made = plan_machines_acceptance(pools, choice, {}, errors)  # ty: ignore[invalid-argument-type]

    assert [
        str(each).partition(": ")[0] for each in errors.found() if "taint" in str(each) or "compare" in str(each)
    ] == (refused)
    assert (made is None) is bool(errors)


def env_of(made: VmsPlan) -> dict[str, str]:
    """The variables of the order's script."""
    assert made.order is not None
    text = json.loads(made.order.lead_files)["scripts/env.sh"]
    return dict(line.removeprefix("export ").split("=", 1) for line in text.splitlines())


def test_what_the_machines_are_told():
    """The test as in pods, who takes part, and for how long; what the fabric sets itself the container has already."""
    assert env_of(pool_of()) == {
        "NODES": "2",
        "GPUS": "8",
        "COLLECTIVE": "all_gather",
        "MOST_BYTES": str(8 << 30),
        "READY_SECONDS": "900",
        "PAIR_SECONDS": "600",
        "ROUNDS": "0,1",
        "SOURCE": "''",
        "TESTS": "/third_party/nccl-tests-mpi/build",
        "MPIRUN": "mpirun",
        "MPI_ARGS": "''",
        "SSH_PORT": "222",
        "MEMBERS": "s-a3-",
        "DAEMON": "'service ssh restart'",
        "TEST_IMAGE": "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.12",
        "SECONDS_IN_ALL": "1590",
        "LEND_SECONDS": "3390",
        "WAIVERS": "''",
        "PLAIN_LIBRARIES": "/usr/lib/x86_64-linux-gnu:/usr/local/nvidia/lib64",
        "COMPARE": "''",
    }


def test_a_comparison_takes_longer():
    """Two runs of the first pair more, each with two minutes to begin; nobody waits longer for the test itself."""
    plain, compared = env_of(pool_of()), env_of(pool_of(acceptance={"compare": True}))

    changed = {key for key in plain if plain[key] != compared[key]}
    assert changed == {"COMPARE", "LEND_SECONDS"} and compared["COMPARE"] == "1"
    assert int(compared["LEND_SECONDS"]) == int(plain["LEND_SECONDS"]) + 2 * (600 + 120)


def test_waivers():
    """Each gate by its own option of the judge."""
    assert env_of(pool_of(acceptance={"waive": ["bandwidth", "affinity"]}))["WAIVERS"] == (
        "'--waive bandwidth --waive affinity'"
    )


def test_the_order():
    """Its name and the judge's image; `up` waits as long as the machines lend themselves, and says where to look."""
    order = pool_of().order
    assert order is not None

    assert order.order == f"{order.id} {order.test.measure.judge_image}" and len(order.id) == 12
    assert order.test.timeout_seconds == 3390
    assert order.test.log == (
        "gcloud compute ssh s-a3-0 --tunnel-through-iap --command 'journalctl -u rdma-cluster-acceptance'"
    )
    assert order.script.startswith("# Follows an order to test that it has not followed yet")
    lead, member = json.loads(order.lead_files), json.loads(order.member_files)
    assert list(lead) == sorted(lead) and list(member) == sorted(member)
    assert lead["scripts/ring.sh"].startswith("#") and lead["judge/judge.sh"].startswith("#")


def test_only_its_own_pool_is_ordered():
    """A plan without a place or a machine has no order, and none is made of another pool's test."""
    errors = ErrorList()
    listed: Any = {"name": "a3", "machine": "a3-highgpu-8g", "nodes": 2, "capacity": {"spot": True}}
    made = plan_pool(listed, prefix="s", place=PLACE, system={}, registries={}, errors=errors)

    assert made == replace(pool_of(), order=None) and not errors
    assert (
        plan_pool(listed, prefix="s", place=replace(PLACE, region=""), system={}, registries={}, errors=errors) is None
    )


def test_machines_that_can_be_plain_have_the_same_nics_and_gpus():
    """Networks and the least driver are those of the first: a machine with others needs them told apart."""
    assert {machine.nics for machine in BUILDABLE.values()} == {4}
    assert {machine.gpu and machine.gpu.arch for machine in BUILDABLE.values()} == {"Hopper"}
