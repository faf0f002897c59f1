"""A copy of this project as a developer has it: a Git repository, and an untracked file with a secret."""

import subprocess
from pathlib import Path

_ROOT = Path(__file__).parents[3]
SECRET = ".env"


def copied() -> Path:
    """The copy, in this folder."""
    copy = Path("copy").resolve()
    names = subprocess.run(["git", "ls-files", "-z"], cwd=_ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (_ROOT / name).is_file() and not name.startswith("tests/"):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((_ROOT / name).read_bytes())
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "copy"]):
        subprocess.run([*git, *words], cwd=copy, check=True, capture_output=True)
    (copy / SECRET).write_text("TOKEN=not-for-everybody\n")
    return copy
