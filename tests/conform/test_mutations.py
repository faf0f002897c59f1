"""A cluster that keeps its promises conforms; every single fault of it is told, with what follows."""

import pytest
from rdma_cluster.conform.difference import CONSEQUENCES, Difference
from rdma_cluster.conform.expected import Expected
from rdma_cluster.conform.judge import differences
from rdma_cluster.conform.reader import Answers, read_answers
from rdma_cluster.conform.snapshot import as_text, read
from tests.conform.mutations import Mutation, mutated, mutations
from tests.conform.synthetic import answers, promised
from tests.stacks import STACKS, cloud_of

WITH_KUBERNETES = [stack for stack in STACKS if cloud_of(stack) != "gce"]


def judged(given: Answers, of: Expected) -> list[Difference]:
    """The differences of a cluster, whose snapshot goes through a file."""
    seen = read_answers(given, of.pool_label, [pool.name for pool in of.pools], "0.1.0")
    return differences(read(as_text(seen.snapshot).encode(), "snapshot"), of)


@pytest.mark.parametrize("stack", WITH_KUBERNETES)
def test_a_cluster_as_the_catalogue_has_it_conforms(stack: str):
    """The catalogue, the drivers' attributes and the reader agree on every stack."""
    of = promised(stack)

    assert judged(answers(of), of) == []


def problem(mutation: Mutation, found: list[Difference]) -> str | None:
    """What is wrong with the differences that a fault makes."""
    told = [each for each in found if each.kind == mutation.kind]
    if not told:
        return f"{mutation.kind}: told as {[each.kind for each in found]}, and not as {mutation.kind}"
    if mutation.breaks is not None and told[0].breaks != mutation.breaks:
        return f"{mutation.kind}: breaks {told[0].breaks}"
    if any("{" in each.follows + each.remedy or not each.follows or not each.remedy for each in found):
        return f"{mutation.kind}: no consequence or no remedy"
    unfit = any(each.kind in ("claims", "slice missing") for each in found)
    if mutation.breaks is None and told[0].breaks != unfit:
        return f"{mutation.kind}: claims decide otherwise: {told[0]}"
    return None


def test_every_single_fault_is_told_with_its_consequence():
    """One stack has claims, and the other has none; the five kinds that are left have tests of their own."""
    kinds: set[str] = set()
    for stack in ("gke", "oke"):
        of = promised(stack)
        whole = answers(of)
        faults = list(mutations(of, whole))
        kinds |= {each.kind for each in faults}

        assert [why for each in faults if (why := problem(each, judged(mutated(whole, each), of)))] == []

    assert set(CONSEQUENCES) - kinds == {"claims", "nics offered", "offered beside", "root name", "roots in one"}
