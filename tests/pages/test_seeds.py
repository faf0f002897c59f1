"""The page on the source documents: each command in its table runs as it stands there."""

import re
import shlex
from pathlib import Path

import pytest
from tests.cli.commands import command
from tests.stacks import ROOT

PAGE = (ROOT / "docs" / "why" / "seeds.md").read_text()
COMMANDS = re.findall(r"`rdma-cluster ([^`]+)`", PAGE)
NO_NICS = """\
# nThread 1 nGpus 1 minBytes 1024 maxBytes 8589934592 step: 2(factor)
#
# Using devices
#  Rank  0 Group  0 Pid    700 on pod-0 device  0 [0000:8f:00] NVIDIA B200
#  Rank  1 Group  0 Pid    701 on pod-1 device  0 [0000:8f:00] NVIDIA B200
NCCL version 2.26.6+cuda12.8
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
"""
"""A log as the documents print it, of fewer GPUs."""


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_table_runs_as_it_stands(line: str, tmp_path: Path):
    """A log that proves nothing ends with 1; all else works."""
    log = tmp_path / "no-nics.log"
    log.write_text(NO_NICS)
    code, out, err = command(*(str(log) if word == log.name else word for word in shlex.split(line)))

    assert code == (1 if log.name in line else 0), out + err
    assert log.name not in line or "hold no NICs" in out


def test_each_row_says_what_does_it_here():
    """In a command, on a page, or that it is not done."""
    rows = [
        line.strip("|").split(" | ")[-1] for line in PAGE.splitlines() if line.startswith("|") and "---" not in line
    ]

    assert len(COMMANDS) >= 20
    assert [row for row in rows if not re.search(r"`|\]\(|\*\*not done here\*\*|\bhere\b|step by step", row)] == []
