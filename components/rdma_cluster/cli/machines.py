"""``rdma-cluster machines``: the catalogue, with its sources, its doubts and what a machine costs."""

import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from pulumi_offline.errors import refusal, show
from ..catalog import find, machines, unknown
from ..catalog.machine import Known, Machine, Source
from ..catalog.prices import Price, prices, why_unlisted
from ..catalog.questions import figures, open_questions
from ..catalog.sayings import sayings_of
from ..catalog.serialization import to_json
from ..common.summary import Row, machine_rows
from .options import Verb, cloud_option, json_option, option
from .output import as_json, headed, paragraph, table


class Machines(Verb):
    """Print a row for each machine, or one machine in full; with a file ``from`` metal what that tells the catalogue.

    Raises ``Refused`` where no machine has the name or the GPU.
    """

    name: str | None = option("MACHINE", "one machine type, in full, or a GPU's name", nargs="?")
    gpu: str | None = option("--gpu NAME", "only machines with this GPU, e.g. B200")
    cloud: str | None = cloud_option("only machines of this cloud")
    unverified: bool = option("--unverified", "only what is unknown or not certain")
    snapshot: Path | None = option(
        "--from FILE",
        "a snapshot, as `conform --save` writes it: the row of its machine, or what differs from the row there is",
        group="from",
    )
    trial: Path | None = option(
        "--from-trial ARCHIVE",
        "an archive, as `trial --gather` writes it: measured rows, floors and latencies, as a patch of the catalogue",
        group="from",
    )
    log: Path | None = option(
        "--from-log LOG", "a healthy run of nccl-tests: the threshold that it gives a stack, and the row", group="from"
    )
    machine: str | None = option("--machine MACHINE", "with --from-log: the machine type, where the log does not tell")
    collective: str | None = option("--collective NAME", "with --from-log: nccl-tests' name, where the log has none")
    json: bool = json_option()

    def run(self) -> int:
        name, gpu = self.name, self.gpu
        if self.snapshot is not None:
            from .from_snapshot import show_rows

            return show_rows(self.snapshot, self.json)
        if self.trial is not None:
            from .from_trial import show_trial

            return show_trial(self.trial, self.json)
        if self.log is not None:
            from .from_log import show_threshold

            return show_threshold(self.log, self.machine, self.collective, self.json)
        if name is not None and find(name) is None and gpu is None and _with_gpu(name, machines()):
            name, gpu = None, name
        chosen = _chosen(name, gpu, self.cloud)
        if self.unverified:
            return _show_questions(chosen, self.json)
        if self.json:
            print(as_json([{**to_json(machine), **_price_json(machine)} for machine in chosen]))
        elif name is None:
            print(table([_row(machine) for machine in chosen]))
        else:
            _show(chosen[0])
        return 0


def _chosen(name: str | None, gpu: str | None, cloud: str | None) -> Sequence[Machine]:
    """The machines of these words; at least one."""
    if name is not None and find(name) is None:
        raise refusal(unknown(name))
    if cloud not in (clouds := {each.cloud for each in machines()}) and cloud is not None:
        raise refusal(f"got {cloud}; the catalogue has machines of {', '.join(sorted(clouds))}", "--cloud")
    of_cloud = [each for each in machines() if cloud in (None, each.cloud) and name in (None, each.name)]
    found = of_cloud if gpu is None else _with_gpu(gpu, of_cloud)
    if not of_cloud:
        raise refusal(f"{name} is no machine of {cloud}")
    if not found:
        known = ", ".join(sorted({_short(machine) for machine in of_cloud if machine.gpu}))
        raise refusal(f"no machine has {show(gpu)}; there are {known or 'machines without GPUs'}", "--gpu")
    return found


def _with_gpu(gpu: str, among: Sequence[Machine]) -> list[Machine]:
    """Those whose GPU's model has all the words, in any case: ``b200`` is no GB200."""
    words = set(gpu.lower().split())
    return [each for each in among if each.gpu and words and words <= set(re.split(r"[ -]", each.gpu.model.lower()))]


def _short(machine: Machine) -> str:
    """The shortest usual name of a GPU."""
    assert machine.gpu is not None
    return re.sub(
        r"^(NVIDIA|Tesla|AMD Instinct) | 80GB HBM3$| SXM6 AC$|-SXM4.*| Blackwell Server Edition$", "", machine.gpu.model
    )


def _row(machine: Machine) -> Row:
    return {
        "cloud": machine.cloud,
        "machine": machine.name,
        "gpus": f"{machine.gpus} x {machine.gpu.model}" if machine.gpu else "-",
        "rails": f"{machine.nics} x {machine.nic_gbps or '?'} Gb/s",
        "transport": machine.transport.value,
        "arch": machine.architecture,
        # Of roots that nobody published nothing can be proved.
        "pairs": "no" if not machine.pcie_root_comparable else "yes" if machine.roots else "-",
        "usd_an_hour": _range(found) if (found := prices(machine)) else "-",
    }


def _range(found: Sequence[Price]) -> str:
    """Dollars an hour, from the least to the most of several prices."""
    least, most = (f"{dollars:,.2f}" for dollars in (min(p.least for p in found), max(p.most for p in found)))
    return least if least == most else f"{least} to {most}"


def _price_json(machine: Machine) -> Row:
    """What the price lists add to a machine's form: the prices, or why there is none."""
    found = [
        {
            "from_usd_an_hour": price.least,
            "to_usd_an_hour": price.most,
            "regions": list(price.regions),
            "as_of": price.as_of,
            "sources": [asdict(source) for source in price.sources],
        }
        for price in prices(machine)
    ]
    return {"prices": found, "unpriced": None if found else why_unlisted(machine)}


def _show(machine: Machine) -> None:
    print(table([_row(machine)]))
    print(f"\ncapacity  {', '.join(each.value for each in machine.capacity)}")
    for what, minimum_version in machine.min_kubernetes.items():
        print(f"needs     {what}: {minimum_version} or later")
    if machine.driver:
        print(f"driver    {machine.driver}")
    print()
    print(table(machine_rows(machine), "rails"))
    if machine.thresholds:
        thresholds = [
            {
                "collective": threshold.collective,
                "nodes": threshold.nodes,
                "gpus a node": threshold.gpus_per_node,
                "from": f"{threshold.size_bytes >> 20} MiB",
                "threshold": f"{threshold.busbw_gbytes:g} GB/s",
                "published": "-" if threshold.published_gbytes is None else f"{threshold.published_gbytes:g} GB/s",
                **({"by": "NVLink" if threshold.nvlink else "NICs"} if machine.is_rack else {}),
            }
            for threshold in machine.thresholds
        ]
        print()
        print(table(thresholds, "bus bandwidth, out of place"))
    _show_prices(machine)
    print()
    for known, source, names in _settled(machine):
        whole = f"{source.ref} ({source.seen})" if source else "in the sources below"
        print(headed(known.value, f": {', '.join(names)}: {whole}"))
    _show_sayings(machine)
    for title, reasons in (("unknown", machine.unknown), ("unverified", machine.unverified)):
        for field, reason in reasons.items():
            print("\n" + headed(f"{title} {field}", f": {reason}"))
    priced = dict.fromkeys(source for price in prices(machine) for source in price.sources)
    for title, sources in (("sources", machine.sources), ("price lists", tuple(priced))):
        if sources:
            print(f"\n{title}")
        for source in sources:
            print(f"  {source.seen}  {source.ref}")


def _settled(machine: Machine) -> list[tuple[Known, Source | None, list[str]]]:
    """The settled figures by how they are known and the source of their own; ``None`` stands for the row's sources."""
    groups: dict[tuple[Known, Source | None], list[str]] = {}
    for figure in figures(machine):
        own = () if figure.sources == machine.sources else figure.sources
        for source in own or ((None,) if figure.sources else ()):
            groups.setdefault((figure.known, source), []).append(figure.field)
    in_order = sorted(groups.items(), key=lambda it: list(Known).index(it[0][0]))
    return [(known, source, names) for (known, source), names in in_order]


def _show_sayings(machine: Machine) -> None:
    """What readers who had not seen the row found in its sources: the same, or what differs."""
    same: dict[str, list[str]] = {}
    for each in sayings_of(machine):
        if each.says is not None and not each.why:
            same.setdefault(f"{each.source} ({each.read})", []).append(each.field)
    for source, names in same.items():
        print(headed("read again", f": {', '.join(names)}: {source}"))
    for each in sayings_of(machine):
        if each.says is not None and each.why:
            print(headed("says otherwise", f": {each.field}: {each.says}: {each.source} ({each.read}); {each.why}"))


def _show_prices(machine: Machine) -> None:
    rows = [
        {"usd_an_hour": _range([price]), "as_of": price.as_of, "regions": " ".join(price.regions)}
        for price in prices(machine)
    ]
    title = "on-demand price of one machine"
    print("\n" + (table(rows, title) if rows else paragraph(f"{title}: {why_unlisted(machine)}")))


def _show_questions(chosen: Sequence[Machine], json: bool) -> int:
    wanted = {machine.name for machine in chosen}
    questions = [question._asdict() for question in open_questions() if question.machine in wanted]
    if json or questions:
        print(as_json(questions) if json else table(questions))
    return 0
