"""A control plane for the whole session, and a cleaned-up use of it for each test.

`KUBECONFIG_E2E` names a disposable cluster to use instead of one of our own. Its node controller takes simulated nodes
for dead after about 40 seconds, so a single test must be done with them by then.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from rdma_rehearsal.controlplane.servers import ServerError
from .api import Api
from .build import BuildError
from .cluster import Cluster
from .kubeconfig import connect
from .servers import control_plane

HERE = Path(__file__).parent
LONGEST = ("test_many_clusters.py", "test_prover.py", "test_queues.py", "test_portable.py")
"""These begin first where processes share the work; each process has a control plane of its own."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "controlplane: needs a Kubernetes control plane, which takes minutes to build once"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ours = [item for item in items if item.path.is_relative_to(HERE)]
    for item in ours:
        item.add_marker("controlplane")
    if len(ours) == len(items):
        items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


@pytest.fixture(scope="session")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The admin's kubeconfig. The servers' logs stay with pytest's temporary files, which it removes in time."""
    if given := os.environ.get("KUBECONFIG_E2E"):
        yield Path(given)
        return
    try:
        with control_plane(tmp_path_factory.mktemp("controlplane")) as path:
            yield path
    except BuildError as error:  # `make e2e` builds first, and fails there
        pytest.skip(str(error))
    except ServerError as error:
        pytest.exit(f"controlplane: {error}", returncode=1)  # every test would say it again


@pytest.fixture(scope="session")
def api(kubeconfig: Path) -> Iterator[Api]:
    """Requests as the admin, for what `cluster` has no method for."""
    with connect(kubeconfig) as http:
        api = Api(http)
        yield api
        for namespace in api.namespaces.values():
            api.delete(namespace)


@pytest.fixture
def cluster(api: Api) -> Iterator[Cluster]:
    """A namespace, and helpers whose objects are gone when the test ends."""
    with Cluster(api) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def definitions(api: Api) -> Iterator[Cluster]:
    """Keeps the kinds that one graph defines for the next: a server is slow to let go of them."""
    with Cluster(api) as cluster:
        yield cluster
