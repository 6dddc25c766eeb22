"""Scatter and gather over sizes, with the lines and breaks found in them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, NamedTuple, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from .. import _commgauge, units
from .._arguments import path_text
from .._commgauge import InputError
from .._files import (
    Diagnostic, Measurements, Sweep, Threshold, Thresholds, _diagnostics, _threshold, _thresholds,
    load_sweeps, load_thresholds,
)  # fmt: skip
from ._style import (
    INK, QUIET, Axes, Figure, add_notes, counted, log_time_axis, mark_size, new_figure, plain,
    size_axis, size_text, styled,
)  # fmt: skip

BAND = "#f3dcae"
FADING = 24
"""Steps in which an interval without an upper end fades."""

Source = Union[Measurements, str, "os.PathLike[str]"]


class Joined(NamedTuple):
    """A sweep with the repetitions of several launches."""

    kind: str
    root: int
    size_bytes: NDArray[np.uint64]
    median_s: NDArray[np.float64]
    times_s: Sequence[NDArray[np.float64]]


@dataclass(frozen=True)
class Analysis:
    """What was made of one sweep, as by ``thresholds fit``."""

    sweep: Union[Sweep, Joined]
    fitted_s: np.ndarray
    """Medians of the repetitions that did not escalate; NaN where all did."""
    segments: Sequence[dict[str, Any]]
    """Lines: indices `first` and `last`, `intercept_s`, `slope_s_per_byte`."""
    breaks: Sequence[Threshold]
    escalations: dict[str, Any]
    """`found`, and then `first_bytes` and `last_bytes`; else the `reason`."""
    reason: str
    """Why there are no lines, or empty."""
    warnings: Sequence[str]
    diagnostics: Sequence[Diagnostic]
    """The same, in the same order, as values."""


def analyse(source: Source) -> tuple[Thresholds, list[Analysis]]:
    """Finds lines, breaks and escalations in a file's sweeps, as ``thresholds fit`` does.

    source: measurements, or the path of a CSV. Raises `InputError` or `FitError` for no sweeps.
    """
    if isinstance(source, Measurements):
        handle, odd, found = _commgauge.analyse_measurements(source._handle)
    else:
        handle, odd, found = _commgauge.analyse_sweeps(path_text(source))
    return _thresholds(handle, odd), [_analysis(one) for one in found]


def _analysis(found: dict[str, Any]) -> Analysis:
    breaks = tuple(_threshold(one) for one in found["breaks"])
    diagnostics = _diagnostics(found["diagnostics"])
    return Analysis(Sweep(found["sweep"]), found["fitted_s"], tuple(found["segments"]), breaks,
                    found["escalations"], found["reason"],
                    tuple(one.text for one in diagnostics), diagnostics)


def read_analysis(
    path: Union[str, "os.PathLike[str]"], source: Source
) -> tuple[Thresholds, list[Analysis]]:
    """What a thresholds file says of its sweeps, whose repetitions are in `source`; their warnings
    are among those of the file.

    Raises `InputError` where the file is damaged, or of other sweeps.
    """
    thresholds = load_thresholds(path)
    sweeps = source.sweeps if isinstance(source, Measurements) else load_sweeps(source)
    try:
        with open(path, encoding="utf-8") as file:
            return thresholds, [_said(one, sweeps) for one in json.load(file)["sweeps"]]
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path}: sweeps: {error} is missing or odd (thresholds fit writes it): write the file "
            "again"
        ) from error


def _said(one: dict[str, Any], sweeps: Sequence[Sweep]) -> Analysis:
    """Of a thresholds file's entry."""
    joined = _joined(one, sweeps)
    if joined.size_bytes.tolist() != one["size_bytes"]:
        raise InputError(
            f"the thresholds of {one['kind'] or 'a sweep'} were found at other sizes (they belong "
            "to another sweep): give the times that they were found in"
        )
    breaks = [Threshold(each["size_bytes"], each["low_bytes"], each["high_bytes"],
                        each.get("reason", "")) for each in one["breaks"]]
    return Analysis(joined, np.array(one["fitted_s"], dtype=float), one["segments"], breaks,
                    {"reason": "", **one["escalations"]}, one.get("reason", ""), (), ())


def _joined(one: dict[str, Any], sweeps: Sequence[Sweep]) -> Joined:
    """The times of an entry: of one kind, and of the launches that it names; a CSV has none."""
    times: dict[int, list[float]] = {}
    for sweep in sweeps:
        if sweep.kind == one["kind"] and ("launches" not in one or (
            sweep.root == one["root"] and sweep.launch in one["launches"])):
            for size, repetitions in zip(sweep.size_bytes, sweep.times_s):
                times.setdefault(int(size), []).extend(repetitions)
    sizes = sorted(times)
    every = [np.array(times[size]) for size in sizes]
    return Joined(one["kind"], one["root"], np.array(sizes, dtype=np.uint64),
                  np.array([np.median(found) for found in every]), every)


def sweep(source: Source, thresholds: Union[str, "os.PathLike[str]", None] = None) -> Figure:
    """Every sweep in a panel: repetitions, medians, fitted lines, breaks, escalations.

    source: measurements with sweeps, or the path of a CSV, as for `analyse`. thresholds: the path
    of the file with what was found in them; without it they are analysed here.
    """
    known, found = analyse(source) if thresholds is None else read_analysis(thresholds, source)
    ranks = source.ranks if isinstance(source, Measurements) else None
    found = [one for one in found if len(one.sweep.size_bytes)]
    if not found:
        raise InputError("there are no sweeps (scatter and gather were not swept): measure them")
    with styled():
        figure = new_figure(8.5, 4.3 * len(found) + 0.3)
        panels = figure.subplots(len(found), 1, squeeze=False)[:, 0]
        for axes, one in zip(panels, found):
            _draw(axes, one, known)
            axes.set_title(_title_of(one.sweep, ranks))
        add_notes(figure, [_text_of(one) for one in found])
        return figure


def _draw(axes: Axes, one: Analysis, thresholds: Thresholds) -> None:
    sizes = one.sweep.size_bytes.astype(float)
    times = np.concatenate(one.sweep.times_s)
    log_time_axis(axes, times.min(), times.max() * 1.4)
    size_axis(axes, int(sizes[0]), int(sizes[-1]))
    repeated = np.repeat(sizes, [len(t) for t in one.sweep.times_s])
    axes.plot(repeated, times, linestyle="", marker=".", markersize=3, color=QUIET,
              gid="repetitions", label="repetition", zorder=1.2)
    for segment in one.segments:
        _draw_line(axes, segment, sizes)
    axes.plot(sizes, one.sweep.median_s, linestyle="", marker="o", markersize=5, gid="medians",
              markerfacecolor="none", markeredgecolor="#08519c", markeredgewidth=1.2,
              label="median of all" if one.escalations["found"] else "median", zorder=3)
    if one.escalations["found"]:
        if not one.reason:
            axes.plot(sizes, one.fitted_s, linestyle="", marker="x", markersize=4, color=INK,
                      gid="fitted", label="fitted median, without escalated ones", zorder=3)
        axes.axvspan(max(one.escalations["first_bytes"], 0.5), one.escalations["last_bytes"],
                     facecolor="none", edgecolor="#b0b0b0", hatch="///", linewidth=0,
                     label="escalations", zorder=0.6, gid="escalations")
    if one.segments:
        axes.plot([], [], color="#a63603", linewidth=2, label="fitted line")
    _mark(axes, one, thresholds)
    axes.set_xlabel("message size")
    axes.set_ylabel("time")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2)


def _title_of(sweep: Union[Sweep, Joined], ranks: int | None) -> str:
    """"scatter, 8 ranks, root 0: 30 sizes from 1 KiB to 1 MiB, 15 repetitions of each"."""
    where = f", {counted(ranks, 'rank')}, root {sweep.root}" if ranks is not None else ""
    sizes, counts = sweep.size_bytes, sorted(len(times) for times in sweep.times_s)
    repetitions = counted(counts[-1], "repetition")
    if counts[0] < counts[-1]:
        repetitions = f"{counts[0]} to {repetitions}"
    return (f"{plain(sweep.kind or 'sweep', 60)}{where}: {counted(len(sizes), 'size')} from "
            f"{units.size(sizes[0])} to {units.size(sizes[-1])}, {repetitions} of each")


def _draw_line(axes: Axes, segment: dict[str, Any], sizes: np.ndarray) -> None:
    first, last = sizes[segment["first"]], sizes[segment["last"]]
    steps = np.unique(np.concatenate([[first, last], np.geomspace(max(first, 1), last, 80)]))
    line = segment["intercept_s"] + segment["slope_s_per_byte"] * steps
    axes.plot(steps, np.where(line > 0, line, np.nan), color="#a63603", linewidth=2, gid="line",
              zorder=2)


def _mark(axes: Axes, one: Analysis, thresholds: Thresholds) -> None:
    low_end, high_end = axes.get_xlim()
    marks = [(found.size_bytes, f"break {size_text(found.size_bytes)}", "--")
             for found in one.breaks if found.size_bytes is not None]
    limit = thresholds.eager_limit.size_bytes
    if limit is not None and low_end < limit < high_end:
        marks.append((limit, f"eager limit {size_text(limit)}", ":"))
    for level, (size, text, dashes) in enumerate(sorted(marks, key=lambda mark: mark[0])):
        mark_size(axes, size, text, dashes, level)
    bounded = [found for found in one.breaks if found.low_bytes is not None]
    for found in bounded:
        _draw_interval(axes, found, high_end)
    if bounded:
        open_ = ", open above" if any(found.high_bytes is None for found in bounded) else ""
        axes.fill_between([], [], [], facecolor=BAND,
                          label=f"break's interval{open_}: {thresholds.interval_meaning}")


def _draw_interval(axes: Axes, found: Threshold, edge: float) -> None:
    """Open above, it is certain as far as the break itself and fades from there to the edge."""
    certain = found.size_bytes if found.high_bytes is None else found.high_bytes
    ends = [max(found.low_bytes, 0.5), max(certain, 0.5)]
    opacities = [1.0]
    if found.high_bytes is None:
        ends += np.geomspace(ends[-1], edge, FADING + 1)[1:].tolist()
        opacities += [1 - (step + 0.5) / FADING for step in range(FADING)]
    for low, high, opacity in zip(ends, ends[1:], opacities):
        axes.axvspan(low, high, facecolor=BAND, alpha=opacity, linewidth=0, gid="interval",
                     zorder=0.5)


def _text_of(one: Analysis) -> str:
    kind = plain(one.sweep.kind or "the series", 60)
    if one.reason:
        return f"{kind}: no lines ({one.reason})"
    texts = []
    for found in one.breaks:
        if found.high_bytes is None or found.low_bytes is None:
            texts.append(f"the break at {size_text(found.size_bytes)} has an open interval")
    if not one.escalations["found"]:
        texts.append(one.escalations["reason"])
    return f"{kind}: {'; '.join(texts) or 'the lines are fitted between the breaks'}"
