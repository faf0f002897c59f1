"""Writes what a test showed onto its nodes, in the place of ``mark_nodes`` where nodes are held until proven.

In `up`'s test it marks the nodes itself. In a test of the prover's, which has no credentials, it leaves a report in
front of the termination message, and the prover marks them. It never changes the outcome of a test: what it cannot do,
it says.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .. import proof
from ..kube_api import Api, add_options, plain

REPORT = "report "
"""What stands in front of the report, which is the message's first line."""
_MOST_SIZES = 16
"""The most message sizes of a report, the largest ones."""
_MOST_BYTES = 2400
"""The most bytes of a report: the judge's words follow it, and Kubernetes keeps 4096 bytes of both."""


def report_of(verdicts: Iterable[tuple[Any, bool]], suspects: Sequence[str], floor: float) -> proof.Report:
    """The report of some tests of pairs, each with whether it passed by itself. A pair that ran several collectives is
    good when all of them are; its figures are those of the first."""
    nodes: list[str] = []
    pairs: dict[tuple[int, int], tuple[float, bool]] = {}
    curves: dict[tuple[int, int], dict[int, float]] = {}
    for run, passed in verdicts:
        hosts = list(dict.fromkeys(run.hosts))
        if len(hosts) != 2:
            continue
        nodes += [host for host in hosts if host not in nodes]
        one, two = sorted(nodes.index(host) for host in hosts)
        busbw, fine = pairs.get((one, two), (_busbw(run), True))
        pairs[one, two] = (busbw, fine and passed)
        curves.setdefault((one, two), _curve(run))
    places = tuple(nodes.index(name) for name in suspects if name in nodes)
    figures = tuple((*pair, *of) for pair, of in sorted(pairs.items()))
    # A pair that failed may have ended after a few sizes: it takes none from the others.
    printed = [set(curve) for pair, curve in curves.items() if curve and pairs[pair][1]]
    sizes = tuple(sorted(set.intersection(*printed))[-_MOST_SIZES:]) if printed else ()
    lines = (
        tuple(curve[size] for size in sizes) if curve.keys() >= {*sizes} else () for _, curve in sorted(curves.items())
    )
    return proof.Report(tuple(nodes), figures, places, floor, sizes, tuple(lines) if sizes else ())


def _busbw(run: Any) -> float:
    row = run.largest
    return round(row.out_bus.value, 1) if row and row.out_bus else 0.0


def _curve(run: Any) -> dict[int, float]:
    """Out-of-place figures by message size, as the test printed them."""
    return {size: round(row.out_bus.value, 1) for size, row in run.rows.items() if size and row.out_bus}


def text_of(report: proof.Report) -> str:
    """One line, without figures by size where these do not fit; none where the nodes' names do not."""
    for each in (report, replace(report, sizes=(), figures=())):
        line = REPORT + json.dumps(asdict(each), separators=(",", ":"))
        if len(line) <= _MOST_BYTES:
            return line
    return ""


def read_report(message: str) -> tuple[proof.Report | None, str]:
    """The report of a termination message, and the judge's words."""
    lines = message.splitlines()
    for line in lines:
        if line.startswith(REPORT):
            words = "\n".join(each for each in lines if each != line)
            try:
                data = json.loads(line[len(REPORT) :])
                pairs = tuple((int(one), int(two), float(busbw), bool(good)) for one, two, busbw, good in data["pairs"])
                places = tuple(int(place) for place in data["suspects"])
                sizes = tuple(map(int, data.get("sizes", ())))
                figures = tuple(tuple(map(float, line)) for line in data.get("figures", ()))
                shown = proof.Report(tuple(data["nodes"]), pairs, places, float(data["floor"]), sizes, figures)
                return shown, words
            except (ValueError, KeyError, TypeError):
                return None, words
    return None, message


def mark(api: Api, name: str, report: proof.Report, fingerprint: str, message: str) -> str | None:
    """Writes the outcome of `up`'s test onto a node; says what was written, ``None`` where nothing was."""
    told = ""

    def patch_of(node: dict[str, Any]) -> dict[str, Any] | None:
        nonlocal told
        if (made := _mark_of(node, name, report, fingerprint, message)) is None:
            return None
        told = made[1]
        return made[0].patch(node)

    return told if api.change(f"/api/v1/nodes/{quote(name)}", patch_of) else None


def _mark_of(
    node: dict[str, Any], name: str, report: proof.Report, fingerprint: str, message: str
) -> tuple[proof.Mark, str] | None:
    boot, annotations = proof.boot_of(node), node["metadata"].get("annotations", {})
    if name in report.suspected():
        tried = proof.Attempts(boot, "up", report.partners(name, good=False), 1, why=message[:600])
        return proof.failed(tried), "taken out of service"
    if name in report.passed():
        beside, busbw = report.partners(name, good=True), report.busbw(name)
        shown = proof.Proof(int(time.time()), "up", boot, fingerprint, beside, busbw, report.floor)
        return proof.proven(shown, proof.proof_of(annotations), report.measured(name)), "proven"
    return None


def main(argv: Sequence[str] | None = None) -> int:
    """0 when all that the test showed is written."""
    options = _parser().parse_args(argv)
    report = _judged(json.load(sys.stdin)["suspects"], options)
    message = Path(options.termination)
    words = message.read_text(encoding="utf-8") if message.exists() else ""
    if not (fingerprint := os.environ.get("FINGERPRINT")):
        if line := text_of(report):
            message.write_bytes(f"{line}\n{words}".encode()[:4096])
        return 0
    api, code = Api(options.server, options.credentials), 0
    for name in report.nodes:
        try:
            done = mark(api, name, report, fingerprint, plain(words))
        except (OSError, HTTPException, ValueError, KeyError) as error:
            print(plain(f"node {name}: could not be marked: {error}"))
            code = 1
            continue
        if done:
            print(plain(f"node {name}: {done}"))
    return code


def _judged(suspects: Sequence[str], options: argparse.Namespace) -> proof.Report:
    """Every log by itself, as a pair: the judge is the one that judged the whole."""
    from nccl_verdict import (
        expectation as expectations,  # the prover reads reports and never judges
        verdict as verdicts_of,
    )
    from nccl_verdict.files import read_log

    want = expectations.from_json(Path(options.expect).read_text(encoding="utf-8"))
    runs = [run for log in sorted(Path(options.results).glob("pair-*.log")) for run in read_log(str(log))]
    alone = replace(want, tests=1)
    floors = [line.busbw_gbytes for line in want.thresholds.get(want.collective or "", ())]
    verdicts = [(run, verdicts_of.judge([run], alone, os.environ.get("WAIVED", "").split()).passed) for run in runs]
    return report_of(verdicts, suspects, max(floors, default=0.0))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mark_proofs", description="write what a test showed onto its nodes")
    add_options(parser)
    parser.add_argument("--expect", default="/expect/expectation.json", metavar="FILE")
    parser.add_argument("--results", default="/results", metavar="FOLDER")
    parser.add_argument("--termination", default="/dev/termination-log", metavar="FILE")
    return parser


if __name__ == "__main__":
    sys.exit(main())
