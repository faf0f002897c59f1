"""Which devices of one node the kube-scheduler would give to all claims of a pod, or that there are none.

The scheduler searches depth first and takes the first fit in slice order; all claims of a pod are solved together, a
constraint sees its own claim only, and the first device under a matchAttribute fixes the value
(k8s.io/dynamic-resource-allocation/structured, stable allocator). This search gives the same answer, but devices that
no claim can tell apart are tried once, and a state that failed is not entered again (``kinds``): an impossible request
is decided in steps that grow with the kinds of devices, not with the orders in which they can be taken.

Left out: firstAvailable, distinctAttribute, admin access, taints, shared counters and consumable capacity, none of
which is generated. Between the slices of two drivers the scheduler has no order; here it is the order of ``devices``.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from pulumi_offline.frozen import frozen
from .cel import Aborted, CelError, matches
from .device import Device
from .symmetry import Key, Kinds, Typed, typed
from .template import Request, Template

MAX_DEVICES = 32
"""Devices of one claim's allocation (k8s.io/api/resource/v1 AllocationResultsMaxSize)."""


@frozen
class Allocation:
    """The devices of one pod."""

    devices: Mapping[tuple[str, str], tuple[Device, ...]]
    """By the names of template and request."""

    def all(self) -> Iterator[Device]:
        """Every device, in the order of claims and requests."""
        for devices in self.devices.values():
            yield from devices


@frozen
class NoFit:
    """Why a node does not satisfy the claims."""

    reason: str


@frozen
class _Place:
    """One device that a request needs."""

    template: Template
    request: Request
    constraints: tuple[tuple[Key, str], ...]
    """Those that hold for it, with the attribute each compares."""
    exactly: Device | None = None
    """The device itself where the request is for All: it takes each match, or the node does not fit."""

    def __str__(self) -> str:
        return f"{self.template.name}, request {self.request.name}"


def allocate(
    templates: Sequence[Template],
    devices: Sequence[Device],
    classes: Mapping[str, str],
    in_use: Collection[Device] = (),
) -> Allocation | NoFit:
    """Solve the claims on a node; raises ``Aborted`` where the scheduler would abort."""
    return _Search(templates, devices, classes, in_use).run(devices)


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
        # Requests with the same class and selectors see the same devices; a device that does not match is in no list.
        self.candidates: dict[object, list[tuple[Device, bool | CelError]]] = {}
        for request in (request for template in templates for request in template.requests):
            if _asks(request) not in self.candidates:
                verdicts = ((device, _verdict(request, device, classes)) for device in devices)
                self.candidates[_asks(request)] = [pair for pair in verdicts if pair[1] is not False]
        self.places: list[_Place] = []
        self.chosen: list[Device] = []
        # The value, with its type, that each constraint has taken on so far.
        self.fixed: dict[Key, Typed] = {}
        self.dead: set[object] = set()
        self.furthest = 0

    def run(self, devices: Sequence[Device]) -> Allocation | NoFit:
        self._expand()
        if (refusal := self._count()) is not None:
            return refusal
        self.kinds = self._kinds(devices)
        # The place after which a constraint has no more say.
        self.last = {key: at for at, place in enumerate(self.places) for key, _ in place.constraints}
        if not self._fill(0):
            place = self.places[self.furthest]
            if place.exactly:
                return NoFit(f"{place}: asks for all, and {place.exactly.name} is in use")
            if place.request.count is None:
                return NoFit(f"{place}: asks for all, and no device matches")
            return NoFit(f"{place}: no free device meets the constraints, whatever is taken before it")
        by_request: dict[tuple[str, str], tuple[Device, ...]] = {}
        for place, device in zip(self.places, self.chosen, strict=True):
            key = place.template.name, place.request.name
            by_request[key] = (*by_request.get(key, ()), device)
        return Allocation(by_request)

    def _expand(self) -> None:
        """List the places to fill. All is settled here, by selectors alone and before any constraint."""
        for c, template in enumerate(self.templates):
            total = 0
            for request in template.requests:
                constraints = tuple(
                    ((c, index), constraint.match_attribute)
                    for index, constraint in enumerate(template.constraints)
                    if not constraint.requests or request.name in constraint.requests
                )
                place = _Place(template, request, constraints)
                if request.count is not None:
                    self.places += [place] * request.count
                    total += request.count
                    continue
                for _, verdict in self.candidates[_asks(request)]:
                    if isinstance(verdict, CelError):
                        raise verdict
                every = [replace(place, exactly=device) for device, _ in self.candidates[_asks(request)]]
                # All of nothing fails when the search comes to it, as a place that no device fits.
                self.places += every or [place]
                total += len(every)
            if total > MAX_DEVICES:
                raise Aborted(f"{template.name}: {total} devices; a claim holds at most {MAX_DEVICES}")

    def _count(self) -> NoFit | None:
        """Refuse what counting alone can, unless the search might come upon an error first."""
        errors = any(isinstance(verdict, CelError) for pairs in self.candidates.values() for _, verdict in pairs)
        if errors or any(place.request.count is None for place in self.places):
            return None
        for place in dict.fromkeys(self.places):
            matching = self.candidates[_asks(place.request)]
            free = sum(device not in self.taken for device, _ in matching)
            count = place.request.count or 0
            if free < count:
                return NoFit(f"{place}: {len(matching)} devices match, {free} are free, asked for {count}")
        return None

    def _kinds(self, devices: Sequence[Device]) -> Kinds:
        """Tell devices apart by the requests that they match; one that All must have stands for itself."""
        marks: dict[Device, list[object]] = {device: [] for device in devices}
        for asks, pairs in self.candidates.items():
            for device, verdict in pairs:
                marks[device].append((asks, verdict))
        for place in self.places:
            if place.exactly:
                marks[place.exactly].append(place.exactly)
        attributes = {name for place in self.places for _, name in place.constraints}
        return Kinds({device: tuple(mark) for device, mark in marks.items()}, attributes, self.taken)

    def _fill(self, at: int) -> bool:
        if at == len(self.places):
            return True
        self.furthest = max(self.furthest, at)
        place = self.places[at]
        live = {key: value for key, value in self.fixed.items() if self.last[key] >= at}
        state = at, self.kinds.state(live)
        if state in self.dead:
            return False
        tried: set[int] = set()
        for device, verdict in self.candidates[_asks(place.request)]:
            if device in self.taken or place.exactly not in (None, device):
                continue
            if isinstance(verdict, CelError):
                raise verdict
            kind = self.kinds.number[device]
            if kind in tried:
                continue
            tried.add(kind)
            mine = self._constrain(place, device)
            if mine is None:
                if place.exactly:
                    raise Aborted(f"{place}: asks for all, and {device.name} breaks a constraint")
                continue
            self.fixed |= mine
            self.taken.add(device)
            self.chosen.append(device)
            self.kinds.free[kind] -= 1
            if self._fill(at + 1):
                return True
            self.kinds.free[kind] += 1
            self.chosen.pop()
            self.taken.remove(device)
            for key in mine:
                del self.fixed[key]
        self.dead.add(state)
        return False

    def _constrain(self, place: _Place, device: Device) -> dict[Key, Typed] | None:
        """Hold the device against its constraints: the values it is first to fix, or ``None`` if it breaks one."""
        mine: dict[Key, Typed] = {}
        for key, attribute in place.constraints:
            value = typed(device, attribute)
            # A missing attribute rules the device out; values of different types never match.
            if value is None or self.fixed.get(key, value) != value:
                return None
            if key not in self.fixed:
                mine[key] = value
        return mine


def _asks(request: Request) -> object:
    return request.device_class, request.selectors


def _verdict(request: Request, device: Device, classes: Mapping[str, str]) -> bool | CelError:
    try:
        return device_matches(request, device, classes)
    except CelError as error:
        return error
