"""The resources of the simulated clouds, kept on disk, and what the clouds refuse because of them."""

import json
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import RLock
from typing import Any

from pulumi_offline.constraints import Existing, ExistingResources
from .cloud import Cloud, Path as NamePath


class Refusal(Exception):
    """The API says no, in its own words."""


@dataclass(frozen=True)
class Thing:
    """One resource that exists."""

    id: str
    token: str
    name: str
    """Its logical name in the program."""
    label: str
    """A text in each of its made-up outputs and in no other's: references to it are recognised by this."""
    path: NamePath
    """Its identity beside its id."""
    home: NamePath
    """The region or cluster of the provider that created it."""
    within: NamePath
    """The path of the resource that contains it; empty where none does."""
    blocks: bool
    """Whether the resource that contains it cannot be deleted before it."""
    ready: bool
    """Whether its creation or change succeeded."""
    inputs: dict[str, Any] = field(repr=False)
    """Without marks of secrets."""
    outputs: dict[str, Any] = field(repr=False)
    """As the engine got them."""

    def is_named_in(self, text: str) -> bool:
        """Whether a text is an output of this resource."""
        return text == self.id or self.label in text


class Inventory:
    """All simulated clouds. The journal in ``folder`` is their state."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.lock = RLock()
        self._journal = folder / "journal.jsonl"
        self._journal.touch()
        self.restore(self.snapshot())

    def __iter__(self) -> Iterator[Thing]:
        with self.lock:
            return iter(list(self._things.values()))

    def __len__(self) -> int:
        return len(self._things)

    def get(self, id_: str) -> Thing | None:
        """The resource with an id; ``None`` where none exists."""
        return self._things.get(id_)

    def gone(self) -> list[Thing]:
        """Resources that existed and do no longer."""
        with self.lock:
            return [thing for id_, thing in self._gone.items() if id_ not in self._things]

    def at(self, path: NamePath) -> Thing | None:
        """The resource at a path."""
        return next((thing for thing in self if thing.path == path), None) if path else None

    def put(self, thing: Thing) -> None:
        """Add or replace a resource."""
        with self.lock:
            self._write({"put": asdict(thing)})

    def remove(self, id_: str) -> None:
        """Remove a resource with all that it contains. One that does not exist is no error."""
        with self.lock:
            if (thing := self._things.get(id_)) is None:
                return
            self._write({"remove": id_})
            # Also what lies in a namespace of a cluster, whoever created the namespace.
            for inner in [each for each in self if each.within[: len(thing.path)] == thing.path]:
                self.remove(inner.id)

    def snapshot(self) -> str:
        """The whole journal, as ``restore`` takes it."""
        return self._journal.read_text()

    def restore(self, journal: str) -> None:
        """Go back to a snapshot."""
        with self.lock:
            self._things: dict[str, Thing] = {}
            self._gone: dict[str, Thing] = {}
            self._journal.write_text(journal)
            for line in journal.splitlines():
                self._apply(json.loads(line))

    def existing(self, cloud: Cloud, home: NamePath, but: str = "") -> ExistingResources:
        """The resources of one cloud in one region or cluster, all but one, as the constraints read them."""
        return ExistingResources(
            Existing(
                each.token, each.inputs, frozenset({each.id, each.label, each.path[-1], f"{each.token} {each.label}"})
            )
            for each in self
            if each.token.partition(":")[0] == cloud.package and each.home == home and each.id != but
        )

    def refuse_creation(self, cloud: Cloud, token: str, path: NamePath, within: NamePath, inputs: Any) -> None:
        """Raises ``Refusal`` where a name is taken, or where what contains it or what it refers to does not exist."""
        name = path[-1] if path else token
        if path and self.at(path):
            raise Refusal(cloud.error_texts.exists.format(token=token, name=name))
        if early := next((each for each in self if path and each.within == path), None):
            raise Refusal(f"{name} did not exist when {early.label} was made in it")
        self.refuse_references(cloud, token, name, inputs)
        if within and self.at(within) is None and any(each.path == within for each in self.gone()):
            raise Refusal(cloud.error_texts.absent.format(token=token, name=name, other=within[-1]))

    def refuse_references(self, cloud: Cloud, token: str, name: str, inputs: Any) -> None:
        """Raises ``Refusal`` where inputs name a resource that is gone."""
        gone = self.gone()
        for text in texts(inputs):
            if missing := next((each for each in gone if each.is_named_in(text)), None):
                raise Refusal(cloud.error_texts.absent.format(token=token, name=name, other=missing.label))

    def refuse_removal(self, cloud: Cloud, thing: Thing) -> None:
        """Raises ``Refusal`` where a resource of the same cloud still refers to it or has to be deleted first."""
        package = thing.token.partition(":")[0]
        for each in self:
            if each.id == thing.id or each.token.partition(":")[0] != package:
                continue
            named = any(map(thing.is_named_in, texts(each.inputs)))
            if each.blocks if each.within == thing.path else named:
                raise Refusal(cloud.error_texts.in_use.format(token=thing.token, name=thing.label, other=each.label))

    def _write(self, entry: dict[str, Any]) -> None:
        with self._journal.open("a") as file:
            file.write(json.dumps(entry) + "\n")
        self._apply(entry)

    def _apply(self, entry: dict[str, Any]) -> None:
        if fields := entry.get("put"):
            fields.update({key: tuple(fields[key]) for key in ("path", "home", "within")})
            thing = Thing(**fields)
            self._things[thing.id] = thing
        else:
            thing = self._things.pop(entry["remove"])
            self._gone[thing.id] = thing


def texts(value: Any, but: Collection[str] = ()) -> Iterator[str]:
    """Every text in a value, ``but`` for those below some keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value if isinstance(value, list) else [value[key] for key in value if key not in but]:
            yield from texts(inner, but)
