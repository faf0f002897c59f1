"""Run a Pulumi program in this process, with no engine and no cloud, and return what it would build."""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import refusal
from .graph import Graph
from .problems import BrokenProgram
from .project import Settings, program_of, read_settings

if TYPE_CHECKING:
    from .monitor import Answer


def preview(
    program: Callable[[], object] | Path | str,
    *,
    project: str | None = None,
    stack: str = "dev",
    config: Mapping[str, Any] | None = None,
    secrets: Collection[str] = (),
    invokes: "Mapping[str, Answer] | None" = None,
) -> Graph:
    """Run a program as `pulumi preview` would, and return every resource it registers and what it exports.

    - `program`: a function (async, too), or the path of a project's folder or of a program's file. For a path, the
      project's name and defaults come from `Pulumi.yaml` in that folder, or in the file's, and the settings from
      `Pulumi.<stack>.yaml`. A folder runs what `main` names in `Pulumi.yaml`, else its `__main__.py`.
    - `project`: the project's name; for a function `project` unless given.
    - `config`: settings by full key, over those of the stack file: `{"gcp:project": "p", "app:pools": [...]}`. Values
      that are no strings reach the program as JSON text, as from the engine.
    - `secrets`: keys of the configuration that are secret.
    - `invokes`: what the functions of providers return, by token: a result, or a callable from the arguments to one.
      The token of a resource type (`pulumi:pulumi:StackReference`) answers with outputs of such resources. What our
      own components ask is answered without.

    Raises `BrokenProgram` when the program ends well but an engine or provider would refuse what it asked for; every
    problem is listed. An exception of the program itself is passed on as it is. A function of a provider that `invokes`
    does not answer raises `Unanswered`. One run at a time: a second one waits, and neither sees anything of the other.
    """
    if isinstance(program, (str, Path)):
        path = Path(program)
        settings = read_settings(path if path.is_dir() else path.parent, stack, project)
        chosen = program_of(path)
    else:
        settings, chosen = Settings(project or "project", stack), nullcontext(program)
    return _built(chosen, settings.over(config or {}, secrets), invokes or {})


def preview_project(root: Path, settings: Settings) -> Graph:
    """Run the program of a project's folder under settings that were read before, and return what it would build.

    Raises what `preview` raises, and `Refused` for what the program says in place of a traceback.
    """
    from pulumi import RunError

    try:
        return _built(program_of(root), settings, {})
    except RunError as error:
        raise refusal(str(error)) from None


def _built(
    program: AbstractContextManager[Callable[[], object]], settings: Settings, invokes: "Mapping[str, Answer]"
) -> Graph:
    from .sdk_names import demand_names

    demand_names()
    from .invoke_results import KNOWN
    from .monitor import Monitor
    from .runtime import run

    monitor = Monitor(settings, {**KNOWN, **invokes})
    try:
        run(program, monitor, settings)
    except Exception as error:
        for problem in monitor.problems():
            error.add_note(f"also found: {problem}")
        raise
    if problems := monitor.problems():
        raise BrokenProgram(problems, monitor.graph())
    return monitor.graph()
