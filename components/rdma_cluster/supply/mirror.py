"""Lists for a mirror, as the tools read them that copy; and the configuration that makes a stack use it.

Everything keeps its host as the first part of its path: ``nvcr.io/a/b`` lies at ``MIRROR/nvcr.io/a/b``, which is what
`skopeo sync --scoped` does, so that two hosts never meet.
"""

import json
from collections.abc import Callable, Sequence
from shlex import quote

from ..catalog.artifact import in_parts
from .fetched import Fetched


def plain(wanted: Sequence[Fetched], mirror: str) -> str:
    """Each source and its place, a pair a line."""
    return "".join(f"{each.reference} {place_of(each, mirror)}\n" for each in wanted)


def skopeo(wanted: Sequence[Fetched], _mirror: str) -> str:
    """For ``skopeo sync --src yaml --dest docker --scoped --all FILE MIRROR`` (skopeo docs/skopeo-sync.1.md).

    Of Helm repositories it knows nothing: their charts follow as comments.
    """
    hosts: dict[str, dict[str, list[str]]] = {}
    for each in (each for each in wanted if each.kind != "helm"):
        repository, version = in_parts(each.reference)
        host, _slash, path = repository.partition("/")
        tag, _mark, digest = version.partition("@")
        hosts.setdefault(host, {}).setdefault(path, []).append(digest or tag)
    lines = []
    for host, images in sorted(hosts.items()):
        lines.append(f"{json.dumps(host)}:\n  images:\n")
        for path, versions in sorted(images.items()):
            lines.append(f"    {json.dumps(path)}: {json.dumps(sorted(set(versions)))}\n")
    return "".join(lines) + "".join(f"# {line}\n" for line in _helm(wanted, _mirror))


def oras(wanted: Sequence[Fetched], mirror: str) -> str:
    """A line a copy for the shell; ``oras cp`` brings what refers to an artifact, signatures too."""
    return _lines("oras cp --recursive {source} {place}", wanted, mirror)


def regctl(wanted: Sequence[Fetched], mirror: str) -> str:
    """A line a copy for the shell, signatures by referrers and by tags too."""
    return _lines("regctl image copy --referrers --digest-tags {source} {place}", wanted, mirror)


FORMS: dict[str, Callable[[Sequence[Fetched], str], str]] = {
    "plain": plain,
    "skopeo": skopeo,
    "oras": oras,
    "regctl": regctl,
}


def registries(wanted: Sequence[Fetched], mirror: str) -> dict[str, str]:
    """The stack's ``registries`` for that mirror."""
    found = {}
    for each in wanted:
        if each.kind == "helm":
            home = _home(each)
            found[home] = f"oci://{mirror}/{home}"
        else:
            host = each.reference.partition("/")[0]
            found[host] = f"{mirror}/{host}"
    return dict(sorted(found.items()))


def place_of(each: Fetched, mirror: str) -> str:
    """Where the mirror holds it: under its tag, or by its digest alone where it has no tag."""
    if each.kind == "helm":
        _repo, name, version = each.reference.split(" ")
        return f"oci://{mirror}/{_home(each)}/{name}:{version}"
    repository, version = in_parts(each.reference)
    tag, _mark, digest = version.partition("@")
    return f"{mirror}/{repository}:{tag}" if tag else f"{mirror}/{repository}@{digest}"


def _home(each: Fetched) -> str:
    """A Helm repository without its scheme."""
    return each.reference.split(" ")[0].partition("://")[2].rstrip("/")


def _lines(form: str, wanted: Sequence[Fetched], mirror: str) -> str:
    copies = [
        form.format(source=quote(each.reference), place=quote(place_of(each, mirror)))
        for each in wanted
        if each.kind != "helm"
    ]
    return "".join(f"{line}\n" for line in [*copies, *_helm(wanted, mirror)])


def _helm(wanted: Sequence[Fetched], mirror: str) -> list[str]:
    """Charts of Helm repositories, as Helm itself brings them into a registry."""
    lines = []
    for each in (each for each in wanted if each.kind == "helm"):
        repo, name, version = each.reference.split(" ")
        pulled = f"helm pull {quote(name)} --repo {quote(repo)} --version {quote(version)}"
        lines.append(f"{pulled} && helm push {quote(f'{name}-{version}.tgz')} oci://{mirror}/{_home(each)}")
    return lines
