"""Which devices, and which states of a search, are alike: what failed once need not be tried in another disguise."""

from collections.abc import Collection, Hashable, Mapping

from .device import Device, Value

Key = tuple[int, int]
"""A constraint: the number of its claim, and its own in it."""
Typed = tuple[type, Value]


def typed(device: Device, attribute: str) -> Typed | None:
    """An attribute's value with its type, since a string never equals a number or a version."""
    value = device.attributes.get(attribute)
    return None if value is None else (type(value), value)


class Kinds:
    """Devices are of one kind when every request and every constraint sees them alike.

    States are compared further where all constraints are on one attribute: its values (the PCIe roots) can then be
    renamed freely, so a state is the bag of what each root still has, not which root has it.
    """

    def __init__(
        self, marks: Mapping[Device, Hashable], attributes: Collection[str], taken: Collection[Device]
    ) -> None:
        self.number: dict[Device, int] = {}
        """The kind of each device."""
        self.free: list[int] = []
        """Free devices of each kind; the search keeps it."""
        groups: dict[Hashable, int] = {}
        kinds: dict[Hashable, int] = {}
        # Of each value of the one attribute: the kinds that have it, with what requests see in them.
        self.roots: dict[Typed | None, list[tuple[int, int]]] = {}
        self.renamable = len(attributes) == 1
        for device, mark in marks.items():
            values = tuple(typed(device, attribute) for attribute in attributes)
            group = groups.setdefault(mark, len(groups))
            kind = kinds.setdefault((group, values), len(kinds))
            if kind == len(self.free):
                self.free.append(0)
                self.roots.setdefault(values[0] if self.renamable else None, []).append((group, kind))
            self.number[device] = kind
            self.free[kind] += device not in taken
        for members in self.roots.values():
            members.sort()

    def state(self, live: Mapping[Key, Typed]) -> Hashable:
        """What the rest of a search depends on: the free devices, and the values that constraints still hold."""
        if not self.renamable:
            return tuple(self.free), frozenset(live.items())
        left = {
            value: tuple((group, self.free[kind]) for group, kind in members if self.free[kind])
            for value, members in self.roots.items()
        }
        # No constraint ever takes a device without the attribute: that "root" is not one of them.
        rootless = left.pop(None, ())
        order = {value: place for place, value in enumerate(dict.fromkeys(live.values()))}
        fixed = tuple((key, order[value], left[value]) for key, value in live.items())
        return rootless, tuple(sorted(left.values())), fixed
