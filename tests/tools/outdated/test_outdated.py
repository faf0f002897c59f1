"""Answers of registries are read right, and a pin is late when it has to be; nothing reaches the internet."""

from datetime import date

import pytest
from tools.outdated import __main__ as outdated, support
from tools.outdated.held import HELD
from tools.outdated.newest import NEWEST, newest_of
from tools.outdated.pins import Pin, artifact_pins, go_pins, python_pins
from tools.outdated.registries import Release, Unreachable

TODAY = date(2026, 11, 23)
PIN = Pin("pulumi", "3.1.0", ("requirements-base.txt",))


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


def test_a_pin_that_is_behind_its_list_says_why():
    """Every pin has a row, and every row a pin."""
    rows = {pin.name: newest_of(pin.name) for pin, _ in artifact_pins()}
    lines = [outdated.listed(pin, record, TODAY) for pin, record in artifact_pins()]

    assert [name for name, row in rows.items() if row is None] == []
    assert [key for key, row in NEWEST.items() if row not in rows.values()] == []
    assert [line.pin.name for line in lines if line.behind and not line.reason] == []


def test_every_reason_is_of_a_pin():
    addons = [pin for pin, *_ in support.of_addons()]

    assert HELD.keys() - {pin.name for pin in (*python_pins(), *go_pins(), *addons)} == set()


def test_what_has_no_support_is_late_unless_a_reason_holds_it():
    """Kyverno ended 1.18 with 1.19; of our default versions none has ended, and each would."""
    held = judged(Pin("github.com/kyverno/kyverno", "v1.18.2", ()), Release("v1.19.1", TODAY))
    now, later = ({pin.name: ended for pin, _, _, ended in support.clouds(day)} for day in (TODAY, date(2028, 1, 1)))

    assert held.ended and not held.late and "UNSUPPORTED" in str(held)
    assert outdated.Line(PIN, "3.1.0", None, False, ended=True).late
    assert not any(now.values()) and sum(later.values()) == 3  # Oracle names no day
