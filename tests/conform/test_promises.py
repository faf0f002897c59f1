"""`plan --evidence`, and what pages say of it: computed from the catalogue, with what only hardware can answer."""

import json

import pytest
from pulumi_offline.project import Settings
from rdma_cluster.catalog import machines
from rdma_cluster.catalog.machine import Known, Source
from rdma_cluster.catalog.questions import figures
from rdma_cluster.cli import evidence
from rdma_cluster.cli.evidence import promises_of
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.conform.promises import Evidence, Promise, counted
from docs.generate import EVIDENCE_PAGE, README, evidence as page, readme
from docs.picture import pictures
from tests.stacks import STACKS

DOCUMENT, CODE = Source("docs.aws.amazon.com/x", "2026-01-01"), Source("github.com/a/b", "2026-02-01")
PROMISES = [
    Promise("m1", "nics", Known.PUBLISHED, (CODE,), ""),
    Promise("m1", "mtu", Known.INFERRED, (), "one source"),
    Promise("m1", "roots", Known.PUBLISHED, (DOCUMENT, CODE), ""),
    Promise("m2", "gpus", Known.PUBLISHED, (CODE,), ""),
    Promise("m2", "mtu", Known.INFERRED, (), "one source"),
    Promise("m1", "numa", Known.INFERRED, (), "one source"),
]


@pytest.mark.golden
def test_the_pages_have_what_is_computed():
    """The table of evidence, and README's count of public reports and its picture."""
    made = {EVIDENCE_PAGE: page(), README: readme(), **pictures()}

    assert [file.name for file, text in made.items() if file.read_text("utf-8") != text] == [], "run `make docs`"


@pytest.mark.parametrize("stack", STACKS)
def test_every_figure_of_a_stack_is_counted(stack: str):
    """A figure that nobody published or knows is not left out of the whole."""
    found = promises_of(read_stack(stack, None, ())[1])
    of = {promise.of for promise in found}

    for row in (each for each in machines() if each.name in of):
        told = {promise.what for promise in found if promise.of == row.name}
        assert {each.field for each in figures(row) if each.known is not Known.NOT_APPLICABLE} | {"price"} <= told
    assert sum(counted(found).values()) == len(found) and {*counted(found)} == {*Evidence}
    assert all(bool(promise.sources) != bool(promise.reason) for promise in found)
    fetched = [promise for promise in found if promise.of in ("chart", "image")]
    assert all(bool(each.sources) == (each.known is Known.PUBLISHED) for each in fetched)


def test_a_claim_is_known_as_its_worst_figure():
    """The roots of A3 Ultra are inferred, and so is that pairs fit; that whole nodes fit is not."""
    found = promises_of(read_stack("gke-a3-ultra", None, ())[1])
    known = {promise.what: promise.known for promise in found}

    assert known["roots"] is known["claim: 1 aligned GPU+NIC pair"] is Known.INFERRED
    assert known["claim: the whole node"] is Known.PUBLISHED


@pytest.mark.parametrize(
    ("refs", "evidence"),
    [
        (["docs.cloud.google.com/compute/docs/gpus"], Evidence.DOCUMENTED),
        (["github.com/MicrosoftDocs/azure-aks-docs@fb060ab use-nvidia-gpu"], Evidence.DOCUMENTED),
        (["github.com/Mellanox/network-operator-docs docs/advanced"], Evidence.DOCUMENTED),
        (["github.com/aws/aws-ofi-nccl@2daf7d30 src/platform-aws.cpp"], Evidence.IN_CODE),
        (["github.com/kubernetes/k8s.io/pull/9845"], Evidence.IN_CODE),
        (["github.com/aws/karpenter-provider-aws@1d927085d", "docs.aws.amazon.com/AWSEC2"], Evidence.DOCUMENTED),
    ],
)
def test_one_document_among_the_sources_tells_documents_from_code(refs: list[str], evidence: Evidence):
    sources = tuple(Source(ref, "2026-11-23") for ref in refs)

    assert Promise("m", "nics", Known.PUBLISHED, sources, "").evidence is evidence


def test_promises_are_counted_by_class_and_told_by_what_they_rest_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(evidence, "promises_of", lambda settings: PROMISES)
    assert evidence.show_evidence(Settings("p", "lab"), False) == 0
    counts, *rest = capsys.readouterr().out.split("\n\n")[1:]

    numbers = [[int(word) for word in line.split() if word.isdigit()] for line in counts.splitlines()[2:]]
    assert numbers == [[0], [1], [2], [0], [3], [0]]
    assert rest == [
        "documented: roots: docs.aws.amazon.com/x (2026-01-01); github.com/a/b (2026-02-01)",
        "in code: nics, gpus: github.com/a/b (2026-02-01)",
        "inferred: mtu, numa: m1: one source",
        "inferred: mtu: m2: one source\n",
    ]
    assert evidence.show_evidence(Settings("p", "lab"), True) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["stack"], data["counts"]["in code"], len(data["promises"])) == ("lab", 2, 6)
    assert data["promises"][1].items() > {"of": "m1", "known": "inferred", "reason": "one source"}.items()
