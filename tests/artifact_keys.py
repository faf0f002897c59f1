"""The keys of ``artifacts``, for the tests that go through every key of a stack."""

import json
from collections.abc import Mapping

MIRRORS_ONLY = "refuses a plan or lets it be, and makes nothing"
_DIGEST = f"sha256:{'0' * 64}"
_NOTHING: Mapping[str, str] = {}


def digests_only(*tags: str, mirrors: Mapping[str, str] = _NOTHING) -> dict[str, tuple[str, ...]]:
    """What sets ``digestsOnly`` on a stack that fetches these by a tag: each gets a made-up digest, as of a lock."""
    lines = {**mirrors, **{tag: f"{tag}@{_DIGEST}" for tag in tags}}
    registries = (f"registries={json.dumps(lines)}",) if lines else ()
    return {"artifacts.digests_only": (*registries, "artifacts.digestsOnly=true")}
