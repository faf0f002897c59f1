"""Runs the command where no installed distribution registers a verb, as after a pull under an old editable install."""

import importlib.metadata
import sys

setattr(importlib.metadata, "entry_points", lambda **_: ())  # noqa: B010
from rdma_cluster.cli import main  # noqa: E402

sys.argv[0] = "rdma-cluster"
main()
