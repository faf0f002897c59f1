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
def test_published_run(case: Case) -> None:
    """The gates that fail are exactly the noted ones, and the figures are the published ones."""
    verdict = judge(read_bytes(case.text), case.expectation)

    assert tuple(gate.name for gate in verdict.failed) == case.fails
    largest = verdict.largest
    seen = None if largest is None else (largest.size_bytes, largest.out_of_place, largest.in_place)
    assert seen == case.largest
    assert verdict.exit_code == (1 if case.fails else 0)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_published_run_behind_a_prefix(prefix: str) -> None:
    """What launchers put before the lines changes no outcome."""
    for case in CASES:
        lines = [PREFIXES[prefix](number, line) for number, line in enumerate(case.lines())]
        verdict = judge(read_bytes(joined(lines)), case.expectation)

        assert tuple(gate.name for gate in verdict.failed) == case.fails, case.name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_waiving_what_a_publisher_left_out(case: Case) -> None:
    """A verdict passes when every failed gate is waived by name, and names them all."""
    verdict = judge(read_bytes(case.text), case.expectation, waive=case.fails)

    assert verdict.passed
    assert all(name in verdict.headline for name in case.fails)


def test_enough_cases() -> None:
    """Every table of the source documents, and at least 25 further published runs."""
    seeds = [case for case in CASES if case.name.startswith("seed-")]

    assert len(seeds) == 7
    assert len(CASES) - len(seeds) >= 25
    assert all(case.data["source"] for case in CASES)


@pytest.mark.parametrize("name", TWINS)
def test_runs_with_info_lines(name: str) -> None:
    """Healthy, whole ones pass every gate; the others fail for the true reason."""
    twin = TWINS[name]
    verdict = judge(read_bytes(twin.text()), twin.expectation)

    assert tuple(gate.name for gate in verdict.reported) == twin.told
    assert verdict.passed is (not twin.told)


@pytest.mark.parametrize("name", [name for name, twin in TWINS.items() if twin.channels])
def test_a_twin_is_about_its_channels(name: str) -> None:
    """One of them without GPUDirect is told."""
    twin = TWINS[name]
    verdict = judge(read_bytes(twin.text().replace(b"/GDRDMA", b"", 1)), twin.expectation)

    assert "gdr" in [gate.name for gate in verdict.reported]


@pytest.mark.skipif(
    not VERBATIM, reason="no logs: put them into ../shared/nccl-logs from where published.toml and twins.py say"
)
def test_verbatim_logs() -> None:
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
