"""The Pulumi program: runs the stack of the configured cloud."""

import gc
import runpy
from pathlib import Path

import pulumi

# Half of the time that an SDK takes to import goes to the collector, looking at what lives as long as the process.
gc.set_threshold(200_000, 50, 100)

STACKS = Path(__file__).parent / "stacks"

cloud = pulumi.Config("rdma-cluster").require("cloud")
if not (STACKS / f"{cloud}.py").is_file():
    known = ", ".join(sorted(path.stem for path in STACKS.glob("*.py")))
    raise pulumi.RunError(f"rdma-cluster:cloud: got {cloud!r}; choose one of {known}")
runpy.run_path(str(STACKS / f"{cloud}.py"), run_name="__main__")
