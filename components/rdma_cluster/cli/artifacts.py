"""``rdma-cluster artifacts``: every chart and image that a stack fetches, for those who keep copies."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..artifacts import Artifact, artifacts
from ..catalog.artifact import Chart
from ..common.summary import Row
from .output import as_json, table
from .preview import built
from .stack_file import read_stack


def show_artifacts(stack: str, file: Path | None, overrides: Sequence[str], json: bool) -> int:
    """Print the list. Returns 1 when something is fetched that the catalogue does not know. Raises ``Refused``."""
    graph = built(*read_stack(stack, file, overrides))
    if graph is None:
        return 2
    mirrors = next((each.inputs.get("registries", {}) for each in graph.resources if each.parent is None), {})
    fetched = artifacts(graph, mirrors)
    if json:
        print(as_json([_data(each) for each in fetched]))
    else:
        print(table([_row(each) for each in fetched], f"what stack {stack} fetches"))
    return 0 if all(each.record for each in fetched) else 1


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
