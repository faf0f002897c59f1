"""The document that a node reads at its first boot, and the arguments and keys that go into it."""

import gzip
import json
from base64 import b64decode
from typing import Any

import pytest
from rdma_cluster.oke.plan.gpu_pools import holding
from rdma_cluster.oke.plan.node_pool import OkeNodePoolPlan
from tests.oke.plans import ON_DEMAND, RACKS, pool_plan, refused

TAINTS = (
    "nvidia.com/gpu=present:NoSchedule,startup-taint.cluster-autoscaler.kubernetes.io/rdma-fabric=unproven:NoSchedule"
)


def document(plan: OkeNodePoolPlan) -> dict[str, Any]:
    """The cloud-config as cloud-init reads it."""
    head, _, rest = gzip.decompress(b64decode(plan.user_data)).decode().partition("\n")
    assert head == "#cloud-config"
    return json.loads(rest)


def command(plan: OkeNodePoolPlan) -> str:
    """What a node of the pool runs at its first boot."""
    ((shell, flag, told),) = document(plan)["runcmd"]
    assert (shell, flag) == ("sh", "-c")
    return told


def test_disks_come_first_then_imex_then_the_cluster():
    """Trouble with disks does not end the boot; only racks mask IMEX, which ComputeDomains run themselves."""
    boot, disks = "/opt/rdma-cluster/bootstrap.sh 1.36.1 '--v=2'", "/opt/rdma-cluster/nvme_raid.sh 10"

    assert command(pool_plan(kubelet_args=["--v=2"])) == f"{disks}; {boot}"
    assert command(pool_plan(**RACKS, kubelet_args=["--v=2"])) == f"{disks}; /opt/rdma-cluster/mask_imex.sh && {boot}"


def test_files_of_the_document_are_root_s_and_scripts_run():
    written = {each["path"]: each for each in document(pool_plan(**RACKS))["write_files"]}
    contents = "".join(each["content"] for each in written.values())

    assert {each["owner"] for each in written.values()} == {"root:root"}
    for path, each in written.items():
        assert each["permissions"] == ("0755" if path.endswith(".sh") else "0644")
    for setting in (
        'default_ulimits = ["memlock=-1:-1"]',
        "ManageForeignRoutes=no",
        "ManageForeignRoutingPolicyRules=no",
        "short_name_mode",
    ):
        assert setting in contents


def test_nothing_is_fetched_but_from_the_metadata_service_and_oracles_mirror():
    words = gzip.decompress(b64decode(pool_plan(**RACKS).user_data)).decode().replace('"', " ").split()
    hosts = {word.split("/")[2] for word in words if word.startswith(("http://", "https://"))}

    assert not any("github" in word for word in words)
    assert hosts <= {
        "odx-oke.objectstorage.us-sanjose-1.oci.customer-oci.com",
        "objectstorage.us-sanjose-1.oraclecloud.com",
    }


def test_user_data_is_the_same_for_the_same_choices_and_fits_into_metadata():
    """OCI takes 32,000 bytes in all, labels, certificate and keys besides; gzip's header has no clock and no Python."""
    plans = [pool_plan(), pool_plan(version="1.36.2"), pool_plan(kubelet_args=["--v=2"]), pool_plan(**RACKS)]

    assert pool_plan().user_data == plans[0].user_data and pool_plan().boot_digest == plans[0].boot_digest
    assert len({plan.boot_digest for plan in plans}) == len(plans)
    assert len(plans[-1].user_data) < 12_000
    assert {b64decode(plan.user_data)[:10].hex() for plan in plans} == {"1f8b0800000000000203"}


@pytest.mark.parametrize(
    ("argument", "fits"),
    [
        ("--register-with-taints=a.b/c=d:NoSchedule,e=f:NoExecute", True),
        ("--fail-swap-on", True),
        ("-v=2", False),
        ("--V=2", False),
        ("--v=2; reboot", False),
        ("--v='2'", False),
        ("--v=", False),
    ],
)
def test_an_argument_of_kubelet_needs_no_quotes_in_a_shell(argument: str, fits: bool):
    places = [each.partition(": ")[0] for each in refused(pool_plan, kubelet_args=["--a=b", argument])]

    assert places == ([] if fits else ["kubelet_args[1]"])


@pytest.mark.parametrize(
    ("key", "fits"),
    [
        ("ssh-ed25519 AAAAC3Nz\n", True),
        ("ssh-rsa AAAA+b/== me and you", True),
        ("sk-ssh-ed25519@openssh.com AAAA", True),
        ("ssh-dss AAAA", False),
        ("ssh-ed25519", False),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", False),
        ("ssh-ed25519 AAAA me\nssh-ed25519 BBBB you", False),
    ],
)
def test_one_public_key_of_openssh_is_taken(key: str, fits: bool):
    assert (refused(pool_plan, ssh_public_key=key) == []) is fits


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], f"--register-with-taints={TAINTS}"),
        (
            ["--register-with-taints=a=b:NoSchedule", "--v=2", "--register-with-taints=c=d:NoExecute"],
            f"--v=2 --register-with-taints=a=b:NoSchedule,c=d:NoExecute,{TAINTS}",
        ),
    ],
)
def test_held_nodes_register_with_our_taint_and_the_user_s(given: list[str], told: str):
    """kubelet takes the last of several flags alone, so that all taints go into one."""
    plan = pool_plan(kubelet_args=given)
    args: Any = {"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2, "capacity": ON_DEMAND, "kubelet_args": given}
    held = holding(plan, args)

    assert command(held).endswith(f"bootstrap.sh 1.36.1 '{told}'")
    assert (held.held, plan.held, held.labels) == (True, False, plan.labels)
    assert held.boot_digest != plan.boot_digest
    racks: Any = {**RACKS, "name": "h100"}
    assert "mask_imex.sh && " in command(holding(pool_plan(**RACKS), racks))
