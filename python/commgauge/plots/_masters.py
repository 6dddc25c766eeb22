"""Masters and workers against the number of processes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._tasks import TaskPrediction
from ._style import (
    EXTRAPOLATED, NO_INTERVAL, Axes, Figure, FixedLocator, FuncFormatter, NullLocator, add_notes,
    log_time_axis, mark_size, name_of, new_figure, percent_axis, plain, runs, styled,
)  # fmt: skip

_TIME, _MASTERS, _WORKERS = "#08519c", "#a63603", "#238b45"


def tasks(predicted: TaskPrediction) -> Figure:
    """The time that tasks take, with its interval, and how busy masters and workers are meanwhile,
    by the number of processes; marked is the best one. Of `ModelFile.predict_tasks`."""
    order = np.argsort(predicted.processes, kind="stable")
    with styled():
        figure = new_figure(8.0, 7.0)
        times, shares = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        draw_times(times, predicted, order)
        draw_shares(shares, predicted, order)
        process_axis(shares, predicted.processes[order])
        times.grid(True, axis="x")
        for axes in (times, shares):
            mark_size(axes, predicted.best.fewest, name_of_best(predicted) if axes is times else "")
        count = f"{predicted.masters} masters" if predicted.masters > 1 else "A master"
        figure.suptitle(f"{count} and workers on {plain(name_of(predicted.model))}")
        add_notes(figure, _notes(predicted))
        return figure


def draw_times(axes: Axes, predicted: TaskPrediction, order: NDArray) -> None:
    processes, time, low, high = (
        column[order]
        for column in (predicted.processes, predicted.time, predicted.low, predicted.high)
    )
    known = bool(np.isfinite(low).all() and np.isfinite(high).all())
    if known:
        axes.fill_between(processes, low, high, facecolor=_TIME, alpha=0.2, linewidth=0,
                          gid="interval")
        axes.errorbar(processes, time, [time - low, high - time], linestyle="", ecolor=_TIME,
                      elinewidth=1, capsize=2.5, gid="ends")
    _draw_line(axes, predicted, order, time, _TIME, known)
    axes.plot(processes, time, linestyle="", marker="o", markersize=5, color=_TIME,
              markerfacecolor=_TIME if known else "white", gid="times")
    ends = np.concatenate([time, low, high])
    ends = ends[np.isfinite(ends) & (ends > 0)]
    log_time_axis(axes, float(ends.min()), float(ends.max()))
    axes.set_ylabel("time")


def _draw_line(
    axes: Axes, predicted: TaskPrediction, order: NDArray, values: NDArray, colour: str,
    known: bool = True,
) -> None:  # fmt: skip
    """Dashed to numbers of processes that are extrapolated to."""
    processes, beyond = predicted.processes[order], predicted.extrapolated[order]
    for first, last in runs((beyond[1:] | beyond[:-1]).tolist()):
        part = slice(first, last + 2)
        style = EXTRAPOLATED if beyond[first + 1] or beyond[first] else "-"
        axes.plot(processes[part], values[part], color=colour, linewidth=1.6, gid="line",
                  linestyle=style if known else NO_INTERVAL)


def draw_shares(axes: Axes, predicted: TaskPrediction, order: NDArray) -> None:
    whose = "master" if predicted.masters == 1 else "masters"
    for name, shares, colour, marker in (
        (f"{whose}: sends, receives, serves", predicted.masters_busy[order], _MASTERS, "s"),
        ("workers: compute", predicted.workers_computing[order], _WORKERS, "^"),
    ):
        _draw_line(axes, predicted, order, shares, colour)
        axes.plot(predicted.processes[order], shares, linestyle="", marker=marker, markersize=5,
                  color=colour, label=name, gid="shares")
    axes.set_ylim(0, 1.04)
    percent_axis(axes.yaxis, "share of the time")
    axes.grid(True)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2)


def process_axis(axes: Axes, processes: NDArray, most: int = 20) -> None:
    """Logarithmic where they go far; ticks are what was predicted, at most so many."""
    first, last = int(processes[0]), int(processes[-1])
    shown = np.unique(processes)
    if last >= 8 * first:
        axes.set_xscale("log", base=2)
        axes.set_xlim(first / 1.15, last * 1.15)
        places = np.log2(shown)
    else:
        room = max(0.5, 0.05 * (last - first))
        axes.set_xlim(first - room, last + room)
        places = shown.astype(float)
    axes.xaxis.set_major_locator(FixedLocator(_apart(shown, places, most)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}"))
    axes.set_xlabel("processes, masters and workers together")


def _apart(shown: NDArray, places: NDArray, most: int) -> list[int]:
    """Those that have room for their names beside one another."""
    least = (places[-1] - places[0]) / most
    kept: list[int] = []
    for k in range(len(shown)):
        if not kept or places[k] - places[kept[-1]] >= least:
            kept.append(k)
    return [int(shown[k]) for k in kept]


def name_of_best(predicted: TaskPrediction) -> str:
    shortest, fewest = predicted.best
    if shortest == fewest:
        return f"shortest: {shortest} processes"
    return f"{fewest} processes: within 2 % of {shortest}"


def _notes(predicted: TaskPrediction) -> list[str]:
    texts = [predicted.text]
    if predicted.interval_meaning:
        texts.append(f"bars and band: {predicted.interval_meaning}")
    else:
        texts.append("hollow, dotted: no interval is known")
    if predicted.extrapolated.any():
        texts.append("dashed: more processes, or longer messages, than were measured")
    return [" ".join(f"{text[0].upper()}{text[1:]}." for text in [*texts, *predicted.assumed])]
