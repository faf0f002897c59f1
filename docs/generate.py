"""Writes configuration.md, the tables of the other pages, and README's count and picture: `make docs`.

A test fails when a page is stale. The tables are of the lists in tests/, which tests hold to what the graphs give.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import chdir
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

import yaml
from nccl_verdict.advice import REMEDIES
from nccl_verdict.remedies import SOURCES
from rdma_cluster.base.reference import Key
from rdma_cluster.catalog import in_place, machines
from rdma_cluster.catalog.clouds import CLOUD_FACTS
from rdma_cluster.catalog.faults import FAULTS, Fault
from rdma_cluster.catalog.machine import Transport
from rdma_cluster.cli.evidence import promises_of
from rdma_cluster.cli.explain import flow
from rdma_cluster.cli.stack_file import read_stack, stacks
from rdma_cluster.common import CLOUDS
from rdma_cluster.common.stack import keys_of
from rdma_cluster.conform.promises import Evidence, counted
from rdma_cluster.fabrics import network_of
from rdma_cluster.upgrades.record import Part as Upgraded
from tools.google_server.permissions import PERMISSIONS
from .picture import pictures

PAGE = Path(__file__).with_name("configuration.md")
SECURITY = Path(__file__).with_name("security.md")
FAULTS_PAGE = Path(__file__).with_name("faults.md")
PORTABLE = Path(__file__).with_name("portable-jobs.md")
_ROOT = Path(__file__).parents[1]
README = _ROOT / "README.md"
COMPONENTS = _ROOT / "components" / "README.md"
_TESTS = _ROOT / "tests"
UPGRADES_PAGE = Path(__file__).with_name("upgrades.md")
_FROM_HERE = "<!-- generated "
EVIDENCE_PAGE = Path(__file__).with_name("evidence.md")
VERDICT = Path(__file__).with_name("verdict.md")
MACHINES = _ROOT / "components" / "nccl_verdict" / "machines.json"
_REPORTS = re.compile(r"(?<=<!-- reports -->).*?(?=<!-- -->)")

_HEAD = """\
# Configuration

Every key that a stack file may have, by cloud. This page is generated (`make docs`) from the same shapes that check a
file, as are `rdma-cluster explain KEY`, `rdma-cluster schema CLOUD` (a JSON Schema, for editors) and the file that
`rdma-cluster init CLOUD` writes.

Keys of `config:` are written with their namespace, keys below them without. A key whose value is `null` counts as not
written. `[]` stands for each item of a list.

Every key that the cloud's own SDK knows of its provider may stand beside them (`aws:profile`,
`gcp:impersonateServiceAccount`, `azure-native:useOidc`, `oci:configFileProfile`): [whose
account](library.md#whose-account).
"""


def row(*cells: object) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def head(*names: str) -> list[str]:
    """Its first two lines."""
    return [row(*names), f"|{'---|' * len(names)}"]


def page() -> str:
    """The page's text."""
    lines = [_HEAD]
    for cloud in CLOUDS:
        lines += [f"## {cloud}", ""]
        top = keys_of(cloud)
        plain = [key for key in top if not key.keys]
        lines += _table("`rdma-cluster:cloud`", plain, f"The stack program to run: `{cloud}`.")
        for key in top:
            if key.keys:
                mark = "[]" if key.many else ""
                lines += [f"### {cloud}: `{key.written}{mark}`", "", key.meaning.replace("``", "`"), ""]
                lines += _table(None, list(_below(key)))
    return "\n".join(lines)


def security() -> str:
    """The text of the page on security: what people wrote, and the tables behind it."""
    written, mark, rest = SECURITY.read_text(encoding="utf-8").partition(_FROM_HERE)
    lines = [f"{written}{mark}{rest.partition(chr(10))[0]}", ""]
    lists = {cloud: _TESTS / cloud / "rights.yaml" for cloud in CLOUDS}
    for title, file in {"Inside a cluster": _TESTS / "rights" / "kubernetes.yaml", **lists}.items():
        lines += [f"### {title}", "", *head("who", "may", "where", "because")]
        for who, rights in yaml.safe_load(file.read_text(encoding="utf-8")).items():
            for right in rights:
                lines.append(row(f"`{who}`", f"`{right['may']}`", right["where"], right["because"]))
        lines.append("")
    return "\n".join([*lines, *_whoever_runs_up()])


def _whoever_runs_up() -> Iterator[str]:
    yield from ("### Whoever runs `pulumi up` on Google Cloud", "", *head("for", "roles", "permissions"))
    roles = yaml.safe_load((_TESTS / "google_api" / "roles.yaml").read_text(encoding="utf-8"))
    for wanted, methods in PERMISSIONS.items():
        taken = sorted({each for permissions in methods.values() for each in permissions})
        yield row(wanted, _codes(roles[wanted]), _codes(taken))
    yield ""


def _codes(words: Iterable[str]) -> str:
    return ", ".join(f"`{each}`" for each in words)


_FABRICS = {
    "gib": Transport.GIB,
    "efa": Transport.EFA,
    "infiniband": Transport.INFINIBAND,
    "roce": Transport.ROCE,
    "tcpx": Transport.TCPX,
    "tcpxo": Transport.TCPXO,
}


def faults() -> str:
    """The text of the page on faults: what people wrote, and the table of the catalogue behind it."""
    written, mark, rest = FAULTS_PAGE.read_text(encoding="utf-8").partition(_FROM_HERE)
    lines = [f"{written}{mark}{rest.partition(chr(10))[0]}", ""]
    lines += head("cloud", "its switch", "GPU", "NIC", "node", "reserved capacity", "source")
    for cloud, facts in CLOUD_FACTS.items():
        repair, source = facts.repair, f"{facts.repair.source.ref}, {facts.repair.source.seen}"
        lines.append(row(cloud, repair.switch, repair.gpu, repair.nic, repair.node, repair.reserved, source))
    lines.append("")
    for fault in FAULTS:
        lines += _fault(fault)
    return "\n".join(lines)


def _fault(fault: Fault) -> Iterator[str]:
    yield from (f"### {fault.condition}", "", f"{fault.meaning[0].upper()}{fault.meaning[1:]}.", "")
    yield f"Tainted: {fault.taints.value}. Over when: {fault.clears}. Proved again: {fault.proof.value}."
    yield from ("", *head("fabric", "seen by", "how", "from when on", "source"))
    cells = {name: fault.on(transport) for name, transport in _FABRICS.items()}
    for cell in dict.fromkeys(cells.values()):
        names = [name for name, each in cells.items() if each == cell]
        sources = "; ".join(f"{each.ref}, {each.seen}" for each in cell.sources)
        shown = ", ".join(names) if len(names) < len(cells) else "all"
        yield row(shown, cell.seen_by.value, cell.how, cell.threshold, sources)
    yield ""


def portable() -> str:
    """The text of the page on portable jobs: what people wrote, and what published manifests are given."""
    sys.path.append(str(_ROOT))  # a script's own folder alone is there
    from tests.portable.table import rows

    written, mark, rest = PORTABLE.read_text(encoding="utf-8").partition(_FROM_HERE)
    with chdir(_ROOT):
        return "\n".join([f"{written}{mark}{rest.partition(chr(10))[0]}", "", *rows()])


def components() -> str:
    """The text of the page on the four components: what people wrote, and which class each is on each cloud."""
    sys.path.append(str(_ROOT))  # a script's own folder alone is there
    from docs.four_components import rows

    written, mark, rest = COMPONENTS.read_text(encoding="utf-8").partition(_FROM_HERE)
    lines = [f"{written}{mark}{rest.partition(chr(10))[0]}", "", *head("component", "cloud", "class", "stacks")]
    with chdir(_ROOT):
        return "\n".join([*lines, *(row(*cells) for cells in rows()), ""])


_MEANWHILE = ("until it is back", "where it is removed", "source")


def upgrades() -> str:
    """The text of the page on upgrades: what people wrote, and each cloud's record behind it."""
    written, mark, rest = UPGRADES_PAGE.read_text(encoding="utf-8").partition(_FROM_HERE)
    records = {cloud: import_module(f"rdma_cluster.{cloud}.plan.upgrades").UPGRADES for cloud in CLOUDS}
    lines = [f"{written}{mark}{rest.partition(chr(10))[0]}", ""]
    lines += head("", *CLOUDS)
    for part in Upgraded:
        cells = [f"[{records[cloud].cells[part].outcome.value}](#{cloud})" for cloud in CLOUDS]
        lines.append(row(part.value, *cells))
    for cloud, record in records.items():
        lines += ["", f"### {cloud}", "", *head("part", "", "how, or why not", "source")]
        for part, cell in record.cells.items():
            source = f"{cell.source.ref}, {cell.source.seen}"
            lines.append(row(part.value, cell.outcome.value, cell.words, source))
        if record.roll is not None:
            source = f"{record.roll.source.ref}, {record.roll.source.seen}"
            lines += ["", f"How a pool's nodes are made anew: {record.roll.pods} ({source})."]
    lines += ["", "### What a new version does to work that runs", "", *head("part", "pods that run", *_MEANWHILE)]
    for name, each in {**in_place.CHARTS, **in_place.WORKLOADS, **in_place.KINDS}.items():
        source = f"{each.source.ref}, {each.source.seen}"
        lines.append(row(f"`{name.removeprefix('kubernetes:')}`", each.running, each.meanwhile, each.removed, source))
    return "\n".join([*lines, ""])


def evidence() -> str:
    """The text of the page on evidence: what people wrote, and how each stack's promises are known."""
    written, mark, rest = EVIDENCE_PAGE.read_text(encoding="utf-8").partition(_FROM_HERE)
    lines = [f"{written}{mark}{rest.partition(chr(10))[0]}", ""]
    lines += head("stack", "promises", *(each.value for each in Evidence))
    with chdir(_ROOT):
        for stack in stacks(_ROOT):
            found = promises_of(read_stack(stack, None, ())[1])
            lines.append(row(f"`{stack}`", len(found), *counted(found).values()))
    return "\n".join([*lines, ""])


def verdict() -> str:
    """The text of the page on the verdict: what people wrote, and what to do about each warning of NCCL."""
    written, mark, rest = VERDICT.read_text(encoding="utf-8").partition(_FROM_HERE)
    lines = [f"{written}{mark}{rest.partition(chr(10))[0]}", ""]
    lines += head("printed", "fabric", "what it is", "what to run", "probably not", "source")
    names = {"nic": "the NIC", "device": "mlx5_N", "of": " -d mlx5_N", "peer": "the other end"}
    for each in REMEDIES:
        printed = ", ".join("`" + " … ".join(map(str.strip, parts)) + "`" for parts in each.signs)
        means = each.means.format(**names) + (" (no cause by itself)" if each.effect else "")
        fabrics, run, sources = ", ".join(each.fabrics) or "all", each.run.format(**names), ", ".join(each.sources)
        lines.append(row(printed, fabrics, means, run.replace("<", "&lt;"), each.isnt or "-", sources))
    return "\n".join([*lines, "", *(f"- {name}: {source}" for name, source in SOURCES.items()), ""])


def machines_known() -> str:
    """What the command `nccl-verdict` knows of each machine: four a line, of the catalogue's rows with a network."""
    rows, networks = [], {}
    for machine in machines():
        if machine.gpu is None or (network := network_of(machine)) is None:
            continue
        networks[network.transport] = {key: value for key, value in asdict(network).items() if value}
        lines = [
            (each.collective, each.nodes, each.gpus_per_node, each.size_bytes, each.busbw_gbytes, each.source.ref)
            for each in machine.thresholds
            if not each.nvlink
        ]
        row = {
            "gpu": machine.gpu.model, "gpus": machine.gpus, "nics": machine.nics, "nic_gbps": machine.nic_gbps,
            "network": network.transport, "nvlink_domain": machine.nvlink_domain, "thresholds": lines,
            "above_wire": "; ".join(sorted({each.above_wire for each in machine.thresholds if each.above_wire})),
            "gdr": getattr(machine, "gdr", None),
        }  # fmt: skip
        kept = {key: value for key, value in row.items() if value or value is False}
        rows.append(f"{json.dumps(machine.name)}: {json.dumps(kept)}")
    shown = [f"{json.dumps(name)}: {json.dumps(network)}" for name, network in networks.items()]
    packed = [", ".join(rows[place : place + 4]) for place in range(0, len(rows), 4)]
    parts = [
        f'"{key}": {{\n{f",{chr(10)}".join(each)}\n}}' for key, each in (("networks", shown), ("machines", packed))
    ]
    return f"{{\n{f',{chr(10)}'.join(parts)}\n}}\n"


def readme() -> str:
    """The README, with the count of public reports and of those that are still answered wrong."""
    sys.path.append(str(_ROOT))  # a script's own folder alone is there
    from tests.outside.case import cases

    marks = [case.expected for case in cases()]
    right, wrong = (marks.count(mark) for mark in ("passes", "fails"))
    counts = f"{len(marks)} such problems it handles {right} as their solution says, and {wrong} are open"
    return _REPORTS.sub(counts, README.read_text(encoding="utf-8"))


def _below(key: Key) -> Iterator[Key]:
    for each in key.keys:
        yield from each.walk()


def _table(first: str | None, keys: list[Key], meaning: str = "") -> list[str]:
    rows = head("key", "value", "meaning")
    if first:
        rows.append(f"| {first} | text, required | {meaning} |")
    for key in keys:
        name = key.path.partition(".")[2]
        shown = name or key.written
        rows.append(f"| `{shown}` | {key.kind}{', required' if key.required else ''} | {_words(key)} |")
    return [*rows, ""]


def _words(key: Key) -> str:
    words = [key.meaning]
    if key.choices:
        words.append("One of " + ", ".join(f"``{each.value}``" for each in key.choices) + ".")
    if key.default:
        words.append(f"Default: {key.default}.")
    if key.example is not None and not key.keys:
        words.append(f"Example: ``{flow(key.example)}``.")
    return " ".join(word for word in words if word).replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    SECURITY.write_text(security(), encoding="utf-8")
    FAULTS_PAGE.write_text(faults(), encoding="utf-8")
    PORTABLE.write_text(portable(), encoding="utf-8")
    UPGRADES_PAGE.write_text(upgrades(), encoding="utf-8")
    EVIDENCE_PAGE.write_text(evidence(), encoding="utf-8")
    MACHINES.write_text(machines_known(), encoding="utf-8")
    VERDICT.write_text(verdict(), encoding="utf-8")
    README.write_text(readme(), encoding="utf-8")
    for file, picture in pictures().items():
        file.write_text(picture, encoding="utf-8")
    COMPONENTS.write_text(components(), encoding="utf-8")
