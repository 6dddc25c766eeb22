"""Scatter and gather over sizes, with the lines and breaks found in them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Sequence, Union

import numpy as np

from .. import _commgauge
from .._arguments import path_text
from .._commgauge import InputError
from .._files import (
    Diagnostic, Measurements, Sweep, Threshold, Thresholds, _diagnostics, _threshold, _thresholds,
)  # fmt: skip
from ._style import (
    INK, QUIET, Axes, Figure, add_notes, log_time_axis, mark_size, new_figure, size_axis, size_text,
    styled,
)  # fmt: skip

BAND = "#f3dcae"


@dataclass(frozen=True)
class Analysis:
    """What was made of one sweep, as by ``thresholds fit``."""

    sweep: Sweep
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


def analyse(
    source: Union[Measurements, str, "os.PathLike[str]"],
) -> tuple[Thresholds, list[Analysis]]:
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


def sweep(source: Union[Measurements, str, "os.PathLike[str]"]) -> Figure:
    """Every sweep in a panel: repetitions, medians, fitted lines, breaks, escalations.

    source: measurements with sweeps, or the path of a CSV, as for `analyse`.
    """
    thresholds, found = analyse(source)
    found = [one for one in found if len(one.sweep.size_bytes)]
    if not found:
        raise InputError("there are no sweeps (scatter and gather were not swept): measure them")
    with styled():
        figure = new_figure(8.5, 4.3 * len(found) + 0.3)
        panels = figure.subplots(len(found), 1, squeeze=False)[:, 0]
        for axes, one in zip(panels, found):
            _draw(axes, one, thresholds)
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
        axes.plot(sizes, one.fitted_s, linestyle="", marker="x", markersize=4, color=INK,
                  gid="fitted", label="median without escalated ones", zorder=3)
        axes.axvspan(max(one.escalations["first_bytes"], 0.5), one.escalations["last_bytes"],
                     facecolor="none", edgecolor="#b0b0b0", hatch="///", linewidth=0,
                     label="escalations", zorder=0.6, gid="escalations")
    if one.segments:
        axes.plot([], [], color="#a63603", linewidth=2, label="fitted line")
    _mark(axes, one, thresholds)
    kind = one.sweep.kind.replace("_", ", ") or "series"
    axes.set_title(f"{kind}: {len(sizes)} sizes, {len(times)} times")
    axes.set_xlabel("message size")
    axes.set_ylabel("time")
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))


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
    for found in one.breaks:
        if found.low_bytes is None:
            continue
        open_ = found.high_bytes is None
        axes.axvspan(max(found.low_bytes, 0.5), high_end if open_ else found.high_bytes,
                     facecolor=BAND, alpha=0.5 if open_ else 0.9, linewidth=0, gid="interval",
                     zorder=0.5)
    if any(found.low_bytes is not None for found in one.breaks):
        axes.fill_between([], [], [], facecolor=BAND,
                          label=f"break's interval: {thresholds.interval_meaning}")


def _text_of(one: Analysis) -> str:
    kind = one.sweep.kind.replace("_", ", ") or "The series"
    if one.reason:
        return f"{kind}: no lines ({one.reason})"
    texts = []
    for found in one.breaks:
        if found.high_bytes is None or found.low_bytes is None:
            texts.append(f"the break at {size_text(found.size_bytes)} has an open interval")
    if not one.escalations["found"]:
        texts.append(one.escalations["reason"])
    return f"{kind}: {'; '.join(texts) or 'the lines are fitted between the breaks'}"
