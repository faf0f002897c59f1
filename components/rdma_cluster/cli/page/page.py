"""The page: a plan's sections, and every resource below its component."""

from collections.abc import Sequence
from datetime import date
from importlib.resources import files

from ... import __version__
from ...catalog import find
from ...common.price import aged
from ...common.summary import Row, Section, Summary
from ...offline.graph import Graph, Resource
from .escaped import escaped
from .head import head
from .node import node


# More than six parameters: the plan, then by name what stands in the head alone.
def write_page(
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
    body = [
        f"<h1>{escaped(stack)}</h1>",
        f'<p class="dim">{_headline(summary)}</p>',
        head(summary, cloud, project, today),
    ]
    body += [f'<p class="warning"><b>warning</b> {escaped(warning)}</p>' for warning in summary.warnings]
    old = aged(summary.rows_of("price"), today)
    body += [f'<p class="dim">{escaped(sentence)}</p>' for sentence in old]
    body += [_section(section) for section in summary.sections if section.rows]
    body.append("<h2>resources</h2>")
    body.append(f'<p class="dim">{escaped(without)}</p>' if graph is None else _resources(graph))
    body.append(f'<p class="dim">made by rdma-cluster {__version__}; nothing on this page was measured</p>')
    style = files("rdma_cluster.cli.page").joinpath("style.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f"<title>{escaped(stack)}: GPUs over RDMA</title><style>{style}</style></head>\n"
        f"<body>{''.join(body)}</body></html>\n"
    )


def _headline(summary: Summary) -> str:
    """The pools in one sentence."""
    pools = summary.rows_of("pools")
    return escaped("; ".join(f"{row['nodes']} x {row['machine']}, {row['rails']}, {row['capacity']}" for row in pools))


def _section(section: Section) -> str:
    drawing = _DRAWINGS.get(section.name)
    table = _table(section.rows)
    if drawing is not None:
        table = f"{drawing(section)}<details><summary>as a table</summary>{table}</details>"
    return f'<section id="{escaped(section.name)}"><h2>{escaped(section.title)}</h2>{table}</section>'


def _shape(row: Row) -> str:
    """How the pods of one shape fill a node."""
    count = row["pods_a_node"]
    further = [] if row["further_windows"] == "-" else str(row["further_windows"]).split(", ")
    names = [str(row["template"]).rpartition("-rail")[2], *further] if further else []
    labels = [f"rail{names[0]}", *further] if len(names) == count else [f"pod {i + 1}" for i in range(count)]
    tiles = "".join(f'<span class="tile">{escaped(label)}</span>' for label in labels)
    named = f"{escaped(str(row['shape']))} <code>{escaped(str(row['template']))}</code>"
    return f'<div class="shape">{named}<div class="tiles">{tiles}</div></div>'


_DRAWINGS = {
    "rails": lambda section: node(section.rows, find(section.of)),
    "claims": lambda section: "".join(map(_shape, section.rows)),
}


def _table(rows: Sequence[Row]) -> str:
    head = "".join(f"<th>{escaped(name.replace('_', ' '))}</th>" for name in rows[0])
    cells = (("-" if cell is None else escaped(str(cell)) for cell in row.values()) for row in rows)
    lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in cells)
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(f"<tr>{line}</tr>" for line in lines)}</table></div>'


def _resources(graph: Graph) -> str:
    """Every component with what is below it, and what waits for what."""
    children = graph.by_parent()
    names = {resource.urn: f"{resource.kind} {resource.name}" for resource in graph.resources}
    return "".join(_component(each, children, names, True) for each in children.get(None, []))


def _component(
    resource: Resource, children: dict[str | None, list[Resource]], names: dict[str, str], opened: bool
) -> str:
    below = children.get(resource.urn, [])
    plain = [each for each in below if each.urn not in children]
    nested = [each for each in below if each.urn in children]
    items = "".join(f"<li>{escaped(names[each.urn])}{_waits(each, names)}</li>" for each in plain)
    inner = "".join(_component(each, children, names, False) for each in nested)
    count = f' <span class="dim">{len(below)}</span>'
    return (
        f"<details{' open' if opened else ''}><summary>{escaped(names[resource.urn])}{count}</summary>"
        f"{_waits(resource, names)}<ul>{items}</ul>{inner}</details>"
    )


def _waits(resource: Resource, names: dict[str, str]) -> str:
    awaited = [names[urn] for urn in resource.dependencies if urn in names]
    return f' <span class="dim">waits for {escaped(", ".join(awaited))}</span>' if awaited else ""
