"""Prints what the source archive of a developer's folder holds."""

import subprocess
import sys
import tarfile
from pathlib import Path

from tests.outside.inputs.working_folder import copied

subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", Path.cwd()], cwd=copied(), check=True)
(archive,) = Path.cwd().glob("*.tar.gz")
with tarfile.open(archive) as opened:
    print(*opened.getnames(), sep="\n")
