"""Which tests run which function of the package, and how long they take: recorded once, asked for every mutant.

Only the order in which tests are asked hangs on it, no verdict: it may be older than the tree. Coverage tools know
nothing of caches: the second test that reads a shared graph runs as much of the package as the first.
"""

import pickle
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from cProfile import Profile
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest


@dataclass
class Run:
    """Of a test, or of a value that tests share."""

    codes: set[CodeType] = field(default_factory=set)
    shared: set[Any] = field(default_factory=set)
    """The keys of values that it took."""
    seconds: float = 0
    """Without what shared values took."""


class Recorder:
    """A plugin of pytest that keeps the functions which each test runs."""

    def __init__(self) -> None:
        self.runs: dict[str, Run] = {}
        self._made: dict[Any, Run] = {}
        self._now: list[Run] = []
        self._since = time.perf_counter()
        self._profile = Profile(builtins=False)
        self._threads: list[Profile] = []
        threading.setprofile(lambda *_: self._threaded())

    def _threaded(self) -> None:
        """In a thread that begins: a profile of its own takes the place of this call."""
        self._threads.append(Profile(builtins=False))
        self._threads[-1].enable()

    def _turn(self) -> None:
        """What ran until now belongs to the run that is the newest."""
        self._profile.disable()
        if self._now:
            run = self._now[-1]
            run.seconds += time.perf_counter() - self._since
            for profile in (self._profile, *self._threads):
                run.codes |= {each.code for each in profile.getstats() if isinstance(each.code, CodeType)}
        self._threads.clear()
        self._profile.clear()
        self._since = time.perf_counter()
        self._profile.enable()

    @contextmanager
    def _within(self) -> Generator[Run]:
        self._turn()
        self._now.append(Run())
        try:
            yield self._now[-1]
        finally:
            self._turn()
            self._now.pop()

    def end(self) -> None:
        """Nothing is recorded any more."""
        self._profile.disable()
        threading.setprofile(None)

    def shared(self, key: Any, make: Callable[[], Any]) -> Any:
        """A value of a cache."""
        if self._now:
            self._now[-1].shared.add(key)
        if key in self._made or threading.current_thread() is not threading.main_thread():
            return make()
        with self._within() as self._made[key]:
            return make()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        """A test."""
        with self._within() as run:
            result = yield
        fixtures = item._fixtureinfo.name2fixturedefs if isinstance(item, pytest.Function) else {}
        run.shared |= {each for found in fixtures.values() for each in found} & self._made.keys()
        self.runs[item.nodeid] = run
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[Any]:
        """What a fixture makes for more than one test."""
        if fixturedef.scope == "function":
            return (yield)
        with self._within() as self._made[fixturedef]:
            return (yield)

    def told(self, root: Path) -> dict[str, Any]:
        """The functions of the package that ran; of each test its own seconds, a bit for each function that it or what
        it shares runs, and the numbers of what it shares; of that the seconds."""
        places: dict[str, int] = {}
        bits: dict[CodeType, int] = {}
        for code in {code for run in (*self.runs.values(), *self._made.values()) for code in run.codes}:
            name = function_of(code, str(root))
            bits[code] = 1 << places.setdefault(name, len(places)) if name else 0
        numbers = {key: i for i, key in enumerate(self._made)}
        ran = {test: self._ran(run, bits, numbers) for test, run in self.runs.items()}
        return {"functions": list(places), "tests": ran, "shared": [run.seconds for run in self._made.values()]}

    def _ran(self, run: Run, bits: dict[CodeType, int], numbers: dict[Any, int]) -> tuple[float, int, list[int]]:
        ahead, seen = [run], set[Any]()
        found = 0
        while ahead:
            each = ahead.pop()
            found |= reduce(or_, {bits[code] for code in each.codes}, 0)
            ahead += [self._made[key] for key in each.shared - seen if key in self._made]
            seen |= each.shared
        return run.seconds, found, sorted(numbers[key] for key in seen if key in numbers)


class Shared:
    """In the place of a function with a cache."""

    def __init__(self, cached: Any, recorder: Recorder):
        self._cached, self._recorder = cached, recorder

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What it gives."""
        key = (self._cached, args, tuple(kwargs.items()))
        return self._recorder.shared(key, lambda: self._cached(*args, **kwargs))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cached, name)


def heard(modules: Iterable[ModuleType], recorder: Recorder) -> None:
    """Put something that tells the recorder in the place of each cache."""
    places: dict[int, Shared] = {}
    for module in modules:
        for name, value in list(vars(module).items()):
            if callable(getattr(value, "cache_clear", None)) and not isinstance(value, type | Shared):
                setattr(module, name, places.setdefault(id(value), Shared(value, recorder)))


def function_of(code: CodeType, root: str) -> str:
    """The function of the package around some code, as a mutant names it; empty for all others."""
    if not code.co_filename.startswith(f"{root}/components/"):
        return ""
    names = [name for name in code.co_qualname.split(".") if not name.startswith("<")]
    return f"{code.co_filename.removeprefix(f'{root}/')} {'.'.join(names) or '-'}"


def joined(parts: Sequence[Path], file: Path) -> None:
    """Make one file of several."""
    file.write_bytes(pickle.dumps([pickle.loads(part.read_bytes()) for part in parts]))
    for part in parts:
        part.unlink()


class Runs:
    """What was recorded, of some tests each."""

    def __init__(self, file: Path | None = None):
        self._parts: list[dict[str, Any]] = pickle.loads(file.read_bytes()) if file else []
        self.known = {test for part in self._parts for test in part["tests"]}

    def of(self, path: str, within: str | None) -> set[str]:
        """The tests that run a function; without one, those that run anything of the file."""
        found: set[str] = set()
        for part in self._parts:
            wanted = sum(
                1 << i
                for i, name in enumerate(part["functions"])
                if name == f"{path} {within}" or (within is None and name.startswith(f"{path} "))
            )
            found |= {test for test, (_, bits, _) in part["tests"].items() if bits & wanted}
        return found

    def seconds(self, tests: Set[str]) -> dict[str, float]:
        """Of each of some tests: its own, and its part of what they share, which the first of them makes for all."""
        found: dict[str, float] = {}
        for part in self._parts:
            asked = {test: of for test, of in part["tests"].items() if test in tests}
            sharing = Counter(key for _, _, shared in asked.values() for key in shared)
            cost = {key: part["shared"][key] / count for key, count in sharing.items()}
            found |= {test: own + sum(cost[key] for key in shared) for test, (own, _, shared) in asked.items()}
        return found
