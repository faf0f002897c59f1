"""The lock of a stack is written whole or not at all, and every plan uses it from then on."""

from pathlib import Path

import pytest
from pulumi_offline import Graph
from rdma_cluster.cli.preview import run_program
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.supply.artifacts import artifacts
from rdma_cluster.supply.fetched import fetched, registries_of
from rdma_cluster.supply.lock import Locked
from tests.cli import commands
from tests.supply.locked import Registries, answer

pytestmark = pytest.mark.variant

MIRROR = 'registries={"registry.k8s.io": "m.example/k8s", "aws.github.io/eks-charts": "oci://m.example/charts"}'


def command(*words: str) -> tuple[int, str, str]:
    """Run the command in the project of the test."""
    return commands.command(*words, folder=Path.cwd())


def graph(stack: str, *overrides: str) -> Graph:
    """The graph of a stack in the project of the test."""
    return run_program(*read_stack(stack, None, overrides))


@pytest.mark.parametrize(
    "overrides", [(), pytest.param((MIRROR,), marks=pytest.mark.variant)], ids=["public", "mirror"]
)
def test_a_locked_stack_names_every_image_and_chart_by_digest(registries: Registries, overrides: tuple[str, ...]):
    """Asking again asks for the same."""
    before = graph("eks", *overrides)
    options = [word for each in overrides for word in ("--set", each)]

    code, out, _ = command("lock", "eks", *options)
    after = graph("eks", *overrides)
    again = command("lock", "eks", *options)

    assert code == 0 and "held by digest" in out
    assert fetched(after) == fetched(before)
    assert again[1] == out
    known = artifacts(after, registries_of(after))
    assert all(each.record for each in known)
    names = {each.reference for each in known}
    for each in fetched(before):
        if each.holds:
            at = answer(each).digest
            assert any(name.endswith(f"@{at}") for name in names), each.reference


def test_a_check_tells_what_has_moved_or_gone(registries: Registries):
    """It ends with exit code 1 and changes nothing."""
    command("lock", "eks")
    before = Path("stacks/artifacts.eks.lock").read_text()
    assert command("lock", "eks", "--check")[0] == 0
    images = [each for each in fetched(graph("eks")) if each.kind == "image" and "@" not in each.reference]
    helm = next(each for each in fetched(graph("eks")) if each.kind == "helm")
    two = next(each for each in images[1:] if len(each.architectures) == 2)
    registries.other = {
        images[0].reference: answer(images[0], "other"),
        helm.reference: "not in its repository's index",
        two.reference: Locked(two.reference, "image", answer(two).digest, 1, "a/b", {"amd64": "sha256:1"}),
    }

    code, out, _ = command("lock", "eks", "--check")

    assert code == 1
    assert f"{images[0].reference}: moved from" in out and "pods still take" in out
    assert f"{helm.reference}: not in its repository's index" in out
    assert f"{two.reference}: no longer built for arm64" in out
    assert Path("stacks/artifacts.eks.lock").read_text() == before


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "cannot be read"),
        ("[]", "it lists no artifacts"),
        ('{"artifacts": [3]}', "artifacts[0]: got 3; expected an object"),
        ('{"artifacts": [{"reference": "a/b:1", "kind": "image", "digest": "sha256:1"}]}', "artifacts[0].digest: got"),
    ],
)
def test_a_broken_lock_is_refused_before_anything_is_planned(registries: Registries, text: str, told: str):
    """Tags in its place would be another promise."""
    Path("stacks/artifacts.gke.lock").write_text(text)

    for verb in ("plan", "preview", "lock"):
        code, _, error = command(verb, "gke")
        assert code == 2 and told in error and "artifacts.gke.lock" in error
