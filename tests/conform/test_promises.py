"""`plan --evidence`, and the table of the README: computed from the catalogue, with what only hardware can answer."""

import json

import pytest
from rdma_cluster.catalog import find, machines
from rdma_cluster.catalog.machine import Known, Source
from rdma_cluster.catalog.questions import figures
from rdma_cluster.cli.evidence import promises_of
from rdma_cluster.cli.stack_file import read_stack
from rdma_cluster.conform.promises import Evidence, Promise, counted
from docs.generate import README, readme
from tests.cli.commands import command
from tests.stacks import STACKS


@pytest.mark.golden
def test_the_readme_has_the_table_as_it_is_computed():
    """`make docs` renews it."""
    assert README.read_text(encoding="utf-8") == readme(), "run `make docs`"


@pytest.mark.parametrize("stack", STACKS)
def test_every_figure_of_a_stack_is_counted(stack: str):
    """Also those that nobody published or knows: they are not left out of the whole."""
    found = promises_of(read_stack(stack, None, ())[1])
    of = {promise.of for promise in found}

    for name in (each.name for each in machines() if each.name in of):
        told = {promise.what for promise in found if promise.of == name}
        row = find(name)
        assert row is not None
        assert {each.field for each in figures(row) if each.known is not Known.NOT_APPLICABLE} <= told
    assert sum(counted(found).values()) == len(found)
    assert all(bool(promise.sources) != bool(promise.reason) for promise in found)
    fetched = [promise for promise in found if promise.of in ("chart", "image")]
    assert all(bool(each.sources) == (each.known is Known.PUBLISHED) for each in fetched)


def test_a_claim_is_known_as_its_worst_figure():
    """A3 Ultra's roots are inferred, and so is that pairs fit; that whole nodes do is not."""
    found = promises_of(read_stack("gke-a3-ultra", None, ())[1])
    known = {promise.what: promise.known for promise in found}

    assert known["roots"] is Known.INFERRED
    assert known["claim: 1 aligned GPU+NIC pair"] is Known.INFERRED
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
def test_documents_are_told_from_code(refs: list[str], evidence: Evidence):
    """One document among the sources is enough."""
    sources = tuple(Source(ref, "2026-11-23") for ref in refs)

    assert Promise("m", "nics", Known.PUBLISHED, sources, "").evidence is evidence


def test_the_command_counts_and_cites():
    """A table, then each promise with its sources; or the same as JSON."""
    code, out, err = command("plan", "gke", "--evidence")
    assert (code, err) == (0, "")
    assert "none of them run on hardware by us" in out and "hardware can tell" in out
    told = [paragraph.partition(":") for paragraph in out.split("\n\n")[2:]]
    headings, what = [heading for heading, *_ in told], [said for *_, said in told]
    order = [evidence.value for evidence in Evidence]
    assert len(set(headings)) > 3 and headings == sorted(headings, key=order.index)
    assert len(set(what)) == len(what), "a promise stands under one heading"

    code, out, _ = command("plan", "gke", "--evidence", "--json")
    told = json.loads(out)
    assert code == 0 and told["counts"].keys() == {evidence.value for evidence in Evidence}
    assert sum(told["counts"].values()) == len(told["promises"])
