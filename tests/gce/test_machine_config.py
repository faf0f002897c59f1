"""What a plain machine does at every start, in whole: its files, its units, and the words of its containers."""

import json
from itertools import permutations
from typing import Any

import pytest
import yaml
from rdma_cluster.gce.plan.machine_config import container_words, digest, machine_images
from rdma_cluster.gce.plan.vms import VmsPlan
from tests.gce.plans import pool_of

PLUGIN = "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.12"
DAEMON = "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.15"
NAME = "receive-datapath-manager"
GPUS = [f"--device=/dev/nvidia{i}" for i in range(8)] + ["--device=/dev/nvidiactl", "--device=/dev/nvidia-uvm"]


def written(plan: VmsPlan) -> dict[str, str]:
    """The files that cloud-init writes."""
    return {each["path"]: each["content"] for each in yaml.safe_load(plan.cloud_config)["write_files"]}


def service(plan: VmsPlan, name: str) -> tuple[list[str], list[str]]:
    """The lines of both sections of a unit."""
    text = written(plan)[f"/etc/systemd/system/rdma-cluster-{name}.service"]
    unit, _, of_service = text.partition("\n\n[Service]\n")
    assert text.endswith("\n")
    return unit.splitlines()[1:], of_service.splitlines()


def test_files():
    """Scripts, the words of containers and the units, which root alone may change; all units are started at once."""
    config: dict[str, Any] = yaml.safe_load(pool_of().cloud_config)

    assert [each["path"] for each in config["write_files"]] == [
        "/etc/rdma-cluster/machine.sh",
        "/etc/rdma-cluster/await.sh",
        "/etc/rdma-cluster/container",
        "/etc/systemd/system/rdma-cluster-machine.service",
        "/etc/systemd/system/rdma-cluster-rxdm.service",
        "/etc/systemd/system/rdma-cluster-acceptance.service",
    ]
    assert {(each["owner"], each["permissions"]) for each in config["write_files"]} == {("root:root", "0644")}
    assert config["runcmd"] == [
        ["systemctl", "daemon-reload"],
        ["systemctl", "start", "--no-block", "rdma-cluster-machine", "rdma-cluster-rxdm", "rdma-cluster-acceptance"],
    ]
    assert set(config) == {"write_files", "runcmd"}
    words = written(pool_of())["/etc/rdma-cluster/container"]
    assert words.splitlines() == container_words(pool_of().start) and words.endswith("\n")


def test_driver_and_plugin():
    """One unit brings both, again and again until it succeeds: a unit that failed would fail all that wait for it."""
    unit, lines = service(pool_of(system={"driver": "R580"}), "machine")

    after = "network-online.target docker.service"
    assert unit == ["Description=The GPUs' driver and the plugin of NCCL", f"Wants={after}", f"After={after}"]
    assert lines == [
        "Environment=HOME=/var/lib/rdma-cluster",
        "Type=oneshot",
        "RemainAfterExit=true",
        "Environment=DRIVER=R580 DRIVER_FOLDER=/var/lib/nvidia PLUGIN_FOLDER=/var/lib/tcpx/lib64",
        f"Environment=PLUGIN_IMAGE={PLUGIN}",
        "Environment=PRIVATE_REGISTRIES=us-docker.pkg.dev",
        "ExecStart=/bin/sh -c 'until /bin/bash /etc/rdma-cluster/machine.sh; do sleep 15; done'",
    ]


def test_daemon():
    """It owns the GPU memory that NICs write to; it is started anew when it ends, and has begun when it serves."""
    unit, lines = service(pool_of(), "rxdm")

    after = "rdma-cluster-machine.service"
    assert unit == ["Description=Receive data path manager of GPUDirect-TCPX", f"Wants={after}", f"After={after}"]
    run = [
        "/usr/bin/docker run --rm",
        f"--name={NAME}",
        "--privileged --network=host",
        "--cap-add=NET_ADMIN",
        *GPUS,
        "--volume=/var/lib/nvidia:/usr/local/nvidia",
        "--volume=/run/tcpx:/run/tcpx",
        "--volume=/sys:/hostsysfs",
        "--volume=/proc/sys:/hostprocsysfs",
        "--env=LD_LIBRARY_PATH=/usr/local/nvidia/lib64",
        "--entrypoint=/tcpgpudmarxd/build/app/tcpgpudmarxd",
        DAEMON,
        "--gpu_nic_preset a3vm --gpu_shmem_type fd --uds_path /run/tcpx --setup_param '--verbose 128 2 0 '",
    ]
    assert lines == [
        "Environment=HOME=/var/lib/rdma-cluster",
        "Restart=always",
        "RestartSec=5",
        "TimeoutStartSec=720",
        f"ExecStartPre=-/usr/bin/docker rm --force {NAME}",
        f"ExecStart={' '.join(run)}",
        "ExecStartPost=/bin/sh -c 'until test -S /run/tcpx/rx_rule_manager; do sleep 1; done'",
        f"ExecStop=/usr/bin/docker stop {NAME}",
    ]


def test_proof():
    """It waits for an order, for ever."""
    unit, lines = service(pool_of(), "acceptance")

    after = "rdma-cluster-rxdm.service"
    assert unit == ["Description=The proof of the fabric, when it is ordered", f"Wants={after}", f"After={after}"]
    assert lines == [
        "Environment=HOME=/var/lib/rdma-cluster",
        "Restart=always",
        "RestartSec=15",
        "ExecStart=/bin/bash /etc/rdma-cluster/await.sh",
    ]


def test_words_of_containers():
    """The host's network, locked memory, all GPUs, folders of driver and plugin, and then variables."""
    words = container_words(pool_of().start)
    env = [word for word in words if word.startswith("--env=")]

    assert words[: -len(env)] == [
        "--network=host",
        "--shm-size=64g",
        "--ulimit=memlock=-1",
        "--cap-add=IPC_LOCK",
        *GPUS,
        "--volume=/var/lib/nvidia:/usr/local/nvidia",
        "--volume=/run/tcpx:/run/tcpx",
        "--volume=/var/lib/tcpx/lib64:/usr/local/tcpx/lib64",
    ]
    paths = [word for word in env if word.startswith("--env=LD_LIBRARY_PATH=")]
    assert paths == ["--env=LD_LIBRARY_PATH=/usr/local/nvidia/lib64:/usr/local/tcpx/lib64"]
    assert "--env=NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX=/run/tcpx" in env


@pytest.mark.parametrize("hosts", list(permutations(["b-docker.pkg.dev", "a-docker.pkg.dev", "c.gcr.io", "gcr.io"], 2)))
def test_registries_that_ask_for_a_token(hosts: tuple[str, str]):
    """Google's own, each once and in order, so that the same machines are told the same; of others none."""
    mirrors = dict(
        zip((PLUGIN.rpartition(":")[0], DAEMON.rpartition(":")[0]), (f"{h}/p/r" for h in hosts), strict=True)
    )
    plan = pool_of(registries=mirrors)

    assert f"Environment=PRIVATE_REGISTRIES={','.join(sorted(hosts))}" in service(plan, "machine")[1]
    assert machine_images(plan.start) == [f"{hosts[0]}/p/r:v3.1.12", f"{hosts[1]}/p/r:v2.0.15"]


def test_digest():
    """Twelve digits of all that a machine runs at its start: another driver is another machine."""
    one, other = pool_of().start, pool_of(system={"driver": "R580"}).start

    assert len(digest(one)) == 12 and digest(one) == digest(pool_of(nodes=5).start) != digest(other)
    assert json.loads(pool_of().cloud_config.partition("\n")[2])["runcmd"]
