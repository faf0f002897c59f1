"""Which devices of one node the kube-scheduler would give to all claims of a pod, or that there are none.

The scheduler searches depth first and takes the first fit in slice order; all claims of a pod are solved together, a
constraint sees its own claim only, and the first device under a matchAttribute fixes the value
(k8s.io/dynamic-resource-allocation/structured, stable allocator). This search gives the same answer, but devices that
no claim can tell apart are tried once, and a state that failed is not entered again: an impossible request is decided
in steps that grow with the kinds of devices, not with the orders in which they can be taken.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .cel import Aborted, CelError, matches
from .device import Device, Value
from .template import Request, Template

MAX_DEVICES = 32
"""Devices of one claim's allocation (k8s.io/api/resource/v1 AllocationResultsMaxSize)."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """The devices of one pod."""

    devices: Mapping[tuple[str, str], tuple[Device, ...]]
    """By the names of template and request."""

    def all(self) -> Iterator[Device]:
        """Every device, in the order of claims and requests."""
        for devices in self.devices.values():
            yield from devices


@dataclass(frozen=True, slots=True)
class NoFit:
    """Why a node does not satisfy the claims."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Place:
    """One device that has to be found."""

    claim: int
    request: int
    exactly: Device | None = None
    """The device itself where the request is for All: it takes each match, or the node does not fit."""


def allocate(
    templates: Sequence[Template],
    devices: Sequence[Device],
    classes: Mapping[str, str],
    in_use: Collection[Device] = (),
) -> Allocation | NoFit:
    """Solve the claims on a node; raises ``Aborted`` where the scheduler would abort."""
    return _Search(templates, devices, classes, in_use).run()


def device_matches(request: Request, device: Device, classes: Mapping[str, str]) -> bool:
    """Whether the device passes the class's selector and then each of the request's, in the API's order."""
    if request.device_class not in classes:
        raise CelError(f"request {request.name}: the DeviceClass {request.device_class} does not exist")
    return all(matches(expression, device) for expression in (classes[request.device_class], *request.selectors))


class _Search:
    def __init__(
        self,
        templates: Sequence[Template],
        devices: Sequence[Device],
        classes: Mapping[str, str],
        in_use: Collection[Device],
    ) -> None:
        self.templates = templates
        self.taken: set[Device] = set(in_use)
        self.candidates = {
            (c, r): [(device, _verdict(request, device, classes)) for device in devices]
            for c, template in enumerate(templates)
            for r, request in enumerate(template.requests)
        }
        self.kind = self._kinds(devices)
        self.free = [0] * (max(self.kind.values(), default=-1) + 1)
        for device in devices:
            self.free[self.kind[device]] += device not in self.taken
        self.places: list[_Place] = []
        self.found: list[Device] = []
        # The value, with its type, that each constraint (claim, index) has taken on so far.
        self.fixed: dict[tuple[int, int], tuple[type, Value]] = {}
        self.dead: set[object] = set()
        self.furthest = 0

    def run(self) -> Allocation | NoFit:
        refusal = self._expand() or self._count()
        if refusal:
            return refusal
        self.last = self._last_places()
        if not self._place(0):
            place = self.places[self.furthest]
            if place.exactly:
                return NoFit(f"{self._where(place)}: asks for all, and {place.exactly.name} is in use")
            if self.templates[place.claim].requests[place.request].count is None:
                return NoFit(f"{self._where(place)}: asks for all, and no device matches")
            return NoFit(f"{self._where(place)}: no free device meets the constraints, whatever is taken before it")
        given: dict[tuple[str, str], tuple[Device, ...]] = {}
        for place, device in zip(self.places, self.found, strict=True):
            template = self.templates[place.claim]
            key = template.name, template.requests[place.request].name
            given[key] = (*given.get(key, ()), device)
        return Allocation(given)

    def _where(self, place: _Place) -> str:
        template = self.templates[place.claim]
        return f"{template.name}, request {template.requests[place.request].name}"

    def _expand(self) -> NoFit | None:
        """List the places to fill. All is settled here, by selectors alone and before any constraint."""
        for c, template in enumerate(self.templates):
            start = len(self.places)
            for r, request in enumerate(template.requests):
                place = _Place(c, r)
                if request.count is not None:
                    self.places += [place] * request.count
                    continue
                every = [(device, verdict) for device, verdict in self.candidates[c, r] if verdict is not False]
                for _, verdict in every:
                    if isinstance(verdict, CelError):
                        raise verdict
                # All of nothing fails when the search comes to it, as a place that no device fits.
                self.places += [replace(place, exactly=device) for device, _ in every] or [place]
            if len(self.places) - start > MAX_DEVICES:
                got = len(self.places) - start
                return NoFit(f"{template.name}: {got} devices; a claim holds at most {MAX_DEVICES}")
        return None

    def _count(self) -> NoFit | None:
        """Refuse what counting alone can, unless the search might come upon an error first."""
        verdicts = (verdict for pairs in self.candidates.values() for _, verdict in pairs)
        counts = {(c, r): self.templates[c].requests[r].count for c, r in self.candidates}
        if None in counts.values() or any(isinstance(verdict, CelError) for verdict in verdicts):
            return None
        for (c, r), pairs in self.candidates.items():
            asked = counts[c, r] or 0
            matching = [device for device, verdict in pairs if verdict]
            free = sum(device not in self.taken for device in matching)
            if free < asked:
                where = self._where(_Place(c, r))
                return NoFit(f"{where}: {len(matching)} devices match, {free} are free, asked for {asked}")
        return None

    def _kinds(self, devices: Sequence[Device]) -> dict[Device, int]:
        """Devices are of one kind when every request and every constraint sees them alike, and none asks for all."""
        attributes = sorted({c.match_attribute for template in self.templates for c in template.constraints})
        numbers: dict[object, int] = {}
        kinds = {}
        for index, device in enumerate(devices):
            seen: tuple[object, ...] = tuple(verdicts[index][1] for verdicts in self.candidates.values())
            if any(
                verdict and self.templates[c].requests[r].count is None
                for (c, r), verdict in zip(self.candidates, seen, strict=True)
            ):
                seen = (index,)
            values = tuple((type(value), value) for value in map(device.attributes.get, attributes))
            kinds[device] = numbers.setdefault((seen, values), len(numbers))
        return kinds

    def _last_places(self) -> dict[tuple[int, int], int]:
        """The place after which a constraint has no more say."""
        last: dict[tuple[int, int], int] = {}
        for at, place in enumerate(self.places):
            for index in self._constraints_on(place):
                last[place.claim, index] = at
        return last

    def _constraints_on(self, place: _Place) -> Iterator[int]:
        template = self.templates[place.claim]
        name = template.requests[place.request].name
        for index, constraint in enumerate(template.constraints):
            if not constraint.requests or name in constraint.requests:
                yield index

    def _place(self, at: int) -> bool:
        if at == len(self.places):
            return True
        self.furthest = max(self.furthest, at)
        place = self.places[at]
        state = at, tuple(self.free), frozenset(item for item in self.fixed.items() if self.last[item[0]] >= at)
        if state in self.dead:
            return False
        tried: set[int] = set()
        for device, verdict in self.candidates[place.claim, place.request]:
            if device in self.taken or place.exactly not in (None, device):
                continue
            if isinstance(verdict, CelError):
                raise verdict
            kind = self.kind[device]
            if not verdict or kind in tried:
                continue
            tried.add(kind)
            fixed = self._constrain(place, device)
            if fixed is None:
                if place.exactly:
                    raise Aborted(f"{self._where(place)}: asks for all, and {device.name} breaks a constraint")
                continue
            self.taken.add(device)
            self.found.append(device)
            self.free[kind] -= 1
            if self._place(at + 1):
                return True
            self.free[kind] += 1
            self.found.pop()
            self.taken.remove(device)
            for key in fixed:
                del self.fixed[key]
        self.dead.add(state)
        return False

    def _constrain(self, place: _Place, device: Device) -> list[tuple[int, int]] | None:
        """Hold the device against its claim's constraints: those it was first to fix, or ``None`` if it breaks one."""
        fixed: list[tuple[int, int]] = []
        for index in self._constraints_on(place):
            value = device.attributes.get(self.templates[place.claim].constraints[index].match_attribute)
            key = place.claim, index
            # A missing attribute rules the device out; values of different types never match.
            if value is None or self.fixed.get(key, (type(value), value)) != (type(value), value):
                for mine in fixed:
                    del self.fixed[mine]
                return None
            if key not in self.fixed:
                self.fixed[key] = type(value), value
                fixed.append(key)
        return fixed


def _verdict(request: Request, device: Device, classes: Mapping[str, str]) -> bool | CelError:
    try:
        return device_matches(request, device, classes)
    except CelError as error:
        return error
