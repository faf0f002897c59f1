"""What a trial tells, as a patch of the catalogue's own text: a row's figures, its thresholds, and latencies."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import unified_diff
from importlib.resources import files
from pathlib import Path

from ..catalog import machine as machine_records
from ..catalog.machine import Gpu, Machine, Source, Threshold
from ..conform.row import python_of

_CATALOG = "components/rdma_cluster/catalog"


def sources() -> dict[str, str]:
    """The catalogue's files by path, where the package holds sources and not compiled files alone."""
    folder = Path(str(files("rdma_cluster.catalog")))
    return {f"{_CATALOG}/{each.relative_to(folder)}": each.read_text("utf-8") for each in sorted(folder.rglob("*.py"))}


def diff(path: str, old: str, new: str) -> str:
    """The change as ``git apply`` takes it; empty where there is none."""
    return "".join(unified_diff(old.splitlines(True), new.splitlines(True), f"a/{path}", f"b/{path}"))


def with_row(text: str, machine: Machine, measured: Mapping[str, object], rows: Sequence[Threshold], of: Source) -> str:
    """A file in which the machine's row has these figures, measured; the same text where it cannot be edited so."""
    calls = list(_calls(text, machine.name))
    if len(calls) != 1:
        return text
    places, segment = _places(text), lambda node: ast.get_source_segment(text, node) or ""
    held = {each.arg: each.value for each in calls[0].keywords}
    new: dict[str, str] = {}
    for name, value in measured.items():
        if not _agree(getattr(machine, name), value):
            new[name] = python_of(value)
    settled = [*measured, *(["thresholds"] if rows and not machine.thresholds else [])]
    for name in ("unknown", "unverified"):
        if said := [each for each in getattr(machine, name) if _field(each) in settled]:
            if name not in held:
                return text  # it stands where other rows share it
            new[name] = _without(held[name], said, segment)
    if settled:
        below = [each for each in machine.evidence if _field(each) in settled and "." in each]
        noted = f"**dict.fromkeys({python_of((*settled, *below))}, {python_of(of)})"
        new["evidence"] = (
            f"{{**{segment(held['evidence'])},\n            {noted}}}" if "evidence" in held else f"{{{noted}}}"
        )
    if rows:
        told = f"({', '.join(map(python_of, rows))},)"
        new["thresholds"] = f"{segment(held['thresholds'])} + {told}" if "thresholds" in held else told
    edits = [(*places(held[name]), value) for name, value in new.items() if name in held]
    _, behind = places(held["name"])
    added = "".join(f",\n        {name}={value}" for name, value in new.items() if name not in held)
    for begin, end, put in sorted([*edits, (behind, behind, added)], reverse=True):
        text = text[:begin] + put + text[end:]
    return _importing(text, "".join(new.values()))


def with_latencies(text: str, seconds: Mapping[str, float], of: Source) -> str:
    """The file of latencies, in which these creations are measured; types that it lacks are left out."""
    for token, taken in seconds.items():
        row = re.compile(rf'^(    "{re.escape(token)}": Latency\()[\d.]+(, [\d.]+)(?:, \w+)?\),$', re.MULTILINE)
        text = row.sub(lambda found, taken=taken: f"{found[1]}{taken:g}{found[2]}, {python_of(of)}),", text)
    return text


def _calls(text: str, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(text if f'"{name}"' in text else "")):
        if isinstance(node, ast.Call) and any(
            each.arg == "name" and isinstance(each.value, ast.Constant) and each.value.value == name
            for each in node.keywords
        ):
            yield node


def _places(text: str) -> Callable[[ast.expr], tuple[int, int]]:
    """Where a part of the program begins and ends in the text; Python counts columns in bytes."""
    lines = text.splitlines(keepends=True)
    begins = [0]
    for line in lines:
        begins.append(begins[-1] + len(line))

    def places(node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        ends = ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
        first, last = (begins[line - 1] + len(lines[line - 1].encode()[:at].decode()) for line, at in ends)
        return first, last

    return places


def _importing(text: str, used: str) -> str:
    """The file with the names of the catalogue's records that were written into it."""
    found = re.search(r"^from \.+machine import (\((?:[^()]*)\)|.*)$", text, re.MULTILINE)
    if found is None:
        return text
    had = set(re.findall(r"\w+", found[1]))
    lacking = {name for name in re.findall(r"\b[A-Z][A-Za-z]+\b(?=[.(])", used) if hasattr(machine_records, name)} - had
    names = found[1].strip("()").strip().rstrip(",")
    listed = f"({', '.join((names, *sorted(lacking)))})" if "\n" in found[1] else ", ".join(sorted({*had, *lacking}))
    return text if not lacking else text[: found.start(1)] + listed + text[found.end(1) :]


def _agree(had: object, seen: object) -> bool:
    """Whether a figure stays as it is; hardware does not tell a GPU's memory as the provider publishes it."""
    return had == seen or (isinstance(had, Gpu) and isinstance(seen, Gpu) and had.model == seen.model)


def _field(name: str) -> str:
    """The field that a name with a dot is below."""
    return name.partition(".")[0]


def _without(held: ast.expr, names: Sequence[str], segment: Callable[[ast.AST], str]) -> str:
    """A dictionary without some entries."""
    pairs = list(zip(held.keys, held.values, strict=True)) if isinstance(held, ast.Dict) else []
    words = [key.value if isinstance(key, ast.Constant) else None for key, _ in pairs]
    if not set(names) <= set(words):  # a name stands for them, which other rows may share
        return f"{{name: why for name, why in {segment(held)}.items() if name not in {python_of(tuple(names))}}}"
    kept = [pair for pair, word in zip(pairs, words, strict=True) if word not in names]
    told = (f"{segment(key)}: {segment(value)}" if key else f"**{segment(value)}" for key, value in kept)
    return f"{{{', '.join(told)}}}"
