"""The table of docs/portable-jobs.md: what each published manifest is given on each stack, or why it is refused."""

from collections.abc import Iterator
from typing import Any

from rdma_cluster.injection import Injected
from rdma_cluster.injection.device_requests import GPU
from .manifests import STACKS, Manifest, Pod, injected, manifests, plan_on


def rows() -> Iterator[str]:
    """The table in Markdown, and behind it each refusal once, in full."""
    sentences: dict[str, int] = {}
    yield f"| manifest | kind | GPUs of each pod | {' | '.join(STACKS)} |"
    yield f"|---|---|---|{'---|' * len(STACKS)}"
    for manifest in manifests():
        asking = [pod for pod in manifest.pods if gpus_of(pod)]
        numbers = ", ".join(dict.fromkeys(gpus_of(pod) for pod in asking))
        cells = [_cell(manifest, asking, stack, sentences) for stack in STACKS]
        yield f"| {_link(manifest)} | {manifest.kind} | {numbers} | {' | '.join(cells)} |"
    yield ""
    yield from (f"{number}. {sentence}." for sentence, number in sentences.items())
    yield ""


def gpus_of(pod: Pod) -> str:
    """How many the pod's containers ask for; empty where none does."""
    limits = [each.get("resources", {}).get("limits", {}) for each in pod["spec"]["containers"]]
    return ", ".join(str(each[GPU]) for each in limits if GPU in each)


def _link(manifest: Manifest) -> str:
    source = manifest.source
    return f"[{manifest.name}](https://github.com/{source['repository']}/blob/{source['commit']}/{source['path']})"


def _cell(manifest: Manifest, asking: list[Pod], stack: str, sentences: dict[str, int]) -> str:
    plan = plan_on(stack)
    (pattern,) = plan.patterns
    made = [(injected(pod, plan), pod) for pod in asking]
    return "; ".join(dict.fromkeys(_of_pod(done, pod, pattern, sentences) for done, pod in made))


def _of_pod(done: Injected, asked: Pod, pattern: dict[str, Any], sentences: dict[str, int]) -> str:
    if done.refusals:
        names = [each["name"] for each in asked["spec"]["containers"]]
        reasons = [_without(reason, names) for reason in done.refusals if "rdma-cluster/inject" not in reason]
        return "refused: " + ", ".join(str(sentences.setdefault(each, len(sentences) + 1)) for each in reasons)
    (ours,) = [each for each in done.pod["spec"]["containers"] if _uses(each, pattern)]
    (theirs,) = [each for each in asked["spec"]["containers"] if each["name"] == ours["name"]]
    claims = [each["resourceClaimTemplateName"] for each in done.pod["spec"].get("resourceClaims", [])]
    limits = ours["resources"].get("limits", {})
    more = [f"{name}: {of}" for name, of in limits.items() if name not in theirs["resources"]["limits"]]
    context, own = ours.get("securityContext", {}), theirs.get("securityContext", {})
    added = set(context.get("capabilities", {}).get("add", [])) - set(own.get("capabilities", {}).get("add", []))
    given = [
        *(f"claim {name}" for name in claims),
        *more,
        *(["host network"] if done.pod["spec"].get("hostNetwork") and not asked["spec"].get("hostNetwork") else []),
        _count(len(ours.get("env", [])) - len(theirs.get("env", [])), "variable"),
        _count(len(ours.get("volumeMounts", [])) - len(theirs.get("volumeMounts", [])), "mount"),
        *sorted(added),
        *(["privileged"] if context.get("privileged") and not own.get("privileged") else []),
    ]
    return ", ".join(each for each in given if each)


def _uses(container: dict[str, Any], pattern: dict[str, Any]) -> bool:
    resources = container.get("resources", {})
    claims = {each["name"] for each in pattern["resourceClaims"]}
    return GPU in resources.get("limits", {}) or any(each["name"] in claims for each in resources.get("claims", []))


def _without(reason: str, names: list[str]) -> str:
    """The reason without the container's own name."""
    for name in names:
        reason = reason.replace(f"container {name} ", "a container ")
    return reason


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}" if number else ""
