"""What runs on a plain machine, run: its set-up in order, every end that a test can have, and what is left for `up`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.gce.machine import FakeMachine
from tests.gce.plans import pool_of
from tests.nccl.render import joined, log

pytestmark = pytest.mark.variant

WITH, WITHOUT = (68.0, 69.0, 70.0, 71.0), (20.0, 19.9, 20.1, 19.4)
"""Of A3 High, from the published runs."""


@pytest.fixture
def machine(tmp_path: Path) -> Callable[..., FakeMachine]:
    def make(index: int = 0, nodes: int = 2, **args: Any) -> FakeMachine:
        made = FakeMachine(tmp_path / f"machine-{index}", pool_of(nodes, **args), index)
        members = [f"{made.plan.members}{i}" for i in range(2)]
        made.write("logs/with", joined(log(members, form="GPUDirect-TCPX", busbw=WITH)).decode())
        plain = joined(log(members, form="GPUDirect-TCPX", busbw=WITHOUT)).decode()
        made.write("logs/without", plain.replace("GPUDirectTCPX_v7", "Socket").replace("/GDRDMA", ""))
        quicken(made)
        return made

    return make


def quicken(machine: FakeMachine, **values: int) -> None:
    """Shorten the waits that the order names."""
    path = "metadata/attributes/nccl-acceptance-files"
    files = json.loads(machine.read(path))
    wanted = {"READY_SECONDS": 1, "PAIR_SECONDS": 5, "SECONDS_IN_ALL": 20, **values}
    for name, value in wanted.items():
        files["scripts/env.sh"] += f"export {name}={value}\n"
    machine.write(path, json.dumps(files))


def verdict(machine: FakeMachine) -> tuple[str, str, str]:
    """What `up` reads."""
    from rdma_cluster.gce.verdict import parsed  # here, because it brings Google's SDK

    return parsed(machine.read("metadata/guest-attributes/nccl-acceptance/verdict"))


def test_the_leading_machine_proves_the_fabric_and_lets_the_other_one_go(machine: Callable[..., FakeMachine]):
    """Its verdict has the order's own name; the judge has no network and no rights."""
    made = machine()

    done = made.run("await.sh")

    assert made.plan.order is not None
    assert verdict(made)[:2] == (made.plan.order.id, "proven"), done.stdout + done.stderr
    assert verdict(made)[2].startswith("passed")
    assert (made.root / "up" / "s-a3-1.over").exists()
    (call,) = made.read("mpirun.calls").splitlines()
    assert "--host s-a3-0.us-central1-a.c.my-project.internal:8,s-a3-1.us-central1-a.c.my-project.internal:8" in call
    assert call.startswith("/usr/local/nvidia/lib64:/usr/local/tcpx/lib64 ") and "all_gather_perf -b 1G" in call
    assert " -x NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX " in call
    calls = [" ".join(json.loads(line)) for line in made.read("docker.calls").splitlines()]
    (judge,) = [call for call in calls if "judge.sh" in call]
    (test,) = [call for call in calls if call.startswith("run") and call.endswith("node.sh proof")]
    assert "--network none --user 65534 --read-only --cap-drop ALL" in judge and "--privileged" not in test
    assert "--device=/dev/nvidia7 --device=/dev/nvidiactl --device=/dev/nvidia-uvm" in test


@pytest.mark.thorough
def test_a_comparison_runs_once_more_with_the_image_s_own_nccl(machine: Callable[..., FakeMachine]):
    """SkyPilot's page compares the same way; both figures are in the verdict."""
    made = machine(acceptance={"compare": True})

    made.run("await.sh")

    assert verdict(made)[2].splitlines()[-2:] == [
        "8 GiB: 71 GB/s with GPUDirect-TCPX, 19.4 without, 3.7 x",
        "GPUDirect-TCPX is the faster from 1 GiB on",
    ]
    proof, fabric, plain = made.read("mpirun.calls").splitlines()
    assert "/tcpx/" in fabric.split()[0] == proof.split()[0]
    assert plain.split()[0] == "/usr/lib/x86_64-linux-gnu:/usr/local/nvidia/lib64"
    assert " -b 1G " in proof and " -b 1K " in fabric and " -b 1K " in plain


def test_a_proof_that_failed_is_not_compared(machine: Callable[..., FakeMachine]):
    made = machine(acceptance={"compare": True})
    made.write("logs/with", made.read("logs/without"))

    made.run("await.sh")

    assert verdict(made)[1] == "failed"
    assert verdict(made)[2].startswith("socket: fell back to TCP sockets on s-a3-0, s-a3-1")
    assert len(made.read("mpirun.calls").splitlines()) == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("choice", "status", "words"),
    [({}, "failed", "bandwidth: 40 GB/s"), ({"waive": ["bandwidth"]}, "proven", "waived: bandwidth")],
)
def test_a_slow_fabric_fails_unless_its_gate_is_waived(machine: Any, choice: Any, status: str, words: str):
    made = machine(acceptance=choice)
    made.write("logs/with", joined(log(["s-a3-0", "s-a3-1"], form="GPUDirect-TCPX", busbw=(40.0,) * 4)).decode())

    made.run("await.sh")

    assert verdict(made)[1] == status and words in verdict(made)[2]


def test_other_machines_run_sshd_and_leave_no_verdict(machine: Callable[..., FakeMachine]):
    made = machine(1)
    quicken(made, LEND_SECONDS=1)

    done = made.run("await.sh")

    assert done.returncode == 0, done.stderr
    assert made.read("calls").splitlines() == ["service ssh restart"]
    assert verdict(made) == ("", "", "")
    assert not (made.root / "state/run/judge").exists()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("missing", "words"), [(True, "ran: no answer within 1 s from s-a3-1"), (False, "finished: did not finish within")]
)
def test_a_test_that_cannot_end_is_ended_with_its_reason(
    machine: Callable[..., FakeMachine], missing: bool, words: str
):
    """A machine that never answers is named."""
    made = machine()
    if missing:
        (made.root / "up" / "s-a3-1").unlink()
    else:
        quicken(made, SECONDS_IN_ALL=1, PAIR_SECONDS=2)
        made.program("mpirun", "#!/bin/sh\nexec sleep infinity\n")

    made.run("await.sh")

    assert verdict(made)[1] == "failed" and verdict(made)[2].startswith(words)


@pytest.mark.thorough
def test_an_order_is_followed_once(machine: Callable[..., FakeMachine]):
    made = machine()
    made.run("await.sh")
    made.run("await.sh")
    assert len(made.read("mpirun.calls").splitlines()) == 1

    again = pool_of(acceptance={"rerun": "again"}).order
    assert again is not None
    made.order(again)
    made.run("await.sh")
    assert verdict(made)[:2] == (again.id, "proven")


SET_UP = {
    "DRIVER": "default",
    "PLUGIN_IMAGE": "r.example/plugin:1",
    "PRIVATE_REGISTRIES": "us-docker.pkg.dev",
    "PLUGIN_FOLDER": "/var/lib/tcpx/lib64",
}
CALLED = ("cos-extensions", "mountpoint", "mount", "sysctl", "iptables", "docker-credential-gcr")


@pytest.fixture
def bare(machine: Callable[..., FakeMachine]) -> FakeMachine:
    """A machine with the programs of its system, none of whose mounts and rules is there yet."""
    made = machine()
    for name in CALLED:
        made.program(name)
    made.program("mountpoint", "#!/bin/sh\nexit 1\n")
    made.program("iptables", '#!/bin/sh\n[ "$2" != -C ] || exit 1\necho "iptables $*" >> "$ROOT/calls"\n')
    driver = made.root / "var/lib/nvidia/bin"
    driver.mkdir(parents=True)
    made.program("nvidia-smi")
    (driver / "nvidia-smi").symlink_to(made.root / "bin/nvidia-smi")
    return made


def test_set_up_brings_the_driver_then_the_plugin_and_lets_each_subnet_in_on_its_own_nic(bare: FakeMachine):
    driver = f"{bare.root}/var/lib/nvidia"

    done = bare.run("machine.sh", **SET_UP, DRIVER_FOLDER=driver)

    assert done.returncode == 0, done.stderr
    assert bare.read("calls").splitlines() == [
        "cos-extensions install gpu -- --version=default",
        f"mount --bind {driver} {driver}",
        f"mount -o remount,exec {driver}",
        "nvidia-smi -pm 1",
        "sysctl -w net.core.optmem_max=131072",
        *(f"iptables -w -I INPUT -i eth{i} -s 10.0.{i}.2/255.255.255.0 -p tcp -j ACCEPT" for i in range(5)),
        "docker-credential-gcr configure-docker --registries=us-docker.pkg.dev",
        "mount --bind /var/lib/tcpx /var/lib/tcpx",
        "mount -o remount,exec /var/lib/tcpx",
    ]
    assert json.loads(bare.read("docker.calls")) == [
        *["run", "--rm", "--volume", "/var/lib:/var/lib", "r.example/plugin:1"],
        *["install", "--install-nccl"],
    ]


def test_a_second_set_up_lays_nothing_over_what_is_there_and_none_goes_on_without_a_driver(bare: FakeMachine):
    driver = f"{bare.root}/var/lib/nvidia"
    bare.program("mountpoint", "#!/bin/sh\n")
    bare.program("iptables")
    bare.run("machine.sh", **SET_UP, DRIVER_FOLDER=driver)
    calls = bare.read("calls")
    bare.program("cos-extensions", "#!/bin/sh\nexit 1\n")

    assert "--bind" not in calls and " -I INPUT" not in calls and calls.count("remount,exec") == 2
    assert bare.run("machine.sh", **SET_UP, DRIVER_FOLDER=driver).returncode != 0
    assert bare.read("calls") == calls
