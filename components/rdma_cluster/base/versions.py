"""Kubernetes versions as the clouds write them: ``1.35``, ``1.34.2``, and GKE's own ``1.34.1-gke.1829001``."""

import re

from pulumi_offline.errors import ErrorList

_FORM = re.compile(r"(1)\.(\d{1,3})(?:\.(\d+)(?:-gke\.(\d+))?)?", re.ASCII)


def parse(text: str) -> tuple[int, ...] | None:
    """The numbers that a version has; ``None`` when it has another form."""
    match = _FORM.fullmatch(text)
    return tuple(int(part) for part in match.groups() if part is not None) if match else None


def check_form(text: str, errors: ErrorList) -> bool:
    """Whether a text is the version of some cluster; else an error says so."""
    known = parse(text) is not None
    if not known:
        errors.add(f"got {text!r}; a Kubernetes version is 1.36 or 1.36.2")
    return known


def minor_of(text: str) -> str:
    """The minor of a version: ``1.35`` of ``1.35.2``."""
    return ".".join(text.split(".")[:2])


def at_least(version: str, minimum_version: str) -> bool:
    """Whether ``version`` reaches ``minimum_version``.

    A version without a patch means the newest patch of its minor, so only the parts that it has are compared.
    """
    have, want = parse(version), parse(minimum_version)
    if have is None or want is None:
        raise ValueError(f"not versions: {version!r}, {minimum_version!r}")
    return have >= want[: len(have)]
