"""One test as its log shows it, in constant memory: sizes are kept, not lines."""

from bisect import bisect_left
from dataclasses import dataclass, field

from .busbw import fits_time
from .channels import LIMIT
from .evidence import Evidence
from .expectation import GIB
from .failures import Failure
from .header import Banner, Rank
from .records import Record
from .rows import Row

_FEW = 8  # lines that are kept of a kind
_KIND = 24  # letters by which warnings are of a kind


@dataclass(slots=True)
class Run:
    """Everything that one test shows."""

    source: str = ""
    collective: str | None = None
    collective_line: int | None = None
    banner: Banner | None = None
    ranks: dict[int, Rank] = field(default_factory=dict)
    conflicts: list[int] = field(default_factory=list)
    """Lines that contradict an earlier line of the same kind."""
    rows: dict[int, Row] = field(default_factory=dict)
    """Per printed size, the slowest row."""
    fastest: Row | None = None
    """The row with the highest figure in either column."""
    counts: dict[int, int] = field(default_factory=dict)
    masked: list[int] = field(default_factory=list)
    """Lines of rows with a figure that is missing or no number."""
    contradictions: list[int] = field(default_factory=list)
    """Lines of rows whose time and bandwidth are not of one message."""
    wrong: list[int] = field(default_factory=list)
    wrong_total: int = 0
    """Wrong elements in all rows."""
    unchecked: list[int] = field(default_factory=list)
    unchecked_in_place: list[int] = field(default_factory=list)
    """Lines that lack the check of the in-place column alone, which some collectives never have."""
    falls: list[Row] = field(default_factory=list)
    """Rows of a smaller size than the row before."""
    bus_sum: float = 0.0
    bus_slack: float = 0.0
    bus_cells: int = 0
    old_errors: bool = False
    """Whether the last column holds rounding errors, as before nccl-tests 2.13, and not a number of wrong elements."""
    out_of_bounds: int | None = None
    out_of_bounds_line: int | None = None
    averages: dict[float, int] = field(default_factory=dict)
    """Figures of the footer's average to line."""
    refused: list[int] = field(default_factory=list)
    """Footers that say FAILED."""
    version_line: int | None = None
    """Where NCCL prints its version, which it does when it begins."""
    head_line: int | None = None
    """The head of the table, which is printed when all ranks have joined."""
    started: int | None = None
    concluded: int | None = None
    failures: list[Failure] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    """What launchers and frameworks print of a failure, in a log whose start shows no test."""
    rivals: set[str] = field(default_factory=set)
    """Nodes of a second list of devices, whose ranks are listed already."""
    warnings: list[str] = field(default_factory=list)
    """What NCCL warned of, each once."""
    overflow: int | None = None
    """A line that was too long to read, or the first of more facts than are kept."""
    evidence: Evidence = field(default_factory=Evidence)
    process_seconds: dict[int, float] = field(default_factory=dict)
    """Per process, the time of its largest message; only JSON reports with ``-I 1`` hold it."""
    is_json: bool = False
    speaks: bool = False
    """Whether NCCL prints in it at all."""
    _last_size: int = -1
    _told: set[bytes] = field(default_factory=set)

    @property
    def hosts(self) -> list[str]:
        return sorted({rank.host for rank in self.ranks.values()})

    @property
    def processes(self) -> set[tuple[str, int]]:
        """Host and pid of every rank."""
        return {(rank.host, rank.pid) for rank in self.ranks.values()}

    @property
    def groups(self) -> int:
        return len({rank.group for rank in self.ranks.values()})

    def address_of(self, rank: Rank) -> str:
        """The PCI address of a rank's GPU, ``dddd:bb:dd``; empty where neither nccl-tests nor NCCL prints it."""
        return (self.evidence.addresses.get(rank.rank, "") if self.groups == 1 else "") if rank.bus_alone else rank.pci

    def gpu_of(self, rank: Rank) -> tuple[str, int]:
        """What tells a rank's GPU from the others of its node, as far as the log shows it."""
        address = self.address_of(rank)
        return (address, 0) if address else (rank.pci, rank.device)

    @property
    def empty(self) -> bool:
        return not (self.is_test or self.speaks or self.failures or self.records or self.warnings)

    @property
    def is_test(self) -> bool:
        """Whether it has a line of nccl-tests' own."""
        begun = self.banner or self.ranks or self.rows or self.head_line or self.is_json
        return bool(begun or self.averages) or self.started is not None or self.out_of_bounds is not None

    @property
    def is_announced(self) -> bool:
        """Whether it has a banner and no more: a second banner is of a process that runs the same test beside it."""
        return bool(self.banner) and self.evidence.empty and not (self.ranks or self.head_line or self.failures)

    @property
    def total_rows(self) -> int:
        return sum(self.counts.values())

    @property
    def largest(self) -> Row | None:
        return self.rows[max(self.rows)] if self.rows else None

    def add_rank(self, rank: Rank) -> None:
        known = self.ranks.get(rank.rank)
        if known is None and len(self.ranks) < LIMIT:
            self.ranks[rank.rank] = rank
        elif known is None:
            self.overflow = self.overflow or rank.line
        elif (known.host, known.pid, known.pci, known.model) != (rank.host, rank.pid, rank.pci, rank.model):
            _note(self.conflicts, rank.line)
            if len(self.rivals) < _FEW:
                self.rivals.add(rank.host)

    @property
    def full(self) -> bool:
        """Whether no more failures are kept."""
        return len(self.failures) >= _FEW * 4

    def wants(self, line: bytes) -> bool:
        """Whether a line may tell more than those that are kept: of one kind of warning a few are enough, so that the
        cause has a place behind many effects."""
        return line.partition(b"NCCL WARN ")[2][:_KIND] not in self._told

    def add_failure(self, failure: Failure) -> None:
        """Keep some, each once: every process of a node prints what its NICs report."""
        known = {(each.what, each.host, each.rank) for each in self.failures}
        if not self.full and (failure.what, failure.host, failure.rank) not in known:
            self.failures.append(failure)
        kind = failure.warning[:_KIND]
        if kind and sum(each.warning.startswith(kind) for each in self.failures) >= _FEW:
            self._told.add(kind.encode())

    def nic_numbers(self, host: str, name: str) -> list[int]:
        """NCCL's numbers of a NIC on a host, by the device's name."""
        nics = self.evidence.nics.items()
        return [number for (nic_host, number), nic in nics if nic_host == host and name in nic.names]

    @property
    def own_failures(self) -> list[Failure]:
        """What failed in the run, without what NICs report that are listed and carry no channel: front-end ports."""

        def idle(failure: Failure) -> bool:
            used = self.evidence.channels.used.get(failure.host, {})
            numbers = self.nic_numbers(failure.host, failure.nic.partition(":")[0]) if failure.nic and used else []
            return bool(numbers) and not any(number in used for number in numbers)

        return [failure for failure in self.failures if not idle(failure)]

    def add_warning(self, warning: str) -> None:
        if warning not in self.warnings and len(self.warnings) < _FEW:
            self.warnings.append(warning)

    def add_row(self, row: Row) -> None:
        if row.size not in self.counts and len(self.counts) > 4096:
            self.overflow = self.overflow or row.line
            return
        self.counts[row.size] = self.counts.get(row.size, 0) + 1
        if row.size < self._last_size and len(self.falls) < LIMIT:
            self.falls.append(row)
        self._last_size = row.size
        for cell in row.busbw:
            self.bus_sum += cell.value
            self.bus_slack += cell.half
            self.bus_cells += 1
        if not row.whole or None in (row.out_alg, row.out_bus, row.in_alg, row.in_bus):
            _note(self.masked, row.line)
        elif not _fits(row):
            _note(self.contradictions, row.line)
        self._check(row)
        slowest = self.rows.get(row.size)
        if slowest is None or _speed(row) < _speed(slowest):
            self.rows[row.size] = row
        if self.fastest is None or _fastest(row) > _fastest(self.fastest):
            self.fastest = row

    def _check(self, row: Row) -> None:
        wrongs = (row.out_wrong, row.in_wrong)
        if row.out_wrong is None:
            _note(self.unchecked, row.line)
        elif row.in_wrong is None:
            _note(self.unchecked_in_place, row.line)
        if any(wrong is not None and wrong >= 1 for wrong in wrongs):
            self.wrong_total += sum(int(wrong) for wrong in wrongs if wrong)
            _note(self.wrong, row.line)
        elif not self.old_errors and any(wrong for wrong in wrongs):
            _note(self.masked, row.line)  # a number of elements is whole

    def settle(self) -> None:
        """Once all is read: a host that was glued to other text is one that the list of devices knows."""
        self.evidence.channels.settle()
        listed = set(self.hosts)
        endings = {host: [each for each in listed if host.endswith(each)] for host in self.evidence.hosts - listed}
        self.evidence.rename({host: max(known, key=len) for host, known in endings.items() if known})

    def rows_with_figures(self) -> list[Row]:
        """Rows of 1 MiB and above with both figures of the out-of-place column; smaller ones are rounded too much."""
        return [row for row in self.rows.values() if row.size >= 1 << 20 and row.out_alg and row.out_bus]

    def large_rows(self) -> list[Row]:
        """Rows of a nominal 1 GiB and above, by size."""
        return [self.rows[size] for size in sorted(self.rows) if self.nominal(size) >= GIB]

    def nominal(self, size: int) -> int:
        """The requested size: nccl-tests rounds it down to a multiple of the ranks."""
        ladder = self.banner.ladder() if self.banner else None
        if not ladder:
            return size
        place = bisect_left(ladder, size)
        return ladder[place] if place < len(ladder) and ladder[place] - size <= self.rounding else size

    @property
    def rounding(self) -> int:
        return 16 * max(len(self.ranks), 1)

    def missing_rows(self) -> str | None:
        """What the announced sizes lack, hold too often or in the wrong order, in words."""
        ladder = self.banner.ladder() if self.banner else None
        if ladder is None:
            return "no usable banner announces the sizes"
        cycles, rest = divmod(self.total_rows, len(ladder))
        if rest or not cycles:
            return f"{self.total_rows} rows for {len(ladder)} sizes"
        for size in (s for s in ladder if s > 2 * self.rounding):
            rows = sum(n for printed, n in self.counts.items() if size - self.rounding <= printed <= size)
            if rows != cycles:
                return f"{rows} rows at {size} bytes"
        odd = [row for row in self.falls if row.size > ladder[0]]
        if odd or len(self.falls) >= cycles:
            row = (odd or self.falls)[0]
            return f"sizes fall to {row.size} bytes on line {row.line}, where they must rise"
        return None

    def average_differs(self) -> tuple[float, float] | None:
        """The footer's average and that of the rows, when rows must have been lost between them."""
        if not self.bus_cells:
            return None
        mean, slack = self.bus_sum / self.bus_cells, self.bus_slack / self.bus_cells
        return next(((each, mean) for each in self.averages if abs(each - mean) > slack + 1e-5 * each), None)


def without_twins(runs: list[Run]) -> list[Run]:
    """A JSON report and the log of the same processes are one test; the report adds the times of each process."""
    remaining = []
    for run in runs:
        twin = next((other for other in runs if run.is_json and not other.is_json and _twins(run, other)), None)
        if twin is None:
            remaining.append(run)
        else:
            twin.process_seconds = run.process_seconds
            twin.collective = twin.collective or run.collective
            twin.wrong = twin.wrong or run.wrong
            twin.masked = twin.masked or run.masked
    return remaining


def _twins(report: Run, log: Run) -> bool:
    ranks, log_ranks = ({(r.rank, r.host, r.pid) for r in run.ranks.values()} for run in (report, log))
    return bool(ranks) and ranks == log_ranks and set(report.rows) == set(log.rows)


def _fits(row: Row) -> bool:
    halves = ((row.out_time, row.out_alg), (row.in_time, row.in_alg))
    return all(not row.size or not time or not alg or fits_time(row.size, time, alg) for time, alg in halves)


def _speed(row: Row) -> float:
    return -1.0 if row.out_bus is None else row.out_bus.value


def _fastest(row: Row) -> float:
    return max((cell.value for cell in row.busbw), default=-1.0)


def _note(lines: list[int], line: int) -> None:
    if len(lines) < _FEW and line not in lines:
        lines.append(line)
