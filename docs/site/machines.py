"""A page for each machine type: drawing, figures with how each is known, what is open, prices."""

from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from rdma_cluster.catalog import Machine, machines
from rdma_cluster.catalog.machine import Source
from rdma_cluster.catalog.prices import prices, why_unlisted
from rdma_cluster.catalog.questions import figures
from rdma_cluster.catalog.sayings import sayings_of
from rdma_cluster.catalog.serialization import to_json
from ..generate import head, row
from .drawing import drawing
from .made import Made

_LONGEST = 400
"""Characters of a value in a table; ``rdma-cluster machines NAME --json`` has all of it."""


def pages(_root: Path) -> Made:
    """All of the catalogue."""
    by_cloud: dict[str, list[Machine]] = {}
    for machine in machines():
        by_cloud.setdefault(machine.cloud, []).append(machine)
    texts = {_path(each): "\n".join(_page(each)) for found in by_cloud.values() for each in found}
    texts["machines/index.md"] = "\n".join(_index(by_cloud))
    below: list[dict[str, object]] = [
        {cloud.upper(): [{each.name: _path(each)} for each in found]} for cloud, found in by_cloud.items()
    ]
    return Made(texts, [{"Machines": ["machines/index.md", *below]}])


def _path(machine: Machine) -> str:
    return f"machines/{machine.name}.md"


def _index(by_cloud: dict[str, list[Machine]]) -> Iterator[str]:
    yield "# Machines\n"
    yield "Every machine type with an RDMA or GPUDirect fabric; how to read them: [catalogue](../catalogue.md).\n"
    for cloud, found in by_cloud.items():
        yield f"## {cloud.upper()}\n"
        yield from head("machine", "GPUs", "rails", "transport", "open points")
        for each in found:
            gpus = f"{each.gpus} x {each.gpu.model}" if each.gpu else "-"
            rails = f"{each.nics} x {each.nic_gbps or '?'} Gb/s"
            name = f"[{each.name}]({each.name}.md)"
            yield row(name, gpus, rails, each.transport.value, len(each.unknown) + len(each.unverified))
        yield ""


def _page(machine: Machine) -> Iterator[str]:
    yield f"# {machine.name}\n"
    gpus = f"{machine.gpus} x {machine.gpu.model}" if machine.gpu else "no GPU"
    yield f"{machine.cloud.upper()}: {gpus}, {machine.nics} rails, {machine.transport.value}.\n"
    if drawn := drawing(machine):
        yield f"## A node\n\n{drawn}\n"
    data = to_json(machine)
    yield "## Figures\n"
    yield "How each is known, says [the catalogue](../catalogue.md#how-a-figure-is-known)."
    yield "A figure with nothing beside it is from the sources below.\n"
    yield from head("figure", "value", "known", "from")
    for figure in figures(machine):
        name, _, part = figure.field.partition(".")
        value = "" if part else _value(data[name])
        own = "" if figure.sources == machine.sources else "; ".join(map(_told, figure.sources))
        yield row(f"`{figure.field}`", value, figure.known.value, _linked(own or figure.reason))
    if readings := [each for each in sayings_of(machine) if each.says is not None]:
        yield "\n## What the sources say\n"
        yield "Entered by readers who had not seen the value above.\n"
        yield from head("figure", "the source says", "read", "source")
        for each in readings:
            told = _linked(f"{each.source} ({each.version}){each.why and '; ' + each.why}")
            yield row(f"`{each.field}`", _value(each.says), each.read, told)
    yield "\n## Open points\n"
    opened = {**machine.unknown, **machine.unverified}
    yield "\n".join(f"- `{field}`: {_linked(reason)}" for field, reason in opened.items()) or "None."
    yield "\n## On-demand prices\n"
    yield from _prices(machine)
    yield "\n## Sources\n"
    yield "\n".join(f"- {_linked(_told(each))}" for each in machine.sources)


def _told(source: Source) -> str:
    return f"{source.ref}, {source.seen}"


def _value(value: object) -> str:
    """As Python's literals are written, cut where it is long."""
    if value is None:
        return "-"
    text = str(value.value if isinstance(value, Enum) else value)
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 4] + ' ...'}`"


def _linked(text: str) -> str:
    """Addresses as links, and nothing else as Markdown or HTML."""
    words = text.replace("<", "&lt;").replace("*", r"\*").replace("_", r"\_").split(" ")
    return " ".join(_link(word) if word.startswith("https://") else word for word in words)


def _link(word: str) -> str:
    plain = word.replace(r"\_", "_").replace(r"\*", "*").replace("&lt;", "<")
    end = len(plain.rstrip(".,;:)"))
    return f"<{plain[:end]}>{plain[end:]}"


def _prices(machine: Machine) -> Iterator[str]:
    found = prices(machine)
    if not found:
        yield f"{why_unlisted(machine)}\n"
        return
    yield from head("US dollars an hour", "regions", "as of", "list")
    for price in found:
        dollars = f"{price.least:,.2f}" if price.least == price.most else f"{price.least:,.2f} to {price.most:,.2f}"
        lists = _linked("; ".join(source.ref for source in price.sources))
        yield row(dollars, ", ".join(price.regions), price.as_of, lists)
