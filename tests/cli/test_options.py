"""Verbs and their options against the records that they fill, and against the lines that the documents show."""

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
from rdma_cluster.cli.parser import Parser
from tests.cli.commands import command
from tests.stacks import ROOT

PAGES = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "DEVELOPERS.md", *ROOT.glob("examples/**/*.md")])
DEFAULT = re.compile(r"(?:default (?:is )?|; )([\w./-]+)$|[dD]efault ([\w.]+)|by default (\w+)$")
"""How the help of an option ends."""
DEFAULTS = {"tool": "plain", "namespace": "default", "gpu_allocation": "dra", "folder": Path()}
"""The defaults that no help tells."""


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


@pytest.mark.parametrize("name", VERBS)
def test_an_option_has_the_type_of_its_field_and_the_default_of_its_help(name: str):
    """An option that is needed is asked for by its name."""
    verb, hints = VERBS[name], get_type_hints(VERBS[name].get_default("verb"))
    options = [each for each in verb._actions if each.dest != "help"]
    required = [each for each in options if each.required]
    needed = [word for each in required for word in (*each.option_strings[:1], *sample(hints[each.dest], each)[0])]

    assert {each.dest for each in options} == hints.keys()
    if required:
        code, _, err = command(*name.split())
        assert code == 2 and all(
            str((each.option_strings or [each.metavar or each.dest])[0]) in err for each in required
        )
    for action in options:
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


def test_help_and_the_page_of_the_command_list_every_verb_in_its_group():
    help = command("--help")[1]
    listed = [name for group in GROUPS.values() for name in group]

    assert sorted(listed) == sorted(VERBS)
    assert re.findall(r"^  ([a-z]+(?: [a-z]+)?)  ", help.partition("\nplan:\n")[2], re.MULTILINE) == listed
    table = (ROOT / "docs" / "command.md").read_text("utf-8").partition("| | command |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| ?[a-z]* ?\| `(graph diff|[a-z]+)", table, re.MULTILINE) == listed
    for verb in VERBS:
        code, out, _ = command(*verb.split(), "-h")
        assert code == 0 and out.startswith(f"usage: rdma-cluster {verb} ")


def test_a_verb_of_a_missing_distribution_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    """Nothing looks for the distribution before somebody asks for the verb."""
    asked: list[str] = []
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group, name: asked.append(name) or ())
    parser.cache_clear()
    try:
        assert command("stacks")[0] == command("--help")[0] == 0 and asked == []
        code, out, err = command("rehearse", "gke")
        assert (code, out) == (2, "") and 'pip install "rdma-cluster-rehearsal"' in err
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
def test_a_line_of_the_documents_names_verbs_and_options_that_exist(shown: str, line: str):
    words = shlex.split(line.translate(str.maketrans("", "", "[]\\")))[1:]
    known = {option for verb in VERBS.values() for option in verb._option_string_actions} | {"--version", "-h"}
    verb = next((name for name in VERBS if words[: len(name.split())] == name.split()), None)

    options = [word.partition("=")[0] for word in words if word.startswith("-") and len(word) > 2]
    if words and not words[0].startswith("-") and words[0].islower():
        assert verb is not None or words[0] == "graph", shown
        known = set(VERBS[verb]._option_string_actions) if verb else known
    assert set(options) <= known or "--run" in words, shown


@pytest.mark.parametrize(("text", "seconds"), [("1s", 1.0), ("10m", 600.0), ("2h", 7200.0), ("999999s", 999999.0)])
def test_a_time_is_in_seconds_minutes_or_hours(text: str, seconds: float):
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["0s", "90", "s", "1d", "1.5h", "-1s", "1000000s", "9 s", "٣s"])
def test_a_text_of_another_form_is_no_time(text: str):
    with pytest.raises(argparse.ArgumentTypeError, match="90s, 10m or 2h"):
        duration(text)


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("-3", -3), ("123456789", 123456789)])
def test_a_whole_number_has_up_to_nine_digits(text: str, number: int):
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", "x", "1.5", "1e3", "٣", "1234567890", "+1", "--1", " 1"])
def test_a_text_of_another_form_is_no_whole_number(text: str):
    with pytest.raises(argparse.ArgumentTypeError, match="whole number"):
        whole_number(text)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["plan", "gke", "--jso"], "--jso"),
        (["plan", "gke", "--set=--"], "--set: got '--'"),
        (["plan", "\x1b", "--odd\x1b"], "--odd\\u001b"),
        (["artifacts", "gke", "--mirror", "a", "--sbom"], "--mirror"),
        (["graph"], "COMMAND"),
        (["graph", "diff", "one"], "required: B"),
        ([], "COMMAND"),
        (["deploy"], "'deploy'"),
        (["init", "azure"], "'azure'"),
        (["claims", "p5.48xlarge", "--pairs", "\u0663"], "'\u0663'"),
    ],
)
def test_a_wrong_command_line_is_one_line_that_names_the_help(words: list[str], named: str):
    """Nothing in it acts on a terminal."""
    code, out, err = command(*words)

    assert (code, out) == (2, "") and named in err
    assert re.search(r"\A[^\n]*; see rdma-cluster[a-z ]* -h\n\Z", err)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], sorted({name.split()[0] for name in VERBS})),
        (["machines", "a4-"], ["a4-highgpu-8g"]),
        (["verdict", "x.log", "--waive", "so"], ["socket"]),
        (["verdict", "x.log", "--machine", "a4-highgpu-8g", "--nvl"], ["--nvlink"]),
        (["init", "g"], ["gce", "gke"]),
        (["plan", "gke", "--config", ""], []),
        (["plan", "gke", "x"], []),
        (["plan", "--set", "a=1", "gke-a4"], ["gke-a4x"]),
        (["graph", "di"], ["diff"]),
        (["none", ""], []),
    ],
)
def test_a_shell_offers_verbs_options_and_values(
    words: list[str], expected: list[str], capsys: pytest.CaptureFixture[str]
):
    """Nothing is offered where a file is meant."""
    assert show_next(parser(), words) == 0
    assert capsys.readouterr().out.split() == expected
