"""Images as the values of NVIDIA's operators write them: repository, name and version, each under a key of its own."""

from collections.abc import Mapping
from typing import Any

from ...catalog.artifact import Image, mirrored
from ...fabrics.rollout import GPU_TOLERATION


def in_pieces(image: Image, registries: Mapping[str, str], version: str = "version") -> dict[str, str]:
    """An image where a mirror holds it; ``version`` is the key of its tag."""
    place, _, tag = mirrored(image.image, registries).rpartition(":")
    repository, _, name = place.rpartition("/")
    return {"repository": repository, "image": name, version: tag}


def feature_discovery(image: Image, tolerated: list[dict[str, str]], registries: Mapping[str, str]) -> dict[str, Any]:
    """Values of NFD's chart, which both operators hold: its worker tolerates the GPU taint by itself, and no other."""
    repository, _, tag = mirrored(image.image, registries).rpartition(":")
    values: dict[str, Any] = {"image": {"repository": repository, "tag": tag}}
    if tolerated:
        values["worker"] = {"tolerations": [GPU_TOLERATION, *tolerated]}
    return values
