"""The ``rdma-cluster`` command. Exit codes: 0 fine, 1 the answer is no, 2 the input is wrong."""

import gc
import os
import sys


def main() -> None:
    """Entry point of the console script."""
    from .signals import end_at_once

    end_at_once()  # an import that is broken off would end in a traceback
    from pulumi_offline.lazy import fast_imports

    with fast_imports():
        sys.exit(_run())


def _run() -> int:
    from .app import run
    from .output import prepare_streams

    if not prepare_streams():
        return 2
    try:
        return run(sys.argv[1:])
    except BrokenPipeError:  # who reads has enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    finally:
        gc.freeze()  # or the end of the process would scan it all
