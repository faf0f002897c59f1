"""The Google provider's own plugin, before an API on this machine that judges what it asks."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ....common.stack import summarise_stack
from ....config import CLOUD
from ....errors import InputError, Refused
from ....offline.project import Settings
from ...scenario import Outcome
from ..authority import Authority
from ..record import Behind, Living, RealProvider, Rehearsed
from .parts import parts
from .permissions import against, taken_by
from .seeds import seeds
from .server import Google, serving
from .world import World

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

_COLLECTIONS = {"cluster": "clusters", "pool": "nodePools"}


class _Behind:
    """The APIs of one rehearsal."""

    def __init__(self, google: Google, port: int, certificate: Path, settings: Settings) -> None:
        self._google, self._port, self._certificate = google, port, certificate
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
    def said(self) -> str:
        return f"judged by {', '.join(sorted(self._google.documents))}"

    def lead_here(self, settings: dict[str, str]) -> None:
        """Addresses are in the environment; here only how often the provider looks whether an operation is done."""
        settings["pollInterval"] = f"{SECONDS / 2}s"

    def configured(self, settings: Settings) -> None:
        """What the stack names is there."""
        self._google.world.found.update(seeds(settings))
        unasked = summarise_stack(settings.config[CLOUD], settings.config, settings.stack).rows_of("unasked")
        self._named.update(each for row in unasked for each in (row["permissions"] or "").split(", ") if each)

    def left(self) -> list[str]:
        return list(self._google.world.things)

    def there(self, role: str) -> list[str]:
        return self._google.world.names(_COLLECTIONS[role])

    def judged(self) -> Iterator[Outcome]:
        """Whether each request is one that the documents describe, and the plan names what its look-ups take."""
        asked = self._google.asked
        said = f"{asked.total()} requests of {len(asked)} methods"
        yield Outcome("every request is one of Google's APIs", tuple(dict.fromkeys(self._google.wrong)), said)
        yield Outcome("permissions are known", tuple(against(asked, self._named)), ", ".join(taken_by(asked)))

    def own_parts(self, living: Living) -> Iterator[Outcome]:
        yield from parts(self._google.world, living)


@contextmanager
def _start(rehearsed: Rehearsed) -> Generator[Behind]:
    if "gcp:project" not in rehearsed.settings.config:
        raise Refused([InputError(("--real-provider",), "gcp: the stack has no gcp:project; take one on Google Cloud")])
    simulated = rehearsed.inventory

    def gone(cluster: str) -> None:
        for each in [each for each in simulated if each.home[-1:] == (cluster,)]:
            simulated.remove(each.id)

    authority = Authority(rehearsed.folder)
    google = Google(World(SECONDS, gone=gone))
    with serving(google, authority) as port:
        yield _Behind(google, port, authority.certificate, rehearsed.settings)


PROVIDER = RealProvider("gcp", "pulumi_gcp", _start)
