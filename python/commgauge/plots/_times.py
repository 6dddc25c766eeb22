"""Time against size."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Mapping

import numpy as np
from numpy.typing import NDArray

from .. import units
from .._commgauge import InputError
from .._files import ModelFile
from .._predictions import Model, Prediction, PredictionWarning
from ._style import (
    EXTRAPOLATED, INK, NO_INTERVAL, QUIET, Axes, Figure, add_notes, log_time_axis, mark_size,
    name_of, new_figure, percent_axis, plain, runs, size_axis, size_text, styled,
)  # fmt: skip

BAND = "#9ecae1"
LINE = "#08519c"


@dataclass(frozen=True)
class Curve:
    """What a model predicts over sizes, in runs of one protocol, inside the fit's sizes or beyond."""

    found: Prediction
    runs: list[tuple[int, int]]

    @property
    def has_interval(self) -> bool:
        low, high = (end[self.is_known] for end in (self.found.low, self.found.high))
        return not bool(np.isnan(low).any() or np.isnan(high).any())

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """Where the model can tell a time."""
        return ~np.isnan(self.found.time)


def sizes_to_draw(largest: int, limits: tuple[int, ...] = (), smallest: int = 0) -> NDArray:
    """Eight in an octave, and both sides of each limit."""
    exponents = np.arange(0, 8 * np.log2(max(2, largest)) + 1) / 8
    sizes = {0, largest} | {int(round(size)) for size in 2**exponents}
    sizes |= {side for limit in limits for side in (limit, limit + 1)}
    return np.array([s for s in sorted(sizes) if smallest <= s <= largest], dtype=np.uint64)


def predicted(
    model: Model, src: int, dst: int, sizes: NDArray, limits: tuple[int, ...] = ()
) -> Curve:
    """Messages of one pair. @param limits  sizes beyond which the protocol is another"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PredictionWarning)
        return curve_of(_predict(model, src, dst, sizes), limits)


def curve_of(found: Prediction, limits: tuple[int, ...] = ()) -> Curve:
    """With its runs. @pre one size after the other, ascending"""
    sizes = found.sizes.astype(float)
    regimes = np.searchsorted(np.array(limits or (np.inf,), dtype=float), sizes)
    keys = list(zip(regimes.tolist(), np.asarray(found.extrapolated).tolist()))
    parts = []
    for first, last in runs(keys):
        joined = first > 0 and keys[first - 1][0] == keys[first][0]
        parts.append((first - 1 if joined else first, last))
    return Curve(found, parts)


def _predict(model: Model, src: int, dst: int, sizes: NDArray) -> Prediction:
    """NaN where the model can't tell a time, or its interval. Raises `InputError` if it can't
    tell any."""
    try:
        return model.predict("p2p", sizes, src=src, dst=dst)
    except InputError as error:
        found = [_predict_one(model, src, dst, size) for size in sizes]
        time, low, high, extrapolated = (np.array(column) for column in zip(*found))
        if np.isnan(time).all():
            raise InputError(str(error)) from error
        ranks = np.full(len(sizes), src), np.full(len(sizes), dst)
        return Prediction(time, low, high, extrapolated.astype(bool), (), model.name, "p2p", sizes,
                          *ranks, "receiver", "flat")


def _predict_one(
    model: Model, src: int, dst: int, size: np.uint64
) -> tuple[float, float, float, bool]:
    try:
        one = model.predict("p2p", size, src=src, dst=dst)
        return float(one.time), float(one.low), float(one.high), bool(one.extrapolated)
    except InputError:
        return np.nan, np.nan, np.nan, False


def is_extrapolated(curve: Curve, run: tuple[int, int]) -> bool:
    return bool(curve.found.extrapolated[run[1]])


def range_of(model: Model) -> tuple[int, int]:
    """Smallest and largest size of the fit, above the eager limit too."""
    parts = model.ranges_bytes
    return min(first for first, _ in parts), max(last for _, last in parts)


def limits_of(machine: ModelFile) -> tuple[int, ...]:
    limit = machine.eager_limit_bytes
    return () if limit is None else (limit,)


def pair_of(
    machine: ModelFile, model: Model, src: int | None, dst: int | None,
    measured: Mapping[str, NDArray],
) -> tuple[int, int]:  # fmt: skip
    """The given one, else the one with most measured times, else the first that was fitted."""
    if src is not None and dst is not None:
        return src, dst
    pairs = [pair for pair in pairs_of(machine, model, measured)
             if src in (None, pair[0]) and dst in (None, pair[1])]  # fmt: skip
    if not pairs:
        raise InputError(
            f"{model.name} has no pair of ranks like that (they were not measured, or are the "
            "same): give other ranks"
        )
    return pairs[0]


def pairs_of(
    machine: ModelFile, model: Model, measured: Mapping[str, NDArray]
) -> list[tuple[int, int]]:
    """All that were fitted, those with most measured times first."""
    known = fitted_pairs(model, machine.ranks)
    counts = np.zeros(known.shape, dtype=int)
    np.add.at(counts, (measured["from"].astype(int), measured["to"].astype(int)), 1)
    pairs = np.argwhere(known | (counts > 0))
    order = np.argsort(-counts[tuple(pairs.T)], kind="stable")
    return [(int(i), int(j)) for i, j in pairs[order]]


def fitted_pairs(model: Model, ranks: int) -> NDArray[np.bool_]:
    """[sender, receiver]: where a model knows something of the pair."""
    known = ~np.eye(ranks, dtype=bool)
    for parameter in model.parameters.values():
        if np.ndim(parameter.value) >= 2:
            some = ~np.isnan(parameter.value) | ~np.isnan(parameter.high)
            known = known & some.reshape(-1, ranks, ranks).any(axis=0)
    return known


def checks_of(
    machine: ModelFile, model: Model, validation: Mapping[str, NDArray] | None = None
) -> dict[str, NDArray]:
    """Measured times of messages that no fit saw: validated ones, or else the file's checks."""
    found = machine.checks if validation is None else validation
    types = {"model": object, "operation": object, "from": int, "to": int, "size_bytes": float,
             "measured_s": float, "predicted_s": float}
    columns = {name: np.asarray(found[name], dtype=type_) for name, type_ in types.items()}
    in_job = (columns["from"] < machine.ranks) & (columns["to"] < machine.ranks)
    kept = (columns["model"] == model.name) & (columns["operation"] == "p2p") & in_job
    return {name: column[kept] for name, column in columns.items()}


def times(
    machine: ModelFile,
    model: str | None = None,
    *,
    src: int | None = None,
    dst: int | None = None,
    validation: Mapping[str, NDArray] | None = None,
) -> Figure:
    """One-way times of one pair over sizes, with the interval of a prediction, and residuals.

    Measured times are the file's checks, or those of ``estimate-model validate``
    (`Inputs.validation`): no fit saw them. Without a model the preferred one, without ranks a pair
    that was checked. Raises `InputError` for a pair that was not measured.
    """
    chosen = machine.model(model)
    measured = checks_of(machine, chosen, validation)
    src, dst = pair_of(machine, chosen, src, dst, measured)
    of_pair = (measured["from"] == src) & (measured["to"] == dst)
    farthest = int(measured["size_bytes"][of_pair].max(initial=0))
    largest = max(4 * range_of(chosen)[1], farthest, 1024)
    limits = limits_of(machine)
    curve = predicted(chosen, src, dst, sizes_to_draw(largest, limits), limits)
    with styled():
        figure = new_figure(8, 6.4)
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2.4, 1))
        _draw_times(upper, curve, measured, of_pair)
        size_axis(lower, 0, largest)
        out_of_view = _draw_residuals(lower, curve, measured, of_pair)
        for axes in (upper, lower):
            for limit in limits:
                axes.axvline(limit, color=INK, linestyle=":", linewidth=1.3, zorder=1.5)
        for limit in limits:
            mark_size(upper, limit, f"eager limit {size_text(limit)}")
        upper.tick_params(labelbottom=True)
        lower.set_xlabel("message size")
        upper.set_ylabel("one-way time")
        hosts = [f"{rank} ({plain(machine.hosts[rank])})" if machine.hosts[rank] else str(rank)
                 for rank in (src, dst)]
        upper.set_title(f"{name_of(chosen.name)}: messages from rank {hosts[0]} to {hosts[1]}")
        _add_legend(upper, curve, machine.interval_meaning(chosen.name), measured, of_pair)
        add_notes(figure, _notes(chosen, curve, measured, of_pair, validation, out_of_view))
        return figure


def _draw_times(
    axes: Axes, curve: Curve, measured: Mapping[str, NDArray], of_pair: NDArray
) -> None:
    found = curve.found
    shown = np.concatenate([found.time, measured["measured_s"][of_pair]])
    shown = shown[shown > 0]
    bounds = np.concatenate([shown, found.high[np.isfinite(found.high)]])
    sizes = found.sizes.astype(float)
    if len(shown) == 0:
        raise InputError("no predicted time is above 0 (no machine is like that): calibrate again")
    log_time_axis(axes, shown.min(), bounds.max())
    for run in curve.runs:
        _draw_run(axes, sizes, found.time, found.low, found.high, curve, run)
    _draw_points(axes, measured["size_bytes"][of_pair], measured["measured_s"][of_pair])


def _draw_run(
    axes: Axes, sizes: NDArray, time: NDArray, low: NDArray, high: NDArray, curve: Curve,
    run: tuple[int, int],
) -> None:  # fmt: skip
    part = slice(run[0], run[1] + 1)
    beyond = is_extrapolated(curve, run)
    dashes = NO_INTERVAL if not curve.has_interval else EXTRAPOLATED if beyond else "-"
    axes.plot(sizes[part], time[part], color=LINE, linestyle=dashes, linewidth=1.8, gid="predicted")
    if curve.has_interval:
        axes.fill_between(
            sizes[part], low[part], high[part], facecolor=BAND, alpha=0.35 if beyond else 0.7,
            hatch="////" if beyond else None, edgecolor="#5a7f99", linewidth=0.5 if beyond else 0,
            gid="band", zorder=1,
        )  # fmt: skip


def _draw_points(axes: Axes, sizes: NDArray, values: NDArray) -> None:
    axes.plot(sizes, values, linestyle="", marker="o", markersize=5, markerfacecolor="white",
              markeredgecolor="#a63603", markeredgewidth=1.4, gid="measured", zorder=3)


def _draw_residuals(
    axes: Axes, curve: Curve, measured: Mapping[str, NDArray], of_pair: NDArray
) -> int:
    """Returns how many times of other pairs are too far off for the axis."""
    found, sizes = curve.found, curve.found.sizes.astype(float)
    residuals = measured["measured_s"] / measured["predicted_s"] - 1
    axes.plot(measured["size_bytes"][~of_pair], residuals[~of_pair], linestyle="", marker=".",
              markersize=4, color=QUIET, gid="others", zorder=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = found.low / found.time - 1, found.high / found.time - 1
    flat = np.zeros(len(sizes))
    for run in curve.runs:
        _draw_run(axes, sizes, flat, low, high, curve, run)
    _draw_points(axes, measured["size_bytes"][of_pair], residuals[of_pair])
    axes.grid(True, axis="y")
    percent_axis(axes.yaxis, "measured against\npredicted")
    if len(residuals) == 0:
        axes.text(0.5, 0.9, "no measured times: nothing to judge by", transform=axes.transAxes,
                  ha="center", va="top", color="#444444", fontsize=9)
    inside = ~np.asarray(found.extrapolated)
    band = np.concatenate([low[inside], high[inside]]) if inside.any() else low
    near = np.abs(np.concatenate([band, residuals[of_pair], [0.05]]))
    most = 1.15 * near[np.isfinite(near)].max()
    others = np.abs(residuals[~of_pair])
    most = max(most, min(3 * most, 1.1 * others.max(initial=0)))
    axes.set_ylim(-most, most)
    right = axes.get_xlim()[1]
    sizes_of_others = measured["size_bytes"][~of_pair]
    return int(((others > most) | (sizes_of_others > right)).sum())


def _add_legend(
    axes: Axes, curve: Curve, meaning: str, measured: Mapping[str, NDArray], of_pair: NDArray
) -> None:
    beyond = [is_extrapolated(curve, run) for run in curve.runs]
    known = curve.has_interval
    if not known:
        axes.plot([], [], color=LINE, linestyle=NO_INTERVAL, label="predicted, interval unknown")
    elif not all(beyond):
        axes.plot([], [], color=LINE, linewidth=1.8, label="predicted")
        axes.fill_between([], [], [], facecolor=BAND, alpha=0.7, linewidth=0,
                          label=f"interval: {meaning}")
    if any(beyond) and known:
        axes.fill_between([], [], [], facecolor=BAND, alpha=0.35, hatch="////", linewidth=0.5,
                          edgecolor="#5a7f99", label="beyond the sizes of the fit")
    if of_pair.any():
        axes.plot([], [], linestyle="", marker="o", markerfacecolor="white", markersize=5,
                  markeredgecolor="#a63603", markeredgewidth=1.4,
                  label="measured, unseen by the fit")
    if (~of_pair).any():
        axes.plot([], [], linestyle="", marker=".", color=QUIET, label="other pairs (below)")
    axes.legend(loc="upper left")


def _disagreement(model: Model, validation: Mapping[str, NDArray] | None) -> float:
    """Median over the model's messages; NaN where nothing was measured twice."""
    if validation is None or "disagreement" not in validation:
        return np.nan
    of_model = (validation["model"] == model.name) & (validation["operation"] == "p2p")
    differ = np.asarray(validation["disagreement"], dtype=float)[of_model]
    differ = differ[np.isfinite(differ)]
    return float(np.median(differ)) if len(differ) else np.nan


def _notes(
    model: Model, curve: Curve, measured: Mapping[str, NDArray], of_pair: NDArray,
    validation: Mapping[str, NDArray] | None, out_of_view: int,
) -> list[str]:  # fmt: skip
    ranges = [f"{units.size(first)} to {units.size(last)}" for first, last in model.ranges_bytes]
    notes = [f"Fitted from {' and from '.join(ranges)}."]
    if not curve.has_interval:
        notes[0] += " No interval is known: too few passes or launches."
    if not curve.is_known.all():
        notes[0] += " Of some sizes the model can't tell the time."
    if len(measured["measured_s"]):
        source = "checks of the model file" if validation is None else "estimate-model validate"
        notes[0] += f" Measured: {source}, {int(of_pair.sum())} of this pair."
    differ = _disagreement(model, validation)
    if np.isfinite(differ):
        notes.append(f"Two validations of this machine differ by {100 * differ:.2g} % (median): "
                     "errors up to 1.5 times that may be the machine's.")
    if np.any(curve.found.time <= 0):
        notes.append("Predictions that are not above 0 have no place on the axis of times.")
    if out_of_view:
        notes.append(f"Outside of the lower panel: measured times of other pairs ({out_of_view}).")
    below = int((measured["measured_s"][of_pair] <= 0).sum())
    if below:
        notes.append(f"Only in the lower panel: measured times that are not above 0 ({below}).")
    return notes
