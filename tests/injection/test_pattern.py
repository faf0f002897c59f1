"""The data that a policy holds: parts of a pod under names of ours, and the words of its refusals."""

import json
from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.injection.device_requests import DeviceRequest
from rdma_cluster.injection.expressions import has_devices
from rdma_cluster.injection.pattern import Served, claim_name, pattern

PATCH: dict[str, Any] = {
    "env": [{"name": "LD_LIBRARY_PATH", "value": "/a"}, {"name": "NCCL_NET", "value": "x"}],
    "volumeMounts": [{"name": "lib", "mountPath": "/a"}],
    "securityContext": {"capabilities": {"add": []}},
    "volumes": [{"name": "lib", "hostPath": {"path": "/h"}}],
    "nodeSelector": {"pool": "a"},
    "tolerations": [],
    "initContainers": [{"name": "s", "volumeMounts": [{"name": "lib", "mountPath": "/b"}]}, {"name": "bare"}],
    "source": "/a/set.sh",
}
SERVED = Served(
    machine="m",
    name="n",
    pod_patch=PATCH,
    device_requests=(DeviceRequest(1, claims=("c.1",)), DeviceRequest(1, "rail-0", claims=("c.1", "d"))),
    capacity={"gpu": "2"},
    image_needs="a plugin",
)


def test_parts_of_a_pod_have_names_that_no_user_has():
    made = pattern(SERVED)

    assert [each["name"] for each in made["volumes"]] == ["rdma-lib"]
    mounts = [*made["container"]["volumeMounts"], *made["sidecars"][0]["volumeMounts"]]
    assert {each["name"] for each in mounts} == {"rdma-lib"} and made["sidecars"][1]["volumeMounts"] == []
    assert made["resourceClaims"] == [
        {"name": "rdma-c-1", "resourceClaimTemplateName": "c.1"},
        {"name": "rdma-d", "resourceClaimTemplateName": "d"},
    ]
    assert list(made["shapes"]) == ["1", "1-rail-0"]
    assert made["annotations"] == {"rdma-cluster/source": "/a/set.sh", "rdma-cluster/image-needs": "a plugin"}


def test_a_digest_changes_with_what_a_pod_gets_alone():
    """What only decides, and the order of keys, do not change it."""

    def digest(**more: Any) -> str:
        return pattern(replace(SERVED, **more))["labels"]["rdma-cluster/injection"]

    turned = dict(reversed(PATCH.items()))
    assert digest(pod_patch=turned, names={"pool": ("a",)}, only=True, no_host_network="x", parts_by="y") == digest()
    assert digest(image_needs="b") != digest()


@pytest.mark.parametrize(
    ("requests", "by", "words"),
    [
        ([(1, "")], "", "m serves 1 GPU a container, rails unnamed"),
        ([(8, "")], "o", "m serves 8 GPUs a container, rails unnamed; its fabric o serves parts of a node, too"),
        ([(4, ""), (8, "")], "o", "m serves 4 or 8 GPUs a container, rails unnamed"),
        ([(1, ""), (2, "a"), (2, "b"), (8, "")], "", "m serves 1, 2 or 8 GPUs a container, rails by name a, b"),
    ],
)
def test_a_machine_says_what_it_serves(requests: list[tuple[int, str]], by: str, words: str):
    """Each number stands there once."""
    found = replace(SERVED, device_requests=tuple(DeviceRequest(*each) for each in requests), parts_by=by)

    assert pattern(found)["serves"] == words


def test_a_claims_name_is_a_label():
    """However long its template's name is, other templates have other names."""
    long = [f"a.b-{'x' * 80}{end}" for end in "12"]

    assert claim_name("x" * 58) == "rdma-" + "x" * 58
    assert claim_name("x" * 59) != claim_name("x" * 60) and len({claim_name(name) for name in long}) == 2
    assert all(len(claim_name(name)) == 63 and "." not in claim_name(name) for name in (*long, "x" * 59))


def test_a_policy_names_limits_in_one_order_under_any_hash_seed():
    limits = dict.fromkeys(["nvidia.com/gpu", *(f"x/{i}" for i in range(8))], "1")
    text = has_devices({"shapes": {"1": {"limits": limits}}})

    assert json.dumps(sorted(limits)) in text
