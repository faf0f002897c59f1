"""Runs the command of a wheel of which only compiled modules were kept, as in a small image."""

import compileall
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from tests.outside.inputs.working_folder import copied

subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", Path.cwd()], cwd=copied(), check=True)
(wheel,) = Path.cwd().glob("*.whl")
ZipFile(wheel).extractall("site")
compileall.compile_dir("site", quiet=1, legacy=True)
for source in Path("site").rglob("*.py"):
    source.unlink()
run = [sys.executable, "-c", "from rdma_cluster.cli import main; main()", *sys.argv[1:]]
sys.exit(subprocess.run(run, env={**os.environ, "PYTHONPATH": "site"}).returncode)
