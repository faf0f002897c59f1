"""What NCCL and its plugins print when a NIC, a link or a peer fails, by version; and which of it is harmless.

Read in the sources of NCCL v2.16.2 to v2.30.7 and master of 2026-06-11 (src/transport/net_ib*, src/misc/ibvwrap.cc),
of aws-ofi-nccl v1.7.4 to v1.21.1, and of rdma-core (libibverbs/enum_strs.c) on 2026-11-23. NCCL 2.31 and 2.32 were not
at hand: what the newest known version prints is taken to stand in them.
"""

import re
from typing import NamedTuple

FATAL, NOTICE, BY_EVENT = "fatal", "notice", "by event"

HARMLESS_EVENTS = (
    "port active", "GID table change", "client reregistration", "LID change", "P_Key change", "SM change",
    "communication established", "send queue drained", "path migrated", "SRQ limit reached", "last WQE reached",
)  # fmt: skip
"""Asynchronous events of verbs, in rdma-core's words, that no run fails of; every other one is a failure."""


class Message(NamedTuple):
    """One message."""

    form: str
    """As it is printed; a word in braces stands for what differs, see ``PARTS``."""
    since: str
    """First version with it that was read; NCCL's, or the plugin's where ``kind_of`` says so."""
    until: str
    """Last version with it; empty where the newest that was read has it."""
    meaning: str
    """``FATAL``, ``NOTICE``, or ``BY_EVENT`` where ``{event}`` decides."""
    about: str = ""
    """The fact of ``Evidence`` that it gives, where it is one of ``FACTS``."""


PARTS = {
    "nic": rb"[\w.+-]{1,64}:\d{1,4}",
    "event": rb"(?P<event>[\w -]{1,60})",
    "peer": rb"\S{1,80}",
    "n": rb"-?\w{1,60}",
    "text": rb"[^\n]{0,200}?",
}
"""What may stand in place of a word in braces; bounded, so that no line takes long."""

MESSAGES = (
    Message("NET/IB : Got async event : {event}", "2.16", "2.19", BY_EVENT),
    Message("NET/IB : {nic} Got async event : {event}", "2.20", "2.22", BY_EVENT),
    Message("NET/IB : {nic} async fatal event: {event}", "2.23", "", BY_EVENT),
    Message("NET/IB : {nic} async fatal event on CQ ({n}){text}: {event}", "2.23", "", BY_EVENT),
    Message("NET/IB : {nic} async fatal event on QP ({n}){text}: {event}", "2.23", "", BY_EVENT),
    Message("NET/IB : {nic} async fatal event on SRQ, unused for now ({n}): {event}", "2.23", "", BY_EVENT),
    Message("NET/IB : {nic} Got async error event: {event}", "2.23", "2.27", BY_EVENT),
    Message("NET/IB : {nic} Got non-fatal async event: {event}", "2.28", "", BY_EVENT),
    Message("NET/IB : {nic} GID table changed", "2.28", "", NOTICE),
    Message("NET/IB : {nic} unknown event type ({n})", "2.23", "", NOTICE),
    Message("communicator encountered a fatal error (detected in {n})", "2.23", "", FATAL),
    Message("NET/IB : Got completion from peer {peer} with error {n}, opcode {n}", "2.16", "2.19", FATAL),
    Message("NET/IB : Got completion from peer {peer} with status={n} opcode={n}", "2.20", "2.21", FATAL),
    Message("NET/IB: Got completion from peer {peer} with status={n} opcode={n}", "2.22", "2.27", FATAL),
    Message("NET/IB: Got completion from peer {peer} with status={n}({n}) opcode={n}({n})", "2.28", "", FATAL),
    Message("NET/IB/GIN: Got completion from peer {peer} with status={n} opcode={n}", "2.28", "", FATAL),
    Message("NET/IB: {n}: Device {n} marked as failed", "2.29", "", FATAL),
    Message("NET/IB: {n}: The error is fatal ({text}). Cannot continue", "2.29", "", FATAL),
    Message("NET/IB: {n}: Fatal error. Detected {n} failed devices out of {n} devices", "2.30", "", FATAL),
    Message("NET/IB: Device {n} marked as failed", "2.30", "", FATAL),
    Message("NET/IB: The error is fatal ({text}). Cannot continue", "2.30", "", FATAL),
    Message("NET/IB: Fatal error. Detected {n} failed devices out of {n} devices", "2.30", "", FATAL),
    Message("Call to ibv_create_qp failed", "2.16", "", FATAL),
    Message("Call to ibv_modify_qp failed with", "2.16", "", FATAL),
    Message("ibv_post_send() failed with error", "2.16", "", FATAL),
    Message("ibv_post_recv() failed with error", "2.16", "", FATAL),
    Message("Cuda failure {text}", "2.16", "", FATAL),
    # aws-ofi-nccl; versions are the plugin's
    Message("NET/OFI Request {n} completed with error. RC: {n}.", "1.7", "1.20", FATAL),
    Message("NET/OFI Request {n} seq {n} completed with error. RC: {n}.", "1.17", "1.20", FATAL),
    Message("NET/OFI Request {n} ({text}) completed with error: err: {n},", "1.21", "", FATAL),
    Message("NET/OFI Remote write completed with error. RC: {n}.", "1.15", "", FATAL),
    Message("NET/OFI Request completed with error", "1.7", "1.12", FATAL),
    Message("NET/OFI Fatal: rx buffer recv completed with error", "1.15", "", FATAL),
    Message("NET/OFI Fatal: Bounce buffer recv completed with error", "1.7", "1.13", FATAL),
)

"""What NCCL and its plugins warn of."""

_ENDS = "Channel {n}/{n} : {n}[{n}] -> {n}[{n}]"
FACTS = (
    Message("Using network {network}", "2.16", "", NOTICE, "networks"),
    Message("Assigned NET plugin {network} to comm", "2.27", "", NOTICE, "networks"),
    Message("NET/IB : Using [{n}]{nic}/RoCE [RO]; OOB eth0:{peer}", "2.16", "", NOTICE, "nics"),
    Message("NET/IB : GPU Direct RDMA Enabled for HCA {n} '{device}'", "2.16", "", NOTICE, "direct"),
    Message("NET/IB : Made virtual device [{n}] name={device} speed={n} ndevs={n}", "2.24", "2.29", NOTICE, "fused"),
    Message("NET/IB : Made virtual device [{n}] name={device} speed={n} ndevs={n} rail={n} plane={n}", "2.30", "",
            NOTICE, "fused"),
    Message(_ENDS + " [send] via NET/{network}/{n}/GDRDMA", "2.16", "", NOTICE, "channels"),
    Message(_ENDS + " [send] via NET/{network}/{n}({n})/GDRDMA/Shared", "2.16", "", NOTICE, "channels"),
    Message(_ENDS + " [receive] via NET/{network}/{n}/GDRDMA(PCI)", "2.26", "", NOTICE, "channels"),
    Message(_ENDS + " [receive] via NET/{network}/{n}/GDRDMA/flush=None", "2.31", "", NOTICE, "channels"),
    Message("CollNet {n}/{n} : {n} [send] via COLLNET/SHARP/{n}/GDRDMA", "2.16", "", NOTICE, "channels"),
    Message("comm {n} rank {n} nranks {n} cudaDev {n} busId {n} - Init COMPLETE", "2.16", "", NOTICE, "addresses"),
    Message("comm {n} rank {n} nranks {n} cudaDev {n} nvmlDev {n} busId {n} commId {n} - Init COMPLETE", "2.18", "",
            NOTICE, "addresses"),
    # aws-ofi-nccl; versions are the plugin's
    Message("NET/OFI Selected Provider is {n} (found {n} nics)", "1.7", "1.13", NOTICE, "provider_nics"),
    Message("NET/OFI Selected provider is {n}, fabric is efa-direct (found {n} nics)", "1.14", "", NOTICE,
            "provider_nics"),
)  # fmt: skip
"""What NCCL says of itself where all is well, by the fact of ``Evidence`` that it gives. ``/flush=`` stands in no
source up to 2.30.7 and is reported of newer versions: unverified."""


def is_fatal(message: bytes) -> bool:
    """Whether what stands behind ``NCCL WARN`` fails the run, in words of any known version; one of none of them does
    not."""
    for known, pattern in _PATTERNS:
        if match := pattern.match(message):
            if known.meaning == BY_EVENT:
                return match["event"].decode("ascii", "replace").strip() not in HARMLESS_EVENTS
            return known.meaning == FATAL
    newer = b"async" in message and b" event" in message and not any(event in message for event in _HARMLESS)
    return newer or any(words in message for words in _IN_ANY_VERSION)


_HARMLESS = tuple(event.encode() for event in HARMLESS_EVENTS)
_IN_ANY_VERSION = (b"Got completion", b"completed with error", b"transport retry", b"remote process exited")
"""What is a failure also in a version that words it anew."""


_WORD = re.compile(rb"\{(\w{1,9})\}")


def _expression(form: str) -> bytes:
    """The form, its parts in place of the words in braces."""
    pieces = _WORD.split(form.encode())
    return b"".join(PARTS[each.decode()] if at % 2 else re.escape(each) for at, each in enumerate(pieces))


_PATTERNS = tuple((message, re.compile(_expression(message.form))) for message in MESSAGES)
