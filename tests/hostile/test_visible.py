"""No verb prints a control character, escape sequence, bidi mark or lone surrogate of other people."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import unicodedata
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from pulumi_offline.visible import visible, visible_lines
from rdma_agent.kube_api import plain
from rdma_cluster.cli.app import parser
from rdma_cluster.cli.output import all_visible, as_json, paragraph, table
from rdma_cluster.cli.page.part import escaped
from rdma_cluster.incluster.plan.acceptance.expectation import expect
from rdma_cluster.supply import registry
from tests.cli.commands import command
from tests.cli.terminal import Terminal
from tests.examples import examples
from tests.hostile import others
from tests.machines import known_machine
from tests.readiness import played
from tests.stacks import ROOT, graph_of

ACTS = "\x1b]0;title\x07\x1b[2J\x9b31m\r\x00\x7f\u202e\u2066\u200b\ufeff\u061c\U000e0041\ud800"
"""OSC, CSI, C1, a return, NUL, DEL, both kinds of bidi marks, nothing that is seen, a tag, a lone surrogate."""
ANY = st.text(st.characters(codec=None) | st.sampled_from(ACTS + "\n\t"), max_size=40)


def acting(text: str) -> set[str]:
    """The characters of a text that are not shown as they are, except ends of lines."""
    return {each for each in text if each != "\n" and unicodedata.category(each)[0] in "CZ" and each != " "}


@given(ANY)
@example(ACTS)
def test_a_visible_text_is_one_line_and_in_json_the_same_text(text: str):
    shown = visible(text)

    assert acting(shown) == set() and "\n" not in shown
    shown.encode()
    assert visible(shown) == shown
    quoted = json.dumps(text, ensure_ascii=False)
    assert json.loads(visible_lines(quoted)) == text


@given(ANY)
def test_tables_paragraphs_and_pages_show_any_text(text: str):
    """A cell has no lines but those that its width gives it."""
    assert len(table([{"a": text, "b": "c"}], text).splitlines()) == 3 + bool(text)
    for shown in (table([{"a": text}]), paragraph(text), as_json({text: text}), escaped(text)):
        assert acting(shown) == set()
    assert ElementTree.fromstring(f'<a b="{escaped(text)}">{escaped(text)}</a>').text == (visible(text) or None)


@given(ANY)
def test_scripts_of_pods_write_ascii(text: str):
    """Kubernetes may cut a message anywhere."""
    assert acting(plain(text)) == set() and plain(text).isascii() and len(plain(text)) == len(text)


@given(ANY)
def test_every_way_to_a_stream_is_made_visible(text: str):
    with redirect_stdout(Terminal()) as out, redirect_stderr(StringIO()) as err, all_visible():
        print("\x1b[1mours\x1b[0m" + text)
        sys.stdout.writelines([text, "end"])
        print(text, file=sys.stderr)

    shown = out.getvalue()
    assert shown.startswith("\x1b[1mours\x1b[0m") and shown.endswith("end")
    assert acting(re.sub(r"\x1b\[\d+m", "", shown) + err.getvalue()) == set()


LOG = f"""\
# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 1073741824 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1
# Using devices
#  Rank  0 Group  0 Pid 1 on no{ACTS[:-1]}de device  0 [0x00] NVIDIA B200
no{ACTS[:-1]}de: Test NCCL failure all_reduce.cu:44 'unhandled {ACTS[:-1]} error'
no{ACTS[:-1]}de:1:1 [0] NCCL INFO Using network So{ACTS[:-1]}cket
"""
POD = {
    "metadata": {"name": ACTS, "annotations": {"rdma-cluster/inject": "true"}},
    "spec": {"containers": [{"name": ACTS, "image": "x", "resources": {"limits": {"nvidia.com/gpu": 3}}}]},
}


def hostile_graph(path: Path, nodes: int) -> str:
    """A graph whose names, keys and values act."""
    data = graph_of("gke").to_dict()
    for each in data["resources"]:
        if each["type"] == "gcp:container/nodePool:NodePool":
            each.update(name=f"a{ACTS}", urn=f"{each['urn']}{ACTS}")
            each["inputs"] = {**each["inputs"], "nodeCount": nodes, f"key{ACTS}": f"{nodes}{ACTS}"}
    path.write_text(json.dumps(data))
    return str(path)


def verbs(folder: Path) -> list[tuple[str, ...]]:
    """Every verb, with texts of other people wherever it takes some."""
    (folder / "log").write_text(LOG)
    (folder / "pod.yaml").write_text(json.dumps(POD))
    key = json.dumps(f"rdma-cluster:{ACTS}")
    (folder / "stack.yaml").write_text(f"config:\n  rdma-cluster:cloud: gke\n  {key}: 1\n")
    odd = folder / f"o{ACTS[:-1].replace(chr(0), '')}\nd"
    odd.write_text("x")
    one, other = hostile_graph(folder / "one.json", 2), hostile_graph(folder / "other.json", 3)
    name, file = ACTS, str(odd)
    of_stacks = ("plan", "preview", "artifacts", "rehearse", "lock", "conform", "trial")
    return [
        *((verb, name) for verb in (*of_stacks, "machines", "explain", "schema", name)),
        *((verb, "gke", "--set", f"pools[0].name=a{name}") for verb in of_stacks),
        *((verb, "gke", "--set", name) for verb in of_stacks),
        *((verb, "gke", "--config", file) for verb in of_stacks),
        *((verb, "gke", "--config", str(folder / "stack.yaml")) for verb in ("plan", "preview")),
        ("plan", "gke", "--set", "pools[0].labels={" + json.dumps(f"a{name}") + ": b}"),
        ("plan", "gke", "--since", file),
        ("plan", "gke", "--since", other),
        ("drift", "gke", "--state", other),
        ("drift", "gke", "--state", file),
        ("lock", "gke"),
        ("upgrade", "gke", "--to", name),
        ("upgrade", name, "--to", name),
        ("upgrade", "gke", "--to", "1.36.1-gke.1842000", "--pool", name),
        ("conform", "gke", "--offline", others.snapshot(folder, ACTS)),
        ("conform", "gke", "--offline", others.snapshot(folder, ACTS), "--json"),
        ("conform", "gke", "--offline", others.snapshot(folder, ACTS), "--save", f"{file}/none"),
        ("conform", "gke", "--offline", file),
        ("conform", "gke", "--kubeconfig", played.kubeconfig(folder, f"http://127.0.0.1:1/{ACTS}", ACTS)),
        ("conform", "gke", "--kubeconfig", file),
        ("proofs", "--kubeconfig", str(folder / "kubeconfig")),
        ("proofs", "--kubeconfig", str(folder / "kubeconfig"), "--json"),
        ("proofs", "--kubeconfig", file),
        ("plan", "gke", "--html", f"{file}/none"),
        ("graph", "diff", one, other),
        ("graph", "diff", one, other, "--json"),
        ("graph", "diff", one, file),
        ("graph", name, one),
        ("init", name),
        ("init", "gke", "--folder", f"{file}/none"),
        ("completion", name),
        ("claims", name, "--whole"),
        ("claims", "a4-highgpu-8g", "--groups", name),
        ("claims", "a4-highgpu-8g", "--whole", "--namespace", name, "--driver", name),
        ("claims", "a4-highgpu-8g", "--whole", "--kubernetes", name, "--gpu-allocation", name),
        ("job", name, "--nodes", "2"),
        ("job", "a4-highgpu-8g", "--nodes", name),
        ("job", "a4-highgpu-8g", "--nodes", "2", "--name", name, "--queue", name, "--image", name, "--namespace", name),
        ("job", "a4-highgpu-8g", "--nodes", "2", "--run", name),
        ("job", "a4-highgpu-8g", "--nodes", "2", "--json", "--run", name),
        ("inject", str(folder / "pod.yaml"), "--machine", "a4-highgpu-8g"),
        ("inject", str(folder / "pod.yaml"), "--machine", "a4-highgpu-8g", "--yaml"),
        ("inject", str(folder / "pod.yaml"), "--machine", "a4-highgpu-8g", "--json"),
        ("inject", file, "--machine", name),
        ("inject", file, "--machine", "a4-highgpu-8g", "--fabric", name, "--gpu-allocation", name),
        ("rehearse", "gke", "--fault", name),
        ("rehearse", "gke", "--control-plane", file),
        ("verdict", str(folder / "log"), "--machine", "a4-highgpu-8g", "--nodes", "2"),
        ("verdict", str(folder / "log"), "--machine", "a4-highgpu-8g", "--nodes", "2", "--json"),
        ("verdict", file, "--machine", "a4-highgpu-8g", "--nodes", "2"),
        ("verdict", file, "--machine", name, "--nodes", name),
        ("verdict", file, "--machine", "a4-highgpu-8g", "--nodes", "2", "--waive", name, "--plot", f"{file}/none"),
        ("verdict", file, "--machine", "a4-highgpu-8g", "--nodes", "2", "--threshold", name, "--collective", name),
    ]  # fmt: skip


@pytest.mark.thorough
def test_every_verb_prints_hostile_texts_visibly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "pulumi").touch(0o755)
    played.play(monkeypatch, others.cluster(ACTS), ACTS)
    monkeypatch.setattr(registry, "ask", others.refusing(ACTS))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    seen = 0
    for words in verbs(tmp_path):
        code, out, err = command(*words)

        assert code in (0, 1, 2), words
        assert acting(out + err) == set(), words
        assert "Traceback" not in err
        seen += "\\u001b" in out + err
    assert seen > 15


def test_the_list_of_verbs_is_whole(tmp_path: Path):
    (known,) = (each.choices for each in parser()._actions if isinstance(each.choices, dict))

    assert set(known) - {words[0] for words in verbs(tmp_path)} == {"stacks"}  # it takes nothing


def test_the_judge_in_a_pod_prints_hostile_texts_visibly(tmp_path: Path):
    machine = known_machine("a4-highgpu-8g")
    (tmp_path / "log").write_text(LOG)
    (tmp_path / "expect.json").write_text(expect(machine, nodes=2).to_json())
    words = [sys.executable, "-m", "nccl_verdict", str(tmp_path / "log"), "--expect", str(tmp_path / "expect.json")]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "components")}
    done = subprocess.run([*words, "--termination", str(tmp_path / "said")], env=env, capture_output=True, text=True)

    assert done.returncode in (1, 2) and "\\u202e" in done.stdout + done.stderr
    assert acting(done.stdout + done.stderr + (tmp_path / "said").read_text()) == set()


def test_only_our_own_styles_act_on_a_terminal(tmp_path: Path):
    (tmp_path / "log").write_text(LOG)
    here, there = pty.openpty()
    words = [str(Path(sys.executable).parent / "rdma-cluster"), "verdict", str(tmp_path / "log")]
    with subprocess.Popen(
        [*words, "--machine", "a4-highgpu-8g", "--nodes", "2"], cwd=ROOT, stdout=there, stderr=there, stdin=there
    ) as process:
        os.close(there)
        shown = b""
        while select.select([here], [], [], 60)[0]:
            try:
                shown += os.read(here, 1 << 16)
            except OSError:
                break
        process.wait(60)
    os.close(here)
    text = shown.decode().replace("\r\n", "\n")

    assert "\x1b[31m" in text and "\\u202e" in text.replace("\n", "")
    for style in ("0", "1", "31", "32", "33"):
        text = text.replace(f"\x1b[{style}m", "")
    assert acting(text) == set()


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=examples(10, 100))
@given(st.lists(ANY, min_size=1, max_size=4))
def test_any_words_of_a_command_line_are_printed_visibly(words: list[str]):
    code, out, err = command(*words)

    assert code in (0, 1, 2) and acting(out + err) == set()
