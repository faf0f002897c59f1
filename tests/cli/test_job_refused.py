"""``rdma-cluster job``: what does not go together, what Kubernetes would not take, and each limit's allowed side."""

import json

import pytest
import yaml
from tests.cli.commands import command

ANY = ("--for", "any", "--image", "my/a:1")
A4 = ("a4", "--stack", "gke")
ALONE = "a4-highgpu-8g"
BOTH = "--for: any is every cluster; leave out the machine and --stack, or ask with --check STACK"
QUEUES = ("--set", "queues={enabled: true}")
LAB = "--namespace: lab has none of what it needs; choose from default"


def refused(*words: str, nodes: str = "2") -> list[str]:
    """The lines of a refusal."""
    code, out, err = command("job", *words, "--nodes", nodes)
    assert (code, out) == (2, "")
    return err.splitlines()


def taken(*words: str, nodes: str = "2") -> bool:
    """Whether a job is printed."""
    return command("job", *words, "--nodes", nodes)[0] == 0


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ((), ["name a machine, a pool of a --stack, or --for any"]),
        ((ALONE, "--gpus-per-node", "4"), [
            "--gpus-per-node: goes with --for any; a machine or pool says it itself"]),
        ((ALONE, "--check", "gke"), ["--check: goes with --for any; a machine or pool says it itself"]),
        ((ALONE, *ANY), [BOTH]),
        ((*ANY, "--stack", "gke"), [BOTH]),
        (("--for", "any"), ["--image: missing; no image holds every fabric's libraries, so name your own"]),
        ((*ANY, "--gpus-per-node", "0"), ["--gpus-per-node: got 0; must be 1 to 8, the most of any machine"]),
        ((*ANY, "--gpus-per-node", "9"), ["--gpus-per-node: got 9; must be 1 to 8, the most of any machine"]),
        ((ALONE, "--set", "zone=a"), [
            "--set: lays values over a stack's configuration; name the --stack"]),
        ((*ANY, "--set", "zone=a"), ["--set: lays values over a stack's configuration; name the --stack"]),
        ((ALONE, "--image", "A b"), [
            "--image: got 'A b', no reference of an image; write REGISTRY/NAME:TAG or REGISTRY/NAME@sha256:DIGEST"]),
        ((ALONE, "--namespace", "A"), [
            "--namespace: got 'A'; a namespace is 1 to 63 lower-case letters, digits and hyphens"]),
        (("a4-highgpu-9g",), ["unknown machine 'a4-highgpu-9g'; nearest are a4-highgpu-8g, a4x-highgpu-4g, "
                              "a3-highgpu-8g, a3-megagpu-8g, or name a pool of a --stack"]),
        (("hpc7a.96xlarge",), ["no fabric is built for hpc7a.96xlarge"]),
        (("b4", "--stack", "gke"), ["no pool 'b4' in stack gke; its pools are a4"]),
        ((*A4, "--namespace", "lab"), [LAB]),
        ((*A4, *QUEUES, "--queue", "b4"), ["--queue: got 'b4'; the pool's queue is a4, leave the option out"]),
    ],
)  # fmt: skip
def test_what_does_not_go_together(words: tuple[str, ...], lines: list[str]):
    """In one line each, with what does."""
    assert refused(*words) == lines


def test_all_that_is_wrong_is_told_at_once():
    """Of the target and of what Kubernetes takes; of a pool, all that it cannot give."""
    words = (ALONE, "--for", "any", "--name", "A", "--queue", "B", "--namespace", "C", "--gpus-per-node", "99")
    named = ["--for", "--image", "--gpus-per-node", "--nodes", "--name", "--queue", "--namespace"]
    assert [line.partition(":")[0] for line in refused(*words, nodes="0")] == named
    whole = ("--set", "claims={pairs: [1], whole: false, nics: false}")
    lines = refused(*A4, *QUEUES, *whole, "--queue", "b4", "--namespace", "lab", nodes="3")
    assert lines[0] == "--nodes: got 3; the pool has 2, so that it would wait for ever"
    assert [line.partition(":")[0] for line in lines[:3]] == ["--nodes", "--queue", "--namespace"]


@pytest.mark.parametrize(
    ("option", "good", "bad"),
    [
        ("--name", ["a", "a1", "a-b", "a" * 40, "a2345-b"], ["", "A", "1a", "a-", "-a", "a_b", "a" * 41, "a.b"]),
        ("--queue", ["a", "a.b", "1a", "a" * 63], ["", "a" * 64, "A", "a.", ".a", "a_b"]),
        ("--gpus-per-node", ["1", "8"], ["0", "9"]),
        ("--nodes", ["1", "100000"], ["0", "100001", "-1"]),
        ("--namespace", ["a", "a-1"], ["A", "a.b"]),
    ],
)
def test_limits(option: str, good: list[str], bad: list[str]):
    """As Kubernetes has them: the last that is taken, and the first that is not."""

    def lines(value: str) -> str:
        nodes = () if option == "--nodes" else ("--nodes", "2")
        return command("job", *ANY, *nodes, f"{option}={value}")[2]

    assert [value for value in good if lines(value)] == []
    assert [value for value in bad if not lines(value).startswith(f"{option}: got ")] == []


def test_as_many_nodes_as_a_pool_has():
    """And no more, whatever another pool has; its own queue and namespace may be named."""
    flex = ("--set", "pools[1]={name: flex, machine: a4-highgpu-8g, nodes: 5, capacity: {flexStart: true}}")
    assert refused(*A4, *flex, nodes="3") == ["--nodes: got 3; the pool has 2, so that it would wait for ever"]
    assert taken("flex", *A4[1:], *flex, nodes="5")
    assert taken(*A4) and refused(*A4, nodes="3")[0].startswith("--nodes: got 3; the pool has 2")
    assert taken(*A4, *QUEUES, "--queue", "a4") and taken(*A4, "--namespace", "default")


def job(*words: str) -> dict:
    """The last object that is printed."""
    code, out, _ = command("job", *words, "--nodes", "2")
    assert code == 0
    return list(yaml.safe_load_all(out))[-1]


def test_what_nobody_says_is_usual():
    """Eight GPUs, the namespace default or the stack's first, no queue, and a program that lists the GPUs."""
    anywhere = job(*ANY)
    (container,) = anywhere["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"] == {"nvidia.com/gpu": "8"} and container["image"] == "my/a:1"
    assert container["command"][-2:] == ["nvidia-smi", "-L"]
    assert (anywhere["metadata"]["name"], anywhere["metadata"]["namespace"]) == ("train", "default")
    assert "labels" not in anywhere["metadata"] and "suspend" not in anywhere["spec"]
    named = job(*ANY, "--namespace", "x", "--queue", "q", "--gpus-per-node", "4", "--name", "b")
    (container,) = named["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"] == {"nvidia.com/gpu": "4"}
    assert (named["metadata"]["name"], named["metadata"]["namespace"], named["spec"]["suspend"]) == ("b", "x", True)
    assert named["metadata"]["labels"] == {"kueue.x-k8s.io/queue-name": "q"}
    first = ("--set", "claims.namespaces=[x, y]")
    assert job(*A4, *first)["metadata"]["namespace"] == "x"
    assert job(*A4, *first, "--namespace", "y")["metadata"]["namespace"] == "y"


def test_a_machine_with_a_queue():
    """It waits, in its own image; without one it does not, and has the image of the fabric's tests."""
    queued, alone = job(ALONE, "--queue", "q", "--image", "my/a:1"), job(ALONE)
    images = [each["spec"]["template"]["spec"]["containers"][0]["image"] for each in (queued, alone)]

    assert queued["spec"]["suspend"] is True and "suspend" not in alone["spec"]
    assert images[0] == "my/a:1" and images[1].partition(":")[0].endswith("/nccl-plugin-gib-diagnostic")


def test_what_a_kind_needs_is_told():
    """Which operator, on stderr; a Job needs none. JSON is the same list."""
    for kind, said in (
        ("job", ""), ("jobset", "needs JobSet, which a stack with queues installs\n"),
        ("mpijob", "needs Kubeflow's MPI operator 0.8, which you bring: a stack's own looks after the proof alone\n"),
        ("trainjob", "needs Kubeflow Trainer 2.3, which you bring\n"),
    ):  # fmt: skip
        code, out, err = command("job", *ANY, "--nodes", "2", "--kind", kind)
        assert (code, err) == (0, said)
        _, data, _ = command("job", *ANY, "--nodes", "2", "--kind", kind, "--json")
        assert json.loads(data) == list(yaml.safe_load_all(out)) and data.endswith("]\n")
