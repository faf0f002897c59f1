"""The command's verbs, read by the standard library's parser with our exit codes and our words.

Each verb imports what it needs when it runs, so that none waits for another's imports.
"""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from ..common import CLOUDS
from ..errors import Refused
from ..lazy import MissingLibrary
from ..nccl.visible import visible
from . import options
from .completion import show_next
from .options import whole_number
from .output import all_visible
from .version import ShowVersion


class Usage(Exception):
    """The command line is wrong, or asks only for help; the message is printed already."""

    def __init__(self, code: int):
        self.code = code


class Parser(argparse.ArgumentParser):
    """Takes no shortened options, and ends with ``Usage`` in place of the process."""

    def __init__(self, **options: Any):
        super().__init__(allow_abbrev=False, **options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        for word in args or ():
            # Before Python 3.13 the standard library takes `--flag=--` for a flag with an empty list of values.
            if re.fullmatch("--[a-z-]+=--", word):
                self.error(f"argument {word[:-3]}: got '--'; expected a value")
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {visible(message)}; see {self.prog} -h", file=sys.stderr)
        raise Usage(2)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Usage(status)


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code; what is wrong with the input goes to stderr, never as a traceback."""
    with all_visible():
        return _run(arguments)


def _run(arguments: Sequence[str]) -> int:
    try:
        if os.environ.get("RDMA_CLUSTER_COMPLETE"):  # a completion script runs the command
            return show_next(parser(), list(arguments))
        options = parser().parse_args(list(arguments))
        parameters = {key: value for key, value in vars(options).items() if key != "handler"}
        module, _, function = options.handler.partition(":")
        code: int = getattr(import_module(f".{module}", __package__), function)(**parameters)
        sys.stdout.flush()
        return code
    except Usage as usage:
        return usage.code
    except (Refused, MissingLibrary) as wrong:
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
def parser() -> Parser:  # a list of verbs, longer than 60 lines
    """All verbs and their options; built once, also for a program that runs the command many times."""
    root = Parser(
        prog="rdma-cluster",
        description="Plan, preview and prove Kubernetes clusters whose GPUs talk over RDMA.",
        epilog="Exit codes: 0 fine, 1 the answer is no, 2 the input is wrong.",
    )
    root.add_argument(
        "--version", action=ShowVersion, nargs=0, default=argparse.SUPPRESS, help="show the release and its commit"
    )
    verbs = root.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def verb(name: str, handler: str, help: str, within: Any = verbs) -> Parser:
        added = within.add_parser(name, help=help, description=help)
        added.set_defaults(handler=handler)
        return added

    plan = verb("plan", "plan:show_plan", "say what a stack would be: pools, rails, addresses, claims, versions")
    _stack(plan)
    options.of_plan(plan)
    drift = verb("drift", "drift:show_drift", "what a living stack's state has otherwise than its configuration says")
    _stack(drift)
    state = "the state, as `pulumi stack export` writes it"
    drift.add_argument("--state", type=Path, required=True, metavar="FILE", help=state)
    held = "hold a living cluster, or a snapshot of one, against its stack's plan"
    conform = verb("conform", "conform:conform", held)
    _stack(conform)
    options.of_conform(conform)
    _stack(verb("preview", "preview:show_preview", "show the plan and every resource that `pulumi up` would make"))
    proofs = verb("proofs", "proofs:show_proofs", "what each node of a living cluster has shown of its fabric")
    options.of_kubeconfig(proofs)
    _json(proofs)
    simulated = "run the real engine on simulated clouds: up, changes, faults, destroy"
    _rehearse(verb("rehearse", "rehearse:rehearse", simulated))
    fetched = "list every chart and image that a stack fetches: what a private registry must hold"
    artifacts = verb("artifacts", "artifacts:show_artifacts", fetched)
    _stack(artifacts)
    options.of_artifacts(artifacts)
    locked = "ask registries for the digest of all that a stack fetches, and use these digests from then on"
    lock = verb("lock", "lock:lock_stack", locked)
    _stack(lock)
    lock.add_argument("--check", action="store_true", help="say what has moved since, and write nothing")
    steps = "the steps that bring a stack to another version inside its capacity, as edits of its file"
    upgrade = verb("upgrade", "upgrade:upgrade_stack", steps)
    _stack(upgrade)
    options.of_upgrade(upgrade)
    _json(verb("stacks", "stack_file:show_stacks", "list the project's stacks"))

    machines = verb("machines", "machines:show_machines", "show the machine catalogue, with its sources")
    machines.add_argument("name", nargs="?", metavar="MACHINE", help="one machine type, in full, or a GPU's name")
    machines.add_argument("--gpu", metavar="NAME", help="only machines with this GPU, e.g. B200")
    _cloud(machines, "only machines of this cloud")
    machines.add_argument("--unverified", action="store_true", help="only what is unknown or not certain")
    options.of_snapshots(machines)
    _json(machines)
    _claims(verb("claims", "claims:show_claims", "claim templates for a machine, and the proof that they fit"))
    _verdict(verb("verdict", "verdict:show_verdict", "judge logs of nccl-tests against the machine's fabric"))
    _inject(verb("inject", "inject:show_injected", "what injection makes of a pod that only asks for GPUs, as a diff"))
    _job(verb("job", "job:show_job", "a training job of whole nodes as a manifest: claims, pod patch, queue, topology"))

    graph = verbs.add_parser("graph", help="compare what two previews would build")
    graphs = graph.add_subparsers(title="commands", metavar="COMMAND", required=True)
    diff = verb("diff", "graph:show_diff", "what changes between two graphs made with `preview --json`", graphs)
    diff.add_argument("a", type=Path, metavar="A")
    diff.add_argument("b", type=Path, metavar="B")
    _json(diff)

    init = verb("init", "init:start_project", "write a project into an empty folder: stack file, program, requirements")
    init.add_argument("cloud", choices=CLOUDS, metavar="CLOUD", help=" or ".join(CLOUDS))
    init.add_argument("--folder", type=Path, default=Path(), help="where to write; by default here")
    schema = verb("schema", "schema:show_schema", "print the JSON Schema of a cloud's stack files, for editors")
    schema.add_argument("cloud", choices=CLOUDS, metavar="CLOUD", help=" or ".join(CLOUDS))
    explain = verb("explain", "explain:explain_key", "show what a key of the configuration means")
    explain.add_argument("key", metavar="KEY", help="e.g. pools.capacity.reservation, or maxNodes")
    _cloud(explain, "only what the key means on this cloud")
    completion = verb("completion", "completion:show_script", "print a completion script, to be sourced by a shell")
    completion.add_argument("shell", choices=("bash", "zsh", "fish"))
    return root


def duration(text: str) -> float:
    """Seconds of ``90s``, ``10m`` or ``2h``."""
    match = re.fullmatch(r"([1-9]\d{0,5})([smh])", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"got {text!r}; expected a time as 90s, 10m or 2h")
    return int(match[1]) * {"s": 1.0, "m": 60.0, "h": 3600.0}[match[2]]


def _cloud(verb: Parser, help: str) -> None:
    verb.add_argument("--cloud", choices=CLOUDS, metavar="CLOUD", help=f"{help}: {', '.join(CLOUDS)}")


def _json(verb: Parser) -> None:
    verb.add_argument("--json", action="store_true", help="print JSON alone")


def _again(verb: Parser, option: str, dest: str, help: str, **further: Any) -> None:
    """An option that may be given again."""
    verb.add_argument(option, dest=dest, action="append", default=[], help=f"{help}; may be given again", **further)


def _set(verb: Parser) -> None:
    laid_over = "lay a value over the configuration, e.g. pools[0].nodes=4"
    _again(verb, "--set", "overrides", laid_over, metavar="PATH=VALUE")


def _stack(verb: Parser) -> None:
    verb.add_argument("stack", metavar="STACK", help="a stack of this project (`rdma-cluster stacks`)")
    verb.add_argument(
        "--config", dest="file", type=Path, metavar="FILE", help="a file in place of the stack's, - for standard input"
    )
    _set(verb)
    _json(verb)


def _claims(verb: Parser) -> None:
    verb.add_argument("machine", metavar="MACHINE", help="a machine type of any cloud")
    verb.add_argument("--pairs", type=whole_number, metavar="K", help="K GPUs, each with a NIC on its own PCIe root")
    verb.add_argument("--groups", metavar="GxN", help="G GPUs and N NICs on one root")
    verb.add_argument("--gpus", type=whole_number, metavar="K", help="K GPUs and no NIC")
    verb.add_argument("--numa", action="store_true", help="the GPUs and NICs of one NUMA node")
    verb.add_argument("--whole", action="store_true", help="all GPUs and NICs")
    verb.add_argument("--nics", action="store_true", help="all NICs, no GPU")
    verb.add_argument("--kubernetes", default="1.35", metavar="VERSION", help="Kubernetes version; default 1.35")
    verb.add_argument("--driver", help="DRA driver of the NICs; by default the usual one of the machine's fabric")
    verb.add_argument("--gpu-allocation", default="dra", metavar="BY", help="dra or device-plugin: who hands out GPUs")
    verb.add_argument("--namespace", default="default", help="namespace of the templates")
    verb.add_argument("--yaml", action="store_true", help="print the templates, ready for kubectl")
    _json(verb)


def _inject(verb: Parser) -> None:
    verb.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a Pod, or anything with pods in it, as YAML")
    verb.add_argument("--machine", metavar="MACHINE", help="the machine of pods that name none")
    verb.add_argument("--stack", metavar="STACK", help="a stack of this project, with its pools, claims and namespaces")
    verb.add_argument("--fabric", help="without a stack: how pods get the NICs; by default as is usual on the machine")
    verb.add_argument("--gpu-allocation", metavar="BY", help="without a stack: dra or device-plugin")
    policies = "native or kyverno: print the policies and what they need, ready for kubectl; no FILE then"
    verb.add_argument("--policy", metavar="ENGINE", help=policies)
    verb.add_argument("--namespace", default="default", help="without a stack: the pods' namespace")
    nemo = "without a stack: pods with the annotation of NeMo Platform ask for the fabric, too"
    verb.add_argument("--nemo", action="store_true", help=nemo)
    every_pod = "pods ask for the fabric by asking for GPUs, as with injection.everyPod"
    verb.add_argument("--every-pod", action="store_true", help=every_pod)
    verb.add_argument("--yaml", action="store_true", help="print the whole of it in place of the diff")
    _json(verb)


def _rehearse(verb: Parser) -> None:
    _stack(verb)
    parts = ("up", "changes", "faults", "own")
    only = "only this part: up, changes, faults; own: what is of the provider of --real-provider alone"
    _again(verb, "--part", "parts", only, choices=parts)
    one = "in place of the parts: one fault, e.g. capacity:NodePool#2"
    _again(verb, "--fault", "faults", one, metavar="KIND:WHAT[#N]")
    verb.add_argument(
        "--scale",
        type=whole_number,
        default=1000,
        metavar="N",
        help="how much faster than in a cloud time passes; 1000",
    )
    verb.add_argument(
        "--parallel", type=whole_number, metavar="N", help="operations side by side; the engine's own default"
    )
    real = "a real API server takes the objects of Kubernetes: one of our own, or an empty cluster's"
    verb.add_argument("--control-plane", nargs="?", const="", metavar="KUBECONFIG", help=real)
    own = "this provider's own plugin in place of a simulation: kubernetes, on a control plane, or gcp, on a judge"
    _again(verb, "--real-provider", "real_providers", own, metavar="NAME")


def _job(verb: Parser) -> None:
    where = "a machine type of any cloud, or with --stack one of its pools; none with --for any"
    verb.add_argument("pool", nargs="?", metavar="MACHINE", help=where)
    verb.add_argument(
        "--nodes", type=whole_number, required=True, metavar="N", help="how many nodes; each runs one pod"
    )
    options.of_any_cluster(verb)
    verb.add_argument("--stack", metavar="STACK", help="a stack of this project, with its pools, claims and queues")
    _set(verb)
    verb.add_argument("--queue", metavar="QUEUE", help="the queue to wait in; by default the pool's, where it has one")
    verb.add_argument("--kind", default="job", choices=("job", "jobset", "mpijob", "trainjob"), help="default job")
    verb.add_argument("--name", default="train", help="the job's name; default train")
    verb.add_argument("--namespace", help="by default the stack's first, or default")
    image = "image of the pods; by default the one of the fabric with nccl-tests"
    verb.add_argument("--image", metavar="IMAGE", help=image)
    program = "the program of each pod, the last option of all; by default nvidia-smi -L"
    verb.add_argument("--run", dest="program", nargs=argparse.REMAINDER, default=[], metavar="WORD", help=program)
    _json(verb)


def _verdict(verb: Parser) -> None:
    logs = "output of nccl-tests, text or JSON, - for standard input; of a folder or archive each test by itself"
    verb.add_argument("logs", nargs="+", type=Path, metavar="LOG", help=logs)
    verb.add_argument("--machine", required=True, help="machine type of the nodes")
    verb.add_argument("--nodes", type=whole_number, required=True, metavar="N", help="nodes of one test")
    verb.add_argument(
        "--gpus-per-node", type=whole_number, metavar="N", help="GPUs each node took part with; all by default"
    )
    verb.add_argument("--collective", metavar="NAME", help="nccl-tests' name, e.g. all_gather")
    rack = "of a rack: its nodes talked over NVLink, not by their NICs"
    verb.add_argument("--nvlink", action="store_true", help=rack)
    own = "a threshold of your own, e.g. all_reduce:1G=300"
    _again(verb, "--threshold", "thresholds", own, metavar="COLLECTIVE:SIZE=GBPS")
    verb.add_argument("--waive", action="append", default=[], metavar="GATE", help="let this gate fail")
    last = "log of the last proof of these nodes: a run that is 10 %% below it gets a warning"
    verb.add_argument("--last", type=Path, metavar="LOG", help=last)
    verb.add_argument("--follow", action="store_true", help="read on while the log grows, until it ends or fails")
    silence = "with --follow: give up after so long without a line, e.g. 90s, 10m, 2h; default 10m"
    verb.add_argument("--silence", type=duration, metavar="TIME", help=silence)
    verb.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw bus bandwidth by size")
    _json(verb)
