"""Published runs, one by one, in their own form and in every other one; and verbatim logs, where they are at hand."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from nccl_verdict.expectation import from_json
from nccl_verdict.reader import read_bytes
from nccl_verdict.text import plain_text
from nccl_verdict.verdict import judge
from tests.nccl.cases import CASES, Case
from tests.nccl.forms import NETWORKS, PREFIXES
from tests.nccl.render import joined
from tests.nccl.twins import TWINS

FOLDER = Path(__file__).parents[3] / "shared" / "nccl-logs"
VERBATIM = sorted(FOLDER.glob("*.log"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_published_run_fails_exactly_the_noted_gates(case: Case) -> None:
    """Its figures are the published ones, and it passes when every failed gate is waived by name."""
    verdict = judge(read_bytes(case.text), case.expectation)

    assert tuple(gate.name for gate in verdict.failed) == case.fails
    largest = verdict.largest
    seen = None if largest is None else (largest.size_bytes, largest.out_of_place, largest.in_place)
    assert seen == case.largest
    assert verdict.exit_code == (1 if case.fails else 0)
    assert "0 of 0" not in plain_text(verdict)
    waived = judge(read_bytes(case.text), case.expectation, waive=case.fails)
    assert waived.passed
    assert all(name in waived.headline for name in case.fails)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_prefix_changes_no_verdict_of_a_published_run(prefix: str) -> None:
    for case in CASES:
        lines = [PREFIXES[prefix](number, line) for number, line in enumerate(case.lines())]
        verdict = judge(read_bytes(joined(lines)), case.expectation)

        assert tuple(gate.name for gate in verdict.failed) == case.fails, case.name


def test_every_published_run_names_its_source() -> None:
    """There is every table of the source documents, and 25 further runs at the least."""
    seeds = [case for case in CASES if case.name.startswith("seed-")]

    assert len(seeds) == 7
    assert len(CASES) - len(seeds) >= 25
    assert all(case.data["source"] for case in CASES)


@pytest.mark.parametrize("name", TWINS)
def test_a_published_run_with_nccls_lines_is_told_for_the_true_reason(name: str) -> None:
    twin = TWINS[name]
    verdict = judge(read_bytes(twin.text()), twin.expectation)

    assert tuple(gate.name for gate in verdict.reported) == twin.told
    assert verdict.passed is (not twin.told)


@pytest.mark.parametrize("name", [name for name, twin in TWINS.items() if twin.channels])
def test_one_channel_of_a_published_run_without_gpudirect_is_told(name: str) -> None:
    twin = TWINS[name]
    verdict = judge(read_bytes(twin.text().replace(b"/GDRDMA", b"", 1)), twin.expectation)

    assert "gdr" in [gate.name for gate in verdict.reported]


@pytest.mark.skipif(
    not VERBATIM, reason="no logs: put them into ../shared/nccl-logs from where published.toml and twins.py say"
)
def test_a_verbatim_log_has_the_verdict_of_its_rendering() -> None:
    """The publishers' own text gives what our rendering of its figures gives."""
    for path in VERBATIM:
        text = path.read_bytes()
        head = dict(line[3:].split(": ", 1) for line in text.decode().splitlines()[:4] if line.startswith("## "))
        if "expect" not in head:
            continue
        expect = json.loads(head["expect"].replace('"floors', '"thresholds'))
        expect["network"] = asdict(NETWORKS[expect.pop("transport")])
        verdict = judge(read_bytes(text), from_json(json.dumps(expect)))

        assert [gate.name for gate in verdict.failed] == head["fails"].split(), path.name
        assert "Traceback" not in plain_text(verdict)
    for name, twin in TWINS.items():
        text = (FOLDER / "info" / f"{name}.log").read_bytes()
        verdict, rendered = (judge(read_bytes(each), twin.expectation) for each in (text, twin.text()))

        assert tuple(gate.name for gate in verdict.reported) == twin.told, name
        assert (verdict.largest and verdict.largest.out_of_place) == (
            rendered.largest and rendered.largest.out_of_place
        ), name
