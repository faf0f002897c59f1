"""Two logs side by side: figures of each size, and from which size on the plugin wins."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from nccl_verdict import compare
from nccl_verdict.compare import figures, lines
from tests.nccl import render

KIB, MIB = 1 << 10, 1 << 20


@pytest.mark.parametrize(
    ("on", "off", "told"),
    [
        (
            {KIB: 0.01, MIB: 2.0, 64 * MIB: 40.0},
            {KIB: 0.02, MIB: 3.0, 64 * MIB: 18.0},
            "TCPX is the faster from 64 MiB on",
        ),
        (
            {KIB: 0.03, MIB: 2.0, 64 * MIB: 40.0},
            {KIB: 0.02, MIB: 3.0, 64 * MIB: 18.0},
            "TCPX is the faster from 64 MiB on",
        ),
        ({KIB: 0.03, MIB: 4.0}, {KIB: 0.02, MIB: 3.0}, "TCPX is the faster from 1 KiB on"),
        ({KIB: 0.03, MIB: 3.0}, {KIB: 0.02, MIB: 3.0}, "TCPX wins nowhere"),
        ({KIB: 0.03}, {MIB: 3.0}, "with TCPX and without it: no size has figures of both"),
    ],
    ids=["slow while small", "once fast while small", "always", "never to the end", "no size of both"],
)
def test_from_which_size_on(on: dict[int, float], off: dict[int, float], told: str):
    """From there on at every size: one fast figure among slow ones is no crossover."""
    assert lines("TCPX", on, off)[-1] == told


def test_of_published_runs():
    """SkyPilot's own pair on A3 High (its page on GPUDirect-TCPX): the plugin wins from 128 KiB on."""
    sizes = [KIB << i for i in range(10)]
    on = dict(zip(sizes, (0.01, 0.01, 0.01, 0.02, 0.04, 0.09, 0.11, 0.19, 0.35, 0.65), strict=True))
    off = dict(zip(sizes, (0.01, 0.01, 0.02, 0.04, 0.09, 0.12, 0.17, 0.15, 0.23, 0.47), strict=True))

    assert lines("TCPX", on, off)[-1] == "TCPX is the faster from 128 KiB on"


def test_each_size_is_told():
    """In its own unit, with both figures."""
    assert lines("TCPX", {MIB: 2.0}, {MIB: 4.0})[0] == "1 MiB: 2 GB/s with TCPX, 4 without, 0.5 x"


def test_sizes_that_both_have():
    """In rising order, whatever their order was; a size without a figure of both is passed over."""
    on = {64 * MIB: 40.0, KIB: 0.02, MIB: 2.0, 2 * MIB: 3.0}

    assert lines("TCPX", on, {MIB: 4.0, KIB: 0.01, 64 * MIB: 20.0, 8 * MIB: 9.0, 2 * MIB: 0.0}) == [
        "1 KiB: 0.02 GB/s with TCPX, 0.01 without, 2.0 x",
        "1 MiB: 2 GB/s with TCPX, 4 without, 0.5 x",
        "64 MiB: 40 GB/s with TCPX, 20 without, 2.0 x",
        "TCPX is the faster from 64 MiB on",
    ]


def test_figures_of_a_log(tmp_path: Path):
    """Out of place, in GB/s by size; a row without one has none."""
    rows = [render.row(MIB << n, busbw, 9.0, 16) for n, busbw in enumerate((2.0, None, 4.0))]
    (tmp_path / "a.log").write_bytes(render.joined([*render.log()[:-6], *rows, *render.log()[-2:]]))

    assert figures(str(tmp_path / "a.log")) == {MIB: 2.0, 4 * MIB: 4.0}


def test_two_logs_side_by_side(tmp_path: Path):
    """As the command prints them: the one with the plugin first."""
    for name, busbw in (("with.log", 320.0), ("without.log", 160.0)):
        (tmp_path / name).write_bytes(render.joined(render.log(busbw=[busbw])))
    command = [sys.executable, "-S", "-m", "nccl_verdict.compare", "gIB", "with.log", "without.log"]
    environment = {"PYTHONPATH": str(Path(compare.__file__).parents[1]), "PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)

    assert done.stdout.splitlines() == [
        "1 GiB: 320 GB/s with gIB, 160 without, 2.0 x",
        "gIB is the faster from 1 GiB on",
    ], done.stderr
