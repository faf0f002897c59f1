"""The row of ``remedies`` that fits a warning: by its words, its error code and the fabric."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from .remedies import TABLE


class Remedy(NamedTuple):
    """One row; ``remedies`` says what its fields hold."""

    signs: tuple[tuple[str, ...], ...]
    fabrics: tuple[str, ...]
    """Empty where it is the same on all."""
    means: str
    run: str
    isnt: str
    sources: tuple[str, ...]
    effect: bool

    def fits(self, words: str, fabric: str) -> bool:
        """Whether words in small letters hold one of its signs, on a fabric."""
        return (not self.fabrics or fabric in self.fabrics) and any(_in_order(words, parts) for parts in self.signs)


class Advice(NamedTuple):
    """A row as it applies to one line."""

    row: Remedy
    cause: str
    """What it is, with NIC and peer, and what it probably is not."""
    then: str
    """What to run, on which host."""
    nic: str
    """Device and port, ``mlx5_3:1``, or the device alone; empty where none is named."""
    peer: str
    """Address or host of the other end, where it is named."""


def _remedy(line: str) -> Remedy:
    signs, fabrics, means, run, isnt, sources = line.split(" :: ")
    alternatives = tuple(tuple(each.replace("~", " ").split("..")) for each in signs.split(" | "))
    on, read = (tuple(field.split()) for field in (fabrics, sources))
    effect, isnt = "effect" in read, "" if isnt == "-" else isnt
    return Remedy(alternatives, on if on != ("any",) else (), means, run, isnt, read[: len(read) - effect], effect)


def _in_order(words: str, parts: tuple[str, ...]) -> bool:
    place = 0
    for part in parts:
        found = words.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


REMEDIES = tuple(map(_remedy, TABLE.splitlines()))
_COMPLETION = re.compile(rb"with (?:status|error) {0,2}=? {0,2}(?:[\w ]{1,40}\()?(\d{1,3})\b")
_EFA = re.compile(rb"(?:\bError: |prov_errno: )(\d{1,5})\b")
_QP = re.compile(rb"ibv_modify_qp failed with (?:error )?(\d{0,3}) ?([A-Za-z ]{0,40})")
_NEXT = re.compile(rb"next state (\w{1,8})")
_ERRNOS = (
    ("connection timed out", "110"), ("invalid argument", "22"), ("no data available", "61"),
    ("no route to host", "113"), ("network is unreachable", "101"), ("cannot allocate memory", "12"),
)  # fmt: skip
_NIC = re.compile(
    rb"\b(?:hca|on dev) ([\w.+-]{1,64}(?::\d{1,4})?)|NET/\w{1,9} ?: ([\w.+-]{1,64}:\d{1,4}) (?:Got|async|GID|unknown)"
)
_PEER = re.compile(
    rb"from peer (\S{1,80})|remote GID ([0-9a-fA-F:.]{2,60})|Peer host id: (i-\w{1,32})|Peer EFA addr: (\S{1,120})|"
    rb"(?:remote peer|onnect to|recv from) ([\w.\[\]:%-]{1,80}<\d{1,5}>)"
)
_AMD = (
    ("nvidia-smi topo -m", "rocm-smi --showtopo"), ("nvidia-smi -q -d ECC", "rocm-smi --showrasinfo"),
    ("nvidia-smi or rocm-smi", "rocm-smi"), ("nvidia-smi", "rocm-smi"), ("nvidia_peermem", "-E 'ib_peer_mem|amdgpu'"),
    ("nvidia-peermem", "ROCm's peer memory"), ("Xid", "amdgpu"), ("libcuda", "libamdhip64"),
    ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"), ("compute-sanitizer", "rocgdb"),
)  # fmt: skip
"""Words of NVIDIA's tools, and those of AMD's for the same."""


def names_of(message: str) -> tuple[str, str]:
    """The NIC that a message names, and the other end; empty where it names none."""
    raw = message.encode("utf-8", "replace")
    found = (
        next(filter(None, match.groups()), b"") if match else b"" for match in (_NIC.search(raw), _PEER.search(raw))
    )
    nic, peer = (each.decode("utf-8", "replace") for each in found)
    return nic, peer


def code_of(message: str) -> str:
    """The code in a message as the table writes it: ``completion 12;``, ``efa 4126;``, ``modify_qp 110>rtr;``."""
    raw = message.encode("utf-8", "replace")
    if b"ompletion from peer" in raw and (found := _COMPLETION.search(raw)):
        return f"completion {found[1].decode()};"
    if b"NET/OFI" in raw and (found := _EFA.search(raw)):
        return f"efa {found[1].decode()};"
    if found := _QP.search(raw):
        words, state = found[2].decode().lower(), _NEXT.search(raw)
        number = found[1].decode() or next((number for name, number in _ERRNOS if words.startswith(name)), "")
        return f"modify_qp {number}>{state[1].decode('ascii', 'replace').lower() if state else ''};"
    return ""


def advise(message: str, transport: str = "", host: str = "", gpu_model: str = "") -> Advice | None:
    """What to do about what stands behind ``NCCL WARN``; ``None`` where no row fits.

    Args:
        transport: the fabric by the name that ``Network.transport`` has. A message that names its own goes by that.
        host: the node that printed it.
        gpu_model: as nccl-tests prints it; AMD's has tools of its own.
    """
    words = f" {message.lower()}\n{code_of(message)}"
    fabric = "EFA" if "NET/OFI" in message else "gIB" if "NET/gIB" in message else transport
    row = next((row for row in REMEDIES if row.fits(words, fabric)), None)
    if row is None:
        return None
    nic, peer = names_of(message)
    device = nic.partition(":")[0]
    names = {
        "nic": nic or "that NIC", "device": device or "mlx5", "of": f" -d {device}" if device else "",
        "peer": f"the other end {peer}" if peer else "the other end",
    }  # fmt: skip
    isnt = f"; it is probably not {row.isnt}" if row.isnt else ""
    cause, run = (row.means + isnt).format(**names), row.run.format(**names)
    for nvidia, amd in _AMD if gpu_model.startswith("AMD") else ():
        cause, run = cause.replace(nvidia, amd), run.replace(nvidia, amd)
    where = f"on {host}: " if host and not run.startswith("aws ") else ""
    return Advice(row, cause, where + run, nic, peer)


def first_cause(warnings: Iterable[str], transport: str = "", gpu_model: str = "") -> tuple[str, Advice] | None:
    """The first warning that says why, and what to do about it; one that is an effect only where no other is known."""
    advised = [(each, advice) for each in warnings if (advice := advise(each, transport, "", gpu_model))]
    return min(advised, key=lambda pair: pair[1].row.effect, default=None)
