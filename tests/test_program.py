"""A stack program plans the configuration that the engine hands it."""

from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi_offline import preview
from pulumi_offline.errors import InputError, Refused
from rdma_cluster.program import configured
from rdma_cluster.supply.lock import Lock, Locked

KEYS = {"gcp:project": "project"}


def planned(args: dict[str, Any], stack: str, *, camel: bool) -> Any:
    """A plan that is what it was asked for; a wrong zone is refused."""
    if args.get("zone") == "wrong":
        raise Refused([InputError(("zone",), "no such zone"), InputError(("project",), "none")])
    return args, stack, camel


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project without a lock."""
    monkeypatch.chdir(tmp_path)


def test_a_refusal_has_every_error_and_no_traceback():
    """Each error stands under the key that the user wrote."""
    with pytest.raises(pulumi.RunError) as refused:
        preview(lambda: configured(planned, KEYS), stack="lab", config={"rdma-cluster:zone": "wrong"})

    assert str(refused.value) == ("the configuration of stack lab cannot work:\nzone: no such zone\ngcp:project: none")
    assert refused.value.__cause__ is None and refused.value.__suppress_context__


def test_a_lock_beside_the_stack_files_counts(tmp_path: Path):
    (tmp_path / "Pulumi.yaml").write_text("name: gpu\nstackConfigDir: stacks\n")
    (tmp_path / "stacks").mkdir()
    image, digest = "a.example/b:1", f"sha256:{'0' * 64}"
    row = Locked(image, "image", digest, 1, "m", {})
    (tmp_path / "stacks" / "artifacts.lab.lock").write_text(Lock("lab", "2026-11-25", (row,)).to_text())
    found: list[Any] = []

    preview(lambda: found.append(configured(planned, KEYS)), stack="lab", config={"rdma-cluster:zone": "z"})

    assert found == [({"zone": "z", "registries": {image: f"{image}@{digest}"}}, "lab", True)]
