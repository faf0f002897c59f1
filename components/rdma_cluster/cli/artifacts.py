"""``rdma-cluster artifacts``: every chart and image that a stack fetches, for those who keep copies."""

from collections.abc import Mapping
from typing import Any

from pulumi_offline.errors import ErrorList
from pulumi_offline.graph import Graph
from pulumi_offline.project import stack_folder
from ..base.lazy import needed_for
from ..catalog.artifact import Chart
from ..common.summary import Row
from ..incluster.plan.images import check_registry
from ..supply.artifacts import Artifact, artifacts
from ..supply.fetched import fetched, registries_of
from ..supply.lock import Locked, lock_file, read_lock
from ..supply.mirror import FORMS, place_of, registries
from .options import option
from .output import as_json, table
from .preview import run_program
from .stack_file import StackVerb


class Artifacts(StackVerb):
    """Print the list, one for a mirror, or a bill of materials.

    Returns 1 when something is fetched that the catalogue does not know. Raises ``Refused``, and
    ``MissingLibrary`` for a bill.
    """

    mirror: str | None = option(
        "--mirror REGISTRY",
        "print what to copy into this registry, e.g. mirror.example/gpu, and the stack's `registries` for it",
        group="lists",
    )
    sbom: bool = option("--sbom", "print a bill of materials, CycloneDX 1.6 as JSON", group="lists")
    tool: str = option("--for", "who copies", choices=tuple(FORMS), default="plain")

    def run(self) -> int:
        stack, mirror = self.stack, self.mirror
        if mirror is not None:
            errors = ErrorList(("--mirror",))
            check_registry(mirror, errors)
            errors.refuse()
        root, settings = self.read()
        graph = run_program(root, settings)
        if mirror is not None or self.sbom:
            lock = read_lock(lock_file(stack_folder(root), stack))
            locked = {each.reference: each for each in lock.artifacts} if lock else {}
            if mirror is not None:
                return _write_copies(graph, mirror, self.tool, locked, self.json)
            with needed_for("a bill"):
                from ..supply.bill import bill_of_materials
            print(bill_of_materials(stack, fetched(graph), locked), end="")
            return 0
        listed, title = artifacts(graph, registries_of(graph)), f"what stack {stack} fetches"
        print(as_json([*map(_data, listed)]) if self.json else table([*map(_row, listed)], title))
        return 0 if all(each.record for each in listed) else 1


def _write_copies(graph: Graph, mirror: str, tool: str, locked: Mapping[str, Locked], json: bool) -> int:
    wanted = fetched(graph)
    sizes = {each.reference: locked[each.reference].size_bytes for each in wanted if each.reference in locked}
    lines = registries(wanted, mirror)
    if json:
        copies = [{"reference": each.reference, "kind": each.kind, "place": place_of(each, mirror)} for each in wanted]
        sized = [{**each, "sizeBytes": sizes.get(each["reference"])} for each in copies]
        print(as_json({"copies": sized, "registries": lines}))
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
