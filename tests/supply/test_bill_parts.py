"""A bill of materials of a few artifacts of every kind, part by part."""

import json

from rdma_cluster import __version__
from rdma_cluster.supply.bill import bill_of_materials
from rdma_cluster.supply.fetched import Fetched
from rdma_cluster.supply.lock import Locked
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
    text = bill_of_materials("lab", list(PARTS), LOCK)
    bill = json.loads(text)
    assert text.startswith('{\n "components": [\n  {\n')  # a difference is one of lines

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
    others = (("lab", wanted, other), ("lab", wanted[:1], one), ("lab", wanted, {}), ("gke", wanted, one))
    numbers = {json.loads(bill_of_materials(*of))["serialNumber"] for of in (("lab", wanted, one), *others)}
    assert len(numbers) == 5
