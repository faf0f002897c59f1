"""A run says in its last line what it left out, and how to have it tested."""

import ast

import pytest
from tests.skips import reason_of, told
from tests.stacks import ROOT
from tools.browser.found import MISSING

SKIPS = ("pytest.mark.skipif", "pytest.skip", "pytest.importorskip")
REMEDIES = ("apt-get install ", "make ", "python -m ", "put them into ", "run on ")


def test_all_reasons_stand_in_one_line():
    """With their counts."""
    assert told(["no browser", "no logs", "no browser"]) == "3 skipped: 2 no browser; 1 no logs"
    assert told([]) == ""


def test_the_reason_is_the_marks():
    """As pytest reports it."""
    report = pytest.TestReport(
        "a", ("a", 0, "a"), {}, "skipped", ("a.py", 1, "Skipped: no logs: put them there"), "setup"
    )

    assert reason_of(report) == "no logs: put them there"


def test_every_reason_in_make_test_says_what_to_do():
    """Whoever reads the line can act on it."""
    found = []
    for path in (ROOT / "tests").rglob("test_*.py"):
        if path.relative_to(ROOT / "tests").parts[0] not in ("controlplane", "rehearsal", "real"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) in SKIPS:
                    texts = [each.value for each in node.keywords if each.arg == "reason"] or node.args[:1]
                    found += [text.value for text in texts if isinstance(text, ast.Constant)]

    found.append(MISSING)
    assert len(found) > 1 and [text for text in found if not any(remedy in str(text) for remedy in REMEDIES)] == []
