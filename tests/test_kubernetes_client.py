"""The addresses of objects, by the Kubernetes API concepts page: in a namespace, in the default one, in none."""

from typing import Any

import pytest
from rdma_cluster.kubernetes_api.client import Kind


@pytest.mark.parametrize(
    ("kind", "meta", "path"),
    [
        (Kind("/api/v1", "pods", True), {"name": "a", "namespace": "n"}, "/api/v1/namespaces/n/pods/a"),
        (Kind("/apis/batch/v1", "jobs", True), {"name": "a"}, "/apis/batch/v1/namespaces/default/jobs/a"),
        (Kind("/api/v1", "nodes", False), {"name": "a", "namespace": "n"}, "/api/v1/nodes/a"),
    ],
    ids=["namespace", "default", "none"],
)
def test_path_of_an_object(kind: Kind, meta: dict[str, Any], path: str):
    """kubernetes.io/docs/reference/using-api/api-concepts, "Resource URIs"."""
    assert kind.path(meta) == path
