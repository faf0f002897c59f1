"""The Kubernetes provider's own plugin, on a whole control plane: started here, or an empty cluster of the user's."""

from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from pulumi_offline.errors import InputError, Refused
from pulumi_offline.project import Settings
from rdma_cluster.kubernetes_api.connect import connected
from ...changes import planned
from ...controlplane.contents import OPTION, check_empty
from ...controlplane.servers import CONTROLLERS, ServerError, find_programs, whole_control_plane
from ...scenario import REFRESH, UP, Outcome, Scenario, why
from ..proxy import Authority
from ..record import ProviderBackend, RealProvider, Rehearsed
from .charts import Repositories, serving
from .cluster import OnCluster

FURTHER = (
    "endpoints-controller",
    "endpointslice-controller",
    "persistentvolume-binder-controller",
    "resourcequota-controller",
    "ttl-after-finished-controller",
)
"""Controllers on whose work the provider waits: for a Service's endpoints, a claim's volume, a quota's status."""
MESSAGE = "rdma-cluster: rail 3 of node-1 is slow: 41.2 GB/s, expected 320"
"""What the pods of a failed acceptance test leave as their last word."""
_JOB = "kubernetes:batch/v1:Job"


class ClusterBackend(OnCluster):
    """A control plane, with the parts that only this provider has in its course."""

    def own_parts(self, stack: Scenario) -> Iterator[Outcome]:
        """A failed acceptance, objects that vanish, and all objects deleted by the provider itself."""
        yield from _failed_acceptance(stack, self)
        yield _vanished(stack, self)
        yield from _emptied(stack, self)


def _failed_acceptance(stack: Scenario, cluster: OnCluster) -> Iterator[Outcome]:
    """The verdict's words reach the engine's error; then only the test runs again."""
    if not any(each["type"] == _JOB and "NcclAcceptance" in each["urn"] for each in stack.state()):
        return
    cluster.kubelet.fail(MESSAGE)
    stack.with_settings("acceptance.rerun=again")
    ran = stack.run_engine(*UP, "--continue-on-error")
    wrong = [] if ran.code else ["`up` took a cluster whose fabric is not proven"]
    if MESSAGE not in ran.text:
        wrong.append(f"the verdict is not in the engine's error: {' / '.join(ran.errors[:3])}")
    yield Outcome("a failed acceptance", tuple(wrong), " / ".join(ran.errors[:2])[:300], ran.seconds)
    cluster.kubelet.fail("")
    yield stack.converges("up when the fault is mended")
    stack.with_settings()
    yield stack.converges("back to the beginning")


def _vanished(stack: Scenario, cluster: OnCluster) -> Outcome:
    """One object of each kind is deleted behind the engine's back; `refresh` sees it, `up` makes it again."""
    objects = [each for each in _objects(stack) if each["type"].endswith(f":{each['outputs'].get('kind')}")]
    chosen = {each["type"]: each for each in reversed(objects) if not each["type"].endswith("Definition")}
    cluster.delete(each["outputs"] for each in chosen.values())
    seen = stack.run_engine(*REFRESH)
    known = {each["urn"] for each in stack.state()}
    missed = [each["urn"] for each in chosen.values() if each["urn"] in known]
    made = stack.converges("")
    wrong = (*why(seen), *(f"`refresh` did not see that it is gone: {each}" for each in missed), *made.wrong)
    names = ", ".join(sorted(each.rpartition(":")[2] for each in chosen))
    return Outcome("deleted behind the engine's back", wrong, f"{names}: {made.said}", seen.seconds + made.seconds)


def _emptied(stack: Scenario, cluster: OnCluster) -> Iterator[Outcome]:
    """The provider deletes all that the stack has in the cluster, which `destroy` never asks of it; `up` makes it."""
    targets = [word for each in _objects(stack) for word in ("--target", each["urn"])]
    ran = stack.run_engine("destroy", "--yes", "--skip-preview", "--target-dependents", *targets)
    left = [f"left on the server: {each}" for each in cluster.of_stack()]
    said = f"{len(targets) // 2} objects"
    yield Outcome("all objects deleted, the cluster stays", (*why(ran), *left), said, ran.seconds)
    yield stack.converges("all objects made anew")


def _objects(stack: Scenario) -> list[dict[str, Any]]:
    """The resources of the state that are objects in the cluster, or releases."""
    own = [each for each in stack.state() if each["type"].startswith("kubernetes:")]
    return [each for each in own if each.get("custom") and not each.get("external")]


@contextmanager
def _start(rehearsed: Rehearsed) -> Generator[ProviderBackend]:
    """Raises ``Refused``."""
    with ExitStack() as started:
        repositories = Repositories(Authority(rehearsed.folder))
        proxy = started.enter_context(serving(repositories))
        if (kubeconfig := rehearsed.kubeconfig) is None:
            programs = find_programs(_release(rehearsed.settings))
            servers = whole_control_plane(rehearsed.folder, programs, (*CONTROLLERS, *FURTHER))
            try:
                kubeconfig = started.enter_context(servers)
            except (ServerError, FileNotFoundError) as error:
                raise _refused(str(error)) from None
        else:
            with connected(kubeconfig, OPTION) as client:
                check_empty(client)
        cluster = ClusterBackend(rehearsed, kubeconfig, repositories, proxy)
        started.callback(cluster.end)
        yield cluster


def _release(settings: Settings) -> str:
    """The release of the stack's cluster: ``1.35``."""
    (cluster,) = planned(settings).to_dict()["cluster"]
    if "version" not in cluster:
        raise _refused(f"{settings.stack} has no Kubernetes")
    return ".".join(cluster["version"].split(".")[:2])


def _refused(words: str) -> Refused:
    return Refused([InputError(("--real-provider",), words)])


PROVIDER = RealProvider("kubernetes", "pulumi_kubernetes", _start)
