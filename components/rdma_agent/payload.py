"""The files that a pod gets, as the data of a ConfigMap: whole packages, so that no list of files can lack one.

A key is a module's whole name and ``.py``, or the name of a shell script. An administrator reads them as they are with
``kubectl get configmap --output yaml``. A ConfigMap's ``items`` would give real folders, and an archive would be one
key: but ``items`` stand in the pod's template, where each new file would replace a Job, and nobody can read an archive.
"""

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

BUILT = "payload.json"
"""In a wheel, all files as JSON. So the package works where only compiled modules are installed."""
PACKAGES = ("nccl_verdict", "rdma_agent")
_HERE = "rdma_agent"


def payload(*packages: str) -> dict[str, str]:
    """Text by key of everything in ``packages``, and of the modules beside them in the packages above.

    Example: ``payload("nccl_verdict", "rdma_agent.acceptance")`` has no file of ``rdma_agent.prover``.
    """
    above = {name.rpartition(".")[0] for name in packages} - {""}
    wanted = {*packages, *above}
    return {key: text for key, (package, text) in _all_files().items() if package in wanted}


def script(key: str) -> str:
    """The text of one file."""
    return _all_files()[key][1]


@cache
def _all_files() -> dict[str, tuple[str, str]]:
    """Package and text by key. Read once: an editor plans at every change."""
    built = files(_HERE) / BUILT
    found = json.loads(built.read_text(encoding="utf-8")) if built.is_file() else source_files()
    return {key: (package, text) for key, (package, text) in found.items()}


def source_files() -> dict[str, tuple[str, str]]:
    """Package and text by key, from the sources; the build of a wheel writes them down."""
    return {key: entry for package in PACKAGES for key, entry in _within(files(package), package)}


def _within(folder: Traversable, package: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for each in sorted(folder.iterdir(), key=lambda one: one.name):
        if each.is_dir() and not each.name.startswith("_"):
            yield from _within(each, f"{package}.{each.name}")
        elif each.name.endswith((".py", ".sh")):
            plain = each.name.endswith(".sh") or (package, each.name) == (_HERE, "run.py")
            yield each.name if plain else f"{package}.{each.name}", (package, each.read_text(encoding="utf-8"))
