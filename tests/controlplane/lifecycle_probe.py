"""Not collected by itself: test_lifecycle.py runs it in a pytest of its own and looks at what is left."""

import os
import signal
from pathlib import Path

from .api import Api


def test_waits(api: Api):
    """Ends only by a signal, and tells when to send it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job is started deaf to it
    Path(os.environ["PROBE_WAITS"]).touch()
    signal.pause()
