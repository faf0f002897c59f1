"""Pulumi's runtime around a run: what is handed to threads, what is swapped meanwhile, and the collector."""

import asyncio
import gc
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest
from pulumi_offline import preview
from pulumi_offline.runtime import _Inline, _new_loop, _swapped, _without_idle_work


def test_work_for_threads_is_done_at_once():
    """In the thread that asks, with its arguments; an error is the future's."""
    done: list[Any] = []
    with _Inline(1) as pool:
        future = pool.submit(lambda *args, **named: done.append((args, named)) or "result", 1, key=2)
        assert done == [((1,), {"key": 2})] and future.result(0) == "result"
        assert isinstance(pool.submit(lambda: 1 / 0).exception(0), ZeroDivisionError)


@pytest.mark.parametrize("end", ["result", "error", "cancelled"])
def test_what_has_to_wait_ends_as_its_task_does(end: str):
    """A coroutine that the monitor returns is waited for by the loop."""

    async def waiting() -> str:
        await asyncio.sleep(0)
        if end == "error":
            raise ZeroDivisionError
        if end == "cancelled":
            raise asyncio.CancelledError
        return "result"

    async def caller() -> None:
        future = _Inline(1).submit(waiting)
        assert not future.done()
        for _ in range(4):
            await asyncio.sleep(0)
        assert future.done() and future.cancelled() is (end == "cancelled")
        if end == "error":
            assert isinstance(future.exception(0), ZeroDivisionError)
        if end == "result":
            assert future.result(0) == "result"

    with closing(asyncio.new_event_loop()) as loop:
        loop.run_until_complete(caller())


def test_a_loop_of_our_own():
    """It does work for threads at once, and says nothing of errors that others have raised already."""
    loop = _new_loop()
    try:
        future = loop.run_in_executor(None, lambda: "result")
        assert loop.run_until_complete(future) == "result"
        assert loop.get_exception_handler() is not None
        loop.call_exception_handler({"message": "of a task"})
    finally:
        loop.close()


def test_a_stand_in_is_there_for_a_while():
    """The original comes back, behind an error, too."""
    module: Any = SimpleNamespace(name="original")

    with _swapped(module, "name", str):
        assert module.name is str
    assert module.name == "original"
    with pytest.raises(ZeroDivisionError), _swapped(module, "name", str):
        raise ZeroDivisionError
    assert module.name == "original"


@pytest.mark.parametrize("collects", [True, False])
def test_the_collector_is_as_it_was(collects: bool):
    """It rests while a program runs; what nobody reads is left out, and comes back."""
    from pulumi import resource as classes
    from pulumi.runtime import resource
    from pulumi.runtime.proto.source_pb2 import StackTrace

    before, originals = gc.isenabled(), (classes.collapse_alias_to_urn, resource._get_stack_trace)
    try:
        (gc.enable if collects else gc.disable)()
        with pytest.raises(ZeroDivisionError), _without_idle_work():
            assert not gc.isenabled()
            assert resource._get_stack_trace() == StackTrace()
            assert classes.collapse_alias_to_urn("a", "b", "c", "d", "e") is None  # ty: ignore
            raise ZeroDivisionError
        assert gc.isenabled() is collects
    finally:
        (gc.enable if before else gc.disable)()
    assert (classes.collapse_alias_to_urn, resource._get_stack_trace) == originals


def test_a_run_has_a_project_and_a_stack():
    """Both have names where none are given; what a test answers goes before what is known."""
    import pulumi

    names: list[tuple[str, str]] = []
    token = "gcp:compute/getReservation:getReservation"

    def program() -> None:
        names.append((pulumi.get_project(), pulumi.get_stack()))
        pulumi.export("answer", pulumi.runtime.invoke(token, {}).value)

    assert preview(program).outputs == {"answer": {}}
    assert preview(program, project="p", stack="s", invokes={token: {"a": 1}}).outputs == {"answer": {"a": 1}}
    assert names == [("project", "dev"), ("p", "s")]
