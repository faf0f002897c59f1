"""Checks of images and registries that a user writes: images in the place of the pinned ones, and mirrors."""

import re
from collections.abc import Mapping

from ...errors import ErrorList

# The grammar of https://pkg.go.dev/github.com/distribution/reference, with SHA-256 as the only digest.
_HOST = r"[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?)*(?::\d+)?"
_PART = r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*"
_REFERENCE = re.compile(
    rf"(?P<name>(?:{_HOST}/)?{_PART}(?:/{_PART})*)(?::\w[-.\w]{{0,127}})?(?:@sha256:[0-9a-f]{{64}})?", re.ASCII
)
_LONGEST = 255
OCI = "oci://"
"""Before a place of images that holds what was in a Helm repository."""
# Of a mapping's key, too: the address of a Helm repository is no image's, and its parts may have capitals.
_PREFIX = re.compile(rf"{_HOST}(?:/\w[-.\w]*)*", re.ASCII)
_MIRROR = re.compile(rf"{_HOST}(?:/{_PART})*", re.ASCII)


def check_image(image: str, errors: ErrorList) -> None:
    """A reference that a container runtime reads."""
    match = _REFERENCE.fullmatch(image)
    if not image:
        errors.add("empty; name it, or leave the key out")
    elif match is None or len(match["name"]) > _LONGEST:
        errors.add(f"got {image!r}, no reference of an image; write REGISTRY/NAME:TAG or REGISTRY/NAME@sha256:DIGEST")


def check_registries(registries: Mapping[str, str], errors: ErrorList) -> bool:
    """Prefixes of references, and where mirrors hold what begins with them; whether all of it can be used.

    A whole reference may give way to a whole one, and a Helm repository to a place of images.
    """
    for prefix, mirror in registries.items():
        at = errors.at(prefix)
        if is_locked(prefix, mirror):
            continue
        if not _PREFIX.fullmatch(prefix):
            at.add(f"not the prefix of a reference{_without(prefix)}; write HOST or HOST/PATH, e.g. registry.k8s.io")
        check_registry(mirror.removeprefix(OCI), at)
    return not errors


def is_locked(reference: str, held: str) -> bool:
    """Whether it is a line of a lock: a whole reference, and the same with its digest."""
    return held.startswith(f"{reference}@") and _REFERENCE.fullmatch(held) is not None


def check_registry(registry: str, errors: ErrorList) -> None:
    """A place that holds images and charts."""
    if not registry:
        errors.add("empty; write where the mirror is, e.g. mirror.example/k8s, or leave the key out")
    elif not _MIRROR.fullmatch(registry) or len(registry) > _LONGEST:
        errors.add(
            f"got {registry!r}, no place of a registry{_without(registry)}; write HOST, HOST:PORT or HOST/PATH, "
            "the path in lower case, e.g. mirror.example/k8s"
        )


def _without(reference: str) -> str:
    """The part to leave out, where it is one that people often write."""
    return " (without https://)" if "://" in reference else " (without the last slash)" * reference.endswith("/")
