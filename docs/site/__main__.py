"""Writes the site's pages into a folder, beside the settings that mkdocs builds them with: ``make site``.

Nothing is written by hand for the site alone: README, docs and examples as they are, a page for each machine from the
catalogue, one for each key from the schemas, and the public names from their docstrings.
"""

import sys
from pathlib import Path

import yaml
from . import drawing, keys, machines, reference, written

ROOT = Path(__file__).parents[2]


def write_site(folder: Path) -> None:
    """Pages below ``folder/pages``, and ``folder/mkdocs.yml``."""
    pages: dict[str, str] = {}
    navigation: list[dict[str, object]] = []
    for part in (written, machines, keys, reference):
        made = part.pages(ROOT)
        pages |= made.texts
        navigation += made.navigation
    pages["drawing.css"] = drawing.style()
    for name, text in pages.items():
        file = folder / "pages" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
    for gone in set((folder / "pages").rglob("*.*")) - {folder / "pages" / name for name in pages}:
        gone.unlink()
    sources = {"mkdocstrings": {"handlers": {"python": {"paths": [str(ROOT / "components")]}}}}
    settings = {"INHERIT": str(ROOT / "docs" / "site" / "mkdocs.yml"), "plugins": sources, "nav": navigation}
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    write_site(Path(sys.argv[1]))
