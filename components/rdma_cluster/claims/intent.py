"""What a pod wants of a node's GPUs and NICs, before any driver or Kubernetes version is known."""

import re

from pulumi_offline.frozen import frozen


def _at_least(field: str, got: int, least: int) -> None:
    if got < least:
        raise ValueError(f"{field}: got {got}; at least {least}")


@frozen
class Pairs:
    """``k`` GPUs, each with one NIC behind its own PCIe root.

    Rails are counted over the pairs a machine can form, in NIC order; ``first_rail`` is the lowest one taken.
    """

    k: int
    first_rail: int = 0

    def __post_init__(self) -> None:
        _at_least("pairs", self.k, 1)
        _at_least("first_rail", self.first_rail, 0)

    @property
    def slug(self) -> str:
        return f"pairs-{self.k}"

    def __str__(self) -> str:
        return f"{self.k} aligned GPU+NIC pair{'s' * (self.k > 1)}"


@frozen
class Groups:
    """``groups`` times ``gpus`` GPUs and ``nics`` NICs, each group behind one PCIe root."""

    groups: int
    gpus: int
    nics: int
    first_group: int = 0

    def __post_init__(self) -> None:
        for field in ("groups", "gpus", "nics"):
            _at_least(field, getattr(self, field), 1)
        _at_least("first_group", self.first_group, 0)

    @classmethod
    def parse(cls, text: str) -> "Groups":
        """One group from its short form, ``GPUSxNICS``: ``1x4``."""
        form = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", text, re.ASCII)
        if not form:
            raise ValueError(f"groups: got {text!r}; GPUs x NICs on one root, such as 1x4")
        return cls(1, int(form[1]), int(form[2]))

    @property
    def slug(self) -> str:
        return f"groups-{self.gpus}x{self.nics}-{self.groups}"

    def __str__(self) -> str:
        one = f"{self.gpus} GPU{'s' * (self.gpus > 1)} + {self.nics} NIC{'s' * (self.nics > 1)} on one PCIe root"
        return f"{self.groups} group{'s' * (self.groups > 1)} of {one}"


@frozen
class Numa:
    """All GPUs and NICs of one NUMA node."""

    node: int | None = None
    """``None`` takes the first that is known to hold both."""

    def __post_init__(self) -> None:
        if self.node is not None:
            _at_least("node", self.node, 0)

    @property
    def slug(self) -> str:
        return "numa" if self.node is None else f"numa-{self.node}"

    def __str__(self) -> str:
        return f"the GPUs and NICs of {'one NUMA node' if self.node is None else f'NUMA node {self.node}'}"


@frozen
class Whole:
    """Every GPU and every rail of the machine."""

    slug = "whole"

    def __str__(self) -> str:
        return "the whole node"


@frozen
class Nics:
    """Every rail of the machine and no GPU: for pods that get their GPUs from the device plugin."""

    slug = "nics"

    def __str__(self) -> str:
        return "all NICs"


@frozen
class Gpus:
    """``k`` GPUs and no NIC: for pods that talk inside their node alone. NVLink joins any of them."""

    k: int

    def __post_init__(self) -> None:
        _at_least("gpus", self.k, 1)

    @property
    def slug(self) -> str:
        return f"gpus-{self.k}"

    def __str__(self) -> str:
        return f"{self.k} GPU{'s' * (self.k > 1)} and no NIC"


Intent = Pairs | Groups | Numa | Whole | Nics | Gpus
