"""What cannot work is refused by every way in, in the same words: one file a case."""

import ast
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pulumi
import pytest
import rdma_cluster
from pulumi_offline import preview
from pulumi_offline.errors import RULES_FOLLOW, ErrorList, Refused
from tests.refusals.case import Case, case_of, cases, without_machines
from tests.refusals.running import build, command, run_command
from tests.stacks import ROOT

PACKAGE = Path(rdma_cluster.__file__).parent
READERS = [PACKAGE.with_name("pulumi_offline") / name for name in ("strict_yaml.py", "json_file.py")]
"""Readers of what users write, in the package that needs them first."""
RAN: set[str] = set()
"""The cases that were tried while those lines were watched that refuse."""

# In one process, so that each case runs once.
pytestmark = pytest.mark.xdist_group("refusals")


def lines(expected: list[str]) -> str:
    """Lines as they stand on stderr."""
    return "".join(f"{line}\n" for line in expected)


@pytest.fixture(scope="module", autouse=True)
def refusing() -> Generator[set[tuple[Path, int]]]:
    """The lines that refuse, as they do it."""
    seen: set[tuple[Path, int]] = set()

    def watched(original: Callable[..., None]) -> Callable[..., None]:
        def watch(self: object, *args: object, **options: object) -> None:
            # The line itself, and all that asked for it.
            caller: FrameType | None = sys._getframe(1)
            while caller is not None:
                if caller.f_code.co_filename.startswith(f"{PACKAGE.parent}/"):
                    seen.add((Path(caller.f_code.co_filename), caller.f_lineno))
                caller = caller.f_back
            return original(self, *args, **options)

        return watch

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ErrorList, "add", watched(ErrorList.add))
        patch.setattr(Refused, "__init__", watched(Refused.__init__))
        yield seen


def of(kind: str) -> pytest.MarkDecorator:
    """Every case of a kind."""
    return pytest.mark.parametrize("case", cases(kind), ids=lambda case: case.name)


@of("stack")
def test_stack_is_refused(case: Case, tmp_path: Path):
    """Exit code 2, these lines on stderr and no other, nothing on stdout."""
    RAN.add(case.name)

    assert (2, "", lines(case.refused)) == command("plan", *case.stack_options(tmp_path))


def previewed() -> Iterator[Any]:
    """The cases of stacks; all but the first of each cloud for `make thorough`."""
    seen: set[str] = set()
    for case in cases("stack"):
        yield pytest.param(case, id=case.name, marks=[pytest.mark.thorough] if case.package in seen else [])
        seen.add(case.package)


@pytest.mark.parametrize("case", list(previewed()))
def test_preview_refuses_alike(case: Case, tmp_path: Path):
    """What a plan refuses makes no program run: preview says the same."""
    options = case.stack_options(tmp_path)
    assert command("preview", *options) == command("plan", *options)


@of("command")
def test_command_is_refused(case: Case, tmp_path: Path):
    """The other verbs refuse in the same manner."""
    RAN.add(case.name)
    here = tmp_path / "here"
    told = run_command(case, here, tmp_path / "path")
    assert (2, "", lines(case.refused).format(here=here)) == told


@of("component")
def test_component_is_refused(case: Case):
    """On its own a component tells the engine every error with its property path."""
    RAN.add(case.name)
    with pytest.raises(pulumi.InputPropertiesError) as caught:
        build(case)

    errors = [without_machines(f"{each['property_path']}: {each['reason']}") for each in caught.value.errors or ()]
    assert case.refused == without_machines(str(caught.value)).splitlines()
    assert errors == [line for line in case.refused if line != RULES_FOLLOW]


@pytest.mark.parametrize("name", ["gke/zone-without-form", "gke/several-together"])
def test_program_is_refused(name: str, tmp_path: Path):
    """Under the engine, too: the program ends with an error that Pulumi prints without a traceback."""
    case = case_of(name)
    assert case.file is not None
    (tmp_path / f"Pulumi.{case.stack}.yaml").write_text(case.file)
    for each in ("__main__.py", "stacks"):
        (tmp_path / each).symlink_to(ROOT / each)
    (tmp_path / "Pulumi.yaml").write_text("name: rdma-cluster\n")

    with pytest.raises(pulumi.RunError) as caught:
        preview(tmp_path, stack=case.stack)

    told, *errors = without_machines(str(caught.value)).splitlines()
    assert told == f"the configuration of stack {case.stack} cannot work:"
    assert case.refused == errors


@pytest.mark.parametrize("name", ["unknown-stack", "gke/several-together"])
def test_installed_command_refuses(name: str, tmp_path: Path):
    """The console script does what the function does, and no more."""
    case = case_of(name)
    script = Path(sys.executable).parent / "rdma-cluster"

    done = subprocess.run(
        [script, "plan", *case.stack_options(tmp_path)], cwd=ROOT, env=os.environ, capture_output=True, text=True
    )

    assert (2, "", lines(case.refused)) == (done.returncode, done.stdout, without_machines(done.stderr))


def sites() -> Iterator[tuple[Path, range]]:
    """Where the package refuses: every `errors...add(...)`, every `Refused(...)` and every call that is handed errors.

    As file and lines. A rule that two keys share refuses in one place and is asked in two.

    NCCL's verdict, the offline preview and rehearsals have errors of their own.
    """
    for path in [*sorted(PACKAGE.rglob("*.py")), *READERS]:
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or _is_of_outputs(node):
                continue
            if _refuses(node.func) or (path.name not in ELSEWHERE and _may_refuse(node)):
                yield path, range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _is_of_outputs(call: ast.Call) -> bool:
    """Whether it refuses an output in the place of a value, which no file can hold: tests/args does."""
    return any(isinstance(each, ast.Constant) and str(each.value).startswith("got an output") for each in call.args)


def _refuses(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id == "Refused"
    if not isinstance(called, ast.Attribute) or called.attr != "add":
        return False
    holder: ast.expr = called
    while isinstance(holder, ast.Attribute | ast.Call):
        holder = holder.value if isinstance(holder, ast.Attribute) else holder.func
    return isinstance(holder, ast.Name) and holder.id in ("errors", "at")


ELSEWHERE = {"args.py": "outputs in the place of values: tests/args"}
"""Parts whose rules are asked by other tests."""
SOUND = {
    "plan_mpi_operator": "an image that the options of the acceptance test are judged for",
    "plan_device_plugins": "args that the whole made, of parts that are judged",
    "plan_nccl_installer": "the same",
    "device_plugins_for": "the same",
    "plan_dra_drivers": "the same",
    "drivers_for": "the same",
    "installers_for": "the same",
    "_subject": "pools whose nodes come later, which `plan_readiness` has judged by the same function before",
}
"""Functions that refuse what a user gives, and are also handed what cannot be wrong, or are seen to do it elsewhere."""


def _may_refuse(call: ast.Call) -> bool:
    """Whether a function is handed errors to add to; a class that keeps them asks later."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name.strip("_")[:1].isupper() or name in SOUND:
        return False
    return any(_is_errors(each) for each in [*call.args, *(keyword.value for keyword in call.keywords)])


def _is_errors(value: ast.expr) -> bool:
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "at":
        value = value.func.value
    return isinstance(value, ast.Name) and value.id == "errors"


@pytest.fixture(scope="module")
def reached(refusing: set[tuple[Path, int]], tmp_path_factory: pytest.TempPathFactory) -> set[tuple[Path, int]]:
    """The lines that refuse in one case or another; what ran above need not run again."""
    for case in (*cases("stack"), *cases("command"), *cases("component")):
        if case.name in RAN:
            continue
        if case.component is not None:
            test_component_is_refused(case)
        elif case.command is not None:
            test_command_is_refused(case, tmp_path_factory.mktemp("command"))
        else:
            test_stack_is_refused(case, tmp_path_factory.mktemp("stack"))
    return refusing


def test_every_refusal_has_a_case(reached: set[tuple[Path, int]]):
    """A refusal that no case reaches is one that nobody has seen."""
    unseen = [
        f"{path.relative_to(PACKAGE.parent)}:{lines.start}"
        for path, lines in sites()
        if not any((path, line) in reached for line in lines)
    ]
    assert not unseen, "no refusal case reaches " + ", ".join(unseen)
