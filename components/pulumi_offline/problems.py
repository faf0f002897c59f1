"""What is wrong with a program: every problem of a run, raised together."""

from .frozen import frozen
from .graph import Graph, title


@frozen
class Problem:
    """One thing wrong with one resource."""

    urn: str
    """URN of the resource; empty for a problem of the program as a whole."""
    path: str
    """Property in the spelling that reaches the engine: `nodeConfig.guestAccelerators[0].count`; may be empty."""
    message: str

    def __lt__(self, other: "Problem") -> bool:
        return (self.urn, self.path, self.message) < (other.urn, other.path, other.message)

    def __str__(self) -> str:
        return ": ".join(part for part in (self.urn and title(self.urn), self.path, self.message) if part)


class BrokenProgram(Exception):
    """A program ran to its end, but the engine or a provider would refuse what it asks for.

    `problems` holds every problem of the run, sorted; `graph` what was recorded all the same. It is raised, not merely
    kept in the graph, so that a test which forgets to look cannot pass.
    """

    def __init__(self, problems: tuple[Problem, ...], graph: Graph) -> None:
        self.problems = problems
        self.graph = graph
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        super().__init__("\n  ".join([f"{count} in stack {graph.stack}", *map(str, problems)]))
