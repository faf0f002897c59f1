"""What signals do to this process: it ends by them, but not inside of a block that holds them."""

import os
import signal
from collections.abc import Callable, Generator
from threading import Thread
from typing import Any

import pytest
from rdma_cluster.cli.signals import ENDING, Signals, end_at_once, interrupted_by_hand

HEARD: list[int] = []


def heard(number: int, _: object) -> None:
    """In the place of an end."""
    HEARD.append(number)


@pytest.fixture(autouse=True)
def handled() -> Generator[None]:
    """Every signal that ends a process is heard, and afterwards as it was."""
    before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    HEARD.clear()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def elsewhere(work: Callable[[], Any]) -> Any:
    """What another thread finds."""
    found: list[Any] = []
    thread = Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def handlers() -> list[Any]:
    """Of all signals that end a process."""
    return [signal.getsignal(number) for number in ENDING]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_waits_for_the_end_of_a_block(number: int):
    """The first of several is the one by which the process ends, and all are handled as before."""
    with Signals():
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), signal.SIGTERM)
        assert HEARD == []
        reached = True

    assert reached and [number] == HEARD and handlers() == [heard] * 3


def test_a_block_without_a_signal_ends_by_none():
    """Also where it raises."""
    with Signals(), Signals():
        pass
    with pytest.raises(ValueError), Signals():
        raise ValueError

    assert HEARD == [] and handlers() == [heard] * 3


def test_a_block_is_unwound_until_it_holds():
    """The signal raises in it where that is asked for, and no more once it clears up."""
    with pytest.raises(KeyboardInterrupt), Signals(raising=True):
        os.kill(os.getpid(), signal.SIGHUP)
    assert [signal.SIGHUP] == HEARD
    with Signals(raising=True) as signals:
        signals.hold()
        os.kill(os.getpid(), signal.SIGTERM)

    assert [signal.SIGHUP, signal.SIGTERM] == HEARD


def test_a_signal_that_is_ignored_stays_so():
    """By `nohup`, say: in a block, after it, and from the start."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with Signals():
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is not heard
    end_at_once()

    assert handlers() == [signal.SIG_DFL, signal.SIG_DFL, signal.SIG_IGN]


def test_other_threads_hold_nothing():
    """Only the main one may handle signals."""

    def inside() -> list[Any]:
        with Signals(raising=True), interrupted_by_hand():
            return handlers()

    assert elsewhere(inside) == [heard] * 3


def test_ctrl_c_raises_where_a_block_has_an_answer():
    """In place of an end at once, and in that block alone; who handles it otherwise goes on to."""
    with interrupted_by_hand():
        assert signal.getsignal(signal.SIGINT) is heard
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with pytest.raises(KeyboardInterrupt), interrupted_by_hand():
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL

    def inside() -> Any:
        with interrupted_by_hand():
            return signal.getsignal(signal.SIGINT)

    assert elsewhere(inside) is signal.SIG_DFL
