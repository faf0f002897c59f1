"""``rdma-cluster graph diff``: what a change of configuration adds, removes and changes, and what that destroys."""

from collections.abc import Sequence
from pathlib import Path

from ..catalog.immutable import fixed
from ..constraints import Broken
from ..errors import InputError, Refused
from ..json_file import read_json
from ..nccl.visible import visible
from ..offline import Graph, GraphDiff, Resource, diff, render
from ..offline.aliases import as_known
from ..offline.graph import title
from ..offline.replacements import refusals, replacements, roots, taken_along
from .broken import told_once
from .output import as_json


def show_diff(a: Path, b: Path, json: bool) -> int:
    """Print the difference. Returns 1 when there is one. Raises ``Refused`` for files that hold no graph."""
    before, after = _read(a), _read(b)
    before = as_known(before, after)
    changes, anew = diff(before, after), replacements(before, after)
    broken = refusals(before, after, anew)
    print(changes_in_json(changes, anew, broken) if json else changes_in_words(changes, anew, after, broken))
    return 1 if changes else 0


def changes_in_json(changes: GraphDiff, anew: dict[str, list[str]], broken: Sequence[tuple[Resource, Broken]]) -> str:
    """A difference as JSON, with the same in it as ``changes_in_words``."""
    refused = [
        {"urn": resource.urn, "path": it.path, "words": it.words, "source": it.source.ref} for resource, it in broken
    ]
    return as_json({**changes.to_dict(), "replaced": anew, "refused": refused})


def changes_in_words(
    changes: GraphDiff, anew: dict[str, list[str]], after: Graph, broken: Sequence[tuple[Resource, Broken]]
) -> str:
    """A difference as text: each resource and property, then what is made anew and what the cloud refuses."""
    lines = [*replaced(roots(anew), anew, after), *refused_in_words(broken)]
    return render(changes) + "".join(f"! {visible(line)}\n" for line in lines)


def _read(path: Path) -> Graph:
    try:
        return Graph.from_dict(read_json(path))
    except OSError as error:
        raise Refused([InputError((str(path),), error.strerror or "cannot be read")]) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        reason = "holds no graph; make one with `rdma-cluster preview STACK --json`"
        raise Refused([InputError((str(path),), reason)]) from None


def felt(anew: dict[str, list[str]], after: Graph) -> list[str]:
    """Everything that is lost, itself or with another, and that people have a name for, as ``replaced`` puts it."""
    roles = {each.urn: _role(each) for each in after.resources}
    return replaced([urn for urn in anew if roles[urn]], anew, after)


def replaced(urns: Sequence[str], anew: dict[str, list[str]], after: Graph) -> list[str]:
    """What is made anew, why, and how much goes with it: ``replaces the cluster gke and 63 objects on it: ...``."""
    resources = {each.urn: each for each in after.resources}
    lines = []
    for urn in urns:
        others = len(taken_along(urn, anew))
        tail = f" and {others} {'object' if others == 1 else 'objects'} on it" if others else ""
        why = [f"with {_with_role(resources[each])}" if each in anew else each for each in anew[urn]]
        lines.append(f"replaces {_with_role(resources[urn])}{tail}: {', '.join(why[:3])}{', ...' if why[3:] else ''}")
    return lines


def refused_in_words(refusals: Sequence[tuple[Resource, Broken]]) -> list[str]:
    """What the cloud answers to changes in place."""
    return [f"{name}: {each.path}: refused: {each.words} ({each.source.ref})" for name, each in told_once(refusals)]


def _with_role(resource: Resource) -> str:
    role = _role(resource)
    return f"the {role} {resource.name}" if role else title(resource.urn)


def _role(resource: Resource) -> str:
    """What people call such a resource; empty for one that they have no name for."""
    row = fixed(resource.type)
    return row.role if row is not None else ""
