"""A forwarder between the engine and a provider's plugin changes nothing but where it leads."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Semaphore

import pytest
from pulumi.runtime.proto import provider_pb2
from rdma_rehearsal.real.forwarder import Forwarder, served
from tests.simulated.engine import Clouds, Provider, struct

SPACE = "kubernetes:core/v1:Namespace"
METADATA = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}}
KUBECONFIG = json.dumps({"clusters": [{"name": "one", "cluster": {"server": "https://198.51.100.7"}}]})
HERE = json.dumps({"clusters": [{"name": "one", "cluster": {"server": "https://127.0.0.1:6443"}}]})


@dataclass
class Process:
    """A process of a plugin that does not run."""

    port: str
    ended: bool = False

    def end(self) -> None:
        self.ended = True


@dataclass
class Forwarded:
    """A forwarder before simulated clouds."""

    clouds: Clouds
    processes: list[Process] = field(default_factory=list)
    started: Semaphore = field(default_factory=lambda: Semaphore(0))
    configured: list[dict[str, str]] = field(default_factory=list)
    port: int = 0

    def __post_init__(self) -> None:
        self.forwarder = Forwarder("kubernetes", self.start, self.lead, self.clouds.log)

    def start(self) -> Process:
        self.processes.append(process := Process(str(self.clouds.ports["kubernetes"])))
        self.started.release()
        return process

    def lead(self, settings: dict[str, str]) -> None:
        self.configured.append(dict(settings))
        if settings.get("kubeconfig") == KUBECONFIG:
            settings["kubeconfig"] = HERE

    def provider(self, **settings: str) -> Provider:
        return Provider("kubernetes", self.port, settings)


@pytest.fixture
def forwarded(clouds: Clouds) -> Iterator[Forwarded]:
    made = Forwarded(clouds)
    with served(made.forwarder) as made.port:
        yield made


def test_a_resource_lives_as_without_a_forwarder(forwarded: Forwarded):
    direct, through = forwarded.clouds.provider("kubernetes"), forwarded.provider()

    id_, outputs = through.create(SPACE, "space", METADATA)

    assert direct.read(id_, SPACE, "space") == through.read(id_, SPACE, "space") == (id_, outputs)
    labelled = {**METADATA, "metadata": {"name": "team-a", "labels": {"a": "b"}}}
    assert list(through.diff(SPACE, "space", METADATA, labelled).diffs) == ["metadata"]
    assert through.update(id_, SPACE, "space", METADATA, labelled)["metadata"]["labels"]["a"] == "b"
    through.delete(id_, SPACE, "space")
    assert direct.read(id_, SPACE, "space")[0] == ""
    through.close()


def test_a_provider_is_led_and_nothing_else_changes(forwarded: Forwarded):
    """The plugin gets another kubeconfig, under both names that providers read."""
    asked = provider_pb2.ConfigureRequest(args=struct({"kubeconfig": KUBECONFIG, "namespace": "a"}), acceptSecrets=True)
    asked.variables.update({"kubernetes:config:kubeconfig": KUBECONFIG, "kubernetes:config:namespace": "a"})

    led = provider_pb2.ConfigureRequest.FromString(forwarded.forwarder.led(asked.SerializeToString()))

    assert forwarded.configured == [{"kubeconfig": KUBECONFIG, "namespace": "a"}]
    asked.variables["kubernetes:config:kubeconfig"] = asked.args["kubeconfig"] = HERE
    assert led == asked


def test_a_process_waits_for_the_engine(clouds: Clouds):
    """The engine gives up after ten seconds. In the end no process is left."""
    forwarded = Forwarded(clouds)
    with served(forwarded.forwarder) as forwarded.port:
        assert forwarded.started.acquire(timeout=10), "nobody has asked, and none was started"
        forwarded.provider().close()
        assert forwarded.started.acquire(timeout=10), "the next has to wait"
        forwarded.forwarder.end()
        assert [each.ended for each in forwarded.processes] == [True, False]

    assert [each.ended for each in forwarded.processes] == [True, True]
