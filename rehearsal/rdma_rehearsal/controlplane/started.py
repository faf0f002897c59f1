"""An API server for one rehearsal: one that is started and ended, or the one of a kubeconfig."""

from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pulumi_offline.errors import InputError, Refused
from rdma_cluster.kubernetes_api.client import Answered, Client
from rdma_cluster.kubernetes_api.connect import connect
from rdma_cluster.kubernetes_api.kubeconfig import connection
from ..inventory import Refusal
from .contents import OPTION, check_empty
from .objects import ControlPlane
from .servers import ServerError, api_server, find_programs


@contextmanager
def control_plane(kubeconfig: Path | None, minor: str) -> Generator[ControlPlane]:
    """The server, with nothing of the rehearsal left on it in the end.

    Without a ``kubeconfig`` it is one of ``minor`` on 127.0.0.1, where there is one of that. Raises ``Refused``.
    """
    with ExitStack() as started:
        if kubeconfig is not None:
            client = started.enter_context(closing(connect(kubeconfig, OPTION)))
        else:
            programs = find_programs(minor)
            folder = started.enter_context(TemporaryDirectory(prefix="rehearsal-servers-"))
            try:
                file = started.enter_context(api_server(Path(folder), programs))
            except ServerError as error:
                raise Refused([InputError((OPTION,), str(error))]) from None
            client = started.enter_context(closing(Client(connection(file))))
        check_empty(client)
        server = ControlPlane(client, alone=kubeconfig is None)
        try:
            yield server
        finally:
            try:
                server.clear()
            except (OSError, Answered, Refusal) as error:
                why = f"not all is gone from {client.server}: {error}"
                raise Refused([InputError((OPTION,), why)]) from None
