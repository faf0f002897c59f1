"""``rdma-cluster claims``: one shape or all, as words, data or manifests; and what is refused."""

import json

import pytest
import yaml
from rdma_cluster.catalog import machines
from tests.cli.commands import command

NEAREST = "unknown machine 'oops'; nearest are "
ONE = "name at most one of --pairs, --groups, --gpus, --numa, --whole and --nics"


def shapes(*words: str) -> list[str]:
    """The first column of the table."""
    code, out, err = command("claims", *words)
    assert (code, err) == (0, "")
    last = "--yaml prints the templates; a shape (--pairs 2, --whole, ...) the proof that a node satisfies it"
    assert out.splitlines()[-2:] == ["", last]
    return [line.split("   ")[0] for line in out.splitlines()[2:-2]]


def test_every_shape_of_a_machine():
    """With claims for GPUs, or for NICs alone where a device plugin hands the GPUs out."""
    whole = ["1 aligned GPU+NIC pair", *(f"{k} aligned GPU+NIC pairs" for k in (2, 4, 8)), "the whole node", "all NICs"]

    assert shapes("a4-highgpu-8g") == whole
    assert shapes("a4-highgpu-8g", "--gpu-allocation", "device-plugin") == ["all NICs"]
    assert shapes("hpc7a.96xlarge") == ["all NICs"]
    rows = json.loads(command("claims", "a4-highgpu-8g", "--json")[1])
    assert [(row["shape"], row["pods_a_node"]) for row in rows] == list(zip(whole, (8, 4, 2, 1, 1, 1), strict=True))


def names(*words: str) -> list[str]:
    """Of the objects that are printed as YAML, with their namespaces where they have one."""
    code, out, err = command("claims", *words, "--yaml")
    assert (code, err) == (0, "")
    found = [each["metadata"] for each in yaml.safe_load_all(out)]
    return [each["name"] + (f" in {each['namespace']}" if "namespace" in each else "") for each in found]


def test_manifests_are_as_they_are_written():
    """Keys in the order of the API, and no blank line at the end."""
    _, out, _ = command("claims", "a4-highgpu-8g", "--nics", "--yaml")

    keys = [line.partition(":")[0] for line in out.splitlines() if line[:1].isalpha()]
    assert keys[:4] == ["apiVersion", "kind", "metadata", "spec"]
    assert out.endswith("\n") and not out.endswith("\n\n")


def test_manifests():
    """The class of the NICs first, then the templates of every window; in the namespace that is asked for."""
    rails = [f"a4-highgpu-8g-pairs-4-rails-{rails} in a" for rails in ("0-3", "4-7")]
    assert names("a4-highgpu-8g", "--pairs", "4", "--namespace", "a") == ["dranet", *rails]
    assert names("a4-highgpu-8g", "--pairs", "8") == ["dranet", "a4-highgpu-8g-pairs-8 in default"]
    every = names("a4-highgpu-8g")
    assert every[0] == "dranet" and {"a4-highgpu-8g-pairs-8 in default", "a4-highgpu-8g-whole in default"} < {*every}
    assert names("a4-highgpu-8g", "--gpu-allocation", "device-plugin") == ["dranet", "a4-highgpu-8g-nics in default"]
    assert names("p5.48xlarge", "--gpus", "8")[-1] == "p5.48xlarge-gpus-8 in default"


@pytest.mark.parametrize(
    ("words", "intent"),
    [
        (("--pairs", "2"), "2 aligned GPU+NIC pairs"),
        (("--groups", "2x2"), "1 group of 2 GPUs + 2 NICs on one PCIe root"),
        (("--gpus", "2"), "2 GPUs and no NIC"),
        (("--numa",), "the GPUs and NICs of one NUMA node"),
        (("--whole",), "the whole node"),
        (("--nics",), "all NICs"),
    ],
)
def test_a_shape_is_proved(words: tuple[str, ...], intent: str):
    """In words that begin with it, and as data with the same."""
    code, out, err = command("claims", "a4-highgpu-8g", *words)
    data = json.loads(command("claims", "a4-highgpu-8g", *words, "--json")[1])

    assert (code, err, data["satisfiable"], data["machine"]) == (0, "", True, "a4-highgpu-8g")
    head, _, pods = out.splitlines()[0].rpartition(": ")
    assert head == f"a4-highgpu-8g: {data['intent']}" and pods.split()[0] == str(data["podsPerNode"])
    assert data["intent"] == intent and data["templates"]


def test_a_shape_that_no_node_holds():
    """The reason in words or as data; exit code 1."""
    code, out, err = command("claims", "a4-highgpu-8g", "--pairs", "9")
    assert (code, err) == (1, "")
    assert out.splitlines()[:2] == [
        "a4-highgpu-8g: 9 aligned GPU+NIC pairs: not satisfiable",
        "  because a node holds 8 of 1 GPU + 1 NIC on one root, asked for 9 (4 roots of 2 GPUs + 2 NICs)",
    ]
    code, out, err = command("claims", "a4-highgpu-8g", "--pairs", "9", "--json")
    data = json.loads(out)
    assert (code, err, data["satisfiable"], set(data)) == (1, "", False, {"satisfiable", "reason"})
    assert data["reason"].startswith("a4-highgpu-8g: 9 aligned GPU+NIC pairs: a node holds 8 of ")


@pytest.mark.parametrize("machine", [each.name for each in machines()])
@pytest.mark.parametrize("allocation", ["dra", "device-plugin"])
def test_every_machine_has_an_answer(machine: str, allocation: str):
    """Its shapes, or why there is none with exit code 1: no machine ends in a traceback."""
    code, out, err = command("claims", machine, "--gpu-allocation", allocation)

    assert err == "" and (code == 0) == (out.startswith("shape "))
    assert code == 0 or (code == 1 and all(line.startswith(f"{machine}: ") for line in out.splitlines()))


def test_a_machine_without_any_shape():
    """Each shape that a stack would offer says why not; as data in one text."""
    code, out, _ = command("claims", "BM.GPU.MI300X.8")
    why = (
        "the driver gpu.nvidia.com does not serve AMD Instinct MI300X; hand out the GPUs by device-plugin and claim the"
    )
    assert (code, out) == (1, f"BM.GPU.MI300X.8: the whole node: {why} NICs of a whole node (nics)\n")
    code, out, _ = command("claims", "a3-highgpu-8g", "--json")
    data = json.loads(out)
    assert (code, data["satisfiable"]) == (1, False)
    assert (
        data["reason"].count("a3-highgpu-8g: ") == 2
        and "; a3-highgpu-8g: all NICs: its NICs are gVNICs" in data["reason"]
    )


def test_a_driver_of_the_nics():
    """The usual one of the machine, or another that it can have; what it cannot have is refused."""
    assert shapes("a4-highgpu-8g", "--driver", "gke-managed") == [
        "8 aligned GPU+NIC pairs",
        "the whole node",
        "all NICs",
    ]
    assert names("a4-highgpu-8g", "--whole", "--driver", "dranet")[0] == "dranet"
    assert names("a4-highgpu-8g", "--whole", "--driver", "gke-managed") == ["a4-highgpu-8g-whole in default"]
    code, _, err = command("claims", "a4-highgpu-8g", "--whole", "--driver", "aws-dranet")
    assert code == 2 and err.startswith("--driver: ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a4-highgpu-8g", "--pairs", "0"), ["pairs: got 0; at least 1"]),
        (("a4-highgpu-8g", "--groups", "x"), ["groups: got 'x'; GPUs x NICs on one root, such as 1x4"]),
        (("a4-highgpu-8g", "--kubernetes", "x"), ["kubernetes: got 'x'; a version such as 1.35"]),
        (("a4-highgpu-8g", "--gpu-allocation", "x"), ["--gpu-allocation: got 'x'; choose one of dra, device-plugin"]),
        (("a4-highgpu-8g", "--driver", "x"), [
            "--driver: got 'x'; choose one of dranet, gke-managed, aws-dranet, dranet-infiniband, aks-managed"]),
        (("a4-highgpu-8g", "--pairs", "1", "--gpus", "1"), [ONE]),
        (("a4-highgpu-8g", "--whole", "--nics"), [ONE]),
        (("a4-highgpu-8g", "--namespace", "A"), [
            "--namespace: got 'A'; a namespace is 1 to 63 lower-case letters, digits and hyphens"]),
    ],
)  # fmt: skip
def test_what_is_refused(words: tuple[str, ...], said: list[str]):
    """In one line, with what is allowed."""
    assert command("claims", *words) == (2, "", "".join(f"{line}\n" for line in said))


def test_every_error_is_told_at_once():
    """Of the machine, the shapes, the driver and the namespace; a driver of ours is not judged without a machine."""
    code, out, err = command("claims", "oops", "--driver", "x", "--numa", "--whole", "--namespace", "A")
    first, *rest = err.splitlines()
    assert (code, out) == (2, "") and first.startswith(NEAREST)
    assert [line.partition(":")[0] for line in rest] == [ONE, "--driver", "--namespace"]
    code, _, err = command("claims", "oops", "--driver", "dranet")
    assert code == 2 and err.startswith(NEAREST) and err.count("\n") == 1
