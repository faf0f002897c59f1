"""What is wrong with an input: where it stands, why, and what to do about it; all of it told together."""

from dataclasses import dataclass

Path = tuple[str | int, ...]
"""Keys and indices from the outermost in: ``("pools", 0, "nodes")``."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, where it stands, and what to do about it."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{spell(self.path)}: {self.reason}" if self.path else self.reason


class Refused(ValueError):
    """The input cannot work; ``faults`` holds every reason, none has a resource behind it."""

    def __init__(self, faults: list[Fault]):
        self.faults = faults
        super().__init__("\n".join(map(str, faults)))


class Faults:
    """Collects faults below one path; ``at`` gives a view of a deeper one."""

    def __init__(self, path: Path = (), found: list[Fault] | None = None):
        self._path = path
        self._found: list[Fault] = [] if found is None else found

    def at(self, *path: str | int) -> "Faults":
        return Faults(self._path + path, self._found)

    def add(self, reason: str) -> None:
        fault = Fault(self._path, reason)
        if fault not in self._found:
            self._found.append(fault)

    def __bool__(self) -> bool:
        """Whether anything was found at or below this path."""
        return any(fault.path[: len(self._path)] == self._path for fault in self._found)

    def found(self) -> list[Fault]:
        """What was found, in order, wherever it stands."""
        return list(self._found)


def spell(path: Path) -> str:
    """``("pools", 0, "nodes")`` as ``pools[0].nodes``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
