"""The Pulumi program: runs the stack of the configured cloud."""

import runpy
from pathlib import Path

import pulumi
from pulumi_offline.lazy import fast_imports

STACKS = Path(__file__).parent / "stacks"

cloud = pulumi.Config("rdma-cluster").require("cloud")
if not (STACKS / f"{cloud}.py").is_file():
    known = ", ".join(sorted(path.stem for path in STACKS.glob("*.py")))
    raise pulumi.RunError(f"rdma-cluster:cloud: got {cloud!r}; choose one of {known}")
with fast_imports():
    runpy.run_path(str(STACKS / f"{cloud}.py"), run_name="__main__")
