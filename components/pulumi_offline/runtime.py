"""Pulumi's Python runtime, started and stopped around one run."""

import os
from asyncio import AbstractEventLoop, Runner, Task, ensure_future, new_event_loop, wait
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, copy_context
from inspect import isawaitable, iscoroutine
from threading import Lock
from types import ModuleType
from typing import Any

# Pulumi sets its process-wide defaults in the context that imports it first, which has to be the caller's.
from pulumi import resource as classes
from pulumi.runtime import resource, settings as runtime
from pulumi.runtime.config import set_all_config
from pulumi.runtime.proto import source_pb2
from pulumi.runtime.stack import run_in_stack
from .lazy import fast_imports
from .monitor import Monitor
from .project import Settings

_one_at_a_time = Lock()
_inside: ContextVar[bool] = ContextVar("inside", default=False)


def run(program: AbstractContextManager[Any], monitor: Monitor, settings: Settings) -> None:
    """Run a program against a monitor until nothing is outstanding; its exceptions are passed on.

    It gets a thread and a context of its own, so that its event loop, its settings and its short stack have nothing to
    do with the caller's own loop, where there is one. Raises RuntimeError inside another run.
    """
    if _inside.get():
        raise RuntimeError("a program under preview cannot start a preview; build the two graphs one after the other")

    def target() -> None:
        _inside.set(True)
        with _one_at_a_time, program as main, _without_idle_work(), Runner(loop_factory=_new_loop) as runner:
            runner.run(_deploy(main, monitor, settings))

    with ThreadPoolExecutor(1, "preview") as pool:
        pool.submit(copy_context().run, target).result()


async def _deploy(main: Callable[[], Any], monitor: Monitor, settings: Settings) -> None:
    runtime.ROOT.set(None)
    engine = runtime.Settings(settings.project, settings.stack, monitor, engine=monitor, dry_run=True)
    runtime.configure(engine)
    runtime.SETTINGS.organization = "organization"
    runtime.SETTINGS.root_directory = settings.root or os.getcwd()
    runtime.SETTINGS.callbacks = monitor.callbacks
    set_all_config(settings.config, sorted(settings.secrets))
    await run_in_stack(lambda: _settled(main))


async def _settled(main: Callable[[], Any]) -> None:
    """Run the program and wait for what it started.

    The SDK would wait for one output at a time among all that are open, which takes the square of their number.
    """
    if isawaitable(result := main()):
        await result
    while pending := {output for output in runtime.SETTINGS.outputs if not output.done()}:
        done, _ = await wait(pending)
        for output in done:
            await output


@contextmanager
def _without_idle_work() -> Generator[None]:
    """Leave out what nobody reads offline, and what takes as long as all the rest.

    - The stack trace of every registration: a tenth of a run.
    - The URNs that aliases would have, for engines too old to take aliases as they are: half of a run, because classes
      of azure-native bring thirty each.
    - The garbage collector.
    """
    with (
        fast_imports(),
        _swapped(resource, "_get_stack_trace", source_pb2.StackTrace),
        _swapped(classes, "collapse_alias_to_urn", lambda *_: None),
    ):
        yield


@contextmanager
def _swapped(module: ModuleType, name: str, stand_in: Callable[..., Any]) -> Generator[None]:
    original = getattr(module, name)
    setattr(module, name, stand_in)
    try:
        yield
    finally:
        setattr(module, name, original)


class _Inline(ThreadPoolExecutor):
    """Runs at once what the SDK hands to threads, because our monitor never blocks: a fixed order, and less time.

    What the monitor itself has to wait for, it returns as a coroutine.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            result = fn(*args, **kwargs)
            if iscoroutine(result):
                ensure_future(result).add_done_callback(lambda task: _hand_on(task, future))
            else:
                future.set_result(result)
        except Exception as error:
            future.set_exception(error)
        return future


def _hand_on(task: Task[Any], future: Future[Any]) -> None:
    if task.cancelled():
        future.cancel()
    elif (error := task.exception()) is not None:
        future.set_exception(error)
    else:
        future.set_result(task.result())


def _new_loop() -> AbstractEventLoop:
    loop = new_event_loop()
    loop.set_default_executor(_Inline())
    # Whatever waited for a resource that failed fails too; the first failure is the one that is raised.
    loop.set_exception_handler(lambda loop, context: None)
    return loop
