"""Verbs and their options against the functions that answer them, and against the lines that the documents show."""

import argparse
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from rdma_cluster.cli.app import GROUPS, parser
from rdma_cluster.cli.completion import show_next
from rdma_cluster.cli.options import duration, whole_number
from rdma_cluster.cli.parser import Parser, Usage
from rdma_cluster.upgrades.record import Part
from tests.cli.commands import command
from tests.stacks import ROOT

PAGES = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "DEVELOPERS.md", *ROOT.glob("examples/**/*.md")])
DEFAULT = re.compile(r"(?:default (?:is )?|; )([\w./-]+)$|[dD]efault ([\w.]+)|by default (\w+)$")
"""As a help ends."""
DEFAULTS = {"tool": "plain", "namespace": "default", "gpu_allocation": "dra", "folder": Path()}
"""Of which no help tells."""


def test_a_command_has_a_verb():
    """Without one it says where they are listed."""
    assert command() == (
        2, "", "rdma-cluster: the following arguments are required: COMMAND; see rdma-cluster -h\n"
    )  # fmt: skip


def leaves(of: Parser, *words: str) -> Iterator[tuple[str, Parser]]:
    """Every verb that does something, with its parser."""
    for action in of.fill()._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from leaves(below, *words, name)
    if of.get_default("verb"):
        yield " ".join(words), of


VERBS = dict(leaves(parser()))


def read(name: str, words: Sequence[str]) -> Any:
    """The verb with the options of a command line."""
    values = vars(parser().parse_args([*name.split(), *words]))
    return values.pop("verb")(**values)


def sample(hint: Any, action: argparse.Action) -> tuple[list[str], Any]:
    """Words for an option whose field has this type, and what they become."""
    kind = next(each for each in get_args(hint) or (hint,) if each is not NoneType)
    if kind is bool:
        return [], True
    word = str(next(iter(action.choices or ["3" if kind is int else "90s" if kind is float else "x"])))
    value = 90.0 if kind is float else kind(word)
    return [word], [value] if get_origin(hint) is list else value


def required(verb: Parser, hints: dict[str, Any]) -> list[str]:
    """Words without which a verb is refused."""
    words: list[str] = []
    for action in verb._actions:
        if action.required:
            words += [*action.option_strings[:1], *sample(hints[action.dest], action)[0]]
    return words


def hints_of(verb: Parser) -> dict[str, Any]:
    """The fields of a verb's record."""
    return get_type_hints(verb.get_default("verb"))


@pytest.mark.parametrize("name", VERBS)
def test_each_option_has_the_type_of_its_field(name: str):
    """An option that is not given is nothing, an empty list, or the default that its help names."""
    verb, hints = VERBS[name], hints_of(VERBS[name])
    needed = required(verb, hints)
    assert {each.dest for each in verb._actions} - {"help"} == hints.keys()
    for action in (each for each in verb._actions if each.dest != "help"):
        hint = hints[action.dest]
        words, value = sample(hint, action)
        if not action.required:
            default = getattr(read(name, needed), action.dest)
            empty = None if NoneType in get_args(hint) else False if hint is bool else []
            told = DEFAULT.search(action.help or "")
            says = default in (empty, DEFAULTS.get(action.dest)) or (told is not None and str(default) in told.groups())
            assert says, action
        given = read(name, needed if action.required else [*needed, *action.option_strings[:1], *words])
        found = getattr(given, action.dest)
        assert found == value and type(found) is type(value), action


@pytest.mark.parametrize("name", VERBS)
def test_what_is_needed_is_asked_for(name: str, capsys: pytest.CaptureFixture[str]):
    """By its name, and exit code 2."""
    needed = [each for each in VERBS[name]._actions if each.required]
    if needed:
        with pytest.raises(Usage) as refused:
            parser().parse_args(name.split())
        said = capsys.readouterr().err
        assert refused.value.code == 2
        assert all(str((each.option_strings or [each.metavar or each.dest])[0]) in said for each in needed)
    else:
        assert read(name, []) is not None


def test_help_lists_every_verb_in_its_group():
    """Each verb once; the README's table has the same verbs."""
    help = command("--help")[1]
    listed = [name for group in GROUPS.values() for name in group]

    assert sorted(listed) == sorted(VERBS)
    assert re.findall(r"^  ([a-z]+(?: [a-z]+)?)  ", help.partition("\nplan:\n")[2], re.MULTILINE) == listed
    table = (ROOT / "README.md").read_text("utf-8").partition("| | command |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| ?[a-z]* ?\| `(graph diff|[a-z]+)", table, re.MULTILINE) == listed


def test_a_verb_of_a_distribution_that_is_not_installed(monkeypatch: pytest.MonkeyPatch):
    """The command says what to install, and nothing looks for it before somebody asks for the verb."""
    asked: list[str] = []

    def nothing(group: str, name: str) -> tuple[()]:
        asked.append(name)
        return ()

    monkeypatch.setattr("importlib.metadata.entry_points", nothing)
    parser.cache_clear()
    try:
        assert command("stacks")[0] == command("--help")[0] == 0 and asked == []
        assert command("rehearse", "gke") == (
            2,
            "",
            "rehearse needs rdma_rehearsal, which is not installed: "
            'pip install "rdma-cluster-rehearsal" (or from a clone: pip install ./rehearsal)\n',
        )
    finally:
        parser.cache_clear()


def lines() -> Iterator[tuple[str, str]]:
    """Every line with the command that a page shows, with its page."""
    for page in PAGES:
        for line in re.findall(
            r"^\$ (rdma-cluster [^\n]*)|`(rdma-cluster [^`]*)`", page.read_text("utf-8"), re.MULTILINE
        ):
            shown = " ".join((line[0] or line[1]).split())
            yield f"{page.name}: {shown}", re.split(r" [|>#&;]|\.\.\.|\)|, | 2>", shown)[0]


@pytest.mark.parametrize(("shown", "line"), sorted(set(lines())), ids=lambda text: text if ": " in text else "")
def test_lines_of_the_documents_are_taken(shown: str, line: str):
    """No page names a verb or an option that there is not."""
    words = shlex.split(line.translate(str.maketrans("", "", "[]\\")))[1:]
    known = {option for verb in VERBS.values() for option in verb._option_string_actions} | {"--version", "-h"}
    verb = next((name for name in VERBS if words[: len(name.split())] == name.split()), None)

    options = [word.partition("=")[0] for word in words if word.startswith("-") and len(word) > 2]
    if words and not words[0].startswith("-") and words[0].islower():
        assert verb is not None or words[0] == "graph", shown
        known = set(VERBS[verb]._option_string_actions) if verb else known
    assert set(options) <= known or "--run" in words, shown


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90.0), ("10m", 600.0), ("2h", 7200.0), ("1s", 1.0), ("999999s", 999999.0)]
)
def test_times(text: str, seconds: float):
    """In seconds, minutes and hours."""
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["0s", "90", "s", "1d", "1.5h", "-1s", "1000000s", "9 s", "٣s"])
def test_what_is_no_time(text: str):
    """Is refused in words."""
    with pytest.raises(argparse.ArgumentTypeError, match="expected a time as 90s, 10m or 2h"):
        duration(text)


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("12", 12), ("-3", -3), ("123456789", 123456789)])
def test_whole_numbers(text: str, number: int):
    """In ASCII digits."""
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", "x", "1.5", "1e3", "٣", "1234567890", "+1", "--1", " 1"])
def test_what_is_no_whole_number(text: str):
    """Nor so long that it is one by mistake."""
    with pytest.raises(argparse.ArgumentTypeError, match="must be a whole number, got"):
        whole_number(text)


def test_a_control_plane_of_ones_own_needs_no_value():
    """Without a kubeconfig it is started."""
    assert read("rehearse", ["gke", "--control-plane"]).control_plane == ""
    assert read("rehearse", ["gke"]).control_plane is None


def test_options_may_be_given_again():
    """In their order; a job's program takes all that stands behind."""
    assert read("plan", ["gke", "--set", "a=1", "--set", "b=2"]).overrides == ["a=1", "b=2"]
    words = ["a4", "--nodes", "2", "--run", "python", "train.py", "--nodes", "3"]
    assert read("job", words).program == ["python", "train.py", "--nodes", "3"]
    assert read("job", ["--nodes", "2", "--for", "any", "--check", "a", "b"]).check == ["a", "b"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan", "gke", "--jso"], "unrecognized arguments: --jso"),
        (["plan", "gke", "--set=--"], "argument --set: got '--'; expected a value"),
        (["artifacts", "gke", "--mirror", "a", "--sbom"], "not allowed with argument --mirror"),
        (["upgrade", "gke", "--to", "1", "--write", "--rehearse"], "not allowed with argument --write"),
        (["graph"], "the following arguments are required: COMMAND"),
        ([], "the following arguments are required: COMMAND"),
        (["init", "azure"], "invalid choice: 'azure'"),
    ],
)
def test_usage(words: list[str], said: str):
    """One line on stderr that names the verb's help, exit code 2."""
    code, out, err = command(*words)

    assert (code, out) == (2, "") and said in err
    assert re.search(r"\A[^\n]*; see rdma-cluster[a-z ]* -h\n\Z", err)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], sorted({name.split()[0] for name in VERBS})),
        (["machines", "a4-"], ["a4-highgpu-8g"]),
        (["verdict", "x.log", "--waive", "so"], ["socket"]),
        (["verdict", "x.log", "--machine", "a4-highgpu-8g", "--nvl"], ["--nvlink"]),
        (["job", "a4", "--kind", "m"], ["mpijob"]),
        (["init", "g"], ["gce", "gke"]),
        (["completion", ""], ["bash", "fish", "zsh"]),
        (["plan", "gke", "--config", ""], []),
        (["plan", "gke", "x"], []),
        (["plan", "gke", "--set", "a=1", "--js"], ["--json"]),
        (["plan", "--set", "a=1", "gke-a4"], ["gke-a4x"]),
        (["graph", "di"], ["diff"]),
        (["graph", "diff", ""], []),
        (["none", ""], []),
    ],
)
def test_next_words(words: list[str], expected: list[str], capsys: pytest.CaptureFixture[str]):
    """Verbs, options that begin so, and values where they are few; nothing where a file is meant."""
    assert show_next(parser(), words) == 0
    assert capsys.readouterr().out.split() == expected


@pytest.mark.parametrize("part", Part)
def test_each_part_can_be_upgraded(part: Part):
    """By its own name, and by no other."""
    assert read("upgrade", ["gke", "--to", "1.36", "--part", part.value]).part == part.value
    with pytest.raises(Usage):
        read("upgrade", ["gke", "--to", "1.36", "--part", f"{part.value}s"])
