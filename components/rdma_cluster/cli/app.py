"""The command's verbs; each imports what it needs when it runs."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ..door import Refused
from ..offline.faults import ProgramFault

app = typer.Typer(
    name="rdma-cluster",
    help="Plan, preview and prove Kubernetes clusters whose GPUs talk over RDMA.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
graph = typer.Typer(help="Compare what two previews would build.", no_args_is_help=True)
app.add_typer(graph, name="graph")

Stack = Annotated[str, typer.Argument(help="A file in stacks/ without `Pulumi.` and `.yaml`.")]
ConfigFile = Annotated[Path | None, typer.Option("--config", help="Use this file in place of the stack's.")]
Overrides = Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="e.g. pools[0].nodes=4")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON alone.")]


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code; what is wrong with the input goes to stderr, never as a traceback."""
    try:
        code = app(list(arguments), standalone_mode=False)
    except (Refused, ProgramFault) as wrong:
        print(wrong, file=sys.stderr)
        return 2
    except typer.Abort:
        return 130
    except typer._click.exceptions.ClickException as error:
        error.show()
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    return code if isinstance(code, int) else 0


@app.command()
def plan(stack: Stack, config: ConfigFile = None, set_: Overrides = None, as_json: Json = False) -> int:
    """Say what a stack would be: pools, rails, addresses, claims, versions, or all that is wrong with it."""
    from .plan import show_plan

    return show_plan(stack, config, set_ or [], as_json)


@app.command()
def preview(stack: Stack, config: ConfigFile = None, set_: Overrides = None, as_json: Json = False) -> int:
    """Show the plan and every resource that `pulumi up` would make, with no account and no Pulumi CLI."""
    from .preview import show_preview

    return show_preview(stack, config, set_ or [], as_json)


@app.command()
def machines(
    machine: Annotated[str | None, typer.Argument(help="One machine type, in full.")] = None,
    as_json: Json = False,
    unverified: Annotated[bool, typer.Option("--unverified", help="Only what is unknown or not certain.")] = False,
) -> int:
    """The machine catalogue, with its sources."""
    from .machines import show_machines

    return show_machines(machine, as_json, unverified)


@graph.command("diff")
def graph_diff(a: Path, b: Path, as_json: Json = False) -> int:
    """What changes between two graphs made with `preview --json`, property by property. Exit 1 when they differ."""
    from .graph import show_diff

    return show_diff(a, b, as_json)
