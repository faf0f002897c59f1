"""A stack named on the command line: its project folder, its settings, and the overrides given with ``--set``."""

import json
import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..clouds import CLOUDS
from ..config import CLOUD, NAMESPACE, value
from ..faults import Fault, Refused
from ..offline.project import Settings, read_settings

_STEP = re.compile(r"\.?([^.\[\]=]+)|\[(\d+)\]")


def read_stack(stack: str, file: Path | None, overrides: Sequence[str]) -> tuple[Path, Settings]:
    """The project's folder and the stack's settings. Raises ``Refused`` with every fault."""
    root = _project()
    folder = root / "stacks"
    if file is None and not (folder / f"Pulumi.{stack}.yaml").is_file():
        known = sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in folder.glob("Pulumi.*.yaml"))
        near = get_close_matches(stack, known, n=3) or known
        raise Refused([Fault((), f"no stack {stack!r}; choose one of {', '.join(near)}, or name a file with --config")])
    if file is not None and not file.is_file():
        raise Refused([Fault(("--config",), f"no file {str(file)!r}")])
    settings = _read(root, stack, file)
    config = {key: value(text) for key, text in settings.config.items()}
    for override in overrides:
        _set(config, override)
    return root, settings.over(config)


def cloud_of(settings: Settings) -> str:
    """The configured cloud. Raises ``Refused`` for one that is not built."""
    cloud = settings.config.get(CLOUD, "")
    if cloud not in CLOUDS:
        raise Refused([Fault((CLOUD,), f"got {cloud!r}; choose one of {', '.join(CLOUDS)}")])
    return cloud


def _project() -> Path:
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "Pulumi.yaml").is_file() and (folder / "stacks").is_dir():
            return folder
    raise Refused([Fault((), "no Pulumi.yaml with a stacks folder here or above; run this in a clone of the project")])


def _read(root: Path, stack: str, file: Path | None) -> Settings:
    from yaml import YAMLError

    try:
        return read_settings(root, stack, stack_file=file)
    except YAMLError as error:
        where = file or root / "stacks" / f"Pulumi.{stack}.yaml"
        reason = " ".join(str(error).split())
        raise Refused([Fault((where.name,), f"is no YAML: {reason}")]) from None
    except (AttributeError, TypeError, ValueError):
        raise Refused([Fault((), "the stack file must be a set of keys with `config:` at the top")]) from None


def _parsed(text: str, override: str) -> Any:
    """A value of ``--set``; what JSON lacks, as dates, is text."""
    import yaml

    try:
        return json.loads(json.dumps(yaml.safe_load(text), default=str))
    except (yaml.YAMLError, ValueError, TypeError):
        raise Refused([Fault(("--set",), f"got {override!r}; the value is no YAML, quote it as a whole")]) from None


def _set(config: dict[str, Any], override: str) -> None:
    """Lay ``pools[0].nodes=4`` over ``config``; the value is YAML."""
    path, equals, text = override.partition("=")
    steps = [name or int(index) for name, index in _STEP.findall(path)]
    if not equals or not steps or "".join(m.group() for m in _STEP.finditer(path)) != path:
        raise Refused([Fault(("--set",), f"got {override!r}; write PATH=VALUE, e.g. pools[0].nodes=4")])
    first = str(steps[0])
    steps[0] = first if ":" in first else f"{NAMESPACE}:{first}"
    at: Any = config
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        fits = (
            isinstance(step, str)
            if isinstance(at, dict)
            else isinstance(at, list) and isinstance(step, int) and step <= len(at)
        )
        if not fits:
            raise Refused([Fault(("--set",), f"got {override!r}; there is nothing at {step!r} to set")])
        if following is None:
            new = _parsed(text, override)
        else:
            there = at.get(step) if isinstance(at, dict) else at[step] if step < len(at) else None
            new = there if there is not None else [] if isinstance(following, int) else {}
        if isinstance(at, list) and step == len(at):
            at.append(new)
        else:
            at[step] = new
        at = new
