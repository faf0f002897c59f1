"""A bill of materials names what a stack fetches by names that scanners know."""

import json
from dataclasses import replace

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from rdma_cluster.supply.bill import bill_of_materials
from rdma_cluster.supply.fetched import Fetched, fetched
from tests.stacks import STACKS, graph_of
from tests.supply.locked import answer


@pytest.mark.parametrize("stack", STACKS)
def test_a_bill_is_valid_and_has_every_artifact(stack: str):
    """The standard's own schema judges it, and the same stack gives the same bytes."""
    wanted = fetched(graph_of(stack))

    text = bill_of_materials(stack, wanted, {})

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert {each.reference for each in wanted} < {part["bom-ref"] for part in json.loads(text)["components"]}
    assert text == bill_of_materials(stack, wanted, {})


def test_digests_of_a_lock_are_hashes_and_parts_of_package_urls():
    wanted = fetched(graph_of("aks"))
    locked = {each.reference: answer(each) for each in wanted}

    parts = {part["bom-ref"]: part for part in json.loads(bill_of_materials("aks", wanted, locked))["components"]}

    for each in wanted:
        digest = locked[each.reference].digest
        assert parts[each.reference]["hashes"] == [{"alg": "SHA-256", "content": digest.removeprefix("sha256:")}]
        assert each.kind == "helm" or f"@{digest}?" in parts[each.reference]["purl"].replace("%3A", ":")


@pytest.mark.parametrize(
    ("published", "shown"),
    [
        ("Apache-2.0", {"license": {"id": "Apache-2.0"}}),
        ("Apache-2.0 AND MIT", {"expression": "Apache-2.0 AND MIT"}),
        ("NVIDIA Proprietary", {"license": {"name": "NVIDIA Proprietary"}}),
        ("", None),
    ],
)
def test_licenses_are_those_that_publishers_write(published: str, shown: dict | None):
    """They are ids or expressions of SPDX where they can be, and names where not."""
    (wanted, *_) = fetched(graph_of("gke"))

    text = bill_of_materials("gke", [wanted], {wanted.reference: replace(answer(wanted), licenses=published)})

    (part,) = [each for each in json.loads(text)["components"] if each["bom-ref"] == wanted.reference]
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert part.get("licenses") == (None if shown is None else [shown])


@pytest.mark.parametrize(
    ("reference", "kind", "purl"),
    [
        ("quay.io/b/z:2", "image", "pkg:oci/z?repository_url=quay.io/b/z&tag=2"),
        ("r.example/charts/k:0.1", "chart", "pkg:oci/k?repository_url=r.example/charts/k&tag=0.1"),
        ("https://h.example/x dra 25.3", "helm", "pkg:helm/dra@25.3?repository_url=https://h.example/x"),
    ],
)
def test_scanners_know_each_kind_by_its_package_url(reference: str, kind: str, purl: str):
    bill = json.loads(bill_of_materials("lab", [Fetched(reference, kind)], {}))
    (part,) = (each for each in bill["components"] if each["bom-ref"] == reference)

    assert part["purl"] == purl
    assert {"ref": "stack:lab", "dependsOn": sorted(["rdma-cluster", reference])} in bill["dependencies"]
