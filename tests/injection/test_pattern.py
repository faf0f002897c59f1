"""The data that a policy holds: parts of a pod under names of ours, and the words of its refusals."""

import json
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from rdma_cluster.catalog import Source
from rdma_cluster.catalog.workload_images import WithoutPlugin
from rdma_cluster.injection.device_requests import DeviceRequest
from rdma_cluster.injection.pattern import Served, device_request_name, pattern

PATCH: dict[str, Any] = {
    "env": [{"name": "LD_LIBRARY_PATH", "value": "/a"}, {"name": "NCCL_NET", "value": "x"}],
    "volumeMounts": [{"name": "lib", "mountPath": "/a"}],
    "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}, "privileged": True},
    "volumes": [{"name": "lib", "hostPath": {"path": "/h"}}],
    "nodeSelector": {"pool": "a"},
    "tolerations": [{"key": "t", "operator": "Exists"}],
    "annotations": {"net": "y"},
    "initContainers": [{"name": "s", "volumeMounts": [{"name": "lib", "mountPath": "/b"}]}, {"name": "bare"}],
    "hostNetwork": True,
    "source": "/a/set.sh",
}
SERVED = Served(
    machine="m",
    name="n",
    pod_patch=PATCH,
    device_requests=(
        DeviceRequest(1, claims=("c.1",)),
        DeviceRequest(1, "rail-0", claims=("c.1", "d")),
        DeviceRequest(2, limits={"gpu": "2"}),
    ),
    capacity={"gpu": "2", "nic": "4"},
    no_host_network="because",
    names={"pool": ("a", "b"), "type": ("m",)},
    only=True,
    image_needs="a plugin",
    parts_by="other",
)
LEAST: dict[str, Any] = {
    "env": [], "volumeMounts": [], "securityContext": {"capabilities": {"add": []}}, "volumes": [], "nodeSelector": {},
    "tolerations": [], "source": "",
}  # fmt: skip


def test_all_parts() -> None:
    """Volumes have names that no user's have, claims those of their templates, and no key is empty."""
    made = pattern(SERVED)
    mount = {"name": "rdma-lib", "mountPath": "/a"}
    additions = {
        "annotations": {"net": "y", "rdma-cluster/source": "/a/set.sh", "rdma-cluster/image-needs": "a plugin"},
        "nodeSelector": {"pool": "a"},
        "tolerations": [{"key": "t", "operator": "Exists"}],
        "volumes": [{"name": "rdma-lib", "hostPath": {"path": "/h"}}],
        "resourceClaims": [{"name": "rdma-c-1", "resourceClaimTemplateName": "c.1"},
                           {"name": "rdma-d", "resourceClaimTemplateName": "d"}],
        "sidecars": [{"name": "s", "volumeMounts": [{"name": "rdma-lib", "mountPath": "/b"}]},
                     {"name": "bare", "volumeMounts": []}],
        "hostNetwork": True,
        "container": {"env": PATCH["env"], "volumeMounts": [mount], "securityContext": PATCH["securityContext"]},
        "folders": {"LD_LIBRARY_PATH": "/a"},
        "shapes": {
            "1": {"limits": {}, "claims": [{"name": "rdma-c-1"}]},
            "1-rail-0": {"limits": {}, "claims": [{"name": "rdma-c-1"}, {"name": "rdma-d"}]},
            "2": {"limits": {"gpu": "2"}, "claims": []},
        },
        "capacity": [{"resource": "gpu", "most": "2"}, {"resource": "nic", "most": "4"}],
    }  # fmt: skip
    digest = sha256(json.dumps(additions, sort_keys=True).encode()).hexdigest()[:12]

    assert made == {
        "name": "n", "only": True, "noHostNetwork": "because", "unfit": [],
        "names": [{"key": "pool", "values": ["a", "b"]}, {"key": "type", "values": ["m"]}],
        "serves": "m serves 1 or 2 GPUs a container, rails by name rail-0",
        "labels": {"rdma-cluster/machine": "m", "rdma-cluster/injection": digest}, **additions,
    }  # fmt: skip


def test_as_little_as_there_may_be() -> None:
    """Nothing that is empty is said to a user, nor asked of a container."""
    made = pattern(Served("m", "n", LEAST, (DeviceRequest(1),), {}))

    assert made["annotations"] == made["container"]["securityContext"] == made["folders"] == {}
    assert made["sidecars"] == made["volumes"] == made["resourceClaims"] == made["names"] == []
    assert (made["hostNetwork"], made["only"], made["noHostNetwork"]) == (False, False, "")


def test_what_was_injected_has_a_digest() -> None:
    """What a pod gets changes it; what only decides does not, nor the order of keys."""
    label = pattern(SERVED)["labels"]["rdma-cluster/injection"]
    turned = replace(SERVED, pod_patch={**PATCH, "annotations": dict(reversed(PATCH["annotations"].items()))},
                     names={}, only=False, no_host_network="", parts_by="")  # fmt: skip

    assert pattern(turned)["labels"]["rdma-cluster/injection"] == label
    assert pattern(replace(SERVED, image_needs="b"))["labels"]["rdma-cluster/injection"] != label


@pytest.mark.parametrize(
    ("requests", "by", "words"),
    [
        ([(1, "")], "", "m serves 1 GPU a container, rails unnamed"),
        ([(8, "")], "", "m serves 8 GPUs a container, rails unnamed"),
        (
            [(8, "")],
            "other",
            "m serves 8 GPUs a container, rails unnamed; its fabric other serves parts of a node, too",
        ),
        ([(4, ""), (8, "")], "other", "m serves 4 or 8 GPUs a container, rails unnamed"),
        ([(1, ""), (2, "a"), (2, "b"), (8, "")], "", "m serves 1, 2 or 8 GPUs a container, rails by name a, b"),
    ],
)
def test_what_a_machine_serves(requests: list[tuple[int, str]], by: str, words: str) -> None:
    """Each number once, and the windows that a pod may name."""
    served = replace(SERVED, device_requests=tuple(DeviceRequest(*each) for each in requests), parts_by=by)

    assert pattern(served)["serves"] == words


def test_images_that_are_refused() -> None:
    """By both names of what Docker Hub has, and of another registry by its one."""
    source = Source("example", "2026-01-01")
    images = (WithoutPlugin("v/i", "p", "w", source), WithoutPlugin("r.io/v/i", "p", "w", source, "-efa"))
    says = (
        "which holds no p, so that NCCL does not find the NICs; take w, or set NCCL_NET_PLUGIN yourself where it does"
    )

    assert pattern(replace(SERVED, unfit=images))["unfit"] == [
        {"start": "docker.io/v/i:", "but": "", "says": says},
        {"start": "v/i:", "but": "", "says": says},
        {"start": "r.io/v/i:", "but": "-efa", "says": says},
    ]


@pytest.mark.parametrize(("gpus", "window", "name"), [("2", "", "2"), ("2", "rails-0-1", "2-rails-0-1")])
def test_names_of_shapes(gpus: str, window: str, name: str) -> None:
    """By number, and by window where one is named."""
    assert device_request_name(gpus, window) == name
