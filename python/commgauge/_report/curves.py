"""The report's charts: times over sizes, errors, ranks, sweeps."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any, Callable, Sequence

import numpy as np

from .. import units
from .._commgauge import InputError
from .._files import Measurements, ModelFile, Sweep
from .._predictions import Model, Prediction, PredictionWarning
from ..plots._ranks import draw_parameter
from ..plots._style import EXTRAPOLATED, MARKERS, QUIET, rank_ticks
from ..plots._times import Curve, curve_of, is_extrapolated, limits_of
from .charts import Chart, Figure, beside, colour_of
from .matrices import UNITS, interval_text

POINTS = 25
MOST_PAIRS_COMPARED = 20_000
MOST_DOTS = 1500
MOST_RANKS = 1024
MOST_MODELS_JUDGED = 4
NAMES = {
    "p2p": "Messages",
    "exchange": "Exchange",
    "ring": "Ring",
    "scatter": "Scatter",
    "gather": "Gather",
    "bcast": "Broadcast",
}


def _quietly(call: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
    """Warnings are in the file's own list, and extrapolations are drawn as such."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PredictionWarning)
        return call(*arguments, **more)


def _interval_tip(what: str, size: float, value: float, low: float, high: float) -> str:
    return f"{what}, {units.size(int(size))}: {interval_text(value, low, high, units.seconds)}"


def sizes_of(file: ModelFile) -> list[int]:
    """Over all that some model was fitted on, both sides of the eager limit among them."""
    ends = [size for name in file.models for one in file.model(name).ranges_bytes for size in one]
    last = max(ends, default=1)
    sizes = {int(round(size)) for size in np.geomspace(1, max(last, 2), POINTS)}
    if file.eager_limit_bytes is not None and 0 < file.eager_limit_bytes < last:
        sizes |= {file.eager_limit_bytes, file.eager_limit_bytes + 1}
    return sorted(sizes | ({0} if min(ends, default=1) == 0 else set()))


def known_pairs(model: Model, ranks: int, bounds: bool) -> list[tuple[int, int]]:
    """Pairs that the model has all parameters for; of very many, a part that is spread evenly.

    bounds: those that are only bounded count, too.
    """
    known = np.ones((ranks, ranks), dtype=bool)
    for parameter in model.parameters.values():
        if np.ndim(parameter.value) >= 2:
            some = np.isfinite(parameter.value) | (bounds & np.isfinite(parameter.high))
            known &= some.all(axis=0) if some.ndim == 3 else some
    np.fill_diagonal(known, False)
    pairs = np.argwhere(known)
    step = 1 + len(pairs) // MOST_PAIRS_COMPARED
    return [(int(i), int(j)) for i, j in pairs[::step]]


def typical_pairs(model: Model, ranks: int, size: int) -> list[tuple[str, int, int]]:
    """The fastest, the middle and the slowest pair at a size, as far as there are so many."""
    for bounds in (True, False):
        pairs = known_pairs(model, ranks, bounds)
        if not pairs:
            continue
        src, dst = np.array(pairs).T
        try:
            times = _quietly(model.predict_time, size, src=src, dst=dst)
        except InputError:
            continue
        order = np.argsort(times, kind="stable")
        chosen = [("fastest", order[0]), ("median", order[len(order) // 2]), ("slowest", order[-1])]
        found: dict[tuple[int, int], str] = {}
        for name, k in chosen:
            found.setdefault(pairs[k], name)
        return [(name, i, j) for (i, j), name in found.items()]
    return []


def _draw_prediction(chart: Chart, curve: Curve, series: int, name: str) -> None:
    """A line with its band, dashed where it is extrapolated; not across the eager limit."""
    found, colour = curve.found, colour_of(series)
    sizes = found.sizes.astype(float)
    time, low, high = (chart.shown(column) for column in (found.time, found.low, found.high))
    for first, last in curve.runs:
        part = slice(first, last + 1)
        dashes = EXTRAPOLATED if is_extrapolated(curve, (first, last)) else "-"
        chart.axes.plot(sizes[part], time[part], color=colour, linestyle=dashes, linewidth=1.8)
        chart.axes.fill_between(sizes[part], low[part], high[part], facecolor=colour, alpha=0.18,
                                linewidth=0)
    chart.dots(sizes[2 * series :: 7], time[2 * series :: 7], series)
    chart.axes.plot([], [], color=colour, marker=MARKERS[series - 1], markersize=4.5, label=name)
    for row in zip(sizes, found.time, found.low, found.high, found.extrapolated):
        tip = _interval_tip(name, *row[:4])
        chart.tip(row[0], row[1], tip + (", extrapolated" if row[4] else ""))


def _mark_eager_limit(chart: Chart, file: ModelFile) -> None:
    for limit in limits_of(file):
        chart.mark(limit, f"eager limit {units.size(limit)}")


def _part_note(drawn: int, there: int, what: str) -> str:
    """Where not everything is drawn."""
    return f" Of {there} {what} {drawn} are drawn, evenly spread." if drawn < there else ""


def _message(model: Model, sizes: list[int], src: int, dst: int) -> Prediction | None:
    """Nothing where the model can't say at some size."""
    try:
        return _quietly(model.predict, "p2p", sizes, src=src, dst=dst)
    except InputError:
        return None


def messages(file: ModelFile, model: Model) -> Figure | None:
    """One-way times of three pairs, with their band, and what was measured for the checks."""
    sizes = sizes_of(file)
    found = [(pair, _message(model, sizes, *pair[1:]))
             for pair in typical_pairs(model, file.ranks, model.ranges_bytes[-1][1])]  # fmt: skip
    predictions = [prediction for _, prediction in found if prediction]
    if not predictions:
        return None
    checks = _checked_messages(file)
    chart = Chart(f"One-way time of a message over its size, as {model.name} predicts")
    chart.set_size_axis(sizes)
    chart.set_time_axis([c[3] for c in checks], *_columns(predictions))
    _mark_eager_limit(chart, file)
    shown = checks[:: 1 + len(checks) // MOST_DOTS]
    for i, j, size, time in shown:
        tip = f"measured for the checks, {i} to {j}, {units.size(size)}: {units.seconds(time)}"
        chart.tip(size, time, tip)
    if checks:
        sizes_and_times = [c[2] for c in shown], [c[3] for c in shown]
        chart.dots(*sizes_and_times, 0, label="measured, seen by no fit")
    for series, ((kind, i, j), prediction) in enumerate(found, start=1):
        if prediction:
            _draw_prediction(chart, curve_of(prediction, limits_of(file)), series,
                             f"{kind} pair, {i} to {j}")  # fmt: skip
    chart.add_legend(any(np.any(p.extrapolated) for p in predictions))
    return Figure(
        f"A message, one way, by {model.name}", chart.svg(),
        "Pairs of ranks are the fastest, the middle and the slowest at the largest size of the "
        "fit. " + _band_note(predictions) + _part_note(len(shown), len(checks), "measured times"),
    )  # fmt: skip


def _columns(predictions: Sequence[Prediction]) -> list[Any]:
    return [column for p in predictions for column in (p.time, p.low, p.high)]


def _band_note(predictions: Sequence[Any]) -> str:
    if all(np.isnan(p.low).all() for p in predictions):
        return "No bands: the model can't say how sure it is of these times."
    below = any(np.any(p.time <= 0) for p in predictions)
    return "Bands: where a fresh measurement is expected." + (
        " At the lower edge: no time or less, which no message takes." if below else ""
    )


def _checked_messages(file: ModelFile) -> list[tuple[int, int, int, float]]:
    checks = file.checks
    found = {}
    for operation, i, j, size, time in zip(checks["operation"], checks["from"], checks["to"],
                                           checks["size_bytes"], checks["measured_s"]):  # fmt: skip
        if operation == "p2p":
            found[int(i), int(j), int(size), float(time)] = None
    return list(found)


def collective(file: ModelFile, model: Model, operation: str) -> Figure | None:
    """Flat and binomial, from rank 0; nothing where the model says nothing of it."""
    sizes = sizes_of(file)
    if file.ranks > 64:
        sizes = sorted(set(sizes[::4]) | {sizes[-1]})
    predictions = {}
    for algorithm in ("flat", "binomial"):
        try:
            found = _quietly(model.predict, operation, sizes, root=0, algorithm=algorithm)
        except InputError:
            continue
        predictions[algorithm] = found
    if not predictions:
        return None
    every = list(predictions.values())
    chart = Chart(f"Time of {operation} at rank 0 over the block size, by {model.name}")
    chart.set_size_axis(sizes)
    chart.set_time_axis(*_columns(every))
    for series, algorithm in enumerate(("flat", "binomial"), start=1):
        if algorithm in predictions:
            _draw_prediction(chart, curve_of(predictions[algorithm], limits_of(file)), series,
                             algorithm)  # fmt: skip
    chart.add_legend(any(np.any(p.extrapolated) for p in every))
    title = NAMES[operation] + (" at rank 0" if operation == "gather" else " from rank 0")
    return Figure(title, chart.svg(), "Over the size of each rank's block. " + _band_note(every))


def errors(file: ModelFile, operation: str) -> Figure | None:
    """Predicted over measured time, of the models that are ranked best."""
    checks = file.checks
    of_operation = [k for k, found in enumerate(checks["operation"]) if found == operation]
    present = {checks["model"][k] for k in of_operation}
    judged = [one["model"] for one in file.ranking if one["model"] in present]
    models, others = judged[:MOST_MODELS_JUDGED], judged[MOST_MODELS_JUDGED:]
    of_operation = [k for k in of_operation if checks["model"][k] in models]
    if not of_operation:
        return None
    ratio = checks["predicted_s"] / checks["measured_s"]
    chart = Chart(f"Predicted over measured time of {operation} over the message size")
    chart.set_size_axis(checks["size_bytes"][of_operation])
    chart.set_log_axis("predicted / measured", [*ratio[of_operation], 0.9, 1.1],
                       lambda value: f"{value:.6g}\u00d7")  # fmt: skip
    chart.axes.axhline(1, color=QUIET, linewidth=0.8, linestyle=":")
    drawn = of_operation[:: 1 + len(of_operation) // MOST_DOTS]
    for place, model in enumerate(models):
        own = [k for k in drawn if checks["model"][k] == model]
        places = beside(checks["size_bytes"][own], place - (len(models) - 1) / 2)
        beyond = np.asarray(checks["extrapolated"])[own].astype(bool)
        for faint in (True, False):
            kept = beyond == faint
            chart.dots(places[kept], ratio[own][kept], place + 1, alpha=0.4 if faint else 1,
                       label=None if faint else model)  # fmt: skip
        for k, x in zip(own, places):
            chart.tip(x, ratio[k], _check_tip(checks, k))
    chart.add_legend()
    note = "1\u00d7: as measured."
    if others:
        note += (f" The {len(models)} best ranked are drawn; {', '.join(others)} "
                 f"{'is' if len(others) == 1 else 'are'} in the table.")  # fmt: skip
    if any(checks["extrapolated"][k] for k in drawn):
        note += " Faint: beyond the sizes that the model was fitted on."
    note += _part_note(len(drawn), len(of_operation), "checks")
    if (ratio[of_operation] <= 0).any():
        note += " At the lower edge: predictions of no time or less."
    return Figure(NAMES.get(operation, operation), chart.svg(), note)


def _check_tip(checks: dict[str, Any], k: int) -> str:
    pair = f" {checks['from'][k]} to {checks['to'][k]}" if checks["to"][k] >= 0 else ""
    return (
        f"{checks['model'][k]}, {checks['operation'][k]}{pair}, "
        f"{units.size(int(checks['size_bytes'][k]))}: "
        f"measured {units.seconds(checks['measured_s'][k])}, "
        f"predicted {units.seconds(checks['predicted_s'][k])}"
        + (", extrapolated" if checks["extrapolated"][k] else "")
    )


def ranks(file: ModelFile, model: Model, name: str) -> Figure:
    """A parameter of each rank with its interval, or its bound."""
    parameter = model[name]
    title, unit = f"{parameter.symbol}, {parameter.meaning}", UNITS[parameter.unit]
    count = min(file.ranks, MOST_RANKS)
    value, low, high = (np.asarray(column, dtype=float)[:count]
                        for column in (parameter.value, parameter.low, parameter.high))  # fmt: skip
    chart = Chart(f"{title}, by {model.name}")
    draw_parameter(chart.axes, dataclasses.replace(parameter, value=value, low=low, high=high),
                   file.hosts[:count])  # fmt: skip
    chart.axes.set_title("", loc="left")
    chart.axes.set_xlim(-0.6, count - 0.4)
    rank_ticks(chart.axes.xaxis, [""] * count, "rank", 12)
    chart.axes.set_xlabel("rank")
    for rank, numbers in enumerate(zip(value, low, high)):
        tip = f"rank {rank} ({file.hosts[rank]}): {interval_text(*map(float, numbers), unit.text)}"
        chart.tip(rank, numbers[2] if np.isnan(numbers[0]) else numbers[0], tip)
    note = "Lines: intervals."
    if np.any(parameter.bounded):
        note += " Arrows: only an upper bound is known."
    if file.ranks > MOST_RANKS:
        note += f" The first {MOST_RANKS} of {file.ranks} ranks."
    return Figure(f"{title} ({model.name})", chart.svg(), note)


def sweep(file: ModelFile, found: Sweep) -> Figure:
    """Every repetition, the median, and the thresholds that belong to it."""
    every = [(int(size), float(time)) for size, times in zip(found.size_bytes, found.times_s)
             for time in times]  # fmt: skip
    chart = Chart(f"Times of {found.kind} over the block size")
    chart.set_size_axis(found.size_bytes)
    chart.set_time_axis([time for _, time in every])
    for level, (threshold, text) in enumerate(_marks(file, found.kind)):
        chart.mark(threshold, f"{text} {units.size(threshold)}", level)
    shown = every[:: 1 + len(every) // MOST_DOTS]
    for size, time in shown:
        chart.tip(size, time, f"one repetition, {units.size(size)}: {units.seconds(time)}")
    chart.dots([size for size, _ in shown], [time for _, time in shown], 0, label="one repetition")
    chart.dots(found.size_bytes, found.median_s, 1, linestyle="-", label="median")
    for size, median, times in zip(found.size_bytes, found.median_s, found.times_s):
        ends = f"all {units.seconds(min(times))} to {units.seconds(max(times))}"
        tip = f"median of {len(times)}, {units.size(size)}: {units.seconds(median)} ({ends})"
        chart.tip(size, median, tip)
    chart.add_legend()
    return Figure(f"{found.kind or 'Series'}, root {found.root}", chart.svg(),
                  "As measured, over the size of each rank's block."
                  + _part_note(len(shown), len(every), "repetitions"))  # fmt: skip


def _marks(file: ModelFile, kind: str) -> Sequence[tuple[int, str]]:
    found = file.thresholds
    if found is None:
        return []
    if kind.startswith("scatter"):
        named = [(found.scatter_break, "break")]
    else:
        named = [(found.gather_m1, "M1"), (found.gather_m2, "M2")]
    return [(one.size_bytes, text) for one, text in named if one.size_bytes is not None]


def round_trips(measured: Measurements, pairs: Sequence[tuple[str, int, int]]) -> Figure | None:
    """As they were measured, with each measurement's own interval; replies are empty."""
    columns = measured.experiments
    chosen = {}
    for kind, i, j in pairs:
        kept = [k for k, experiment in enumerate(columns["kind"])
                if experiment == "round_trip" and columns["back_bytes"][k] == 0
                and (columns["root"][k], columns["peers"][k]) == (i, [j])]  # fmt: skip
        if kept:
            chosen[kind, i, j] = kept
    if not chosen:
        return None
    shown = sum(chosen.values(), [])
    chart = Chart("Round trips with an empty reply over the message size, as measured")
    chart.set_size_axis(columns["out_bytes"][shown])
    chart.set_time_axis(*(columns[name][shown] for name in ("time_s", "low_s", "high_s")))
    for series, ((kind, i, j), kept) in enumerate(chosen.items(), start=1):
        places = beside(columns["out_bytes"][kept], series - 1)
        chart.intervals(places, columns["low_s"][kept], columns["high_s"][kept], series)
        chart.dots(places, columns["time_s"][kept], series, label=f"{kind} pair, rank {i} to {j}")
        for k, x in zip(kept, places):
            numbers = [float(columns[name][k]) for name in ("time_s", "low_s", "high_s")]
            what = f"{kind} pair, {i} to {j}, pass {columns['pass'][k] + 1}"
            tip = _interval_tip(what, int(columns["out_bytes"][k]), *numbers)
            late = "" if columns["converged"][k] else ", did not reach the asked precision"
            chart.tip(x, numbers[0], tip + late)
    chart.add_legend()
    return Figure("Round trips, as measured", chart.svg(),
                  "M bytes out, nothing back; one dot for each pass, with its own interval.")
