"""Small charts of matplotlib's for a page: SVG within HTML, with values under the pointer."""

from __future__ import annotations

import re
from typing import Any, Callable, Iterable, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike, NDArray

from .. import units
from ..plots._style import (
    COLOURS, EXTRAPOLATED, MARKERS, QUIET, log_axis, mark_size, new_figure, size_axis, svg,
)  # fmt: skip

INCHES = 5.4, 3.8
MOST_SIZES = 6
"""Named on an axis."""


class Figure(NamedTuple):
    """A chart with what stands around it."""

    title: str
    svg: Markup
    note: str


class Chart:
    """A figure with one pair of axes. Limits of its axes are set before anything is drawn."""

    def __init__(self, description: str) -> None:
        self.description = description
        self.figure = new_figure(*INCHES)
        self.axes = self.figure.subplots()
        self._tips: list[tuple[float, float, str]] = []

    def set_size_axis(self, sizes: Iterable[float]) -> None:
        found = list(sizes)
        size_axis(self.axes, int(min(found)), int(max(found)), MOST_SIZES)
        self.axes.set_xlabel("message size")

    def set_log_axis(self, title: str, values: ArrayLike, text: Callable[[float], str]) -> None:
        """Over those that are above 0."""
        found = np.ravel(np.asarray(values, dtype=float))
        found = found[np.isfinite(found) & (found > 0)]
        low, high = (found.min(), found.max()) if found.size else (1.0, 1.0)
        log_axis(self.axes, low, high, text)
        self.axes.set_ylabel(title)

    def set_time_axis(self, *columns: ArrayLike) -> None:
        every = np.concatenate([np.ravel(np.asarray(one, dtype=float)) for one in columns])
        self.set_log_axis("time", every, units.seconds)

    def shown(self, values: ArrayLike) -> NDArray[np.float64]:
        """At the lower edge where they are below it: a logarithmic axis knows nothing else."""
        return np.maximum(np.asarray(values, dtype=float), self.axes.get_ylim()[0])

    def dots(self, x: ArrayLike, y: ArrayLike, series: int, **more: Any) -> None:
        """Markers alone; `series` selects their shape and colour, 0 is faint."""
        marker, size = (MARKERS[series - 1], 4.5) if series else (".", 6)
        look = {"marker": marker, "markersize": size, "linestyle": ""}
        self.axes.plot(x, self.shown(y), color=colour_of(series), **{**look, **more})

    def intervals(self, x: ArrayLike, low: ArrayLike, high: ArrayLike, series: int) -> None:
        self.axes.vlines(x, self.shown(low), self.shown(high), color=colour_of(series),
                         linewidth=1.2)

    def mark(self, size: int, text: str, level: int = 0) -> None:
        """A vertical line, where it is in view; `level` counts names downwards."""
        low, high = self.axes.get_xlim()
        if low <= size <= high:
            mark_size(self.axes, size, text, level=level)

    def tip(self, x: float, y: float, text: str) -> None:
        """Is shown where the pointer is near."""
        self._tips.append((float(x), float(y), text))

    def add_legend(self, extrapolated: bool = False) -> None:
        if extrapolated:
            self.axes.plot([], [], color=QUIET, linestyle=EXTRAPOLATED, label="extrapolated")
        self.axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, fontsize=10)

    def svg(self) -> Markup:
        """Without what a page has already, or must not have twice."""
        text = svg(self.figure)
        drawn = text[text.index('<g id="figure_1"') : text.rindex("</svg>")]
        drawn = re.sub(r'<g id="[^"]*"', "<g", drawn)
        drawn = re.sub(r' (d|x|y)="[^"]*"', lambda one: re.sub(r"(\.\d)\d+", r"\1", one[0]), drawn)
        width, height = 72 * self.figure.get_size_inches()
        return Markup('<svg viewBox="0 0 %g %g" role="img" aria-label="%s">%s%s</svg>') % (
            width, height, self.description, Markup(drawn), self._targets(height),
        )  # fmt: skip

    def _targets(self, height: float) -> Markup:
        box = self.axes.bbox
        parts = []
        for x, y, text in self._tips:
            if not np.isfinite((x, y)).all():
                continue
            place = self.axes.transData.transform((x, self.shown(y)))
            across, up = 72 / self.figure.dpi * np.clip(place, box.min, box.max)
            parts.append(Markup('<circle class="target" cx="%.1f" cy="%.1f" r="7" data-tip="%s"/>')
                         % (across, height - up, text))  # fmt: skip
        return Markup("").join(parts)


def colour_of(series: int) -> str:
    return COLOURS[series] if series else QUIET


def beside(x: ArrayLike, steps: float) -> NDArray[np.float64]:
    """Sizes moved a little, so that dots of one size don't hide each other."""
    sizes = np.asarray(x, dtype=float)
    return np.where(sizes < 1, sizes + 0.12 * steps, sizes * 2 ** (0.12 * steps))
