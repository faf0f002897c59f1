"""Where an EKS stack keeps its data: what AWS sells and names, who deletes what, and what only the user can check."""

from typing import Any

import pytest
from pulumi_offline.errors import ErrorList, Refused
from rdma_cluster.base.args import plan_from
from rdma_cluster.eks.plan.storage import (
    EksBucketPlan,
    EksLustrePlan,
    EksStorageArgs,
    EksStorageOptions,
    EksStoragePlan,
    choose_storage,
    plan_storage,
    storage_warnings,
)
from rdma_cluster.incluster.addons.storage.args import StorageKind
from rdma_cluster.incluster.addons.storage.store import Mounted, Store

OPTIONS = ("allow-delete", "allow-overwrite", "allow-other")
LUSTRE = {"lustre": {"capacity_gib": 1200}}


def chosen(
    name: str = "eks", region: str = "us-east-2", existing_cluster: bool = False, **choice: Any
) -> tuple[EksStoragePlan | None, list[str]]:
    """The plan of a stack's choice, and what is refused of it."""
    errors = ErrorList()
    made = choose_storage(
        EksStorageOptions(**choice), region=region, name=name, existing=existing_cluster, errors=errors
    )
    assert (made is None) is bool(errors)
    return made, [str(each) for each in errors.found()]


@pytest.mark.parametrize(
    ("region", "partition"), [("us-east-2", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov")]
)
@pytest.mark.parametrize(
    ("choice", "existing", "protected"),
    [
        ({}, "", True),
        ({"deletable": False}, "", True),
        ({"deletable": True}, "", False),
        ({"bucket": "weights"}, "weights", True),
        ({"bucket": "weights", "deletable": False}, "weights", True),
    ],
)
def test_bucket(region: str, partition: str, choice: dict[str, Any], existing: str, protected: bool):
    """Mounted by Mountpoint in the bucket's region, replaced files and all; kept unless somebody says otherwise."""
    store = Store(StorageKind.OBJECT_STORE, "storage", Mounted("s3.csi.aws.com", (*OPTIONS, f"region {region}")))
    bucket = EksBucketPlan(existing, partition, protected)

    assert chosen(region=region, object_store=choice) == (
        EksStoragePlan(store, "aws-mountpoint-s3-csi-driver", bucket=bucket),
        [],
    )


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("eks", True), ("EKS", True), ("a" * 47, True), ("a" * 48, False), ("a_b", False), ("xn--a", False)],
)
def test_a_new_bucket_is_named_after_the_stack(name: str, allowed: bool):
    """With `-storage` and Pulumi's eight characters behind it S3 takes 63; one that is there has its own name."""
    assert chosen(name, object_store={"bucket": "weights"})[1] == []
    _, told = chosen(name, object_store={})

    assert [
        line.startswith(f"object_store: no bucket may have a name like {name}-storage-1234567: ") for line in told
    ] == ([] if allowed else [True])


@pytest.mark.parametrize(
    ("bucket", "wrong"),
    [
        ({"bucket": "weights.of-mine"}, []),
        ({"bucket": "abc"}, []),
        ({"bucket": "ab"}, ["bucket"]),
        ({"bucket": "a..b"}, ["bucket"]),
        ({"bucket": "10.0.0.1"}, ["bucket"]),
        ({"bucket": "s3://weights"}, ["bucket"]),
        ({"bucket": "weights", "deletable": True}, ["deletable"]),
        ({"bucket": "ab", "deletable": True}, ["bucket", "deletable"]),
    ],
)
def test_a_bucket_that_is_there(bucket: dict[str, Any], wrong: list[str]):
    """By its name alone; nobody deletes it with the stack."""
    _, told = chosen(object_store=bucket)

    assert [line.partition(": ")[0] for line in told] == [f"object_store.{key}" for key in wrong]


@pytest.mark.parametrize(
    ("choice", "plan"),
    [
        ({"capacity_gib": 1200}, EksLustrePlan(1200, 125, protected=True)),
        ({"capacity_gib": 2400, "deletable": True}, EksLustrePlan(2400, 125, protected=False)),
        ({"capacity_gib": 4800, "mbps_per_tib": 1000}, EksLustrePlan(4800, 1000, protected=True)),
        ({"capacity_gib": 1200, "mbps_per_tib": 250}, EksLustrePlan(1200, 250, protected=True)),
        ({"capacity_gib": 1200, "mbps_per_tib": 500, "deletable": False}, EksLustrePlan(1200, 500, protected=True)),
    ],
)
def test_lustre(choice: dict[str, Any], plan: EksLustrePlan):
    """1,200 GiB or a multiple of 2,400; the least throughput unless more is asked for."""
    mounted = Mounted("fsx.csi.aws.com", ("flock",), capacity_gib=plan.capacity_gib)

    assert chosen(lustre=choice) == (
        EksStoragePlan(Store(StorageKind.LUSTRE, "storage", mounted), "aws-fsx-csi-driver", lustre=plan),
        [],
    )


@pytest.mark.parametrize(
    ("choice", "wrong"),
    [
        ({"capacity_gib": 1199}, ["capacity_gib: got 1199; must be 1,200, or a multiple of 2,400"]),
        ({"capacity_gib": 1201}, ["capacity_gib: got 1201; must be 1,200, or a multiple of 2,400"]),
        ({"capacity_gib": 3600}, ["capacity_gib: got 3600; must be 1,200, or a multiple of 2,400"]),
        ({"capacity_gib": 1200, "mbps_per_tib": 126}, ["mbps_per_tib: got 126; choose one of 125, 250, 500, 1000"]),
        ({"capacity_gib": 1, "mbps_per_tib": 1}, ["capacity_gib: got 1", "mbps_per_tib: got 1"]),
    ],
)
def test_what_aws_does_not_sell(choice: dict[str, Any], wrong: list[str]):
    """Both a size and a throughput are judged."""
    _, told = chosen(lustre=choice)

    assert [line.startswith(f"lustre.{words}") for line, words in zip(told, wrong, strict=True)] == [True] * len(wrong)


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({"existing": {"claim": "data"}}, []),
        ({"existing": {}}, ["existing: empty; name exactly one of claim, storageClass and volume"]),
        ({}, ["empty; say exactly one of objectStore, lustre and existing, or leave it out"]),
        ({"object_store": {}, **LUSTRE}, ["got objectStore and lustre; say exactly one of objectStore, lustre"]),
    ],
)
def test_one_kind(choice: dict[str, Any], told: list[str]):
    """A bucket, a file system, or what is on the cluster already."""
    made, found = chosen(**choice)

    assert [line.startswith(words) for line, words in zip(found, told, strict=True)] == [True] * len(told)
    if not told:
        assert made == EksStoragePlan(Store(StorageKind.EXISTING, claim="data"))


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ({"object_store": {}}, []),
        ({**LUSTRE, "subnet": "s", "security_group": "g"}, []),
        ({**LUSTRE, "subnet": "s"}, ["security_group"]),
        ({**LUSTRE, "security_group": "g"}, ["subnet"]),
        (LUSTRE, ["subnet", "security_group"]),
        ({"object_store": {}, "region": "east"}, ["region"]),
        ({"object_store": {}, "namespaces": ["A"]}, ["namespaces[0]"]),
        ({}, ["object_store"]),
    ],
)
def test_on_its_own(more: dict[str, Any], wrong: list[str]):
    """The component has the plan of a stack's choice, from args that it checks itself."""
    base = {"region": "us-east-2", "cluster": "c", "namespaces": ["default"]}
    paths = []
    try:
        made = plan_from(EksStorageArgs, lambda args, errors: plan_storage(args, "eks", errors), {**base, **more})
    except Refused as why:
        paths = [line.partition(": ")[0] for line in why.lines]
    else:
        kinds = {key: more[key] for key in ("object_store", "lustre") if key in more}
        assert made == chosen(**kinds)[0]
    assert paths == wrong


_BY_HAND = "or pods stay pending: aws eks create-addon --cluster-name c --addon-name"


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        (
            {"object_store": {}},
            [
                "storage: cluster c needs the add-on aws-mountpoint-s3-csi-driver, whose account s3-csi-driver-sa may "
                f"use the bucket, {_BY_HAND} aws-mountpoint-s3-csi-driver"
            ],
        ),
        (LUSTRE, [f"storage: cluster c needs the add-on aws-fsx-csi-driver, {_BY_HAND} aws-fsx-csi-driver"]),
        ({"existing": {"claim": "data"}}, []),
    ],
)
def test_an_existing_cluster_needs_the_driver(choice: dict[str, Any], told: list[str]):
    """A new one gets it."""
    assert list(storage_warnings(chosen(existing_cluster=True, **choice)[0], "c")) == told
    assert list(storage_warnings(chosen(**choice)[0], "c")) == [] == list(storage_warnings(None, "c"))
