"""What signals do to this process: it ends by them, but not inside of a block that holds them."""

import os
import signal
from collections.abc import Generator
from typing import Any

import pytest
from rdma_cluster.cli.signals import ENDING, Signals, end_at_once, interrupted_by_hand

HEARD: list[int] = []


def heard(number: int, _: object) -> None:
    """Stands in the place of an end."""
    HEARD.append(number)


@pytest.fixture(autouse=True)
def handled() -> Generator[None]:
    """Hears every signal that ends a process, and puts its handlers back afterwards."""
    before = {number: signal.signal(number, heard) for number in ENDING}
    HEARD.clear()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def handlers() -> list[Any]:
    """The handlers of all signals that end a process."""
    return [signal.getsignal(number) for number in ENDING]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_waits_for_the_end_of_a_block(number: int):
    with Signals():
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), signal.SIGTERM)
        assert HEARD == []

    assert [number] == HEARD and handlers() == [heard] * 3


def test_a_block_without_a_signal_ends_by_none():
    with Signals(), Signals():
        pass
    with pytest.raises(ValueError), Signals():
        raise ValueError

    assert HEARD == [] and handlers() == [heard] * 3


def test_a_signal_raises_in_a_block_until_the_block_clears_up():
    with pytest.raises(KeyboardInterrupt), Signals(raising=True):
        os.kill(os.getpid(), signal.SIGHUP)
    with Signals(raising=True) as signals:
        signals.hold()
        os.kill(os.getpid(), signal.SIGTERM)

    assert [signal.SIGHUP, signal.SIGTERM] == HEARD


def test_a_signal_that_is_ignored_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with Signals():
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is not heard
    end_at_once()

    assert handlers() == [signal.SIG_DFL, signal.SIG_DFL, signal.SIG_IGN]


def test_ctrl_c_raises_only_in_a_block_with_an_answer():
    """Who handles it otherwise goes on to do so."""
    with interrupted_by_hand():
        assert signal.getsignal(signal.SIGINT) is heard
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with pytest.raises(KeyboardInterrupt), interrupted_by_hand():
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
