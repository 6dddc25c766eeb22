"""Where a recorded program's time goes on a machine, and what to do first."""

from __future__ import annotations

import numpy as np

from .. import units
from .._explanations import Answer, Explanation
from ._style import (
    COLOURS, HATCHES, INK, Axes, Figure, add_notes, linear_axis, name_of, new_figure, percent_axis,
    plain, program_name, styled,
)  # fmt: skip

_MOST_ANSWERS = 6
_LEAST_SHARE = 0.002
"""Of the time: what takes less is one piece of the bar."""
_LONGEST_TITLE = 96
_KINDS = {
    "overheads": "overheads of messages", "bytes": "bytes of messages",
    "gaps": "gaps between messages", "asking": "asking again and again",
    "other": "other costs of messages",
}  # fmt: skip


def explanation(found: Explanation) -> Figure:
    """The critical path by what its time passes for; below it what would help, most gain first,
    with the gains' intervals, and how much there is to gain at most."""
    answers = found.first(_MOST_ANSWERS)
    bounds = tuple(one for one in found.answers if one.is_bound)
    rows = max(1, len(answers) + len(bounds))
    with styled():
        figure = new_figure(9.0, 3.0 + 0.62 * rows)
        path, gains = figure.subplots(2, 1, height_ratios=(0.9, 0.62 * rows + 0.2))
        _draw_path(path, found)
        _draw_gains(gains, [*answers, *bounds], found.time)
        figure.suptitle(f"{program_name(found.program)}: {found.ranks} ranks on "
                        f"{name_of(found.model)}, {units.seconds(found.time)}")
        add_notes(figure, _notes(found, answers, bounds))
        return figure


def _draw_path(axes: Axes, found: Explanation) -> None:
    """A bar of all kinds, the small ones together."""
    kinds = found.critical_path.by("kind")
    large = {kind: taken for kind, taken in kinds.items() if taken >= _LEAST_SHARE * found.time}
    rest = sum(kinds.values()) - sum(large.values())
    pieces = [(_KINDS.get(kind, kind), taken) for kind, taken in large.items()]
    if rest > 1e-9 * found.time:
        pieces.append(("the rest", rest))
    start = 0.0
    for number, (name, taken) in enumerate(pieces):
        axes.barh(0, taken, left=start, height=0.7, edgecolor="white", linewidth=0.5, gid="path",
                  facecolor=COLOURS[(number + 1) % len(COLOURS)],
                  hatch=HATCHES[number % len(HATCHES)],
                  label=f"{name}: {units.seconds(taken)}, {_percent(taken, found.time)}")
        start += taken
    axes.set_xlim(0, found.time if found.time > 0 else 1)
    axes.yaxis.set_visible(False)
    axes.spines["left"].set_visible(False)
    linear_axis(axes.xaxis, [found.time], "s", "the critical path's time")
    axes.set_title("Where the time goes", loc="left")
    if pieces:
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.62), ncols=2, borderaxespad=0)


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.3g} %" if whole > 0 else "-"


def _draw_gains(axes: Axes, answers: list[Answer], time: float) -> None:
    """A bar for each, its title above it."""
    for row, one in enumerate(answers):
        gain = one.gain / time
        axes.barh(row, gain, height=0.34, facecolor="white" if one.is_bound else COLOURS[1],
                  edgecolor=INK if one.is_bound else COLOURS[1], linewidth=0.9,
                  gid="bound" if one.is_bound else "gain")
        if not np.isnan(one.gain_low):
            ends = [[max(0.0, one.gain - one.gain_low)], [max(0.0, one.gain_high - one.gain)]]
            axes.errorbar(gain, row, xerr=np.array(ends) / time, ecolor=INK, elinewidth=1.1,
                          capsize=2.5, linestyle="", gid="interval")
        title = axes.annotate(plain(one.title, _LONGEST_TITLE), (0, row - 0.24), xytext=(3, 0),
                              textcoords="offset points", fontsize=8.5, va="bottom", gid="title")
        title.set_in_layout(False)
    highs = [max(one.gain, np.nan_to_num(one.gain_high)) / time for one in answers]
    axes.set_xlim(0, 1.05 * max(highs, default=1.0))
    axes.set_ylim(max(1, len(answers)) - 0.6, -0.75)
    axes.yaxis.set_visible(False)
    axes.grid(True, axis="x")
    axes.set_axisbelow(True)
    percent_axis(axes.xaxis, "shorter by, in per cent of the run")
    axes.set_title("Do this first" if answers else "Nothing that was tried makes it shorter",
                   loc="left")  # fmt: skip


def _notes(
    found: Explanation, answers: tuple[Answer, ...], bounds: tuple[Answer, ...]
) -> list[str]:
    notes = []
    if any(not np.isnan(one.gain_low) for one in (*answers, *bounds)):
        notes.append(f"Intervals: {found.interval_meaning}.")
    if bounds:
        notes.append("Hollow: nothing to do, but how much there is to gain at most.")
    notes += [f"{text[0].upper()}{text[1:]}." for text in found.assumed]
    return [" ".join(notes)] if notes else []
