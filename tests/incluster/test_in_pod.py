"""The scripts of pods, as their ConfigMaps bring them: each finds the client of the API server beside it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import fault_watcher
import mark_nodes
import mark_proofs
import mpi_watcher
import prover
import pytest
from rdma_cluster.incluster import in_pod
from rdma_cluster.incluster.addons.readiness.prover import SCRIPTS
from rdma_cluster.incluster.addons.readiness.watcher import SCRIPTS as FAULT_SCRIPTS

from tests.acceptance.plans import args, containers, efa, only
from tests.faults.test_plan import plan_of
from tests.stacks import graph_of

SHIPPED_BY = {
    "mark_nodes.py": "gke",
    "mpi_watcher.py": "oke",
    "serving_check.py": "oke-405b",
    "await_webhook.py": "oke-405b",
    "await_definitions.py": "oke-b200",
}
"""A stack with each script."""
OF_READINESS = ("mark_proofs.py", *SCRIPTS, *FAULT_SCRIPTS)
"""What a stack ships whose nodes are held until they are proven."""


def test_every_script_is_shipped():
    """Each one here, and the client, which needs no ConfigMap of its own."""
    here = {path.name for path in Path(in_pod.__file__).parent.glob("*.py")}

    assert here == {*SHIPPED_BY, *OF_READINESS, in_pod.API_FILE, "__init__.py"}


@pytest.mark.parametrize("script", SHIPPED_BY)
def test_a_script_starts_from_its_config_map_alone(script: str, tmp_path: Path):
    """With the files that are mounted with it, and nothing installed."""
    config_maps = graph_of(SHIPPED_BY[script]).of_type("kubernetes:core/v1:ConfigMap")
    (files,) = [each.inputs["data"] for each in config_maps if script in each.inputs.get("data", {})]
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {Path(script).stem}"
    started = subprocess.run([sys.executable, "-E", "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True)

    assert (started.returncode, started.stderr) == (0, "")


@pytest.mark.parametrize("script", ["mark_nodes.py", "prover.py", "fault_watcher.py"])
def test_what_holds_nodes_starts_from_its_config_map_alone(script: str, tmp_path: Path):
    """The prover, the watcher of faults, and the marker of `up`'s tests, named as the one that it stands for."""
    config_maps = graph_of("gke", "readiness.enabled=true").of_type("kubernetes:core/v1:ConfigMap")
    (files,) = [each.inputs["data"] for each in config_maps if script in each.inputs.get("data", {})]
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {Path(script).stem}"
    started = subprocess.run([sys.executable, "-E", "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True)

    assert (started.returncode, started.stderr) == (0, "")


ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where a kubelet mounts the account's token where nobody says otherwise."""


def started(script: Any, pod: dict[str, Any], name: str) -> tuple[Any, dict[str, Any]]:
    """What a script makes of its container's own words, which leave most to its defaults; and the container."""
    container = next(each for each in pod["containers"] if each["name"] == name)
    words = [*container["command"], *container.get("args", ())]
    given = script._parser().parse_args(words[next(i for i, word in enumerate(words) if word.endswith(".py")) + 1 :])
    mounted = {each["mountPath"] for each in container["volumeMounts"]}
    if pod.get("automountServiceAccountToken", True):
        mounted.add(ACCOUNT)
    assert str(given.credentials) in mounted
    assert given.server == "https://kubernetes.default.svc"
    assert all(str(Path(path).parent) in mounted for path in (getattr(given, "config", None),) if path)
    assert getattr(given, "termination", "/dev/termination-log") == container.get(
        "terminationMessagePath", "/dev/termination-log"
    )
    return given, container


def test_the_watcher_of_faults_finds_what_its_container_has():
    """The host's own files, and the name of its node."""
    watcher = plan_of("cos").watcher
    given, container = started(fault_watcher, watcher.spec["template"]["spec"], "watcher")

    assert (str(given.sys), str(given.proc), given.kernel_log, given.rounds) == ("/sys", "/proc", None, None)
    assert given.config.name in watcher.files
    assert [each["name"] for each in container["env"]] == ["NODE_NAME"]
    assert given.every * fault_watcher.MOST_EVENTS < 3600


def test_the_prover_finds_what_its_container_has():
    """And answers where it is asked for its health and its figures."""
    plan = plan_of("cos").prover
    assert plan is not None
    given, container = started(prover, plan.deployment["template"]["spec"], "prover")

    assert Path(given.config).name in plan.files
    ports = {container["livenessProbe"]["httpGet"]["port"], container["ports"][0]["containerPort"]}
    assert ports == {given.port}
    assert given.namespace == "rdma-readiness"


def test_the_watcher_of_an_mpi_job_finds_what_its_container_has():
    """The MPIJob by its name, for as long as it may take."""
    test = only(efa())
    assert test.mpi_job is not None
    given, _ = started(mpi_watcher, test.job["spec"]["template"]["spec"], "watcher")

    assert (given.job, given.namespace) == tuple(test.mpi_job["metadata"][key] for key in ("name", "namespace"))
    assert given.poll < 30 < given.seconds < test.job["spec"]["activeDeadlineSeconds"]


@pytest.mark.parametrize(("more", "marks"), [({"taint_suspects": True}, True), ({"fingerprints": {}}, False)])
def test_who_marks_nodes_finds_what_the_judge_has(more: dict[str, Any], marks: bool):
    """Its script is started without a word: all is by default."""
    test = only(args(**more))
    mounted = {each["mountPath"] for each in containers(test)["verdict"]["volumeMounts"]}
    given = mark_proofs._parser().parse_args([])

    assert str(mark_nodes._parser().parse_args([]).credentials) == str(given.credentials) == ACCOUNT
    assert (ACCOUNT in mounted) is marks
    assert str(Path(given.expect).parent) in mounted and Path(given.expect).name in test.config
    assert given.results in mounted and given.termination == "/dev/termination-log"
