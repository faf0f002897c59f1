"""What is left out of a test's objects, and when."""

import json
from dataclasses import replace
from typing import Any

import pytest
from rdma_cluster.fabrics import HostNetwork, PodPatch
from rdma_cluster.incluster.plan.acceptance import indexed_job, mpi_job
from rdma_cluster.incluster.plan.acceptance.pod import (
    lead_env,
    node_container,
    node_spec,
    pod_metadata,
    short,
    verdict_container,
)
from rdma_cluster.incluster.plan.workload import Workload
from tests.acceptance.test_manifests import BARE, FABRIC


@pytest.mark.parametrize("launcher", [indexed_job, mpi_job])
def test_what_a_plain_test_does_without(launcher: Any):
    """No account and no credentials, no further collective, no word of NVLink, no command of a fabric's."""
    text = json.dumps(launcher.test_of(BARE, 1000))

    words = ["serviceAccountName", "credentials", "ALSO", "NVLINK", "MARK_NODES", "FINGERPRINT", "WAIVED", "--waive"]
    words += ["startup-taint", "resourceClaims", "annotations", "FABRIC_OF_NODE", "CHECK_OF_NODE"]
    if launcher is indexed_job:
        words.remove("annotations")
    assert [word for word in words if word in text] == []
    assert pod_metadata(BARE) == {"labels": {"app.kubernetes.io/name": "nccl-acceptance", "rdma-cluster/pool": "a"}}
    assert [each["key"] for each in node_spec(BARE)["tolerations"]] == ["rdma-cluster/fabric"]
    assert verdict_container(BARE)["resources"]["limits"] == {"memory": "260Mi"}


@pytest.mark.parametrize(
    ("change", "variable"),
    [
        ({"marks_nodes": True}, "MARK_NODES=suspects"),
        ({"fingerprint": "f00"}, "FINGERPRINT=f00"),
        ({"held": True, "waive": ("gdr",)}, "WAIVED=gdr"),
        ({"held": True}, ""),
        ({"waive": ("gdr",)}, ""),
    ],
)
def test_what_the_judge_is_told(change: dict[str, Any], variable: str):
    """Each word by itself; what is waived it writes into proofs, where nodes are held by them."""
    env = verdict_container(replace(BARE, **change))["env"]

    assert [f"{each['name']}={each['value']}" for each in env[1:]] == [variable] * bool(variable)


@pytest.mark.parametrize(("nvlink", "told"), [(None, []), (False, ["0"]), (True, ["1"])])
def test_what_is_told_of_nvlink(nvlink: bool | None, told: list[str]):
    """Off is another word than none."""
    env = lead_env(replace(BARE, nvlink=nvlink))

    assert [each["value"] for each in env if each["name"] == "NVLINK"] == told


def test_sshd_beside_the_hosts_own():
    """In the network of the host port 22 is taken, whatever the image's is."""
    on_host = replace(BARE, workload=Workload(replace(FABRIC, nic_attachment=HostNetwork())))

    assert [lead_env(each)[-1] for each in (BARE, on_host)] == [
        {"name": "SSH_PORT", "value": "222"},
        {"name": "SSH_PORT", "value": "2222"},
    ]
    assert node_spec(on_host)["dnsPolicy"] == "ClusterFirstWithHostNet"


def test_a_privileged_container_keeps_its_rights():
    """Nothing could be taken from it."""
    privileged = Workload(replace(FABRIC, pod_patch=PodPatch(capabilities=("IPC_LOCK",), privileged=True)))
    context = node_container("test", "x.sh", replace(BARE, workload=privileged), [])["securityContext"]

    assert context == {"capabilities": {"add": ["IPC_LOCK"]}, "privileged": True}


LONG = "a" * 36


@pytest.mark.parametrize(
    ("pool", "part"),
    [
        ("a", "a"),
        ("a-0", "a-0"),
        (LONG, LONG),
        (f"{LONG}a", f"{'a' * 27}-21ec055b"),
        ("A_b.C", "a-b-c-d8de6fcb"),
        ("a-", "a-9baf4407"),
        (f"{'a' * 26}__b", f"{'a' * 26}-62f1c9bc"),
        ("___", "pool-bda25155"),
    ],
)
def test_a_pools_name_in_ours(pool: str, part: str):
    """What is no DNS label, or longer than 36, is cut, and the begin of its SHA-256 tells it from others."""
    assert short(pool) == part
