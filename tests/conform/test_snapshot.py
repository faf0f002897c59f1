"""A snapshot's file: as long as one may be, and the numbers in it at their edges."""

import json
from typing import Any

import pytest
from pulumi_offline.errors import Refused
from rdma_cluster.conform import snapshot
from rdma_cluster.conform.snapshot import FORM, as_text, checked, devices_of, read


def whole(**node: Any) -> Any:
    """A snapshot of one node."""
    return {"form": FORM, "nodes": [{"pool": 0, "machine": "m", **node}]}


@pytest.mark.parametrize("node", [{}, {"pool": 1}, {"count": 1}, {"count": 2}])
def test_numbers_that_a_node_may_have(node: dict[str, int]):
    """They come back as they were written, line by line."""
    text = as_text(whole(**node))

    assert read(text.encode(), "a.json") == whole(**node)
    assert text.endswith("\n") and text.startswith('{\n "form"')


@pytest.mark.parametrize("node", [{"pool": -1}, {"count": 0}, {"pool": 1, "count": -1}])
def test_numbers_that_no_node_has(node: dict[str, int]):
    """Each is told below the file's name."""
    with pytest.raises(Refused) as refused:
        checked(whole(**node), "a.json")

    assert str(refused.value) == "a.json.nodes[0]: pool is 0 or more, and count is 1 or more"


@pytest.mark.parametrize(
    ("value", "got"), [({"form": FORM + "0", "nodes": []}, repr(FORM + "0")), ({}, "None"), ("x" * 60, "'" + "x" * 39)]
)
def test_what_has_another_form(value: Any, got: str):
    """The form that it has, or the beginning of what it is."""
    with pytest.raises(Refused) as refused:
        checked(value, "a.json")

    assert str(refused.value) == (f"a.json: has the form {got}, and not {FORM}; `conform STACK --save FILE` writes one")


def test_a_file_of_sixteen_mebibytes_and_no_more(monkeypatch: pytest.MonkeyPatch):
    """A longer one is not parsed."""
    data = json.dumps(whole()).encode()
    assert snapshot.LONGEST == 16 * 1024 * 1024
    monkeypatch.setattr(snapshot, "LONGEST", len(data))

    assert read(data, "a.json") == whole()
    with pytest.raises(Refused, match=r"a\.json: longer than 0 MiB, which no snapshot is"):
        read(data + b" ", "a.json")


def test_attributes_of_every_type():
    """As claims are allocated on them; a version is compared as one."""
    parts = {"strings": {"a": "x"}, "numbers": {"b": 1}, "flags": {"c": False}, "versions": {"d": "1.2"}}
    node: Any = whole(devices=[{"driver": "dra.net", "name": "rail-0", **parts}])["nodes"][0]

    (device,) = devices_of(node)

    assert (device.driver, device.name) == ("dra.net", "rail-0")
    assert {key: str(value) for key, value in device.attributes.items()} == {
        "a": "x",
        "b": "1",
        "c": "False",
        "d": "1.2",
    }
    assert type(device.attributes["d"]).__name__ == "Version"
    assert devices_of(whole()["nodes"][0]) == ()
