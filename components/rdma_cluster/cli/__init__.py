"""The ``rdma-cluster`` command. Exit codes: 0 fine, 1 the answer is no, 2 the input is wrong."""

import gc
import sys


def main() -> None:
    """Entry point of the console script."""
    # Half of an SDK's import time is the collector looking at what lives as long as the process. Collector and
    # environment belong to the process, so a command may set them and the library never does.
    gc.disable()
    from .app import run

    code = run(sys.argv[1:])
    gc.freeze()
    sys.exit(code)
