"""Bus bandwidth by message size as an SVG picture: both columns, the threshold and the wire limit."""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log2, log10

from .expectation import size_text
from .verdict import Point, Verdict
from .visible import visible

_WIDTH, _HEIGHT = 860, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 150, 66, 52
_APART = 15
_OUT, _IN, _FLOOR, _WIRE, _INK, _SOFT = "#1f6feb", "#f0883e", "#d1242f", "#6e7781", "#24292f", "#d8dee4"


def write_svg(verdict: Verdict) -> str:
    """The picture as text; a verdict without rows gives one that says so."""
    body = _frame(verdict)
    if verdict.points:
        body += _Scale(verdict.points, verdict.limit).draw(verdict.points, verdict.limit)
    else:
        body.append(_text(_WIDTH / 2, _HEIGHT / 2, "no rows", anchor="middle"))
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
    return "\n".join([head, *body, "</svg>", ""])


def _frame(verdict: Verdict) -> list[str]:
    want = verdict.expectation
    title = f"{verdict.collective or 'nccl-tests'} on {want.nodes} x {want.gpus_per_node} GPUs of {want.machine}"
    outcome, colour = ("passed", "#1a7f37") if verdict.passed else ("failed", _FLOOR)
    first = "" if verdict.passed or not verdict.failed else f": {verdict.failed[0].name}, {verdict.failed[0].seen}"
    waived = f"; waived {', '.join(gate.name for gate in verdict.waived)}" if verdict.waived else ""
    subtitle = outcome + first + waived
    return [
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        _text(_LEFT, 26, title, size=16, weight="600"),
        _text(_LEFT, 46, subtitle if len(subtitle) <= 118 else subtitle[:115] + "...", fill=colour),
        _text(_LEFT + (_WIDTH - _LEFT - _RIGHT) / 2, _HEIGHT - 12, "message size", anchor="middle"),
        f'<text transform="rotate(-90)" x="{-(_TOP + (_HEIGHT - _TOP - _BOTTOM) / 2):.1f}" y="16" '
        f'text-anchor="middle" fill="{_INK}">bus bandwidth, GB/s</text>',
    ]


class _Scale:
    """Logarithmic by size, linear by bandwidth."""

    def __init__(self, points: Sequence[Point], wire: float | None) -> None:
        sizes = [point.size_bytes for point in points]
        self.low, self.high = floor(log2(min(sizes))), max(ceil(log2(max(sizes))), floor(log2(min(sizes))) + 1)
        figures = [f for p in points for f in (p.out_of_place, p.in_place, p.threshold, wire) if f is not None]
        most = max([*figures, 1.0]) * 1.05
        power = 10.0 ** floor(log10(most / 5))
        self.step = next(base * power for base in (1, 2, 5, 10) if base * power >= most / 5)
        self.top = self.step * ceil(most / self.step)

    def x(self, size: float) -> float:
        return _LEFT + (log2(size) - self.low) / (self.high - self.low) * (_WIDTH - _LEFT - _RIGHT)

    def y(self, figure: float) -> float:
        return _HEIGHT - _BOTTOM - figure / self.top * (_HEIGHT - _TOP - _BOTTOM)

    def draw(self, points: Sequence[Point], wire: float | None) -> list[str]:
        body = self._grid()
        labels: list[tuple[float, str, str]] = []
        if wire is not None:
            y = self.y(wire)
            body.append(_line(_LEFT, y, _WIDTH - _RIGHT, y, _WIRE, dash="2 4"))
            labels.append((y, f"wire {wire:g}", _WIRE))
        body += self._thresholds(points, labels)
        for name, colour in (("in-place", _IN), ("out-of-place", _OUT)):
            body += self._curve(points, name, colour, labels)
        return body + _spread(labels)

    def _grid(self) -> list[str]:
        body = []
        for number in range(round(self.top / self.step) + 1):
            y = self.y(number * self.step)
            body.append(_line(_LEFT, y, _WIDTH - _RIGHT, y, _SOFT))
            body.append(_text(_LEFT - 8, y + 4, f"{number * self.step:g}", anchor="end"))
        stride = max(1, ceil((self.high - self.low) / 9))
        for power in range(self.high, self.low - 1, -stride):
            x = self.x(2.0**power)
            body.append(_line(x, _HEIGHT - _BOTTOM, x, _HEIGHT - _BOTTOM + 5, _INK))
            body.append(_text(x, _HEIGHT - _BOTTOM + 20, size_text(2**power), anchor="middle"))
        return body

    def _thresholds(self, points: Sequence[Point], labels: list[tuple[float, str, str]]) -> list[str]:
        body = []
        for value in sorted({point.threshold for point in points if point.threshold is not None}):
            sizes = [point.size_bytes for point in points if point.threshold == value]
            y, left = self.y(value), self.x(min(sizes)) - 8
            body.append(_line(left, y, self.x(max(sizes)), y, _FLOOR, dash="7 4", width=2))
            labels.append((y, f"threshold {value:g}", _FLOOR))
        return body

    def _curve(
        self, points: Sequence[Point], name: str, colour: str, labels: list[tuple[float, str, str]]
    ) -> list[str]:
        figures = [(p.size_bytes, p.out_of_place if name == "out-of-place" else p.in_place) for p in points]
        known = [(self.x(size), self.y(figure), size, figure) for size, figure in figures if figure is not None]
        if not known:
            return []
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _, _ in known)
        body = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"/>']
        body += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}">'
            f"<title>{name}, {size_text(size)}: {figure:g} GB/s</title></circle>"
            for x, y, size, figure in known
        ]
        labels.append((known[-1][1], f"{name} {known[-1][3]:g}", colour))
        return body


def _spread(labels: list[tuple[float, str, str]]) -> list[str]:
    """Labels at the right edge, moved apart where they would overlap, and none below the axis."""
    last, ordered = -1e9, sorted(labels)
    places = [last := max(y, last + _APART) for y, _, _ in ordered]
    lowest = _HEIGHT - _BOTTOM + _APART
    for number, place in reversed(list(enumerate(places))):
        places[number] = lowest = min(place, lowest - _APART)
    x = _WIDTH - _RIGHT + 8
    return [_text(x, y + 4, label, fill=colour) for y, (_, label, colour) in zip(places, ordered, strict=True)]


# Seven parameters here and below: where a mark stands, and how it looks.
def _line(x1: float, y1: float, x2: float, y2: float, colour: str, dash: str = "", width: float = 1) -> str:  # noqa: PLR0913
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {place} stroke="{colour}" stroke-width="{width:g}"{dashed}/>'


# Each is an attribute of SVG's element.
def _text(  # noqa: PLR0913
    x: float, y: float, text: str, anchor: str = "start", size: int = 12, weight: str = "400", fill: str = _INK
) -> str:
    style = f'text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" fill="{fill}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(visible(text))}</text>'
