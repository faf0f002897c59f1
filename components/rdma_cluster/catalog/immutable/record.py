"""The record of what is decided once."""

from dataclasses import dataclass

from ..machine import Source


@dataclass(frozen=True)
class Fixed:
    """Inputs of one resource type that cannot change while the object lives."""

    inputs: tuple[str, ...]
    """Paths in the engine's spelling; what lies below one is fixed with it, and indices are left out."""
    source: Source
    grows: tuple[str, ...] = ()
    """Of these, blocks of addresses that may grow in place, and not shrink or move."""

    def holds(self, path: str) -> bool:
        """Whether the input at ``path``, as ``nodeConfig.taints[0].key``, is fixed."""
        plain = "".join(part.partition("]")[2] if "]" in part else part for part in path.split("["))
        return any(plain == each or plain.startswith(f"{each}.") for each in self.inputs)
