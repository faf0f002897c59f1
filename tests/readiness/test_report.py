"""What a test of the prover's leaves for it: the judge's own scripts on logs of four nodes."""

from pathlib import Path

from rdma_cluster.fabrics import Launcher
from tests.acceptance.bench import Bench
from tests.nccl.render import joined, log
from tests.readiness.in_pod import load

marks = load("mark_proofs")


def test_the_report_stands_in_front_of_the_judges_words(tmp_path: Path):
    """It has the pairs with their figures and the suspect, whose neighbours pass."""
    made = Bench(tmp_path, 4, Launcher.INDEXED_JOB, [], taint_suspects=True, held=True)
    marker = "opt/rdma-cluster/rdma_agent.acceptance.mark_proofs.py"
    made.sandbox.program(marker, made.sandbox.here(made.sandbox.files["rdma_agent.acceptance.mark_proofs.py"]))
    for one, two in ((0, 1), (1, 2)):
        members = [made.members[one], made.members[two]]
        made.sandbox.log(*members, joined(log(members, busbw=[40.0] * 4)).decode())

    report, words = marks.read_report(made.run().message)

    assert report is not None
    assert report.nodes == ("node-0", "node-1", "node-2", "node-3")
    assert report.suspected() == ("node-1",)
    assert set(report.passed()) == {"node-0", "node-2", "node-3"}
    assert report.busbw("node-3") > 300
    assert report.floor > 0
    assert words.startswith("bandwidth: ")


def test_names_that_do_not_fit_leave_no_report():
    """A report that was cut would be another one."""
    proof = load("proof")
    names = tuple(f"{i:03}".ljust(250, "n") for i in range(16))
    pairs = tuple((i, (i + 1) % 16, 380.0, True) for i in range(16))

    assert marks.text_of(proof.Report(names, pairs)) == ""
    assert len(marks.text_of(proof.Report(tuple(name[:60] for name in names), pairs, (), 350.0))) < 2400
    room = 2400 - len(marks.text_of(proof.Report(("", "b"))))
    assert len(marks.text_of(proof.Report(("n" * room, "b")))) == 2400
    assert marks.text_of(proof.Report(("n" * (room + 1), "b"))) == ""
