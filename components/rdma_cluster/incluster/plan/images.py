"""Checks of what a user writes of images: others in the place of the pinned ones, mirrors, and their logins."""

import re
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from pulumi_offline.errors import ErrorList
from pulumi_offline.unknowns import SECRET, known
from pulumi_offline.written import from_json
from ...base.args import is_output

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
_NAME_AND_WORD = re.compile(rb"[^:]+:.+", re.DOTALL)
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


def check_pull_secret(config: Any, errors: ErrorList) -> None:
    """A docker config with logins, where it is known; what was got is never shown."""
    if config is None or is_output(config) or config == SECRET:
        return
    try:
        read = from_json(config)
    except (ValueError, RecursionError):
        read = None
    auths = read.get("auths") if isinstance(read, dict) else None
    logins = list(auths.values()) if isinstance(auths, dict) else []
    if not logins or not all(_is_login(each) for each in logins):
        errors.add(
            "no docker config with a login for each host; what was got is a secret and not shown; write "
            '{"auths": {HOST: {"username": NAME, "password": WORD}}}, or "auth": NAME:WORD in base64; a file that '
            "docker login writes has none where docker keeps them in a store of its own"
        )


def _is_login(entry: Any) -> bool:
    """Whether kubelet finds a login in an entry; one ``auth`` that it cannot read costs all other entries, too.

    github.com/kubernetes/kubernetes v1.33.1 pkg/credentialprovider/config.go (2026-11-23).
    """
    if not isinstance(entry, dict):
        return False
    if auth := entry.get("auth"):
        return isinstance(auth, str) and (not known(auth) or _NAME_AND_WORD.fullmatch(_decoded(auth)) is not None)
    return all(isinstance(entry.get(key), str) and entry[key] for key in ("username", "password"))


def _decoded(text: str) -> bytes:
    """Base64, with its padding or without; nothing where it is none."""
    try:
        return b64decode(text if text.endswith("=") else text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        return b""


def _without(reference: str) -> str:
    """The part to leave out, where it is one that people often write."""
    return " (without https://)" if "://" in reference else " (without the last slash)" * reference.endswith("/")
