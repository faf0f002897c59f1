"""Stack files of EKS as hypothesis makes them."""

from typing import Any

from hypothesis import strategies as st
from rdma_cluster.catalog.eks import MACHINES
from tests.clouds import Generated
from tests.eks.plans import ADMIN, BUILDABLE
from tests.readiness.keys import READINESS
from tests.strategies import (
    ARTIFACTS,
    CIDR,
    EXISTING_STORAGE,
    INFERENCE,
    INJECTION,
    MONITORING,
    NAME,
    QUEUES,
    REGISTRIES,
    SWITCH,
    acceptance,
    keys,
    now_and_then,
    over,
)

SOUND: dict[str, Any] = {
    "aws:region": "us-east-2",
    "rdma-cluster:cloud": "eks",
    "rdma-cluster:zone": "us-east-2a",
    "rdma-cluster:network": {"controlPlaneZones": ["us-east-2b"]},
    "rdma-cluster:kubernetes": {"admins": [ADMIN]},
    "rdma-cluster:acceptance": {"enabled": False},
}
ODD_ZONE = st.sampled_from(["us-east-2b", "us-east-2-dfw-1a", "us-west-2a", "a"])
ZONE = now_and_then(ODD_ZONE, st.just("us-east-2a"), 30)
FURTHER_ZONES = now_and_then(st.lists(ODD_ZONE, max_size=3), st.just(["us-east-2c"]), 10)
RESERVATION = now_and_then(st.just("r"), st.just("cr-0123456789abcdef0"), 20)
GROUP = st.sampled_from(["arn:aws:resource-groups:us-east-2:111122223333:group/g", "g"])
EMPTY = now_and_then(NAME, st.just(""), 8)
CAPACITY = st.one_of(
    st.just({"onDemand": True}),
    st.just({"spot": True}),
    st.just({"capacityBlock": {"id": "cr-0123456789abcdef0"}}),
    st.just({"reservation": {"id": "cr-0123456789abcdef0"}}),
    keys(
        {},
        {
            "reservation": keys({}, {"id": RESERVATION, "group": GROUP, "zone": ZONE}),
            "capacityBlock": keys({"id": RESERVATION}, {"zone": ZONE}),
            "spot": SWITCH,
            "onDemand": SWITCH,
        },
    ),
)
POOL = keys(
    {
        "name": NAME,
        "machine": now_and_then(
            st.sampled_from([*(machine.name for machine in MACHINES), "m5.large"]),
            st.sampled_from([machine.name for machine in BUILDABLE]),
            12,
        ),
        "nodes": now_and_then(st.integers(-1, 400), st.integers(1, 60), 20),
        "capacity": CAPACITY,
    },
    {
        "gpuAllocation": st.sampled_from(["dra", "device-plugin"]),
        "autoRepair": SWITCH,
        "labels": st.dictionaries(st.one_of(NAME, st.just("vpc.amazonaws.com/efa.present")), NAME, max_size=2),
        "placement": now_and_then(st.just("cluster"), st.just("none"), 3),
        "amiType": now_and_then(st.just("AL2023_ARM_64_NVIDIA"), st.just("AL2023_x86_64_NVIDIA"), 8),
        "releaseVersion": now_and_then(st.sampled_from(["1.34.1-20250101", "x"]), st.just("1.35.0-20260724"), 8),
        "maxPods": now_and_then(st.integers(-1, 800), st.integers(12, 44), 8),
    },
)
PLACED = st.builds(lambda pool, group: {**pool, "placementGroup": group} if group else pool, POOL, EMPTY)
KUBERNETES = keys(
    {"admins": now_and_then(st.lists(st.one_of(NAME, st.just(ADMIN)), max_size=2), st.just([ADMIN]), 12)},
    {
        "name": NAME,
        "version": now_and_then(st.sampled_from(["1.33", "1.32", "1.35.2", "x"]), st.sampled_from(["1.35", "1.34"]), 8),
        "addonVersions": st.dictionaries(
            now_and_then(st.just("x"), st.sampled_from(["vpc-cni", "coredns"]), 8),
            now_and_then(st.just("1"), st.just("v1.20.0-eksbuild.1"), 8),
            max_size=2,
        ),
        "secretsKey": NAME,
        "protected": SWITCH,
    },
)
PUBLIC = keys(
    {"admins": st.just([ADMIN]), "endpoint": st.just("public")},
    {"publicCidrs": now_and_then(st.lists(CIDR, max_size=2), st.just(["203.0.113.0/24"]), 4)},
)
CLUSTER = keys(
    {
        "name": NAME,
        "existing": keys(
            {
                "endpoint": now_and_then(NAME, st.just("https://eks.example"), 12),
                "caCertificate": now_and_then(NAME, st.just("eA=="), 12),
                "securityGroup": now_and_then(NAME, st.just("sg-0000000f"), 12),
                "nodeRole": now_and_then(NAME, st.just("arn:aws:iam::111122223333:role/nodes"), 12),
            },
            {},
        ),
    },
    {},
)
OWN_NETWORK = keys(
    {"controlPlaneZones": FURTHER_ZONES},
    {"cidr": CIDR, "maxNodes": now_and_then(st.integers(-1, 1200), st.integers(120, 300), 8), "serviceCidr": CIDR},
)
SUBNET_ID = now_and_then(NAME, st.sampled_from(["subnet-0000000a", "subnet-0000000b", "subnet-0000000c"]), 12)
GROUP_ID = now_and_then(NAME, st.just("sg-0000000e"), 12)
SUBNET = keys({"subnet": SUBNET_ID, "zone": ZONE}, {})
FURTHER_SUBNET = keys({"subnet": SUBNET_ID, "zone": now_and_then(ZONE, st.just("us-east-2b"), 8)}, {})
NETWORK = keys(
    {
        "existing": keys(
            {
                "dns": now_and_then(st.just(False), st.just(True), 12),
                "securityGroup": GROUP_ID,
                "clusterSubnets": st.tuples(SUBNET, FURTHER_SUBNET).map(list),
                "gpuSubnets": st.lists(SUBNET, min_size=1, max_size=2),
            },
            {"systemSubnets": st.lists(SUBNET, max_size=2)},
        )
    },
    {},
)
CHOICES: dict[str, st.SearchStrategy[Any]] = {
    "rdma-cluster:acceptance": acceptance(
        "p5.48xlarge",
        now_and_then(st.just(True), st.just(False), 4),
        st.sampled_from([["bandwidth"], ["bandwidth", "nics"], ["x"]]),
        {},
    ),
    "rdma-cluster:registries": REGISTRIES,
    "rdma-cluster:artifacts": now_and_then(ARTIFACTS, st.just({}), 8),
    "rdma-cluster:kubernetes": st.one_of(KUBERNETES, PUBLIC, CLUSTER),
    "rdma-cluster:network": st.one_of(OWN_NETWORK, NETWORK),
    "rdma-cluster:inference": INFERENCE,
    "rdma-cluster:skypilot": SWITCH,
    "rdma-cluster:storage": keys(
        {},
        {
            "objectStore": keys({}, {"bucket": NAME, "deletable": SWITCH}),
            "lustre": keys(
                {"capacityGib": st.sampled_from([1200, 2400, 3600, 0])},
                {"mbpsPerTib": st.sampled_from([125, 200, 1000]), "deletable": SWITCH},
            ),
            "existing": EXISTING_STORAGE,
        },
    ),
    "rdma-cluster:injection": INJECTION,
    "rdma-cluster:queues": QUEUES,
    "rdma-cluster:monitoring": MONITORING,
    "rdma-cluster:readiness": READINESS,
    "rdma-cluster:claims": keys(
        {},
        {
            "namespaces": st.lists(NAME, min_size=1, max_size=2, unique=True),
            "groups": now_and_then(st.lists(st.integers(-1, 10), max_size=3), st.just([]), 3),
            "gpus": st.lists(st.integers(-1, 10), max_size=2),
            "pairs": now_and_then(st.lists(st.integers(-1, 10), max_size=3), st.just([]), 3),
            "whole": SWITCH,
            "nics": SWITCH,
        },
    ),
    "rdma-cluster:drivers": keys(
        {},
        {
            **{
                key: now_and_then(st.just("managed"), st.sampled_from(["installed", "existing"]), 12)
                for key in ("gpu", "nic", "kernel")
            },
            "registry": NAME,
        },
    ),
}
STACK_FILE = keys(
    {
        **{key: st.just(value) for key, value in SOUND.items()},
        "rdma-cluster:zone": ZONE,
        "rdma-cluster:pools": st.lists(PLACED, min_size=1, max_size=3, unique_by=str),
    },
    {key: value for key, value in CHOICES.items() if key not in SOUND},
)
SOME_CHOICES = st.fixed_dictionaries({}, optional=CHOICES)
SOUND_POOLS = st.fixed_dictionaries({"rdma-cluster:pools": st.lists(PLACED, min_size=1, max_size=2, unique_by=str)})

GENERATED = Generated(odd=over(STACK_FILE, SOME_CHOICES), sound=over(st.just(SOUND), over(SOUND_POOLS, SOME_CHOICES)))
