"""Options of verbs that read a plan, its artifacts, a living cluster or a snapshot of one, or write a job for any."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path

KUBECONFIG = "--kubeconfig"
WHOSE = "the cluster's, as `pulumi stack output kubeconfig --show-secrets` prints it"
"""What file it names."""


def of_plan(verb: ArgumentParser) -> None:
    """What `plan` writes, and what it says in place of the plan."""
    verb.add_argument("--html", type=Path, metavar="FILE", help="write the plan as one page with drawings")
    ended = "the page's second half: what `pulumi stack output report` printed"
    verb.add_argument("--report", type=Path, metavar="FILE", help=ended)
    since = "a graph (`preview --json`) or a state (`pulumi stack export`): say what the change from it replaces"
    verb.add_argument("--since", type=Path, metavar="FILE", help=since)
    how = "in its place: how each promise of the plan is known, by class, and what only hardware can tell"
    verb.add_argument("--evidence", action="store_true", help=how)


def of_artifacts(verb: ArgumentParser) -> None:
    """What is written in place of the list."""
    lists = verb.add_mutually_exclusive_group()
    copies = "print what to copy into this registry, e.g. mirror.example/gpu, and the stack's `registries` for it"
    lists.add_argument("--mirror", metavar="REGISTRY", help=copies)
    lists.add_argument("--sbom", action="store_true", help="print a bill of materials, CycloneDX 1.6 as JSON")
    tools = ("plain", "skopeo", "oras", "regctl")
    verb.add_argument("--for", dest="tool", choices=tools, default="plain", help="who copies")


def of_kubeconfig(verb: ArgumentParser) -> None:
    """Where the cluster is: no other file is asked, whatever the environment says."""
    verb.add_argument(KUBECONFIG, type=Path, metavar="FILE", help="of the cluster; exec plugins are run")


def of_upgrade(verb: ArgumentParser) -> None:
    """What is upgraded, to which version, and which step is written."""
    verb.add_argument("--to", required=True, metavar="VERSION", help="as the cloud writes it")
    parts = ("kubernetes", "node-image", "driver", "dra-driver", "nccl-plugin", "machine")
    verb.add_argument("--part", choices=parts, default="kubernetes", help="what is upgraded; by default kubernetes")
    verb.add_argument("--pool", metavar="NAME", help="move the nodes of this pool alone")
    verb.add_argument("--step", type=int, metavar="N", help="with --write: this step")
    does = verb.add_mutually_exclusive_group()
    does.add_argument("--write", action="store_true", help="write the step into the stack's file; `pulumi up` does it")
    tried = "run the steps, one `up` each, with the real engine on simulated clouds"
    does.add_argument("--rehearse", action="store_true", help=tried)


def of_conform(verb: ArgumentParser) -> None:
    """Where the cluster is, and what is kept of it."""
    of_kubeconfig(verb)
    verb.add_argument("--offline", type=Path, metavar="FILE", help="in its place: a snapshot, as --save writes it")
    saved = "write a snapshot, without names, addresses or ids of yours"
    verb.add_argument("--save", type=Path, metavar="FILE", help=saved)
    alone = "only read the API: no short-lived pod looks at one node of each pool"
    verb.add_argument("--no-pod", action="store_true", help=alone)


def of_snapshots(verb: ArgumentParser) -> None:
    """What the catalogue gains from a snapshot."""
    told = "a snapshot, as `conform --save` writes it: the row of its machine, or what differs from the row there is"
    verb.add_argument("--from", dest="snapshot", type=Path, metavar="FILE", help=told)


def of_any_cluster(verb: ArgumentParser) -> None:
    """A job that names no cloud."""
    anywhere = "any: a job that names no cloud, for every cluster with injection"
    verb.add_argument("--for", dest="target", choices=("any",), help=anywhere)
    gpus = "with --for any: GPUs of each node; default 8"
    verb.add_argument("--gpus-per-node", type=whole_number, metavar="N", help=gpus)
    check = "with --for any: print whether each of these stacks could run it, in place of the job"
    verb.add_argument("--check", nargs="+", default=[], metavar="STACK", help=check)


def whole_number(text: str) -> int:
    """A whole number in ASCII digits, as an option writes it."""
    if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) < 10):
        raise ArgumentTypeError(f"must be a whole number, got {text!r}")
    return int(text)
