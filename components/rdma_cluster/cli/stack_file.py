"""A stack named on the command line: its project folder, its settings, and the overrides given with ``--set``.

Also ``rdma-cluster stacks``, which lists them.
"""

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from pulumi_offline.errors import Refused, refusal, show
from pulumi_offline.project import Settings, read_settings, stack_folder
from ..base.config import CLOUD, value
from ..common import CLOUDS
from ..supply.lock import with_lock
from .options import Verb, json_option, option, overrides_option
from .output import as_json, table
from .overrides import lay_over

if TYPE_CHECKING:
    from ..common.stack import BaseRdmaClusterPlan, StackPlan
    from ..common.summary import Summary
    from ..incluster.plan.in_cluster import InClusterPlan


class StackVerb(Verb):
    """A verb about one stack of a project."""

    stack: str = option("STACK", "a stack of this project (`rdma-cluster stacks`)")
    file: Path | None = option("--config FILE", "a file in place of the stack's, - for standard input")
    overrides: list[str] = overrides_option()
    json: bool = json_option()

    def read(self, further: Sequence[str] = ()) -> tuple[Path, Settings]:
        """As ``read_stack``, with ``further`` overrides over those of the command line."""
        return read_stack(self.stack, self.file, [*self.overrides, *further])


def read_stack(stack: str, file: Path | None, overrides: Sequence[str]) -> tuple[Path, Settings]:
    """The project's folder and the stack's settings. Raises ``Refused`` with every error."""
    root = project()
    if file is None and stack not in (known := stacks(root)):
        near = get_close_matches(stack, known) or known
        choice = f"choose one of {', '.join(near)}, or name" if near else "write one with `rdma-cluster init`, or name"
        raise refusal(f"no stack {show(stack)}; {choice} a file with --config")
    if file is not None and str(file) != "-" and not file.exists():
        raise refusal(f"no file {str(file)!r}", "--config")
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


def plan_of(settings: Settings) -> "StackPlan":
    """A stack's plan. Raises ``Refused`` with every error."""
    from ..common import stack

    return stack.plan_of(cloud_of(settings), settings.config, settings.stack)


def summary_of(settings: Settings) -> "Summary":
    """A stack's plan in words and numbers, with the count of what it fetches. Raises ``Refused`` with every error."""
    from ..common.stack import room_of
    from ..common.summary import Section, summarise_plan
    from ..incluster.plan.artifacts import planned

    plan = plan_of(settings)
    references = planned(plan)
    held = sum("@sha256:" in each for each in references)
    row = {"fetched": len(references), "by_digest": held, "by_tag": len(references) - held}
    summary = summarise_plan(plan)
    decided = room_of(cloud_of(settings)).STACK_KEYS
    packages = {key.partition(":")[0] for key in decided}
    told = sorted(key for key in settings.config if key.partition(":")[0] in packages and key not in decided)
    # Names alone: some hold a secret.
    account = [Section("account", [{"provider_is_told": key} for key in told])] if told else []
    return replace(summary, sections=(*summary.sections, *account, Section("artifacts", [row])))


def kubernetes_of(settings: Settings, wants: str, *path: str) -> "BaseRdmaClusterPlan":
    """The plan of a stack that has Kubernetes. ``wants`` says in the refusal, which is about ``path``, what for."""
    from ..common.stack import BaseRdmaClusterPlan

    plan = plan_of(settings)
    if not isinstance(plan, BaseRdmaClusterPlan):
        raise refusal(f"stack {settings.stack} has no Kubernetes, which {wants}; name another", *path)
    return plan


def in_cluster_of(stack: str, overrides: Sequence[str], needs: str) -> "InClusterPlan":
    """What a stack puts into its cluster. ``needs`` says in the refusal what wants Kubernetes."""
    return kubernetes_of(read_stack(stack, None, overrides)[1], f"runs {needs}", "--stack").in_cluster


def cloud_of(settings: Settings) -> str:
    """The configured cloud. Raises ``Refused`` for one that is not built."""
    cloud, choice = settings.config.get(CLOUD), ", ".join(CLOUDS)
    if cloud is None:
        raise refusal(f"missing; write below `config:` one of {choice}", CLOUD)
    if cloud not in CLOUDS:
        raise refusal(f"got {show(cloud)}; choose one of {choice}", CLOUD)
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
    raise refusal("no Pulumi.yaml here or above; go to a project, or begin one with `rdma-cluster init`")


def stacks(root: Path) -> list[str]:
    """The stacks that a project has files of, by name."""
    files = stack_folder(root).glob("Pulumi.*.yaml")
    return sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in files)


def stacks_here() -> list[str]:
    """The stacks of the project that the process stands in; none where there is no project."""
    try:
        return stacks(project())
    except (Refused, OSError):
        return []


def clouds_of_project() -> set[str]:
    """The clouds of the stacks of the project. Raises ``Refused`` where there is no project."""
    root = project()
    return {str(read_settings(root, stack).config.get(CLOUD)) for stack in stacks(root)}


class Stacks(Verb):
    """Print them; one whose file cannot be read says so."""

    json: bool = json_option()

    def run(self) -> int:
        root = project()
        rows = []
        for stack in stacks(root):
            try:
                cloud = read_settings(root, stack).config.get(CLOUD, "none")
            except Refused:
                cloud = "unreadable"
            rows.append({"stack": stack, "cloud": cloud})
        if self.json or rows:
            print(as_json(rows) if self.json else table(rows))
        return 0
