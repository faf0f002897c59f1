"""``rdma-cluster --version``: the release, and the commit that it was made of."""

import subprocess
from argparse import Action, ArgumentParser, Namespace
from importlib.resources import files
from pathlib import Path
from typing import Any

from .. import __version__

_CLONE = Path(__file__).parents[3]
_COMMIT = "commit.txt"
"""Beside the package's modules in a wheel; ``hatch_build.py`` writes it."""


class ShowVersion(Action):
    """Asks for the commit only when somebody wants to know."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, option_string: str | None = None
    ) -> None:
        known = commit()
        print(f"rdma-cluster {__version__}{f' ({known})' if known else ''}")
        parser.exit()


def commit() -> str:
    """Twelve characters, and ``-dirty`` behind those of a changed clone; empty where nothing tells."""
    written = files("rdma_cluster").joinpath(_COMMIT)
    if written.is_file():
        return written.read_text(encoding="utf-8").strip()
    if not (_CLONE / ".git").exists():
        return ""
    try:
        asked = subprocess.run(
            ["git", "-C", str(_CLONE), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
            capture_output=True,
            encoding="utf-8",
        )
    except OSError:  # no git here
        return ""
    return asked.stdout.strip() if asked.returncode == 0 else ""
