"""``rdma-cluster upgrade``: the steps that bring a living stack to another version, to read and to write one by one.

It acts on nothing but the stack's file: each step is an edit of it, and a `pulumi up`. ``--rehearse`` runs these on
simulated clouds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import strict_yaml
from ..config import NAMESPACE, value
from ..errors import InputError, Refused
from ..nccl.visible import visible
from ..offline.project import Settings, stack_folder
from ..upgrades.record import Part
from ..upgrades.steps import Edit, StackNow, Step, plan_steps
from ..written import from_json, to_json
from .output import as_json, styled
from .overrides import lay_over
from .stack_edit import with_value
from .stack_file import cloud_of, read_stack
from .write_file import write_file

if TYPE_CHECKING:
    from ..rehearsal.changes import Configure

_WORDS = {"before": "before", "jobs": "jobs", "takes": "takes", "proof": "proves", "resume": "to stop"}


# More than six parameters: one for each option of the command.
def upgrade_stack(
    stack: str,
    file: Path | None,
    overrides: Sequence[str],
    to: str,
    part: str,
    pool: str | None,
    step: int | None,
    write: bool,
    rehearse: bool,
    json: bool,
) -> int:
    """Print the steps, rehearse them, or write one into the stack's file. Raises ``Refused`` for what cannot be."""
    root, settings = read_stack(stack, file, overrides)
    cloud = import_module(f"rdma_cluster.{cloud_of(settings)}.plan.upgrades").UPGRADES
    steps = plan_steps(cloud, Part(part), to, _now(settings), pool)
    written = [all(_has(settings, each) for each in one.edits) for one in steps]
    warnings = _planned(settings, steps)
    if write or step is not None:
        return _write(root, stack, file, steps, written, step if write else None)
    if rehearse:
        return _rehearse(root, lambda further: read_stack(stack, file, [*overrides, *further])[1], steps, json)
    if json:
        shown = [{**_shown(one), "written": done} for one, done in zip(steps, written, strict=True)]
        print(
            as_json({"stack": stack, "part": part, "to": to, "steps": shown, "then": cloud.then, "warnings": warnings})
        )
        return 0
    print(styled(f"{stack}: {part} to {visible(to)}, in {len(steps)} {'step' if len(steps) == 1 else 'steps'}", "bold"))
    for i, (one, done) in enumerate(zip(steps, written, strict=True), 1):
        print("\n".join(_lines(i, one, done)))
    if cloud.then and part == Part.KUBERNETES.value:
        print(f"\nthen       {cloud.then}")
    for warning in warnings:
        print(f"\nwarning    {visible(warning)}")
    print(
        f"\nWrite a step with `rdma-cluster upgrade {stack} --part {part} --to {visible(to)} --step N --write`, "
        "then run `pulumi up`."
    )
    return 0


def _rehearse(root: Path, configure: "Configure", steps: Sequence[Step], json: bool) -> int:
    """One `up` for each step, on simulated clouds. Raises ``Refused`` where there is no engine."""
    from ..rehearsal.engine import found
    from ..rehearsal.upgrade import Upgrade
    from .rehearse import told

    found()
    edits = [(step.what, [_override(each) for each in step.edits]) for step in steps]
    return told(Upgrade(root, configure, edits).rehearse, json)


def _lines(number: int, step: Step, written: bool) -> list[str]:
    """A step for a reader."""
    edits = [f"   write     {each}{'   (is there)' if written else ''}" for each in step.edits]
    said = [f"   {word:<10}{getattr(step, key)}" for key, word in _WORDS.items() if getattr(step, key)]
    return [f"\n{number}. {step.what}", *map(visible, (*edits, *said))]


def _shown(step: Step) -> dict[str, Any]:
    """A step as JSON data, its edits as --set takes them."""
    return {**asdict(step), "edits": [_override(each) for each in step.edits]}


def _now(settings: Settings) -> StackNow:
    """The stack as its plan has it; one of plain machines has no version."""
    plan = _plan(settings)
    cluster, args = getattr(plan, "cluster", None), plan.args if hasattr(plan, "args") else {}
    pools = tuple((each["name"], each["nodes"]) for each in args.get("pools", []))
    return StackNow(cluster.version if cluster else "", pools, "existing" in args.get("kubernetes", {}))


def _plan(settings: Settings) -> Any:
    from ..common.stack import plan_of

    return plan_of(cloud_of(settings), settings.config, settings.stack)


def _planned(settings: Settings, steps: Sequence[Step]) -> list[str]:
    """The warnings that the steps bring. Raises ``Refused`` where the stack's own plan takes one of them not."""
    before = set(_plan(settings).warnings)
    after: dict[str, None] = {}
    for step in steps:
        for edit in step.edits:
            settings = _edited(settings, edit)
        after |= dict.fromkeys(_plan(settings).warnings)
    return [each for each in after if each not in before]


def _edited(settings: Settings, edit: Edit) -> Settings:
    config: dict[str, Any] = {key: value(text) for key, text in settings.config.items()}
    lay_over(config, _override(edit))
    return settings.over(config)


def _override(edit: Edit) -> str:
    path, _, text = str(edit).partition(": ")
    return f"{path}='{text}'"


def _has(settings: Settings, edit: Edit) -> bool:
    return _edited(settings, edit).config == settings.config


# More than six parameters would be fewer with a class that only this function takes.
def _write(
    root: Path, stack: str, file: Path | None, steps: Sequence[Step], written: Sequence[bool], step: int | None
) -> int:
    """Write one step's edits, those before it being there."""
    if step is None:
        raise Refused([InputError(("--write",), "goes with --step N: one step is written at a time")])
    if not 1 <= step <= len(steps):
        raise Refused([InputError(("--step",), f"got {step}; the upgrade has steps 1 to {len(steps)}")])
    if not all(written[: step - 1]):
        first = written.index(False) + 1
        raise Refused(
            [InputError(("--step",), f"got {step}; step {first} comes before it: write it and run `pulumi up`")]
        )
    path = file or stack_folder(root) / f"Pulumi.{stack}.yaml"
    for edit in steps[step - 1].edits:
        _write_edit(path, edit)
        print(f"{path.name}: {edit}")
    before = steps[step - 1].before
    print(
        f"now: {before}; then `pulumi preview` and `pulumi up`" if before else "now: `pulumi preview` and `pulumi up`"
    )
    return 0


def _write_edit(path: Path, edit: Edit) -> None:
    """Put an edit into the file. Raises ``Refused`` where the file would then say anything else, too."""
    by_hand = Refused([InputError((str(path.name),), f"cannot be edited in its place; write {edit} there yourself")])
    if str(path) == "-":
        raise by_hand
    text = strict_yaml.decode(strict_yaml.bytes_of(path), path.name)
    config = from_json(to_json(strict_yaml.read(text, path.name)["config"]))  # no value shares another's place
    first, *rest = edit.path
    key = f"{NAMESPACE}:{first}" if f"{NAMESPACE}:{first}" in config or first not in config else str(first)
    wanted: dict[str, Any] = {**config, f"{NAMESPACE}:{first}": config.get(key)}
    lay_over(wanted, _override(edit))
    new = with_value(text, ("config", key, *rest), edit.value)
    if new is None:
        raise by_hand
    found: Mapping[str, Any] = strict_yaml.read(new, path.name)["config"]
    if {**found, f"{NAMESPACE}:{first}": found.get(key)} != wanted:
        raise by_hand
    write_file(path, new)
