"""What machines are told: by cloud-init at their start, beside what others publish, and by the order to test."""

import json
import os
import shlex
import subprocess
from configparser import ConfigParser
from pathlib import Path
from shutil import which

import pytest
import yaml
from rdma_cluster.catalog.gke_releases import TCPX
from rdma_cluster.gce.plan import acceptance
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


def written(plan: VmsPlan) -> dict[str, str]:
    """The files that cloud-init writes."""
    return {each["path"]: each["content"] for each in yaml.safe_load(plan.cloud_config)["write_files"]}


def unit(plan: VmsPlan, name: str) -> ConfigParser:
    """A systemd unit; of a key that stands there twice the last one."""
    parser = ConfigParser(interpolation=None, strict=False)
    parser.optionxform = lambda optionstr: optionstr  # keys as they are written
    parser.read_string(written(plan)[f"/etc/systemd/system/{name}.service"])
    return parser


def test_daemon_is_the_published_one():
    """Every word of SkyPilot's, with the pinned image in place of a floating one."""
    words = shlex.split(unit(pool_of(), "rdma-cluster-rxdm")["Service"]["ExecStart"])

    assert set(words) >= SKYPILOT_DAEMON
    at = words.index(TCPX.daemon)
    args = dict(zip(words[at + 1 :: 2], words[at + 2 :: 2], strict=True))
    assert args.items() >= SKYPILOT_DAEMON_ARGS.items()
    assert args["--setup_param"].strip() == "--verbose 128 2 0"


def test_containers_are_as_published():
    """What SkyPilot gives its container, we give ours."""
    words = container_words(pool_of().start)

    assert SKYPILOT_CONTAINER - set(words) == set()
    assert not [word for word in words if " " in word]


def test_units_follow_one_another():
    """Driver and plugin, the daemon, the test; all are started, and the file is YAML as cloud-init reads it."""
    plan = pool_of()
    config = yaml.safe_load(plan.cloud_config)

    assert plan.cloud_config.startswith("#cloud-config\n")
    after = {name: unit(plan, name)["Unit"]["After"] for name in config["runcmd"][1][3:]}
    assert after == {
        "rdma-cluster-machine": "network-online.target docker.service",
        "rdma-cluster-rxdm": "rdma-cluster-machine.service",
        "rdma-cluster-acceptance": "rdma-cluster-rxdm.service",
    }
    assert unit(plan, "rdma-cluster-rxdm")["Service"]["Restart"] == "always"
    for name in after:
        for path in shlex.split(unit(plan, name)["Service"]["ExecStart"]):
            assert not path.endswith(".sh") or path in written(plan)


@pytest.mark.skipif(which("systemd-analyze") is None, reason="no systemd-analyze: apt-get install systemd")
def test_systemd_takes_the_units(tmp_path: Path):
    """Its own check finds nothing wrong with them; docker is played by `true`."""
    paths = []
    for path, text in written(pool_of()).items():
        if path.endswith(".service"):
            paths.append(tmp_path / Path(path).name)
            paths[-1].write_text(text.replace("/usr/bin/docker", "/bin/true"))
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"}

    done = subprocess.run(["systemd-analyze", "verify", *paths], env=environment, capture_output=True, text=True)

    told = [line for line in done.stderr.splitlines() if "rdma-cluster" in line]
    assert told == []


def test_mirrors_hold_every_image():
    """On the machine and in the order; a registry of Google's alone is asked with a token."""
    mirrors = {"us-docker.pkg.dev": "mirror.example/google", "docker.io": "mirror.example/hub"}
    plan = pool_of(registries=mirrors)
    assert plan.order is not None

    text = plan.cloud_config + plan.order.order + json.loads(plan.order.lead_files)["scripts/env.sh"]
    assert "pkg.dev" not in text and "docker.io" not in text
    assert text.count("mirror.example/google/gce-ai-infra/gpudirect-tcpx/") == 3
    assert "Environment=PRIVATE_REGISTRIES=\\n" in plan.cloud_config


@pytest.mark.parametrize(
    "more",
    [
        {"nodes": 3},
        {"system": {"driver": "R580"}},
        {"acceptance": {"rerun": "again"}},
        {"acceptance": {"waive": ["bandwidth"]}},
        {"acceptance": {"thresholds": {"a3-highgpu-8g": ["all_gather:1G=10"]}}},
        {"acceptance": {"compare": True}},
        {"acceptance": {"images": {"test": "mirror.example/tests:1"}}},
    ],
    ids=str,
)
def test_what_is_proved_anew(more: dict):
    """A new order for whatever changes what is proved."""
    one, other = pool_of().order, pool_of(**more).order

    assert one is not None and other is not None
    assert one.id != other.id


def test_a_better_judge_is_no_new_order(monkeypatch: pytest.MonkeyPatch):
    """It travels with the metadata, which changes in place; nothing runs again for it."""
    one = pool_of().order
    monkeypatch.setattr(acceptance, "payload", lambda *packages: {"nccl_verdict.gate.py": "# better"})
    other = pool_of().order

    assert one is not None and other is not None
    assert (one.id, one.order) == (other.id, other.order)
    assert one.lead_files != other.lead_files


def test_members_get_what_they_run():
    """The judge and what it expects go to the machine that leads."""
    order = pool_of(4).order
    assert order is not None
    lead, member = json.loads(order.lead_files), json.loads(order.member_files)

    assert set(member) == {"scripts/node.sh", "scripts/ring.sh", "scripts/env.sh"}
    assert lead.items() >= member.items()
    assert {"judge/run.py", "judge/nccl_verdict.compare.py", "judge/judge.sh"} <= set(lead)
    assert json.loads(lead["expect/expectation.json"])["network"]["transport"] == "GPUDirect-TCPX"


@pytest.mark.parametrize(("nodes", "reason"), [(1, "a fabric is proved between 2 nodes or more, the pool has 1")])
def test_nothing_to_prove(nodes: int, reason: str):
    """One machine has nobody to talk to."""
    plan = pool_of(nodes)

    assert (plan.order, plan.skip_reason) == (None, reason)


def test_latest_driver_is_warned_of():
    """It was seen to break the fabric."""
    assert any("cluster-toolkit issue 3032" in each for each in pool_of(system={"driver": "latest"}).warnings)
