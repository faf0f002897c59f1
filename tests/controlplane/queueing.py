"""Kueue, JobSet and LeaderWorkerSet beside the control plane, with the kinds and webhooks of their own releases.

Each runs as a process here and not as a pod, so that this file does what its chart and a kubelet do: it defines the
kinds, names the webhooks, and puts Kueue's certificate where Kueue looks for it. All of that is read from the Go
modules that the programs are built from.
"""

import base64
import os
import shutil
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml
from rdma_rehearsal.controlplane.processes import end, spawn
from rdma_rehearsal.controlplane.servers import HOST, await_ready, free_ports
from tests import quick_yaml
from . import build
from .api import Api, Object

SECONDS = 60.0
KUEUE = "sigs.k8s.io/kueue"
JOBSET = "sigs.k8s.io/jobset"
LWS = "sigs.k8s.io/lws"
MPI = "github.com/kubeflow/mpi-operator"
TRAINER = "github.com/kubeflow/trainer/v2"
_KUEUE_NAMESPACE = "kueue-system"
_SERVICE = "kueue-webhook-service"
_SECRET = "kueue-webhook-server-cert"
_OURS = {"internalCertManagement": {"enable": False}}
"""Certificates are given."""
_CERTIFICATES = Path("k8s-webhook-server/serving-certs")
"""Where a controller looks for its own, below the folder of temporary files (sigs.k8s.io/controller-runtime)."""
_UNTOLD = "trainer-controller-manager"
"""Its configuration cannot say that they are elsewhere."""
Address = Callable[[str], dict[str, Any]]
"""What a webhook's configuration says of where a path is served."""


@contextmanager
def kueue(api: Api, kubeconfig: Path, folder: Path, config: Mapping[str, Any]) -> Generator[None]:
    """Kueue with the configuration of its chart's values, but for addresses."""
    release, certificates = build.module(KUEUE, "queues"), folder / "certificates"
    certificates.mkdir(parents=True)
    health, webhook = free_ports(2)

    def address(path: str) -> dict[str, Any]:
        return {"service": {"name": _SERVICE, "namespace": _KUEUE_NAMESPACE, "path": path, "port": webhook}}

    with ExitStack() as stack:
        _apply(stack, api, _object("Namespace", _KUEUE_NAMESPACE), stays=True)
        # The API server finds no address of the Service but a name, and asks there; the certificate is the Service's.
        outside = {"spec": {"type": "ExternalName", "externalName": "localhost"}}
        _apply(stack, api, _object("Service", _SERVICE, _KUEUE_NAMESPACE) | outside)
        _apply(stack, api, _object("Secret", _SECRET, _KUEUE_NAMESPACE))
        converted = _conversions(release / "config/components/crd", address)
        for definition in read((release / "config/components/crd/bases").glob("*.yaml")):
            _define(stack, api, definition, converted.get(definition["metadata"]["name"]))
        selector = config["managedJobsNamespaceSelector"]
        for each in read([release / "config/components/webhook/manifests.yaml"]):
            _apply(stack, api, _webhooks(each, "kueue", address, selector))
        own = {
            "namespace": _KUEUE_NAMESPACE,
            **_local(health, webhook, certificates),
            "internalCertManagement": {"enable": True, "webhookServiceName": _SERVICE, "webhookSecretName": _SECRET},
            # It would serve at a path of its own, outside of this folder.
            "featureGates": {"VisibilityOnDemand": False},
        }
        process, log = _run(stack, build.queues() / "kueue", folder, kubeconfig, {**config, **own})
        _mount(api, certificates)
        await_ready(f"http://{HOST}:{health}/readyz", process, log)
        yield


@contextmanager
def jobset(api: Api, kubeconfig: Path, folder: Path) -> Generator[None]:
    """JobSet, whose webhooks have the API server's own certificate."""
    release = build.module(JOBSET, "queues") / "config/components"
    config = {"apiVersion": "config.jobset.x-k8s.io/v1alpha1", "kind": "Configuration", **_OURS}
    with _beside(api, kubeconfig, folder, "jobset", release / "crd/bases", release / "webhook", config):
        yield


@contextmanager
def trainer(api: Api, kubeconfig: Path, folder: Path) -> Generator[None]:
    """Kubeflow Trainer, which makes JobSets."""
    release = build.module(TRAINER, "queues") / "manifests/base"
    config = {
        "apiVersion": "config.trainer.kubeflow.org/v1alpha1",
        "kind": "Configuration",
        "certManagement": {"enable": False},
    }
    with _beside(api, kubeconfig, folder, _UNTOLD, release / "crds", release / "webhook", config):
        yield


@contextmanager
def mpi_operator(api: Api, kubeconfig: Path, folder: Path) -> Generator[None]:
    """The controller of MPIJobs."""
    folder.mkdir()
    with ExitStack() as stack:
        (kind,) = read([build.module(MPI, "queues") / "manifests/base/kubeflow.org_mpijobs.yaml"])
        _define(stack, api, kind, None)
        with (folder / "mpi.log").open("wb") as output:
            process = spawn([build.queues() / "mpi", f"--kubeconfig={kubeconfig}"], output)
        stack.callback(end, process)
        yield


@contextmanager
def leader_worker_set(api: Api, kubeconfig: Path, folder: Path) -> Generator[None]:
    """LeaderWorkerSet, in the same way."""
    release = build.module(LWS, "queues") / "config"
    config = {"apiVersion": "config.lws.x-k8s.io/v1alpha1", "kind": "Configuration", **_OURS}
    with _beside(api, kubeconfig, folder, "cmd", release / "crd/bases", release / "webhook", config):
        yield


def kinds_of_kubeflow() -> list[Object]:
    """MPIJob, and Trainer's kinds, of the releases that Kueue is built with."""
    mpi, trainer = (build.module(each, "queues") / "manifests/base" for each in (MPI, TRAINER))
    return read([mpi / "kubeflow.org_mpijobs.yaml", *(trainer / "crds").glob("trainer.kubeflow.org_*.yaml")])


@contextmanager
def defined(api: Api, definitions: Iterable[Object]) -> Generator[None]:
    """Kinds whose controllers do not run."""
    with ExitStack() as stack:
        for each in definitions:
            _define(stack, api, each, None)
        yield


@contextmanager
def _beside(
    api: Api, kubeconfig: Path, folder: Path, program: str, kinds: Path, webhooks: Path, config: Mapping[str, Any]
) -> Generator[None]:
    certificates, own = folder / _CERTIFICATES, kubeconfig.parent / "certificates"
    certificates.mkdir(parents=True)
    for name, source in (("tls.crt", "apiserver.crt"), ("tls.key", "apiserver.key")):
        shutil.copy(own / source, certificates / name)
    authority = base64.b64encode((own / "apiserver.crt").read_bytes()).decode()
    health, webhook = free_ports(2)

    def address(path: str) -> dict[str, Any]:
        return {"url": f"https://{HOST}:{webhook}{path}", "caBundle": authority}

    with ExitStack() as stack:
        for definition in read(kinds.glob("*_*.yaml")):
            _define(stack, api, definition, None)
        moved = _local(health, webhook, None if program == _UNTOLD else certificates)
        process, log = _run(stack, build.queues() / program, folder, kubeconfig, {**config, **moved})
        await_ready(f"http://{HOST}:{health}/readyz", process, log)
        for each in read([webhooks / "manifests.yaml"]):
            _apply(stack, api, _webhooks(each, program, address))
        yield


def _local(health: int, webhook: int, certificates: Path | None) -> dict[str, Any]:
    """What a controller's configuration says of its place, here."""
    return {
        "health": {"healthProbeBindAddress": f"{HOST}:{health}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"port": webhook, "host": HOST, **({"certDir": str(certificates)} if certificates else {})},
        "leaderElection": {"leaderElect": False},
    }


def _run(
    stack: ExitStack, program: Path, folder: Path, kubeconfig: Path, config: Mapping[str, Any]
) -> tuple[Any, Path]:
    file, log = folder / "config.yaml", folder / f"{program.name}.log"
    file.write_text(yaml.safe_dump(dict(config)))
    with log.open("wb") as output:
        command = [program, f"--config={file}", f"--kubeconfig={kubeconfig}"]
        process = spawn(command, output, env=os.environ | {"TMPDIR": str(folder)})
    stack.callback(end, process)
    return process, log


def read(files: Iterable[Path]) -> list[Object]:
    """The objects in some manifests."""
    return [each for file in sorted(files) for each in quick_yaml.load_all(file.read_text()) if each]


def _apply(stack: ExitStack, api: Api, obj: Object, stays: bool = False) -> Object:
    made = api.apply(obj).result
    if stays:
        api.namespaces[made["metadata"]["name"]] = made
    else:
        stack.callback(api.delete, made)
    return made


def _object(kind: str, name: str, namespace: str | None = None) -> Object:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata}


def _define(stack: ExitStack, api: Api, definition: Object, conversion: Object | None) -> None:
    definition.pop("status", None)
    if conversion is not None:
        definition["spec"]["conversion"] = conversion
    stack.callback(api.delete, api.define(definition).result)


def _conversions(folder: Path, address: Address) -> dict[str, Object]:
    """How the kinds of several versions are converted, by name, as the release's own patches say."""
    patches = quick_yaml.load((folder / "kustomization.yaml").read_text())["patches"]
    found = {}
    for patch in read([folder / each["path"] for each in patches]):
        conversion = patch["spec"]["conversion"]
        path = conversion["webhook"]["clientConfig"]["service"]["path"]
        conversion["webhook"]["clientConfig"] = address(path)
        found[patch["metadata"]["name"]] = conversion
    return found


def _webhooks(configuration: Object, prefix: str, address: Address, namespaces: Object | None = None) -> Object:
    """A webhook configuration with addresses here; in some namespaces alone, as Kueue's chart has it."""
    configuration["metadata"]["name"] = f"{prefix}-{configuration['metadata']['name']}"
    for each in configuration["webhooks"]:
        each["clientConfig"] = address(each["clientConfig"]["service"]["path"])
        if namespaces is not None:
            each["namespaceSelector"] = namespaces
    return configuration


def _mount(api: Api, folder: Path) -> None:
    """Writes Kueue's Secret where it looks for it, once it has made its certificate."""
    data = api.wait(_object("Secret", _SECRET, _KUEUE_NAMESPACE), lambda found: (found or {}).get("data"), SECONDS)
    for name, content in data.items():
        (folder / name).write_bytes(base64.b64decode(content))


def until(probe: Callable[[], Any], what: str, seconds: float = SECONDS) -> Any:
    """What a probe finds, once it finds something."""
    deadline = time.monotonic() + seconds
    while not (found := probe()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {seconds:g} s")
        time.sleep(0.1)
    return found
