"""`rdma-cluster inject`: pods as they would be, and policies to take away."""

import json
from pathlib import Path

import pytest
import yaml
from tests.cli.commands import command

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    metadata: {annotations: {rdma-cluster/inject: "true"}}
    spec:
      restartPolicy: Never
      containers:
      - {name: main, image: x, resources: {limits: {nvidia.com/gpu: 8}}}
"""


@pytest.fixture
def job(tmp_path: Path) -> str:
    """A Job that only asks for GPUs."""
    path = tmp_path / "job.yaml"
    path.write_text(JOB)
    return str(path)


def test_diff(job: str):
    """What is added stands behind a plus, and nothing is taken away."""
    code, out, err = command("inject", job, "--machine", "p5.48xlarge", "--fabric", "efa-device-plugin")

    assert (code, err) == (0, "main: its image has to bring aws-ofi-nccl 1.15 or later\n")
    assert "+            vpc.amazonaws.com/efa: '32'" in out.splitlines()
    assert not [line for line in out.splitlines() if line.startswith("-") and not line.startswith("---")]


def test_whole_document(job: str):
    """The document as it would be, ready for kubectl."""
    _, out, _ = command("inject", job, "--machine", "BM.GPU.H100.8", "--fabric", "roce-host", "--yaml")
    spec = yaml.safe_load(out)["spec"]["template"]["spec"]

    assert (spec["hostNetwork"], spec["dnsPolicy"]) == (True, "ClusterFirstWithHostNet")
    assert spec["nodeSelector"] == {"node.kubernetes.io/instance-type": "BM.GPU.H100.8"}


def test_every_pod(tmp_path: Path):
    """As in a namespace whose pods need no annotation; without the option nobody asks."""
    file = tmp_path / "job.yaml"
    file.write_text(JOB.replace('    metadata: {annotations: {rdma-cluster/inject: "true"}}\n', ""))
    for where in (("--machine", "a4-highgpu-8g"), ("--stack", "gke")):
        code, out, _ = command("inject", str(file), *where, "--every-pod", "--yaml")
        assert (code, "resourceClaimTemplateName: a4-highgpu-8g-whole" in out) == (0, True)
        _, _, said = command("inject", str(file), *where)
        assert "nothing changes" in said


def test_of_a_stack_with_the_beta(job: str, tmp_path: Path):
    """What its own injection says of the engine is no error: pods are the same by either."""
    command("init", "gke", "--folder", str(tmp_path))
    file = tmp_path / "Pulumi.gke.yaml"
    file.write_text(f"{file.read_text()}\n  rdma-cluster:injection: {{enabled: true, beta: true}}\n")
    code, out, err = command("inject", job, "--stack", "gke", "--yaml", folder=tmp_path)

    assert (code, err.count("beta")) == (0, 0)
    assert "resourceClaimTemplateName: a4-highgpu-8g-whole" in out


def test_of_a_stack(job: str):
    """With the pools and claims of a stack; what is left to the program is said."""
    code, out, _err = command("inject", job, "--stack", "gke", "--json")
    said = json.loads(out)

    assert code == 0 and said["pods"][0]["changed"]
    spec = said["documents"][0]["spec"]["template"]["spec"]
    assert spec["resourceClaims"][0]["resourceClaimTemplateName"] == "a4-highgpu-8g-whole"
    assert said["pods"][0]["source"] == "/usr/local/gib/scripts/set_nccl_env.sh"
    assert command("inject", job, "--stack", "gke")[2] == (
        "main: its program has to source /usr/local/gib/scripts/set_nccl_env.sh before NCCL starts\n"
    )


def test_refused_pod(job: str):
    """The answer is no, with the reason."""
    Path(job).write_text(JOB.replace("gpu: 8", "gpu: 5"))
    code, out, err = command("inject", job, "--machine", "a4-highgpu-8g")

    assert (code, out) == (1, "")
    assert err.startswith("main: refused: container main asks for 5 GPUs, but a4-highgpu-8g serves 1, 2, 4 or 8 GPUs")


def test_pod_that_did_not_ask(job: str):
    """Nothing changes, and how to ask is said."""
    Path(job).write_text(JOB.replace("rdma-cluster/inject", "other"))
    code, out, err = command("inject", job, "--machine", "a4-highgpu-8g")

    assert (code, out) == (0, "")
    assert err == 'nothing changes: no pod asks for GPUs and has the annotation rdma-cluster/inject: "true"\n'


@pytest.mark.parametrize(("engine", "kind"), [("native", "MutatingAdmissionPolicy"), ("kyverno", "MutatingPolicy")])
def test_policies(engine: str, kind: str):
    """All that somebody else's cluster needs: what pods name comes before the policies."""
    code, out, err = command("inject", "--machine", "BM.GPU.H100.8", "--policy", engine)
    found = [each["kind"] for each in yaml.safe_load_all(out)]

    assert code == 0
    assert ("Kyverno 1.17" in err) == (engine == "kyverno")
    assert found[0] == "DeviceClass" and {"ResourceClaimTemplate", "ConfigMap"} < set(found)
    assert found.index("ConfigMap") < found.index(kind) < found.index("ValidatingAdmissionPolicy")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name either a FILE with pods, or --policy native or kyverno"),
        (("{job}",), "name the pods' --machine, or a --stack"),
        (("{job}", "--machine", "p5.49xlarge"), "unknown machine 'p5.49xlarge'; nearest are p5"),
        (("{job}", "--machine", "p5.48xlarge", "--fabric", "efo"), "--fabric: got 'efo'; choose one of efa"),
        (
            ("{job}", "--stack", "gke", "--fabric", "gib"),
            "--fabric, --gpu-allocation and --nemo go with a machine alone",
        ),
        (("{job}", "--stack", "gke", "--machine", "p5.48xlarge"), "--machine: no pool of gke has 'p5.48xlarge'"),
        (("--machine", "p5.48xlarge", "--policy", "opa"), "--policy: got 'opa'; choose one of native, kyverno"),
        (("/nowhere.yaml", "--machine", "p5.48xlarge"), "/nowhere.yaml: No such file or directory"),
    ],
)
def test_wrong_input(job: str, words: tuple[str, ...], said: str):
    """Every error has its words, and no traceback."""
    code, out, err = command("inject", *(word.format(job=job) for word in words))

    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


BOMB = (
    "a: &a ["
    + "x, " * 99
    + "x]\n"
    + "".join(
        f"{name}: &{name} [" + f"*{before}, " * 9 + f"*{before}]\n"
        for before, name in zip("abcdefg", "bcdefgh", strict=True)
    )
)
MERGES = "a: &a {" + ", ".join(f"k{i}: 1" for i in range(2000)) + "}\nb: [" + "{<<: *a}, " * 1999 + "{<<: *a}]\n"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("a: [", "1:5: is no YAML: while parsing a flow node"),
        (BOMB, "more than 100,000 values with its aliases written out"),
        (MERGES, "more than 100,000 values with its aliases written out"),
        ("--- a\n" * 90_000, "1001:1: more than 1,000 documents; split the manifest"),
        ("[" * 5000, "1:41: nested deeper than 40 levels"),
        ("a: &a\n  <<: *a\n", "2:7: *a holds itself; a manifest has an end"),
        ("a: 2026-13-45\n", "1:4: a: got the date 2026-13-45; put it in quotes"),
        ("a: !!binary aGk=\n", "1:4: the tag tag:yaml.org,2002:binary is not known here; write a plain value"),
        ("a: !!set {a}\n", "1:4: the tag tag:yaml.org,2002:set is not known here; write plain keys or a plain list"),
        ("a: .nan\n", "1:4: a: got .nan, which JSON has no number for"),
        ("a: !!int ''\n", "1:4: a: got '', which is no number"),
        ("a: yes\n", "1:4: a: got yes, which some readers take for a text; write true or false, or put it in quotes"),
        ("a: 1\na: 2\n", "2:1: 'a' stands here twice; remove one of the two"),
    ],
)
def test_hostile_manifest(job: str, text: str, answer: str):
    """One line that says where and why; no traceback, no hang."""
    Path(job).write_text(text)
    code, out, err = command("inject", job, "--machine", "p5.48xlarge")

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert answer in err


def test_sexagesimal_stays_a_text(job: str):
    """A minute and a half is no number of seconds."""
    Path(job).write_text(JOB.replace("restartPolicy: Never", "restartPolicy: 1:30"))
    code, out, _ = command("inject", job, "--machine", "a4-highgpu-8g", "--yaml")

    assert (code, yaml.safe_load(out)["spec"]["template"]["spec"]["restartPolicy"]) == (0, "1:30")


def test_pod_without_metadata(job: str):
    """It cannot have asked, and stays as it was written."""
    Path(job).write_text("spec: {containers: [{name: a, resources: null}]}\nmetadata: null\n")
    code, out, err = command("inject", job, "--machine", "a4-highgpu-8g")

    assert (code, out) == (0, "")
    assert err.startswith("nothing changes")


def test_nemo(tmp_path: Path):
    """NeMo Platform's annotation asks for the fabric where it is said to."""
    path = tmp_path / "job.yaml"
    path.write_text(JOB.replace("rdma-cluster/inject", "nmp.nvidia.com/enable-multi-node-networking"))
    words = ("inject", str(path), "--machine", "p5.48xlarge")

    assert "resourceClaims" in command(*words, "--nemo")[1]
    assert "nothing changes" in command(*words)[2]
