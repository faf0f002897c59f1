"""``rdma-cluster machines`` line by line, on a small catalogue: what is shown, chosen and refused."""

import json
from dataclasses import replace

import pytest
from rdma_cluster.catalog import find
from rdma_cluster.catalog.machine import Capacity, Known, Machine, Source, Threshold
from rdma_cluster.catalog.prices import Price
from rdma_cluster.catalog.questions import Figure, Question
from rdma_cluster.cli import machines as verb
from tests.cli.commands import command

DOCS, RUN, LIST = Source("docs.example/a", "2026-02-01"), Source("a run", "2026-03-01"), Source("a list", "2026-01-01")


def known(name: str) -> Machine:
    """A row of the catalogue."""
    found = find(name)
    assert found is not None
    return found


def threshold(size: int, gbytes: float, published: float | None, nvlink: bool = False) -> Threshold:
    """Of 2 nodes with 8 GPUs each."""
    return Threshold("all_gather", 2, 8, size, gbytes, published, RUN, nvlink=nvlink)


PAIRED = replace(
    known("a4-highgpu-8g"), name="paired", sources=(DOCS,), unknown={}, unverified={}, driver="580",
    capacity=(Capacity.SPOT, Capacity.RESERVATION), min_kubernetes={"dra": "1.34", "gvnic": "1.30"},
    thresholds=(threshold(1 << 30, 145.0, 182.5), threshold(8 << 30, 150.25, None)),
)  # fmt: skip
RACK = replace(
    known("p6e-gb200.36xlarge"), name="rack", sources=(), unknown={"roots": "nobody knows"},
    unverified={"efa_max": "one source"}, driver=None, min_kubernetes={},
    thresholds=(threshold(1 << 30, 700.0, 800.0, nvlink=True), threshold(1 << 30, 90.0, 100.0)),
)  # fmt: skip
BARE = replace(
    known("a4-highgpu-8g"), name="bare", gpu=None, gpus=0, nic_gbps=None, roots=None, thresholds=(), driver=None
)
H100 = replace(known("p5.48xlarge"), name="h100")
ROWS = {each.name: each for each in (PAIRED, RACK, BARE, H100)}
PRICES = {"paired": (Price(1234.5, 1234.5, "2026-01-01", (LIST,), ("r1", "r2")), Price(9.0, 2000.0, "2026-01-02", (
    LIST, RUN), ("r3",)))}  # fmt: skip
FIGURES = {
    "paired": [Figure("paired", "gpus", Known.PUBLISHED, (DOCS,), ""), Figure("paired", "nics", Known.MEASURED, (
        RUN, LIST), ""), Figure("paired", "driver", Known.PUBLISHED, (LIST,), ""), Figure(
        "paired", "nic_pci", Known.MEASURED, (RUN,), ""), Figure("paired", "roots", Known.UNKNOWN, (), "why")],
    "rack": [],
}  # fmt: skip
QUESTIONS = [Question("rack", "roots", "unknown", "nobody knows"), Question("h100", "mtu", "unverified", "one source")]


@pytest.fixture(autouse=True)
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of ours."""
    monkeypatch.setattr(verb, "machines", lambda: tuple(ROWS.values()))
    monkeypatch.setattr(verb, "find", ROWS.get)
    monkeypatch.setattr(verb, "unknown", lambda name: f"unknown machine {name}")
    monkeypatch.setattr(verb, "prices", lambda machine: PRICES.get(machine.name, ()))
    monkeypatch.setattr(verb, "why_unlisted", lambda machine: f"{machine.name} is not for sale")
    monkeypatch.setattr(verb, "figures", lambda machine: FIGURES[machine.name])
    monkeypatch.setattr(verb, "open_questions", lambda: QUESTIONS)


def test_a_row_each():
    """A dash for what it has not, a question mark for a rate that is not published; prices from all lists."""
    code, out, err = command("machines")

    assert (code, err) == (0, "")
    assert without_rules(out) == [
        "cloud   machine   gpus                        rails           transport   arch    pairs   usd an hour",
        "gke     paired    8 x NVIDIA B200             8 x 400 Gb/s    gIB         amd64   yes     9.00 to 2,000.00",
        "eks     rack      4 x NVIDIA GB200            4 x 400 Gb/s    EFA         arm64   no      -",
        "gke     bare      -                           8 x ? Gb/s      gIB         amd64   -       -",
        "eks     h100      8 x NVIDIA H100 80GB HBM3   32 x 100 Gb/s   EFA         amd64   yes     -",
    ]


def without_rules(out: str) -> list[str]:
    """Lines of tables and sentences, but those below headings."""
    return [line.rstrip() for line in out.splitlines() if not line or set(line) != {"─"}]


def below_rails(out: str) -> list[str]:
    """The lines of a machine's page but the table of its rails."""
    lines = without_rules(out)
    start = lines.index("rails")
    return lines[1 : start + 1] + lines[start + lines[start:].index("") :]


def test_a_machine_in_full():
    """What it needs, its thresholds, its prices, how each settled figure is known, and where that is from."""
    code, out, err = command("machines", "paired")

    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith("cloud   machine   gpus") and "gke     paired    8 x NVIDIA B200" in out
    assert below_rails(out)[1:] == [
        "",
        "capacity  spot, reservation",
        "needs     dra: 1.34 or later",
        "needs     gvnic: 1.30 or later",
        "driver    580",
        "",
        "rails",
        "",
        "bus bandwidth, out of place",
        "collective   nodes   gpus a node   from       threshold     published",
        "all_gather   2       8             1024 MiB   145 GB/s      182.5 GB/s",
        "all_gather   2       8             8192 MiB   150.25 GB/s   -",
        "",
        "on-demand price of one machine",
        "usd an hour        as of        regions",
        "1,234.50           2026-01-01   r1 r2",
        "9.00 to 2,000.00   2026-01-02   r3",
        "",
        "measured: nics, nic_pci: a run (2026-03-01)",
        "measured: nics: a list (2026-01-01)",
        "published: gpus: in the sources below",
        "published: driver: a list (2026-01-01)",
        "",
        "sources",
        "  2026-02-01  docs.example/a",
        "",
        "price lists",
        "  2026-01-01  a list",
        "  2026-03-01  a run",
    ]


def test_a_rack_without_sources_and_prices():
    """Which of its thresholds is by NVLink; what is open, with the reasons."""
    code, out, _ = command("machines", "rack")

    assert code == 0
    assert below_rails(out)[1:] == [
        "",
        "capacity  capacity-block",
        "",
        "rails",
        "",
        "bus bandwidth, out of place",
        "collective   nodes   gpus a node   from       threshold   published   by",
        "all_gather   2       8             1024 MiB   700 GB/s    800 GB/s    NVLink",
        "all_gather   2       8             1024 MiB   90 GB/s     100 GB/s    NICs",
        "",
        "on-demand price of one machine: rack is not for sale",
        "",
        "",
        "unknown roots: nobody knows",
        "",
        "unverified efa_max: one source",
    ]


def chosen(*words: str) -> list[str]:
    """Names of the machines that are printed as data."""
    code, out, err = command("machines", *words, "--json")
    assert (code, err) == (0, "")
    return [each["name"] for each in json.loads(out)]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ((), ["paired", "rack", "bare", "h100"]),
        (("rack",), ["rack"]),
        (("--cloud", "gke"), ["paired", "bare"]),
        (("rack", "--cloud", "eks"), ["rack"]),
        (("--gpu", "b200"), ["paired"]),
        (("--gpu", "NVIDIA B200"), ["paired"]),
        (("B200",), ["paired"]),
        (("b200", "--cloud", "gke"), ["paired"]),
        (("--gpu", "80gb"), ["h100"]),
        (("paired", "--gpu", "B200"), ["paired"]),
    ],
)
def test_which_machines(words: tuple[str, ...], names: list[str]):
    """By name, cloud, or a GPU's words in any case; a name that no machine has may be a GPU's."""
    assert chosen(*words) == names


def test_a_machine_as_data():
    """With its prices, or why there is none."""
    paired, rack = (json.loads(command("machines", name, "--json")[1])[0] for name in ("paired", "rack"))
    source = {"ref": "a list", "seen": "2026-01-01"}

    assert (rack["prices"], rack["unpriced"]) == ([], "rack is not for sale")
    assert paired["unpriced"] is None and len(paired["prices"]) == 2
    first = paired["prices"][0]
    assert first["sources"][0].items() > source.items()
    assert {**first, "sources": []} == {
        "from_usd_an_hour": 1234.5, "to_usd_an_hour": 1234.5, "regions": ["r1", "r2"], "as_of": "2026-01-01",
        "sources": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing",), "unknown machine nothing"),
        (("nothing", "--gpu", "B200"), "unknown machine nothing"),
        ((" ",), "unknown machine  "),
        (("--cloud", "oke"), "--cloud: got oke; the catalogue has machines of eks, gke"),
        (("rack", "--cloud", "gke"), "rack is no machine of gke"),
        (("--gpu", "A100"), "--gpu: no machine has 'A100'; there are B200, GB200, H100"),
        (("--gpu", ""), "--gpu: no machine has ''; there are B200, GB200, H100"),
        (("bare", "--gpu", "B200"), "--gpu: no machine has 'B200'; there are machines without GPUs"),
        (("B200", "--gpu", "B200"), "unknown machine B200"),
    ],
)
def test_machines_that_there_are_not(words: tuple[str, ...], said: str):
    """With those that there are."""
    assert command("machines", *words) == (2, "", f"{said}\n")


def test_open_points():
    """Of the machines that are asked for; none is no table."""
    assert [each["machine"] for each in json.loads(command("machines", "--unverified", "--json")[1])] == [
        "rack",
        "h100",
    ]
    code, out, _ = command("machines", "--unverified", "--gpu", "GB200")
    assert (code, out.splitlines()[2:]) == (0, ["rack      roots   unknown   nobody knows"])
    assert command("machines", "--unverified", "paired") == (0, "", "")
    assert command("machines", "--unverified", "h100", "--json")[1].count("one source") == 1
