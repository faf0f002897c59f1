"""A Pulumi project on disk: its settings for one stack, and a place to run its program."""

import runpy
import sys
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import field, replace
from functools import lru_cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from . import strict_yaml
from .errors import InputError, Refused, show
from .frozen import frozen
from .unknowns import SECRET
from .written import to_json


@frozen
class Settings:
    """A stack and its configuration, as the engine hands them to a program."""

    project: str
    stack: str
    config: dict[str, str] = field(default_factory=dict)
    """Texts by full key (`gcp:project`); what is no text is JSON."""
    secrets: frozenset[str] = frozenset()
    """The keys of those that are secret."""
    root: str | None = field(default=None, compare=False)
    """The project's folder, which `pulumi.runtime.get_root_directory()` returns; None for where the process stands."""

    def over(self, config: Mapping[str, Any], secrets: Collection[str] = ()) -> "Settings":
        """These settings with others laid over them; None takes a key away, what is no string becomes JSON text."""
        settings = {key: value for key, value in {**self.config, **config}.items() if value is not None}
        texts = {key: value if isinstance(value, str) else to_json(value) for key, value in settings.items()}
        return replace(self, config=texts, secrets=self.secrets | set(secrets))


def read_settings(directory: Path, stack: str, project: str | None = None, stack_file: Path | None = None) -> Settings:
    """Read a project's folder as the engine does: defaults of `Pulumi.yaml`, over them `Pulumi.<stack>.yaml`.

    `stack_file` takes the place of the latter; `-` is standard input.

    A file that is not there says nothing. A setting the stack keeps encrypted cannot be read here: the program gets the
    text `[secret]`, marked secret. Raises `Refused` for what is no YAML, or no settings, with line and column.
    """
    described = _read(directory / "Pulumi.yaml")
    name = project or str(described.get("name", "project"))
    whole = _read(stack_file or stack_folder(directory) / f"Pulumi.{stack}.yaml")
    if beside := [key for key in whole if ":" in key]:
        reason = "stands beside `config:`, where nobody reads it; indent it"
        raise Refused([InputError((key,), reason) for key in beside])
    stacked = _keys(whole, "config")

    config: dict[str, Any] = {}
    secrets: set[str] = set()
    for key, declared in _keys(described, "config").items():
        full = _full_key(name, key)
        told = declared if isinstance(declared, dict) else {"value": declared}
        if "default" in told or "value" in told:
            config[full] = told.get("default", told.get("value"))
        if told.get("secret"):
            secrets.add(full)
    for key, value in stacked.items():
        full = _full_key(name, key)
        config[full] = _without_encrypted(value)
        if config[full] != value:
            secrets.add(full)
    return Settings(name, stack, root=str(directory.resolve())).over(config, secrets)


@contextmanager
def program_of(project: Path) -> Generator[Callable[[], object]]:
    """Yield a project's program, to be run while the process stands in the program's folder, as the engine runs it.

    `project` is the project's folder, whose `Pulumi.yaml` may name another place as `main`, or a program's file.
    Modules of the program's folder are forgotten afterwards, so that a second run makes its resources again.
    """
    file = project.resolve()
    if file.is_dir():
        file = (file / str(_read(file / "Pulumi.yaml").get("main") or ".")).resolve()
    if file.is_dir():
        file /= "__main__.py"
    directory, before = file.parent, set(sys.modules)
    with chdir(directory):
        sys.path.insert(0, str(directory))
        try:
            yield partial(runpy.run_path, str(file), run_name="__main__")
        finally:
            sys.path.remove(str(directory))
            new = set(sys.modules) - before
            # All are found before the first is forgotten: a package says where the modules in it are.
            for name in [each for each in new if _place(sys.modules.get(each.partition(".")[0])) == directory]:
                del sys.modules[name]


def stack_folder(directory: Path) -> Path:
    """Where a project keeps its stacks' files."""
    return directory / str(_read(directory / "Pulumi.yaml").get("stackConfigDir") or ".")


def _read(path: Path) -> dict[str, Any]:
    """The keys of a YAML file; none where there is no file, or nothing in it."""
    name = "standard input" if str(path) == "-" else path.name
    try:
        data = strict_yaml.bytes_of(path)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Refused([InputError((name,), f"cannot be read: {error.strerror}")]) from None
    return _keys({name: _parsed(data, name)}, name)


@lru_cache(maxsize=64)
def _parsed(data: bytes, name: str) -> Any:
    """What a file holds, for readers only: a command asks for Pulumi.yaml three times, and for every stack's file to
    know the clouds of a project; so do the tests, thousands of times."""
    return strict_yaml.read(strict_yaml.decode(data, name), name)


def _keys(within: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The keys below ``key``. Raises ``Refused`` where there is another value."""
    value = within.get(key)
    if value is not None and not isinstance(value, dict):
        raise Refused([InputError((key,), f"must be a set of keys, got {show(value)}")])
    return value or {}


def _without_encrypted(value: Any) -> Any:
    """A setting in which each encrypted value, at whatever depth, has a text in its place."""
    if isinstance(value, dict):
        if set(value) == {"secure"}:
            return SECRET
        return {key: _without_encrypted(of) for key, of in value.items()}
    return [_without_encrypted(each) for each in value] if isinstance(value, list) else value


def _full_key(project: str, key: str) -> str:
    return key if ":" in key else f"{project}:{key}"


def _place(module: ModuleType | None) -> Path | None:
    """The folder a top-level module was found in."""
    paths = list(getattr(module, "__path__", ())) or [getattr(module, "__file__", None)]
    return Path(paths[0]).parent if paths[0] else None
