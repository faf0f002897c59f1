"""What a pool says of its nodes' first boot: arguments, keys, the taint, and the document that follows from them."""

import gzip
import json
from base64 import b64decode
from typing import Any

import pytest
from pulumi_offline.errors import ErrorList
from rdma_cluster.oke.plan.cloud_init import (
    FirstBoot,
    check_arguments,
    check_ssh_key,
    cloud_config,
    digest,
    text,
    user_data,
)
from rdma_cluster.oke.plan.gpu_pools import holding
from rdma_cluster.oke.plan.node_pool import OkeNodePoolPlan
from tests.oke.plans import ON_DEMAND, RACKS, pool_plan

TAINTS = (
    "nvidia.com/gpu=present:NoSchedule,startup-taint.cluster-autoscaler.kubernetes.io/rdma-fabric=unproven:NoSchedule"
)


def command(plan: OkeNodePoolPlan) -> str:
    """What a node of the pool runs at its first boot."""
    document = gzip.decompress(b64decode(plan.user_data)).decode()
    ((_, _, told),) = json.loads(document.partition("\n")[2])["runcmd"]
    return told


@pytest.mark.parametrize(
    ("argument", "fits"),
    [
        ("--v=2", True),
        ("--register-with-taints=a.b/c=d:NoSchedule,e=f:NoExecute", True),
        ("--fail-swap-on", True),
        ("-v=2", False),
        ("--V=2", False),
        ("--v=2; reboot", False),
        ("--v='2'", False),
        ("--v=", False),
    ],
)
def test_arguments_need_no_quotes(argument: str, fits: bool):
    """They are words of a shell's command."""
    errors = ErrorList()
    check_arguments(["--a=b", argument], errors)

    assert [str(each) for each in errors.found()] == ([] if fits else [f"[1]: got {argument!r}; write --name=value"])


@pytest.mark.parametrize(
    ("key", "fits"),
    [
        ("ssh-ed25519 AAAAC3Nz me@here", True),
        ("ssh-ed25519 AAAAC3Nz\n", True),
        ("ssh-rsa AAAA+b/== me and you", True),
        ("ecdsa-sha2-nistp256 AAAA", True),
        ("sk-ssh-ed25519@openssh.com AAAA", True),
        ("ssh-dss AAAA", False),
        ("ssh-ed25519", False),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", False),
        ("ssh-ed25519 AAAA me\nssh-ed25519 BBBB you", False),
    ],
)
def test_one_public_key(key: str, fits: bool):
    """As OpenSSH writes it, with or without a comment."""
    errors = ErrorList()
    check_ssh_key(key, errors)

    assert bool(errors) is not fits


def test_the_document():
    """Each file by its path, as root's own, in the mode of a text or a script; masks of IMEX on racks alone."""
    document = json.loads(cloud_config(FirstBoot("1.36.1", False, ("--a=b", "--c"))).partition("\n")[2])
    modes = {each["path"]: (each["owner"], each["permissions"]) for each in document["write_files"]}
    contents = {each["path"].rpartition("/")[2]: each["content"] for each in document["write_files"]}

    assert modes == {
        "/etc/systemd/networkd.conf.d/50-rdma-routes.conf": ("root:root", "0644"),
        "/etc/crio/crio.conf.d/50-rdma-memlock.conf": ("root:root", "0644"),
        "/etc/crio/crio.conf.d/51-short-names.conf": ("root:root", "0644"),
        "/opt/rdma-cluster/nvme_raid.sh": ("root:root", "0755"),
        "/opt/rdma-cluster/bootstrap.sh": ("root:root", "0755"),
    }
    assert contents["50-rdma-routes.conf"] == text("networkd.conf")
    assert contents["51-short-names.conf"] == text("crio_short_names.conf")
    assert document["runcmd"] == [
        ["sh", "-c", "/opt/rdma-cluster/nvme_raid.sh 10; /opt/rdma-cluster/bootstrap.sh 1.36.1 '--a=b --c'"]
    ]


def test_digest_is_of_the_whole_document():
    """Twelve digits, and another document another one."""
    boot = FirstBoot("1.36.1", False, ())

    assert len(digest(boot)) == 12 and digest(boot) == digest(FirstBoot("1.36.1", False, ()))
    assert len({digest(each) for each in (boot, FirstBoot("1.36.2", False, ()), FirstBoot("1.36.1", True, ()))}) == 3
    assert gzip.decompress(b64decode(user_data(boot))) == cloud_config(boot).encode()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], f"--register-with-taints={TAINTS}"),
        (["--v=2"], f"--v=2 --register-with-taints={TAINTS}"),
        # kubelet takes the last of several flags alone: the user's taints go into it.
        (
            ["--register-with-taints=a=b:NoSchedule", "--v=2", "--register-with-taints=c=d:NoExecute"],
            f"--v=2 --register-with-taints=a=b:NoSchedule,c=d:NoExecute,{TAINTS}",
        ),
    ],
)
def test_held_nodes_register_with_the_taint(given: list[str], told: str):
    """Beside the GPU taint and the user's own; the rest of the pool stays as it is."""
    plan = pool_plan(kubelet_args=given)
    args: Any = {"name": "h100", "machine": "BM.GPU.H100.8", "nodes": 2, "capacity": ON_DEMAND, "kubelet_args": given}
    held = holding(plan, args)

    assert command(held).endswith(f"bootstrap.sh 1.36.1 '{told}'")
    assert (held.held, plan.held) == (True, False)
    assert held.boot_digest != plan.boot_digest
    assert (held.labels, held.machine, held.name) == (plan.labels, plan.machine, plan.name)


def test_held_racks_mask_imex_all_the_same():
    """ComputeDomains run IMEX themselves."""
    racks: Any = {**RACKS, "name": "h100"}

    assert "mask_imex.sh && " in command(holding(pool_plan(**RACKS), racks))
    assert "mask_imex" not in command(holding(pool_plan(), racks))
