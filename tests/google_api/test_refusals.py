"""What a rehearsal with the Google provider refuses before anything is started."""

from pathlib import Path

import pytest
from pulumi_offline.errors import Refused
from pulumi_offline.project import Settings
from rdma_rehearsal.inventory import Inventory
from rdma_rehearsal.real.record import Rehearsed, real_provider
from tests.stacks import ROOT
from tools.google_server import documents


def test_a_stack_of_another_cloud_is_refused(tmp_path: Path):
    rehearsed = Rehearsed(
        ROOT, Settings("rdma-cluster", "eks"), tmp_path, Inventory(tmp_path / "world"), lambda role: ()
    )

    with pytest.raises(Refused, match="gcp:project"):
        real_provider("gcp").start(rehearsed).__enter__()


def test_the_documents_must_be_there(monkeypatch: pytest.MonkeyPatch):
    """They belong to a package that only developers have."""
    monkeypatch.setattr(documents, "find_spec", lambda name: None)

    with pytest.raises(Refused, match="pip install google-api-python-client"):
        documents.document.__wrapped__("container.v1beta1")
