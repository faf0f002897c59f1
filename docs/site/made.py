"""What each part of the site gives: pages, and their places in the navigation."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Made:
    """Pages by their path below the site's root, as Markdown, and entries as mkdocs' ``nav`` has them."""

    texts: dict[str, str]
    navigation: list[dict[str, object]]
