"""What the ranks of a replayed program do when."""

from __future__ import annotations

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import Patch
from numpy.typing import NDArray

from .. import units
from .._commgauge import InputError
from .._replay import DOINGS, Messages, Replay, Stretches
from ._style import (
    INK, Axes, Figure, add_notes, linear_axis, name_of, new_figure, program_name, rank_ticks,
    styled,
)  # fmt: skip

_COLOURS = {"computing": "#08519c", "sending": "#fdae6b", "receiving": "#a1d99b",
            "waiting": "#ffffff", "sleeping": "#bcbddc"}  # fmt: skip
_HATCHES = {"computing": "", "sending": "////", "receiving": "....", "waiting": "", "sleeping": "--"}
_MOST_RANKS = 128
_MOST_STRETCHES = 1000
_COLUMNS = 1000
_MOST_MESSAGES = 500


def timeline(replayed: Replay) -> Figure:
    """What each rank does when, and the messages between ranks, where there are few enough.

    Of many ranks every few; of a rank of many stretches what it does for most of each thousandth.
    Raises `InputError` where the replay has no timeline.
    """
    if replayed.stretches is None or replayed.messages is None:
        raise InputError(
            "the replay has no timeline (it keeps one if it is asked to): replay with timeline=True"
        )
    count = len(replayed.ranks)
    step = max(1, -(-count // _MOST_RANKS))
    shown = list(range(0, count, step))
    with styled():
        figure = new_figure(10.0, min(14.0, 2.2 + 0.28 * len(shown)))
        axes = figure.subplots()
        is_coarse = False
        for row, rank in enumerate(shown):
            is_coarse |= _draw_rank(axes, replayed.stretches, rank, row, replayed.time)
        has_messages = step == 1 and 0 < len(replayed.messages) <= _MOST_MESSAGES
        if has_messages:
            _draw_messages(axes, replayed.messages)
        rank_ticks(axes.yaxis, [replayed.ranks[rank].host for rank in shown], "rank", 40)
        if step > 1:
            _number_every(axes, shown)
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.set_xlim(0, replayed.time if replayed.time > 0 else 1)
        linear_axis(axes.xaxis, [replayed.time], "s", "time")
        axes.legend(handles=[_key(doing) for doing in DOINGS], ncols=len(DOINGS),
                    loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)
        figure.suptitle(f"{program_name(replayed.program)}: {count} ranks on {name_of(replayed.model)}, "
                        f"{units.seconds(replayed.time)}")
        add_notes(figure, _notes(replayed, step, is_coarse, has_messages))
        return figure


def _draw_rank(axes: Axes, stretches: Stretches, rank: int, row: int, end: float) -> bool:
    """True: coarsely."""
    spans = {doing: stretches.spans(rank, doing) for doing in DOINGS}
    is_coarse = sum(len(one) for one in spans.values()) > _MOST_STRETCHES
    if is_coarse:
        spans = _coarse(spans, end)
    for doing, rows in spans.items():
        if len(rows) > 0:
            axes.broken_barh(rows, (row - 0.35, 0.7), facecolor=_COLOURS[doing],
                             hatch=_HATCHES[doing], edgecolor=INK, gid=doing,
                             linewidth=0 if is_coarse else 0.3)
    return is_coarse


def _coarse(spans: dict[str, NDArray], end: float) -> dict[str, NDArray]:
    """Of each column what took most of it; neighbours that are alike are one."""
    edges = np.linspace(0, end, _COLUMNS + 1)
    times = np.stack([np.diff(_time_until(edges, rows)) for rows in spans.values()])
    most = np.where(times.max(axis=0) > 0, times.argmax(axis=0), -1)
    firsts = np.flatnonzero(np.diff(most, prepend=-2))
    lasts = np.append(firsts[1:], len(most))
    rows = np.column_stack([edges[firsts], edges[lasts] - edges[firsts]])
    return {doing: rows[most[firsts] == k] for k, doing in enumerate(spans)}


def _time_until(edges: NDArray, rows: NDArray) -> NDArray:
    """How much of the time before each edge the spans take."""
    if len(rows) == 0:
        return np.zeros(len(edges))
    start, length = rows[:, 0], rows[:, 1]
    at = np.column_stack([start, start + length]).ravel()
    until = np.cumsum(length)
    taken = np.column_stack([until - length, until]).ravel()
    return np.interp(edges, at, taken)


def _draw_messages(axes: Axes, messages: Messages) -> None:
    ends = [[(sent, src), (received, dst)] for sent, src, received, dst in
            zip(messages.sent, messages.src, messages.received, messages.dst)]  # fmt: skip
    axes.add_collection(LineCollection(ends, colors=INK, linewidths=0.6, gid="messages"),
                        autolim=False)


def _number_every(axes: Axes, shown: list[int]) -> None:
    rows = range(0, len(shown), max(1, -(-len(shown) // 40)))
    axes.yaxis.set_ticks(list(rows), [str(shown[row]) for row in rows])
    axes.yaxis.set_label_text("rank")


def _key(doing: str) -> Patch:
    return Patch(facecolor=_COLOURS[doing], hatch=_HATCHES[doing], edgecolor=INK, linewidth=0.5,
                 label=doing)  # fmt: skip


def _notes(replayed: Replay, step: int, is_coarse: bool, has_messages: bool) -> list[str]:
    notes = []
    if replayed.interval_meaning:
        notes.append(f"The whole takes {units.seconds(replayed.low)} to "
                     f"{units.seconds(replayed.high)}: {replayed.interval_meaning}.")
    if step > 1:
        notes.append(f"One of {step} ranks is shown.")
    if is_coarse:
        notes.append("Ranks of many stretches: what took most of each thousandth of the time.")
    if has_messages:
        notes.append("Lines: messages, from the sender's call until the receiver has it.")
    notes += [f"{text[0].upper()}{text[1:]}." for text in replayed.assumed]
    return [" ".join(notes)] if notes else []
