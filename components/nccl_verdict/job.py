"""The verdict over the log of a job, in which no nccl-tests ran: what carries its channels, and what ended it.

Such a log proves no fabric: it has no figures, and of the ranks only those that print. Each gate is asked where the log
shows what it is about, and what is not shown is said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from . import gates_network
from .advice import advise
from .expectation import Expectation
from .failures import Failure
from .gate import Gate, few, listing
from .job_lines import stage_of
from .records import Certainty, Record, behind, most_telling
from .run import Run
from .stages import EARLY, what_ended
from .verdict import Verdict

_DEBUG = "run the job with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,NET on every rank"
_ALL_LOGS = "kubectl logs of every pod of the job, each to a file, and give all: rdma-cluster verdict --job *.log"


def is_job(runs: Sequence[Run]) -> bool:
    """Whether there is something to judge, and no test of nccl-tests in it."""
    return bool(runs) and not any(run.is_test for run in runs)


def judge_job(runs: Sequence[Run], want: Expectation, waive: Iterable[str] = (), *, asked: bool = True) -> Verdict:
    """Judge what the logs of a job show. Nothing passes by being absent, and nothing that was not ``asked`` for: a
    test whose own lines are lost looks like a job."""
    waivers, unseen = set(waive), {"no test ran": ["bandwidth"]}
    together: dict[str, Gate] = {}
    for run in runs:
        for name, gate in _gates(run, want).items():
            if isinstance(gate, str):
                names = unseen.setdefault(gate, [])
                names += [name] if name not in names else []
            elif name not in together or (together[name].passed and not gate.passed):
                together[name] = replace(gate.waive(waivers), source=run.source)
    records = tuple(record for run in runs for record in records_of(run, want))
    fatal = _fatal(records, runs, want)
    first = most_telling(records)
    early = ["fatal"] if first and first.stage in EARLY else []
    together["fatal"] = fatal
    order = dict.fromkeys((*early, "socket", "transport", "fatal", "nics", "gdr"))
    shown = [together[name] for name in order if name in together]
    if not {"transport", "socket"} & together.keys() and fatal.passed:
        seen, wanted = "not shown: no process names its network", "a process that names its network"
        shown.append(Gate("transport", False, seen, wanted, (), _DEBUG, then=_DEBUG))
    hosts = tuple(sorted({host for run in runs for host in run.hosts}))
    return Verdict(
        passed=asked and all(gate.fine for gate in shown), is_log=bool(runs) or asked, expectation=want,
        collective=None, gates=tuple(shown), points=(), suspects=(), tests=0, judged=len(runs), judged_failed=0,
        hosts=hosts, bad_hosts=(), limit=None, extent=None, job=True, records=records,
        unseen=tuple(f"{', '.join(names)}: {why}" for why, names in unseen.items()),
    )  # fmt: skip


def _gates(run: Run, want: Expectation) -> dict[str, Gate | str]:
    """Each gate of the network, or in words why the log does not show it."""
    evidence, total = run.evidence, run.evidence.channels.total
    if evidence.silent:
        return dict.fromkeys(("transport", "nics", "gdr"), f"no process says; {_DEBUG}")
    found: dict[str, Gate | str] = {"socket": gates_network.socket(run, want)}
    names = sorted(evidence.names())
    if not any("Socket" in name for name in names):
        right = Gate("transport", True, listing(names), want.network.transport, few(evidence.names().values()))
        found["socket"] = Gate("socket", True, "none", "no process and no channel on NET/Socket")
        found["transport"] = gates_network.foreign_network(run, want) or gates_network.wrong_devices(run, want) or right
    found["nics"] = _nics(run, want)
    broken = gates_network.without_gdr(run, want)
    seen = f"on all {total} ends of channels that the log holds"
    if broken:
        found["gdr"] = broken
    elif want.without_gdr:
        found["gdr"] = "this machine has no GPUDirect RDMA"
    else:
        wanted = "GDRDMA on every channel between nodes"
        found["gdr"] = Gate("gdr", True, seen, wanted) if total else "no channel to another node"
    return found


def _nics(run: Run, want: Expectation) -> Gate | str:
    """The count of NICs, where all processes of a node print their channels."""
    if want.nics is None:
        return "how many there should be is not known"
    said: dict[str, set[int]] = {host: set() for host in sorted(run.evidence.channels.hosts)}
    for (host, pid), _ in run.evidence.networks:
        said.setdefault(host, set()).add(pid)
    whole = [
        host for host, pids in said.items() if len(pids) >= want.gpus_per_node and host in run.evidence.channels.hosts
    ]
    if not whole:
        shown = listing(f"{len(pids)} on {host}" for host, pids in said.items())
        return f"not every process of a node prints its channels ({shown} of {want.gpus_per_node})"
    return gates_network.nics(run, want, whole)


def records_of(run: Run, want: Expectation) -> Iterable[Record]:
    """What a log tells of what failed: the lines of launchers and frameworks, and those that any run may hold."""
    told = {record.line for record in run.records}
    yield from run.records
    for failure in run.own_failures:
        if failure.line not in told:
            yield _of_failure(failure, want)


def _of_failure(failure: Failure, want: Expectation) -> Record:
    advice = advise(failure.warning, want.network.transport, failure.host, want.gpu_model) if failure.warning else None
    source, _, words = failure.what.partition(": ") if ": " in failure.what else ("log", "", failure.what)
    says_why = advice is not None or failure.nic or source == "kernel"
    certainty = Certainty.CAUSE if says_why else Certainty.ENDED
    if not failure.cause or (advice and advice.row.effect):
        certainty = Certainty.VICTIM
    return Record(
        source, words, certainty, stage_of(words), failure.line, "", failure.host, failure.rank, failure.nic,
        hint=advice.then if advice else "",
    )  # fmt: skip


def _fatal(records: Sequence[Record], runs: Sequence[Run], want: Expectation) -> Gate:
    """No line says that something failed."""
    wanted, warnings = "no line that says that something failed", [each for run in runs for each in run.warnings]
    told = what_ended(records, warnings, want)
    if told is None:
        return Gate("fatal", True, "none", wanted)
    cause, works = told.cause, [each for each in records if each.progress]
    if late := behind(works):
        cause += f"; in group {late[1]} {late[0]}: it did not arrive, and its own lines say why"
    elif works:
        cause += f"; {works[0].what}{works[0].place}: what the other ranks of that group say tells who did not arrive"
    lines = few(each.line for each in records)
    return Gate("fatal", False, told.seen, wanted, lines, cause, host=told.host, then=told.then or _ALL_LOGS)
