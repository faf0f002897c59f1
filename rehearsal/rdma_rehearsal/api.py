"""A simulated API: it creates, changes and deletes resources, takes its time, and refuses what the real one does."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pulumi_offline import computed
from pulumi_offline.codec import SECRET, SIGNATURE, unwrap
from pulumi_offline.constraints import ExistingResources, broken, refused_changes
from pulumi_offline.graph import type_and_name
from pulumi_offline.immutable import fixed
from rdma_cluster.catalog.latencies import latency
from .clock import Clock
from .cloud import Cloud, Inputs, Named, Path
from .controlplane.objects import ControlPlane, filled
from .faults import AT_CREATION, LAG_SECONDS, OF_CHANGES, FaultPlan, Kind
from .inventory import Inventory, Refusal, Thing, texts
from .naming import label, paths
from .reads import returned
from .secret_leaks import SENSITIVE

DEFAULT_TIMEOUT = 3600.0
"""Seconds that a provider waits where a program sets no timeout."""


class HalfDone(Exception):
    """The resource exists, but is not as it should be."""

    def __init__(self, thing: Thing, reason: str) -> None:
        self.thing = thing
        super().__init__(reason)


class Api:
    """One cloud. ``settings`` are those of the provider that asks: its region, its project, its cluster."""

    def __init__(
        self,
        cloud: Cloud,
        inventory: Inventory,
        clock: Clock,
        fault_plan: FaultPlan,
        control_plane: ControlPlane | None = None,
    ) -> None:
        """``control_plane`` judges what it takes, in place of the constraints; the waiting stays simulated."""
        self.cloud, self._inventory, self._clock, self._fault_plan = cloud, inventory, clock, fault_plan
        self._control_plane = control_plane
        self._unseen: dict[str, float] = {}
        """Labels of resources that exist and cannot be seen yet, to the time from which they can."""

    def create(self, urn: str, inputs: Inputs, settings: Inputs, timeout: float) -> Thing:
        """Create a resource. Raises ``Refusal`` where none is created, ``HalfDone`` where one is and is not ready."""
        token, name = type_and_name(urn)
        bare = plain(inputs)
        fault = self._fault_plan.of(urn, token, name)
        with self._inventory.lock:
            thing = self._checked(token, name, bare, inputs, settings)
            if fault in (Kind.BEFORE, Kind.QUOTA):
                raise Refusal(self._say("quota" if fault is Kind.QUOTA else "unavailable", thing))
            thing = self._made(thing, inputs)
            self._inventory.put(thing)
        return self._await(thing, fault, timeout)

    def update(self, id_: str, urn: str, old: Inputs, new: Inputs, settings: Inputs, timeout: float) -> Thing:
        """Change a resource in place. Raises the same errors."""
        token, name = type_and_name(urn)
        with self._inventory.lock:
            home = self.home(settings)
            before = self._inventory.get(id_)
            if before is None:
                raise Refusal(self.cloud.error_texts.absent.format(token=token, name=name, other=id_))
            bare = plain(new)
            others = self._inventory.existing(self.cloud, home, before.id)
            self._refuse_broken(token, bare, others, plain(old))
            self._inventory.refuse_references(self.cloud, token, name, bare)
            fault = self._fault_plan.of(urn, token, name, OF_CHANGES if before.ready else AT_CREATION)
            if fault is Kind.BEFORE:
                raise Refusal(self._say("unavailable", before))
            path, within = paths(self.cloud, token, bare, home)
            outputs = self._outputs(token, before.label, new, settings, before.outputs)
            thing = replace(before, path=path or before.path, within=within, inputs=bare, outputs=outputs)
            thing = self._made(thing, new)
            self._inventory.put(thing)
        return self._await(thing, fault, timeout)

    def delete(self, id_: str, settings: Inputs) -> None:
        """Delete a resource. One that does not exist is no error. Raises ``Refusal``."""
        if (thing := self._inventory.get(id_)) is None:
            return
        self.home(settings)
        with self._inventory.lock:
            self._inventory.refuse_removal(self.cloud, thing)
        self._clock.sleep(latency(thing.token).delete)
        with self._inventory.lock:
            if self._control_plane:
                self._control_plane.remove(thing.path)
            self._inventory.remove(id_)

    def read(self, id_: str) -> Thing | None:
        """The resource with an id; ``None`` where none exists."""
        thing = self._inventory.get(id_)
        if thing is not None and self._control_plane and self._control_plane.has_lost(thing.path):
            self._inventory.remove(id_)
            return None
        return thing

    def answer(self, thing: Thing) -> dict[str, Any]:
        """What the API returns of a resource."""
        return returned(thing, self._inventory)

    def home(self, settings: Inputs) -> Path:
        """Where a provider works. Raises ``Refusal`` where that is gone."""
        if self.cloud.package != "kubernetes":
            return (str(settings.get(self.cloud.regional, "")),)
        known_as = str(settings.get("clusterIdentifier", ""))
        if cluster := next((each for each in self._inventory if _is_cluster(each, known_as)), None):
            return cluster.path
        if any(_is_cluster(each, known_as) for each in self._inventory.gone()):
            raise Refusal(f"configured Kubernetes cluster is unreachable: {known_as}: no such host")
        return ("kubernetes", "cluster", known_as)

    def _checked(self, token: str, name: str, bare: Inputs, inputs: Inputs, settings: Inputs) -> Thing:
        """The resource as it will be created. Raises ``Refusal``."""
        home = self.home(settings)
        path, within = paths(self.cloud, token, bare, home)
        known_as = label(self.cloud, token, name, bare)
        self._refuse_broken(token, bare, self._inventory.existing(self.cloud, home))
        self._inventory.refuse_creation(self.cloud, token, path, within, bare)
        hidden = [each for each, until in self._unseen.items() if until > self._clock.now()]
        if unseen := next((each for each in hidden if any(each in text for text in texts(bare))), None):
            raise Refusal(self.cloud.error_texts.absent.format(token=token, name=name, other=unseen))
        outputs = self._outputs(token, known_as, inputs, settings, {})
        form = self.cloud.ids.get(token)
        id_ = form.format_map(bare) if form else computed.identify(token, known_as)
        own = path or (self.cloud.package, "id", id_)
        kept_back = self.cloud.named.get(token, Named(())).blocks
        return Thing(id_, token, name, known_as, own, home, within, kept_back, False, dict(bare), outputs)

    def _refuse_broken(self, token: str, bare: Inputs, others: ExistingResources, old: Inputs | None = None) -> None:
        """Raises ``Refusal`` for constraints that inputs or a change break, unless an API server judges them."""
        if self._control_plane and self._control_plane.takes(token, bare):
            return
        changes = refused_changes(token, old, bare) if old is not None else []
        if refused := changes or broken(token, bare, others):
            raise Refusal("; ".join(f"{each.path}: {each.words}" for each in refused))

    def _made(self, thing: Thing, inputs: Inputs) -> Thing:
        """The same resource as the API server has it, where there is one. Raises ``Refusal``."""
        if self._control_plane is None:
            return thing
        self._control_plane.agree(self._inventory)
        if not self._control_plane.takes(thing.token, thing.inputs):
            return thing
        live = self._control_plane.make(thing.path, thing.inputs)
        return replace(thing, outputs=filled(thing.outputs, inputs, live))

    def _await(self, thing: Thing, fault: Kind | None, timeout: float) -> Thing:
        """Wait as long as the type takes. Raises ``HalfDone``."""
        limit = timeout or DEFAULT_TIMEOUT
        takes = latency(thing.token).create
        late = fault in (Kind.TIMEOUT, Kind.CAPACITY) or takes > limit
        self._clock.sleep(limit if late else takes)
        if late or fault is Kind.AFTER:
            how = "capacity" if fault is Kind.CAPACITY else "timeout" if late else "unavailable"
            self._inventory.put(replace(thing, ready=False))
            raise HalfDone(thing, self._say(how, thing, f"{limit:.0f}s"))
        if fault is Kind.LAG:
            self._unseen[thing.label] = self._clock.now() + LAG_SECONDS
        ready = replace(thing, ready=True)
        self._inventory.put(ready)
        return ready

    def _outputs(self, token: str, known_as: str, inputs: Inputs, settings: Inputs, before: Inputs) -> dict[str, Any]:
        defaults = {key: value for key, value in settings.items() if isinstance(value, str)}
        kept = self.cloud.kept(token, inputs)
        promised = {**kept, **sealed(computed.complete(token, known_as, kept, defaults))}
        count = self.cloud.counts.get(token)
        counted = {count: before.get(count, 0) + 1} if count else {}
        return {**self.cloud.read_back(token, kept, promised), **counted}

    def _say(self, how: str, thing: Thing, other: str = "") -> str:
        return getattr(self.cloud.error_texts, how).format(token=thing.token, name=thing.label, other=other)


def _is_cluster(thing: Thing, known_as: str) -> bool:
    """Whether a thing is the cluster that a provider's ``clusterIdentifier`` ends with."""
    name = thing.inputs.get("resourceName", thing.inputs.get("name"))
    row = fixed(thing.token)
    return row is not None and row.role == "cluster" and name == known_as.rpartition("/")[2]


def sealed(value: Any, key: str = "") -> Any:
    """Made-up outputs, with those marked that a provider returns as secrets by its schema: keys and tokens."""
    if isinstance(value, str):
        return {SIGNATURE: SECRET, "value": value} if key in SENSITIVE else value
    if isinstance(value, Mapping) and SIGNATURE not in value:
        return {name: sealed(inner, name) for name, inner in value.items()}
    return [sealed(item, key) for item in value] if isinstance(value, list) else value


def plain(value: Any) -> Any:
    """A value without the marks of secrets."""
    value = unwrap(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    return {key: plain(item) for key, item in value.items()} if isinstance(value, dict) else value
