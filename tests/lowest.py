"""`python -m tests.lowest`: requirements with the lowest version of everything that pyproject.toml allows.

For `make test-lowest`. What the tests need besides is as pinned in requirements.txt.
"""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def minimum_versions() -> list[str]:
    """`name==version` for each `name>=version,...` of the run-time dependencies, those of every cloud included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [asked for name, some in project["optional-dependencies"].items() if name != "all" for asked in some]
    return [asked.split(",")[0].replace(">=", "==") for asked in (*project["dependencies"], *extras)]


def tools() -> list[str]:
    """What requirements.txt adds to the clouds' own files."""
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-"))]


if __name__ == "__main__":
    print(*minimum_versions(), *tools(), f"-e {ROOT}", sep="\n")
