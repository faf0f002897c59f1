"""Where a fault begins: what just is one and what just is not, and the words in which it is told."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from rdma_agent.faults.readings import Device, Line, Port, Reading
from rdma_agent.faults.rules import Expected, Finding, Known, after_maintenance, findings, learn, recent

GPU = Device("0000:10:00.0", "0x10de:0x2330", gpu=True, driver="nvidia", width=16, most_width=16)
NIC = Device("0000:80:00.0", "0x15b3:0x101e", gpu=False, width=16, most_width=16, rdma="mlx5_0")
PORT, KEY = Port(NIC.address, "mlx5_0", active=True), f"{NIC.address}/1"
SOUND = Reading(0.0, {GPU.address: GPU, NIC.address: NIC}, {KEY: PORT}, "580.1", (), log_open=True)
NOTHING = Expected(gpus=0, nics=0, rails=frozenset(), on_host=False, limits=(), xids={})
HOST = replace(NOTHING, gpus=1, nics=1, on_host=True)
Change = Callable[[Reading], Reading]


def looks(*ats: float, broken_from: float = 0.0, change: Change = lambda each: each) -> list[Reading]:
    """Readings at these times, of which those from a time on are changed."""
    return [change(replace(SOUND, at=at)) if at >= broken_from else replace(SOUND, at=at) for at in ats]


def found(readings: list[Reading], expected: Expected = HOST, **known: Any) -> list[Finding]:
    """The faults that somebody finds who has seen all readings."""
    seen = Known(**known)
    for each in readings:
        seen = learn(seen, each)
    return findings(readings, expected, seen)


def without(address: str) -> Change:
    """A device is gone from the bus, with its ports."""
    return lambda reading: replace(
        reading,
        devices={key: each for key, each in reading.devices.items() if key != address},
        ports={key: each for key, each in reading.ports.items() if each.address != address},
    )


def device(address: str, **more: Any) -> Change:
    """A device is otherwise."""
    return lambda reading: replace(
        reading, devices={**reading.devices, address: replace(reading.devices[address], **more)}
    )


def port(active: bool = True, **counters: int) -> Change:
    """The port is otherwise."""
    return lambda reading: replace(reading, ports={KEY: replace(PORT, active=active, counters=counters)})


def unloaded(reading: Reading) -> Reading:
    return replace(reading, driver="")


LASTING = [
    (without(GPU.address), 600, [("GpuLost", "GoneFromBus", GPU.address), ("GpuLost", "Missing", "")]),
    (device(NIC.address, answers=False), 600, [("NicLost", "GoneFromBus", NIC.address), ("NicLost", "Missing", "")]),
    (device(NIC.address, rdma=""), 600, [("RdmaDeviceLost", "NoRdmaDevice", NIC.address)]),
    (port(active=False), 120, [("NicLinkDown", "NoLink", NIC.address)]),
    (unloaded, 600, [("GpuDriverDown", "NotLoaded", "")]),
    (device(GPU.address, driver=""), 600, [("GpuDriverDown", "NotBound", GPU.address)]),
]
"""What breaks, for how long before it is told, and what is told."""


@pytest.mark.parametrize(("change", "seconds", "told"), LASTING)
def test_what_lasts_is_told_and_what_just_does_not_last_is_not(change: Change, seconds: int, told: list[Any]):
    """A driver that is loaded anew or a link that is trained is no fault for a while."""
    before = [0.0, 999.0]
    broken = [1000.0, 1000.0 + seconds / 2]

    at_last = found(looks(*before, *broken, 1000.0 + seconds, broken_from=1000, change=change))
    shortly_before = found(looks(*before, *broken, 999.0 + seconds, broken_from=1000, change=change))
    sound_between = looks(*before, 1000.0) + looks(1000.0 + seconds / 2)
    mended = [*sound_between, *looks(1000.0 + seconds, change=change)]

    assert [(each.condition, each.reason, each.address) for each in at_last] == told
    assert [each for each in shortly_before if each.reason != "GoneFromBus"] == []
    assert [each for each in found(mended) if each.reason != "GoneFromBus"] == []


@pytest.mark.parametrize(("count", "gone"), [(1, False), (2, False), (3, True)])
def test_a_device_is_gone_after_three_looks_without_an_answer(count: int, gone: bool):
    """The time between them does not matter; a device that was never there is not gone."""
    readings = looks(0.0, *(10.0 * i for i in range(1, count + 1)), broken_from=10, change=without(NIC.address))

    assert bool(found(readings)) is gone
    assert found(readings[1:]) == []


def test_a_nic_that_pods_hold_needs_no_rdma_device_on_the_host():
    readings = looks(0.0, 300.0, 1000.0, 1600.0, broken_from=1000, change=device(NIC.address, rdma=""))

    assert found(readings, replace(HOST, on_host=False)) == []


@pytest.mark.parametrize(
    ("width", "most", "alike", "told"),
    [
        (8, 16, [16, 16], True),
        (8, 16, [16, 8], False),
        (8, 16, [16], False),
        (0, 16, [16, 16], False),
        (8, 16, [16, 16, 0, 0], True),
    ],
)
def test_a_narrow_link_is_one_that_its_like_have_not(width: int, most: int, alike: list[int], told: bool):
    """Where half of them are narrow the machine is built so; what is not known does not count."""
    others = {f"n{i}": replace(NIC, address=f"n{i}", rdma="", width=of) for i, of in enumerate(alike)}

    def narrowed(reading: Reading) -> Reading:
        mine = replace(NIC, width=width, most_width=most, rdma="")
        return replace(reading, devices={**others, NIC.address: mine, GPU.address: GPU}, ports={})

    texts = [each.text for each in found(looks(0.0, 600.0, change=narrowed), NOTHING)]
    assert texts == ([f"{width} of {most} PCIe lanes"] if told else [])


@pytest.mark.parametrize(
    ("was_active", "rails", "told"),
    [(True, [], True), (False, [], False), (False, ["mlx5_0"], True), (False, ["x"], False)],
)
def test_a_port_that_never_had_a_link_is_a_fault_only_as_a_rail(was_active: bool, rails: list[str], told: bool):
    begins = 1.0 if was_active else 0.0
    change = port(active=False)
    readings = looks(0.0, 1.0, 121.0, broken_from=begins, change=change)
    spare = {"0/1": Port("0", "spare", active=False)}
    beside = [replace(each, ports={**spare, **each.ports}) for each in readings]

    assert bool(found(readings, replace(HOST, rails=frozenset(rails)))) is told
    assert bool(found(beside, replace(HOST, rails=frozenset(rails)))) is told


@pytest.mark.parametrize(
    ("states", "told"), [("UDUDU", True), ("UUDUDDU", True), ("UDUD", False), ("UDUDD", False), ("UUUU", False)]
)
def test_a_link_flaps_at_four_changes(states: str, told: bool):
    """Three may be one restart."""
    readings = [port(active=each == "U")(replace(SOUND, at=30.0 * i)) for i, each in enumerate(states)]

    assert [each.condition for each in found(readings)] == (["NicLinkFlapping"] if told else [])


@pytest.mark.parametrize(("lost", "told"), [([0, 2], True), ([0, 1], False), ([5, 6, 0, 1], True), ([3, 0, 1], False)])
def test_a_link_flaps_at_two_losses_between_looks(lost: list[int], told: bool):
    """A counter that is set back has lost nothing by that."""
    readings = [port(link_downed=value)(replace(SOUND, at=30.0 * i)) for i, value in enumerate(lost)]

    assert [each.reason for each in found(readings)] == (["LinkFlaps"] if told else [])


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([(0, 0), (300, 51)], True),
        ([(0, 0), (300, 50)], False),
        ([(0, 0), (301, 51)], False),
        ([(0, 1000), (100, 0), (300, 51)], True),
    ],
)
def test_a_counter_is_a_fault_above_its_limit_within_its_time(values: list[tuple[int, int]], told: bool):
    limited = replace(HOST, limits=(("symbol_error", 50, 300, "NicLinkErrors"),))
    readings = [port(symbol_error=value)(replace(SOUND, at=float(at))) for at, value in values]

    assert [each[:3] for each in found(readings, limited)] == [("NicLinkErrors", "CounterRose", NIC.address)] * told


XIDS = replace(NOTHING, xids={"79": "GpuLost", "149!": "NvlinkDown"})


def line(kind: str, at: float = 5.0, address: str = "a", detail: str = "79", fatal: bool = False) -> Line:
    """A line of the kernel's log."""
    return Line(at, kind, address, detail, fatal)


RESET = line("recovery", 6.0, detail="Reset", fatal=True)
SILENT = line("nic", detail="x", fatal=True)
SAID = {
    "xid": ([line("xid")], ["GpuLost"]),
    "unknown xid": ([line("xid", detail="78")], []),
    "xid that is not fatal": ([line("xid", detail="149")], []),
    "fatal xid": ([line("xid", detail="149", fatal=True)], ["NvlinkDown"]),
    "driver loaded later": ([line("xid"), line("loaded", 6.0)], []),
    "xid after the driver": ([line("xid"), line("loaded", 6.0), line("xid", 7.0, "b")], ["GpuLost"]),
    "recovered": ([line("xid"), line("recovery", 6.0, detail="None")], []),
    "a reset is asked for": ([RESET], ["GpuError"]),
    "reset done": ([RESET, line("recovery", 7.0, detail="None")], []),
    "sxid": ([line("sxid", detail="24007", fatal=True)], ["NvlinkDown"]),
    "sxid before the driver": ([line("sxid", detail="24007", fatal=True), line("loaded", 6.0)], []),
    "nic silent": ([SILENT], ["NicLost"]),
    "nic silent before the GPU driver": ([SILENT, line("loaded", 6.0)], ["NicLost"]),
    "nic recovered": ([SILENT, line("nic", 6.0, detail="y")], []),
}


@pytest.mark.parametrize("case", SAID)
def test_what_the_kernel_said_counts_until_it_is_taken_back(case: str):
    """The driver's start, a recovery of the same device, and the NIC's own word take it back."""
    lines, told = SAID[case]

    assert [each.condition for each in found([replace(SOUND, lines=tuple(lines))], XIDS)] == told


def test_lines_from_before_the_end_of_maintenance_do_not_count():
    readings = [replace(SOUND, lines=(line("xid", 99.0), line("nic", 100.0, detail="x", fatal=True)))]

    assert found(readings, XIDS, since=after_maintenance(100.0).since)[0].condition == "NicLost"
    assert len(found(readings, XIDS, since=100.0)) == 1


@pytest.mark.parametrize(("seconds", "kept"), [(1800, 2), (1801, 1)])
def test_looks_are_kept_for_half_an_hour(seconds: int, kept: int):
    assert len(recent(looks(0.0, float(seconds)))) == kept


def test_a_gpu_that_never_answered_or_was_never_driven_is_not_known():
    """It may have another driver, or NVIDIA's is not loaded yet."""
    dead = device(GPU.address, answers=False)(device(GPU.address, driver="vfio-pci")(SOUND))

    assert learn(learn(Known(), dead), unloaded(SOUND)).driven == frozenset()
    assert learn(Known(), dead).devices == {NIC.address}
