"""The Google provider's own plugin, before an API on this machine that judges what it asks."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pulumi_offline.errors import InputError, Refused
from pulumi_offline.project import Settings
from rdma_rehearsal.changes import planned
from rdma_rehearsal.real.proxy import Authority
from rdma_rehearsal.real.record import ProviderBackend, RealProvider, Rehearsed
from rdma_rehearsal.scenario import REFRESH, UP, Outcome, Scenario
from tools.google_server.fake_google import FakeGoogle
from tools.google_server.permissions import against, taken_by
from tools.google_server.seeds import seeds
from tools.google_server.server import GoogleApis, serving

SECONDS = 0.3
_ENDPOINTS: Mapping[str, str] = {
    "GOOGLE_COMPUTE_CUSTOM_ENDPOINT": "compute.googleapis.com/compute/beta/",
    "GOOGLE_CONTAINER_CUSTOM_ENDPOINT": "container.googleapis.com/v1beta1/",
    "GOOGLE_LUSTRE_CUSTOM_ENDPOINT": "lustre.googleapis.com/v1/",
    "GOOGLE_SERVICE_NETWORKING_CUSTOM_ENDPOINT": "servicenetworking.googleapis.com/v1/",
    "GOOGLE_IAM_BETA_CUSTOM_ENDPOINT": "iam.googleapis.com/v1/",
    "GOOGLE_RESOURCE_MANAGER_CUSTOM_ENDPOINT": "cloudresourcemanager.googleapis.com/v1/",
    "GOOGLE_STORAGE_CUSTOM_ENDPOINT": "storage.googleapis.com/storage/v1/",
}
"""How a plugin is led elsewhere, and where each product's addresses lead by themselves.

terraform-provider-google-beta@93c65b2 google-beta/services/*/product.go, 2026-08-21.
"""


class _GoogleBackend:
    """The APIs of one rehearsal."""

    def __init__(self, apis: GoogleApis, port: int, certificate: Path, settings: Settings) -> None:
        self._apis, self._port, self._certificate = apis, port, certificate
        self._named: set[str] = set()
        self.configured(settings)

    @property
    def environment(self) -> Mapping[str, str]:
        here = f"http://127.0.0.1:{self._port}"
        return {
            **{name: f"{here}/{address}" for name, address in _ENDPOINTS.items()},
            "GOOGLE_OAUTH_ACCESS_TOKEN": "of-a-rehearsal",
            # Whatever no endpoint changes comes here, too.
            "HTTPS_PROXY": here,
            "SSL_CERT_FILE": str(self._certificate),
        }

    @property
    def description(self) -> str:
        return f"judged by {', '.join(sorted(self._apis.documents))}"

    def lead_here(self, settings: dict[str, str]) -> None:
        """Addresses are in the environment; here only how often the provider looks whether an operation is done."""
        settings["pollInterval"] = f"{SECONDS / 2}s"

    def configured(self, settings: Settings) -> None:
        """What the stack names is there."""
        self._apis.google.seeded.update(seeds(settings))
        unasked = planned(settings).rows_of("unasked")
        self._named.update(each for row in unasked for each in (row["permissions"] or "").split(", ") if each)

    def leftovers(self) -> list[str]:
        return list(self._apis.google.resources)

    def resource_names(self, role: str) -> list[str]:
        return self._apis.google.resource_names("clusters" if role == "cluster" else "nodePools")

    def judged(self) -> Iterator[Outcome]:
        """Whether each request is one that the documents describe, and the plan names what its look-ups take."""
        asked = self._apis.asked
        said = f"{asked.total()} requests of {len(asked)} methods"
        yield Outcome("every request is one of Google's APIs", tuple(dict.fromkeys(self._apis.wrong)), said)
        yield Outcome("permissions are known", tuple(against(asked, self._named)), ", ".join(taken_by(asked)))

    def own_parts(self, stack: Scenario) -> Iterator[Outcome]:
        """What happens where the zone of a GPU pool has no machine left."""
        resources = self._apis.google.resources
        pools = [path for path, body in resources.items() if body.get("config", {}).get("accelerators")]
        return _without_room(self._apis.google, pools[0], stack) if pools else iter(())


def _without_room(google: FakeGoogle, pool: str, stack: Scenario) -> Iterator[Outcome]:
    """A GPU pool vanishes, its zone has no machine for another, and then has."""
    name = pool.rpartition("/")[2]
    with google.lock:
        for gone in [path for path, body in google.resources.items() if path == pool or body.get("of") == pool]:
            del google.resources[gone]
        google.has_room = False
    stack.run_engine(*REFRESH)
    ran = stack.run_engine(*UP)
    # The provider reads the pool, which is there, and keeps the operation's reason to itself.
    told = next((each for each in ran.errors if "was created in the error state" in each), "")
    wrong = () if told else ("nobody says that the pool has no nodes", *ran.errors)
    yield Outcome(f"pool {name} vanishes, and there is no room for another", wrong, told, ran.seconds)
    with google.lock:
        google.has_room = True
        if (body := google.resources.get(pool)) is not None:
            body["status"] = "RUNNING"
    yield stack.converges(f"pool {name} finds room")


@contextmanager
def _start(rehearsed: Rehearsed) -> Generator[ProviderBackend]:
    if "gcp:project" not in rehearsed.settings.config:
        raise Refused([InputError(("--real-provider",), "gcp: the stack has no gcp:project; take one on Google Cloud")])

    def remove_objects(cluster: str) -> None:
        for each in [each for each in rehearsed.inventory if each.home[-1:] == (cluster,)]:
            rehearsed.inventory.remove(each.id)

    authority = Authority(rehearsed.folder)
    apis = GoogleApis(FakeGoogle(SECONDS, cluster_deleted=remove_objects))
    with serving(apis, authority) as port:
        yield _GoogleBackend(apis, port, authority.certificate, rehearsed.settings)


PROVIDER = RealProvider("gcp", "pulumi_gcp", _start)
