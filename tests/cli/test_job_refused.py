"""What `rdma-cluster job` refuses: options that do not go together, and what Kubernetes would not take."""

import pytest
from tests.cli.commands import command

ANY = ("--for", "any", "--image", "my/a:1")
A4 = ("a4", "--stack", "gke")
ALONE = "a4-highgpu-8g"
QUEUES = ("--set", "queues={enabled: true}")


def refused(*words: str, nodes: str = "2") -> list[str]:
    """The lines of a refusal."""
    code, out, err = command("job", *words, "--nodes", nodes)
    assert (code, out) == (2, "")
    return err.splitlines()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ((), ["name a stack", "--for any"]),
        ((*A4, "--gpus-per-node", "3"), ["--gpus-per-node: got 3", "1, 2, 4, 8 GPUs"]),
        (("h100", "--stack", "aks", "--gpus-per-node", "4"), ["--gpus-per-node: got 4", "gets 8 GPUs"]),
        ((*A4, "--rails", "rail-8"), ["--rails: got 'rail-8'", "rail-0, ", "rails-4-7"]),
        (("p5.48xlarge", "--rails", "rail-0"), ["--rails: ", "NCCL_TESTS_SPLIT=MOD 8"]),
        ((*A4, "--rails", "rails-2-3", "--gpus-per-node", "4"), ["--rails: rails-2-3 has 2", "says 4"]),
        ((*A4, "--env", "NCCL-ALGO=Ring"), ["--env: got 'NCCL-ALGO=Ring'", "NAME=VALUE"]),
        ((*ANY, "--kind", "nccl-test"), ["--kind: nccl-test", "name a stack"]),
        ((ALONE, "--check", "gke"), ["--check: ", "--for any"]),
        ((ALONE, *ANY), ["--for: ", "--check"]),
        (("--for", "any"), ["--image: "]),
        ((ALONE, "--set", "zone=a"), ["--set: ", "name the stack"]),
        ((ALONE, "--image", "A b"), ["--image: ", "'A b'"]),
        (("a4-highgpu-9g",), ["'a4-highgpu-9g'", ALONE, "this project's are aks"]),
        (("hpc7a.96xlarge",), ["no fabric", "hpc7a.96xlarge"]),
        (("b4", "--stack", "gke"), ["'b4'", "a4"]),
        (("gke", "b4"), ["'b4'", "a4"]),
        (("gke", "a4", "--stack", "gke"), ["gke and a4 beside --stack"]),
    ],
)
def test_options_that_do_not_go_together_are_refused_in_one_line(words: tuple[str, ...], named: list[str]):
    (line,) = refused(*words)

    assert all(each in line for each in named)


def test_everything_that_is_wrong_is_told_at_once():
    """Of the options and what Kubernetes takes first; then, of a pool, all that it cannot give."""
    words = (ALONE, "--for", "any", "--name", "A", "--queue", "B", "--namespace", "C", "--gpus-per-node", "99")
    named = ["--for", "--image", "--gpus-per-node", "--nodes", "--name", "--queue", "--namespace"]
    assert [line.partition(":")[0] for line in refused(*words, nodes="0")] == named
    whole = ("--set", "claims={pairs: [1], whole: false, nics: false}")
    lines = refused(*A4, *QUEUES, *whole, "--queue", "b4", "--namespace", "lab", nodes="3")
    assert [line.partition(":")[0] for line in lines[:3]] == ["--nodes", "--queue", "--namespace"]
    assert "claims.whole" in lines[3]


@pytest.mark.parametrize(
    ("option", "taken", "not_taken"),
    [
        ("--name", ["a", "a1", "a-b", "a" * 40], ["", "A", "1a", "a-", "-a", "a_b", "a" * 41, "a.b"]),
        ("--queue", ["a", "a.b", "1a", "a" * 63], ["", "a" * 64, "A", "a.", ".a", "a_b"]),
        ("--gpus-per-node", ["1", "8"], ["0", "9"]),
        ("--nodes", ["1", "100000"], ["0", "100001", "-1"]),
        ("--namespace", ["a", "a-1"], ["A", "a.b"]),
    ],
)
def test_the_limits_are_those_of_kubernetes(option: str, taken: list[str], not_taken: list[str]):
    def lines(value: str) -> str:
        nodes = () if option == "--nodes" else ("--nodes", "2")
        return command("job", *ANY, *nodes, f"{option}={value}")[2]

    assert [value for value in taken if lines(value)] == []
    assert [value for value in not_taken if not lines(value).startswith(f"{option}: got ")] == []


def test_a_job_has_no_more_nodes_than_its_own_pool():
    flex = ("--set", "pools[1]={name: flex, machine: a4-highgpu-8g, nodes: 5, capacity: {flexStart: true}}")

    assert command("job", *A4, *flex, "--nodes", "2")[0] == 0
    assert refused(*A4, *flex, nodes="3")[0].startswith("--nodes: got 3; the pool has 2")
    assert command("job", "flex", *A4[1:], *flex, "--nodes", "5")[0] == 0
