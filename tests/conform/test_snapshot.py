"""A snapshot's file: how long one may be, and the numbers in it at their edges."""

import json
from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.conform import snapshot
from rdma_cluster.conform.snapshot import FORM, as_text, checked, read


def whole(**node: Any) -> Any:
    """A snapshot of one node."""
    return {"form": FORM, "nodes": [{"pool": 0, "machine": "m", **node}]}


@pytest.mark.parametrize("node", [{}, {"pool": 1}, {"count": 1}, {"count": 2}])
def test_a_snapshot_is_read_back_as_it_was_written(node: dict[str, int]):
    text = as_text(whole(**node))

    assert read(text.encode(), "a.json") == whole(**node)
    assert text.endswith("\n") and text.startswith('{\n "form"')


@pytest.mark.parametrize("node", [{"pool": -1}, {"count": 0}, {"pool": 1, "count": -1}])
def test_a_number_that_no_node_has_is_refused_with_its_place(node: dict[str, int]):
    with pytest.raises(Refused, match=r"^a\.json\.nodes\[0\]: "):
        checked(whole(**node), "a.json")


def test_a_file_longer_than_sixteen_mebibytes_is_not_parsed(monkeypatch: pytest.MonkeyPatch):
    data = json.dumps(whole()).encode()
    assert snapshot.LONGEST == 16 * 1024 * 1024
    monkeypatch.setattr(snapshot, "LONGEST", len(data))

    assert read(data, "a.json") == whole()
    with pytest.raises(Refused, match=r"^a\.json: longer "):
        read(data + b" ", "a.json")
