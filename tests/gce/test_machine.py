"""What runs on a plain machine, run: its set-up in order, every end that a test can have, and what is left for `up`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rdma_cluster.gce.plan.vms import VmsPlan
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


def order_of(plan: VmsPlan) -> str:
    assert plan.order is not None
    return plan.order.id


def test_healthy(machine: Callable[..., FakeMachine]):
    """The leading machine proves it, says so under the order's own name, and lets the other one go."""
    made = machine()

    done = made.run("await.sh")

    assert verdict(made)[:2] == (order_of(made.plan), "proven"), done.stdout + done.stderr
    assert verdict(made)[2].startswith("passed")
    assert (made.root / "up" / "s-a3-1.over").exists()
    (call,) = made.read("mpirun.calls").splitlines()
    assert "--host s-a3-0.us-central1-a.c.my-project.internal:8,s-a3-1.us-central1-a.c.my-project.internal:8" in call
    assert call.startswith("/usr/local/nvidia/lib64:/usr/local/tcpx/lib64 ") and "all_gather_perf -b 1G" in call
    assert " -x NCCL_GPUDIRECTTCPX_UNIX_CLIENT_PREFIX " in call


@pytest.mark.thorough
def test_with_and_without_tcpx(machine: Callable[..., FakeMachine]):
    """As SkyPilot's page compares: the second run takes the image's own NCCL, and both figures are told."""
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
    """It is told at once, with the first gate; a machine that fell back to TCP is found."""
    made = machine(acceptance={"compare": True})
    made.write("logs/with", made.read("logs/without"))

    made.run("await.sh")

    assert verdict(made)[:2] == (order_of(made.plan), "failed")
    assert verdict(made)[2].startswith("socket: fell back to TCP sockets on s-a3-0, s-a3-1")
    assert len(made.read("mpirun.calls").splitlines()) == 1


@pytest.mark.thorough
def test_below_the_threshold_and_waived(machine: Callable[..., FakeMachine]):
    """The gates that a stack waives are waived on machines, too."""
    slow = machine()
    slow.write("logs/with", joined(log(["s-a3-0", "s-a3-1"], form="GPUDirect-TCPX", busbw=(40.0,) * 4)).decode())
    slow.run("await.sh")
    assert verdict(slow)[1:] == ("failed", verdict(slow)[2])
    assert verdict(slow)[2].startswith("bandwidth: 40 GB/s")

    waived = FakeMachine(slow.root.parent / "waived", pool_of(acceptance={"waive": ["bandwidth"]}), 0)
    waived.write("logs/with", slow.read("logs/with"))
    quicken(waived)
    waived.run("await.sh")

    assert verdict(waived)[1] == "proven"
    assert "waived: bandwidth" in verdict(waived)[2]


@pytest.mark.thorough
def test_a_machine_that_never_answers(machine: Callable[..., FakeMachine]):
    """It is named."""
    made = machine()
    (made.root / "up" / "s-a3-1").unlink()

    made.run("await.sh")

    assert verdict(made)[1] == "failed"
    assert verdict(made)[2].startswith("ran: no answer within 1 s from s-a3-1")


@pytest.mark.thorough
def test_a_test_that_never_ends(machine: Callable[..., FakeMachine]):
    """The judge ends it, and says so."""
    made = machine()
    quicken(made, SECONDS_IN_ALL=1, PAIR_SECONDS=2)
    made.program("mpirun", "#!/bin/sh\nexec sleep infinity\n")

    made.run("await.sh")

    assert verdict(made)[2].startswith("finished: did not finish within 1 s")


def test_others_lend_themselves(machine: Callable[..., FakeMachine]):
    """They run the image's sshd until it is over, judge nothing, and leave no verdict."""
    made = machine(1)
    quicken(made, LEND_SECONDS=1)

    done = made.run("await.sh")

    assert done.returncode == 0, done.stderr
    assert made.read("calls").splitlines() == ["service ssh restart"]
    assert verdict(made) == ("", "", "")
    assert not (made.root / "state/run/judge").exists()


@pytest.mark.thorough
def test_an_order_is_followed_once(machine: Callable[..., FakeMachine]):
    """A machine that starts again proves nothing again; a new order it follows."""
    made = machine()
    for _ in range(2):
        made.run("await.sh")
    assert len(made.read("mpirun.calls").splitlines()) == 1

    again = pool_of(acceptance={"rerun": "again"})
    assert again.order is not None
    made.order(again.order.order, again.order.lead_files)
    quicken(made)
    made.run("await.sh")

    assert len(made.read("mpirun.calls").splitlines()) == 2
    assert verdict(made)[:2] == (order_of(again), "proven")


def test_no_order_no_test(machine: Callable[..., FakeMachine]):
    """Where acceptance is off, the machine has no script to follow, and does nothing."""
    made = FakeMachine(machine().root.parent / "off", pool_of(acceptance={"enabled": False}), 0)

    assert made.run("await.sh").returncode == 0
    assert made.read("docker.calls") == ""


def test_the_judge_is_confined(machine: Callable[..., FakeMachine]):
    """No network, no rights, nobody's user; the test has the machine's GPUs and no more rights than it needs."""
    made = machine()

    made.run("await.sh")

    calls = [" ".join(json.loads(line)) for line in made.read("docker.calls").splitlines()]
    (judge,) = [call for call in calls if "judge.sh" in call]
    assert "--network none --user 65534 --read-only --cap-drop ALL" in judge
    (test,) = [call for call in calls if call.startswith("run") and call.endswith("node.sh proof")]
    assert "--privileged" not in test
    assert "--device=/dev/nvidia7 --device=/dev/nvidiactl --device=/dev/nvidia-uvm" in test


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


def test_set_up(bare: FakeMachine):
    """Driver, then what the kernel must allow, then the plugin; each subnet may speak on its own NIC alone."""
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


def test_set_up_again(bare: FakeMachine):
    """What is there already is not laid over itself."""
    bare.program("mountpoint", "#!/bin/sh\n")
    bare.program("iptables")

    bare.run("machine.sh", **SET_UP, DRIVER_FOLDER=f"{bare.root}/var/lib/nvidia")

    calls = bare.read("calls")
    assert "--bind" not in calls and " -I INPUT" not in calls and calls.count("remount,exec") == 2


def test_set_up_stops_where_it_fails(bare: FakeMachine):
    """Its unit tries again; nothing goes on without a driver."""
    bare.program("cos-extensions", "#!/bin/sh\nexit 1\n")

    assert bare.run("machine.sh", **SET_UP, DRIVER_FOLDER=f"{bare.root}/var/lib/nvidia").returncode != 0
    assert bare.read("calls") == ""
