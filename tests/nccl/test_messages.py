"""What NCCL prints of NICs, links and peers, rendered from its own forms for every version: failures fail, with node,
NIC and port, and what is harmless passes."""

from collections.abc import Sequence
from functools import cache

import pytest
from nccl_verdict.evidence import Evidence
from nccl_verdict.messages import BY_EVENT, FACTS, FATAL, HARMLESS_EVENTS, MESSAGES, Message
from nccl_verdict.reader import read_bytes
from nccl_verdict.verdict import Verdict, judge
from tests.nccl import render

# libibverbs/enum_strs.c of rdma-core, ibv_event_type_str.
BAD_EVENTS = (
    "CQ error", "local work queue catastrophic error", "invalid request local work queue error",
    "local access violation work queue error", "path migration request error", "local catastrophic error",
    "port error", "SRQ catastrophic error", "WQ fatal",
)  # fmt: skip
NCCL = [f"2.{minor}" for minor in range(16, 33)]


def printed(message: Message, event: str = "") -> str:
    """The message with something in place of each word in braces."""
    parts = {"nic": "mlx5_3:1", "event": event, "peer": "10.0.0.8<33057>", "n": "12", "text": " some text"}
    return message.form.format(**parts)


@cache
def outcome(*warnings: str, form: str = "InfiniBand", of: str = "node-1:709:950 [1]") -> Verdict:
    """What the judge says of a log with these warnings: once, because versions have most of them in common."""
    lines = [*render.log(form=form), *(f"{of} transport/net_ib.cc:100 NCCL WARN {warning}" for warning in warnings)]
    return judge(read_bytes(render.joined(lines)), render.want(form))


def of_version(version: str, messages: Sequence[Message] = MESSAGES) -> list[Message]:
    """The messages of one version of NCCL."""

    def number(text: str) -> tuple[int, ...]:
        return tuple(map(int, text.split(".")))

    return [
        message
        for message in messages
        if "NET/OFI" not in message.form
        and number(message.since) <= number(version) <= number(message.until or "9.9")
    ]  # fmt: skip


@pytest.mark.parametrize("message", [*MESSAGES, *FACTS], ids=lambda each: each.form)
def test_the_versions_of_a_message(message: Message) -> None:
    """The first that was read with it, and the last where a later one lacks it: never before the first."""
    since, until = (tuple(map(int, text.split("."))) for text in (message.since, message.until or "99.0"))
    assert (1, 7) <= since <= until
    assert (since >= (2, 0)) is ("NET/OFI" not in message.form)


@pytest.mark.parametrize("version", NCCL)
def test_events_of_every_version(version: str) -> None:
    """Each version prints both a failed NIC and an active port; only one of the two fails."""
    with_event = [message for message in of_version(version) if message.meaning == BY_EVENT]
    assert with_event
    for message in with_event:
        for event in BAD_EVENTS:
            verdict = outcome(printed(message, event))
            assert [gate.name for gate in verdict.failed] == ["finished"], (message, event)
            assert event in verdict.failed[0].seen
            assert "on node-1" in verdict.failed[0].seen
        for event in HARMLESS_EVENTS:
            assert outcome(printed(message, event)).passed, (message, event)
            assert outcome(f"{printed(message, event)}(11)").passed, (message, event)


@pytest.mark.parametrize("version", NCCL)
def test_every_version_names_the_peer_that_did_not_answer(version: str) -> None:
    """A completion with an error is a failure in the words of each version."""
    about = [message for message in of_version(version) if message.about == "peer"]
    assert about
    for message in about:
        (gate,) = outcome(printed(message)).reported
        assert (gate.name, "10.0.0.8<33057>" in gate.cause) == ("finished", True)


@pytest.mark.parametrize("message", [each for each in MESSAGES if each.meaning != BY_EVENT], ids=lambda each: each.form)
def test_messages_without_an_event(message: Message) -> None:
    """Those of plugins among them."""
    assert outcome(printed(message)).passed is (message.meaning != FATAL)


def evidence_of(message: Message) -> Evidence:
    """What is read of a message with something in place of each word in braces."""
    parts = {"n": "2", "nic": "mlx5_3:1", "peer": "10.0.0.8<3>", "network": "IB", "device": "mlx5_2+mlx5_3"}
    evidence = Evidence()
    evidence.read(1, b"node-1:709:950 [1]", message.form.format(**parts).encode())
    return evidence


@pytest.mark.parametrize("message", FACTS, ids=lambda each: each.form)
def test_facts(message: Message) -> None:
    """Each form gives its fact, and channels are by GPUDirect whatever stands behind the word."""
    evidence = evidence_of(message)

    assert evidence.channels.total if message.about == "channels" else getattr(evidence, message.about)
    assert not evidence.channels.spots


@pytest.mark.parametrize("version", NCCL)
def test_facts_of_every_version(version: str) -> None:
    """Network, NICs, GPUDirect, channels and the GPUs' addresses are said by each."""
    about = {message.about for message in of_version(version, FACTS)}
    assert {"networks", "nics", "direct", "channels", "addresses"} <= about


@pytest.mark.parametrize("words", ["NET/IB : mlx5_3:1 async error event: local catastrophic error",
                                   "NET/IBX: dev mlx5_3 async port event: port error",
                                   "NET/IB: Got completion in new words"])  # fmt: skip
def test_a_version_that_words_it_anew(words: str) -> None:
    """What cannot be read is no good sign."""
    assert [gate.name for gate in outcome(words).failed] == ["finished"]


def test_node_nic_port_and_rail_are_told() -> None:
    """With what to run on which host, and what it probably is not."""
    (gate,) = outcome("NET/IB : mlx5_3:1 Got non-fatal async event: port error(10)").reported

    assert "on node-1: NIC mlx5_3 port 1, rail 3" in gate.seen
    assert "on node-1 run ibv_devinfo -d mlx5_3" in gate.cause
    assert "probably neither the GPU nor NCCL" in gate.cause


def test_a_front_end_nic_may_lose_its_link() -> None:
    """What is listed and carries no channel is not the fabric; where the channels are not shown, nobody can know."""
    down = "NET/IB : mlx5_an0:1 Got non-fatal async event: port error(10)"
    form = "InfiniBand, front end"
    assert outcome(down, form=form).passed
    assert not outcome(down).passed

    silent = [line for line in render.log(form=form) if "INFO Channel" not in line]
    lines = [*silent, f"node-1:709:950 [1] net_ib.cc:1 NCCL WARN {down}"]
    assert "finished" in {gate.name for gate in judge(read_bytes(render.joined(lines)), render.want(form)).failed}


def test_the_nic_is_told_before_what_follows_from_it() -> None:
    """nccl-tests and mpirun say that it failed; NCCL says why."""
    lines = [
        *render.log(form="InfiniBand"),
        "node-0: Test NCCL failure common.cu:958 'unhandled system error (run with NCCL_DEBUG=INFO for details)'",
        "node-1:709:950 [1] net_ib.cc:1 NCCL WARN NET/IB : mlx5_3:1 async fatal event: local catastrophic error",
    ]
    gate = judge(read_bytes(render.joined(lines)), render.want("InfiniBand")).failed[0]
    assert "NIC mlx5_3 port 1" in gate.seen
