"""The Kubernetes provider's own plugin, on a whole control plane: started here, or an empty cluster of the user's."""

from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from ....common.stack import summarise_stack
from ....config import CLOUD
from ....errors import InputError, Refused
from ....kubernetes_api.connect import connect
from ...controlplane.controllers import CONTROLLERS, whole_control_plane
from ...controlplane.empty import OPTION, check_empty
from ...controlplane.servers import ServerError, find_programs
from ...scenario import Outcome
from ..authority import Authority
from ..record import Behind, Living, RealProvider, Rehearsed
from .cluster import OnCluster
from .parts import parts
from .repositories import Repositories, serving

FURTHER = (
    "endpoints-controller",
    "endpointslice-controller",
    "persistentvolume-binder-controller",
    "resourcequota-controller",
    "ttl-after-finished-controller",
)
"""Controllers on whose work the provider waits: for a Service's endpoints, a claim's volume, a quota's status."""


class _WithParts(OnCluster):
    """With what only this provider has in its course."""

    def own_parts(self, living: Living) -> Iterator[Outcome]:
        """A failed acceptance, objects that vanish, and all objects deleted by the provider itself."""
        return parts(living, self)


@contextmanager
def _start(rehearsed: Rehearsed) -> Generator[Behind]:
    """Raises ``Refused``."""
    with ExitStack() as started:
        repositories = Repositories(Authority(rehearsed.folder))
        proxy = started.enter_context(serving(repositories))
        if rehearsed.kubeconfig is None:
            kubeconfig = started.enter_context(_own(rehearsed))
        else:
            kubeconfig = rehearsed.kubeconfig
            with closing(connect(kubeconfig, OPTION)) as client:
                check_empty(client)
        cluster = _WithParts(rehearsed, kubeconfig, repositories, proxy)
        started.callback(cluster.end)
        yield cluster


@contextmanager
def _own(rehearsed: Rehearsed) -> Generator[Path]:
    """A control plane of the stack's release, where there is one of that."""
    (cluster,) = summarise_stack(
        rehearsed.settings.config[CLOUD], rehearsed.settings.config, rehearsed.settings.stack
    ).to_dict()["cluster"]
    if "version" not in cluster:
        raise _refused(f"{rehearsed.settings.stack} has no Kubernetes")
    programs = find_programs(".".join(cluster["version"].split(".")[:2]))
    try:
        with whole_control_plane(rehearsed.folder, programs, (*CONTROLLERS, *FURTHER)) as kubeconfig:
            yield kubeconfig
    except (ServerError, FileNotFoundError) as error:
        raise _refused(str(error)) from None


def _refused(words: str) -> Refused:
    return Refused([InputError(("--real-provider",), words)])


PROVIDER = RealProvider("kubernetes", "pulumi_kubernetes", _start)
