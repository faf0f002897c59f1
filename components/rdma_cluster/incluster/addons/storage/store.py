"""Where a stack keeps its data: one choice of several, and what pods find of it, the same on every cloud."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from pulumi_offline.errors import ErrorList
from pulumi_offline.frozen import frozen
from ....base.args import hints, to_camel
from ....base.kubernetes_names import check_object_name
from ....component.outputs import StoredData
from ...plan.claim_templates import new_namespaces
from .args import StorageKind
from .plan import SharedVolumePlan


@frozen
class Mounted:
    """How nodes mount a store of ours."""

    driver: str
    """The CSI driver."""
    options: tuple[str, ...] = ()
    separator: str = ":"
    """What the driver leaves out of a volume's handle, with all that follows; empty where it leaves out nothing, and
    one namespace alone can use the store."""
    fs_type: str = ""
    """What the driver calls the file system; empty where it asks for no name."""
    capacity_gib: int = 1
    """1 of what has no size."""


@frozen
class Store:
    """A store, as pods use it."""

    kind: StorageKind
    claim: str = ""
    """Name of the claim in each namespace; empty where there is none."""
    mounted: Mounted | None = None
    """Of what we make volumes and claims; ``None`` of what is there already."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    """What a pod that uses the claim is annotated with."""
    storage_class: str = ""
    volume: str = ""

    @property
    def capacity_gb(self) -> int | None:
        """Whole GB; ``None`` where it has no size, or none that is known."""
        gib = self.mounted.capacity_gib if self.mounted else 1
        return (gib << 30) // 10**9 if gib > 1 else None


@frozen
class StoragePlace:
    """A store, and the namespaces whose pods use it."""

    store: Store
    namespaces: Sequence[str]
    new: bool
    """Whether nothing else makes the namespaces."""

    @property
    def volume(self) -> SharedVolumePlan | None:
        """The volumes and claims of a store of ours; ``None`` where it is there already."""
        if (mounted := self.store.mounted) is None:
            return None
        return SharedVolumePlan(
            driver=mounted.driver,
            namespaces=tuple(self.namespaces),
            claim=self.store.claim,
            separator=mounted.separator,
            fs_type=mounted.fs_type or None,
            mount_options=mounted.options or None,
            capacity_gib=mounted.capacity_gib,
            new_namespaces=tuple(new_namespaces(self.namespaces)) if self.new else (),
        )

    def output(self, name: Any) -> StoredData:
        """The output of a stack; ``name`` is the cloud's own name of what we made."""
        return {
            "kind": self.store.kind.value,
            "claim": self.store.claim,
            "namespaces": list(self.namespaces) if self.store.claim else [],
            "annotations": dict(self.store.annotations),
            "storageClass": self.store.storage_class,
            "volume": self.store.volume,
            "store": name,
        }


class Stored(Protocol):
    """A cloud's plan of its storage."""

    @property
    def store(self) -> Store: ...


_KINDS = {"object_store": StorageKind.OBJECT_STORE, "lustre": StorageKind.LUSTRE, "existing": StorageKind.EXISTING}
_OF_EXISTING = {"claim": "PersistentVolumeClaim", "storage_class": "StorageClass", "volume": "PersistentVolume"}


def one_kind(choice: Mapping[str, Any], kinds: type, errors: ErrorList) -> StorageKind | None:
    """The kind that the choice names, of those that the shape ``kinds`` has; an error unless it names exactly one."""
    key = _only_key(choice, [key for key in _KINDS if key in hints(kinds)], "say", ", or leave it out", errors)
    return None if key is None else _KINDS[key]


def existing_store(existing: Mapping[str, Any], errors: ErrorList) -> Store | None:
    """What is there already, by its name."""
    if (key := _only_key(existing, _OF_EXISTING, "name", "", errors)) is None:
        return None
    check_object_name(existing[key], _OF_EXISTING[key], errors.at(key))
    return Store(StorageKind.EXISTING, **{key: existing[key]})


def _only_key(
    choice: Mapping[str, Any], known: Collection[str], verb: str, if_empty: str, errors: ErrorList
) -> str | None:
    """The one key of ``known`` that the choice has; an error where it has none or several."""
    chosen = [key for key in known if key in choice]
    if len(chosen) == 1:
        return chosen[0]
    *most, last = map(to_camel, known)
    got = f"got {' and '.join(map(to_camel, chosen))}" if chosen else "empty"
    errors.add(f"{got}; {verb} exactly one of {', '.join(most)} and {last}{'' if chosen else if_empty}")
    return None


def check_capacity(
    capacity: int, step: int, errors: ErrorList, smallest: int | None = None, most: int | None = None
) -> None:
    """A size that the cloud sells: a multiple of a step, or one that is smaller."""
    if capacity == smallest:
        return
    if capacity < 1 or capacity % step or (most is not None and capacity > most):
        below = max(capacity, 0) // step * step
        sold = sorted(each for each in (below, below + step, smallest, most) if each and each <= (most or each))
        around = [*[each for each in sold if each < capacity][-1:], *[each for each in sold if each > capacity][:1]]
        near = [f"{each:,}" for each in around]
        up_to = f" up to {most:,}" if most is not None else ""
        nearest = f"; nearest {'is' if len(near) == 1 else 'are'} {' and '.join(near)}" if near else ""
        smaller = f"{smallest:,}, or " if smallest else ""
        errors.add(f"got {capacity}; must be {smaller}a multiple of {step:,}{up_to}{nearest}")


def check_throughput(throughput: int, known: Sequence[int], errors: ErrorList) -> None:
    """A throughput that the cloud sells."""
    if throughput not in known:
        errors.add(f"got {throughput}; choose one of {', '.join(map(str, known))}")


def asked_store(asked: bool, plan: Stored | None) -> Store | None:
    """What pods use; any claim where the stack's storage has errors of its own, which are collected elsewhere."""
    if not asked:
        return None
    return Store(StorageKind.EXISTING, claim="storage") if plan is None else plan.store
