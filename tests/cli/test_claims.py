"""`rdma-cluster claims`: one shape or all shapes of a machine, as words, data or manifests; and what is refused."""

import json

import pytest
import yaml
from rdma_cluster.catalog import machines
from tests.cli.commands import command

A4 = "a4-highgpu-8g"


def shapes(*words: str) -> list[str]:
    """The first column of the table."""
    code, out, err = command("claims", *words)
    assert (code, err) == (0, "")
    assert "--yaml" in out.splitlines()[-1]
    return [line.split("   ")[0] for line in out.splitlines()[2:-2]]


def names(*words: str) -> list[str]:
    """The objects that are printed as YAML, with their namespaces where they have one."""
    code, out, err = command("claims", *words, "--yaml")
    assert (code, err) == (0, "") and out.endswith("\n") and not out.endswith("\n\n")
    found = [each["metadata"] for each in yaml.safe_load_all(out)]
    return [each["name"] + (f" in {each['namespace']}" if "namespace" in each else "") for each in found]


def test_all_shapes_of_a_machine_are_those_of_a_stacks_plan():
    """Where a device plugin hands out the GPUs, or where there are none, NICs alone are claimed."""
    whole = ["1 aligned GPU+NIC pair", *(f"{k} aligned GPU+NIC pairs" for k in (2, 4, 8)), "the whole node", "all NICs"]

    assert shapes(A4) == whole
    assert shapes(A4, "--gpu-allocation", "device-plugin") == shapes("hpc7a.96xlarge") == ["all NICs"]
    rows = json.loads(command("claims", A4, "--json")[1])
    assert [(row["shape"], row["pods_a_node"]) for row in rows] == list(zip(whole, (8, 4, 2, 1, 1, 1), strict=True))
    assert rows == json.loads(command("plan", "gke", "--json")[1])["claims"][A4]


def test_manifests_are_the_class_and_then_the_templates_of_every_window():
    """The templates are in the namespace that is asked for."""
    rails = [f"{A4}-pairs-4-rails-{rails} in a" for rails in ("0-3", "4-7")]
    assert names(A4, "--pairs", "4", "--namespace", "a") == ["dranet", *rails]
    every = names(A4)
    assert every[0] == "dranet" and {f"{A4}-pairs-8 in default", f"{A4}-whole in default"} < {*every}
    assert names(A4, "--gpu-allocation", "device-plugin") == ["dranet", f"{A4}-nics in default"]
    assert command("claims", A4, "--nics", "--yaml")[1].startswith("apiVersion: ")


@pytest.mark.parametrize(
    ("words", "intent"),
    [
        (("--groups", "2x2"), "1 group of 2 GPUs + 2 NICs on one PCIe root"),
        (("--gpus", "2"), "2 GPUs and no NIC"),
        (("--numa",), "the GPUs and NICs of one NUMA node"),
        (("--whole",), "the whole node"),
    ],
)
def test_each_shape_is_proved(words: tuple[str, ...], intent: str):
    code, out, err = command("claims", A4, *words)
    data = json.loads(command("claims", A4, *words, "--json")[1])

    assert (code, err, data["satisfiable"], data["intent"]) == (0, "", True, intent)
    assert out.startswith(f"{A4}: {intent}: {data['podsPerNode']} ") and data["templates"]


def test_a_shape_that_no_node_holds_is_the_answer_no_with_the_reason():
    code, out, err = command("claims", A4, "--pairs", "9")
    data = json.loads(command("claims", A4, "--pairs", "9", "--json")[1])

    assert (code, err, data["satisfiable"]) == (1, "", False)
    assert out.startswith(f"{A4}: 9 aligned GPU+NIC pairs: not satisfiable\n  because a node holds 8 of ")
    assert "a node holds 8 of " in data["reason"]


@pytest.mark.parametrize("machine", [each.name for each in machines()])
@pytest.mark.parametrize("allocation", ["dra", "device-plugin"])
def test_every_machine_has_shapes_or_a_reason_why_it_has_none(machine: str, allocation: str):
    code, out, err = command("claims", machine, "--gpu-allocation", allocation)

    assert err == "" and (code == 0) == (out.startswith("shape "))
    assert code == 0 or (code == 1 and all(line.startswith(f"{machine}: ") for line in out.splitlines()))


def test_another_driver_of_the_nics_offers_other_shapes():
    """A driver that the machine cannot have is refused."""
    assert shapes(A4, "--driver", "gke-managed") == ["8 aligned GPU+NIC pairs", "the whole node", "all NICs"]
    assert names(A4, "--whole", "--driver", "dranet")[0] == "dranet"
    assert names(A4, "--whole", "--driver", "gke-managed") == [f"{A4}-whole in default"]
    code, _, err = command("claims", A4, "--whole", "--driver", "aws-dranet")
    assert code == 2 and err.startswith("--driver: ")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((A4, "--pairs", "0"), ["pairs: got 0"]),
        ((A4, "--groups", "x"), ["groups: got 'x'", "1x4"]),
        ((A4, "--kubernetes", "x"), ["kubernetes: got 'x'", "1.35"]),
        ((A4, "--gpu-allocation", "x"), ["--gpu-allocation: got 'x'", "dra, device-plugin"]),
        ((A4, "--pairs", "1", "--gpus", "1"), ["--pairs", "--gpus"]),
        ((A4, "--whole", "--nics"), ["--whole", "--nics"]),
        ((A4, "--namespace", "A"), ["--namespace: got 'A'"]),
    ],
)
def test_a_wrong_option_is_refused_with_what_is_allowed(words: tuple[str, ...], named: list[str]):
    code, out, err = command("claims", *words)

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert all(each in err for each in named)


def test_every_wrong_option_is_told_at_once():
    """A driver that exists is not judged where the machine is not known."""
    code, out, err = command("claims", "oops", "--driver", "x", "--numa", "--whole", "--namespace", "A")
    machine, intents, *rest = err.splitlines()

    assert (code, out) == (2, "") and "'oops'" in machine and "--numa" in intents
    assert [line.partition(":")[0] for line in rest] == ["--driver", "--namespace"]
    assert command("claims", "oops", "--driver", "dranet")[2].count("\n") == 1
