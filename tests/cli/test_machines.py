"""`rdma-cluster machines` on a small catalogue: what is shown, chosen and refused; and a few facts of the real one."""

import json
import re
from dataclasses import replace

import pytest
from rdma_cluster.catalog.machine import Capacity, Known, Source, Threshold
from rdma_cluster.catalog.prices import Price
from rdma_cluster.catalog.questions import Figure, Question
from rdma_cluster.cli import machines as verb
from tests.cli.commands import command
from tests.machines import known_machine

DOCS, RUN, LIST = Source("docs.example/a", "2026-02-01"), Source("a run", "2026-03-01"), Source("a list", "2026-01-01")


def threshold(size: int, gbytes: float, published: float | None, nvlink: bool = False) -> Threshold:
    """A threshold of two nodes with eight GPUs each."""
    return Threshold("all_gather", 2, 8, size, gbytes, published, RUN, nvlink=nvlink)


PAIRED = replace(
    known_machine("a4-highgpu-8g"), name="paired", sources=(DOCS,), unknown={}, unverified={}, driver="580",
    capacity=(Capacity.SPOT, Capacity.RESERVATION), min_kubernetes={"dra": "1.34", "gvnic": "1.30"},
    thresholds=(threshold(1 << 30, 145.0, 182.5), threshold(8 << 30, 150.25, None)),
)  # fmt: skip
RACK = replace(
    known_machine("p6e-gb200.36xlarge"), name="rack", sources=(), unknown={"roots": "nobody knows"},
    unverified={"efa_max": "one source"}, driver=None, min_kubernetes={},
    thresholds=(threshold(1 << 30, 700.0, 800.0, nvlink=True), threshold(1 << 30, 90.0, 100.0)),
)  # fmt: skip
BARE = replace(
    known_machine("a4-highgpu-8g"), name="bare", gpu=None, gpus=0, nic_gbps=None, roots=None, thresholds=(), driver=None
)
H100 = replace(known_machine("p5.48xlarge"), name="h100")
ROWS = {each.name: each for each in (PAIRED, RACK, BARE, H100)}
PRICES = {"paired": (Price(1234.5, 1234.5, "2026-01-01", (LIST,), ("r1", "r2")), Price(9.0, 2000.0, "2026-01-02", (
    LIST, RUN), ("r3",)))}  # fmt: skip
FIGURES = {
    "paired": [Figure("paired", "gpus", Known.PUBLISHED, (DOCS,), ""), Figure("paired", "nics", Known.MEASURED, (
        RUN, LIST), ""), Figure("paired", "nic_pci", Known.MEASURED, (RUN,), ""), Figure(
        "paired", "roots", Known.UNKNOWN, (), "why")],
    "rack": [],
}  # fmt: skip
QUESTIONS = [Question("rack", "roots", "unknown", "nobody knows"), Question("h100", "mtu", "unverified", "one source")]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts these rows in the place of the catalogue."""
    monkeypatch.setattr(verb, "machines", lambda: tuple(ROWS.values()))
    monkeypatch.setattr(verb, "find", ROWS.get)
    monkeypatch.setattr(verb, "unknown", lambda name: f"unknown machine {name}")
    monkeypatch.setattr(verb, "prices", lambda machine: PRICES.get(machine.name, ()))
    monkeypatch.setattr(verb, "why_unlisted", lambda machine: f"{machine.name} is not for sale")
    monkeypatch.setattr(verb, "figures", lambda machine: FIGURES[machine.name])
    monkeypatch.setattr(verb, "open_questions", lambda: QUESTIONS)


def cells(line: str) -> list[str]:
    """The cells of a row, or the headings."""
    return re.split(r" {2,}", line.strip())


@pytest.mark.usefixtures("small")
def test_the_list_has_a_row_for_each_machine():
    """A dash stands for what a machine has not, and a question mark for a rate that nobody published."""
    code, out, _ = command("machines")
    head, _, *rows = map(cells, out.splitlines())

    assert (code, head[:2], head[-2:]) == (0, ["cloud", "machine"], ["pairs", "usd an hour"])
    assert rows == [
        ["gke", "paired", "8 x NVIDIA B200", "8 x 400 Gb/s", "gIB", "amd64", "yes", "9.00 to 2,000.00"],
        ["eks", "rack", "4 x NVIDIA GB200", "4 x 400 Gb/s", "EFA", "arm64", "no", "-"],
        ["gke", "bare", "-", "8 x ? Gb/s", "gIB", "amd64", "-", "-"],
        ["eks", "h100", "8 x NVIDIA H100 80GB HBM3", "32 x 100 Gb/s", "EFA", "amd64", "yes", "-"],
    ]


@pytest.mark.usefixtures("small")
def test_one_machine_shows_its_needs_its_thresholds_its_prices_and_its_sources():
    out = command("machines", "paired")[1]

    assert [line for line in out.splitlines() if line.startswith(("capacity", "needs", "driver"))] == [
        "capacity  spot, reservation",
        "needs     dra: 1.34 or later",
        "needs     gvnic: 1.30 or later",
        "driver    580",
    ]
    rows = [cells(line) for line in out.splitlines()]
    assert ["all_gather", "2", "8", "1024 MiB", "145 GB/s", "182.5 GB/s"] in rows
    assert ["all_gather", "2", "8", "8192 MiB", "150.25 GB/s", "-"] in rows
    assert ["1,234.50", "2026-01-01", "r1 r2"] in rows and ["9.00 to 2,000.00", "2026-01-02", "r3"] in rows
    assert out.partition("\nmeasured: ")[2].splitlines() == [
        "nics, nic_pci: a run (2026-03-01)", "measured: nics: a list (2026-01-01)",
        "published: gpus: in the sources below", "", "sources", "  2026-02-01  docs.example/a", "", "price lists",
        "  2026-01-01  a list", "  2026-03-01  a run",
    ]  # fmt: skip


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("words", "names"),
    [
        ((), ["paired", "rack", "bare", "h100"]),
        (("rack", "--cloud", "eks"), ["rack"]),
        (("--cloud", "gke"), ["paired", "bare"]),
        (("--gpu", "NVIDIA B200"), ["paired"]),
        (("b200", "--cloud", "gke"), ["paired"]),
        (("--gpu", "80gb"), ["h100"]),
    ],
)
def test_machines_are_chosen_by_name_by_cloud_or_by_words_of_a_gpu(words: tuple[str, ...], names: list[str]):
    """The words may be in any case, and B200 is no GB200; a name that no machine has may be a GPU's."""
    code, out, err = command("machines", *words, "--json")

    assert (code, err, [each["name"] for each in json.loads(out)]) == (0, "", names)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("nothing",), ["unknown machine nothing"]),
        (("B200", "--gpu", "B200"), ["unknown machine B200"]),
        (("--cloud", "oke"), ["--cloud: ", "eks, gke"]),
        (("rack", "--cloud", "gke"), ["rack", "gke"]),
        (("--gpu", "A100"), ["--gpu: ", "'A100'", "B200, GB200, H100"]),
        (("bare", "--gpu", "B200"), ["--gpu: ", "without GPUs"]),
    ],
)
def test_a_choice_of_no_machine_is_refused_with_what_there_is(words: tuple[str, ...], named: list[str]):
    code, out, err = command("machines", *words)

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert all(each in err for each in named)


@pytest.mark.usefixtures("small")
def test_open_points_are_those_of_the_machines_that_are_asked_for():
    every = json.loads(command("machines", "--unverified", "--json")[1])
    code, out, _ = command("machines", "--unverified", "--gpu", "GB200")

    assert [each["machine"] for each in every] == ["rack", "h100"]
    assert (code, [cells(line) for line in out.splitlines()[2:]]) == (0, [["rack", "roots", "unknown", "nobody knows"]])
    assert command("machines", "--unverified", "paired") == (0, "", "")


def test_a_machine_that_is_sold_by_contract_says_so():
    assert "on-demand price of one machine: sold by contract: " in command("machines", "a4x-highgpu-4g")[1]
