"""References of container images that a user names in the place of the pinned ones."""

import re

from ...faults import Faults
from ...unread import rule

# The grammar of https://pkg.go.dev/github.com/distribution/reference, with SHA-256 as the only digest.
_HOST = r"(?:[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[-A-Za-z0-9]*[A-Za-z0-9])?)*(?::\d+)?/)?"
_PART = r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*"
_REFERENCE = re.compile(
    rf"(?P<name>{_HOST}{_PART}(?:/{_PART})*)(?::\w[-.\w]{{0,127}})?(?:@sha256:[0-9a-f]{{64}})?", re.ASCII
)
_LONGEST = 255


@rule
def check_image(image: str, faults: Faults) -> None:
    """A reference that a container runtime reads."""
    match = _REFERENCE.fullmatch(image)
    if not image:
        faults.add("empty; name it, or leave the key out")
    elif match is None or len(match["name"]) > _LONGEST:
        faults.add(f"got {image!r}, no reference of an image; write REGISTRY/NAME:TAG or REGISTRY/NAME@sha256:DIGEST")
