"""What one component asks of its cloud and warns of, in a program whose user brings the cloud's provider."""

from importlib import import_module
from typing import Any, NamedTuple

from pulumi_offline import Graph
from pulumi_offline.codec import decode, show
from pulumi_offline.graph import type_and_name
from pulumi_offline.invoke_results import KNOWN
from pulumi_offline.monitor import Monitor
from pulumi_offline.options import reference_urn
from pulumi_offline.project import Settings

USERS: dict[str, dict[str, Any]] = {
    "aks": {"location": "southcentralus"},
    "eks": {"region": "us-east-1"},
    "gce": {"project": "my-project"},
    "gke": {"project": "my-project"},
    "oke": {"region": "eu-frankfurt-1"},
}
"""What a user's own provider of each cloud says."""
MINE = "mine"
"""Its name."""


class Question(NamedTuple):
    """A call of a provider's function."""

    function: str
    args: dict[str, Any]
    provider: str
    """Its name; empty for a default one."""


class Told(NamedTuple):
    """What came of a program."""

    graph: Graph
    asked: list[Question]
    warnings: list[str]


class _Noting(Monitor):
    """The engine's side, which keeps what is asked and warned of beside the graph."""

    def __init__(self, invokes: dict[str, Any]):
        super().__init__(Settings("project", "dev"), {**KNOWN, **invokes})
        self.asked: list[Question] = []
        self.warnings: list[str] = []

    def Invoke(self, request: Any) -> Any:
        if request.tok != "pulumi:pulumi:getResource":
            provider = reference_urn(request.provider)
            args = show(decode(request.args))
            self.asked.append(Question(request.tok, args, type_and_name(provider)[1] if provider else ""))
        return super().Invoke(request)

    def Log(self, request: Any) -> None:
        self.warnings.append(request.message)
        super().Log(request)


def told(cloud: str, sdk: str, component: str, args: dict[str, Any], **answers: Any) -> Told:
    """One component of a cloud with the user's provider; ``answers`` take the place of what functions return."""
    from contextlib import nullcontext

    from pulumi_offline.runtime import run

    def program() -> None:
        import pulumi

        provider = import_module(sdk).Provider(MINE, **USERS[cloud])
        cls = getattr(import_module(f"rdma_cluster.{cloud}"), component)
        cls(cloud, args, pulumi.ResourceOptions(providers=[provider]))

    monitor = _Noting(answers)
    run(nullcontext(program), monitor, Settings("project", "dev"))
    assert not monitor.problems()
    return Told(monitor.graph(), monitor.asked, monitor.warnings)
