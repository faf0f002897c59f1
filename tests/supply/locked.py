"""Answers of registries that a test makes up: a digest of each reference."""

from collections.abc import Iterable
from hashlib import sha256

from rdma_cluster.supply.fetched import Fetched
from rdma_cluster.supply.lock import Locked


class Registries:
    """Registries that answer everything, with what a test puts in an answer's place."""

    def __init__(self) -> None:
        self.other: dict[str, Locked | str] = {}

    def ask(self, wanted: Iterable[Fetched]) -> dict[str, Locked | str]:
        """Answer as ``registry.ask`` does."""
        return {each.reference: self.other.get(each.reference, answer(each)) for each in wanted}


def answer(each: Fetched, content: str = "") -> Locked:
    """A registry's answer, whose digest is the one of the reference, or of further content."""
    named = each.reference.partition("@")[2]
    digest = named or f"sha256:{sha256((each.reference + content).encode()).hexdigest()}"
    platforms = dict.fromkeys(each.architectures, digest)
    return Locked(each.reference, each.kind, digest, 1024, "a/b", platforms, holds=each.holds)
