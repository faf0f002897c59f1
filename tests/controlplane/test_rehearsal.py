"""`rdma-cluster rehearse --control-plane`: a real API server behind the provider, spoken to as the engine does."""

from collections.abc import Generator, Iterator
from contextlib import closing
from http.client import RemoteDisconnected
from pathlib import Path
from ssl import SSLEOFError
from typing import Any

import pytest
from pulumi_offline.codec import SECRET, SIGNATURE
from pulumi_offline.errors import Refused
from rdma_cluster.kubernetes_api.client import Client
from rdma_cluster.kubernetes_api.kubeconfig import connection
from rdma_rehearsal.controlplane.objects import ControlPlane
from rdma_rehearsal.controlplane.servers import find_programs
from rdma_rehearsal.controlplane.started import control_plane
from rdma_rehearsal.real.kubernetes.kubelet import NODES
from tests.simulated.engine import Clouds, Failed, Provider
from .cluster import Cluster

NAMESPACE = "kubernetes:core/v1:Namespace"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
SERVICE = "kubernetes:core/v1:Service"
JOB = "kubernetes:batch/v1:Job"
HERE = "rehearsed"


@pytest.fixture(scope="module")
def alone() -> Iterator[ControlPlane]:
    """An API server with no controllers, as one is started for a rehearsal."""
    try:
        find_programs("")
    except Refused as refused:
        pytest.skip(str(refused))
    with control_plane(None, "1.36") as started:
        yield started


@pytest.fixture
def beside(kubeconfig: Path) -> Iterator[Client]:
    """Somebody else at the server that has controllers."""
    with closing(Client(connection(kubeconfig))) as client:
        yield client


BOTH = pytest.mark.parametrize("server", ["alone", "with controllers"], indirect=True)
"""For what controllers could have a hand in; they take five seconds to delete a namespace."""


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[ControlPlane]:
    """A server on which a test leaves nothing."""
    if getattr(request, "param", "alone") == "alone":
        used: ControlPlane = request.getfixturevalue("alone")
    else:
        used = ControlPlane(request.getfixturevalue("beside"), alone=False)
    yield used
    used.clear()
    assert (used.count, used.leftovers()) == (0, [])


@pytest.mark.parametrize(
    "ended", [SSLEOFError(8, "EOF occurred"), RemoteDisconnected("closed"), BrokenPipeError()], ids=repr
)
def test_a_connection_that_ended_is_made_again(ended: Exception, beside: Client, monkeypatch: pytest.MonkeyPatch):
    """A server ends one that nobody uses for a while; under TLS that is told in another way than without."""
    through, failing = beside._http.request, [ended]

    def request(*args: Any) -> None:
        if failing:
            raise failing.pop()
        through(*args)

    monkeypatch.setattr(beside._http, "request", request)

    assert beside.request("GET", "/version")["major"] == "1"


@pytest.fixture
def clouds(server: ControlPlane, tmp_path: Path) -> Generator[Clouds]:
    """Simulated clouds with that server."""
    with Clouds(tmp_path / "world", server).served() as served:
        yield served


@pytest.fixture
def cluster_of(clouds: Clouds) -> Provider:
    """The provider of a cluster in which there is a namespace."""
    provider = clouds.provider("kubernetes", clusterIdentifier="c")
    provider.create(NAMESPACE, "n", obj("v1", "Namespace", HERE, namespace=None))
    return provider


def obj(version: str, kind: str, name: str, namespace: str | None = HERE, **rest: Any) -> dict[str, Any]:
    """Inputs of an object."""
    meta = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": version, "kind": kind, "metadata": meta, **rest}


def job(image: str) -> dict[str, Any]:
    """A Job that runs an image."""
    containers = [{"name": "main", "image": image}]
    template = {"spec": {"containers": containers, "restartPolicy": "Never"}}
    return obj("batch/v1", "Job", "once", spec={"template": template})


@BOTH
def test_an_object_lives_on_the_server(cluster_of: Provider, server: ControlPlane, clouds: Clouds):
    """It is there when the engine has made it, is another after a change, and goes."""
    inputs = obj("v1", "ConfigMap", "notes", data={"a": "1"})
    id_, outputs = cluster_of.create(CONFIG_MAP, "m", inputs)
    changed = {**inputs, "data": {"a": "2"}}

    assert len(outputs["metadata"]["uid"]) == 36
    assert server.count == 2
    after = cluster_of.update(id_, CONFIG_MAP, "m", inputs, changed)
    assert after["data"] == {"a": "2"}
    assert after["metadata"]["uid"] == outputs["metadata"]["uid"]
    cluster_of.delete(id_, CONFIG_MAP, "m")
    assert server.count == 1
    assert len(clouds.inventory) == 1


def test_what_the_server_fills_in_is_an_output(cluster_of: Provider):
    """And what was given stays as it was given."""
    spec = {"selector": {"app": "a"}, "ports": [{"port": 80}]}
    _, outputs = cluster_of.create(SERVICE, "s", obj("v1", "Service", "web", spec=spec))

    assert outputs["spec"]["type"] == "ClusterIP"
    assert outputs["spec"]["clusterIP"].startswith("10.")
    assert outputs["spec"]["ports"] == [{"port": 80, "protocol": "TCP", "targetPort": 80}]


@pytest.mark.parametrize(
    ("token", "inputs", "words"),
    [
        (CONFIG_MAP, obj("v1", "ConfigMap", "notes", dat={"a": "1"}), "field not declared in schema"),
        (CONFIG_MAP, obj("v1", "ConfigMap", "Notes"), "a lowercase RFC 1123 subdomain"),
        (CONFIG_MAP, obj("v1", "ConfigMap", "notes", "nowhere"), 'namespaces "nowhere" not found'),
        (SERVICE, obj("v1", "Service", "web", spec={"ports": [{"port": 70000}]}), "must be between 1 and 65535"),
    ],
    ids=["unknown field", "name", "no namespace", "range"],
)
def test_the_servers_words_are_the_engines_error(
    token: str, inputs: dict[str, Any], words: str, cluster_of: Provider, clouds: Clouds
):
    """And nothing is there then."""
    with pytest.raises(Failed, match=words) as failed:
        cluster_of.create(token, "x", inputs)

    assert not failed.value.id
    assert len(clouds.inventory) == 1


def test_what_cannot_change_is_refused_by_the_server(cluster_of: Provider):
    """The template of a Job, where the engine asks for it in place."""
    id_, _ = cluster_of.create(JOB, "j", job("registry.example/a:1"))

    with pytest.raises(Failed, match=r"spec\.template: Invalid value.*field is immutable"):
        cluster_of.update(id_, JOB, "j", job("registry.example/a:1"), job("registry.example/a:2"))


@BOTH
def test_what_a_controller_holds_until_nobody_uses_it_goes(cluster_of: Provider, server: ControlPlane):
    """A claim on a volume has a finalizer; where there are no controllers nobody else takes it away."""
    asked = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
    token = "kubernetes:core/v1:PersistentVolumeClaim"
    claim = obj("v1", "PersistentVolumeClaim", "data", spec={**asked, "storageClassName": "", "volumeName": "none"})
    id_, outputs = cluster_of.create(token, "c", claim)

    assert outputs["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    cluster_of.delete(id_, token, "c")
    assert server.count == 1


def test_a_secret_stays_one(cluster_of: Provider):
    """The server answers in plain text; what the program marked is marked in the state."""
    value = {SIGNATURE: SECRET, "value": {"token": "aHVzaA=="}}
    _, outputs = cluster_of.create("kubernetes:core/v1:Secret", "s", obj("v1", "Secret", "hush", data=value))

    assert outputs["data"] == value
    assert "aHVzaA==" not in str({**outputs, "data": None})


def test_a_kind_of_a_chart_is_judged_by_its_recorded_definition(cluster_of: Provider, server: ControlPlane):
    """Where the chart itself is simulated; of a kind that nobody recorded all is."""
    token, kind = "kubernetes:nfd.k8s-sigs.io/v1alpha1:NodeFeatureRule", "NodeFeatureRule"
    version = "nfd.k8s-sigs.io/v1alpha1"
    with pytest.raises(Failed, match=r"spec\.rules.*(must be of type array|expected list)"):
        cluster_of.create(token, "r", obj(version, kind, "rules", None, spec={"rules": "none"}))
    cluster_of.create(token, "r", obj(version, kind, "rules", None, spec={"rules": []}))
    cluster_of.create("kubernetes:example.com/v1:Thing", "t", obj("example.com/v1", "Thing", "t", spec={"a": 1}))

    assert server.count == 2
    assert "Thing" in server.simulated


@BOTH
def test_what_goes_with_its_namespace_goes_on_the_server_too(
    cluster_of: Provider, clouds: Clouds, server: ControlPlane
):
    """As objects do with a cluster: the engine deletes neither."""
    cluster_of.create(CONFIG_MAP, "m", obj("v1", "ConfigMap", "notes"))
    (namespace,) = [each for each in clouds.inventory if each.token == NAMESPACE]
    before = clouds.inventory.snapshot()
    cluster_of.delete(namespace.id, NAMESPACE, "n")

    assert server.count == 0
    clouds.inventory.restore(before)
    server.agree(clouds.inventory)
    assert server.count == 2


def test_what_somebody_else_deletes_is_missed(beside: Client, tmp_path: Path):
    """A refresh finds it gone."""
    used = ControlPlane(beside, alone=False)
    with Clouds(tmp_path / "world", used).served() as served:
        provider = served.provider("kubernetes", clusterIdentifier="c")
        inputs = obj("v1", "ConfigMap", "notes", "default")
        id_, _ = provider.create(CONFIG_MAP, "m", inputs)
        assert provider.read(id_, CONFIG_MAP, "m")[0] == id_
        beside.delete(inputs)

        assert provider.read(id_, CONFIG_MAP, "m")[0] == ""


def test_what_was_there_before_is_left_alone(cluster: Cluster, beside: Client, tmp_path: Path):
    """An object of somebody else is no object of the engine, even if its name is the same."""
    theirs = cluster.apply(obj("v1", "ConfigMap", "notes", cluster.namespace, data={"a": "theirs"})).result
    with Clouds(tmp_path / "world", ControlPlane(beside, alone=False)).served() as served:
        provider = served.provider("kubernetes", clusterIdentifier="c")

        with pytest.raises(Failed, match="ConfigMap notes is on the API server already, and not ours"):
            provider.create(CONFIG_MAP, "m", obj("v1", "ConfigMap", "notes", cluster.namespace, data={"a": "ours"}))
    kept = cluster.api.get(theirs)
    assert kept is not None
    assert kept["data"] == {"a": "theirs"}


def test_a_cluster_that_somebody_uses_is_refused(cluster: Cluster, kubeconfig: Path):
    """The test's own namespace is enough."""
    words = rf"--control-plane: https://\S+ is not empty: it has .*namespace {cluster.namespace}"
    with pytest.raises(Refused, match=words), control_plane(kubeconfig, "1.36"):
        pass


def test_a_list_tells_of_every_change(cluster: Cluster, beside: Client):
    """Of any kind; the fake kubelet of `rehearsal/real` rests while it tells of none."""

    def version() -> str:
        return beside.request("GET", NODES, limit="1")["metadata"]["resourceVersion"]

    before = version()
    cluster.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "any"}, "data": {"a": "b"}})

    assert version() != before
