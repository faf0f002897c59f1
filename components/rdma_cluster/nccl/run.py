"""One test as the log tells it, in constant memory: sizes are kept, not lines."""

from bisect import bisect_left
from dataclasses import dataclass, field

from .evidence import LIMIT, Evidence
from .expectation import GIB
from .rows import Banner, Rank, Row


@dataclass(slots=True)
class Run:
    """Everything that one test shows."""

    source: str = ""
    collective: str | None = None
    collective_line: int | None = None
    banner: Banner | None = None
    ranks: dict[int, Rank] = field(default_factory=dict)
    conflicts: list[int] = field(default_factory=list)
    """Lines that say something else than an earlier line of the same kind."""
    rows: dict[int, Row] = field(default_factory=dict)
    """Per printed size, the slowest row."""
    counts: dict[int, int] = field(default_factory=dict)
    masked: list[int] = field(default_factory=list)
    """Lines of rows with a figure that is missing or no number."""
    wrong: list[int] = field(default_factory=list)
    unchecked: list[int] = field(default_factory=list)
    bus_sum: float = 0.0
    bus_slack: float = 0.0
    bus_cells: int = 0
    out_of_bounds: int | None = None
    out_of_bounds_line: int | None = None
    averages: dict[float, int] = field(default_factory=dict)
    """Figures of the footer's average to line."""
    started: int | None = None
    concluded: int | None = None
    timeout: int | None = None
    warnings: list[int] = field(default_factory=list)
    overflow: int | None = None
    """A line that was too long to read, or the first of more facts than are kept."""
    evidence: Evidence = field(default_factory=Evidence)
    process_seconds: dict[int, float] = field(default_factory=dict)
    """Per process, the time of its largest message; only JSON reports with ``-I 1`` hold it."""
    is_json: bool = False

    @property
    def hosts(self) -> list[str]:
        return sorted({rank.host for rank in self.ranks.values()})

    @property
    def groups(self) -> int:
        return len({rank.group for rank in self.ranks.values()})

    @property
    def empty(self) -> bool:
        return self.banner is None and not self.ranks and not self.rows and self.started is None

    @property
    def total_rows(self) -> int:
        return sum(self.counts.values())

    def add_rank(self, rank: Rank) -> None:
        known = self.ranks.get(rank.rank)
        if known is None and len(self.ranks) < LIMIT:
            self.ranks[rank.rank] = rank
        elif known is None:
            self.overflow = self.overflow or rank.line
        elif (known.host, known.pid, known.pci, known.model) != (rank.host, rank.pid, rank.pci, rank.model):
            _note(self.conflicts, rank.line)

    def add_row(self, row: Row) -> None:
        if row.size not in self.counts and len(self.counts) > 4096:
            self.overflow = self.overflow or row.line
            return
        self.counts[row.size] = self.counts.get(row.size, 0) + 1
        for cell in (row.out_bus, row.in_bus):
            if cell is not None:
                self.bus_sum += cell.value
                self.bus_slack += cell.half
                self.bus_cells += 1
        if not row.whole or None in (row.out_alg, row.out_bus, row.in_alg, row.in_bus):
            _note(self.masked, row.line)
        wrongs = (row.out_wrong, row.in_wrong)
        if None in wrongs:
            _note(self.unchecked, row.line)
        # Below one it is the rounding error that tests before 2.13 print in that column; a count is at least 1.
        if any(wrong is not None and wrong >= 1 for wrong in wrongs):
            _note(self.wrong, row.line)
        kept = self.rows.get(row.size)
        if kept is None or _speed(row) < _speed(kept):
            self.rows[row.size] = row

    def large_rows(self) -> list[Row]:
        """Rows of a nominal 1 GiB and above, by size."""
        return [self.rows[size] for size in sorted(self.rows) if self.nominal(size) >= GIB]

    def nominal(self, size: int) -> int:
        """The size that was asked for: nccl-tests rounds it down to a multiple of the ranks."""
        ladder = self.banner.ladder() if self.banner else None
        if not ladder:
            return size
        place = bisect_left(ladder, size)
        return ladder[place] if place < len(ladder) and ladder[place] - size <= self.rounding else size

    @property
    def rounding(self) -> int:
        return 16 * max(len(self.ranks), 1)

    def missing_rows(self) -> str | None:
        """What the announced sizes lack, or hold too often, in words."""
        ladder = self.banner.ladder() if self.banner else None
        if ladder is None:
            return "no usable banner announces the sizes"
        cycles, rest = divmod(self.total_rows, len(ladder))
        if rest or not cycles:
            return f"{self.total_rows} rows for {len(ladder)} sizes"
        for size in (s for s in ladder if s > 2 * self.rounding):
            held = sum(n for printed, n in self.counts.items() if size - self.rounding <= printed <= size)
            if held != cycles:
                return f"{held} rows at {size} bytes"
        return None

    def average_differs(self) -> tuple[float, float] | None:
        """The footer's average and that of the rows, when rows must have been lost between them."""
        if not self.bus_cells:
            return None
        mean, slack = self.bus_sum / self.bus_cells, self.bus_slack / self.bus_cells
        for average in self.averages:
            if abs(average - mean) > slack + 1e-5 * max(average, 1.0):
                return average, mean
        return None


def _speed(row: Row) -> float:
    return -1.0 if row.out_bus is None else row.out_bus.value


def _note(lines: list[int], line: int) -> None:
    if len(lines) < 8:
        lines.append(line)
