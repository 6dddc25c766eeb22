"""The time of a recorded program against what the machine could have more or less of."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from .. import units
from .._commgauge import InputError
from .._what_if import Curve, Tolerance, WhatIf
from ._style import (
    COLOURS, INK, MARKERS, NO_INTERVAL, QUIET, Axes, Figure, add_notes, name_of, new_figure,
    program_name, short, styled,
)  # fmt: skip

_LEAST_RANGE = 1.05
"""Of the longest time shown to the shortest."""


def what_if(found: WhatIf) -> Figure:
    """The run's time against each quantity of the curves, with intervals and tolerances.

    Raises `InputError` where there are no curves.
    """
    if not found.curves:
        raise InputError(
            'there are no curves (they are what is drawn): ask what_if() for some, as '
            'curves={"latency": (0.25, 4)}'
        )
    curves = list(found.curves.values())
    columns = min(2, len(curves))
    rows = -(-len(curves) // columns)
    with styled():
        figure = new_figure(5.2 * columns, 1.2 + 2.6 * rows)
        panels = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
        for number, (axes, curve) in enumerate(zip(panels, curves)):
            _draw(axes, curve, found.time, COLOURS[1 + number], MARKERS[number])
            _mark(axes, curve, [one for one in found.tolerances if one.quantity == curve.quantity])
            axes.set_title(curve.quantity, loc="left")
        for axes in panels[len(curves):]:
            axes.set_axis_off()
        _time_axis(panels[0], curves)
        for axes in panels[::columns]:
            axes.yaxis.set_label_text("time of the run")
        figure.suptitle(f"{program_name(found.program)} on {name_of(found.model)}: "
                        f"{units.seconds(found.time)} where nothing is otherwise")
        add_notes(figure, _notes(found, curves))
        return figure


def _draw(axes: Axes, curve: Curve, time: float, colour: str, marker: str) -> None:
    axes.set_xscale("log", base=2)
    axes.axhline(time, color=QUIET, linewidth=0.8, linestyle="--", zorder=1)
    known = not np.isnan(curve.low).any()
    axes.plot(curve.factor, curve.time, color=colour, marker=marker, markersize=4, linewidth=1.6,
              linestyle="-" if known else NO_INTERVAL, gid=f"{curve.quantity} line")
    if known:
        axes.fill_between(curve.factor, curve.low, curve.high, facecolor=colour, alpha=0.22,
                          linewidth=0, gid=f"{curve.quantity} band")
    axes.xaxis.set_major_locator(FixedLocator(_doublings(curve.factor)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _factor_text(value)))
    axes.xaxis.set_label_text("factor")
    axes.grid(True)


def _doublings(factors: np.ndarray) -> list[float]:
    low, high = np.log2(factors.min()), np.log2(factors.max())
    powers = np.arange(np.ceil(low - 1e-9), np.floor(high + 1e-9) + 1)
    step = max(1, -(-len(powers) // 9))
    return [2.0**power for power in powers if power % step == 0]


def _factor_text(factor: float) -> str:
    return f"{factor:g}" if factor >= 1 else f"1/{1 / factor:g}"


def _mark(axes: Axes, curve: Curve, tolerances: list[Tolerance]) -> None:
    """Those that are within the curve, each with its name in a row of its own."""
    for row, one in enumerate(tolerances):
        is_left = curve.quantity == "bandwidth"
        factor = 1 / one.slower if is_left else one.slower
        if not curve.factor.min() <= factor <= curve.factor.max():
            continue
        axes.axvline(factor, color=INK, linestyle=":", linewidth=1.1, gid="tolerance")
        axes.annotate(f"+{100 * one.longer:g} %", (factor, 1), xycoords=("data", "axes fraction"),
                      xytext=(-3 if is_left else 3, -3 - 12 * row), textcoords="offset points",
                      va="top", ha="right" if is_left else "left", fontsize=8.5,
                      bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.6})


def _time_axis(axes: Axes, curves: list[Curve]) -> None:
    """Logarithmic, as the factors are: a line of slope one is all of the time."""
    times = np.concatenate([np.concatenate([one.time, one.low, one.high]) for one in curves])
    times = times[np.isfinite(times) & (times > 0)]
    if times.size == 0:
        return
    low, high = float(times.min()), float(times.max())
    missing = max(1.0, _LEAST_RANGE / (high / low)) ** 0.5 * 1.03
    axes.set_yscale("log")
    axes.set_ylim(low / missing, high * missing)
    axes.yaxis.set_major_locator(FixedLocator(_ticks(low / missing, high * missing)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(units.seconds(value))))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers, not too many."""
    if high / low > 3:
        powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
        return [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
    power = 10 ** np.floor(np.log10(high - low))
    for digit in (0.1, 0.2, 0.5, 1, 2, 5):
        step = digit * power
        ticks = step * np.arange(np.ceil(low / step), np.floor(high / step) + 1)
        if len(ticks) <= 6:
            return ticks.tolist()
    return []


def _notes(found: WhatIf, curves: list[Curve]) -> list[str]:
    notes = ["Each is multiplied by a factor, all else stays; dashed: where nothing is otherwise."]
    if any(not np.isnan(one.low).any() for one in curves):
        notes.append(f"Bands: {found.interval_meaning}.")
    if found.tolerances:
        notes.append("Dotted upright: how much worse it may be before the run takes that longer.")
    notes += [f"{text[0].upper()}{text[1:]}." for text in found.assumed]
    return [" ".join(notes)]
