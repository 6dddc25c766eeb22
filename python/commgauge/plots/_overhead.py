"""Overheads against the number of processes."""

from __future__ import annotations

import numpy as np

from .. import _commgauge
from .._files import Measurements, ModelFile
from ._style import (
    EXTRAPOLATED, NO_INTERVAL, Axes, Figure, add_notes, linear_axis, new_figure, styled,
)  # fmt: skip

SENDING, RECEIVING = "#08519c", "#a63603"


def overhead(machine: ModelFile, measurements: Measurements | None = None) -> Figure:
    """Overheads o of an empty message against the number of processes P, with the line's interval.

    With the measurements behind the model the measured overheads of each pass, too. Raises
    `InputError` where the growth was not measured.
    """
    last = machine.ranks
    beyond = max(last + 1, -(-last * 5 // 4))
    processes = np.unique(np.linspace(2, beyond, min(60, beyond - 1)).astype(int))
    processes = np.unique(np.append(processes, last))
    lines = [np.array(one) for one in
             _commgauge.overheads_among(machine._handle, processes.tolist())]
    with styled():
        figure = new_figure(7.5, 5.2)
        axes = figure.subplots()
        points = [_measured(measurements, kind, machine) for kind in _kinds(machine)]
        for name, line, colour, marker, measured in zip(
            ("sending", "receiving"), lines, (SENDING, RECEIVING), ("o", "s"), points
        ):
            _draw_line(axes, processes, line, last, name, colour)
            _draw_points(axes, measured, name, colour, marker)
        axes.axvline(last, color="#444444", linestyle=":", linewidth=1)
        axes.annotate(f"the job's {last} ranks", (last, 0), xycoords=("data", "axes fraction"),
                      xytext=(-4, 4), textcoords="offset points", fontsize=8.5, ha="right")
        axes.set_xlabel("processes P")
        axes.xaxis.get_major_locator().set_params(integer=True)
        shown = np.concatenate([line.ravel() for line in lines] + [p[1:].ravel() for p in points])
        axes.set_ylim(*_limits(shown))
        linear_axis(axes.yaxis, shown, "s", "overhead o of an empty message")
        axes.grid(True, axis="y")
        axes.set_title("Overhead against the number of processes")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=4)
        add_notes(figure, _notes(machine, lines, measurements, points))
        return figure


def _kinds(machine: ModelFile) -> tuple[str, str]:
    progress = machine._handle.receive_wait == "progress"
    return "send_overhead", "receive_overhead" + ("_progress" if progress else "")


def _measured(measurements: Measurements | None, kind: str, machine: ModelFile) -> np.ndarray:
    """Rows: processes, time, low, high; one column for each experiment of the fit's size."""
    if measurements is None:
        return np.empty((4, 0))
    columns = measurements.experiments
    size = _commgauge.fit_of(machine._handle, "overhead_growth")["range_bytes"][0]
    bytes_ = np.asarray(columns["out_bytes" if kind == "send_overhead" else "back_bytes"])
    kept = (np.array(columns["kind"], dtype=object) == kind) & (bytes_ == size)
    counts = np.array([len(launch.ranks) for launch in measurements.launches])
    processes = np.asarray(columns["processes"])
    among = np.where(processes > 0, processes, counts[np.asarray(columns["launch"])])
    return np.stack([among, columns["time_s"], columns["low_s"], columns["high_s"]])[:, kept]


def _draw_line(
    axes: Axes, processes: np.ndarray, line: np.ndarray, last: int, name: str, colour: str
) -> None:
    value, low, high = line.T
    known = not np.isnan(low).any()
    for beyond in (False, True):
        part = processes >= last if beyond else processes <= last
        dashes = NO_INTERVAL if not known else EXTRAPOLATED if beyond else "-"
        label = None if beyond else name + ("" if known else ", interval unknown")
        axes.plot(processes[part], value[part], color=colour, linestyle=dashes, linewidth=1.8,
                  label=label, gid=f"{name} line")
        if known:
            axes.fill_between(processes[part], low[part], high[part], facecolor=colour,
                              alpha=0.1 if beyond else 0.22, linewidth=0, gid=f"{name} band",
                              hatch="////" if beyond else None, edgecolor=colour)


def _draw_points(
    axes: Axes, measured: np.ndarray, name: str, colour: str, marker: str
) -> None:
    if measured.shape[1] == 0:
        return
    among, time, low, high = measured
    shift = -0.04 if name == "sending" else 0.04
    axes.errorbar(among + shift, time, np.maximum([time - low, high - time], 0), linestyle="",
                  marker=marker, markersize=4, markerfacecolor="white", markeredgecolor=colour,
                  ecolor=colour, elinewidth=0.8, label=f"{name}, measured", gid=f"{name} points",
                  zorder=3)


def _limits(shown: np.ndarray) -> tuple[float, float]:
    known = shown[np.isfinite(shown)]
    low, high = min(0.0, float(known.min())), float(known.max())
    room = 0.06 * (high - low)
    return (low - room if low < 0 else 0.0), high + room


def _notes(
    machine: ModelFile, lines: list[np.ndarray], measurements: Measurements | None,
    points: list[np.ndarray],
) -> list[str]:  # fmt: skip
    meaning = machine.interval_meaning("overhead_growth")
    notes = [f"Band: {meaning}. Dashed: more processes than measured."]
    if any(np.isnan(line).any() for line in lines):
        notes = ["No interval is known: too few passes or launches."]
    if measurements is not None and not any(one.shape[1] for one in points):
        notes.append("The measurements have no overheads of this size.")
    return notes
