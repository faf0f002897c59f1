"""What people wrote: README, docs, examples and the changelog, with links that hold on the site."""

import re
from pathlib import Path

from .made import Made

_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
_TOP = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "joining.md",
    "DEVELOPERS.md": "developers.md",
    "SECURITY.md": "reporting.md",
}
"""Pages outside of docs, and what they are called on the site."""
_TABS: dict[str, tuple[str, ...]] = {
    "Start": (
        "first-cluster",
        "tutorial-gke",
        "tutorial-eks",
        "tutorial-aks",
        "tutorial-oke",
        "tutorial-gce",
        "from-terraform",
        "examples",
    ),
    "Clouds": ("gke", "eks", "aks", "oke", "gce"),
    "Day two": (
        "day-two",
        "readiness",
        "bad-node",
        "faults",
        "upgrades",
        "monitoring",
        "acceptance",
        "verdict",
        "nccl-verdict",
    ),
    "Work": ("workloads", "claims", "injection", "portable-jobs", "multikueue"),
    "Use": (
        "library",
        "configuration",
        "command",
        "components",
        "offline",
        "unit-tests",
        "other-languages",
        "ci",
        "artifacts",
    ),
    "About": (
        "contents",
        "beside",
        "evidence",
        "glossary",
        "why/seeds",
        "catalogue",
        "constraints",
        "control-plane",
        "security",
        "reporting",
        "joining",
        "contributing",
        "developers",
        "notes/engine",
        "notes/mutants",
        "changelog",
        "releases",
    ),
}
"""The navigation; a page that stands nowhere here is refused by mkdocs."""


def pages(root: Path) -> Made:
    """README as the first page, the others by what they are for."""
    sources = {site: root / name for name, site in _TOP.items()}
    docs = root / "docs"
    sources |= {file.relative_to(docs).as_posix(): file for file in sorted(docs.rglob("*.md"))}
    examples = sorted((root / "examples").glob("*/README.md"))
    sources["examples.md"] = root / "examples" / "README.md"
    sources |= {f"examples/{file.parent.name}.md": file for file in examples}
    places = {source.resolve(): site for site, source in sources.items()}
    texts = {site: _linked(source, site, places, root) for site, source in sources.items()}
    pictures = {file.relative_to(root).as_posix(): file.read_text("utf-8") for file in docs.rglob("*.svg")}  # README's
    tabs: list[dict[str, object]] = [{"rdma-cluster": "index.md"}]
    for tab, names in _TABS.items():
        entries: list[object] = [f"{name}.md" for name in names if f"{name}.md" in texts]
        tabs.append({tab: [*entries, *(site for site in texts if tab == "Start" and site.startswith("examples/"))]})
    return Made(texts | pictures, tabs)


def _linked(source: Path, site: str, places: dict[Path, str], root: Path) -> str:
    """A page's text; a link to a file that is no page of the site becomes the file's name."""

    def link(found: re.Match[str]) -> str:
        words, target, anchor = found[1], found[2], found[3] or ""
        if not target or "://" in target:
            return found[0]
        file = (source.parent / target).resolve()
        if file in places:
            return f"[{words}]({'../' * site.count('/')}{places[file]}{anchor})"
        name = file.relative_to(root)
        return words if words.strip("`") in str(name) else f"{words} (`{name}`)"

    return _LINK.sub(link, source.read_text(encoding="utf-8"))
