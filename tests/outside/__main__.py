"""Prints what this project answers to each public report: `make outside`."""

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from rdma_cluster.cli.output import table
from tests.outside.case import Case, cases


def now(case: Case) -> str:
    """What the project says today: `right`, `wrong`, or how that contradicts the mark."""
    with TemporaryDirectory() as folder:
        right = not case.faults(case.answer(Path(folder)))
    if right and case.expected == "fails":
        return "right, and still marked"
    if not right and case.expected != "fails":
        return "wrong, and not marked"
    return "right" if right else "wrong"


def main() -> int:
    """The table, and 1 where a mark is not true."""
    rows = [
        {"pointer": case.pointer, "kind": case.kind, "first": case.first, "now": now(case), "case": case.name}
        for case in cases()
    ]
    print(table(rows))
    first, today = Counter(row["first"] for row in rows), Counter(row["now"] for row in rows)
    print(f"\n{len(rows)} reports; first {dict(first)}, now {dict(today)}")
    return 1 if today.keys() - {"right", "wrong"} else 0


if __name__ == "__main__":
    sys.exit(main())
