"""A stack named on the command line: its project folder, its settings, and the overrides given with ``--set``.

Also ``rdma-cluster stacks``, which lists them.
"""

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from ..common import CLOUDS
from ..config import CLOUD, value
from ..errors import InputError, Refused, show
from ..offline.project import Settings, read_settings, stack_folder
from ..supply.lock import with_lock
from .output import as_json, table
from .overrides import lay_over

if TYPE_CHECKING:
    from ..common.summary import Summary
    from ..incluster.plan.in_cluster import InClusterPlan


def read_stack(stack: str, file: Path | None, overrides: Sequence[str]) -> tuple[Path, Settings]:
    """The project's folder and the stack's settings. Raises ``Refused`` with every error."""
    root = project()
    if file is None and stack not in (known := stacks(root)):
        near = get_close_matches(stack, known) or known
        choice = f"choose one of {', '.join(near)}, or name" if near else "write one with `rdma-cluster init`, or name"
        raise Refused([InputError((), f"no stack {show(stack)}; {choice} a file with --config")])
    if file is not None and str(file) != "-" and not file.exists():
        raise Refused([InputError(("--config",), f"no file {str(file)!r}")])
    settings = read_settings(root, stack, stack_file=file)
    config = {key: value(text) for key, text in settings.config.items()}
    errors = []
    for override in overrides:
        try:
            lay_over(config, override)
        except Refused as refused:
            errors += refused.errors
    if errors:
        raise Refused(errors)
    locked = with_lock(settings.over(config).config, stack_folder(root), stack)
    return root, settings.over(config).over(locked)


def summary_of(settings: Settings) -> "Summary":
    """A stack's plan in words and numbers, with the count of what it fetches. Raises ``Refused`` with every error."""
    from ..common.stack import plan_of, summarise_stack
    from ..common.summary import Section
    from ..incluster.plan.artifacts import planned

    stack = (cloud_of(settings), settings.config, settings.stack)
    references = planned(plan_of(*stack))
    held = sum("@sha256:" in each for each in references)
    row = {"fetched": len(references), "by_digest": held, "by_tag": len(references) - held}
    summary = summarise_stack(*stack)
    return replace(summary, sections=(*summary.sections, Section("artifacts", [row])))


def in_cluster_of(stack: str, overrides: Sequence[str], needs: str) -> "InClusterPlan":
    """What a stack puts into its cluster. ``needs`` says in the refusal what wants Kubernetes."""
    from ..common.stack import plan_of
    from ..incluster.plan.rdma_cluster import BaseRdmaClusterPlan

    _, settings = read_stack(stack, None, overrides)
    plan = plan_of(cloud_of(settings), settings.config, settings.stack)
    if not isinstance(plan, BaseRdmaClusterPlan):
        raise Refused([InputError(("--stack",), f"stack {stack} has no Kubernetes, which runs {needs}; name another")])
    return plan.in_cluster


def cloud_of(settings: Settings) -> str:
    """The configured cloud. Raises ``Refused`` for one that is not built."""
    cloud = settings.config.get(CLOUD)
    if cloud is None:
        raise Refused([InputError((CLOUD,), f"missing; write below `config:` one of {', '.join(CLOUDS)}")])
    if cloud not in CLOUDS:
        raise Refused([InputError((CLOUD,), f"got {show(cloud)}; choose one of {', '.join(CLOUDS)}")])
    return cloud


def project() -> Path:
    """The folder of the project that the process stands in, as Pulumi finds it: this one, or the first above."""
    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise OSError("this folder is gone; change into one that exists") from None
    for folder in (here, *here.parents):
        if (folder / "Pulumi.yaml").is_file():
            return folder
    raise Refused(
        [InputError((), "no Pulumi.yaml here or above; go to a project, or begin one with `rdma-cluster init`")]
    )


def stacks(root: Path) -> list[str]:
    """The stacks that a project has files of, by name."""
    files = stack_folder(root).glob("Pulumi.*.yaml")
    return sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in files)


def clouds_of_project() -> set[str]:
    """The clouds of the stacks of the project. Raises ``Refused`` where there is no project."""
    root = project()
    return {str(read_settings(root, stack).config.get(CLOUD)) for stack in stacks(root)}


def show_stacks(json: bool) -> int:
    """Print each stack with its cloud; one whose file cannot be read says so."""
    root = project()
    rows = []
    for stack in stacks(root):
        try:
            cloud = read_settings(root, stack).config.get(CLOUD, "none")
        except Refused:
            cloud = "unreadable"
        rows.append({"stack": stack, "cloud": cloud})
    if json:
        print(as_json(rows))
    elif rows:
        print(table(rows))
    return 0
