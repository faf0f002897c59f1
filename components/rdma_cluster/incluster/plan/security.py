"""Parts of containers: as few of their rights as their work takes, and words of a person in their commands."""

import re
from collections.abc import Mapping
from typing import Any

# The runtimes' profile refuses to place memory on a NUMA node without it; NCCL then shares host memory by another way
# (docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html, cuMem host allocations).
_OF_NCCL = "SYS_NICE"


def unprivileged(user: int = 65534) -> dict[str, Any]:
    """For what only reads and talks."""
    return {
        "runAsNonRoot": True,
        "runAsUser": user,
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def as_root(*capabilities: str) -> dict[str, Any]:
    """For what an image runs as root, with no more of its rights than ``capabilities``."""
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"], **({"add": sorted(capabilities)} if capabilities else {})},
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def runs_nccl(part: Mapping[str, Any], *more: str) -> dict[str, Any]:
    """For a container that runs NCCL with a pool's pod patch, as root, with ``more`` capabilities than the fabric's."""
    context = part["securityContext"]
    # Nothing can be taken from a privileged one.
    return context if context.get("privileged") else as_root(*context["capabilities"]["add"], _OF_NCCL, *more)


_ACTS = re.compile(r"\$(?=[$(])")


def verbatim(word: str) -> str:
    """A word that a program gets as it was written: ``$(HF_TOKEN)`` names a variable to a shell of its own at most.

    ``$$`` stands for ``$``, and a ``$`` alone for itself:
    https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/, 2026-11-23.
    """
    return _ACTS.sub("$$", word)
