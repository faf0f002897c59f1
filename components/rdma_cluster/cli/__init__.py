"""The ``rdma-cluster`` command. Exit codes: 0 fine, 1 the answer is no, 2 the input is wrong."""

import gc
import os
import sys


def main() -> None:
    """Entry point of the console script."""
    from .signals import end_at_once

    end_at_once()  # an import that is broken off would end in a traceback
    # Half of an SDK's import time is the collector looking at what lives as long as the process. Collector and
    # streams belong to the process, so a command may set them and the library never does.
    gc.disable()
    from .app import run
    from .output import prepare_streams

    if not prepare_streams():
        sys.exit(2)
    try:
        code = run(sys.argv[1:])
    except BrokenPipeError:  # who reads has enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    gc.freeze()
    sys.exit(code)
