"""``rdma-cluster job``: a job as a manifest, one pod on each node, with claims, pod patch, queue and topology.

``--for any`` prints one that names no cloud: injection brings the fabric, wherever it runs. ``--kind nccl-test`` runs
nccl-tests in a program's place.
"""

import argparse
import re
import sys
from dataclasses import fields

from pulumi_offline.errors import ErrorList, refusal
from ..base.kubernetes_names import is_domain
from ..catalog import find, machines, unknown
from ..claims import Unsatisfiable
from ..incluster.plan.claim_templates import check_namespace
from ..incluster.plan.images import check_image
from ..incluster.plan.job import Node, Training, any_node, objects
from ..incluster.plan.nccl_test_job import SHOWN, program
from ..incluster.plan.workload import Workload
from ..injection import image_needs, unfit_images
from ..injection.pattern import PLUGIN_VARIABLE, unfit_rows
from ..injection.refusals import why_unfit
from ..supply.artifacts import image_of
from .job_check import show_answers
from .job_place import NCCL_TEST, on_machine, on_pool
from .options import Verb, json_option, option, overrides_option
from .output import as_json, as_yaml
from .stack_file import stacks_here

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")
"""A Service is called by it, too. Kinds put numbers and words behind it, and a pod's host name has 63 characters."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=[^\0]*", re.DOTALL)
_LONGEST_QUEUE = 63  # a LocalQueue's name stands in a label of a job
_MOST_NODES = 100_000
"""Pods of an indexed Job (kubernetes@v1.34.4 pkg/apis/batch/validation/validation.go, maxParallelismForIndexedJob)."""
_USUAL_GPUS = 8
"""Of a node."""
_OPERATORS = {
    "jobset": "JobSet, which a stack with queues installs",
    "mpijob": "Kubeflow's MPI operator 0.8, which you bring: a stack's own looks after the proof alone",
    "trainjob": "Kubeflow Trainer 2.3, which you bring",
}


class Job(Verb):
    """Print the manifest. Returns 1 where no node can satisfy its claims, or a stack of ``check`` could not run it.

    Raises ``Refused`` for wrong input.
    """

    place: str | None = option(
        "STACK", "a stack of this project, or a machine type of any cloud; none with --for any", nargs="?"
    )
    pool: str | None = option("POOL", "a pool of the stack; by default the only one", nargs="?")
    nodes: int = option("--nodes N", "how many nodes; each runs one pod", required=True)
    target: str | None = option(
        "--for", "any: a job that names no cloud, for every cluster with injection", choices=("any",)
    )
    gpus_per_node: int | None = option(
        "--gpus-per-node N", "GPUs of each node, with their NICs; by default all, with --for any 8"
    )
    rails: str | None = option(
        "--rails WINDOW", "the rails of each pod, as claim templates name them: rail-3, rails-0-1"
    )
    check: list[str] = option(
        "--check STACK",
        "with --for any: print whether each of these stacks could run it, in place of the job",
        nargs="+",
    )
    stack: str | None = option("--stack STACK", "the same as STACK; what stands before it is then the pool")
    overrides: list[str] = overrides_option()
    queue: str | None = option("--queue QUEUE", "the queue to wait in; by default the pool's, where it has one")
    kind: str = option(
        "--kind", "default job", default="job", choices=("job", "jobset", "mpijob", "trainjob", NCCL_TEST)
    )
    name: str = option("--name", "the job's name; default train", default="train")
    namespace: str | None = option("--namespace", "by default the stack's first, or default")
    image: str | None = option("--image IMAGE", "image of the pods; by default the one of the fabric with nccl-tests")
    env: list[str] = option("--env NAME=VALUE", "a variable of the program, above the fabric's own; may be given again")
    program: list[str] = option(
        "--run WORD",
        "the program of each pod, the last option of all; by default nvidia-smi -L, of an nccl-test all_gather_perf",
        nargs=argparse.REMAINDER,
    )
    json: bool = json_option()

    def run(self) -> int:
        kind, check = self.kind, self.check
        errors = ErrorList()
        stack, place = _place(self, errors)
        _check_target(self, stack or place, errors)
        if self.overrides and stack is None and not check:
            errors.at("--set").add("lays values over a stack's configuration; name the stack")
        _check_values(self, errors)
        errors.refuse()
        try:
            if self.target is not None:
                needs, training = [], self.training(any_node(self.gpus_per_node or _USUAL_GPUS))
            elif stack is None:
                needs, training = on_machine(place, self)
            else:
                needs, training = [], on_pool(stack, place, self)
        except Unsatisfiable as impossible:
            print(impossible.explain())
            return 1
        _check_program(self.program, _options(type(self)))
        manifests = [*needs, *objects(kind, training)]
        if check:
            return show_answers(check, self.overrides, training, manifests, self.json)
        if (made := training.kind(kind)) in _OPERATORS:
            print(f"needs {_OPERATORS[made]}", file=sys.stderr)
        print(as_json(manifests) + "\n" if self.json else as_yaml(manifests), end="")
        return 0

    @property
    def takes_part(self) -> bool:
        """Whether the options speak of a part of each node."""
        return self.gpus_per_node is not None or self.rails is not None

    def training(self, node: Node, workload: Workload | None = None) -> Training:
        """The job on such a node, of a pool or machine with such a workload, as far as the options say it."""
        image = workload.pod_patch()["imageHint"] if workload is not None else ""
        if workload is not None and self.image is not None:
            _check_contents(self, workload)
        test = None
        if self.kind == NCCL_TEST and workload is not None and workload.machine is not None:
            test = workload.fabric.acceptance.test_on(workload.machine.architecture)
        return Training(
            name=self.name,
            nodes=self.nodes,
            program=program(self.program, test) if test else tuple(self.program) or ("nvidia-smi", "-L"),
            env=(*(SHOWN if test else ()), *self.env),
            test=test,
            namespace=self.namespace or "default",
            node=node,
            claims=(),
            image=self.image or image,
            queue=self.queue or "",
        )


def _place(options: Job, errors: ErrorList) -> tuple[str | None, str]:
    """The stack, if one is named, and its pool or else the machine; both may be empty."""
    words = [each for each in (options.place, options.pool) if each]
    if options.stack is not None:
        if len(words) > 1:
            errors.add(f"got {' and '.join(words)} beside --stack {options.stack}; name one pool")
        return options.stack, words[0] if words else ""
    if not words or (len(words) == 1 and find(words[0]) is not None):
        return None, "".join(words)
    known = stacks_here()
    if words[0] in known or len(words) == 2:
        return words[0], words[1] if len(words) > 1 else ""
    choice = f"this project's are {', '.join(known)}" if known else "here is no project with stacks"
    errors.add(f"no stack {words[0]!r}: {choice}; and no machine: {unknown(words[0])}")
    return None, words[0]


def _check_target(options: Job, place: str, errors: ErrorList) -> None:
    """Refuse a job for nothing, or for two things, and options of the one beside the other."""
    gpus_per_node = options.gpus_per_node
    if options.target is None:
        if not place:
            errors.add("name a stack, a machine, or --for any")
        if options.check:
            errors.at("--check").add("goes with --for any; a machine or stack says it itself")
        return
    if options.kind == NCCL_TEST:
        errors.at("--kind").add(f"{NCCL_TEST} is of a fabric's own image; name a stack or a machine")
    if options.rails is not None:
        errors.at("--rails").add("no cluster's claims are known; name a stack or a machine")
    if place:
        errors.at("--for").add(f"any is every cluster; leave out {place}, or ask with --check STACK")
    if options.image is None:
        errors.at("--image").add("missing; no image holds every fabric's libraries, so name your own")
    most = max(machine.gpus for machine in machines())
    if gpus_per_node is not None and not 1 <= gpus_per_node <= most:
        errors.at("--gpus-per-node").add(f"got {gpus_per_node}; must be 1 to {most}, the most of any machine")


def _check_contents(options: Job, workload: Workload) -> None:
    """Refuse an image that is known to lack what the fabric needs, as injection does; of others say what they need."""
    machine, image = workload.machine, options.image or ""
    if machine is None or any(each.startswith(f"{PLUGIN_VARIABLE}=") for each in options.env):
        return
    if says := why_unfit(image, unfit_rows(unfit_images(workload.fabric))):
        raise refusal(f"got {image}, {says}", "--image")
    if (needs := image_needs(machine, workload.fabric)) and image_of(image) is None:
        print(f"note: the image has to bring {needs}; what {image} holds is not known", file=sys.stderr)


def _check_program(words: list[str], options: set[str]) -> None:
    """Warn of options of this verb behind ``--run``, which takes the rest of the line for the program."""
    if ours := sorted({word.partition("=")[0] for word in words} & options):
        print(f"note: {', '.join(ours)} behind --run went to the program; write it before --run", file=sys.stderr)


def _options(verb: type[Verb]) -> set[str]:
    words = (each.metadata["option"][0].partition(" ")[0] for each in fields(verb))  # ty: ignore[invalid-argument-type]
    return {word for word in words if word.startswith("--")}


def _check_values(options: Job, errors: ErrorList) -> None:
    """Refuse what Kubernetes takes on no cluster."""
    if not 1 <= options.nodes <= _MOST_NODES:
        errors.at("--nodes").add(f"got {options.nodes}; must be 1 to {_MOST_NODES}, the most pods of a Job")
    if not _NAME.fullmatch(options.name):
        errors.at("--name").add(
            f"got {options.name!r}; a job's name is 1 to 40 lower-case letters, digits and hyphens, a letter first and "
            "no hyphen last"
        )
    if (queue := options.queue) is not None and (not is_domain(queue) or len(queue) > _LONGEST_QUEUE):
        errors.at("--queue").add(
            f"got {queue!r}; a queue's name is 1 to {_LONGEST_QUEUE} lower-case letters, digits, hyphens and dots, "
            "with a letter or digit first, last and on both sides of a dot"
        )
    for each in options.env:
        if not _VARIABLE.fullmatch(each):
            errors.at("--env").add(f"got {each!r}; a variable is NAME=VALUE, e.g. NCCL_ALGO=Ring")
    if options.namespace is not None:
        check_namespace(options.namespace, [], errors.at("--namespace"))
    if options.image is not None:
        check_image(options.image, errors.at("--image"))
