"""A file that would cost a reader its memory or its time is refused in a line, and soon."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pulumi_offline.graph import Graph
from pulumi_offline.losses import losses
from pulumi_offline.replacements import roots
from rdma_cluster.cli.losses import in_words
from tests.cli.commands import command

pytestmark = pytest.mark.variant

SECONDS = 15.0
"""Far more than any of these takes; a reader whose time grows with the square takes minutes."""

Verb = Callable[[str], tuple[str, ...]]
EMPTY = '{"stack": "a", "outputs": {}, "resources": []}'
URN = "urn:pulumi:dev::p::t$kubernetes:core/v1:Pod::"

OF_YAML: dict[str, Verb] = {
    "plan": lambda file: ("plan", "gke", "--config", file),
    "preview": lambda file: ("preview", "gke", "--config", file),
    "artifacts": lambda file: ("artifacts", "gke", "--config", file),
    "inject": lambda file: ("inject", file, "--machine", "a4-highgpu-8g"),
    "rehearse": lambda file: ("rehearse", "gke", "--config", file),
    "kubeconfig": lambda file: ("rehearse", "gke", "--control-plane", file),
}
OF_JSON: dict[str, Verb] = {
    "graph diff": lambda file: ("graph", "diff", file, file),
    "plan --since": lambda file: ("plan", "gke", "--since", file),
    "drift": lambda file: ("drift", "gke", "--state", file),
}


@pytest.fixture(autouse=True)
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A file on PATH that a rehearsal takes for its engine, and never starts."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "pulumi").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def refused(verb: Verb, text: str | Path, folder: Path) -> str:
    """The words on stderr about a file, in time and without a traceback."""
    file = text if isinstance(text, Path) else folder / "file"
    if isinstance(text, str):
        (folder / "file").write_text(text, encoding="utf-8", errors="surrogatepass")
    started = time.process_time()
    code, out, err = command(*verb(str(file)))

    assert time.process_time() - started < SECONDS
    assert (code, out) == (2, "")
    assert err.count("\n") <= 2 and "Traceback" not in err and len(err) < 500
    return err


BOMB = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9))
MERGES = "a: &a {" + ", ".join(f"k{i}: 1" for i in range(2000)) + "}\nb: [" + "{<<: *a}, " * 1999 + "{<<: *a}]\n"
YAML = {
    "endless": (Path("/dev/zero"), "longer than 1 MiB"),
    "deep": ("[" * 5000, "nested deeper than 40 levels"),
    "aliases": (BOMB, "values with its aliases written out"),
    "merges": (MERGES, "values with its aliases written out"),
    "itself": ("a: &a [*a]\n", "*a holds itself"),
    "twice": ("a: 1\na: 2\n", "stands here twice"),
    "date": ("a: 2026-11-23\n", "got the date 2026-11-23; put it in quotes"),
    "binary": ("a: !!binary aGk=\n", "is not known here"),
    "python": ("a: !!python/object/apply:os.system [id]\n", "is not known here"),
    "surrogate": ("a: \ud800\n", "is no UTF-8; save the file as UTF-8"),
    "escape": ("a: \x1b[2J\n", "character U+001B is not allowed in YAML"),
    "list": ("a: [", "is no YAML"),
}


@pytest.mark.parametrize(
    ("verb", "case"),
    [
        # What else reads YAML does so by the same reader: by its depth and its aliases alone.
        pytest.param(verb, case, marks=[] if verb == "plan" or case in ("deep", "aliases") else pytest.mark.thorough)
        for case in YAML
        for verb in OF_YAML
    ],
)
def test_every_verb_refuses_hostile_yaml(verb: str, case: str, tmp_path: Path):
    text, answer = YAML[case]

    assert answer in refused(OF_YAML[verb], text, tmp_path)


def test_a_stack_file_and_a_kubeconfig_are_one_document(tmp_path: Path):
    """A manifest is some."""
    many = "--- a\n" * 90_000

    assert "a second document begins; a stack file is one" in refused(OF_YAML["plan"], many, tmp_path)
    assert "a second document begins; a kubeconfig is one" in refused(OF_YAML["kubeconfig"], many, tmp_path)
    assert "more than 1,000 documents" in refused(OF_YAML["inject"], many, tmp_path)


def graph(**other: Any) -> str:
    """A graph with one resource that has another value somewhere."""
    resource = {
        "urn": f"{URN}a", "type": "kubernetes:core/v1:Pod", "name": "a", "parent": None, "provider": None,
        "inputs": {}, "options": {}, "dependencies": [],
    }  # fmt: skip
    return json.dumps({"stack": "a", "outputs": {}, "resources": [{**resource, **other}]})


JSON = {
    "endless": Path("/dev/zero"),
    "deep": "[" * 200_000,
    "deep inside": graph(inputs=json.loads("[" * 200 + "]" * 200)),
    "no number": EMPTY.replace("{}", "NaN"),
    "surrogate": '{"a": "\ud800"}',
    "list": "[]",
    "word": '"a"',
    "number": "1",
    "null": "null",
    "urn": graph(urn=1),
    "urn without parts": graph(urn="a"),
    "type": graph(type=["a"]),
    "name": graph(name=None),
    "parent": graph(parent=[]),
    "own parent": graph(parent=f"{URN}a"),
    "provider": graph(provider={}),
    "inputs": graph(inputs=[1]),
    "options": graph(options=1),
    "ignored changes": graph(options={"ignoreChanges": 1}),
    "dependencies": graph(dependencies="a"),
    "resources": '{"stack": "a", "outputs": {}, "resources": {"a": 1}}',
    "outputs": '{"stack": "a", "outputs": 1, "resources": []}',
}


@pytest.mark.parametrize(
    ("verb", "case"),
    [
        *(("graph diff", case) for case in JSON),
        *((verb, case) for verb in ("plan --since", "drift") for case in ("endless", "urn")),
    ],
)
def test_a_file_with_another_kind_of_value_is_no_graph(verb: str, case: str, tmp_path: Path):
    assert "holds no graph" in refused(OF_JSON[verb], JSON[case], tmp_path)


def test_a_chain_of_two_thousand_resources_is_compared_in_time():
    """Each of them lives with the one before."""
    (one,) = json.loads(graph())["resources"]
    resources = [
        {**one, "urn": f"{URN}{i}", "name": str(i), "options": {"deletedWith": f"{URN}{i - 1}"}} for i in range(2000)
    ]
    first = {**resources[0], "options": {"replacementTrigger": "a"}}
    before = Graph.from_dict({"stack": "a", "outputs": {}, "resources": [first, *resources[1:]]})
    trigger = {**resources[0], "options": {"replacementTrigger": "b"}}
    after = Graph.from_dict({"stack": "a", "outputs": {}, "resources": [trigger, *resources[1:]]})
    started = time.process_time()
    lost = losses(before, after)

    assert len(lost.replaced) == 2000
    assert "and 1999 objects on it" in in_words(lost, before, after, roots(lost.replaced))["replaces"][0]
    assert time.process_time() - started < SECONDS


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("config:\n  rdma-cluster:cloud: gke\n  rdma-cluster:pools:\n  - {}\n" + "    {}: 1\n", 4000),
        ("config:\n  rdma-cluster:cloud: gke\n" + "  rdma-cluster:{}: 1\n", 4000),
        ("config:\n  rdma-cluster:cloud: gke\n" + "  rdma-clustr:{}: 1\n", 4000),
    ],
)
def test_thousands_of_unknown_keys_are_named_in_time(text: str, most: int, tmp_path: Path):
    head, _, line = text[:-1].rpartition("\n")
    lines = "\n".join(line.replace("{}", f"k{i}") for i in range(most))
    (tmp_path / "file").write_text(f"{head.replace('{}', 'name: a')}\n{lines}\n")
    started = time.process_time()
    code, out, err = command("plan", "gke", "--config", str(tmp_path / "file"))

    assert (code, out) == (2, "") and time.process_time() - started < SECONDS
    assert err.count("unknown key") >= most


@pytest.mark.parametrize(
    "override",
    [
        "a" + ".a" * 20_000 + "=1",
        "pools" + "[0]" * 20_000 + "=1",
        "pools[0]" + '["a"]' * 20_000 + "=1",
        "a=" + "[" * 20_000,
        "a." + "b" * 200_000,
        "a=" + "x" * 2_000_000,
        "a=\ud800",
        "\ud800=1",
    ],
    ids=lambda each: each[:12],
)
def test_an_override_of_any_length_is_refused(override: str, tmp_path: Path):
    refused(lambda _: ("plan", "gke", "--set", override), EMPTY, tmp_path)
