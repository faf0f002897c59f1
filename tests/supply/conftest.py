"""What the tests of supply share: a registry on this machine, and a project whose registries answer everything."""

import shutil
from collections.abc import Generator
from pathlib import Path

import pytest
from rdma_cluster.supply import registry as asked
from tests.stacks import ROOT
from tests.supply.locked import Registries
from tests.supply.registry import Registry, registry


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[Registry]:
    """A registry, and a machine without credentials."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("DOCKER_CONFIG", raising=False)
    with registry() as made:
        yield made


@pytest.fixture
def registries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Registries:
    """The registries that answer in a copy of this project, which is the working directory."""
    shutil.copytree(ROOT / "stacks", tmp_path / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    made = Registries()
    monkeypatch.setattr(asked, "ask", made.ask)
    return made
