"""Runs the command where a distribution registers a verb: `plugins.py NAME MODULE WORD...`."""

import sys
from pathlib import Path

from rdma_cluster.cli import main

name, module, *words = sys.argv[1:]
metadata = Path("site", f"{name.replace('-', '_')}-0.0.9.dist-info")
metadata.mkdir(parents=True)
(metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0.9\n")
(metadata / "entry_points.txt").write_text(f"[rdma_cluster.verbs]\nrehearse = {module}:add_to\n")
sys.path.insert(0, "site")
sys.argv = ["rdma-cluster", *words]
main()
