"""Stack files of AKS as hypothesis makes them."""

from typing import Any

from hypothesis import strategies as st
from rdma_cluster.catalog.aks import MACHINES
from tests.aks.plans import BUILDABLE, ID, RESERVATIONS, SUBNET
from tests.clouds import Generated
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
    "azure-native:subscriptionId": ID,
    "azure-native:location": "southcentralus",
    "rdma-cluster:cloud": "aks",
    "rdma-cluster:kubernetes": {"admins": [{"id": ID}]},
    "rdma-cluster:acceptance": {"enabled": False},
}
ZONE = now_and_then(st.sampled_from(["4", "southcentralus-1", "1,2"]), st.sampled_from(["1", "2"]), 20)
POOL_NAME = now_and_then(NAME, st.sampled_from(["h100", "a", "gpu2"]), 20)
CAPACITY = st.one_of(
    st.just({"onDemand": True}),
    st.just({"spot": True}),
    st.just({"reservation": {"group": RESERVATIONS}}),
    keys(
        {},
        {
            "reservation": keys(
                {"group": now_and_then(NAME, st.just(RESERVATIONS), 8)}, {"zone": now_and_then(ZONE, st.just("1"), 3)}
            ),
            "spot": SWITCH,
            "onDemand": SWITCH,
        },
    ),
)
POOL = keys(
    {
        "name": POOL_NAME,
        "machine": now_and_then(
            st.sampled_from([*(machine.name for machine in MACHINES), "Standard_D8s_v5"]),
            st.sampled_from([machine.name for machine in BUILDABLE if machine.infiniband_feature]),
            12,
        ),
        "nodes": now_and_then(st.integers(-1, 400), st.integers(1, 60), 20),
        "capacity": CAPACITY,
        "gpuAllocation": now_and_then(st.just("device-plugin"), st.just("dra"), 8),
    },
    {
        "largePlacementGroup": SWITCH,
        "labels": st.dictionaries(st.one_of(NAME, st.just("kubernetes.azure.com/mode")), NAME, max_size=2),
        "osDisk": now_and_then(st.just("Ephemeral"), st.just("Managed"), 3),
        "osDiskGb": now_and_then(st.integers(-1, 3000), st.just(512), 6),
    },
)
ADMIN = keys(
    {"id": now_and_then(NAME, st.just(ID), 12)}, {"type": st.sampled_from(["Group", "User", "ServicePrincipal"])}
)
KUBERNETES = keys(
    {
        "admins": now_and_then(
            st.lists(ADMIN, max_size=2), st.sampled_from([[{"id": ID}], [{"id": ID, "type": "User"}]]), 12
        )
    },
    {
        "name": NAME,
        "version": now_and_then(st.sampled_from(["1.33", "1.34.1", "x"]), st.sampled_from(["1.35", "1.34.2"]), 8),
        "login": st.sampled_from(["azurecli", "spn", "msi", "workloadidentity"]),
        "nodeOsUpgrades": st.sampled_from(["None", "NodeImage", "SecurityPatch"]),
        "metrics": SWITCH,
        "protected": SWITCH,
        "systemMachine": now_and_then(NAME, st.just("Standard_D4s_v5"), 8),
        "containerRegistries": st.lists(NAME, max_size=1),
    },
)
PUBLIC = keys(
    {"admins": st.just([{"id": ID}]), "endpoint": st.just("public")},
    {"publicCidrs": now_and_then(st.lists(CIDR, max_size=2), st.just(["203.0.113.0/24"]), 4)},
)
CLUSTER = keys(
    {
        "name": NAME,
        "existing": keys(
            {
                "server": now_and_then(NAME, st.just("https://x:443"), 8),
                "caCertificate": now_and_then(NAME, st.just("eA=="), 8),
            },
            {},
        ),
    },
    {},
)
OUTBOUND = now_and_then(st.just("routes"), st.sampled_from(["nat-gateway", "load-balancer"]), 8)
OWN_NETWORK = keys(
    {},
    {
        "cidr": CIDR,
        "maxNodes": now_and_then(st.integers(-1, 6000), st.integers(120, 300), 8),
        "podCidr": CIDR,
        "serviceCidr": CIDR,
        "outbound": OUTBOUND,
    },
)
NETWORK = keys(
    {
        "existing": keys(
            {
                "subnet": now_and_then(NAME, st.just(SUBNET), 8),
                "cidrs": now_and_then(st.lists(CIDR, max_size=2), st.just(["10.224.0.0/12"]), 6),
                "outbound": st.sampled_from(["routes", "nat-gateway", "load-balancer"]),
            },
            {"egressCidrs": now_and_then(st.lists(CIDR, max_size=2), st.just(["198.51.100.4/32"]), 4)},
        )
    },
    {"podCidr": CIDR},
)
CHOICES: dict[str, st.SearchStrategy[Any]] = {
    "rdma-cluster:acceptance": acceptance(
        "Standard_ND96isr_H100_v5",
        now_and_then(st.just(True), st.just(False), 4),
        st.sampled_from([["bandwidth"], ["bandwidth", "nics"], ["x"]]),
        {},
    ),
    "rdma-cluster:registries": REGISTRIES,
    "rdma-cluster:artifacts": now_and_then(ARTIFACTS, st.just({}), 8),
    "rdma-cluster:kubernetes": st.one_of(KUBERNETES, PUBLIC, CLUSTER),
    "rdma-cluster:network": st.one_of(OWN_NETWORK, NETWORK),
    "rdma-cluster:zone": ZONE,
    "rdma-cluster:resourceGroup": now_and_then(st.just(""), NAME, 12),
    "rdma-cluster:infinibandFeature": st.sampled_from(["look-up", "taken-as-right"]),
    "rdma-cluster:inference": INFERENCE,
    "rdma-cluster:skypilot": SWITCH,
    "rdma-cluster:storage": keys(
        {},
        {
            "objectStore": keys(
                {},
                {
                    "account": st.sampled_from(["mine", "A"]),
                    "container": NAME,
                    "resourceGroup": NAME,
                    "deletable": SWITCH,
                },
            ),
            "lustre": keys(
                {"capacityTib": st.sampled_from([8, 48, 240, 6])},
                {
                    "mbpsPerTib": st.sampled_from([40, 125, 200]),
                    "maintenance": st.sampled_from(["Monday 12:00", "noon"]),
                    "deletable": SWITCH,
                },
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
            "gpus": st.lists(st.integers(-1, 10), max_size=2),
            "pairs": now_and_then(st.lists(st.integers(-1, 10), max_size=3), st.just([1]), 3),
            "groups": now_and_then(st.lists(st.integers(-1, 10), max_size=3), st.just([]), 3),
            "whole": SWITCH,
            "nics": SWITCH,
        },
    ),
    "rdma-cluster:drivers": keys(
        {},
        {
            "gpuDriver": st.sampled_from(["operator", "aks"]),
            "rdmaDriver": st.sampled_from(["doca", "inbox"]),
            "rdmaResource": st.sampled_from(["rdma/ib", "rdma/shared_ib", "rdma/hca_shared_devices_a"]),
            "memoryLock": st.sampled_from(["root", "node"]),
            "sharp": SWITCH,
            **{
                key: now_and_then(st.just("managed"), st.sampled_from(["installed", "existing"]), 12)
                for key in ("gpu", "nic")
            },
        },
    ),
}
POOLS = st.lists(POOL, min_size=1, max_size=3, unique_by=str)
STACK_FILE = keys(
    {**{key: st.just(value) for key, value in SOUND.items()}, "rdma-cluster:pools": POOLS},
    {key: value for key, value in CHOICES.items() if key not in SOUND},
)
SOME_CHOICES = st.fixed_dictionaries({}, optional=CHOICES)
SOUND_POOLS = st.fixed_dictionaries({"rdma-cluster:pools": st.lists(POOL, min_size=1, max_size=2, unique_by=str)})

GENERATED = Generated(odd=over(STACK_FILE, SOME_CHOICES), sound=over(st.just(SOUND), over(SOUND_POOLS, SOME_CHOICES)))
