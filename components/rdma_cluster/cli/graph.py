"""``rdma-cluster graph diff`` and ``drift``: what a change of configuration, or of a stack, adds, removes and changes.

With what that destroys.
"""

from collections.abc import Sequence
from pathlib import Path

from pulumi_offline import Graph, GraphDiff, Resource, diff, render
from pulumi_offline.aliases import as_known
from pulumi_offline.constraints import Broken
from pulumi_offline.errors import refusal
from pulumi_offline.graph import title
from pulumi_offline.immutable import fixed
from pulumi_offline.json_file import read_json
from pulumi_offline.replacements import refusals, replacements, roots, taken_along
from pulumi_offline.stack_export import read_before
from pulumi_offline.visible import visible
from .broken import told_once
from .options import Verb, json_option, option
from .output import as_json
from .parser import Parser
from .stack_file import StackVerb


class ShowDiff(Verb):
    """Print the difference. Returns 1 when there is one. Raises ``Refused`` for files that hold no graph."""

    a: Path = option("A")
    b: Path = option("B")
    json: bool = json_option()

    @classmethod
    def add_to(cls, parser: Parser) -> None:
        """Add the one verb that there is about graphs."""
        below = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)
        help = "what changes between two graphs made with `preview --json`"
        super().add_to(below.add_parser("diff", help=help, description=help))

    def run(self) -> int:
        before, after = _read(self.a), _read(self.b)
        changes = diff(before, after)
        print(_told(changes, as_known(before, after), after, self.json))
        return 1 if changes else 0


class Drift(StackVerb):
    """Print the difference. Returns 1 when there is one.

    Raises ``Refused`` for a configuration that cannot work, and for a file that holds no state.
    """

    state: Path = option("--state FILE", "the state, as `pulumi stack export` writes it", required=True)

    def run(self) -> int:
        from .preview import run_program

        after = run_program(*self.read())
        before = read_before(self.state, after)
        changes = diff(before, after)
        if changes or self.json:
            print(_told(changes, before, after, self.json), end="\n" if self.json else "")
        else:
            print(f"stack {self.stack} is as its configuration says: {len(after.resources)} resources")
        return 1 if changes else 0


def _told(changes: GraphDiff, before: Graph, after: Graph, json: bool) -> str:
    """A difference as JSON, or in words: each resource and property, what is made anew, what the cloud refuses."""
    anew = replacements(before, after)
    broken = refusals(before, after, anew)
    if json:
        refused = [
            {"urn": resource.urn, "path": it.path, "words": it.words, "source": it.source.ref}
            for resource, it in broken
        ]
        return as_json({**changes.to_dict(), "replaced": anew, "refused": refused})
    lines = [*replaced(roots(anew), anew, after), *refused_in_words(broken)]
    return render(changes) + "".join(f"! {visible(line)}\n" for line in lines)


def _read(path: Path) -> Graph:
    try:
        return Graph.from_dict(read_json(path))
    except OSError as error:
        raise refusal(error.strerror or "cannot be read", str(path)) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise refusal("holds no graph; make one with `rdma-cluster preview STACK --json`", str(path)) from None


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
