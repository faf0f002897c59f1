"""Every figure is published, measured or open, and ever fewer are open."""

from dataclasses import fields, replace
from datetime import date

import pytest
from rdma_cluster.catalog import Known, Machine, Source, machines
from rdma_cluster.catalog.questions import figures, open_questions
from tests.machines import known_machine

# Lower it with every point that is settled. A new machine alone may raise it, by what its own row leaves open.
_OPEN_POINTS = 202
_OPEN = {Known.INFERRED, Known.UNKNOWN}


def test_open_points_only_become_fewer() -> None:
    assert len(list(open_questions())) <= _OPEN_POINTS


@pytest.mark.parametrize("machine", machines(), ids=lambda machine: machine.name)
def test_a_settled_figure_has_sources_and_an_open_one_a_reason(machine: Machine) -> None:
    """Each field stands once."""
    told = list(figures(machine))
    names = [figure.field for figure in told]
    own = {each.name for each in fields(machine)} - {"cloud", "name", "sources", "evidence", "unknown", "unverified"}
    assert len(set(names)) == len(names)
    assert set(names) == own | machine.evidence.keys() | machine.unknown.keys() | machine.unverified.keys()
    for figure in told:
        assert bool(figure.reason) == (figure.known in _OPEN)
        assert bool(figure.sources) != (figure.known in _OPEN)
        assert all(source.ref and date.fromisoformat(source.seen) for source in figure.sources)


def test_a_mark_decides_before_evidence_and_evidence_before_the_rows_sources() -> None:
    """Thresholds rest on runs."""
    here, there = Source("here", "2026-01-01"), Source("there", "2026-01-02", Known.NOT_PUBLISHED)
    a4 = known_machine("a4-highgpu-8g")
    known = {
        figure.field: (figure.known, figure.sources, figure.reason)
        for figure in figures(
            replace(
                a4,
                evidence={"nic_pci": there, "thresholds": here},
                unknown={"roots.name": "not found"},
                unverified={"roots": "a guess"},
            )
        )
    }
    assert known["nics"] == (Known.PUBLISHED, a4.sources, "")
    assert known["nic_pci"] == (Known.NOT_PUBLISHED, (there,), "")
    assert known["roots"] == (Known.INFERRED, (), "a guess")
    assert known["roots.name"] == (Known.UNKNOWN, (), "not found")
    runs = dict.fromkeys(threshold.source for threshold in a4.thresholds)
    assert known["thresholds"] == (Known.MEASURED, (*runs, here), "")
