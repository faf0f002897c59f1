"""An API server for one rehearsal: one that is started and ended, or the one of a kubeconfig."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ...errors import InputError, Refused
from ...kubernetes_api.client import Answered, Client
from ...kubernetes_api.connect import connect
from ...kubernetes_api.kubeconfig import connection
from ..inventory import Refusal
from .empty import OPTION, check_empty
from .objects import ControlPlane
from .servers import ServerError, api_server, find_programs


@contextmanager
def control_plane(kubeconfig: Path | None, minor: str) -> Generator[ControlPlane]:
    """The server, with nothing of the rehearsal left on it in the end.

    Without a ``kubeconfig`` it is one of ``minor`` on 127.0.0.1, where there is one of that. Raises ``Refused``.
    """
    if kubeconfig is not None:
        with _used(connect(kubeconfig, OPTION), alone=False) as used:
            yield used
        return
    programs = find_programs(minor)
    with TemporaryDirectory(prefix="rehearsal-servers-") as folder:
        try:
            with api_server(Path(folder), programs) as file, _used(Client(connection(file)), alone=True) as used:
                yield used
        except ServerError as error:
            raise _refused(str(error)) from None


@contextmanager
def _used(client: Client, alone: bool) -> Generator[ControlPlane]:
    """A server, from which all that was made on it is deleted in the end. Raises ``Refused`` where it is not empty."""
    with closing(client):
        check_empty(client)
        server = ControlPlane(client, alone)
        try:
            yield server
        finally:
            try:
                server.clear()
            except (OSError, Answered, Refusal) as error:
                raise _refused(f"not all is gone from {client.server}: {error}") from None


def _refused(words: str) -> Refused:
    return Refused([InputError((OPTION,), words)])
