"""`rdma-cluster rehearse` where it cannot begin; tests/rehearsal has the rest."""

from pathlib import Path

import pytest
from tests.cli.commands import command


@pytest.mark.parametrize("words", ["rehearse gke", "upgrade gke --to 1.36.1-gke.1842000 --rehearse"])
def test_without_an_engine_it_says_where_to_get_one(words: str, monkeypatch: pytest.MonkeyPatch):
    """Before anything is started or written."""
    monkeypatch.setenv("PATH", "")

    code, out, err = command(*words.split())

    assert (code, out) == (2, "")
    assert err.startswith("there is no `pulumi` on PATH") and "https://www.pulumi.com/docs/iac/download-install/" in err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["nowhere"], "no stack 'nowhere'"),
        (["gke", "--scale", "0"], "--scale: got 0; must be 1 or more"),
        (["gke", "--fault", "fire:NodePool"], "--fault: got 'fire:NodePool'; write KIND:WHAT"),
        (["gke", "--part", "lunch"], "invalid choice: 'lunch'"),
    ],
    ids=" ".join,
)
def test_what_it_cannot_take(words: list[str], expected: str, monkeypatch: pytest.MonkeyPatch):
    """Exit 2, on stderr, whether there is an engine or not."""
    monkeypatch.setenv("PATH", "")

    code, out, err = command("rehearse", *words)

    assert (code, out) == (2, "")
    assert expected in err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["gke", "--part", "own"], "--part: got own; that is of --real-provider"),
        (["gke", "--real-provider", "azure"], "--real-provider: got 'azure'; must be one of "),
        (["gke", "--real-provider", "gcp", "--real-provider", "azure"], "--real-provider: got 'azure'; must be one of"),
        (["gce", "--real-provider", "gcp", "--control-plane"], "--control-plane: gce has no Kubernetes; leave it out"),
        (["gke", "--real-provider", "kubernetes", "--part", "faults"], "--part: not with --real-provider"),
        (["gke", "--real-provider", "kubernetes", "--fault", "lag:Job"], "--fault: not with --real-provider"),
        (
            ["gke", "--real-provider", "kubernetes"],
            "--real-provider: there is no pulumi-resource-kubernetes; run `pulumi",
        ),
    ],
    ids=" ".join,
)
def test_what_a_real_provider_cannot_do(
    words: list[str], expected: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """Exit 2, before anything is started; by an engine that would fail if it were asked."""
    (engine := tmp_path / "pulumi").touch(0o755)
    assert engine.exists()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PULUMI_HOME", str(tmp_path))

    code, out, err = command("rehearse", *words)

    assert (code, out) == (2, "")
    assert expected in err
