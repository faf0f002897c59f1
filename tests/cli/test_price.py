"""The price where people and programs read it; the day changes one sentence and no JSON."""

import json
from datetime import date

import pytest
from rdma_cluster.cli import output
from rdma_cluster.cli.page import page
from rdma_cluster.cli.stack_file import cloud_of, read_stack
from rdma_cluster.common.stack import summarise_stack
from tests.cli.commands import command


class Day(date):
    """A day long after the lists."""

    @classmethod
    def today(cls) -> "Day":
        """A day in 2027."""
        return cls(2027, 7, 9)


OLD = "the price of pool p5 is of 2026-07-09, 365 days ago; look at the cloud's own list"


def test_plan_tells_the_price_and_its_age(monkeypatch: pytest.MonkeyPatch):
    """Two nodes in a capacity block; the age stands below the warnings."""
    monkeypatch.setattr(output, "date", Day)
    _, out, _ = command("plan", "eks")
    assert "\nprice\n" in out
    assert "110.08" in out and "on demand; a reference only: capacity-block has a price of its own" in out
    assert out.endswith(f"{OLD}\n")


def test_the_day_changes_no_json(monkeypatch: pytest.MonkeyPatch):
    """A graph of today and one of next year are compared byte by byte."""
    _, today, _ = command("plan", "eks", "--json")
    monkeypatch.setattr(output, "date", Day)
    _, later, _ = command("plan", "eks", "--json")
    assert later == today
    assert [row["from_usd_an_hour"] for row in json.loads(today)["price"]] == [110.08, 110.08]


def test_the_page_tells_the_age(monkeypatch: pytest.MonkeyPatch):
    """At its top, below the price."""
    monkeypatch.setattr(page, "date", Day)
    _, settings = read_stack("eks", None, ())
    text = page.write_page("eks", summarise_stack(cloud_of(settings), settings.config, "eks"), None, "", cloud="eks")
    assert '<div class="price">' in text
    assert OLD.replace("'", "&#x27;") in text


def test_machines_tell_prices_with_their_lists():
    """In full for one machine, as a range for all, as data for programs."""
    _, full, _ = command("machines", "p5.48xlarge")
    assert "on-demand price of one machine" in full
    assert "2026-11-09  github.com/datareceipts/data-receipts" in full
    _, every, _ = command("machines")
    assert "55.04 to 75.96" in every
    (form,) = json.loads(command("machines", "p5.48xlarge", "--json")[1])
    assert form["unpriced"] is None
    assert form["prices"][0]["regions"] == ["us-east-1"]
    assert {"ref", "seen", "known"} == set(form["prices"][0]["sources"][0])


def test_machines_tell_why_there_is_no_price():
    """In words, and as data."""
    _, full, _ = command("machines", "a4x-highgpu-4g")
    assert "on-demand price of one machine: sold by contract: " in full
    (form,) = json.loads(command("machines", "a4x-highgpu-4g", "--json")[1])
    assert form["prices"] == []
    assert form["unpriced"].startswith("sold by contract: ")
