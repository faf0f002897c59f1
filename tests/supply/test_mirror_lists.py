"""Each tool gets the list for a mirror in its own form."""

import pytest
from rdma_cluster.supply.fetched import Fetched
from rdma_cluster.supply.mirror import FORMS, registries

MIRROR, DIGEST = "m.example:5000/gpu", f"sha256:{'a' * 64}"
WANTED = [
    Fetched("quay.io/b/z:2", "image"),
    Fetched("https://helm.example/nv/ dra 25.3", "helm"),
    Fetched("docker.io/a/y:1", "image"),
    Fetched(f"docker.io/a/y:0@{DIGEST}", "image"),
    Fetched(f"docker.io/a/y@{DIGEST}", "image"),
    Fetched("docker.io/a/c:0.1", "chart"),
]
"""Not sorted; the helm repository ends in a slash, and one digest is named twice."""
COPIES = [
    ("quay.io/b/z:2", f"{MIRROR}/quay.io/b/z:2"),
    ("docker.io/a/y:1", f"{MIRROR}/docker.io/a/y:1"),
    (f"docker.io/a/y:0@{DIGEST}", f"{MIRROR}/docker.io/a/y:0"),
    (f"docker.io/a/y@{DIGEST}", f"{MIRROR}/docker.io/a/y@{DIGEST}"),
    ("docker.io/a/c:0.1", f"{MIRROR}/docker.io/a/c:0.1"),
]
HELM = (
    "helm pull dra --repo https://helm.example/nv/ --version 25.3 && "
    f"helm push dra-25.3.tgz oci://{MIRROR}/helm.example/nv\n"
)
LISTS = {
    "plain": "".join(
        f"{source} {place}\n"
        for source, place in [
            COPIES[0],
            ("https://helm.example/nv/ dra 25.3", f"oci://{MIRROR}/helm.example/nv/dra:25.3"),
            *COPIES[1:],
        ]
    ),
    "skopeo": f"""\
"docker.io":
  images:
    "a/c": ["0.1"]
    "a/y": ["1", "{DIGEST}"]
"quay.io":
  images:
    "b/z": ["2"]
# {HELM}""",
    "oras": "".join(f"oras cp --recursive {source} {place}\n" for source, place in COPIES) + HELM,
    "regctl": "".join(f"regctl image copy --referrers --digest-tags {source} {place}\n" for source, place in COPIES)
    + HELM,
}


@pytest.mark.parametrize("tool", FORMS)
def test_each_tool_gets_its_lines(tool: str):
    """Charts of Helm repositories stand behind the rest."""
    assert FORMS[tool](WANTED, MIRROR) == LISTS[tool]


def test_a_host_has_one_line_of_registries():
    """A Helm repository becomes a place of images, without its scheme and its last slash."""
    assert list(registries(WANTED, MIRROR).items()) == [
        ("docker.io", f"{MIRROR}/docker.io"),
        ("helm.example/nv", f"oci://{MIRROR}/helm.example/nv"),
        ("quay.io", f"{MIRROR}/quay.io"),
    ]
