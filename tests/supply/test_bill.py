"""The bill of materials: what a stack fetches, by names that scanners know."""

import json
from dataclasses import replace

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from rdma_cluster import __version__
from rdma_cluster.artifacts import artifacts
from rdma_cluster.catalog.artifact import Chart
from rdma_cluster.supply.bill import bill_of_materials
from rdma_cluster.supply.fetched import Fetched, fetched
from rdma_cluster.supply.lock import Locked

from tests.cli.commands import command
from tests.stacks import STACKS, graph_of
from tests.supply.test_lock import answer

PINNED, HELD = f"sha256:{'a' * 64}", f"sha256:{'b' * 64}"
PARTS = {
    Fetched("quay.io/b/z:2", "image", ("amd64", "arm64")): {
        "name": "quay.io/b/z",
        "version": "2",
        "type": "container",
        "purl": f"pkg:oci/z@{HELD}?repository_url=quay.io/b/z&tag=2",
        "licenses": [{"license": {"id": "MIT"}}],
        "hashes": [{"alg": "SHA-256", "content": "b" * 64}],
        "properties": ["architecture amd64", "architecture arm64", "kind image"],
    },
    Fetched(f"quay.io/b/y:1@{PINNED}", "image"): {
        "name": "quay.io/b/y",
        "version": "1",
        "type": "container",
        "purl": f"pkg:oci/y@{PINNED}?repository_url=quay.io/b/y&tag=1",
        "hashes": [{"alg": "SHA-256", "content": "a" * 64}],
        "properties": ["kind image"],
    },
    Fetched(f"quay.io/b/x@{PINNED}", "image"): {
        "name": "quay.io/b/x",
        "version": PINNED,
        "type": "container",
        "purl": f"pkg:oci/x@{PINNED}?repository_url=quay.io/b/x",
        "hashes": [{"alg": "SHA-256", "content": "a" * 64}],
        "properties": ["kind image"],
    },
    Fetched("r.example/charts/k:0.1", "chart"): {
        "name": "r.example/charts/k",
        "version": "0.1",
        "type": "application",
        "purl": "pkg:oci/k?repository_url=r.example/charts/k&tag=0.1",
        "properties": ["kind chart"],
    },
    Fetched("https://h.example/x dra 25.3", "helm", holds=False): {
        "name": "dra",
        "version": "25.3",
        "type": "application",
        "purl": "pkg:helm/dra@25.3?repository_url=https://h.example/x",
        "properties": ["kind helm"],
    },
}
"""Parts of a bill as CycloneDX 1.6 and the package URLs of OCI and Helm have them; the first alone is locked."""
LOCK = {"quay.io/b/z:2": Locked("quay.io/b/z:2", "image", HELD, 1, "a/b", {}, licenses="MIT")}


def test_each_part_by_its_kind():
    """A locked image, two that are pinned, a chart of a registry and one of a Helm repository, below the stack."""
    bill = json.loads(bill_of_materials("lab", list(PARTS), LOCK))

    parts = {part.pop("bom-ref"): part for part in bill["components"]}
    assert parts.pop("rdma-cluster") == {"name": "rdma-cluster", "version": __version__, "type": "application"}
    for part in parts.values():
        part["properties"] = [
            f"{each['name'].removeprefix('rdma-cluster:')} {each['value']}" for each in part["properties"]
        ]
    assert parts == {each.reference: part for each, part in PARTS.items()}
    assert bill["metadata"] == {"component": {"bom-ref": "stack:lab", "name": "lab", "type": "application"}}
    (waits,) = [each for each in bill["dependencies"] if each["ref"] == "stack:lab"]
    assert set(waits["dependsOn"]) == {"rdma-cluster", *parts}


def test_a_bill_has_the_number_of_its_content():
    """Another digest in the lock makes another bill; another order of the lock makes the same."""
    wanted = [*PARTS][:2]
    one, other = ({each.reference: answer(each, content) for each in wanted} for content in ("", "other"))
    first = bill_of_materials("lab", wanted, one)

    assert bill_of_materials("lab", wanted, dict(reversed(one.items()))) == first
    numbers = {json.loads(bill_of_materials(*of))["serialNumber"] for of in (("lab", wanted, one), ("lab", wanted, other),
               ("lab", wanted[:1], one), ("lab", wanted, {}), ("gke", wanted, one))}  # fmt: skip
    assert len(numbers) == 5


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
