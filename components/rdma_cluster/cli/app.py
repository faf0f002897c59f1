"""The command's verbs, in four groups, and what runs one of them.

Only the file of the verb that is asked for is imported: it holds the verb's options and its answer.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from functools import cache, partial
from textwrap import wrap

from pulumi_offline.errors import Refused
from pulumi_offline.problems import BrokenProgram
from pulumi_offline.sdk_names import UntestedPulumi
from pulumi_offline.visible import visible
from ..base.lazy import MissingLibrary, brought
from .completion import show_next
from .output import all_visible
from .parser import AddTo, Parser, ShowVersion, Usage

GROUPS = {
    "plan": {
        "init": "write a project into an empty folder: stack file, program, requirements",
        "plan": "say what a stack would be: pools, rails, addresses, claims, versions",
        "preview": "show the plan and every resource that `pulumi up` would make",
        "explain": "show what a key of the configuration means",
        "schema": "print the JSON Schema of a cloud's stack files, for editors",
        "stacks": "list the project's stacks",
        "machines": "show the machine catalogue, with its sources",
        "claims": "claim templates for a machine, and the proof that they fit",
    },
    "run": {
        "job": "a job as a manifest, one pod on each node: claims, pod patch, queue, topology",
        "inject": "what injection makes of a pod that only asks for GPUs, as a diff",
        "artifacts": "list every chart and image that a stack fetches: what a private registry must hold",
        "lock": "ask registries for the digest of all that a stack fetches, and use these digests from then on",
    },
    "prove": {
        "verdict": "judge logs of nccl-tests against the machine's fabric",
        "proofs": "what each node of a living cluster has shown of its fabric",
        "conform": "hold a living cluster, or a snapshot of one, against its stack's plan",
        "trial": "the cheapest run that proves a cloud on metal: price, minutes, commands; gathers what it shows",
        "drift": "what a living stack's state has otherwise than its configuration says",
    },
    "change": {
        "graph diff": "compare what two previews would build",
        "upgrade": "the steps that bring a stack to another version inside its capacity, as edits of its file",
        "rehearse": "run the real engine on simulated clouds: up, changes, faults, destroy",
    },
    "shell": {"completion": "print a completion script, to be sourced by a shell"},
}
"""What each verb is for, by group, in the order of `--help`."""


# One line or two for each verb, so that a type checker follows every import.
def verb_of(name: str) -> AddTo:
    """The options and the answer of a verb. Raises ``MissingLibrary`` where a distribution brings it that is not there.

    `rehearse` is found by the entry point of rdma-cluster-rehearsal, which is looked up for this verb alone: it takes
    its time.
    """
    match name:
        case "init":
            from .init import Init as verb
        case "plan":
            from .plan import Plan as verb
        case "preview":
            from .preview import Preview as verb
        case "explain":
            from .explain import Explain as verb
        case "schema":
            from .schema import Schema as verb
        case "stacks":
            from .stack_file import Stacks as verb
        case "machines":
            from .machines import Machines as verb
        case "claims":
            from .claims import ShowClaims as verb
        case "job":
            from .job import Job as verb
        case "inject":
            from .inject import Inject as verb
        case "artifacts":
            from .artifacts import Artifacts as verb
        case "lock":
            from .lock import LockStack as verb
        case "verdict":
            from .verdict import JudgeLogs as verb
        case "proofs":
            from .proofs import Proofs as verb
        case "conform":
            from .conform import Conform as verb
        case "trial":
            from .trial import Trial as verb
        case "drift":
            from .graph import Drift as verb
        case "graph":
            from .graph import ShowDiff as verb
        case "upgrade":
            from .upgrade import Upgrade as verb
        case "completion":
            from .completion import Completion as verb
        case _:
            return brought("rdma_cluster.verbs", name, name)
    return verb.add_to


@all_visible()
def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code; what is wrong with the input goes to stderr, never as a traceback."""
    try:
        if os.environ.get("RDMA_CLUSTER_COMPLETE"):  # a completion script runs the command
            return show_next(parser(), list(arguments))
        values = vars(parser().parse_args(list(arguments)))
        code: int = values.pop("verb")(**values).run()
        sys.stdout.flush()
        return code
    except Usage as usage:
        return usage.code
    except (Refused, MissingLibrary, UntestedPulumi, BrokenProgram) as wrong:
        print(wrong, file=sys.stderr)
    except BrokenPipeError:
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(visible(f"{where}{error.strerror or error}"), file=sys.stderr)
    except KeyboardInterrupt:
        return 130
    return 2


@cache
def parser() -> Parser:
    """All verbs; built once, also for a program that runs the command many times."""
    root = Parser(
        prog="rdma-cluster",
        usage="%(prog)s [-h] [--version] COMMAND ...",
        description="Plan, preview and prove Kubernetes clusters whose GPUs talk over RDMA.",
        epilog="Exit codes: 0 fine, 1 the answer is no, 2 the input is wrong.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument(
        "--version", action=ShowVersion, nargs=0, default=argparse.SUPPRESS, help="show the release and its commit"
    )
    verbs = root.add_subparsers(
        prog=root.prog, metavar="COMMAND", required=True, help=argparse.SUPPRESS, parser_class=Parser
    )
    for group, helps in GROUPS.items():
        root.add_argument_group(group, "\n".join(_line(name, help) for name, help in helps.items()))
        for name, help in helps.items():
            name = name.partition(" ")[0]
            verbs.add_parser(name, description=help, load=partial(verb_of, name))
    return root


def _line(name: str, help: str) -> str:
    """A verb in the list of all."""
    first, *following = wrap(help, 66)
    return "\n".join([f"{name:<12}{first}", *(f"{'':<12}{line}" for line in following)])
