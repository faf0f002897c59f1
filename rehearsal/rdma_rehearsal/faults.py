"""Failures of the simulated clouds, on demand: ``KIND:WHAT[#N]``."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from threading import Lock

from pulumi_offline.errors import InputError, Refused, show


class Kind(str, Enum):
    """How a creation goes wrong, and by the first two a change in place."""

    BEFORE = "before"
    """It fails, and nothing exists or has changed."""
    AFTER = "after"
    """It fails, and the resource exists or has changed all the same, as the provider reports."""
    TIMEOUT = "timeout"
    """It takes longer than the provider waits; the resource exists."""
    LAG = "lag"
    """It succeeds, and for a minute other requests do not see the resource."""
    VANISH = "vanish"
    """It succeeds, and then somebody deletes the resource behind the engine's back."""
    QUOTA = "quota"
    """No more of this type can be created until the quota is raised."""
    CAPACITY = "capacity"
    """The zone or the reservation has too few machines until more arrive."""


LASTING = frozenset({Kind.QUOTA, Kind.CAPACITY})
"""Kinds that do not pass by themselves."""
AT_CREATION = frozenset(Kind) - {Kind.VANISH}
OF_CHANGES = frozenset({Kind.BEFORE, Kind.AFTER})
"""Kinds that strike the change of a resource which is ready; one that never was is still being created."""
LAG_SECONDS = 60.0


@dataclass(frozen=True)
class Fault:
    """One failure."""

    kind: Kind
    what: str
    """A pattern of type, name or both: ``NodePool``, ``gcp:container/*``, ``gke-a4``, ``NodePool gke-a4``, ``*``."""
    nth: int | None = None
    """Which creation or change among those that fit, from 1; every one where it is ``None``."""

    def __str__(self) -> str:
        return f"{self.kind.value}:{self.what}" + (f"#{self.nth}" if self.nth else "")

    def fits(self, token: str, name: str) -> bool:
        """Whether it strikes a resource."""
        kind = token.rpartition(":")[2]
        return any(fnmatchcase(each, self.what) for each in (token, kind, name, f"{kind} {name}"))


def read_fault(text: str) -> Fault:
    """A fault as an option writes it. Raises ``Refused``."""
    kind, _, rest = text.partition(":")
    what, _, count = rest.partition("#")
    known = [each.value for each in Kind]
    if kind not in known or not what or not (not count or (count.isdigit() and int(count) > 0)):
        remedy = f"write KIND:WHAT or KIND:WHAT#N, KIND one of {', '.join(known)}, WHAT a type or a name"
        raise Refused([InputError(("--fault",), f"got {show(text)}; {remedy}, e.g. capacity:NodePool#2")])
    return Fault(Kind(kind), what, int(count) if count else None)


class FaultPlan:
    """Decides what happens to each creation and change. A fault that passes strikes each resource once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.arm()

    def arm(self, *faults: Fault) -> None:
        """From now on these failures strike, and no others."""
        with self._lock:
            self._faults = faults
            self._counted = Counter[Fault]()
            self._struck: set[tuple[Fault, str]] = set()

    def of(self, urn: str, token: str, name: str, kinds: Collection[Kind] = AT_CREATION) -> Kind | None:
        """The failure, of these kinds, that strikes now."""
        with self._lock:
            for fault in self._faults:
                if fault.kind not in kinds or not fault.fits(token, name):
                    continue
                again, lasts = (fault, urn) in self._struck, fault.kind in LASTING
                self._counted[fault] += not (lasts and again)
                if lasts or fault.nth is None:
                    self._struck.add((fault, urn))
                if fault.nth is None:
                    strikes = lasts or not again
                else:
                    strikes = self._counted[fault] == fault.nth or (lasts and self._counted[fault] > fault.nth)
                if strikes:
                    return fault.kind
        return None

    def struck(self) -> set[str]:
        """The URNs of the resources that were struck."""
        with self._lock:
            return {urn for _, urn in self._struck}
