"""Verbs and their options against the records that they fill, and against the lines that the documents show."""

import argparse
import re
import shlex
from collections.abc import Iterator
from typing import get_type_hints

import pytest
from rdma_cluster.cli.app import GROUPS, parser
from rdma_cluster.cli.completion import show_next
from rdma_cluster.cli.options import duration, whole_number
from rdma_cluster.cli.parser import Parser
from tests.cli.commands import command
from tests.stacks import ROOT

PAGES = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "DEVELOPERS.md", *ROOT.glob("examples/**/*.md")])


def leaves(of: Parser, *words: str) -> Iterator[tuple[str, Parser]]:
    """Every verb that does something, with its parser."""
    for action in of.fill()._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from leaves(below, *words, name)
    if of.get_default("verb"):
        yield " ".join(words), of


VERBS = dict(leaves(parser()))


@pytest.mark.parametrize("name", VERBS)
def test_an_option_is_a_field_of_its_verb_and_asked_for_where_it_is_needed(name: str):
    options = [each for each in VERBS[name]._actions if each.dest != "help"]
    required = [(*each.option_strings, each.metavar or each.dest)[0] for each in options if each.required]

    assert {each.dest for each in options} == get_type_hints(VERBS[name].get_default("verb")).keys()
    if required:
        code, _, err = command(*name.split())
        assert code == 2 and all(str(each) in err for each in required)


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
    for wrong in ("0s", "90", "1d", "1.5h", "-1s", "1000000s", "9 s", "٣s"):
        with pytest.raises(argparse.ArgumentTypeError, match="90s, 10m or 2h"):
            duration(wrong)


def test_a_whole_number_has_up_to_nine_digits():
    assert [whole_number(text) for text in ("0", "-3", "123456789")] == [0, -3, 123456789]
    for wrong in ("", "1.5", "1e3", "٣", "1234567890", "+1", "--1", " 1"):
        with pytest.raises(argparse.ArgumentTypeError, match="whole number"):
            whole_number(wrong)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["plan", "gke", "--jso"], "--jso"),
        (["plan", "gke", "--set=--"], "--set: got '--'"),
        (["plan", "\x1b", "--odd\x1b"], "--odd\\u001b"),
        (["artifacts", "gke", "--mirror", "a", "--sbom"], "--mirror"),
        (["graph"], "COMMAND"),
        (["graph", "diff", "one"], "required: B"),
        (["verdict", "a.log", "--nodes", "2"], "required: --machine"),
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
