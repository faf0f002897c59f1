"""A plan shows rails, pools, claims, tests and stores in rows of the same form on every cloud."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from nccl_verdict.expectation import NVLINK, SizeThreshold
from rdma_cluster.base.args import plan_from
from rdma_cluster.common.summary import acceptance_rows, claim_rows, machine_rows, queue_sections, storage_rows
from rdma_cluster.incluster.addons.queues.args import QueuesArgs
from rdma_cluster.incluster.addons.queues.plan import plan_queues
from rdma_cluster.incluster.addons.storage.args import StorageKind
from rdma_cluster.incluster.addons.storage.store import Mounted, StoragePlace, Store
from tests.acceptance.plans import args, plan, pool
from tests.aks import plans as aks
from tests.machines import known_machine


@pytest.mark.parametrize(
    ("name", "rail", "row"),
    [
        # Two GPUs and four NICs a root: the third NIC of the second root serves its second GPU.
        ("p5en.48xlarge", 6, {"rail": 6, "gpu": 3, "gpu_pci": "0000:73:00.0", "root": 1, "numa": 0, "nic": "-"}),
        # One NIC for the two GPUs of its root.
        (
            "p4d.24xlarge",
            2,
            {"rail": 2, "gpu": "4, 5", "gpu_pci": "0000:90:1c.0, 0000:90:1d.0", "root": 2, "numa": 1, "nic": "-"},
        ),
        # A NIC whose root holds no GPU.
        ("g6.48xlarge", 0, {"rail": 0, "gpu": "-", "gpu_pci": "-", "root": 0, "numa": 0, "nic": "-"}),
        # Roots are known, addresses are not.
        ("p5e.48xlarge", 31, {"rail": 31, "gpu": 7, "gpu_pci": "-", "root": 7, "numa": 1, "nic": "-"}),
        # Nothing but names is known.
        ("a3-highgpu-8g", 3, {"rail": 3, "gpu": "-", "gpu_pci": "-", "root": "-", "numa": "-", "nic": "eth4"}),
    ],
)
def test_a_rail_shows_its_nic_and_the_gpus_that_it_shares_a_root_with(name: str, rail: int, row: dict[str, Any]):
    """A dash stands for what nobody has published."""
    rows = machine_rows(known_machine(name))

    assert rows[rail] == row
    assert [each["rail"] for each in rows] == list(range(known_machine(name).nics))


def test_claims_show_the_windows_of_a_node_by_name():
    claims = aks.stack_plan(aks.pool(machine="Standard_ND96asr_v4")).in_cluster.claims
    assert claims is not None
    rows = claim_rows(claims.plan.by_machine["Standard_ND96asr_v4"])

    assert [tuple(row.values()) for row in rows][3:] == [
        ("8 aligned GPU+NIC pairs", "standard-nd96asr-v4-pairs-8", "-", 1),
        ("the GPUs and NICs of one NUMA node", "standard-nd96asr-v4-numa-0", "numa-1, numa-2, numa-3", 4),
        ("the whole node", "standard-nd96asr-v4-whole", "-", 1),
        ("all NICs", "standard-nd96asr-v4-nics", "-", 1),
    ]
    assert rows[1] == {
        "shape": "2 aligned GPU+NIC pairs",
        "template": "standard-nd96asr-v4-pairs-2-rails-0-1",
        "further_windows": "rails-2-3, rails-4-5, rails-6-7",
        "pods_a_node": 4,
    }


def test_a_pool_shows_what_proves_it_or_why_nothing_does():
    rows = acceptance_rows(plan(args(pool(nodes=5), pool("two"), pool("one", nodes=1))))

    assert rows == [
        {
            "pool": "a",
            "test": "all_gather over 5 pairs of nodes, 1 to 8 GiB",
            "threshold": "257 GB/s from 1 GiB",
            "fails_after": "65 min",
        },
        {
            "pool": "two",
            "test": "all_gather over 1 pair of nodes, 1 to 8 GiB",
            "threshold": "257 GB/s from 1 GiB",
            "fails_after": "44 min",
        },
        {
            "pool": "one",
            "test": "not proven: a fabric is proved between 2 nodes or more, the pool has 1",
            "threshold": "-",
            "fails_after": "-",
        },
    ]


def test_a_store_shows_what_pods_name_of_it():
    lustre = Store(StorageKind.LUSTRE, "storage", Mounted("d", capacity_gib=4 << 10))
    place = StoragePlace(lustre, ("a", "b"), new=True)

    assert [tuple(row.values()) for row in storage_rows(place)] == [
        ("kind", "lustre"),
        ("claim", "storage"),
        ("in namespaces", "a, b"),
        ("size", "4,398 GB"),
    ]
    existing = Store(StorageKind.EXISTING, annotations={"x": "y", "z": "true"}, storage_class="fast", volume="v")
    assert storage_rows(StoragePlace(existing, ("a",), new=False)) == [
        {"what": "kind", "value": "existing"},
        {"what": "pods are annotated with", "value": "x: y, z: true"},
        {"what": "storage class", "value": "fast"},
        {"what": "volume", "value": "v"},
    ]


def test_a_queue_shows_what_it_counts_and_by_which_levels_it_places_a_job():
    """Nobody asks how many pods it counts."""
    a4 = {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2}
    given = {"pools": [a4, {**a4, "name": "b", "nodes": 3}], "pool_label": "pool", "topology": {"b": ["x/rack"]}}
    made = plan_from(QueuesArgs, plan_queues, given)
    worker: Any = SimpleNamespace(gpus={"train": 32})
    dispatch: Any = SimpleNamespace(queues={"train": ("near", "far")})
    queues, takes, sends = queue_sections(replace(made, worker=worker, dispatch=dispatch))

    assert [section.name for section in queue_sections(made)] == ["queues"]
    assert [tuple(row.values()) for row in queues.rows] == [
        ("a4", "a4", "16 nvidia.com/gpu, 16 rdma-cluster/nic", "kubernetes.io/hostname"),
        ("b", "b", "24 nvidia.com/gpu, 24 rdma-cluster/nic", "x/rack, kubernetes.io/hostname"),
    ]
    assert (takes.rows, sends.rows) == ([{"queue": "train", "gpus": 32}], [{"queue": "train", "clusters": "near, far"}])


def test_a_test_shows_its_collectives_and_each_threshold_that_is_judged():
    """No row below 1 GiB is judged."""
    made = plan(args())
    (of_pool,) = made.tests
    found: Any = {
        "network": NVLINK,
        "also": ("all_reduce",),
        "tests": 4,
        "thresholds": {"all_gather": (SizeThreshold(1 << 28, 55.5), SizeThreshold(3 << 30, 90))},
    }
    changed = replace(of_pool, expectation=replace(of_pool.expectation, **found))
    (row,) = acceptance_rows(replace(made, tests=(changed,)))

    assert row["test"].startswith("all_gather and all_reduce over 2 pairs of nodes by NVLink")
    assert row["threshold"] == "55.5 GB/s from 1 GiB, 90 GB/s from 3 GiB"
