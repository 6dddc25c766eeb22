"""Models side by side."""

from __future__ import annotations

from typing import Mapping

import numpy as np
from numpy.typing import NDArray

from .. import units
from .._commgauge import InputError
from .._files import ModelFile
from ._style import (
    COLOURS, HATCHES, INK, MARKERS, NO_INTERVAL, Axes, Figure, add_notes, mark_size,
    name_of, new_figure, percent_axis, plain, size_axis, size_text, styled,
)  # fmt: skip
from ._times import (
    Curve, checks_of, fitted_pairs, is_extrapolated, limits_of, pair_of, pairs_of, predicted,
    range_of, sizes_to_draw,
)  # fmt: skip

SHADES = ("#1a1a1a", "#8c8c8c", "#c6c6c6", "#5e5e5e", "#e8e8e8")


def models(
    machine: ModelFile,
    *,
    src: int | None = None,
    dst: int | None = None,
    validation: Mapping[str, NDArray] | None = None,
) -> Figure:
    """What each model predicts for one pair, relative to the preferred one, and their errors.

    Measured times as for `times`. Models that don't know the pair are left out, and named.
    """
    if machine.preferred is None:
        raise InputError("the file has no model (none could be determined): calibrate again")
    first = machine.model()
    measured = checks_of(machine, first, validation)
    src, dst = _pair(machine, src, dst, measured)
    limits = limits_of(machine)
    largest = max(range_of(machine.model(name))[1] for name in machine.models)
    sizes = sizes_to_draw(max(largest, 256), limits)
    curves, left_out = _curves(machine, src, dst, sizes, limits)
    if first.name not in curves:
        raise InputError(
            f"{first.name} has no pair {src}, {dst} (it was not measured): give others"
        )
    with styled():
        ranked = bool(machine.ranking)
        figure = new_figure(12 if ranked else 8.5, 5.6)
        widths = (1.5, 1) if ranked else (1,)
        panels = figure.subplots(1, len(widths), squeeze=False, width_ratios=widths)[0]
        _draw_ratios(panels[0], curves, machine, sizes, limits)
        _draw_measured(panels[0], curves[first.name], measured, src, dst)
        hosts = (f" ({plain(host, 18)})" if host else "" for host in
                 (machine.hosts[src], machine.hosts[dst]))
        pair = " to ".join(f"{rank}{host}" for rank, host in zip((src, dst), hosts))
        panels[0].set_title(f"Messages from rank {pair}, relative to {name_of(first.name)}")
        panels[0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=4)
        if ranked:
            _draw_ranking(panels[1], machine)
        add_notes(figure, _notes(panels[0], machine, curves, left_out))
        return figure


def _pair(
    machine: ModelFile, src: int | None, dst: int | None, measured: Mapping[str, NDArray]
) -> tuple[int, int]:
    """The given one, else one that as many models as possible know."""
    first = machine.model()
    if src is not None or dst is not None:
        return pair_of(machine, first, src, dst, measured)
    counts = sum(fitted_pairs(machine.model(name), machine.ranks).astype(int)
                 for name in machine.models)
    pairs = pairs_of(machine, first, measured)
    return max(pairs, key=lambda pair: counts[pair]) if pairs else pair_of(
        machine, first, src, dst, measured)


def _curves(
    machine: ModelFile, src: int, dst: int, sizes: NDArray, limits: tuple[int, ...]
) -> tuple[dict[str, Curve], list[str]]:
    curves, left_out = {}, []
    for name in machine.models:
        try:
            curves[name] = predicted(machine.model(name), src, dst, sizes, limits)
        except InputError:
            left_out.append(name)
    return curves, left_out


def _draw_ratios(
    axes: Axes, curves: dict[str, Curve], machine: ModelFile, sizes: NDArray,
    limits: tuple[int, ...],
) -> None:  # fmt: skip
    base = next(iter(curves.values())).found.time
    x = sizes.astype(float)
    ends = []
    for k, (name, curve) in enumerate(curves.items()):
        colour, marker = COLOURS[k % len(COLOURS)], MARKERS[k % len(MARKERS)]
        with np.errstate(divide="ignore", invalid="ignore"):
            time, low, high = (y / base for y in
                               (curve.found.time, curve.found.low, curve.found.high))
        for run in curve.runs:
            part = slice(run[0], run[1] + 1)
            beyond = is_extrapolated(curve, run)
            style = NO_INTERVAL if not curve.has_interval else (0, (2, 2)) if beyond else "-"
            axes.plot(x[part], time[part], color=colour, linestyle=style, marker=marker,
                      markevery=(3 * k % 16, 16), markersize=5, gid=name,
                      linewidth=0.9 if beyond else 1.7,
                      markerfacecolor="white" if beyond else colour)
            if not beyond:
                for end in (time, low, high):
                    ends.extend(end[part])
        if curve.has_interval:
            _draw_bars(axes, x, np.stack([time, low, high]), curve, colour, k, name)
        unknown = "" if curve.has_interval else ", no interval"
        axes.plot([], [], color=colour, marker=marker, markersize=5, label=name_of(name) + unknown,
                  linestyle="-" if curve.has_interval else NO_INTERVAL)
    size_axis(axes, 0, int(sizes[-1]))
    for limit in limits:
        mark_size(axes, limit, f"eager limit {size_text(limit)}")
    known = np.array([value for value in ends if np.isfinite(value)] or [1.0])
    low_end, high_end = max(-0.3, min(0.8, known.min())), min(6.0, max(1.2, known.max()))
    room = 0.12 * (high_end - low_end)
    axes.set_ylim(low_end - room, high_end + room)
    axes.grid(True, axis="y")
    axes.set_xlabel("message size")
    axes.yaxis.set_major_formatter(lambda value, _: f"×{value:.3g}")
    axes.set_ylabel("time relative to the best-ranked model's")


def _draw_bars(
    axes: Axes, x: NDArray, ratios: NDArray, curve: Curve, colour: str, place: int, name: str
) -> None:
    """Intervals at a few sizes, another for each model: bands would hide each other."""
    here = np.arange(len(x)) % 32 == 7 * place % 32
    here &= ~np.asarray(curve.found.extrapolated) & np.isfinite(ratios).all(axis=0)
    time, low, high = ratios[:, here]
    axes.errorbar(x[here], time, np.maximum([time - low, high - time], 0), linestyle="",
                  ecolor=colour, elinewidth=1, capsize=2.5, gid=f"{name} intervals", zorder=1.8)


def _draw_measured(
    axes: Axes, base: Curve, measured: Mapping[str, NDArray], src: int, dst: int
) -> None:
    kept = (measured["from"] == src) & (measured["to"] == dst)
    if kept.any():
        axes.plot(measured["size_bytes"][kept],
                  measured["measured_s"][kept] / measured["predicted_s"][kept], linestyle="",
                  marker="*", markersize=9, markerfacecolor="white", markeredgecolor=INK,
                  label="measured", gid="measured", zorder=4)


def _draw_ranking(axes: Axes, machine: ModelFile) -> None:
    ranking = machine.ranking
    operations = sorted({name for place in ranking for name in place["operations"]},
                        key=lambda name: (name != "p2p", name))  # fmt: skip
    height = 0.8 / max(1, len(operations))
    for k, operation in enumerate(operations):
        errors = np.array([place["operations"].get(operation, np.nan) for place in ranking])
        places = np.arange(len(ranking)) + (k - (len(operations) - 1) / 2) * height
        axes.barh(places, errors, height, label=operation, facecolor=SHADES[k % len(SHADES)],
                  edgecolor=INK, linewidth=0.8, hatch=HATCHES[k % len(HATCHES)] or None,
                  gid=f"errors {operation}")
        for place, error in zip(places, errors):
            text = "–" if np.isnan(error) else units.percent(round(error, 4))
            axes.annotate(text, (0 if np.isnan(error) else error, place), xytext=(3, 0),
                          textcoords="offset points", va="center", fontsize=7)
    axes.set_yticks(range(len(ranking)), [name_of(place["model"]) for place in ranking])
    axes.set_ylim(len(ranking) - 0.5, -0.5)
    axes.margins(x=0.16)
    percent_axis(axes.xaxis, "median error of times that no fit saw")
    axes.set_title("Ranking, best first")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=4)


def _leaves(axes: Axes, curve: Curve, base: NDArray) -> bool:
    low, high = axes.get_ylim()
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (curve.found.time / base)[~np.asarray(curve.found.extrapolated)]
    return bool(np.any((ratio < low) | (ratio > high)))


def _notes(axes: Axes, machine: ModelFile, curves: dict[str, Curve], left_out: list[str]) -> list[str]:
    notes = [f"Bars: {machine.interval_meaning()}. Dashed and hollow: beyond the "
             "sizes of the fit, where the axis may leave a curve out."]
    if left_out:
        names = ", ".join(name_of(name) for name in left_out)
        notes.append(f"Without this pair: {names}.")
    base = next(iter(curves.values())).found.time
    far = [name_of(name) for name, curve in curves.items() if _leaves(axes, curve, base)]
    if far:
        notes.append(f"Leave the axis within the sizes of their fit: {', '.join(far)}.")
    silent = [name_of(name) for name, curve in curves.items() if not curve.is_known.all()]
    if silent:
        notes.append(f"Can't tell the times of some sizes: {', '.join(silent)}.")
    negative = [name_of(name) for name, curve in curves.items()
                if np.any(curve.found.time[~np.asarray(curve.found.extrapolated)] < 0)]
    if negative:
        notes.append(f"Predict negative times at some sizes: {', '.join(negative)}.")
    known = [set(place["operations"]) for place in machine.ranking]
    if any(one != set.union(*known) for one in known):
        notes.append("–: not measured, or the model can't predict it.")
    if not machine.ranking:
        notes.append("No ranking: no times were kept to judge the models by.")
    return notes
