"""What runs inside pods, as files: shipped in a ConfigMap, and no part of a Job's spec.

A pod's template is immutable, so that a better script would run a proven test again.
"""

from functools import cache
from pathlib import Path

FOLDER = "/acceptance"
"""Where a pod sees the files."""
API_FILE = "kube_api.py"
"""The client of the API server: it goes wherever a Python script here goes, into the same folder."""


@cache
def script(name: str) -> str:
    """The text of a file in this folder; read and not imported, since a plan needs nothing of what it does."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
