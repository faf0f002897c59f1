"""RoCE on Oracle's hosts: what a node says of its ports and its place, and how pods of the test stand on the host."""

import json
import subprocess
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from pulumi_offline import Graph
from rdma_agent import await_definitions
from rdma_cluster.catalog import oke
from rdma_cluster.catalog.clouds import CLOUD_FACTS
from rdma_cluster.fabrics.roce import ROCE, ROCE_HOST, VIRTUAL_FUNCTIONS, parameters
from tests.stacks import graph_of

H100 = next(row for row in oke.MACHINES if row.name == "BM.GPU.H100.8")
_ADDRESS = "0000:0000:0000:0000:0000:ffff:0ae0:0a0b"
_NONE = "0000:0000:0000:0000:0000:0000:0000:0000"


def run(script: str, root: Path, path: Path | None = None) -> str:
    """What a command of a node prints, with this folder as its root."""
    for folder in ("/sys/", "/etc/"):
        script = script.replace(folder, f"{root}{folder}")
    ended = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        timeout=30,
        env={"PATH": f"{path}:/usr/bin:/bin" if path else "/usr/bin:/bin"},
    )
    assert ended.stderr == ""
    return ended.stdout


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A host with all ports of an H100, each with an address, beside the two devices of the front end."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/nccl.conf").write_text(parameters(H100, f"={','.join(H100.rdma_names or ())}"))
    for device in (*(H100.rdma_names or ()), "mlx5_2", "mlx5_11"):
        port = tmp_path / f"sys/class/infiniband/{device}/ports/1"
        (port / "gids").mkdir(parents=True)
        (port / "state").write_text("4: ACTIVE\n")
        (port / "gids/3").write_text(_ADDRESS + "\n")
    return tmp_path


def test_ports_that_are_well_say_nothing(host: Path):
    """Devices of the front end are not looked at."""
    (host / "sys/class/infiniband/mlx5_2/ports/1/state").write_text("1: DOWN\n")

    assert run(ROCE_HOST.acceptance.check_of_node, host) == ""


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("ports/1/state", "1: DOWN\n", "the port of mlx5_5 is down"),
        ("ports/1/gids/3", _NONE + "\n", "mlx5_5 has no address: is the agent's plugin"),
    ],
)
def test_a_port_that_is_down_or_has_no_address_is_named(host: Path, file: str, text: str, told: str):
    (host / "sys/class/infiniband/mlx5_5" / file).write_text(text)

    said = run(ROCE_HOST.acceptance.check_of_node, host)

    assert said.startswith(told) and said.count("\n") == 1


def test_a_device_that_is_gone_is_named(host: Path):
    (host / "sys/class/infiniband/mlx5_5").rename(host / "gone")

    assert run(ROCE_HOST.acceptance.check_of_node, host) == "RDMA device mlx5_5 is not there\n"


def test_a_pod_with_devices_of_its_own_has_one_of_their_prefix(host: Path):
    (host / "etc/nccl.conf").write_text(parameters(H100, "mlx5"))
    assert run(ROCE.acceptance.check_of_node, host) == ""

    (host / "sys/class/infiniband").rename(host / "gone")
    assert run(ROCE.acceptance.check_of_node, host) == "no RDMA device is there\n"


def test_a_node_says_its_island(tmp_path: Path):
    """The metadata service says nothing where the tenancy is not shown its topology."""
    tools, island = tmp_path / "bin", "ocid1.hpcisland.oc1..a"
    tools.mkdir()
    answer = {"customerHPCIslandId": island, "customerNetworkBlock": "block-b", "customerLocalBlock": "local-c"}
    for said, place in ((answer, f"{island} in network block block-b\n"), ({}, "")):
        (tools / "curl").write_text(f"#!/bin/sh\necho '{json.dumps(said, indent=2)}'\n")
        (tools / "curl").chmod(0o755)
        assert run(CLOUD_FACTS["oke"].fabric_of_node, tmp_path, tools) == place


def test_workers_stand_on_the_host_beside_its_sshd_and_the_launcher_does_not():
    job = _job(graph_of("oke"))
    worker, launcher = (job["mpiReplicaSpecs"][role]["template"]["spec"] for role in ("Worker", "Launcher"))
    ports = {
        each["value"]
        for part in (worker, launcher)
        for container in part["containers"]
        for each in container.get("env", [])
        if each["name"] == "SSH_PORT"
    }

    assert worker["hostNetwork"] is True and worker["dnsPolicy"] == "ClusterFirstWithHostNet"
    assert worker["containers"][0]["securityContext"]["privileged"] is True
    assert "hostNetwork" not in launcher
    assert ports == {"2222"}


def test_a_pod_of_a_whole_node_asks_for_a_function_and_a_network_of_each_port():
    worker = _job(graph_of("oke-b200"))["mpiReplicaSpecs"]["Worker"]["template"]
    (container,) = worker["spec"]["containers"]

    assert container["resources"]["limits"]["nvidia.com/rdma-vf"] == "8"
    assert worker["metadata"]["annotations"]["k8s.v1.cni.cncf.io/networks"] == ",".join(["default/rdma-vf"] * 8)
    assert "hostNetwork" not in worker["spec"] and "privileged" not in container["securityContext"]
    assert VIRTUAL_FUNCTIONS["nvidia.com/rdma-vf"].name == "roce-rdma-vf"


def test_no_node_starts_before_it_may_join_and_no_resource_before_its_definition_is_served():
    graph = graph_of("oke-b200")
    pool = graph.one("oci:ContainerEngine/nodePool:NodePool", "oke-b200-b200")
    (waiter,) = [each for each in graph.of_type("kubernetes:batch/v1:Job") if each.name.endswith("-definitions")]
    policies = {each.urn for each in graph.of_type("oci:Identity/policy:Policy")}
    addons = {each.urn for each in graph.of_type("oci:ContainerEngine/addon:Addon")}
    (network,) = graph.of_type("kubernetes:sriovnetwork.openshift.io/v1:SriovNetwork")

    assert policies and policies <= set(pool.dependencies)
    assert addons <= set(waiter.dependencies)
    assert waiter.urn in network.dependencies


def waited(seconds: float, *answers: dict[str, Any] | int) -> int:
    """How the waiter ends, whose API server gives these answers or error codes, the last one for ever."""
    left = list(answers)

    class Api:
        def get(self, path: str) -> dict[str, Any]:
            answer = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(answer, int):
                raise HTTPError(path, answer, "", Message(), None)
            return {"status": answer}

    api: Any = Api()
    return await_definitions.main(seconds, ["a.b"], api, pause=0.01)


def test_the_waiter_ends_when_definitions_are_served(capsys: pytest.CaptureFixture[str]):
    assert waited(20, 404, {}, {"conditions": [{"type": "Established", "status": "True"}]}) == 0
    assert capsys.readouterr().out == ""


def test_the_waiter_gives_up_and_names_what_is_missing(capsys: pytest.CaptureFixture[str]):
    assert waited(0.05, 404) == 1
    assert "does not serve a.b" in capsys.readouterr().out


def _job(graph: Graph) -> dict:
    """The MPIJob of the acceptance test."""
    (found,) = (each.inputs for each in graph.resources if each.type.endswith(":MPIJob"))
    return found["spec"]
