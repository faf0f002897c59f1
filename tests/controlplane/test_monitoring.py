"""Prometheus' own tools read our alerts, and the real exporter publishes what they read."""

import os
import re
import subprocess
import time
from collections.abc import Generator, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
import yaml
from rdma_agent import proof
from rdma_agent.faults.readings import read as read_node
from rdma_agent.payload import script
from rdma_agent.prover import decide, fleet, metrics
from rdma_cluster.catalog import Transport
from rdma_cluster.catalog.metrics import METRICS
from rdma_rehearsal.controlplane.processes import end, spawn
from rdma_rehearsal.controlplane.servers import HOST, free_ports
from tests.faults.made_up import Node
from tests.gke.changes import WATCHED
from tests.monitoring.plans import plan_of
from tests.stacks import ROOT, graph_of
from . import build
from .applied import add_pool_node, bound, define_recorded, in_own_namespace
from .cluster import Cluster
from .scenarios import device_classes
from .stack_objects import manifest, not_applied, of_kubernetes, pasted, pools

A4, P5 = "a4-highgpu-8g", "p5.48xlarge"
NODE = f'pool="{A4}",node="n"'
UP = {f'up{{job="rdma-cluster-{job}",{NODE}}}': "1x60" for job in ("gpus", "nics")}
GPUS = {f'DCGM_FI_DEV_GPU_TEMP{{{NODE},gpu="{gpu}"}}': "40x60" for gpu in range(8)}
PORTS = {f'node_infiniband_state_id{{{NODE},device="mlx5_{rail}"}}': "4x60" for rail in range(8)}
SOUND = {**UP, **GPUS, **PORTS}
WAITS = 'kube_pod_status_unschedulable{namespace="a",pod="p"}'
CLAIMS = 'kube_pod_resourceclaim_info{namespace="a",pod="p",claim_name="%s"}'


def without(*parts: str) -> dict[str, str]:
    """A sound node's series without those in whose name one of these stands."""
    return {series: values for series, values in SOUND.items() if not any(part in series for part in parts)}


CASES: dict[str, tuple[dict[str, str], dict[str, int], str]] = {
    # Series with a value every 30 s, alerts that fire, and when one looks.
    "a sound node": (SOUND, {}, "29m"),
    "a GPU falls off the bus": ({**SOUND, f'DCGM_FI_DEV_XID_ERRORS{{{NODE},gpu="3"}}': "79x60"}, {"GpuXid": 1}, "1m"),
    "a program's own error": ({**SOUND, f'DCGM_FI_DEV_XID_ERRORS{{{NODE},gpu="3"}}': "31x60"}, {}, "29m"),
    "no error yet": ({**SOUND, f'DCGM_FI_DEV_XID_ERRORS{{{NODE},gpu="3"}}': "0x60"}, {}, "29m"),
    "memory that cannot be replaced": (
        {**SOUND, f'DCGM_FI_DEV_ROW_REMAP_FAILURE{{{NODE},gpu="3"}}': "1x60"},
        {"GpuRowRemapFailed": 1},
        "1m",
    ),
    "a GPU less, for a moment": (without('gpu="7"'), {}, "9m"),
    "a GPU less": (without('gpu="7"'), {"GpusMissing": 1}, "11m"),
    # Two pods share one GPU: two series, one GPU.
    "a GPU less, another shared": (
        {**without('gpu="7"'), f'DCGM_FI_DEV_GPU_TEMP{{{NODE},gpu="0",pod="b"}}': "40x60"},
        {"GpusMissing": 1},
        "11m",
    ),
    "no GPU, and no exporter that could start": (without("DCGM", "cluster-gpus"), {"GpusMissing": 1}, "11m"),
    "an exporter that is silent": (
        {**without("DCGM"), f'up{{job="rdma-cluster-gpus",{NODE}}}': "0x60"},
        {"FabricUnwatched": 1},
        "16m",
    ),
    "a NIC less": (without('"mlx5_5"'), {"NicsMissing": 1}, "11m"),
    "no NIC at all": (without("mlx5"), {"NicsMissing": 1}, "11m"),
    "a link down": (
        {**SOUND, f'node_infiniband_state_id{{{NODE},device="mlx5_5"}}': "4x10 1x50"},
        {"NicLinkDown": 1},
        "8m",
    ),
    "a link that comes and goes": (
        {**SOUND, f'node_infiniband_state_id{{{NODE},device="mlx5_5"}}': "4x10 1 4x5 1 4x40"},
        {"NicLinkFlapping": 1},
        "20m",
    ),
    "a link that goes between two looks": (
        {**SOUND, f'node_infiniband_link_downed_total{{{NODE},device="mlx5_5"}}': "0x10 1x10 3x40"},
        {"NicLinkFlapping": 1},
        "20m",
    ),
    "a port that is no rail": ({**SOUND, f'node_infiniband_state_id{{{NODE},device="mlx5_9"}}': "1x60"}, {}, "29m"),
    "a pod that waits for its claims": (
        {**SOUND, WAITS: "1x60", CLAIMS % "gpus": "1x60", CLAIMS % "nics": "1x60"},
        {"PodPendingOnClaim": 1},
        "11m",
    ),
    "a fault in the node's conditions": (
        {
            **SOUND,
            'kube_node_status_condition{node="n",condition="NicLinkDown",status="true"}': "0x10 1x50",
            'kube_node_status_condition{node="n",condition="NicLinkDown",status="false"}': "1x10 0x50",
            'kube_node_status_condition{node="n",condition="RdmaErrors",status="true"}': "1x60",
            'kube_node_status_condition{node="n",condition="Ready",status="true"}': "1x60",
        },
        {"NodeFault": 1, "NodeDegraded": 1},
        "20m",
    ),
    "a node whose kernel cannot be heard": (
        {**SOUND, 'kube_node_status_condition{node="n",condition="FaultsWatched",status="true"}': "0x60"},
        {"FaultsUnwatched": 1},
        "16m",
    ),
    "a watcher that does not run": (
        {**SOUND, 'kube_daemonset_status_number_unavailable{daemonset="rdma-fault-watcher"}': "1x60"},
        {"FaultsUnwatched": 1},
        "16m",
    ),
    "a pod that waits for something else": ({**SOUND, WAITS: "1x60"}, {}, "29m"),
}
ALIVE = {"rdma_cluster_prover_last_look_timestamp_seconds": "0+30x300"}
IS, BAD = (f"rdma_cluster_node_{what}{{{NODE}%s}}" for what in ("proven", "failed"))
DAY = 86400
OLD = f"rdma_cluster_node_proof_age_seconds{{{NODE}}}"
WELL = {**ALIVE, IS % ',reason="FabricProven"': "1x300", BAD % "": "0x300", OLD: f"{DAY}x300"}
OF_PROOFS: dict[str, tuple[dict[str, str], dict[str, int], str]] = {
    "a proven node": (WELL, {}, "149m"),
    "a node that failed": (
        {**ALIVE, IS % ',reason="FabricFailed"': "0x300", BAD % "": "1x300", OLD: f"{20 * DAY}x300"},
        {"NodeFailedProof": 1},
        "149m",
    ),
    "a node that failed beside another since": (
        {**WELL, IS % ',reason="FabricProven"': "1x9", IS % ',reason="ProvenAndDoubted"': "_x9 1x290"},
        {"NodeSuspect": 1},
        "30m",
    ),
    "a node slower than it was": (
        {**ALIVE, IS % ',reason="ProvenSlower"': "1x300", BAD % "": "0x300"},
        {"NodeSuspect": 1},
        "1m",
    ),
    "a node in its first test": ({**ALIVE, IS % ',reason="Testing"': "0x300", BAD % "": "0x300"}, {}, "59m"),
    "a node that waits in vain, for one reason or the other": (
        {
            **ALIVE,
            IS % ',reason="Testing"': "0x60 _x240",
            IS % ',reason="NoNeighbour"': "_x60 0x240",
            BAD % "": "0x300",
        },
        {"NodeHeld": 1},
        "62m",
    ),
    "a node that always had work": ({**WELL, OLD: f"{15 * DAY}x300"}, {"ProofTooOld": 1}, "1m"),
    "a node that is renewed this week": ({**WELL, OLD: f"{13 * DAY}x300"}, {}, "149m"),
    "a prover that was never seen": ({}, {"ProverGone": 1}, "16m"),
    "a prover that starts anew": (
        {"rdma_cluster_prover_last_look_timestamp_seconds": "0+30x20 _x20 1200+30x100"},
        {},
        "29m",
    ),
    "a prover that is gone": (
        {"rdma_cluster_prover_last_look_timestamp_seconds": "0+30x20 stale"},
        {"ProverGone": 1},
        "31m",
    ),
    "a prover whom the API server refuses": (
        {"rdma_cluster_prover_last_look_timestamp_seconds": "0+30x20 600x200"},
        {"ProverGone": 1},
        "31m",
    ),
}
"""Of a cluster whose proofs are renewed after a week; there is nothing else on it."""


@pytest.fixture(scope="module")
def programs() -> Path:
    """The folder with promtool and node_exporter."""
    return build.monitoring()


@pytest.mark.parametrize(("cases", "args"), [(CASES, {}), (OF_PROOFS, {"renew_seconds": 7 * DAY})])
def test_alerts_fire_when_they_should(
    programs: Path, tmp_path: Path, cases: dict[str, tuple[dict[str, str], dict[str, int], str]], args: dict[str, int]
):
    """Each case in Prometheus' own evaluation: these alerts and no others."""
    groups = plan_of(A4, P5, **args).rules
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": list(groups)}))
    tests = [
        {
            "name": name,
            "interval": "30s",
            "input_series": [{"series": each, "values": values} for each, values in series.items()],
            "promql_expr_test": [
                {
                    "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                    "eval_time": at,
                    "exp_samples": [
                        {"labels": f'{{alertname="{alert}"}}', "value": count} for alert, count in fires.items()
                    ],
                }
            ],
        }
        for name, (series, fires, at) in cases.items()
    ]
    told = {"rule_files": ["rules.yaml"], "evaluation_interval": "30s", "tests": tests}
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump(told))
    for command in (["check", "rules", "rules.yaml"], ["test", "rules", "tests.yaml"]):
        run = subprocess.run([programs / "promtool", *command], cwd=tmp_path, capture_output=True, text=True)

        assert run.returncode == 0, run.stdout + run.stderr


def test_prometheus_reads_the_provers_text(programs: Path):
    """As promtool does, without a word to say of it."""
    node = fleet.Node("n1", "a", "b", label="f", proof=proof.Proof(1, "up", "b", "f", ("n2",), 380.5, 350.0))
    seen = fleet.Seen([fleet.Pool("a", "f")], [node, fleet.Node("n2", "a", "x")], now=2)
    shown = metrics.Metrics()
    shown.show(seen, decide.decide(seen)[1])
    command = [programs / "promtool", "check", "metrics"]
    run = subprocess.run(command, input=shown.text(3), capture_output=True, text=True)

    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_rails_are_recorded(programs: Path, tmp_path: Path):
    """Bytes a second by number of the rail on A4, by the device's name on P5."""
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": list(plan_of(A4, P5).rules)}))
    series = {
        f'node_infiniband_port_data_transmitted_bytes_total{{{NODE},device="mlx5_2",port="1"}}': "0+3000x60",
        f'rdma_driver_counter_total{{pool="{P5}",node="m",device="rdmap79s0",port="1",counter="tx_bytes"}}': "0+600x60",
        f'rdma_driver_counter_total{{pool="{P5}",node="m",device="rdmap79s0",port="1",counter="rx_bytes"}}': "0+60x60",
    }
    recorded = [
        {"labels": f'{{machine="{A4}",{NODE},rail="2"}}', "value": 100},
        {"labels": f'{{machine="{P5}",pool="{P5}",node="m",rail="0"}}', "value": 20},
    ]
    test = {
        "interval": "30s",
        "input_series": [{"series": each, "values": values} for each, values in series.items()],
        "promql_expr_test": [
            {
                "expr": "round(sum by (machine, pool, node, rail) (rdma_cluster:rail_transmitted_bytes:rate2m))",
                "eval_time": "10m",
                "exp_samples": recorded,
            }
        ],
    }
    told = {"rule_files": ["rules.yaml"], "evaluation_interval": "30s", "tests": [test]}
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump(told))
    command = [programs / "promtool", "test", "rules", "tests.yaml"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert run.returncode == 0, run.stdout + run.stderr


def device(sysfs: Path, name: str, folders: dict[str, dict[str, str]]) -> None:
    """An RDMA device of one port as the kernel shows it."""
    port = sysfs / f"class/infiniband/{name}/ports/1"
    port.mkdir(parents=True)
    (sysfs / f"class/infiniband/{name}/fw_ver").write_text("28.39.1002\n")
    said = {"link_layer": "Ethernet", "state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": "400 Gb/sec (4X NDR)"}
    for file, text in said.items():
        (port / file).write_text(f"{text}\n")
    for folder, files in folders.items():
        (port / folder).mkdir()
        for file, text in files.items():
            (port / folder / file).write_text(f"{text}\n")


@contextmanager
def exported(programs: Path, machine: str, sysfs: Path, folder: Path) -> Generator[str]:
    """What the exporter of a machine's plan says of a host, with the plan's own flags."""
    counters = folder / "counters"
    counters.mkdir()
    exporter = next(each for each in plan_of(machine).exporters if each.name.startswith("nic-exporter"))
    (port,) = free_ports(1)
    containers = {each["name"]: each for each in exporter.spec["template"]["spec"]["containers"]}
    if "counters" in containers:
        env = os.environ | {"SYSFS": str(sysfs), "COUNTERS": str(counters), "ONCE": "1"}
        subprocess.run(["sh", "-c", script("driver_counters.sh")], env=env, check=True)
    flags = [re.sub(r"=:\d+$", f"={HOST}:{port}", flag) for flag in containers["nic-exporter"]["args"]]
    flags = [flag.replace("=/counters", f"={counters}") for flag in flags]
    command = [programs / "node_exporter", *flags, f"--path.sysfs={sysfs}"]
    with (folder / "log").open("w") as log:
        process = spawn(command, log)
        try:
            yield read(f"http://{HOST}:{port}/metrics")
        finally:
            end(process)


@pytest.fixture
def published(request: pytest.FixtureRequest, programs: Path, tmp_path: Path) -> Iterator[str]:
    """Of a host with two such devices."""
    for name, folders in request.param[1].items():
        device(tmp_path / "sys", name, folders)
    with exported(programs, request.param[0], tmp_path / "sys", tmp_path) as text:
        yield text


def read(url: str) -> str:
    """What is there, once somebody answers."""
    for _ in range(100):
        try:
            return urlopen(url, timeout=5).read().decode()
        except URLError:
            time.sleep(0.1)
    raise AssertionError(f"nobody answers at {url}")


MLX5 = {
    "counters": {"port_xmit_data": "25", "port_rcv_data": "50", "link_downed": "3"},
    "hw_counters": {"lifespan": "10"},
}
EFA = {"hw_counters": {"tx_bytes": "7", "rx_bytes": "9", "lifespan": "12"}}


@pytest.mark.parametrize("published", [(A4, {"mlx5_0": MLX5, "mlx5_1": MLX5})], indirect=True)
def test_the_exporter_publishes_what_alerts_read(published: str):
    """Under the names of the catalogue; the kernel counts words of four bytes."""
    names = {line.partition("{")[0] for line in published.splitlines() if line.startswith("node_infiniband_")}

    assert {each for each in METRICS if each.startswith("node_infiniband_")} <= names
    assert 'node_infiniband_state_id{device="mlx5_0",port="1"} 4' in published
    assert 'node_infiniband_port_data_transmitted_bytes_total{device="mlx5_1",port="1"} 100' in published


@pytest.mark.parametrize("published", [(P5, {"rdmap79s0": EFA, "rdmap80s0": EFA})], indirect=True)
def test_counters_of_efa_come_beside_its_links(published: str):
    """EFA has none of the class's own counters: the exporter shows its links all the same, the reader its bytes."""
    assert 'node_infiniband_state_id{device="rdmap80s0",port="1"} 4' in published
    assert 'rdma_driver_counter_total{counter="tx_bytes",device="rdmap79s0",port="1"} 7' in published
    assert "node_textfile_scrape_error 0" in published


@pytest.mark.parametrize("transport", [Transport.GIB, Transport.EFA, Transport.INFINIBAND, Transport.ROCE])
def test_exporter_and_watcher_see_the_same_node(programs: Path, tmp_path: Path, transport: Transport):
    """The devices, the links and the counters that make conditions, of one made-up /sys."""
    node = Node(tmp_path / "node", transport)
    if transport is Transport.EFA:
        node.count(1, "rx_drops", 7)
    else:
        node.state(1, "1: DOWN")
        node.count(1, "link_downed", 7)
    with exported(programs, node.machine.name, node.folder / "sys", tmp_path) as text:
        states = dict(re.findall(r'node_infiniband_state_id\{device="([^"]+)",port="1"\} (\d)', text))
        seen = read_node(node.now, node.host())

    broken = node.rdma(1).name
    assert {name: state == "4" for name, state in states.items()} == {p.name: p.active for p in seen.ports.values()}
    if transport is Transport.EFA:
        assert f'rdma_driver_counter_total{{counter="rx_drops",device="{broken}",port="1"}} 7' in text
        assert {p.counters["rx_drops"] for p in seen.ports.values()} == {0, 7}
    else:
        assert states[broken] == "1"
        assert f'node_infiniband_link_downed_total{{device="{broken}",port="1"}} 7' in text
        assert {p.counters["link_downed"] for p in seen.ports.values()} == {0, 7}


def test_exporters_see_gpus_that_are_in_use(cluster: Cluster, definitions: Cluster):
    """Every object is taken, and an exporter runs on each node: on one whose GPUs a pod has, and before another's pod.

    A claim of an administrator's takes nothing away.
    """
    graph = graph_of("gke", *WATCHED)
    with chdir(ROOT):
        pool = pools("gke", graph)[0]
    cluster.create_all(device_classes([pool.target]))
    for name in pool.nodes[:2]:
        add_pool_node(cluster, pool, name)
    whole = next(each for each in pool.workload["claimTemplates"] if each.endswith("whole"))
    template = next(each for each in of_kubernetes(graph) if each.inputs["metadata"]["name"] == whole)
    cluster.apply(in_own_namespace(manifest(template)))
    first, second = (pasted(f"p{i}", pool.workload, whole, {}) for i in range(2))
    assert cluster.schedule(first).node in pool.nodes
    component = next(each.urn for each in graph.of_type("rdma-cluster:index:Monitoring"))
    taken = [each for each in of_kubernetes(graph) if each.parent == component and not not_applied(each, graph)]
    define_recorded({"PodMonitor", "PrometheusRule"}, definitions)
    applied = [cluster.apply(manifest(each)) for each in taken]

    assert {each.result["kind"] for each in applied} >= {"PodMonitor", "PrometheusRule", "DaemonSet", "ConfigMap"}
    assert [each.warnings for each in applied if each.warnings] == []
    for each in applied:
        if each.result["kind"] == "DaemonSet":
            assert bound(cluster, each.result, 2) == set(pool.nodes[:2]), each.result["metadata"]["name"]
    assert cluster.schedule(second).node in pool.nodes
