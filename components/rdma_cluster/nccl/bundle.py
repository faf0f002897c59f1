"""The judge as the data of a ConfigMap: mounted at ``<dir>/nccl`` it runs with ``PYTHONPATH=<dir> python3 -m nccl``.

Standard library of Python 3.10 and above; no installation, nothing from this package but these files.
"""

from pathlib import Path

_OUTSIDE = ("bundle.py", "compare.py")
_OUTSIDE = ("bundle.py",)
SERVING = "serving.py"
"""What judges pods that serve; no test of the fabric needs it."""
PACKAGE = "nccl"
"""The last part of the path that the files must be mounted at."""


def files(*further: str) -> dict[str, str]:
    """File name to source of everything that runs inside the cluster; ``further`` are modules that run elsewhere."""
    here = Path(__file__).parent
    inside = (path for path in sorted(here.glob("*.py")) if path.name not in _OUTSIDE or path.name in further)
def files(*, serving: bool = False) -> dict[str, str]:
    """File name to source of everything that runs inside the cluster, to judge tests or pods that serve."""
    here, outside = Path(__file__).parent, _OUTSIDE if serving else (*_OUTSIDE, SERVING)
    inside = (path for path in sorted(here.glob("*.py")) if path.name not in outside)
    return {path.name: path.read_text(encoding="utf-8") for path in inside}
