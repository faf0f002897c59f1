"""The page's second half: the report that `up` left, for whoever signs the cluster off."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pulumi_offline.errors import refusal
from pulumi_offline.written import from_json
from ...conform.report import FORM
from .part import escaped

OPTION = "--report"
_TABLES = {
    "phases": "phases against their budget",
    "versions": "versions",
    "pools": "pools",
    "measured": "measured by message size",
}


def read_report(file: Path) -> Mapping[str, Any]:
    """What `pulumi stack output report` printed. Raises ``Refused`` where a file is no report."""
    try:
        told = from_json(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, Mapping) or told.get("form") != FORM:
        raise refusal(f"{file} is no report of the form {FORM}; `pulumi stack output report` prints one", OPTION)
    return told


def second_half(told: Mapping[str, Any]) -> str:
    """The report as a part of the page."""
    proofs = told.get("proofs") if isinstance(told.get("proofs"), Mapping) else {}
    proven = "every pool is proven" if told.get("proven") is True else "not every pool is proven"
    body = [f"<h2>report of `up`: {escaped(proven)}</h2>"]
    body.append(_table([{"pool": pool, **_proof(proof)} for pool, proof in (proofs or {}).items()]))
    evidence = told.get("evidence")
    if isinstance(evidence, Mapping):
        body.append("<h3>how the plan's promises are known</h3>")
        body.append(_table([{"known": known, "promises": count} for known, count in evidence.items()]))
    for key, title in _TABLES.items():
        rows = told.get(key)
        if isinstance(rows, Sequence) and not isinstance(rows, str):
            body += [f"<h3>{escaped(title)}</h3>", _table([row for row in rows if isinstance(row, Mapping)])]
    return f'<section id="report">{"".join(body)}</section>'


def _proof(proof: Any) -> dict[str, Any]:
    """What a reader wants of a proof: whether, by which test, in how long."""
    told = proof if isinstance(proof, Mapping) else {}
    return {
        key: told.get(key)
        for key in ("status", "collective", "gpusPerNode", "seconds", "provenAt", "provenBy", "due", "reason", "waived")
    }


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows whose keys may differ."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{escaped(str(name))}</th>" for name in names)
    lines = ("".join(f"<td>{_cell(row.get(name))}</td>" for name in names) for row in rows)
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(f"<tr>{line}</tr>" for line in lines)}</table></div>'


def _cell(value: Any) -> str:
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return "-" if value in (None, "") else escaped(str(value))
