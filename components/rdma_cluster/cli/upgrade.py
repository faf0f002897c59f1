"""``rdma-cluster upgrade``: the steps that bring a living stack to another version, to read and to write one by one.

It acts on nothing but the stack's file: each step is an edit of it, and a `pulumi up`. ``--rehearse`` runs these on
simulated clouds.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import yaml
from pulumi_offline import strict_yaml
from pulumi_offline.errors import refusal
from pulumi_offline.project import Settings, stack_folder
from pulumi_offline.visible import visible
from pulumi_offline.written import from_json, to_json
from ..base.config import NAMESPACE, value
from ..base.lazy import brought
from ..common import module_of
from ..upgrades.record import CloudUpgrades, Part
from ..upgrades.steps import Edit, PoolNow, StackNow, Step, plan_steps
from .options import option
from .output import as_json, styled
from .overrides import lay_over
from .stack_file import StackVerb, cloud_of, plan_of
from .write_file import write_file

_WORDS = {"before": "before", "jobs": "jobs", "takes": "takes", "proof": "proves", "resume": "to stop"}


class Upgrade(StackVerb):
    """Print the steps, rehearse them, or write one into the stack's file. Raises ``Refused`` for what cannot be."""

    to: str = option("--to VERSION", "as the cloud writes it", required=True)
    part: str = option(
        "--part",
        "what is upgraded; by default kubernetes",
        choices=tuple(each.value for each in Part),
        default=Part.KUBERNETES.value,
    )
    pool: str | None = option("--pool NAME", "move the nodes of this pool alone")
    step: int | None = option("--step N", "with --write: this step", type=int)
    write: bool = option("--write", "write the step into the stack's file; `pulumi up` does it", group="does")
    rehearse: bool = option(
        "--rehearse", "run the steps, one `up` each, with the real engine on simulated clouds", group="does"
    )

    def run(self) -> int:
        stack, to, part = self.stack, self.to, self.part
        root, settings = self.read()
        cloud: CloudUpgrades = module_of(cloud_of(settings), "plan.upgrades").UPGRADES
        steps = plan_steps(cloud, Part(part), to, _now(settings), self.pool)
        if Part(part) is Part.IN_CLUSTER:
            steps = (replace(steps[0], restarts=_restarts(root, settings)),)
        written = [all(_has(settings, each) for each in one.edits) for one in steps]
        warnings = _planned(settings, steps)
        if self.write or self.step is not None:
            path = self.file or stack_folder(root) / f"Pulumi.{stack}.yaml"
            return _write(path, steps, written, self.step if self.write else None)
        if self.rehearse:
            return self._rehearsed(root, steps)
        if self.json:
            shown = [{**_shown(one), "written": done} for one, done in zip(steps, written, strict=True)]
            asked = {"stack": stack, "part": part, "to": to}
            print(as_json({**asked, "steps": shown, "then": cloud.then, "warnings": warnings}))
            return 0
        count = f"{len(steps)} {'step' if len(steps) == 1 else 'steps'}"
        print(styled(f"{stack}: {part} to {visible(to)}, in {count}", "bold"))
        for i, (one, done) in enumerate(zip(steps, written, strict=True), 1):
            print("\n".join(_lines(i, one, done)))
        if cloud.then and part == Part.KUBERNETES.value:
            print(f"\nthen       {cloud.then}")
        for warning in warnings:
            print(f"\nwarning    {visible(warning)}")
        again = f"rdma-cluster upgrade {stack} --part {part} --to {visible(to)} --step N --write"
        print(f"\nWrite a step with `{again}`, then run `pulumi up`.")
        return 0

    def _rehearsed(self, root: Path, steps: Sequence[Step]) -> int:
        """One `up` for each step, on simulated clouds. Raises ``Refused`` where there is no engine."""
        rehearse = brought("rdma_cluster.rehearsals", "upgrade", "upgrade --rehearse")
        edits = [(step.what, [_override(each) for each in step.edits]) for step in steps]
        return rehearse(root, lambda further: self.read(further)[1], edits, self.json)


def _restarts(root: Path, settings: Settings) -> tuple[str, ...]:
    """What the stack's program makes and restarts. Raises ``MissingLibrary`` without the cloud's SDK."""
    from ..upgrades.in_place import what_restarts
    from .preview import run_program

    return tuple(what_restarts(run_program(root, settings)))


def _lines(number: int, step: Step, written: bool) -> list[str]:
    """A step for a reader."""
    edits = [f"   write     {each}{'   (is there)' if written else ''}" for each in step.edits]
    said = [f"   {word:<10}{getattr(step, key)}" for key, word in _WORDS.items() if getattr(step, key)]
    restarts = [f"   restarts  {each}" for each in step.restarts]
    return [f"\n{number}. {step.what}", *map(visible, (*edits, *said, *restarts))]


def _shown(step: Step) -> dict[str, Any]:
    """A step as JSON data, its edits as --set takes them."""
    return {**asdict(step), "edits": [_override(each) for each in step.edits]}


def _now(settings: Settings) -> StackNow:
    """The stack as its plan has it; one of plain machines has no version."""
    plan = plan_of(settings)
    pools = tuple(
        PoolNow(each["name"], each["nodes"], each["upgrade"].get("max_unavailable", 1) if "upgrade" in each else None)
        for each in plan.args.get("pools", [])
    )
    version = plan.cluster.version if plan.cluster else ""
    return StackNow(version, pools, "existing" in plan.args.get("kubernetes", {}))


def _planned(settings: Settings, steps: Sequence[Step]) -> list[str]:
    """The warnings that the steps bring. Raises ``Refused`` where the stack's own plan takes one of them not."""
    before = set(plan_of(settings).warnings)
    after: dict[str, None] = {}
    for step in steps:
        for edit in step.edits:
            settings = _edited(settings, edit)
        after |= dict.fromkeys(plan_of(settings).warnings)
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


def _write(path: Path, steps: Sequence[Step], written: Sequence[bool], step: int | None) -> int:
    """Write one step's edits, those before it being there."""
    if step is None:
        raise refusal("goes with --step N: one step is written at a time", "--write")
    if not 1 <= step <= len(steps):
        raise refusal(f"got {step}; the upgrade has steps 1 to {len(steps)}", "--step")
    if not all(written[: step - 1]):
        first = written.index(False) + 1
        raise refusal(f"got {step}; step {first} comes before it: write it and run `pulumi up`", "--step")
    for edit in steps[step - 1].edits:
        _write_edit(path, edit)
        print(f"{path.name}: {edit}")
    before = steps[step - 1].before
    print(f"now: {f'{before}; then ' if before else ''}`pulumi preview` and `pulumi up`")
    return 0


def _write_edit(path: Path, edit: Edit) -> None:
    """Put an edit into the file. Raises ``Refused`` where the file would then say anything else, too."""
    by_hand = refusal(f"cannot be edited in its place; write {edit} there yourself", path.name)
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


def with_value(text: str, path: Sequence[str | int], value: str) -> str | None:
    """A stack's file with ``value`` at ``path``, all else in its place; ``None`` where there is nothing to put it into.

    What stands in a file can be odd: whoever writes the new text reads it again first.
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    scalar = value if yaml.safe_load(value) == value else json.dumps(value)  # quoted where it is read as something else
    return None if root is None else _put(text, root, list(path), scalar)


def _put(text: str, node: yaml.Node, path: list[str | int], value: str) -> str | None:
    if not path:
        return text[: node.start_mark.index] + value + text[node.end_mark.index :]
    step, *rest = path
    if isinstance(node, yaml.SequenceNode):
        inside = isinstance(step, int) and step < len(node.value)
        return _put(text, node.value[step], rest, value) if inside else None
    if not isinstance(node, yaml.MappingNode) or not node.value or isinstance(step, int):
        return None
    below = next((of for key, of in node.value if key.value == step), None)
    if below is not None:
        return _put(text, below, rest, value)
    # One more key stands behind the first, which is often the name.
    behind = node.value[1][0] if len(node.value) > 1 else node.value[0][0]
    at, column = behind.start_mark.index, behind.start_mark.column
    between = ", " if node.flow_style else f"\n{' ' * column}"
    return f"{text[:at]}{step}: {_flow(rest, value)}{between}{text[at:]}"


def _flow(path: list[str | int], value: str) -> str:
    """What stands behind a new key: the value, inside of the keys that lead to it."""
    return value if not path else f"{{{path[0]}: {_flow(path[1:], value)}}}"
