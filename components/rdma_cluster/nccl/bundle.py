"""The judge as the data of a ConfigMap: mounted at ``<dir>/nccl`` it runs with ``PYTHONPATH=<dir> python3 -m nccl``.

Standard library of Python 3.10 and above; no installation, nothing from this package but these files.
"""

from functools import cache
from pathlib import Path

SERVING = "serving.py"
"""Judges pods that serve; no test of the fabric needs it."""
COMPARE = "compare.py"
"""Compares two logs; no verdict needs it."""
_OUTSIDE = ("bundle.py", "collection.py", "following.py", SERVING, COMPARE)
PACKAGE = "nccl"
"""The last part of the path that the files must be mounted at."""


def files(*further: str) -> dict[str, str]:
    """File name to source of everything that judges a test; ``further`` names files that some need besides."""
    return {name: text for name, text in _sources().items() if name not in _OUTSIDE or name in further}


@cache
def _sources() -> dict[str, str]:
    """Every file beside this one: plans ask once for each pool, in an editor at each change."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.py"))}
