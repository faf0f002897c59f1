"""``rdma-cluster machines --from-trial ARCHIVE``: a trial becomes measured rows, floors and latencies, as a patch."""

from collections.abc import Iterator
from pathlib import Path

from nccl_verdict.busbw import COLLECTIVES
from nccl_verdict.reader import read_bytes
from pulumi_offline.errors import Refused
from ..catalog import find
from ..catalog.machine import Known, Machine, Source, Threshold
from ..conform.row import python_of, row_of
from ..trial.archive import Trial, read
from ..trial.floor import threshold_of
from ..trial.patch import diff, sources, with_latencies, with_row
from ..trial.times import RESOURCE
from .from_snapshot import nodes_of, settled, show, told_of
from .output import as_json, paragraph

_LATENCIES = "catalog/latencies.py"
_LEAST_SECONDS = 2
"""The engine counts whole seconds."""


def show_trial(file: Path, json: bool) -> int:
    """Print what a trial tells the catalogue. Returns 1 where it contradicts a row. Raises ``Refused``."""
    trial = read(file.read_bytes(), str(file))
    source = Source(f"a trial on metal: {file.name}", trial.about["on"], Known.MEASURED)
    nodes = nodes_of(trial.snapshot)
    told = [told_of(name, node, source) for name, node in nodes.items()]
    floors, refused = _floors(trial, [machine for name in nodes if (machine := find(name))], source)
    texts, by_hand = sources(), []
    before = dict(texts)
    for name, node in nodes.items():
        machine, row = find(name), row_of(node, source)
        if machine is None:
            continue
        measured = settled(machine, row) if row else {}
        rows = [each for of, each in floors if of is machine and not _is_known(machine, each)]
        if not measured and not rows:
            continue
        new = {path: with_row(text, machine, measured, rows, source) for path, text in texts.items()}
        if new == texts:
            values = {field: python_of(value) for field, value in measured.items()}
            by_hand.append({"machine": name, **values, "thresholds": ", ".join(map(python_of, rows))})
        texts = new
    for path, text in texts.items():
        if path.endswith(_LATENCIES):
            texts[path] = with_latencies(text, _latencies(trial), Source(source.ref, source.seen))
    patch = "".join(diff(path, before[path], text) for path, text in texts.items())
    if json:
        print(as_json({"machines": told, "refused": refused, "patch": patch, "byHand": by_hand}))
    else:
        for each in told:
            show(each)
        for why in [*refused, *_slower(floors), *_phases(trial)]:
            print(paragraph(why))
        for each in by_hand:
            print("\nby hand, where the row cannot be edited:\n" + "\n".join(f"{key}={of}" for key, of in each.items()))
        print(f"\n{patch}" if patch else "\nthe catalogue says all of it already")
    return 1 if any(each["differences"] for each in told) else 0


def _floors(trial: Trial, machines: list[Machine], source: Source) -> tuple[list[tuple[Machine, Threshold]], list[str]]:
    """The threshold of each log with a test in it, and why a log gives none."""
    proofs = trial.report.get("proofs")
    told = [each for each in (proofs.values() if isinstance(proofs, dict) else ()) if isinstance(each, dict)]
    collective = next((each["collective"] for each in told if each.get("collective") in COLLECTIVES), None)
    found: list[tuple[Machine, Threshold]] = []
    refused: list[str] = []
    for text in trial.logs:
        runs = read_bytes(text.encode())
        models = {rank.model for run in runs for rank in run.ranks.values()}
        machine = next((each for each in machines if each.gpu and each.gpu.model in models), None)
        if machine is None:
            continue
        try:
            found.append((machine, threshold_of(runs, machine, source, collective)))
        except Refused as why:
            refused.append(f"no threshold of {machine.name}: {why.errors[0].reason}")
    return found, refused


def _alike(machine: Machine, row: Threshold) -> Iterator[Threshold]:
    """The catalogue's thresholds of the same run."""
    for each in machine.thresholds:
        if (each.collective, each.nodes, each.gpus_per_node, each.nvlink) == (
            row.collective, row.nodes, row.gpus_per_node, row.nvlink,
        ):  # fmt: skip
            yield each


def _is_known(machine: Machine, row: Threshold) -> bool:
    return any(each.size_bytes <= row.size_bytes for each in _alike(machine, row))


def _slower(floors: list[tuple[Machine, Threshold]]) -> Iterator[str]:
    """A correction for each published figure that a healthy run on metal does not reach, or passes by far."""
    for machine, row in floors:
        for each in _alike(machine, row):
            figure, known = row.published_gbytes or 0.0, each.published_gbytes or 0.0
            if figure < known and each.size_bytes <= row.size_bytes:
                less = f"{figure:g} GB/s of {each.collective} is less than {known:g}"
                yield f"correction: {machine.name}: {less}; {python_of(row)}"
            elif each.size_bytes <= row.size_bytes:
                reached = f"{each.collective} has {figure:g} GB/s, threshold {each.busbw_gbytes:g}"
                yield f"confirmed: {machine.name}: {reached}"


def _latencies(trial: Trial) -> dict[str, float]:
    spans = [each for each in trial.about["phases"] if each["phase"] == RESOURCE]
    taken = {each["of"]: round(each["end"] - each["begin"]) for each in spans}
    return {of: seconds for of, seconds in taken.items() if seconds >= _LEAST_SECONDS}


def _phases(trial: Trial) -> Iterator[str]:
    for each in trial.about["phases"]:
        if each["phase"] != RESOURCE:
            taken = each["end"] - each["begin"]
            yield f"phase {each['phase']} of {each['of']}: {taken} s, from second {each['begin']}"
    for part, version in trial.about.get("versions", {}).items():
        yield f"version of {part}: {version}"
