"""What is fetched from outside: a container image or a Helm chart, exactly as the program that fetches it needs it."""

from collections.abc import Mapping
from enum import Enum
from types import ModuleType
from typing import TypeVar

from pulumi_offline.frozen import frozen
from .machine import Source

R = TypeVar("R")


class Certainty(str, Enum):
    """How sure it is that exactly this reference can be fetched. Nothing was pulled by us."""

    SURE = "sure"
    """A promoter's manifest, a publisher's index or notes with a digest, or somebody's recorded pull names it."""
    LIKELY = "likely"
    """The publisher's own manifest or workflow at the tag names it; no pull and no digest was seen."""


@frozen
class Image:
    """A container image at one tag, digest or both."""

    image: str
    """The reference as a container runtime takes it."""
    architectures: tuple[str, ...]
    """As in ``kubernetes.io/arch``."""
    certainty: Certainty
    source: Source
    preloaded: bool = False
    """Whether it is on the node already and in no registry: it is never pulled."""
    suffixes: tuple[str, ...] = ()
    """What a node's own program appends to the tag, by the systems and processors of our nodes. Such an image cannot be
    held to a digest: its reference is complete on the node alone."""

    @property
    def repository(self) -> str:
        """The reference without tag and digest."""
        return repository(self.image)


@frozen
class Chart:
    """A Helm chart at one version, with the image that its pods run."""

    title: str
    """What it installs, for people."""
    name: str
    """Name of the release: the chart's own."""
    chart: str
    """What Pulumi and Helm take: a name in ``repo``, or an OCI reference."""
    version: str
    """The version in the chart's own metadata. Pulumi's ``Release`` puts it in the place of any other before it
    downloads, so an OCI chart whose tag is spelled otherwise can only be had by digest."""
    certainty: Certainty
    image: Image | None
    """What its pods run, as its values are by default. A chart takes another under ``image.repository``; ``None`` where
    it runs none."""
    source: Source
    repo: str = ""
    """Address of the Helm repository, where the chart has one."""
    tag: str = ""
    """The tag that an OCI chart was published under."""
    image_in_pieces: bool = False
    """Whether we name its images ourselves, where its values have them by repository and name, version or tag."""


def records_of(module: ModuleType, kind: type[R]) -> tuple[R, ...]:
    """The records of one kind that a module of the catalogue names, in its order; one with two names counts once."""
    return tuple(dict.fromkeys(each for each in vars(module).values() if isinstance(each, kind)))


def repository(reference: str) -> str:
    """A reference without tag and digest: ``a.example:5000/b:1@sha256:...`` becomes ``a.example:5000/b``."""
    return in_parts(reference)[0]


def in_parts(reference: str) -> tuple[str, str]:
    """The repository, and what stands behind its colon: a tag, a tag with a digest, or nothing.

    Charts put the two together with a colon between, so a tag with a digest is as good to them as a tag.
    """
    head, slash, last = reference.rpartition("/")
    name, mark, digest = last.partition("@")
    name, _colon, tag = name.partition(":")
    return f"{head}{slash}{name}", f"{tag}{mark}{digest}"


def mirrored(reference: str, registries: Mapping[str, str]) -> str:
    """A reference where a mirror holds it: the longest prefix of whole parts in ``registries`` gives way to its value.

    Example: by ``{"registry.k8s.io": "m.example/k8s"}`` ``oci://registry.k8s.io/a`` becomes ``oci://m.example/k8s/a``.
    What is then the whole of another key gives way once more: a lock names digests by references at their mirror.
    """
    scheme, mark, rest = reference.rpartition("://")
    for prefix in sorted(registries, key=len, reverse=True):
        if rest == prefix or rest.startswith((f"{prefix}/", f"{prefix}:", f"{prefix}@")):
            rest = f"{registries[prefix]}{rest.removeprefix(prefix)}"
            break
    return f"{scheme}{mark}{registries.get(rest, rest)}"
