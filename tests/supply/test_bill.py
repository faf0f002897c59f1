"""The bill of materials: what a stack fetches, by names that scanners know."""

import json
from dataclasses import replace

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from rdma_cluster.catalog.artifact import Chart
from rdma_cluster.supply.artifacts import artifacts
from rdma_cluster.supply.bill import bill_of_materials
from rdma_cluster.supply.fetched import fetched
from tests.cli.commands import command
from tests.stacks import STACKS, graph_of
from tests.supply.test_lock import answer


@pytest.mark.parametrize("stack", STACKS)
def test_a_bill_is_valid_and_whole(stack: str):
    """By the standard's own schema; every artifact is in it, and the same stack gives the same bytes."""
    wanted = fetched(graph_of(stack))

    text = bill_of_materials(stack, wanted, {})

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert {each.reference for each in wanted} < {part["bom-ref"] for part in json.loads(text)["components"]}
    assert text == bill_of_materials(stack, wanted, {})


def test_what_is_fetched_stands_in_order():
    """Charts first, then images, each once by its name: two runs can be compared line by line."""
    found = artifacts(graph_of("gke"))
    names = [each.reference for each in found]

    charts = len([each for each in found if isinstance(each.record, Chart)])
    assert 0 < charts < len(names)
    assert names == sorted(names[:charts]) + sorted(names[charts:]) and len(set(names)) == len(names)


def test_digests_of_a_lock_are_hashes():
    """A locked image is named by its digest in its package URL, as scanners ask for it."""
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
    """By SPDX where it is of SPDX, as it is where not; nothing where nobody wrote any."""
    (wanted, *_) = fetched(graph_of("gke"))

    text = bill_of_materials("gke", [wanted], {wanted.reference: replace(answer(wanted), licenses=published)})

    (part,) = [each for each in json.loads(text)["components"] if each["bom-ref"] == wanted.reference]
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert part.get("licenses") == (None if shown is None else [shown])


def test_the_command():
    """JSON alone, so that it goes into a file."""
    code, out, _ = command("artifacts", "gke", "--sbom")

    assert code == 0 and json.loads(out)["bomFormat"] == "CycloneDX"
