"""An HTTP client from a kubeconfig."""

from pathlib import Path

import httpx
from rdma_cluster.kubernetes_api.kubeconfig import connection

SECONDS = 60.0  # of one request; a watch sets its own


def connect(path: Path) -> httpx.Client:
    """A client for the file's current context."""
    server, tls, headers = connection(path)
    return httpx.Client(
        base_url=server,
        verify=tls,
        headers=headers,
        timeout=SECONDS,
        trust_env=not server.startswith("https://127.0.0.1"),  # no proxy between us and ourselves
    )
