"""The catalogue's table: a row for each machine, under headings that say what a cell is."""

import re

import pytest
from tests.cli.commands import command

ROWS = {
    "p5.48xlarge": ("eks", "8 x NVIDIA H100 80GB HBM3", "32 x 100 Gb/s", "EFA", "amd64", "yes"),
    "Standard_ND96isr_H100_v5": ("aks", "8 x NVIDIA H100 80GB HBM3", "8 x 400 Gb/s", "InfiniBand", "amd64", "no"),
    "a3-edgegpu-8g": ("gke", "8 x NVIDIA H100 80GB HBM3", "4 x ? Gb/s", "GPUDirect-TCPX", "amd64", "no"),
}
"""All but the price, which changes; of a3-edgegpu-8g Google publishes no rate of a NIC."""


def cells(line: str) -> list[str]:
    """Of a row, or of the headings."""
    return re.split(r" {2,}", line.strip())


def test_headings():
    """Each column once, in this order."""
    headings = cells(command("machines")[1].splitlines()[0])

    assert headings == ["cloud", "machine", "gpus", "rails", "transport", "arch", "pairs", "usd an hour"]


@pytest.mark.parametrize("machine", ROWS)
def test_row(machine: str):
    """What the cloud publishes of it."""
    cloud, *rest = ROWS[machine]
    (row,) = (cells(line) for line in command("machines")[1].splitlines() if f" {machine} " in line)

    assert row[:7] == [cloud, machine, *rest]


def test_a_machine_without_roots_and_price():
    """A dash for what is not known: no cell is empty, or the next would stand under its heading."""
    rows = [cells(line) for line in command("machines")[1].splitlines()[2:]]

    assert {len(row) for row in rows} == {8}
    assert {row[6] for row in rows} <= {"yes", "no", "-"}
    assert all(re.fullmatch(r"-|[\d.]+( to [\d.]+)?", row[7]) for row in rows)
