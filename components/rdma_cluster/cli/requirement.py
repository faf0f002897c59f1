"""The package that runs here as a line of requirements.txt, which a colleague's machine and CI can install.

An environment tells where a package came from as PEP 610 says (direct_url.json). A folder of this machine is no use to
others: the line names the repository where a remote of the folder has its commit.
"""

import json
import re
from importlib.metadata import distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from .. import __version__
from .parser import commit, git

_CLONE = Path(__file__).parents[3]
"""Where the package lies in a clone; in an environment, the folder of all its packages."""
_LIKE_SCP = re.compile(r"([\w.-]+@[\w.-]+):(.+)")
_ONLY_HERE = """\
# Only this machine has what the next line names. Name a repository that colleagues and CI reach:
# {name} @ git+https://HOST/OWNER/rdma-cluster@{commit}
{line}"""


def requirement(extra: str) -> str:
    """One line, or three where only this machine can install it."""
    name = f"rdma-cluster[{extra}]"
    if (_CLONE / "pyproject.toml").is_file():
        return _of_folder(name, str(_CLONE), f"-e {_CLONE}[{extra}]")
    origin: dict[str, Any] = json.loads(distribution("rdma-cluster").read_text("direct_url.json") or "{}")
    url = origin.get("url", "")
    if "dir_info" in origin:
        folder = url2pathname(urlsplit(url).path)
        return _of_folder(name, folder, f"{folder}[{extra}]")
    if not url:
        return f"{name}=={__version__}"
    vcs = origin.get("vcs_info")
    line = f"{name} @ {vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else f"{name} @ {url}"
    return _only_here(name, line) if urlsplit(url).scheme == "file" else line


def _of_folder(name: str, folder: str, line: str) -> str:
    told = commit()
    known = "" if told.endswith("-dirty") else git(folder, "rev-parse", "--verify", "--quiet", f"{told}^{{commit}}")
    branches = git(folder, "branch", "--remotes", "--contains", known, "--format=%(refname:lstrip=2)") if known else ""
    for remote in {branch.partition("/")[0]: None for branch in branches.split()}:
        if url := _as_pip_takes_it(git(folder, "remote", "get-url", remote)):
            return f"{name} @ git+{url}@{known}"
    return _only_here(name, line)


def _only_here(name: str, line: str) -> str:
    return _ONLY_HERE.format(name=name, commit=commit().removesuffix("-dirty") or "COMMIT", line=line)


def _as_pip_takes_it(remote: str) -> str:
    """A remote's URL without a password; empty where other machines cannot reach it."""
    parts = urlsplit(_LIKE_SCP.sub(r"ssh://\1/\2", remote))
    if parts.scheme == "ssh":
        return parts.geturl()
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl() if parts.scheme == "https" else ""
