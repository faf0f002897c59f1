"""``rdma-cluster inject``: a pod as the policies would make it, from the same source; or the policies themselves."""

import sys
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path
from typing import Any

from pulumi_offline.errors import ErrorList, refusal
from pulumi_offline.strict_yaml import bytes_of, decode, read_manifest
from pulumi_offline.visible import visible
from ..base.args import parse_and_plan
from ..catalog import find, unknown
from ..catalog.machine import INSTANCE_TYPE
from ..claims import Target
from ..fabrics import FABRICS, Claims, GpuAllocation, fabrics_of, nearest
from ..incluster.addons.injection.args import FabricInjectionArgs, InjectionEngine
from ..incluster.addons.injection.plan import InjectionPlan, injected_pools, plan_injection
from ..incluster.plan.claim_templates import check_namespace
from ..incluster.plan.pool import InClusterPool
from ..injection import Pod, check_pod, inject, marked_only, pods_in
from ..injection.pattern import IMAGE_ANNOTATION, SOURCE_ANNOTATION
from .options import Verb, json_option, option
from .output import as_json, as_yaml, styled
from .stack_file import in_cluster_of


class Inject(Verb):
    """Print the diff, the pods or the policies. Returns 1 when a pod is refused. Raises ``Refused`` for wrong input."""

    file: Path | None = option("FILE", "a Pod, or anything with pods in it, as YAML", nargs="?")
    machine: str | None = option("--machine MACHINE", "the machine of pods that name none")
    stack: str | None = option("--stack STACK", "a stack of this project, with its pools, claims and namespaces")
    fabric: str | None = option(
        "--fabric", "without a stack: how pods get the NICs; by default as is usual on the machine"
    )
    gpu_allocation: str | None = option("--gpu-allocation BY", "without a stack: dra or device-plugin")
    policy: str | None = option(
        "--policy ENGINE", "native or kyverno: print the policies and what they need, ready for kubectl; no FILE then"
    )
    namespace: str = option("--namespace", "without a stack: the pods' namespace", default="default")
    nemo: bool = option("--nemo", "without a stack: pods with the annotation of NeMo Platform ask for the fabric, too")
    every_pod: bool = option("--every-pod", "pods ask for the fabric by asking for GPUs, as with injection.everyPod")
    yaml: bool = option("--yaml", "print the whole of it in place of the diff")
    json: bool = json_option()

    def run(self) -> int:
        engine = _checked(self)
        needs: list[dict[str, Any]] = []
        if self.stack is not None:
            plan = _of_stack(self.stack, self.machine, engine, self.every_pod)
        else:
            plan, needs = _of_machine(self, engine)
        if self.file is not None:
            return _show(self.file, plan, self.yaml, self.json)
        for warning in plan.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        print(as_yaml([*needs, *plan.policies]), end="")
        return 0


def _checked(options: Inject) -> InjectionEngine:
    """The engine that injects. Raises ``Refused`` for options that mean nothing, or do not go together."""
    file, machine, stack, policy = options.file, options.machine, options.stack, options.policy
    errors = ErrorList()
    if (file is None) == (policy is None):
        errors.add("name either a FILE with pods, or --policy native or kyverno")
    if machine is None and stack is None:
        errors.add("name the pods' --machine, or a --stack")
    if machine is not None and stack is None and find(machine) is None:
        errors.add(unknown(machine))
    if stack is not None and (options.fabric or options.gpu_allocation or options.nemo):
        errors.add("--fabric, --gpu-allocation and --nemo go with a machine alone; the stack says them itself")
    for name, value, known in (
        ("--policy", policy, [each.value for each in InjectionEngine]),
        ("--gpu-allocation", options.gpu_allocation, [each.value for each in GpuAllocation]),
        ("--fabric", options.fabric, _fabrics(options.fabric or "", machine)),
    ):
        if value is not None and value not in known:
            errors.at(name).add(f"got {value!r}; choose one of {', '.join(filter(None, known))}")
    if stack is None:
        check_namespace(options.namespace, [], errors.at("--namespace"))
    errors.refuse()
    # Both engines inject alike; Kyverno's runs on any version of Kubernetes.
    return InjectionEngine(policy or InjectionEngine.KYVERNO.value)


def _fabrics(fabric: str, machine: str | None) -> list[str]:
    """The fabrics that the machine has; of one that is not known, or has none, those that are most like the name."""
    if (row := find(machine or "")) is not None:
        return [each.name for each in fabrics_of(row)]
    return [fabric] if fabric in FABRICS else nearest(fabric)


def _of_machine(options: Inject, engine: InjectionEngine) -> tuple[InjectionPlan, list[dict[str, Any]]]:
    """Injection into a cluster with one machine of which nothing else is known, and the objects that it needs there."""
    machine = options.machine or ""
    row, pool = find(machine), InClusterPool(name=machine, machine=machine)
    if options.fabric:
        pool["fabric"] = options.fabric
    if options.gpu_allocation:
        pool["gpu_allocation"] = GpuAllocation(options.gpu_allocation)
    args = FabricInjectionArgs(
        pools=[pool],
        pool_label=next(iter(row.node_labels)) if row else INSTANCE_TYPE,
        taint={"key": "nvidia.com/gpu", "value": "present"},
        claims={"namespaces": [options.namespace]},
        engine=engine,
        nemo=options.nemo,
        every_pod=options.every_pod,
        version="1.36" if engine == InjectionEngine.NATIVE else "1.35",
    )
    checked_args, plan = parse_and_plan(FabricInjectionArgs, plan_injection, args)
    return plan, _needs(checked_args, plan, options.namespace)


def _needs(args: FabricInjectionArgs, plan: InjectionPlan, namespace: str) -> list[dict[str, Any]]:
    """Claim templates with their class, and files, that the injected pods name."""
    injected = injected_pools(args, ErrorList())
    pool, claims = injected.pools[0], injected.claims
    names = {each["resourceClaimTemplateName"] for pattern in plan.patterns for each in pattern["resourceClaims"]}
    objects = []
    if claims is not None:
        templates = claims.templates(pool.machine.name, pool.allocation)
        nic_attachment = pool.fabric.nic_attachment
        own_class = Target(nic_attachment).own_class if isinstance(nic_attachment, Claims) else None
        objects += [own_class] if own_class else []
        objects += [each.manifest(namespace) for each in templates if each.name in names]
    files = injected.workloads[pool.name].adds.files
    return [*objects, *(file.manifest(namespace) for file in files)]


def _of_stack(stack: str, machine: str | None, engine: InjectionEngine, every_pod: bool) -> InjectionPlan:
    """Injection into a stack's pools, as if it were on there."""
    in_cluster_of(stack, [], "pods")  # refused here where there is none: the overrides are no keys of such a stack
    of_native = [] if engine == InjectionEngine.NATIVE else ["injection.beta=null"]
    of_every = ["injection.everyPod=true"] if every_pod else []
    overrides = ["injection.enabled=true", f"injection.engine={engine.value}", *of_native, *of_every]
    injection = in_cluster_of(stack, overrides, "pods").addons.injection
    assert injection is not None  # the overrides put it there
    plan = injection.plan
    if machine is None:
        return plan
    if not (chosen := marked_only(plan.patterns, machine)):
        raise refusal(f"no pool of {stack} has {machine!r}", "--machine")
    return replace(plan, patterns=chosen)


def _show(file: Path, plan: InjectionPlan, yaml: bool, json: bool) -> int:
    """Print the pods of a manifest as the policies leave them. Raises ``Refused`` where the API would take no pod."""
    text = decode(bytes_of(file), str(file), "manifest")
    documents = [each for each in read_manifest(text, str(file)) if each is not None]
    pods = list(pods_in(documents))
    errors = ErrorList()
    for number, pod in enumerate(pods):
        check_pod(pod, errors.at("pods", number))
    errors.refuse()
    before = as_yaml(documents)
    results = [_replace(pod, plan) for pod in pods]
    refused = int(any(result["refusals"] for result in results))
    if json:
        print(as_json({"pods": results, "documents": documents}))
        return refused
    for result in results:
        for reason in result["refusals"]:
            print(visible(f"{result['name']}: refused: {reason}"), file=sys.stderr)
        if script := result["source"]:
            source = visible(f"{result['name']}: its program has to source {script} before NCCL starts")
            print(source, file=sys.stderr)
        if needs := result["image_needs"]:
            print(visible(f"{result['name']}: its image has to bring {needs}"), file=sys.stderr)
    if not refused and not any(result["changed"] for result in results):
        switches = " or ".join(f'{name}: "true"' for name in plan.scope.switches)
        wanted = "" if plan.scope.every_pod else f" and has the annotation {switches}"
        print(f"nothing changes: no pod asks for GPUs{wanted}", file=sys.stderr)
    after = as_yaml(documents)
    print(after if yaml else _diff(str(file), before, after), end="")
    return refused


def _replace(pod: Pod, plan: InjectionPlan) -> dict[str, Any]:
    """Put the injected pod in the place of ``pod``, and return what the verb reports of it."""
    name = (pod.get("metadata") or {}).get("name") or pod["spec"]["containers"][0].get("name", "pod")
    injected = inject(pod, plan.patterns, plan.scope)
    said = (injected.pod.get("metadata") or {}).get("annotations") or {}
    changed = injected.pod != pod
    pod.clear()
    pod.update(injected.pod)
    return {
        "name": name,
        "changed": changed,
        "refusals": list(injected.refusals),
        "source": said.get(SOURCE_ANNOTATION, ""),
        "image_needs": said.get(IMAGE_ANNOTATION, ""),
    }


_COLOURS = {"+": "green", "-": "red"}


def _diff(name: str, before: str, after: str) -> str:
    lines = unified_diff(before.splitlines(), after.splitlines(), name, f"{name}, injected", lineterm="", n=2)
    return "".join(f"{styled(line, _COLOURS[line[0]]) if line[0] in _COLOURS else line}\n" for line in lines)
