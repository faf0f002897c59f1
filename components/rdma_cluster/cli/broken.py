"""Broken constraints in words, each told once."""

from collections.abc import Iterable

from pulumi_offline import Resource
from pulumi_offline.constraints import Broken
from pulumi_offline.graph import title


def told_once(broken: Iterable[tuple[Resource, Broken]]) -> list[tuple[str, Broken]]:
    """Each constraint with the objects that break it: the first one's title and path, and how many others there are."""
    objects: dict[tuple[str, str, str], list[tuple[Resource, Broken]]] = {}
    for resource, each in broken:
        objects.setdefault((resource.type, each.words, each.source.ref), []).append((resource, each))
    return [(_title([resource for resource, _ in of]), of[0][1]) for of in objects.values()]


def _title(resources: list[Resource]) -> str:
    others = len({each.urn for each in resources}) - 1
    more = f" and {others:,} {'other' if others == 1 else 'others'}" if others else ""
    return f"{title(resources[0].urn)}{more}"
