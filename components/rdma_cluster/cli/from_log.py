"""``rdma-cluster machines --from-log LOG``: a healthy run of nccl-tests becomes a threshold of its stack, and a row."""

from datetime import date
from pathlib import Path

from nccl_verdict.busbw import COLLECTIVES
from nccl_verdict.files import NotReadableError, read_log
from pulumi_offline.errors import refusal, show
from ..catalog import find, unknown
from ..catalog.machine import Known, Source
from ..conform.row import python_of
from ..trial.floor import LOG, MACHINE, as_yaml, machine_of, threshold_of
from .output import as_json, paragraph


def show_threshold(log: Path, name: str | None, collective: str | None, json: bool) -> int:
    """Print the threshold that a log gives. Raises ``Refused`` where it gives none."""
    if name is not None and find(name) is None:
        raise refusal(unknown(name), MACHINE)
    if collective not in (None, *COLLECTIVES):
        raise refusal(f"got {show(collective)}; nccl-tests has {', '.join(COLLECTIVES)}", "--collective")
    try:
        runs = read_log(log)
    except NotReadableError as error:
        raise refusal(str(error), LOG) from None
    machine = machine_of(runs, name, collective)
    source = Source(f"a run of nccl-tests: {log.name}", date.today().isoformat(), Known.MEASURED)
    row = threshold_of(runs, machine, source, collective)
    tested = (row.nodes, row.gpus_per_node) == (2, machine.gpus) and not row.nvlink
    config = as_yaml(row, machine) if tested else None
    if json:
        print(as_json({"machine": machine.name, "config": config, "row": python_of(row)}))
        return 0
    if config is None:
        told = f"{row.nodes} x {row.gpus_per_node} GPUs" + " over NVLink" * row.nvlink
        only = f"the test of `up` is of 2 x {machine.gpus} GPUs by their NICs, and thresholds are never scaled"
        print(paragraph(f"the run is of {told}, and {only}: no threshold for a stack comes of it"))
    else:
        print(f"for the stack's file:\n\n{config}")
    print(f"for the catalogue, in `thresholds` of {machine.name}:\n\n{python_of(row)}")
    return 0
