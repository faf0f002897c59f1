"""Stack files of GKE as hypothesis makes them."""

from typing import Any

from hypothesis import strategies as st
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
    "gcp:project": "my-project",
    "rdma-cluster:cloud": "gke",
    "rdma-cluster:zone": "us-west8-c",
    "rdma-cluster:pools": [
        {"name": "a4", "machine": "a4-highgpu-8g", "nodes": 2, "capacity": {"reservation": {"name": "r"}}}
    ],
}

MACHINE = now_and_then(
    st.sampled_from(["a3-megagpu-8g", "a3-highgpu-8g", "a3-edgegpu-8g", "a4x-highgpu-4g", "h4d-highmem-192-lssd", "b"]),
    st.sampled_from(["a4-highgpu-8g", "a3-ultragpu-8g"]),
    12,
)
NETWORK = keys({"network": NAME, "subnetwork": NAME}, {})
RESERVATION = keys(
    {"name": NAME}, {"project": NAME, "zone": st.just("us-west8-c"), "block": NAME, "subBlock": NAME, "active": SWITCH}
)
CAPACITY = st.one_of(
    st.just({"spot": True}),
    st.just({"flexStart": True}),
    keys({}, {"calendar": RESERVATION, "queued": SWITCH, "flexStart": SWITCH, "maxRunHours": st.integers(0, 200)}),
    keys({}, {"reservation": RESERVATION, "spot": SWITCH, "flexStart": SWITCH, "onDemand": SWITCH}),
)
POOL = keys(
    {"name": NAME, "machine": MACHINE, "nodes": st.integers(-1, 400), "capacity": CAPACITY},
    {
        "gpuAllocation": st.sampled_from(["dra", "device-plugin"]),
        "autoRepair": SWITCH,
        "minNodes": st.integers(-1, 400),
        "placement": st.sampled_from(["compact", "none"]),
        "placementPolicy": NAME,
        "labels": st.dictionaries(st.one_of(NAME, st.just("nvidia.com/gpu.present")), NAME, max_size=2),
    },
)
VERSION = st.sampled_from(["1.35", "1.34.2", "1.34", "1.33", "1.31.4-gke.1183000", "1.36.0-gke.1", "latest"])
CHOICES: dict[str, st.SearchStrategy[Any]] = {
    "rdma-cluster:skypilot": SWITCH,
    "rdma-cluster:lookUps": SWITCH,
    "rdma-cluster:kubernetes": keys(
        {},
        {
            "name": NAME,
            "version": VERSION,
            "location": st.sampled_from(["regional", "zonal"]),
            "releaseChannel": st.sampled_from(["RAPID", "STABLE"]),
            "endpoint": st.sampled_from(["dns", "private"]),
            "protected": SWITCH,
            "existing": keys(
                {"location": st.just("us-west8"), "endpoint": NAME}, {"caCertificate": NAME, "nodeServiceAccount": NAME}
            ),
        },
    ),
    "rdma-cluster:network": keys(
        {},
        {
            "cidr": CIDR,
            "mode": st.sampled_from(["dranet", "managed", "managed-auto", "pod-networks"]),
            "maxNodes": st.integers(-1, 16_000),
            "podCidr": CIDR,
            "serviceCidr": CIDR,
            "existing": keys(
                {
                    **dict.fromkeys(("network", "subnetwork", "podRange", "serviceRange"), NAME),
                    "rails": st.lists(NETWORK, min_size=7, max_size=8),
                },
                {"gvnic": NETWORK},
            ),
        },
    ),
    "rdma-cluster:acceptance": acceptance(
        "a4-highgpu-8g", SWITCH, st.sampled_from([["bandwidth"], ["bandwidth", "nics"], ["x"]]), {}
    ),
    "rdma-cluster:registries": REGISTRIES,
    "rdma-cluster:artifacts": now_and_then(ARTIFACTS, st.just({}), 8),
    "rdma-cluster:inference": INFERENCE,
    "rdma-cluster:storage": keys(
        {},
        {
            "objectStore": keys({}, {"bucket": NAME, "deletable": SWITCH}),
            "lustre": keys(
                {"capacityGib": st.sampled_from([9000, 18000, 36000, 0])},
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
            "namespaces": st.lists(NAME, max_size=3),
            "gpus": st.lists(st.integers(-1, 10), max_size=2),
            "pairs": st.lists(st.integers(-1, 10), max_size=3),
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
        "gcp:project": st.just("my-project"),
        "rdma-cluster:cloud": st.just("gke"),
        "rdma-cluster:zone": st.sampled_from(["us-west8-c", "us-west8-c", "us-west8"]),
        "rdma-cluster:pools": st.lists(POOL, min_size=1, max_size=3, unique_by=str),
    },
    CHOICES,
)

GENERATED = Generated(
    odd=STACK_FILE,
    sound=over(st.just(SOUND), st.fixed_dictionaries({}, optional=CHOICES)),
    once_wrong=[
        {**SOUND, "rdma-cluster:claims": {"pairs": [9]}},
        {**SOUND, "rdma-cluster:claims": {"pairs": [2, 2]}},
        {**SOUND, "gcp:project": "[secret]"},
    ],
)
