"""``rdma-cluster artifacts``: every chart and image that a stack fetches, for those who keep copies."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..artifacts import Artifact, artifacts
from ..catalog.artifact import Chart
from ..common.summary import Row
from ..errors import ErrorList, Refused
from ..incluster.plan.images import check_registry
from ..lazy import needed_for
from ..offline.graph import Graph
from ..offline.project import stack_folder
from ..supply.fetched import fetched, registries_of
from ..supply.lock import Locked, lock_file, read_lock
from ..supply.mirror import FORMS, place_of, registries
from .output import as_json, table
from .preview import built
from .stack_file import read_stack


# An option of the command each.
def show_artifacts(
    stack: str, file: Path | None, overrides: Sequence[str], mirror: str | None, tool: str, sbom: bool, json: bool
) -> int:
    """Print the list, one for a mirror, or a bill of materials.

    Returns 1 when something is fetched that the catalogue does not know. Raises ``Refused``, and
    ``MissingLibrary`` for a bill.
    """
    if mirror is not None:
        errors = ErrorList()
        check_registry(mirror, errors.at("--mirror"))
        if errors:
            raise Refused(errors.found())
    root, settings = read_stack(stack, file, overrides)
    graph = built(root, settings)
    if graph is None:
        return 2
    if mirror is not None or sbom:
        lock = read_lock(lock_file(stack_folder(root), stack))
        locked = {each.reference: each for each in lock.artifacts} if lock else {}
        return _write_bill(graph, stack, locked) if mirror is None else _write_copies(graph, mirror, tool, locked, json)
    listed = artifacts(graph, registries_of(graph))
    if json:
        print(as_json([_data(each) for each in listed]))
    else:
        print(table([_row(each) for each in listed], f"what stack {stack} fetches"))
    return 0 if all(each.record for each in listed) else 1


def _write_copies(graph: Graph, mirror: str, tool: str, locked: Mapping[str, Locked], json: bool) -> int:
    wanted = fetched(graph)
    sizes = {each.reference: locked[each.reference].size_bytes for each in wanted if each.reference in locked}
    lines = registries(wanted, mirror)
    if json:
        copies = [
            {
                "reference": each.reference,
                "kind": each.kind,
                "place": place_of(each, mirror),
                "sizeBytes": sizes.get(each.reference),
            }
            for each in wanted
        ]
        print(as_json({"copies": copies, "registries": lines}))
        return 0
    print(FORMS[tool](wanted, mirror), end="")
    if sizes:
        gb = sum(sizes.values()) / 1e9
        print(f"\n# {gb:.1f} GB in {len(sizes)} of {len(wanted)} artifacts, by the stack's lock, for its processors.")
    print("\n# In the stack's file, below `config:`, once the copies are there:")
    print("#   rdma-cluster:registries:")
    for host, place in lines.items():
        print(f"#     {host}: {place}")
    return 0


def _write_bill(graph: Graph, stack: str, locked: Mapping[str, Locked]) -> int:
    with needed_for("a bill"):
        from ..supply.bill import bill_of_materials
    print(bill_of_materials(stack, fetched(graph), locked), end="")
    return 0


def _data(artifact: Artifact) -> dict[str, Any]:
    record = artifact.record
    common = {"reference": artifact.reference, "usedBy": list(artifact.users)}
    if record is None:
        return {**common, "kind": "unknown"}
    known = {**common, "certainty": record.certainty.value, "evidence": record.source.ref, "date": record.source.seen}
    if isinstance(record, Chart):
        return {**known, "kind": "chart", "published": record.chart, "version": record.version, "repo": record.repo}
    built = {"architectures": list(record.architectures), "preloaded": record.preloaded}
    return {**known, "kind": "image", "published": record.image, **built}


def _row(artifact: Artifact) -> Row:
    data = _data(artifact)
    return {
        "reference": " ".join(filter(None, (artifact.reference, data.get("version"), data.get("repo")))),
        "for": ", ".join(data.get("architectures", [])) or "any",
        "sure": "on the node" if data.get("preloaded") else data.get("certainty", "unknown"),
        "date": data.get("date", ""),
    }
