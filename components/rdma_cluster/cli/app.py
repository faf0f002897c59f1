"""The command's verbs; each imports what it needs when it runs."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ..faults import Refused
from ..offline.problems import BrokenProgram

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
    except (Refused, BrokenProgram) as wrong:
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


@app.command()
def claims(
    machine: Annotated[str, typer.Argument(help="A machine type of any cloud.")],
    pairs: Annotated[int | None, typer.Option(help="K GPUs, each with a NIC on its own PCIe root.")] = None,
    groups: Annotated[str | None, typer.Option(metavar="GxN", help="G GPUs and N NICs on one root.")] = None,
    numa: Annotated[bool, typer.Option("--numa", help="The GPUs and NICs of one NUMA node.")] = False,
    whole: Annotated[bool, typer.Option("--whole", help="All GPUs and NICs.")] = False,
    nics: Annotated[bool, typer.Option("--nics", help="All NICs, no GPU.")] = False,
    kubernetes: Annotated[str, typer.Option(help="Kubernetes version.")] = "1.35",
    driver: Annotated[
        str | None, typer.Option(help="DRA driver of the NICs; by default the usual one of the machine's fabric.")
    ] = None,
    gpu_allocation: Annotated[str, typer.Option(help="Who hands out the GPUs: dra or device-plugin.")] = "dra",
    namespace: Annotated[str, typer.Option(help="Namespace of the templates.")] = "default",
    as_yaml: Annotated[bool, typer.Option("--yaml", help="Print the templates, ready for kubectl.")] = False,
    as_json: Json = False,
) -> int:
    """Claim templates for a machine, and the proof that a node can satisfy them. Exit 1 when none can."""
    from .claims import intents_of, show_claims

    asked = intents_of(pairs, groups, numa, whole, nics)
    return show_claims(machine, asked, kubernetes, driver, gpu_allocation, namespace, as_yaml, as_json)


@app.command()
def verdict(
    logs: Annotated[list[Path], typer.Argument(metavar="LOG...", help="Output of nccl-tests, text or JSON.")],
    machine: Annotated[str, typer.Option(help="Machine type of the nodes.")],
    nodes: Annotated[int, typer.Option(help="Nodes of one test.")],
    gpus_per_node: Annotated[int | None, typer.Option(help="GPUs each node took part with; all by default.")] = None,
    collective: Annotated[str | None, typer.Option(help="nccl-tests' name, e.g. all_gather.")] = None,
    floor: Annotated[
        list[str] | None,
        typer.Option(metavar="COLLECTIVE:SIZE=GBPS", help="A floor of your own, e.g. all_reduce:1G=300."),
    ] = None,
    waive: Annotated[list[str] | None, typer.Option(metavar="GATE", help="Let this gate fail.")] = None,
    as_json: Json = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw bus bandwidth by size.")] = None,
) -> int:
    """Judge logs of nccl-tests. Exit 1 when a gate fails."""
    from .verdict import show_verdict

    return show_verdict(logs, machine, nodes, gpus_per_node, collective, floor or [], waive or [], as_json, plot)


@graph.command("diff")
def graph_diff(a: Path, b: Path, as_json: Json = False) -> int:
    """What changes between two graphs made with `preview --json`, property by property. Exit 1 when they differ."""
    from .graph import show_diff

    return show_diff(a, b, as_json)
