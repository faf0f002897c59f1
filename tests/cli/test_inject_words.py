"""``rdma-cluster inject`` word by word: what goes together, which pods change, and what is said of each."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.commands import command

A4 = ("--machine", "a4-highgpu-8g")
MARK = 'rdma-cluster/inject: "true"'
NEMO = [f'{of}.nvidia.com/enable-multi-node-networking: "true"' for of in ("nmp", "nhx")]
ALONE = "--fabric, --gpu-allocation and --nemo go with a machine alone; the stack says them itself"
SOURCE = "its program has to source /usr/local/gib/scripts/set_nccl_env.sh before NCCL starts"
Write = Callable[..., str]


def pod(name: str = "", gpus: int = 8, mark: str = MARK, container: str = "main") -> dict[str, Any]:
    """A pod that asks for GPUs, with or without a name of its own, and with or without an annotation."""
    metadata = {**({"name": name} if name else {}), "annotations": yaml.safe_load(f"{{{mark}}}")}
    limits = {"limits": {"nvidia.com/gpu": gpus}} if gpus else {}
    spec = {"containers": [{"name": container, "image": "x", "resources": limits}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Puts documents into a file."""

    def written(*documents: Any) -> str:
        (tmp_path / "pods.yaml").write_text(yaml.safe_dump_all(documents))
        return str(tmp_path / "pods.yaml")

    return written


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (A4, ["name either a FILE with pods, or --policy native or kyverno"]),
        (("FILE", *A4, "--policy", "native"), ["name either a FILE with pods, or --policy native or kyverno"]),
        (("FILE",), ["name the pods' --machine, or a --stack"]),
        (("FILE", "--stack", "gke", "--fabric", "gib"), [ALONE]),
        (("FILE", "--stack", "gke", "--gpu-allocation", "dra"), [ALONE]),
        (("FILE", "--stack", "gke", "--nemo"), [ALONE]),
        (("FILE", "--stack", "gke", "--machine", "a5"), ["--machine: no pool of gke has 'a5'"]),
        (("FILE", *A4, "--gpu-allocation", "x"), ["--gpu-allocation: got 'x'; choose one of dra, device-plugin"]),
        (("FILE", *A4, "--namespace", "A"), [
            "--namespace: got 'A'; a namespace is 1 to 63 lower-case letters, digits and hyphens"]),
        (("FILE", "--machine", "BM.GPU.H100.8", "--fabric", "gib"), [
            "--fabric: got 'gib'; choose one of roce, roce-host, roce-rdma-vf, roce-sriov-rdma-vf, roce-mlnxnics"]),
        (("FILE", "--stack", "gce"), ["--stack: stack gce has no Kubernetes, which runs pods; name another"]),
        (("--stack", "gke", "--policy", "x"), ["--policy: got 'x'; choose one of native, kyverno"]),
    ],
)  # fmt: skip
def test_what_does_not_go_together(write: Write, words: tuple[str, ...], lines: list[str]):
    """One line each, before anything is injected."""
    file = write(pod())
    code, out, err = command("inject", *(file if word == "FILE" else word for word in words))

    assert (code, out, err.splitlines()) == (2, "", lines)


def test_a_fabric_of_a_machine_that_nobody_knows(write: Write):
    """The machine is wrong; the fabric is where there is none of its name."""
    file = write(pod())
    _, _, err = command("inject", file, "--machine", "a5", "--fabric", "gib")
    assert err.startswith("unknown machine 'a5'") and err.count("\n") == 1
    _, _, err = command("inject", file, "--machine", "a5", "--fabric", "gibb")
    assert err.splitlines()[1].startswith("--fabric: got 'gibb'; choose one of gib")


def test_pods_of_a_manifest(write: Write):
    """Each is told of by its name, else its first container's; those that do not ask stay as they are."""
    documents = [pod("one"), pod("", container="two"), pod("three", mark=""), {"kind": "Service", "spec": {}}]
    code, out, err = command("inject", write(*documents), *A4, "--json")
    told = json.loads(out)

    assert (code, err) == (0, "")
    assert [(each["name"], each["changed"]) for each in told["pods"]] == [
        ("one", True), ("two", True), ("three", False),
    ]  # fmt: skip
    assert told["pods"][2] == {"name": "three", "changed": False, "refusals": [], "source": "", "image_needs": ""}
    assert told["documents"][2:] == documents[2:]
    assert all("resourceClaims" in each["spec"] for each in told["documents"][:2])
    _, _, err = command("inject", write(*documents), *A4)
    assert err == f"one: {SOURCE}\ntwo: {SOURCE}\n"


def test_a_pod_that_is_refused_beside_one_that_is_not(write: Write):
    """Exit code 1; the other is shown as it would be."""
    file = write(pod("one", 5), pod("two"))
    code, out, err = command("inject", file, *A4)

    assert code == 1 and "+  resourceClaims:" in out.splitlines()
    assert err.startswith("one: refused: container main asks for 5 GPUs, but a4-highgpu-8g serves 1, 2, 4 or 8 GPUs")
    code, out, _ = command("inject", file, *A4, "--json")
    assert code == 1 and [bool(each["refusals"]) for each in json.loads(out)["pods"]] == [True, False]
    code, out, err = command("inject", write(pod("one", 5)), *A4)
    assert (code, out) == (1, "") and "nothing changes" not in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), f" and has the annotation {MARK}"),
        (("--nemo",), f" and has the annotation {MARK} or {NEMO[0]} or {NEMO[1]}"),
        (("--every-pod",), ""),
    ],
)
def test_nothing_changes(write: Write, words: tuple[str, ...], said: str):
    """It is told how a pod asks; the whole of it is printed as it is."""
    file = write(pod("one", 0, ""))
    assert command("inject", file, *A4, *words) == (0, "", f"nothing changes: no pod asks for GPUs{said}\n")
    _, out, _ = command("inject", file, *A4, *words, "--yaml")
    assert yaml.safe_load(out) == pod("one", 0, "")


def test_a_difference(write: Write):
    """Two lines around each change, under the name of the file."""
    file = write(pod("one"))
    _, out, _ = command("inject", file, *A4)
    lines = out.splitlines()

    assert lines[:2] == [f"--- {file}", f"+++ {file}, injected"]
    assert {line[:1] for line in lines[2:]} <= {"+", " ", "@", "-"}
    first = lines.index("+  resourceClaims:")
    before = [line for line in lines[2:first] if line.startswith(" ")]
    assert out.endswith("\n") and before


def test_a_pod_that_the_api_would_not_take(write: Write):
    """Is refused with its place among the pods."""
    wrong = pod("two")
    wrong["spec"]["containers"] = []
    code, out, err = command("inject", write(pod("one"), wrong), *A4)

    assert (code, out) == (2, "") and err.startswith("pods[1].")


def kinds(*words: str) -> list[str]:
    """Of the objects that are printed in place of a diff."""
    code, out, _ = command("inject", *words)
    assert code == 0 and out.endswith("\n") and not out.endswith("\n\n")
    return [f"{each['kind']} {each['metadata']['name']}" for each in yaml.safe_load_all(out)]


def test_what_policies_need():
    """The class of the NICs and the templates that a pod is given, in the namespace; none where a plugin hands out."""
    claimed = kinds(*A4, "--policy", "kyverno")
    assert claimed[0] == "DeviceClass dranet"
    templates = [each for each in claimed if each.startswith("ResourceClaimTemplate ")]
    assert templates and all(each.startswith("ResourceClaimTemplate a4-highgpu-8g-") for each in templates)
    assert "ResourceClaimTemplate a4-highgpu-8g-nics" not in templates
    plugin = kinds("--machine", "p5.48xlarge", "--fabric", "efa-device-plugin", "--policy", "native")
    assert not [each for each in plugin if each.startswith(("DeviceClass", "ResourceClaimTemplate"))]
    shared = kinds(*A4, "--gpu-allocation", "device-plugin", "--policy", "native")
    assert [each for each in shared if each.startswith("ResourceClaimTemplate ")] == [
        "ResourceClaimTemplate a4-highgpu-8g-nics"
    ]
    _, out, _ = command("inject", *A4, "--policy", "native", "--namespace", "lab")
    assert {each["metadata"].get("namespace") for each in yaml.safe_load_all(out)} == {None, "lab"}
    of_stack = kinds("--stack", "gke", "--policy", "kyverno")
    assert of_stack and not [each for each in of_stack if each.startswith(("DeviceClass", "ResourceClaimTemplate"))]


def test_one_machine_of_a_stack(write: Write):
    """Its pools alone: pods of another machine would be given nothing."""
    second = "--stack", "gke", "--machine", "a4-highgpu-8g"
    code, out, _ = command("inject", write(pod("one")), *second, "--json")

    assert code == 0 and json.loads(out)["pods"][0]["changed"]
