"""`rdma-cluster inject`: pods as the policies would make them, and the policies themselves."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.commands import command

A4 = ("--machine", "a4-highgpu-8g")
MARK = "rdma-cluster/inject"
NEMO = "nmp.nvidia.com/enable-multi-node-networking"
Write = Callable[..., str]


def pod(name: str = "", gpus: int = 8, mark: str = MARK, container: str = "main") -> dict[str, Any]:
    """A pod that asks for GPUs; it has a name and an annotation where they are given."""
    metadata = {**({"name": name} if name else {}), "annotations": {mark: "true"} if mark else {}}
    limits = {"limits": {"nvidia.com/gpu": gpus}} if gpus else {}
    spec = {"containers": [{"name": container, "image": "x", "resources": limits}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes documents, or a text, into a file."""

    def written(*documents: Any) -> str:
        text = documents[0] if isinstance(documents[0], str) else yaml.safe_dump_all(documents)
        (tmp_path / "pods.yaml").write_text(text)
        return str(tmp_path / "pods.yaml")

    return written


def test_the_diff_only_adds_lines(write: Write):
    file = write(pod("one"))
    code, out, err = command("inject", file, "--machine", "p5.48xlarge", "--fabric", "efa-device-plugin")
    lines = out.splitlines()

    assert (code, lines[:2]) == (0, [f"--- {file}", f"+++ {file}, injected"])
    assert err.startswith("one: ") and "aws-ofi-nccl" in err
    assert any(line.startswith("+") and "vpc.amazonaws.com/efa: '32'" in line for line in lines)
    assert {line[0] for line in lines[2:]} == {"+", " ", "@"}


def test_only_pods_that_ask_are_changed(write: Write):
    """Each pod is named by its own name, or else by that of its first container."""
    documents = [pod("one"), pod("", container="two"), pod("three", mark=""), {"kind": "Service", "spec": {}}]
    file = write(*documents)
    told = json.loads(command("inject", file, *A4, "--json")[1])

    names = [(each["name"], each["changed"]) for each in told["pods"]]
    assert names == [("one", True), ("two", True), ("three", False)]
    assert told["documents"][2:] == documents[2:]
    assert all("resourceClaims" in each["spec"] for each in told["documents"][:2])
    said = command("inject", file, *A4)[2].splitlines()
    assert [line.partition(": ")[0] for line in said] == ["one", "two"]
    assert all("set_nccl_env.sh" in line for line in said)


def test_a_refused_pod_is_the_answer_no_and_spoils_no_other(write: Write):
    file = write(pod("one", 5), pod("two"))
    code, out, err = command("inject", file, *A4)

    assert code == 1 and "+  resourceClaims:" in out.splitlines()
    assert err.startswith("one: refused: ") and "5 GPUs" in err and "1, 2, 4 or 8" in err
    code, out, _ = command("inject", file, *A4, "--json")
    assert code == 1 and [bool(each["refusals"]) for each in json.loads(out)["pods"]] == [True, False]
    code, out, err = command("inject", write(pod("one", 5)), *A4)
    assert (code, out, err.count("\n")) == (1, "", 1)


@pytest.mark.parametrize(
    ("words", "asks"), [((), [MARK]), (("--nemo",), [MARK, NEMO]), (("--every-pod",), [])], ids=lambda each: str(each)
)
def test_where_nothing_changes_a_user_reads_how_a_pod_asks(write: Write, words: tuple[str, ...], asks: list[str]):
    file = write(pod("one", 0, ""))
    code, out, err = command("inject", file, *A4, *words)

    assert (code, out, err.count("\n")) == (0, "", 1)
    assert [each for each in (MARK, NEMO) if each in err] == asks
    assert yaml.safe_load(command("inject", file, *A4, *words, "--yaml")[1]) == pod("one", 0, "")


@pytest.mark.parametrize("where", [A4, ("--stack", "gke")], ids=["a machine", "a stack"])
def test_every_pod_with_gpus_is_injected_where_none_needs_to_ask(write: Write, where: tuple[str, ...]):
    file = write(pod("one", mark=""))

    assert "a4-highgpu-8g-whole" in command("inject", file, *where, "--every-pod", "--yaml")[1]
    assert command("inject", file, *where)[1] == ""


def test_a_stack_injects_its_own_claims_whatever_engine_it_has(write: Write, tmp_path: Path):
    """Pods are the same by either engine, so that nothing is said of the beta API."""
    command("init", "gke", "--folder", str(tmp_path))
    stack = tmp_path / "Pulumi.gke.yaml"
    stack.write_text(f"{stack.read_text()}\n  rdma-cluster:injection: {{enabled: true, beta: true}}\n")
    words = ("inject", write(pod("one")), "--stack", "gke", "--json")
    code, out, err = command(*words, folder=tmp_path)

    assert (code, err) == (0, "")
    (claim,) = json.loads(out)["documents"][0]["spec"]["resourceClaims"]
    assert claim["resourceClaimTemplateName"] == "a4-highgpu-8g-whole"
    assert json.loads(command(*words, *A4, folder=tmp_path)[1])["pods"][0]["changed"]


@pytest.mark.parametrize(("engine", "kind"), [("native", "MutatingAdmissionPolicy"), ("kyverno", "MutatingPolicy")])
def test_policies_come_after_what_their_pods_name(engine: str, kind: str):
    code, out, err = command("inject", "--machine", "BM.GPU.H100.8", "--policy", engine)
    found = [each["kind"] for each in yaml.safe_load_all(out)]

    assert code == 0 and ("Kyverno" in err) == (engine == "kyverno")
    assert found[0] == "DeviceClass" and found.index("ResourceClaimTemplate") < found.index("ConfigMap")
    assert found.index("ConfigMap") < found.index(kind) < found.index("ValidatingAdmissionPolicy")


@pytest.mark.parametrize(
    ("words", "classes", "templates"),
    [
        (A4, {"dranet"}, {"a4-highgpu-8g-whole"}),
        ((*A4, "--gpu-allocation", "device-plugin"), {"dranet"}, {"a4-highgpu-8g-nics"}),
        (("--machine", "p5.48xlarge", "--fabric", "efa-device-plugin"), set(), set()),
        (("--stack", "gke"), set(), set()),
    ],
    ids=["claims", "claims of NICs", "a device plugin", "a stack has its own"],
)
def test_policies_bring_the_claim_templates_that_their_pods_get(
    words: tuple[str, ...], classes: set[str], templates: set[str]
):
    out = command("inject", *words, "--policy", "native" if "--machine" in words else "kyverno")[1]
    names: dict[str, set[str]] = {"DeviceClass": set(), "ResourceClaimTemplate": set()}
    for each in yaml.safe_load_all(out):
        names.setdefault(each["kind"], set()).add(each["metadata"]["name"])

    assert names["DeviceClass"] == classes and templates <= names["ResourceClaimTemplate"]
    assert ("a4-highgpu-8g-nics" in names["ResourceClaimTemplate"]) == ("a4-highgpu-8g-nics" in templates)
    assert templates or not names["ResourceClaimTemplate"]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (A4, ["FILE"]),
        (("FILE",), ["--machine", "--stack"]),
        (("FILE", "--machine", "p5.49xlarge"), ["p5.49xlarge"]),
        (("FILE", "--stack", "gke", "--fabric", "gib"), ["--fabric"]),
        (("FILE", "--stack", "gke", "--nemo"), ["--nemo"]),
        (("FILE", "--stack", "gke", "--machine", "a5"), ["--machine: ", "'a5'"]),
        (("FILE", *A4, "--namespace", "A"), ["--namespace: "]),
        (("FILE", "--machine", "BM.GPU.H100.8", "--fabric", "gib"), ["--fabric: ", "roce, roce-host"]),
        (("FILE", "--stack", "gce"), ["--stack: ", "gce"]),
        (("/nowhere.yaml", *A4), ["/nowhere.yaml: "]),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together_are_refused(write: Write, words: tuple[str, ...], named: list[str]):
    file = write(pod())
    code, out, err = command("inject", *(file if word == "FILE" else word for word in words))

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert all(each in err for each in named)
