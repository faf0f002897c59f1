"""What a build adds to an archive, and what it leaves out.

A wheel gets the commit that it is made of and two files that stand for our sources, so that it works from compiled
modules alone: the docstrings of keys, and the files that pods get. Both archives hold only what git tracks. A source
archive has no git; what it holds, its wheel may hold.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_COMPONENTS = "components"
_COMMIT = f"{_COMPONENTS}/rdma_cluster/commit.txt"


class BuildHook(BuildHookInterface):
    """Writes nothing into the sources: an editable install reads them and asks git itself."""

    _written: TemporaryDirectory[str]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before hatchling chooses files."""
        self._written = TemporaryDirectory()
        if version == "editable":
            return
        leave_out_untracked(self)
        added = {}
        if not (Path(self.root) / _COMMIT).exists():
            told = _git(self.root, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
            added = {_COMMIT: told} if told else {}
        if self.target_name == "wheel":
            added |= self._made_of_sources()
        for place, text in added.items():
            file = Path(self._written.name, place.replace("/", "-"))
            file.write_text(text, encoding="utf-8")
            inside = place.removeprefix(f"{_COMPONENTS}/") if self.target_name == "wheel" else place
            build_data["force_include"][str(file)] = inside

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called when the archive is written."""
        self._written.cleanup()

    def _made_of_sources(self) -> dict[str, str]:
        """Text by place. What is imported here needs the standard library alone."""
        folder = Path(self.root, _COMPONENTS)
        sys.path.insert(0, str(folder))
        try:
            from rdma_agent.payload import source_files
            from rdma_cluster.base.source_docs import docs_of_package

            made = {
                "rdma_cluster/base/key_docs.json": docs_of_package(folder / "rdma_cluster"),
                "rdma_agent/payload.json": source_files(),
            }
        finally:
            sys.path.remove(str(folder))
        return {f"{_COMPONENTS}/{place}": json.dumps(value) for place, value in made.items()}


def leave_out_untracked(hook: BuildHookInterface) -> None:
    """Add all that git does not track below the project to what hatchling excludes."""
    if Path(hook.root, "PKG-INFO").exists():  # an unpacked source archive
        return
    if not _git(hook.root, "ls-files", "pyproject.toml"):
        hook.app.display_warning("git cannot tell which files it tracks: the archive holds all files of the packages")
        return
    # A folder of which nothing is tracked is one line, such as that of an environment.
    untracked = _git(hook.root, "ls-files", "--others", "--directory", "-z").split("\0")
    # `exclude` holds patterns as .gitignore does, in which these characters mean something.
    special = str.maketrans({character: f"\\{character}" for character in "\\*?[] "})
    patterns = [f"/{name.translate(special)}" for name in untracked if name]
    config = hook.build_config.target_config
    config["exclude"] = [*config.get("exclude", []), *patterns]


def _git(folder: str, *words: str) -> str:
    """What git answers; empty where there is no git, or no repository."""
    try:
        return subprocess.run(["git", *words], cwd=folder, capture_output=True, encoding="utf-8", check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
