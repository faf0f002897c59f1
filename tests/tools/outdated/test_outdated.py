"""Answers of registries are read right, and a pin is late when it has to be; nothing reaches the internet."""

import json
from datetime import date

import pytest
from rdma_cluster.catalog import charts, images
from tools.outdated import __main__ as outdated
from tools.outdated.held import HELD
from tools.outdated.newest import NEWEST, newest_of
from tools.outdated.pins import Pin, artifact_pins, built, go_pins, pinned, python_pins
from tools.outdated.registries import Release, Unreachable, newest_of_line, read_index

TODAY = date(2026, 11, 23)
PIN = Pin("pulumi", "3.1.0", ("requirements-base.txt",))


def page(*files: tuple[str, str], yanked: str = "") -> bytes:
    """An index's answer (PEP 691 with PEP 700)."""
    listed = [{"filename": name, "upload-time": f"{day}T10:00:00Z", "yanked": name == yanked} for name, day in files]
    return json.dumps({"meta": {"api-version": "1.1"}, "name": "pulumi", "files": listed}).encode()


FILES = (
    ("pulumi-3.1.0-py3-none-any.whl", "2026-05-02"),
    ("pulumi-3.1.0.tar.gz", "2026-05-01"),
    ("pulumi-3.9.0-py3-none-any.whl", "2026-10-01"),
    ("pulumi-3.10.0-py3-none-any.whl", "2026-11-01"),
    ("pulumi-3.11.0-py3-none-any.whl", "2026-11-02"),
    ("pulumi-4.0.0b1-py3-none-any.whl", "2026-11-03"),
    ("pulumi-old.exe", "2020-01-01"),
)


def test_the_newest_release_of_an_index_is_no_beta_and_not_withdrawn():
    """Its day is that of the pinned version's first file."""
    found = read_index(page(*FILES, yanked="pulumi-3.11.0-py3-none-any.whl"), PIN)

    assert found == Release("3.10.0", date(2026, 5, 1))


def test_a_folder_of_one_minor_stays_with_it():
    versions = ["v1.36.9", "v1.36.10", "v1.36.11-rc.1", "v1.37.2", "v2.0.0+incompatible"]

    assert newest_of_line(versions, "v1.36.") == "v1.36.10"
    assert newest_of_line(versions, "") == "v2.0.0+incompatible"
    assert newest_of_line(versions, "v1.35.") is None


def test_pins_are_read_from_requirements_and_from_go_mod():
    go_mod = """
tool (
\texample.com/a/cmd/x
)

require example.com/direct v1.0.0

require (
\texample.com/a v1.2.3 // indirect
\texample.com/ab v9.9.9 // indirect
)
"""

    assert list(pinned(["-r other.txt", "# x==1", "a-b==1.2", "c[d]==3  # why", "../..[gke]"])) == [
        ("a-b", "1.2"),
        ("c", "3"),
    ]
    assert list(built(go_mod)) == [("example.com/direct", "v1.0.0"), ("example.com/a", "v1.2.3")]


def test_every_place_with_pins_is_found():
    where = {path for pin in (*python_pins(), *go_pins()) for path in pin.where}
    floors = [pin for pin in python_pins() if pin.allowed]

    assert {"pyproject.toml", "requirements-base.txt", "requirements-dev.txt", "packages/gke/requirements.txt"} <= where
    assert {"tools/scan/requirements.txt", "tools/skypilot/requirements.txt"} <= where
    assert "tests/controlplane/go/queues/go.mod" in where
    assert next(pin.allowed for pin in floors if pin.name == "pulumi") == "<4,>=3.272"
    assert {pin.line for pin in go_pins() if pin.name == "k8s.io/kubernetes"} == {
        f"v1.{minor}." for minor in (34, 35, 36, 37)
    }


def judged(pin: Pin, answer: Release | Unreachable) -> outdated.Line:
    def ask(_: Pin) -> Release:
        if isinstance(answer, Unreachable):
            raise answer
        return answer

    return outdated.judged(pin, ask, TODAY)


@pytest.mark.parametrize(
    ("pin", "answer", "behind", "late"),
    [
        (PIN, Release("3.1.0", date(2020, 1, 1)), False, False),
        (PIN, Release("3.2.0", date(2026, 11, 1)), True, False),
        (PIN, Release("3.2.0", date(2026, 7, 25)), True, True),
        (PIN, Release("3.2.0", None), True, True),
        (PIN, Unreachable("403"), False, True),
        # A floor opens a range.
        (Pin("pulumi", "3", (), allowed=">=3,<4"), Release("3.9", date(2020, 1, 1)), False, False),
        (Pin("pulumi", "3", (), allowed=">=3,<4"), Release("4.0", date(2020, 1, 1)), True, True),
        # Held, and a registry that tells nothing.
        (Pin("pytest", "9.1.1", ()), Release("9.2.0", date(2020, 1, 1)), True, False),
        (Pin("sigs.k8s.io/kueue", "v0.19.2", ()), Unreachable("403"), False, False),
    ],
)
def test_a_pin_is_late_120_days_after_its_release_unless_a_reason_holds_it(
    pin: Pin, answer: Release | Unreachable, behind: bool, late: bool
):
    line = judged(pin, answer)

    assert (line.behind, line.late) == (behind, late)
    assert ("403" in str(line)) == isinstance(answer, Unreachable)


def test_a_chart_is_late_when_nobody_has_read_its_list():
    pins = {record: pin for pin, record in artifact_pins()}
    kueue, node_exporter = pins[charts.KUEUE], pins[images.NODE_EXPORTER]

    assert outdated.listed(kueue, charts.KUEUE, TODAY).behind
    assert not outdated.listed(kueue, charts.KUEUE, TODAY).late
    assert not outdated.listed(node_exporter, images.NODE_EXPORTER, TODAY).behind
    assert outdated.listed(kueue, charts.KUEUE, date(2027, 11, 23)).late
    assert "nobody has read" in str(outdated.listed(kueue, charts.KUEUE, date(2027, 11, 23)))


def test_a_pin_that_is_behind_its_list_says_why():
    """Every pin has a row, and every row a pin."""
    rows = {pin.name: newest_of(pin.name) for pin, _ in artifact_pins()}
    lines = [outdated.listed(pin, record, TODAY) for pin, record in artifact_pins()]

    assert [name for name, row in rows.items() if row is None] == []
    assert [key for key, row in NEWEST.items() if row not in rows.values()] == []
    assert [line.pin.name for line in lines if line.behind and not line.reason] == []


def test_every_reason_is_of_a_pin():
    assert HELD.keys() - {pin.name for pin in (*python_pins(), *go_pins())} == set()
