"""Stack files of plain machines as hypothesis makes them."""

from typing import Any

from hypothesis import strategies as st
from tests.clouds import Generated
from tests.strategies import ARTIFACTS, CIDR, NAME, REGISTRIES, SWITCH, acceptance, keys, now_and_then, over

SOUND: dict[str, Any] = {
    "gcp:project": "my-project",
    "rdma-cluster:cloud": "gce",
    "rdma-cluster:zone": "us-central1-a",
    "rdma-cluster:pools": [
        {"name": "a3", "machine": "a3-highgpu-8g", "nodes": 2, "capacity": {"reservation": {"name": "r"}}}
    ],
}

MACHINE = now_and_then(
    st.sampled_from(["a3-megagpu-8g", "a3-edgegpu-8g", "a4-highgpu-8g", "p5.48xlarge", "b"]),
    st.just("a3-highgpu-8g"),
    12,
)
NIC = keys({"network": NAME, "subnetwork": NAME}, {})
CAPACITY = st.one_of(
    st.just({"spot": True}),
    keys(
        {},
        {
            "reservation": keys({"name": NAME}, {"project": NAME}),
            "spot": SWITCH,
            "flexStart": SWITCH,
            "onDemand": SWITCH,
            "maxRunHours": st.integers(0, 200),
        },
    ),
)
POOL = keys({"name": NAME, "machine": MACHINE, "nodes": st.integers(-1, 12), "capacity": CAPACITY}, {})
CHOICES: dict[str, st.SearchStrategy[Any]] = {
    "rdma-cluster:network": keys(
        {},
        {
            "cidr": CIDR,
            "maxNodes": st.integers(-1, 16_000),
            "iapSsh": SWITCH,
            "existing": st.lists(NIC, min_size=4, max_size=5),
        },
    ),
    "rdma-cluster:system": keys(
        {},
        {
            "image": st.sampled_from(["projects/cos-cloud/global/images/family/cos-121-lts", "cos", ""]),
            "driver": st.sampled_from(["default", "latest", "R580", "580.159.04", "newest"]),
        },
    ),
    "rdma-cluster:acceptance": acceptance(
        "a3-highgpu-8g",
        SWITCH,
        st.lists(st.sampled_from(["bandwidth", "nics", "speed"]), max_size=2),
        {"compare": SWITCH},
    ),
    "rdma-cluster:registries": REGISTRIES,
    "rdma-cluster:artifacts": now_and_then(ARTIFACTS, st.just({}), 8),
}
STACK_FILE = keys(
    {
        "gcp:project": st.just("my-project"),
        "rdma-cluster:cloud": st.just("gce"),
        "rdma-cluster:zone": st.sampled_from(["us-central1-a", "us-central1-a", "us-central1"]),
        "rdma-cluster:pools": st.lists(POOL, min_size=1, max_size=3, unique_by=str),
    },
    CHOICES,
)

GENERATED = Generated(odd=STACK_FILE, sound=over(st.just(SOUND), st.fixed_dictionaries({}, optional=CHOICES)))
