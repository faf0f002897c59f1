"""Args of any schema as hypothesis makes them from the schema itself: sound, odd, missing, unknown, known later."""

from enum import Enum
from functools import cache
from typing import Annotated, Any, get_args, get_origin

from hypothesis import strategies as st
from rdma_cluster.base.args import Input, hints, plain, required
from rdma_cluster.catalog import machines
from rdma_cluster.fabrics import FABRICS, NIC_DRIVERS, NIC_PLUGINS
from typing_extensions import is_typeddict
from tests.strategies import CIDR, NAME, ODD, now_and_then

ZONES = {"us-west8-c": "us-west8", "us-east-2a": "us-east-2"}
TEXTS: dict[str, st.SearchStrategy[Any]] = {
    "project": st.sampled_from(["my-project", "p", "[secret]", "example.com:my-project"]),
    "zone": st.sampled_from([*ZONES, "us-east-2b", "us-east-1-dfw-2a"]),
    "region": st.sampled_from([*ZONES.values(), "cn-north-1"]),
    "location": st.sampled_from([*ZONES, *ZONES.values()]),
    "version": st.sampled_from(["1.35", "1.34.2", "1.31.4-gke.1183000", "1.33", "2", "1.999", "v1.35"]),
    "machine": st.sampled_from(sorted(row.name for row in machines())),
    "machines": st.sampled_from(sorted(row.name for row in machines())),
    "fabric": st.sampled_from(sorted(FABRICS)),
    "nic_driver": st.sampled_from(sorted(NIC_DRIVERS)),
    "nic_plugin": st.sampled_from(sorted(NIC_PLUGINS)),
    "host": st.sampled_from(["cos", "al2023", "ubuntu"]),
    "waive": st.sampled_from(["bandwidth", "nics", "no-gate"]),
    "thresholds": st.sampled_from(
        ["all_reduce:1G=300", "all_gather:16G=1", "all_reduce:1G=0", "all_reduce:1M=300", "x"]
    ),
    "id": st.sampled_from(["cr-0123456789abcdef0", "cr-x"]),
    "group": st.sampled_from(["arn:aws:resource-groups:us-east-2:111122223333:group/gpus"]),
    "admins": st.sampled_from(["arn:aws:iam::111122223333:role/admin", "arn:aws:sts::111122223333:assumed-role/a/b"]),
    "release_version": st.sampled_from(["1.35.0-20251103", "1.35.0-20240101", "1.30.0-20251103"]),
    "cidr": CIDR,
    "pod_cidr": CIDR,
    "service_cidr": CIDR,
    "public_cidrs": CIDR,
    "egress_cidrs": CIDR,
}
"""What makes sense below a key; elsewhere a name does."""
NUMBERS = st.one_of(st.integers(0, 40), st.sampled_from([-1, 2, 8, 5_000, 15_000, 15_001, 10**12, 2.0]))


class Later:
    """Stands for an output of another resource."""

    def apply(self, known: Any) -> "Later":
        """What the door does with an output."""
        return self


@cache
def args_of(hint: Any, key: str = "") -> st.SearchStrategy[Any]:
    """Values for one type, most of them of that type; ``key`` is the one they stand under."""
    later = get_origin(hint) is Annotated and Input in get_args(hint)
    sound = _sound(plain(hint), key)
    return (
        now_and_then(st.builds(Later), sound, 6) if later else now_and_then(st.one_of(ODD, st.builds(Later)), sound, 60)
    )


def _sound(hint: Any, key: str) -> st.SearchStrategy[Any]:
    if is_typeddict(hint):
        values = {name: args_of(of, name) for name, of in hints(hint).items()}
        must = {name: values[name] for name in values if name in required(hint)}
        may = {name: values[name] for name in values if name not in must}
        sound = st.fixed_dictionaries(must, optional=may)
        odd = st.fixed_dictionaries({}, optional={**values, "surprise": ODD})
        return now_and_then(odd, st.one_of(st.fixed_dictionaries(must), sound), 20)
    if get_origin(hint) is list:
        return st.lists(args_of(get_args(hint)[0], key), max_size=3)
    if key == "taint":
        return now_and_then(st.just({"key": "nvidia.com/gpu"}), st.just({"key": "nvidia.com/gpu", "value": "p"}), 20)
    if get_origin(hint) is dict:
        return st.dictionaries(st.one_of(NAME, TEXTS["machine"]), args_of(get_args(hint)[1], key), max_size=2)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from([each.value for each in hint])
    texts = now_and_then(st.text(max_size=45), TEXTS.get(key, NAME), 20)
    return {int: NUMBERS, bool: st.booleans()}.get(hint, texts)
