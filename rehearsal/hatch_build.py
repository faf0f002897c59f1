"""In a clone, leaves out of the archives what git does not track, by the hook of rdma-cluster beside this project."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildHook(BuildHookInterface):
    """An unpacked source archive has no such file beside it, and holds only what it may."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before hatchling chooses files."""
        root = Path(self.root)
        if version != "editable" and not (root / "PKG-INFO").exists():
            runpy.run_path(str(root.parent / "hatch_build.py"))["leave_out_untracked"](self)
