"""What a build adds to the package: the commit that it is made of. A source archive carries it on to its wheel."""

import subprocess
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PLACE = "components/rdma_cluster/commit.txt"


class CommitHook(BuildHookInterface):
    """Writes nothing into the sources: an editable install asks git itself."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or (Path(self.root) / _PLACE).exists():
            return
        told = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
            cwd=self.root,
            capture_output=True,
            text=True,
        )
        if told.returncode == 0:
            file = Path(mkdtemp()) / "commit.txt"
            file.write_text(told.stdout)
            inside = _PLACE if self.target_name == "sdist" else _PLACE.removeprefix("components/")
            build_data["force_include"][str(file)] = inside
