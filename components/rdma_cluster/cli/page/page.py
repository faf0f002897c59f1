"""The page: head, drawings, pod patches, the plan's other sections as tables, every resource."""

from base64 import b64encode
from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from pulumi_offline.graph import Graph, Resource
from ... import __version__
from ...claims import Nics
from ...common.price import aged
from ...common.summary import Row, Section, Summary
from ...common.use import PoolUse
from ..output import as_yaml
from .between import between, racks
from .devices import with_network
from .head import head
from .node import listed, node
from .part import escaped, note, table

if TYPE_CHECKING:
    from ...incluster.plan.claim_templates import Offer

_TITLES = {"unasked": "what only the cloud knows", "adopted": "adopted nodes", "policies": "IAM policies"}
"""What a section is called for people, where its key does not say it."""


# More than six parameters: the plan, then by name what stands in the head alone.
def write_page(  # noqa: PLR0913
    stack: str,
    summary: Summary,
    graph: Graph | None,
    without: str,
    *,
    cloud: str,
    project: str = "",
    today: date | None = None,
) -> str:
    """The page's HTML; ``without`` says why there is no graph, where there is none. ``today``: the day of the run."""
    today = today or date.today()
    body = [f"<h1>{escaped(stack)}</h1>", head(stack, summary, cloud, project, today)]
    body += [f'<p class="warning"><b>warning</b> {escaped(warning)}</p>' for warning in summary.warnings]
    body += [note(sentence) for sentence in aged(summary.rows_of("price"), today)]
    body += [html for section in summary.sections if section.rows for html in _section(section, summary)]
    body.append(_titled("resources", "resources", note(without) if graph is None else resources(graph)))
    body.append(note(f"made by rdma-cluster {__version__}; nothing on this page was measured"))
    style, script = _file("style.css"), _file("copy.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    # Nothing is loaded, and no other script runs: not even one that somebody's text would bring.
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f"<title>{escaped(stack)}: GPUs over RDMA</title><style>{style}</style></head>\n"
        f"<body>{''.join(body)}<script>{script}</script></body></html>\n"
    )


def _file(name: str) -> str:
    return files("rdma_cluster.cli.page").joinpath(name).read_text(encoding="utf-8")


def _section(section: Section, summary: Summary) -> list[str]:
    """What stands on the page of a section of the plan; nothing where the head tells it."""
    if section.name in ("cluster", "price"):
        return []
    uses = [use for use in summary.uses if use.machine.name == section.of]
    if section.name == "rails" and uses:
        return _rails(section, uses, summary.rows_of("addresses"))
    rows = section.rows
    if section.name == "claims" and uses:
        return [_titled("claims", f"claims: {section.of}", claims(uses[0]))]
    if section.name == "addresses":  # those of the rails stand beside the rails
        of_rails = {row.get("subnet") for each in summary.sections if each.name == "rails" for row in each.rows}
        rows = [row for row in rows if row["subnet"] not in of_rails]
    title = _TITLES.get(section.name, section.title)
    return [_titled(section.name, title, table(rows))] if rows else []


def _rails(section: Section, uses: Sequence[PoolUse], addresses: Sequence[Row]) -> list[str]:
    """A machine's node, what joins nodes, and how programs on its pools use both."""
    rows, machine = with_network(section.rows, addresses), section.of
    fabrics: dict[str, list[PoolUse]] = {}
    for use in uses:
        fabrics.setdefault(use.fabric.name, []).append(use)
    joined = racks(uses)
    return [
        _titled("node", f"a node: {machine}", node(rows, uses[0]) + listed(rows, uses[0])),
        _titled("rails", f"between nodes: {machine}", "".join(between(rows, each) for each in fabrics.values())),
        *([_titled("racks", f"NVLink racks: {machine}", joined)] if joined else []),
        _titled("patches", f"how programs use {machine}", "".join(map(_patch, uses))),
    ]


def _titled(key: str, title: str, html: str) -> str:
    return f'<section data-section="{escaped(key)}"><h2>{escaped(title)}</h2>{html}</section>'


def _patch(use: PoolUse) -> str:
    """What the stack's output ``workloads`` will have for the pool, as YAML; folded, as it is long."""
    lines = as_yaml([dict(use.workload)]).splitlines()
    # Each line by itself: what is invisible or acts on a terminal is shown, and lines stay lines.
    text = "\n".join(escaped(line) for line in lines)
    return (
        f'<details class="patch"><summary>{escaped(f"{use.form} of pool {use.pool}")}</summary>'
        f'<p class="dim">{escaped(use.how)}</p>'
        f"<pre>{text}</pre></details>"
    )


def claims(use: PoolUse) -> str:
    """Every shape of a machine, the smallest first."""
    return f'<div class="shapes">{"".join(map(_shape, use.offers))}</div>'


def _shape(offer: "Offer") -> str:
    pods, windows = offer.pods_per_node, offer.windows
    pinned = len(windows) == pods and pods > 1
    labels = [" + ".join(each.window for each in window) if pinned else "" for window in windows]
    style = "tile nic" if isinstance(offer.intent, Nics) else "tile"
    tiles = "".join(f'<span class="{style}">{escaped(label)}</span>' for label in (labels if pinned else [""] * pods))
    names = ", ".join(_names([each.name for each in window]) for window in windows)
    return (
        f'<div class="shape"><b>{escaped(str(offer.intent))}</b> <span class="dim">{pods} a node</span>'
        f'<div class="tiles">{tiles}</div><p class="names">{names}</p></div>'
    )


def _names(names: Sequence[str]) -> str:
    """The templates that a pod takes together."""
    return " + ".join(f"<code>{escaped(name)}</code>" for name in names)


Children = dict[str | None, list[Resource]]


def resources(graph: Graph) -> str:
    """The whole tree; only its root is open."""
    children = graph.by_parent()
    names = {resource.urn: f"{resource.kind} {resource.name}" for resource in graph.resources}
    return "".join(_component(each, children, names, True) for each in children.get(None, []))


def _component(resource: Resource, children: Children, names: dict[str, str], opened: bool) -> str:
    below = children.get(resource.urn, [])
    plain = [each for each in below if each.urn not in children]
    nested = [each for each in below if each.urn in children]
    items = "".join(f"<li>{escaped(names[each.urn])}{_waits(each, names)}</li>" for each in plain)
    inner = "".join(_component(each, children, names, False) for each in nested)
    count = f' <span class="dim">{len(below)}</span>'
    listed = f"<ul>{items}</ul>" if items else ""
    return (
        f"<details{' open' if opened else ''}><summary>{escaped(names[resource.urn])}{count}</summary>"
        f"{_waits(resource, names)}{listed}{inner}</details>"
    )


def _waits(resource: Resource, names: dict[str, str]) -> str:
    awaited = [names[urn] for urn in resource.dependencies if urn in names]
    return f' <span class="dim">waits for {escaped(", ".join(awaited))}</span>' if awaited else ""
