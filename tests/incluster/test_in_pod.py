"""The scripts of pods, as their ConfigMaps bring them: each finds the client of the API server beside it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rdma_agent.acceptance import mark_nodes, mark_proofs, mpi_watcher
from rdma_agent.faults import watcher as fault_watcher
from rdma_agent.payload import payload
from rdma_agent.prover import main as prover
from rdma_agent.run import PROGRAMS
from tests.acceptance.plans import args, containers, efa, only
from tests.faults.test_plan import plan_of
from tests.stacks import graph_of

PROGRAMS_OF = {
    "gke": ("judge", "compare", "mark-suspects", "mark-proofs", "watch-mpi-job"),
    "oke-405b": ("check-serving", "judge-serving", "await-webhook"),
    "oke-b200": ("await-definitions",),
}
"""A stack whose pods have the files of each program."""
OF_READINESS = ("prove", "watch-faults")
"""Programs of a stack whose nodes are held until they are proven."""
CASES: list[tuple[str, tuple[str, ...]]] = []
for _stack, _programs in PROGRAMS_OF.items():
    CASES += [(each, (_stack,)) for each in _programs]
CASES += [(each, ("gke", "readiness.enabled=true")) for each in OF_READINESS]


def test_every_program_is_tried():
    """Each that pods can name."""
    assert {program for program, _ in CASES} == PROGRAMS.keys()


@pytest.mark.parametrize(("program", "graph"), CASES)
def test_a_program_starts_from_its_config_map_alone(program: str, graph: tuple[str, ...], tmp_path: Path):
    """With the files of one ConfigMap in one folder, and nothing installed."""
    module = PROGRAMS[program]
    config_maps = graph_of(*graph).of_type("kubernetes:core/v1:ConfigMap")
    having = [each.inputs["data"] for each in config_maps if _file_of(module) in each.inputs.get("data", {})]
    files = next(each for each in having if "run.py" in each)
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    code = f"import sys, run; sys.meta_path.insert(0, run.FlatFolder(run.Path({str(tmp_path)!r}))); import {module}"
    started = subprocess.run([sys.executable, "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, env={})

    assert (started.returncode, started.stderr) == (0, "")


def test_a_program_that_nobody_knows_is_refused(tmp_path: Path):
    """With the names of those that there are."""
    (tmp_path / "run.py").write_text(payload("rdma_agent")["run.py"])
    done = subprocess.run([sys.executable, "run.py", "nothing"], cwd=tmp_path, capture_output=True, text=True)

    assert done.returncode == 1 and "programs are judge, " in done.stderr


def _file_of(module: str) -> str:
    """The key of a module, or of a package's own program."""
    return f"{module}.__main__.py" if module == "nccl_verdict" else f"{module}.py"


ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where a kubelet mounts the account's token where nobody says otherwise."""


def started(script: Any, pod: dict[str, Any], name: str) -> tuple[Any, dict[str, Any]]:
    """What a script makes of its container's own words, which leave most to its defaults; and the container."""
    container = next(each for each in pod["containers"] if each["name"] == name)
    words = [*container["command"], *container.get("args", ())]
    given = script._parser().parse_args(words[next(i for i, word in enumerate(words) if word.endswith("run.py")) + 2 :])
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
