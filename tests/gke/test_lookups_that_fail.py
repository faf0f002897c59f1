"""Look-ups that bring no answer: a warning each, with what is missing and how to ask by hand."""

from collections.abc import Iterable
from typing import Any

import pulumi
import pytest
from pulumi_offline import preview
from rdma_cluster.gke import lookups as asking
from rdma_cluster.gke.plan.lookups import LookUp
from rdma_cluster.gke.plan.preflight import Finding


def judge(answer: Any, *, found: Iterable[Finding] = ()) -> Iterable[Finding]:
    """Nothing against the plan but what the look-up says."""
    return found


def look_up(about: str, *found: Finding) -> LookUp:
    """A question whose answer means this."""
    return LookUp(
        about, "what it is", "gcp:x:y", {"a": "b"}, ("x.get", "x.list"), f"gcloud {about}", judge, {"found": found}
    )


def asked(monkeypatch: pytest.MonkeyPatch, answer: Any, *look_ups: LookUp) -> tuple[list[dict[str, Any]], list[Any]]:
    """The arguments of each question, and what the resources wait for."""
    questions: list[dict[str, Any]] = []
    waited: list[Any] = []

    async def invoke(token: str, args: dict[str, Any], opts: Any) -> Any:
        questions.append({"token": token, "args": args, "by": (opts.parent, opts.provider)})
        if isinstance(answer, Exception):
            raise answer
        return answer

    def program() -> None:
        parent, provider = pulumi.ComponentResource("a:b:C", "parent"), pulumi.ProviderResource("gcp", "google", {})
        asking.nothing_against(look_ups, provider, parent).apply(waited.append)
        questions.append({"by": (parent, provider)})

    monkeypatch.setattr(asking, "invoke_async", invoke)
    preview(program)
    return questions, waited


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        ({}, "an empty answer"),
        (PermissionError("no\n  right"), "no right"),
        (TimeoutError(), "TimeoutError"),
        (RuntimeError("x" * 401), "x" * 400),
    ],
    ids=["empty", "lines", "no words", "long"],
)
def test_what_brings_no_answer_is_a_warning(
    answer: Any, got: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    """In one line, with 400 characters of the reason at the most; an error without words is told by its kind."""
    with caplog.at_level("WARNING", "pulumi"):
        _, waited = asked(monkeypatch, answer, look_up("one"), look_up("two"))

    assert [record.getMessage() for record in caplog.records] == [
        f"{about} could not be looked up (what it is), which takes x.get and x.list; ask by hand: gcloud {about}; "
        f"got: {got}"
        for about in ("one", "two")
    ]
    assert waited == [[]]


def test_an_answer_may_be_a_warning(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    """It is told, and the stack is made; the question goes by the stack's own provider."""
    with caplog.at_level("WARNING", "pulumi"):
        questions, waited = asked(monkeypatch, {"x": 1}, look_up("one", Finding("careful", refuses=False)))

    made, question = sorted(questions, key=len)
    assert question == {"token": "gcp:x:y", "args": {"a": "b"}, "by": made["by"]}
    assert ([record.getMessage() for record in caplog.records], waited) == (["careful"], [[]])


def test_all_refusals_are_told_together(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    """With them the warnings; nothing that waits for the answers is made."""
    findings = (Finding("no room"), Finding("careful", refuses=False))
    with pytest.raises(pulumi.RunError) as refused:
        asked(monkeypatch, {"x": 1}, look_up("one", *findings), look_up("two", Finding("no right")))

    assert str(refused.value) == "what Google says of this stack:\nno room\nno right"
    assert "careful" in caplog.text
