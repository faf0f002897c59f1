"""Stack files of OKE as hypothesis makes them."""

from typing import Any

from hypothesis import strategies as st
from rdma_cluster.catalog.oke import MACHINES
from rdma_cluster.catalog.oke.images import IMAGES
from tests.clouds import Generated
from tests.oke.plans import BUILT, CLUSTER, COMPARTMENT, FABRIC, TENANCY, ZONE
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
    "oci:region": "eu-frankfurt-1",
    "oci:tenancyOcid": TENANCY,
    "rdma-cluster:cloud": "oke",
    "rdma-cluster:compartment": COMPARTMENT,
    "rdma-cluster:zone": ZONE,
    "rdma-cluster:acceptance": {"enabled": False},
}


def ocid(kind: str) -> st.SearchStrategy[str]:
    """An OCID, now and then of another kind or none."""
    odd = st.sampled_from(["x", "ocid1.instance.oc1..a", ""])
    return now_and_then(odd, st.just(f"ocid1.{kind}.oc1..aaaaexample"), 15)


PLACE = now_and_then(st.sampled_from(["4", "TrcQ:AP-MELBOURNE-1-AD-1", "x"]), st.sampled_from([ZONE, "3", "AD-3"]), 12)
CAPACITY = st.one_of(
    st.just({"onDemand": True}),
    st.just({"dedicated": True}),
    keys(
        {},
        {
            "reservation": keys({"id": ocid("capacityreservation")}, {"zone": PLACE}),
            "dedicated": SWITCH,
            "onDemand": SWITCH,
        },
    ),
)
IMAGE = st.one_of(
    keys({"release": st.sampled_from([*(image.release for image in IMAGES), "x"])}, {}),
    keys({"id": ocid("image")}, {"driver": st.sampled_from(["550", "595", "x"]), "cuda": st.just("13.0")}),
    keys({"url": st.sampled_from(["https://a/p/t/n/n/b/b/o/mine.oci", "mine"])}, {}),
)
PLACEMENT = keys(
    {},
    {
        "hpcIsland": ocid("hpcisland"),
        "networkBlocks": st.lists(ocid("computenetworkblock"), max_size=2),
        "spread": st.sampled_from(["single-tier", "single-block", "packed"]),
        "hostGroup": ocid("computehostgroup"),
    },
)
RACKS = st.lists(
    keys({"id": st.sampled_from([FABRIC.format(i) for i in (1, 2)]), "nodes": st.integers(-1, 20)}, {}), max_size=2
)
MACHINE = now_and_then(
    st.sampled_from([*(machine.name for machine in MACHINES), "VM.Standard.E5.Flex"]),
    st.sampled_from([machine.name for machine in BUILT if machine.nvlink_domain <= machine.gpus]),
    12,
)
ANY_POOL = keys(
    {
        "name": NAME,
        "machine": MACHINE,
        "nodes": now_and_then(st.integers(-1, 400), st.integers(2, 60), 20),
        "capacity": CAPACITY,
    },
    {
        "mode": now_and_then(
            st.just("gpu-memory-cluster"), st.sampled_from(["managed", "cluster-network", "instances"]), 15
        ),
        "image": now_and_then(IMAGE, st.just({"id": "ocid1.image.oc1..a"}), 4),
        "gpuAllocation": now_and_then(st.just("dra"), st.just("device-plugin"), 8),
        "labels": st.dictionaries(st.one_of(NAME, st.just("rdma-cluster/pool")), NAME, max_size=2),
        "placement": now_and_then(PLACEMENT, st.just({}), 3),
        "bootVolume": keys({}, {"gb": st.integers(20, 1000), "vpusPerGb": st.integers(1, 13).map(lambda n: n * 10)}),
        "maxPods": now_and_then(st.integers(-1, 200), st.integers(12, 64), 8),
        "kubeletArgs": st.lists(st.sampled_from(["--v=2", "x"]), max_size=1),
        "singleNode": SWITCH,
        "hosts": st.lists(NAME, max_size=2),
    },
)
RACK_POOL = keys(
    {
        "name": NAME,
        "machine": st.sampled_from(["BM.GPU.GB200-v3.4", "BM.GPU.GB300.4"]),
        "nodes": st.integers(1, 36),
        "capacity": st.just({"dedicated": True}),
        "memoryFabrics": RACKS,
    },
    {},
)
POOL = now_and_then(RACK_POOL, ANY_POOL, 6)
NODES = st.lists(st.sampled_from(["10.0.0.1", "10.0.0.2", "X"]), max_size=2)
ADOPTED = keys(
    {"name": NAME, "machine": MACHINE, "nodes": st.integers(0, 3)},
    {
        "names": NODES,
        "nodePool": ocid("nodepool"),
        "clusterNetwork": ocid("clusternetwork"),
        "label": now_and_then(NAME, st.none(), 8),
        "blueprints": SWITCH,
        "cuda": st.sampled_from(["12.8", "13", "x"]),
        "labels": st.dictionaries(NAME, NAME, max_size=1),
    },
)
VERSION = now_and_then(st.sampled_from(["1.36", "1.34.1", "1.33.2", "x"]), st.sampled_from(["1.36.1", "1.35.2"]), 8)
KUBERNETES = keys(
    {},
    {
        "name": NAME,
        "version": VERSION,
        "endpoint": st.just("private"),
        "cni": now_and_then(st.just("flannel"), st.just("vcn-native"), 4),
        "dualStack": now_and_then(st.just(True), st.just(False), 4),
        "secretsKey": NAME,
        "protected": SWITCH,
    },
)
PUBLIC = keys(
    {"endpoint": st.just("public")},
    {"publicCidrs": now_and_then(st.lists(CIDR, max_size=2), st.just(["203.0.113.0/24"]), 4)},
)
OF_CLUSTER = keys(
    {"name": NAME, "existing": keys({"id": now_and_then(st.just("x"), st.just(CLUSTER), 12)}, {})},
    {"version": VERSION, "endpoint": st.sampled_from(["private", "public"])},
)
OWN_NETWORK = keys(
    {},
    {
        "cidr": CIDR,
        "serviceCidr": CIDR,
        "podCidr": CIDR,
        "ipv6Cidr": st.sampled_from(["fd12:3456:789a::/56", "2603:c020::/56", "x"]),
        "maxNodes": now_and_then(st.integers(-1, 1200), st.integers(120, 250), 8),
        "maxPods": now_and_then(st.integers(-1, 200), st.integers(64, 90), 8),
        "statelessRules": SWITCH,
        "hostPorts": st.lists(now_and_then(st.integers(0, 70_000), st.just(9100), 4), max_size=2),
        "publicLoadBalancers": SWITCH,
    },
)
NETWORK = keys(
    {
        "existing": keys(
            {
                "vcn": ocid("vcn"),
                "apiSubnet": ocid("subnet"),
                "workerSubnet": ocid("subnet"),
                "loadBalancerSubnet": NAME,
                "cidrs": st.lists(CIDR, max_size=2),
            },
            {
                "podSubnet": NAME,
                "podSubnetCidr": CIDR,
                **dict.fromkeys(
                    ("apiGroups", "workerGroups", "podGroups"), st.lists(ocid("networksecuritygroup"), max_size=2)
                ),
            },
        )
    },
    {},
)
CHOICES: dict[str, st.SearchStrategy[Any]] = {
    "rdma-cluster:acceptance": acceptance(
        "BM.GPU.H100.8",
        now_and_then(st.just(True), st.just(False), 4),
        st.sampled_from([["bandwidth"], ["bandwidth", "nics"], ["x"]]),
        {},
    ),
    "rdma-cluster:registries": REGISTRIES,
    "rdma-cluster:artifacts": now_and_then(ARTIFACTS, st.just({}), 8),
    "rdma-cluster:kubernetes": st.one_of(KUBERNETES, PUBLIC, OF_CLUSTER),
    "rdma-cluster:network": st.one_of(OWN_NETWORK, NETWORK),
    "rdma-cluster:identity": keys(
        {},
        {
            "existing": now_and_then(st.just(True), st.just(False), 4),
            "homeRegion": st.sampled_from(["us-ashburn-1", "x"]),
            "domain": keys(
                {"name": NAME, "url": now_and_then(NAME, st.just("https://idcs-a.identity.oraclecloud.com:443"), 4)}, {}
            ),
            "dynamicGroup": ocid("dynamicgroup"),
        },
    ),
    "rdma-cluster:rdma": keys(
        {},
        {
            "nicAttachment": st.sampled_from(["host-network", "sriov", "dranet", "shared"]),
            "resource": st.sampled_from(["nvidia.com/rdma-vf", "nvidia.com/mlnxnics", "x"]),
            "gpuPlugin": st.sampled_from(["oke", "operator"]),
        },
    ),
    "rdma-cluster:inference": INFERENCE,
    "rdma-cluster:skypilot": SWITCH,
    "rdma-cluster:sshPublicKey": st.sampled_from(["ssh-ed25519 AAAA me", "ssh-rsa", ""]),
    "rdma-cluster:storage": now_and_then(
        keys({"objectStore": keys({}, {"bucket": NAME, "deletable": SWITCH})}, {"existing": EXISTING_STORAGE}),
        st.one_of(
            keys({"existing": EXISTING_STORAGE}, {}),
            keys(
                {
                    "lustre": keys(
                        {"capacityGb": st.sampled_from([31_200, 41_600, 166_400, 0])},
                        {"mbpsPerTb": st.sampled_from([125, 200, 1000]), "deletable": SWITCH},
                    )
                },
                {},
            ),
        ),
        8,
    ),
    "rdma-cluster:injection": INJECTION,
    "rdma-cluster:queues": QUEUES,
    "rdma-cluster:monitoring": MONITORING,
    "rdma-cluster:readiness": READINESS,
    "rdma-cluster:claims": keys(
        {},
        {
            "namespaces": st.lists(NAME, min_size=1, max_size=2, unique=True),
            "gpus": st.lists(st.integers(-1, 10), max_size=2),
            "pairs": now_and_then(st.lists(st.integers(-1, 10), max_size=3), st.just([]), 3),
            "groups": now_and_then(st.lists(st.integers(-1, 10), max_size=3), st.just([]), 3),
            "whole": SWITCH,
            "nics": SWITCH,
        },
    ),
    "rdma-cluster:drivers": keys(
        {}, {key: st.sampled_from(["installed", "managed", "existing"]) for key in ("gpu", "nic", "kernel")}
    ),
}
STACK_FILE = keys(
    {
        **{key: st.just(value) for key, value in SOUND.items()},
        "rdma-cluster:zone": PLACE,
        "rdma-cluster:pools": st.lists(POOL, max_size=3, unique_by=str),
    },
    {
        **{key: value for key, value in CHOICES.items() if key not in SOUND},
        "rdma-cluster:adopt": now_and_then(st.lists(ADOPTED, max_size=2), st.just([]), 4),
    },
)
SOME_CHOICES = st.fixed_dictionaries({}, optional=CHOICES)
SOUND_POOLS = st.fixed_dictionaries({"rdma-cluster:pools": st.lists(POOL, min_size=1, max_size=2, unique_by=str)})

GENERATED = Generated(odd=over(STACK_FILE, SOME_CHOICES), sound=over(st.just(SOUND), over(SOUND_POOLS, SOME_CHOICES)))
