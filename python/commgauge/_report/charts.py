"""Small charts as SVG: lines with bands, dots with intervals. Values appear under the pointer."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Callable, Iterable, NamedTuple, Sequence

from markupsafe import Markup

from .. import units

WIDTH, HEIGHT = 440, 300
LEFT, RIGHT, TOP, BOTTOM = 66, 12, 12, 46
MOST_TICKS = 7
MARKERS = ("circle", "square", "diamond", "triangle")


class Dot(NamedTuple):
    """One value; an interval's missing end, or a value that is only bounded, is NaN."""

    x: float
    value: float
    low: float
    high: float
    tip: str


def trimmed(text: str) -> str:
    """"10.0 µs" as "10 µs"."""
    number, _, unit = text.partition(" ")
    return (number.rstrip("0").rstrip(".") if "." in number else number) + (unit and " " + unit)


@dataclass(frozen=True)
class Axis:
    """Where values are, from 0 to 1; outside of it they are drawn at the edge."""

    title: str
    low: float
    high: float
    map: Callable[[float], float]
    ticks: Sequence[tuple[float, str]]

    def place(self, value: float) -> float:
        start, end = self.map(self.low), self.map(self.high)
        return min(1.0, max(0.0, (self.map(value) - start) / (end - start)))

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


def _log2_of_size(size: float) -> float:
    return math.log2(max(size, 0.5))


def size_axis(sizes: Iterable[float], margin: float = 1.0) -> Axis:
    """Of message sizes, by powers of two, 0 bytes left of 1. `margin`: a factor at both ends."""
    found = [float(size) for size in sizes]
    low, high = min(found, default=1.0) / margin, max(found, default=2.0) * margin
    high = max(high, 2 * low, 2.0)
    first = math.ceil(_log2_of_size(max(low, 1)))
    last = math.floor(math.log2(high))
    step = next(s for s in (1, 2, 4, 5, 8, 10, 16, 32) if (last - first) / s < MOST_TICKS - 1)
    shown = [2.0**power for power in range(first, last + 1, step)]
    if low < 1:
        shown = [0.0] + [size for size in shown if size > 2]
    ticks = [(size, units.size(int(size))) for size in shown]
    return Axis("message size", low, high, _log2_of_size, ticks)


def log_axis(title: str, values: Iterable[float], text: Callable[[float], str]) -> Axis:
    """Of positive values; others are left out of its range."""
    found = [value for value in values if value > 0 and math.isfinite(value)] or [1.0]
    low, high = min(found) / 1.15, max(found) * 1.15
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    narrow = (1, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
    for steps in (narrow, (1, 1.5, 2, 3, 4, 5, 7), (1, 2, 5), (1, 3), (1,)):
        every = [m * 10.0**power for power in powers for m in steps]
        shown = [value for value in every if low <= value <= high]
        if len(shown) <= MOST_TICKS:
            break
    shown = shown[:: 1 + (len(shown) - 1) // MOST_TICKS]
    return Axis(title, low, high, math.log10, [(v, trimmed(text(v))) for v in shown])


def linear_axis(title: str, values: Iterable[float], text: Callable[[float], str]) -> Axis:
    """With 0, and ticks at round values."""
    found = [value for value in values if math.isfinite(value)]
    low, high = min(found + [0.0]), max(found + [0.0])
    if low == high:
        high = low + 1.0
    rough = (high - low) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = [(k * step, trimmed(text(k * step)) if k else "0") for k in range(first, last + 1)]
    return Axis(title, first * step, last * step, lambda value: value, ticks)


def rank_axis(ranks: int) -> Axis:
    """Of ranks 0 to ranks - 1."""
    steps = (m * 10**power for power in range(6) for m in (1, 2, 5))
    step = next(step for step in steps if 12 * step >= ranks)
    ticks = [(float(rank), str(rank)) for rank in range(0, ranks, step)]
    return Axis("rank", -0.5, ranks - 0.5, lambda value: value, ticks)


@dataclass
class Chart:
    """What is drawn is appended in order. Numbers of series select colour and marker."""

    x: Axis
    y: Axis
    description: str
    parts: list[Markup] = field(default_factory=list)

    def _x(self, value: float) -> float:
        return round(LEFT + self.x.place(value) * (WIDTH - LEFT - RIGHT), 1)

    def _y(self, value: float) -> float:
        return round(HEIGHT - BOTTOM - self.y.place(value) * (HEIGHT - TOP - BOTTOM), 1)

    def _lower(self, value: float) -> float:
        """Of an interval's lower end, which a logarithmic axis may not know."""
        return self._y(value if self.y.map is not math.log10 or value > 0 else self.y.low)

    def line(
        self, points: Sequence[tuple[float, float]], series: int, dashed: bool = False
    ) -> None:
        places = " ".join(f"{self._x(x)},{self._lower(y)}" for x, y in points)
        name = f"line s{series}" + (" dashed" if dashed else "")
        self.parts.append(Markup('<polyline class="%s" points="%s"/>') % (name, places))

    def band(self, points: Sequence[tuple[float, float, float]], series: int) -> None:
        """Of (x, low, high)."""
        there = [f"{self._x(x)},{self._lower(high)}" for x, _, high in points]
        back = [f"{self._x(x)},{self._lower(low)}" for x, low, _ in reversed(points)]
        self.parts.append(
            Markup('<polygon class="band s%s" points="%s"/>') % (series, " ".join(there + back))
        )

    def mark(self, x: float, text: str) -> None:
        """A vertical line, named at its top."""
        place = self._x(x)
        right = place > (WIDTH + LEFT) / 2
        self.parts.append(
            Markup(
                '<line class="mark" x1="%s" x2="%s" y1="%s" y2="%s"/>'
                '<text class="mark-text%s" x="%s" y="%s">%s</text>'
            )
            % (place, place, TOP, HEIGHT - BOTTOM, " end" if right else "",
               place + (-4 if right else 4), TOP + 10, text)
        )  # fmt: skip

    def level(self, y: float) -> None:
        place = self._y(y)
        self.parts.append(
            Markup('<line class="mark" x1="%s" x2="%s" y1="%s" y2="%s"/>')
            % (LEFT, WIDTH - RIGHT, place, place)
        )

    def dot(self, dot: Dot, series: int, faint: bool = False, beside: float = 0) -> None:
        """With its interval; an arrow down from what is only a bound; nothing without either.

        beside: how far to the right, so that dots of one place don't hide each other.
        """
        x = round(self._x(dot.x) + beside, 1)
        bounded = math.isnan(dot.value) and not math.isnan(dot.high)
        if math.isnan(dot.value) and not bounded:
            return
        inner = Markup("")
        if bounded:
            top = self._lower(dot.high)
            arrow = Markup('<path class="bound" d="M%s %sh8m-4 0v14m-3 -5l3 5l3 -5"/>')
            inner += arrow % (x - 4, top)
        else:
            if not (math.isnan(dot.low) or math.isnan(dot.high)):
                inner += Markup('<line class="interval" x1="%s" x2="%s" y1="%s" y2="%s"/>') % (
                    x, x, self._lower(dot.low), self._lower(dot.high),
                )  # fmt: skip
            inner += _marker(x, self._lower(dot.value), MARKERS[(series - 1) % len(MARKERS)])
        name = f"dot s{series}" + (" faint" if faint else "")
        self.parts.append(
            Markup('<g class="%s" data-tip="%s">%s</g>') % (name, dot.tip, inner)
        )

    def marker(self, x: float, y: float, series: int) -> None:
        """Of a line, which tells it from others where there are no colours."""
        shape = _marker(self._x(x), self._lower(y), MARKERS[(series - 1) % len(MARKERS)])
        self.parts.append(Markup('<g class="dot s%s">%s</g>') % (series, shape))

    def target(self, x: float, y: float, tip: str) -> None:
        """An invisible place that shows `tip`."""
        self.parts.append(
            Markup('<circle class="target" cx="%s" cy="%s" r="7" data-tip="%s"/>')
            % (self._x(x), self._lower(y), tip)
        )

    def svg(self) -> Markup:
        return Markup('<svg viewBox="0 0 %s %s" role="img" aria-label="%s">%s%s</svg>') % (
            WIDTH, HEIGHT, self.description, self._frame(), Markup("").join(self.parts),
        )  # fmt: skip

    def _frame(self) -> Markup:
        bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
        parts = []
        for value, text in self.y.ticks:
            if self.y.holds(value):
                y = self._y(value)
                parts.append(
                    Markup('<line class="grid" x1="%s" x2="%s" y1="%s" y2="%s"/>'
                           '<text class="tick end" x="%s" y="%s">%s</text>')
                    % (LEFT, right, y, y, LEFT - 6, y + 4, text)
                )  # fmt: skip
        for value, text in self.x.ticks:
            if self.x.holds(value):
                x = self._x(value)
                parts.append(
                    Markup('<line class="grid" x1="%s" x2="%s" y1="%s" y2="%s"/>'
                           '<text class="tick middle" x="%s" y="%s">%s</text>')
                    % (x, x, bottom, bottom + 4, x, bottom + 17, text)
                )  # fmt: skip
        parts.append(Markup('<path class="axis" d="M%s %sV%sH%s"/>') % (LEFT, TOP, bottom, right))
        parts.append(
            Markup('<text class="axis-title middle" x="%s" y="%s">%s</text>')
            % ((LEFT + right) / 2, HEIGHT - 8, self.x.title)
        )
        parts.append(
            Markup('<text class="axis-title middle" transform="translate(12 %s) rotate(-90)">'
                   "%s</text>")
            % ((TOP + bottom) / 2, self.y.title)
        )
        return Markup("").join(parts)


def _marker(x: float, y: float, shape: str) -> Markup:
    if shape == "circle":
        return Markup('<circle cx="%s" cy="%s" r="3.2"/>') % (x, y)
    outline = {
        "square": "m-3 -3h6v6h-6z",
        "diamond": "m0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4z",
        "triangle": "m0 -4.2l4.2 7.4h-8.4z",
    }[shape]
    return Markup('<path d="M%s %s%s"/>') % (x, y, outline)


def legend(names: Sequence[tuple[int, str]], dashed: str = "") -> Markup:
    """Marker and name of each series."""
    items = [
        Markup('<li><svg viewBox="0 0 18 12" class="key" aria-hidden="true"><g class="dot s%s">'
               '<path class="interval" d="M0 6h18"/>%s</g></svg>%s</li>')
        % (series, _marker(9, 6, MARKERS[(series - 1) % len(MARKERS)]), name)
        for series, name in names
    ]  # fmt: skip
    if dashed:
        items.append(
            Markup('<li><svg viewBox="0 0 18 12" class="key" aria-hidden="true">'
                   '<path class="line s0 dashed" d="M0 6h18"/></svg>%s</li>') % dashed
        )  # fmt: skip
    return Markup('<ul class="legend">%s</ul>') % Markup("").join(items)

