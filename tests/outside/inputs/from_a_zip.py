"""Runs the command from one zip file that holds all packages, as a single-file program carries them."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

components = Path(__file__).parents[3] / "components"
with ZipFile("all.zip", "w") as archive:
    for path in components.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            archive.write(path, path.relative_to(components))
run = [sys.executable, "-c", "from rdma_cluster.cli import main; main()", *sys.argv[1:]]
sys.exit(subprocess.run(run, env={**os.environ, "PYTHONPATH": "all.zip"}).returncode)
