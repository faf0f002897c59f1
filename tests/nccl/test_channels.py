"""What is kept of the lines of channels: each once, by host, rank, NIC and ring, as sender and receiver print it."""

from typing import Any

import pytest
from nccl_verdict.channels import Channels, Spot

SENT, RECEIVED = "Channel 03/0 : 1[1] -> 9[1] [send]", "Channel 03/0 : 1[1] -> 9[1] [receive]"
BY = "via NET/IB/4/GDRDMA"


def read(*lines: tuple[str, str]) -> Channels:
    """The record of lines, each with its host, numbered from 1."""
    channels = Channels()
    for number, (host, message) in enumerate(lines, 1):
        assert channels.read(number, host, message.encode()), message
    return channels


def facts(channels: Channels) -> dict[str, Any]:
    """All that is kept and is not empty."""
    names = ("ends", "rings", "used", "networks", "spots", "own", "total", "in_network", "overflow")
    return {name: getattr(channels, name) for name in names if getattr(channels, name) not in ({}, 0, False)}


def test_both_ends_of_a_channel() -> None:
    """The sender speaks for the first rank, the receiver for the second; what is printed again counts once."""
    assert facts(read(("a", f"{SENT} {BY}"), ("b", f"{RECEIVED} {BY}"), ("b", f"{RECEIVED} {BY}"))) == {
        "ends": ({SENT.removesuffix(" [send]").encode()}, {RECEIVED.removesuffix(" [receive]").encode()}),
        "rings": {3: ({"a"}, {"b"})},
        "used": {"a": {4: 1}, "b": {4: 2}},
        "networks": {("a", "IB"): 1, ("b", "IB"): 2},
        "own": {("a", 1): {4: 1}, ("b", 9): {4: 2}},
        "total": 2,
    }


@pytest.mark.parametrize(
    ("message", "rank", "own", "rings", "direct"),
    [
        (f"{SENT} {BY}", 1, {4: 1}, {3}, True),
        (f"{SENT} {BY}/Shared", 1, {4: 1}, {3}, True),
        (f"{SENT} via NET/IB/4", 1, {4: 1}, {3}, False),
        (f"{SENT} via NET/IB/4(PCI)/GDRDMA", 1, {}, {3}, True),
        (f"{SENT} via NET/IB/4(5)/GDRDMA", 1, {}, {3}, True),
        (f"{SENT} via NET/IB/4(5)", 1, {}, {3}, False),
        (f"Channel 12/1 : 1[1] -> 9[1] [receive] {BY}", 9, {4: 1}, set(), True),
        (f"Channel 12 : 1[81000] -> 9[81000] [receive] {BY}", 9, {4: 1}, {12}, True),
        (f"Channel 00 : 1 -> 9 [send] {BY}", 1, {4: 1}, {0}, True),
    ],
)
def test_one_channel(message: str, rank: int, own: dict[int, int], rings: set[int], direct: bool) -> None:
    """What stands in brackets behind the NIC is the rank whose NIC it is; only index 0, or none, is of a ring."""
    channels = read(("a", message))

    assert channels.own == {("a", rank): own} and channels.used == {"a": {4: 1}}
    assert set(channels.rings) == rings
    assert channels.spots == ({} if direct else {("a", rank, 4): Spot("a", rank, 4, [1], 1)})


@pytest.mark.parametrize(("way", "rank"), [("send", 7), ("receive", 7)])
def test_switches_that_take_part(way: str, rank: int) -> None:
    """SHARP: a rank and its NIC, no ring, no other end, and no network of NCCL's."""
    assert facts(read(("a", f"CollNet 00/0 : 7 [{way}] via COLLNET/SHARP/4/GDRDMA"))) == {
        "ends": (set(), set()), "used": {"a": {4: 1}}, "own": {("a", rank): {4: 1}}, "total": 1, "in_network": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    "message",
    [
        "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM", "Channel 00/0 : 0[0] -> 1[1] [send] via P2P/IB/0",
        "Channel 00/0 : 0[0] -> 8[0] [sent] via NET/IB/0", "Channel x : 0[0] -> 8[0] [send] via NET/IB/0",
        "Trees [0] 1/8/-1->0->-1",
    ],
)  # fmt: skip
def test_what_is_no_channel_between_nodes(message: str) -> None:
    """Nothing of it is kept."""
    channels = Channels()

    assert channels.read(1, "a", message.encode()) is False
    assert facts(channels) == {"ends": (set(), set())}


def test_channels_without_gpudirect() -> None:
    """By host, rank and NIC: how many, and the first four lines."""
    lines = [("a", f"Channel {n:02}/0 : 1[1] -> 9[1] [send] via NET/IB/{4 if n < 6 else 5}") for n in range(7)]

    assert read(*lines).spots == {("a", 1, 4): Spot("a", 1, 4, [1, 2, 3, 4], 6), ("a", 1, 5): Spot("a", 1, 5, [7], 1)}


def test_who_uses_a_nic_itself() -> None:
    """Of one host alone."""
    channels = read(
        ("a", "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0"),
        ("a", "Channel 01/0 : 1[1] -> 9[1] [send] via NET/IB/1"),
        ("a", "Channel 02/0 : 2[2] -> 9[1] [send] via NET/IB/1(1)"),
        ("b", "Channel 01/0 : 1[1] -> 9[1] [receive] via NET/IB/1"),
    )

    assert channels.ranks_on("a", [1]) == {1} and channels.ranks_on("a", [0, 1]) == {0, 1}
    assert channels.ranks_on("b", [0, 1]) == {9} and channels.ranks_on("a", [2]) == channels.ranks_on("c", [0]) == set()
    assert channels.hosts == {"a", "b"}


def test_an_end_whose_other_end_is_missing_is_lost() -> None:
    """Whichever it is; once all is read the whole ones are dropped."""
    channels = read(
        ("a", f"{SENT} {BY}"), ("b", f"{RECEIVED} {BY}"), ("a", f"Channel 04/0 : 1[1] -> 9[1] [send] {BY}"),
        ("b", f"Channel 05/0 : 1[1] -> 9[1] [receive] {BY}"),
    )  # fmt: skip
    assert channels.lost() == 2
    channels.settle()

    assert channels.lost() == 2
    assert channels.ends == ({b"Channel 04/0 : 1[1] -> 9[1]"}, {b"Channel 05/0 : 1[1] -> 9[1]"})


@pytest.mark.parametrize(
    ("rings", "broken"),
    [
        ({0: ("ab", "ab")}, None),
        ({0: ("ab", "ab"), 2: ("b", "ab"), 1: ("ab", "a")}, (1, "b")),
        ({5: ("b", "a")}, (5, "a")),
        ({5: ("abc", "abc"), 4: ("ab", "abd")}, (4, "c")),
        ({}, None),
    ],
)
def test_a_ring_that_lacks_a_node(rings: dict[int, tuple[str, str]], broken: tuple[int, str] | None) -> None:
    """The first ring by number, and of the nodes that it never leaves or never enters the first by name."""
    channels = Channels(rings={number: (set(left), set(entered)) for number, (left, entered) in rings.items()})
    hosts = ["b", "a", *(["c", "d"] if "c" in str(rings) else [])]

    assert channels.broken(hosts) == broken


def test_names_put_right() -> None:
    """What a wrong name had joins what the right one has, and other hosts keep theirs."""
    lines = [
        ("a", f"Channel 00/0 : 1[1] -> 9[1] [send] {BY}"),
        ("xya", "Channel 01/0 : 1[1] -> 9[1] [send] via NET/IB/5"),
        ("xya", "Channel 02/0 : 2[2] -> 9[1] [send] via NET/IB/6"),
        ("a", "Channel 03/0 : 1[1] -> 9[1] [send] via NET/IB/5"),
        ("b", "Channel 00/0 : 1[1] -> 9[1] [receive] via NET/IB/4"),
        ("zb", "Channel 04/0 : 1[1] -> 9[1] [receive] via NET/IB/4"),
    ]
    channels = read(*lines)
    ends = channels.ends
    channels.rename({"xya": "a", "zb": "b"})

    assert facts(channels) == {
        "ends": ends,
        "rings": {0: ({"a"}, {"b"}), 1: ({"a"}, set()), 2: ({"a"}, set()), 3: ({"a"}, set()), 4: (set(), {"b"})},
        "used": {"a": {4: 1, 5: 2, 6: 3}, "b": {4: 6}},
        "networks": {("a", "IB"): 2, ("b", "IB"): 6},
        "spots": {
            ("a", 1, 5): Spot("a", 1, 5, [4, 2], 2), ("a", 2, 6): Spot("a", 2, 6, [3], 1),
            ("b", 9, 4): Spot("b", 9, 4, [5, 6], 2),
        },
        "own": {("a", 1): {4: 1, 5: 2}, ("a", 2): {6: 3}, ("b", 9): {4: 6}},
        "total": 6,
    }  # fmt: skip


@pytest.mark.parametrize(("most", "beyond"), [(3, False), (2, True)])
def test_more_channels_than_are_kept(monkeypatch: pytest.MonkeyPatch, most: int, beyond: bool) -> None:
    """A log of more is not judged as whole; as many as the limit are kept."""
    monkeypatch.setattr("nccl_verdict.channels.LIMIT", most)
    channels = read(*(("a", f"Channel 0{n}/0 : 1[1] -> 9[1] [send] {BY}") for n in range(3)))

    assert (channels.overflow, channels.total) == (beyond, 3)


@pytest.mark.parametrize(("most", "beyond"), [(2, True), (9, False)])
def test_more_networks_than_are_kept(monkeypatch: pytest.MonkeyPatch, most: int, beyond: bool) -> None:
    """Of many hosts, as of many channels."""
    monkeypatch.setattr("nccl_verdict.channels.LIMIT", most)

    assert read(*((f"n{n}", f"{SENT} {BY}") for n in range(3))).overflow is beyond
