"""Parameters of ranks, with intervals and bounds."""

from __future__ import annotations

import numpy as np
from matplotlib.markers import CARETDOWN

from .._commgauge import InputError
from .._files import ModelFile
from .._predictions import Model, Parameter
from ._style import (
    INK, Axes, Figure, add_notes, linear_axis, name_of, new_figure, rank_ticks, styled,
)  # fmt: skip

MANY = 100
"""Of so many ranks each has no arrow or cap of its own."""


def ranks(machine: ModelFile, model: str | None = None) -> Figure:
    """C, t, s and r of each rank, as far as the model has them, with their intervals.

    A bound is an arrow that points down from it; a value without an interval is hollow. Without a
    model the best ranked that has such parameters. Raises `InputError` where none has.
    """
    chosen = machine.model(model) if model is not None else _first_with_ranks(machine)
    shown = _of_ranks(chosen)
    if not shown:
        raise InputError(
            f"{chosen.name} has no parameters of ranks (its parameters are those of pairs): take "
            "lom, lmo or bottleneck"
        )
    with styled():
        count = machine.ranks
        width = min(14.0, max(7.0, 2.5 + 0.28 * count))
        figure = new_figure(width, 2.1 * len(shown) + 1.6)
        panels = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
        for axes, parameter in zip(panels, shown):
            draw_parameter(axes, parameter, machine.hosts)
        rank_ticks(panels[-1].xaxis, machine.hosts, "rank", int(3 * width))
        many = len(set(machine.hosts)) > 1
        panels[-1].tick_params(axis="x", labelrotation=90 if many and count > 6 else 0, labelsize=8)
        panels[-1].set_xlim(-0.6, count - 0.4)
        figure.suptitle(f"{name_of(chosen.name)}: {count} ranks")
        add_notes(figure, _notes(shown, machine.interval_meaning(chosen.name)))
        return figure


def _first_with_ranks(machine: ModelFile):
    every = [machine.model(name) for name in machine.models]
    for one in every:
        if _of_ranks(one):
            return one
    raise InputError(
        "the file has no model with parameters of ranks (lom, lmo, bottleneck): calibrate with "
        "such a model"
    )


def _of_ranks(model: Model) -> list[Parameter]:
    return [p for p in model.parameters.values() if p.is_shown and np.ndim(p.value) == 1]


def draw_parameter(axes: Axes, parameter: Parameter, hosts: list[str]) -> None:
    value, low, high = (np.asarray(x) for x in (parameter.value, parameter.low, parameter.high))
    rank = np.arange(len(value))
    bounded = np.isnan(value) & ~np.isnan(high)
    certain = ~np.isnan(value) & ~np.isnan(low) & ~np.isnan(high)
    bare = ~np.isnan(value) & ~certain
    small = 3.0 if len(value) > 200 else 5.0
    _shade_hosts(axes, hosts)
    if certain.any():
        _draw_values(axes, rank[certain], value[certain], low[certain], high[certain], small)
    axes.plot(rank[bare], value[bare], linestyle="", marker="D", markersize=small,
              markerfacecolor="white", markeredgecolor="#08519c", gid="no interval")
    _draw_bounds(axes, rank[bounded], high[bounded])
    shown = np.concatenate([low[certain], high[certain], value[bare], high[bounded]])
    low_end = min(0.0, float(shown.min())) if shown.size else 0.0
    high_end = float(shown.max()) if shown.size else 1.0
    room = 0.1 * max(high_end - low_end, abs(high_end), 1e-300)
    axes.set_ylim(low_end - (room if low_end < 0 else 0), high_end + room)
    if low_end < 0:
        axes.axhline(0, color=INK, linewidth=0.8, linestyle=":")
    axes.grid(True, axis="y")
    linear_axis(axes.yaxis, shown, parameter.unit, parameter.symbol)
    axes.set_title(f"{parameter.symbol}: {parameter.meaning}", loc="left", fontsize=10)


def _draw_values(
    axes: Axes, rank: np.ndarray, value: np.ndarray, low: np.ndarray, high: np.ndarray, size: float
) -> None:
    """With their intervals; those of many ranks are a single path, which keeps files small."""
    look = {"linestyle": "", "marker": "o", "markersize": size, "color": "#08519c"}
    if len(rank) <= MANY:
        axes.errorbar(rank, value, np.stack([value - low, high - value]), ecolor=INK,
                      elinewidth=1.2, capsize=3, gid="values", **look)  # fmt: skip
        return
    ends = np.stack([low, high, np.full(len(rank), np.nan)], axis=1).ravel()
    axes.plot(np.repeat(rank, 3), ends, color=INK, linewidth=1.2, gid="intervals")
    axes.plot(rank, value, gid="values", **look)


def _draw_bounds(axes: Axes, rank: np.ndarray, high: np.ndarray) -> None:
    """A bar at the bound and an arrow down: the value lies somewhere below."""
    axes.plot(rank, high, linestyle="", marker="_", markersize=9, markeredgewidth=1.6,
              color="#a63603", gid="bounds")
    if len(rank) > MANY:
        axes.plot(rank, high, linestyle="", marker=CARETDOWN, color="#a63603")
        return
    for x, y in zip(rank, high):
        axes.annotate("", (x, y), xytext=(0, -20), textcoords="offset points",
                      arrowprops={"arrowstyle": "<-", "color": "#a63603", "linewidth": 1.3,
                                  "linestyle": "-", "shrinkA": 0, "shrinkB": 0})


def _shade_hosts(axes: Axes, hosts: list[str]) -> None:
    """Every second host, where hosts have several ranks and there are few enough to tell apart."""
    starts = [r for r in range(len(hosts)) if r == 0 or hosts[r] != hosts[r - 1]]
    if len(starts) < 2 or len(starts) == len(hosts) or len(starts) > 80:
        return
    for first, end in list(zip(starts, starts[1:] + [len(hosts)]))[1::2]:
        axes.axvspan(first - 0.5, end - 0.5, color="#f1f1f1", zorder=0)


def _notes(parameters: list[Parameter], meaning: str) -> list[str]:
    notes = [f"Bars: {meaning}."]
    if any(np.any(p.bounded) for p in parameters):
        notes.append("Arrow: only an upper bound is known, the value lies somewhere below.")
    if any(np.any(~np.isnan(p.value) & np.isnan(p.low)) for p in parameters):
        notes.append("Hollow: no interval is known.")
    return [" ".join(notes)]
