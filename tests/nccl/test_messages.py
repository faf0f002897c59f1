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


@pytest.mark.parametrize("message", [each for each in MESSAGES if each.meaning == BY_EVENT], ids=lambda each: each.form)
def test_a_failed_nic_fails_and_an_active_port_does_not(message: Message) -> None:
    """The same message tells of both; only its event says which it is."""
    for event in BAD_EVENTS:
        failed = outcome(printed(message, event)).failed
        assert [gate.name for gate in failed] == ["finished"], event
        assert event in failed[0].seen
        assert failed[0].host == "node-1"
    for event in HARMLESS_EVENTS:
        assert outcome(printed(message, event)).passed, event
        assert outcome(f"{printed(message, event)}(11)").passed, event


@pytest.mark.parametrize("message", [each for each in MESSAGES if "{peer}" in each.form], ids=lambda each: each.form)
def test_a_peer_that_did_not_answer_is_named(message: Message) -> None:
    (gate,) = outcome(printed(message)).reported
    assert (gate.name, "10.0.0.8<33057>" in gate.cause) == ("finished", True)


@pytest.mark.parametrize("version", NCCL)
def test_every_version_of_nccl_has_its_messages_and_facts(version: str) -> None:
    """Each tells of NICs by an event, of peers, and of network, NICs, GPUDirect, channels and the GPUs' addresses."""
    messages, facts = of_version(version), of_version(version, FACTS)
    assert BY_EVENT in {message.meaning for message in messages}
    assert any("{peer}" in message.form for message in messages)
    assert {"networks", "nics", "direct", "channels", "addresses"} <= {message.about for message in facts}


@pytest.mark.parametrize("message", [each for each in MESSAGES if each.meaning != BY_EVENT], ids=lambda each: each.form)
def test_a_message_without_an_event_fails_where_it_is_fatal(message: Message) -> None:
    assert outcome(printed(message)).passed is (message.meaning != FATAL)


@pytest.mark.parametrize("message", FACTS, ids=lambda each: each.form)
def test_each_form_of_a_fact_leaves_it_behind(message: Message) -> None:
    """Channels are by GPUDirect whatever stands behind the word."""
    parts = {"n": "2", "nic": "mlx5_3:1", "peer": "10.0.0.8<3>", "network": "IB", "device": "mlx5_2+mlx5_3"}
    evidence = Evidence()
    evidence.read(1, b"node-1:709:950 [1]", message.form.format(**parts).encode())

    assert evidence.channels.total if message.about == "channels" else getattr(evidence, message.about)
    assert not evidence.channels.spots


@pytest.mark.parametrize("words", ["NET/IB : mlx5_3:1 async error event: local catastrophic error",
                                   "NET/IBX: dev mlx5_3 async port event: port error",
                                   "NET/IB: Got completion in new words"])  # fmt: skip
def test_a_failure_in_words_of_a_new_version_fails(words: str) -> None:
    assert [gate.name for gate in outcome(words).failed] == ["finished"]


def test_a_front_end_nic_may_lose_its_link() -> None:
    """What is listed and carries no channel is not the fabric; where the channels are not shown, nobody can know."""
    down = "NET/IB : mlx5_an0:1 Got non-fatal async event: port error(10)"
    form = "InfiniBand, front end"
    assert outcome(down, form=form).passed
    assert not outcome(down).passed

    silent = [line for line in render.log(form=form) if "INFO Channel" not in line]
    lines = [*silent, f"node-1:709:950 [1] net_ib.cc:1 NCCL WARN {down}"]
    assert "finished" in {gate.name for gate in judge(read_bytes(render.joined(lines)), render.want(form)).failed}
