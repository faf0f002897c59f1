"""Starts a program of the agent in a pod: ``python3 run.py PROGRAM ARGUMENT...``.

A ConfigMap is one flat folder, so a module lies there under its whole name: ``nccl_verdict.gates.py``. This file finds
modules by such names, which keeps imports between packages as they are in the source. Pods name a program and not a
file: a pod's template is immutable, and a Job that has proven a fabric must not be replaced because a file has moved.
"""

import runpy
import sys
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path

PROGRAMS = {
    "judge": "nccl_verdict",
    "judge-serving": "nccl_verdict.serving",
    "compare": "nccl_verdict.compare",
    "mark-suspects": "rdma_agent.acceptance.mark_nodes",
    "mark-proofs": "rdma_agent.acceptance.mark_proofs",
    "run-test": "rdma_agent.acceptance.runner",
    "watch-test": "rdma_agent.acceptance.watcher",
    "prove": "rdma_agent.prover.main",
    "watch-faults": "rdma_agent.faults.watcher",
    "check-serving": "rdma_agent.serving_check",
    "await-definitions": "rdma_agent.await_definitions",
    "await-webhook": "rdma_agent.await_webhook",
}
"""Module by program. Pods of earlier releases name these programs: a name stays, its module may change."""


class FlatFolder:
    """Finds ``a.b`` as the file ``a.b.py``, or as the package ``a.b.__init__.py``, in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The module's spec; ``None`` where the folder has no such file, so that Python looks elsewhere."""
        package = self._folder / f"{name}.__init__.py"
        if package.is_file():
            return spec_from_file_location(name, package, submodule_search_locations=[])
        module = self._folder / f"{name}.py"
        return spec_from_file_location(name, module) if "." in name and module.is_file() else None


def main(arguments: list[str]) -> None:
    """Run the program that the first argument names; the others are its own."""
    if not arguments or arguments[0] not in PROGRAMS:
        sys.exit(f"usage: run.py PROGRAM ARGUMENT...; programs are {', '.join(PROGRAMS)}")
    sys.meta_path.insert(0, FlatFolder(Path(__file__).resolve().parent))
    sys.argv = arguments
    runpy.run_module(PROGRAMS[arguments[0]], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
