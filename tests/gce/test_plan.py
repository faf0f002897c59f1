"""What machines are told: by cloud-init at their start, beside what others publish, and by the order to test."""

import json
import os
import shlex
import subprocess
from pathlib import Path
from shutil import which
from typing import Any

import pytest
import yaml
from rdma_cluster.catalog.gke_releases import TCPX
from rdma_cluster.gce.plan import acceptance
from rdma_cluster.gce.plan.acceptance import OrderPlan
from rdma_cluster.gce.plan.machine_config import container_words
from rdma_cluster.gce.plan.vms import VmsPlan
from tests.gce.plans import pool_of

DEVICES = {*(f"--device=/dev/nvidia{i}" for i in range(8)), "--device=/dev/nvidiactl", "--device=/dev/nvidia-uvm"}
# github.com/skypilot-org/skypilot sky/provision/gcp/constants.py (GPU_DIRECT_TCPX_USER_DATA, seen 2026-11-22), where
# lib64 of the driver alone is mounted; ours mounts the driver's folder, as GKE does.
SKYPILOT_DAEMON = {
    "--privileged",
    "--cap-add=NET_ADMIN",
    "--network=host",
    "--name=receive-datapath-manager",
    "--env=LD_LIBRARY_PATH=/usr/local/nvidia/lib64",
    "--volume=/run/tcpx:/run/tcpx",
    "--entrypoint=/tcpgpudmarxd/build/app/tcpgpudmarxd",
    *DEVICES,
}
SKYPILOT_DAEMON_ARGS = {"--gpu_nic_preset": "a3vm", "--gpu_shmem_type": "fd", "--uds_path": "/run/tcpx"}
# GPU_DIRECT_TCPX_SPECIFIC_OPTIONS there. FORCE_ACK is no longer in the release's list of June 2026, which also has
# 500000 for the wait; its folder of programs is within ours.
SKYPILOT_CONTAINER = {
    "--cap-add=IPC_LOCK",
    "--volume=/run/tcpx:/run/tcpx",
    "--volume=/var/lib/tcpx/lib64:/usr/local/tcpx/lib64",
    "--ulimit=memlock=-1",
    "--env=LD_LIBRARY_PATH=/usr/local/nvidia/lib64:/usr/local/tcpx/lib64",
    "--env=NCCL_GPUDIRECTTCPX_SOCKET_IFNAME=eth1,eth2,eth3,eth4",
    "--env=NCCL_GPUDIRECTTCPX_CTRL_DEV=eth0",
    "--env=NCCL_GPUDIRECTTCPX_TX_BINDINGS=eth1:8-21,112-125;eth2:8-21,112-125;eth3:60-73,164-177;eth4:60-73,164-177",
    "--env=NCCL_GPUDIRECTTCPX_RX_BINDINGS=eth1:22-35,126-139;eth2:22-35,126-139;eth3:74-87,178-191;eth4:74-87,178-191",
    "--env=NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX=/run/tcpx",
    "--env=NCCL_SOCKET_IFNAME=eth0",
    *DEVICES,
}


def order_of(nodes: int = 2, **more: Any) -> OrderPlan:
    """What the machines of a pool are ordered to prove."""
    order = pool_of(nodes, **more).order
    assert order is not None
    return order


def written(plan: VmsPlan) -> dict[str, str]:
    """The files that cloud-init writes."""
    return {each["path"]: each["content"] for each in yaml.safe_load(plan.cloud_config)["write_files"]}


def unit(plan: VmsPlan, name: str) -> dict[str, str]:
    """The settings of a systemd unit; of one that stands there twice the last."""
    lines = written(plan)[f"/etc/systemd/system/{name}.service"].splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def test_the_daemon_has_every_word_of_the_published_one_and_a_pinned_image():
    words = shlex.split(unit(pool_of(), "rdma-cluster-rxdm")["ExecStart"])

    assert set(words) >= SKYPILOT_DAEMON
    at = words.index(TCPX.daemon)
    args = dict(zip(words[at + 1 :: 2], words[at + 2 :: 2], strict=True))
    assert args.items() >= SKYPILOT_DAEMON_ARGS.items()
    assert args["--setup_param"].strip() == "--verbose 128 2 0"


def test_our_containers_have_what_skypilot_gives_its_own():
    words = container_words(pool_of().start)

    assert SKYPILOT_CONTAINER - set(words) == set()
    assert not [word for word in words if " " in word]


def test_driver_and_plugin_come_before_the_daemon_and_the_daemon_before_the_test():
    """All units are started, and a unit that fails is tried again."""
    plan = pool_of()
    config = yaml.safe_load(plan.cloud_config)

    assert plan.cloud_config.startswith("#cloud-config\n")
    after = {name: unit(plan, name)["After"] for name in config["runcmd"][1][3:]}
    assert after == {
        "rdma-cluster-machine": "network-online.target docker.service",
        "rdma-cluster-rxdm": "rdma-cluster-machine.service",
        "rdma-cluster-acceptance": "rdma-cluster-rxdm.service",
    }
    assert unit(plan, "rdma-cluster-rxdm")["Restart"] == "always"
    started = unit(plan, "rdma-cluster-machine")
    assert started["Type"] == "oneshot" and "until /bin/bash /etc/rdma-cluster/machine.sh" in started["ExecStart"]
    assert {(each["owner"], each["permissions"]) for each in config["write_files"]} == {("root:root", "0644")}
    for name in after:
        for path in shlex.split(unit(plan, name)["ExecStart"]):
            assert not path.endswith(".sh") or path in written(plan)


@pytest.mark.skipif(which("systemd-analyze") is None, reason="no systemd-analyze: apt-get install systemd")
def test_systemd_s_own_check_takes_the_units(tmp_path: Path):
    paths = []
    for path, text in written(pool_of()).items():
        if path.endswith(".service"):
            paths.append(tmp_path / Path(path).name)
            paths[-1].write_text(text.replace("/usr/bin/docker", "/bin/true"))
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"}

    done = subprocess.run(["systemd-analyze", "verify", *paths], env=environment, capture_output=True, text=True)

    told = [line for line in done.stderr.splitlines() if "rdma-cluster" in line]
    assert told == []


def test_every_image_comes_from_a_mirror_and_google_s_own_registries_are_asked_with_a_token():
    mirrors = {"us-docker.pkg.dev": "mirror.example/google", "docker.io": "mirror.example/hub"}
    plan, order = pool_of(registries=mirrors), order_of(registries=mirrors)

    text = plan.cloud_config + order.order + json.loads(order.files)["scripts/env.sh"]
    assert "pkg.dev" not in text and "docker.io" not in text
    assert text.count("mirror.example/google/gce-ai-infra/gpudirect-tcpx/") == 3
    assert "Environment=PRIVATE_REGISTRIES=\\n" in plan.cloud_config
    plugin = {f"{TCPX.daemon.rpartition('/')[0]}/nccl-plugin-gpudirecttcpx-dev": "asia-docker.pkg.dev/p/r"}
    google_s = pool_of(registries=plugin).cloud_config
    assert "Environment=PRIVATE_REGISTRIES=asia-docker.pkg.dev,us-docker.pkg.dev" in google_s


def test_whatever_changes_what_is_proved_is_a_new_order():
    measured = {"rerun": "again"}, {"waive": ["bandwidth"]}, {"compare": True}, {"images": {"test": "m.example/t:1"}}
    others: list[dict[str, Any]] = [{"nodes": 3}, {"system": {"driver": "R580"}}]
    orders = [order_of(), *(order_of(acceptance=each) for each in measured), *(order_of(**each) for each in others)]

    assert len({order.id for order in orders}) == 7


def test_a_better_judge_is_no_new_order(monkeypatch: pytest.MonkeyPatch):
    """It travels with the metadata, which changes in place."""
    one = order_of()
    monkeypatch.setattr(acceptance, "payload", lambda *packages: {"nccl_verdict.gate.py": "# better"})
    other = order_of()

    assert (one.id, one.order) == (other.id, other.order)
    assert one.judge_files != other.judge_files


def test_the_judge_and_what_it_expects_go_to_the_leading_machine():
    order = order_of(4)
    every = json.loads(order.files)
    lead = {name: text for part in order.judge_files.values() for name, text in json.loads(part).items()}

    assert set(every) == {"scripts/node.sh", "scripts/ring.sh", "scripts/env.sh"}
    assert {"judge/run.py", "judge/nccl_verdict.compare.py", "judge/judge.sh"} <= set(lead)
    assert json.loads(lead["expect/expectation.json"])["network"]["transport"] == "GPUDirect-TCPX"
