"""Two logs side by side: figures of each size, and from which size on the plugin wins."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from nccl_verdict import compare
from nccl_verdict.compare import lines
from tests.nccl import render

KIB, MIB = 1 << 10, 1 << 20


@pytest.mark.parametrize(
    ("on", "off", "told"),
    [
        ((0.03, 2.0, 40.0), (0.02, 3.0, 18.0), "TCPX is the faster from 64 MiB on"),
        ((0.03, 4.0, 40.0), (0.02, 3.0, 18.0), "TCPX is the faster from 1 KiB on"),
        ((0.03, 4.0, 18.0), (0.02, 3.0, 18.0), "TCPX wins nowhere"),
        ((0.0, 0.0, 0.0), (0.02, 3.0, 18.0), "with TCPX and without it: no size has figures of both"),
    ],
)
def test_the_plugin_wins_from_a_size_on_where_it_is_faster_at_every_larger_one(
    on: tuple[float, ...], off: tuple[float, ...], told: str
) -> None:
    """One fast figure among slow ones is no crossover."""
    sizes = (KIB, MIB, 64 * MIB)
    figures_on = {size: figure for size, figure in zip(sizes, on, strict=True) if figure}
    assert lines("TCPX", figures_on, dict(zip(sizes, off, strict=True)))[-1] == told


def test_the_plugin_wins_from_128_kib_on_in_a_published_pair() -> None:
    """SkyPilot's own pair on A3 High, of its page on GPUDirect-TCPX; a size without both figures is passed over."""
    sizes = [KIB << i for i in range(10)]
    on = dict(zip(sizes, (0.01, 0.01, 0.01, 0.02, 0.04, 0.09, 0.11, 0.19, 0.35, 0.65), strict=True))
    off = dict(zip(sizes, (0.01, 0.01, 0.02, 0.04, 0.09, 0.12, 0.17, 0.15, 0.23, 0.47), strict=True))
    told = lines("TCPX", {64 * MIB: 40.0, MIB: 3.0, **on}, {8 * MIB: 9.0, MIB: 0.0, **off})

    assert told[-1] == "TCPX is the faster from 128 KiB on"
    assert len(told) == 11
    assert told[7] == "128 KiB: 0.19 GB/s with TCPX, 0.15 without, 1.3 x"


def test_the_command_prints_two_logs_side_by_side(tmp_path: Path) -> None:
    for name, busbw in (("with.log", 320.0), ("without.log", 160.0)):
        (tmp_path / name).write_bytes(render.joined(render.log(busbw=[busbw])))
    command = [sys.executable, "-S", "-m", "nccl_verdict.compare", "gIB", "with.log", "without.log"]
    environment = {"PYTHONPATH": str(Path(compare.__file__).parents[1]), "PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)

    assert done.stdout.splitlines() == [
        "1 GiB: 320 GB/s with gIB, 160 without, 2.0 x",
        "gIB is the faster from 1 GiB on",
    ], done.stderr
