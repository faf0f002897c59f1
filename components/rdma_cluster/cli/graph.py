"""``rdma-cluster graph diff`` and ``drift``: what a change of configuration, or of a stack, adds, removes and changes.

With what that destroys.
"""

from pathlib import Path

from pulumi_offline import Graph, GraphDiff, diff, render
from pulumi_offline.aliases import as_known
from pulumi_offline.errors import refusal
from pulumi_offline.json_file import read_json
from pulumi_offline.losses import losses
from pulumi_offline.replacements import refusals, roots
from pulumi_offline.stack_export import read_before
from pulumi_offline.visible import visible
from .losses import in_words, refused_in_words
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
    """A difference as JSON, or in words: each resource and property, what is lost, what the cloud refuses."""
    lost = losses(before, after)
    broken = refusals(before, after, lost.replaced)
    if json:
        refused = [
            {"urn": resource.urn, "path": it.path, "words": it.words, "source": it.source.ref}
            for resource, it in broken
        ]
        return as_json({**changes.to_dict(), **lost.to_dict(), "refused": refused})
    told = in_words(lost, before, after, roots(lost.replaced))
    lines = [*(line for lines in told.values() for line in lines), *refused_in_words(broken)]
    return render(changes) + "".join(f"! {visible(line)}\n" for line in lines)


def _read(path: Path) -> Graph:
    try:
        return Graph.from_dict(read_json(path))
    except OSError as error:
        raise refusal(error.strerror or "cannot be read", str(path)) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise refusal("holds no graph; make one with `rdma-cluster preview STACK --json`", str(path)) from None
