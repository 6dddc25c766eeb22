"""The report's charts: times over sizes, errors, ranks, sweeps."""

from __future__ import annotations

import math
import warnings
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Sequence

import numpy as np
from markupsafe import Markup

from .. import units
from .._commgauge import InputError
from .._files import Measurements, ModelFile, Sweep
from .._predictions import Model, Prediction, PredictionWarning
from . import charts
from .charts import Chart, Dot
from .matrices import UNITS, interval_text

POINTS = 25
MOST_PAIRS_COMPARED = 20_000
MOST_DOTS = 1500
MOST_RANKS = 1024
MOST_MODELS_JUDGED = 4
NAMES = {"p2p": "Messages", "scatter": "Scatter", "gather": "Gather", "bcast": "Broadcast"}


class Figure(NamedTuple):
    """A chart with what stands around it."""

    title: str
    legend: Markup
    svg: Markup
    note: str


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


def _runs(prediction: Prediction, limit: int | None) -> Iterator[tuple[slice, bool]]:
    """Stretches to draw, not across the eager limit, and whether they are extrapolated."""
    sizes, beyond = prediction.sizes, prediction.extrapolated
    first, style = 0, None
    for k in range(1, len(sizes)):
        jumps = limit is not None and sizes[k - 1] <= limit < sizes[k]
        this = None if jumps else bool(beyond[k - 1] or beyond[k])
        if this != style:
            if style is not None:
                yield slice(first, k), style
            first, style = k - 1, this
    if style is not None:
        yield slice(first, len(sizes)), style


def _draw_prediction(chart: Chart, prediction: Prediction, series: int, name: str,
                     limit: int | None) -> None:  # fmt: skip
    sizes, time, low, high = (np.asarray(column, dtype=float) for column in (
        prediction.sizes, prediction.time, prediction.low, prediction.high))  # fmt: skip
    for part, beyond in _runs(prediction, limit):
        if np.isfinite(low[part]).all() and np.isfinite(high[part]).all():
            chart.band(list(zip(sizes[part], low[part], high[part])), series)
        chart.line(list(zip(sizes[part], time[part])), series, dashed=beyond)
    for size, value in list(zip(sizes, time))[2 * series :: 7]:
        chart.marker(size, value, series)
    for size, value, from_, to, beyond in zip(sizes, time, low, high, prediction.extrapolated):
        tip = _interval_tip(name, size, value, from_, to)
        chart.target(size, value, tip + (", extrapolated" if beyond else ""))


def _mark_eager_limit(chart: Chart, file: ModelFile) -> None:
    limit = file.eager_limit_bytes
    if limit is not None and chart.x.holds(limit):
        chart.mark(limit, f"eager limit {units.size(limit)}")


def _part_note(drawn: int, there: int, what: str) -> str:
    """Where not everything is drawn."""
    return f" Of {there} {what} {drawn} are drawn, evenly spread." if drawn < there else ""


def _time_axis(parts: Iterable[Any]) -> charts.Axis:
    return charts.log_axis("time", np.concatenate([np.ravel(p) for p in parts]), units.seconds)


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
    pairs = [pair for pair, prediction in found if prediction]
    predictions = [prediction for _, prediction in found if prediction]
    if not pairs:
        return None
    checks = _checked_messages(file)
    times = [column for p in predictions for column in (p.time, p.low, p.high)]
    chart = Chart(charts.size_axis(sizes), _time_axis(times + [[c[3] for c in checks]]),
                  f"One-way time of a message over its size, as {model.name} predicts")  # fmt: skip
    _mark_eager_limit(chart, file)
    shown = checks[:: 1 + len(checks) // MOST_DOTS]
    for i, j, size, time in shown:
        tip = f"measured for the checks, {i} to {j}, {units.size(size)}: {units.seconds(time)}"
        chart.dot(Dot(size, time, math.nan, math.nan, tip), 4, faint=True)
    names = []
    for series, ((kind, i, j), prediction) in enumerate(zip(pairs, predictions), start=1):
        _draw_prediction(chart, prediction, series, f"{kind} pair, {i} to {j}",
                         file.eager_limit_bytes)  # fmt: skip
        names.append((series, f"{kind} pair, rank {i} to {j}"))
    names += [(4, "measured, seen by no fit")] if checks else []
    beyond = any(np.any(p.extrapolated) for p in predictions)
    return Figure(
        f"A message, one way, by {model.name}",
        charts.legend(names, "extrapolated" if beyond else ""), chart.svg(),
        "Pairs are the fastest, the middle and the slowest at the largest size of the fit. "
        + _band_note(predictions) + _part_note(len(shown), len(checks), "measured times"),
    )  # fmt: skip


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
    names, predictions = [], []
    for series, algorithm in enumerate(("flat", "binomial"), start=1):
        try:
            found = _quietly(model.predict, operation, sizes, root=0, algorithm=algorithm)
        except InputError:
            continue
        predictions.append((series, algorithm, found))
        names.append((series, algorithm))
    if not predictions:
        return None
    times = [column for _, _, p in predictions for column in (p.time, p.low, p.high)]
    chart = Chart(charts.size_axis(sizes), _time_axis(times),
                  f"Time of {operation} at rank 0 over the block size, by {model.name}")
    for series, algorithm, found in predictions:
        _draw_prediction(chart, found, series, algorithm, file.eager_limit_bytes)
    beyond = any(np.any(p.extrapolated) for _, _, p in predictions)
    title = NAMES[operation] + (" at rank 0" if operation == "gather" else " from rank 0")
    return Figure(title, charts.legend(names, "extrapolated" if beyond else ""),
                  chart.svg(), "Over the size of each rank's block. "
                  + _band_note([p for _, _, p in predictions]))  # fmt: skip


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
    text = lambda value: f"{value:g}\u00d7"  # noqa: E731
    chart = Chart(charts.size_axis(checks["size_bytes"][of_operation], margin=2),
                  charts.log_axis("predicted / measured", [*ratio[of_operation], 0.9, 1.1], text),
                  f"Predicted over measured time of {operation} over the message size")  # fmt: skip
    chart.level(1.0)
    drawn = of_operation[:: 1 + len(of_operation) // MOST_DOTS]
    for k in drawn:
        model, size = checks["model"][k], int(checks["size_bytes"][k])
        pair = f" {checks['from'][k]} to {checks['to'][k]}" if checks["to"][k] >= 0 else ""
        tip = (
            f"{model}, {operation}{pair}, {units.size(size)}: "
            f"measured {units.seconds(checks['measured_s'][k])}, "
            f"predicted {units.seconds(checks['predicted_s'][k])}"
            + (", extrapolated" if checks["extrapolated"][k] else "")
        )
        chart.dot(Dot(size, float(ratio[k]), math.nan, math.nan, tip), models.index(model) + 1,
                  faint=bool(checks["extrapolated"][k]),
                  beside=8 * (models.index(model) - (len(models) - 1) / 2))  # fmt: skip
    note = "1\u00d7: as measured."
    if others:
        note += (f" The {len(models)} best ranked are drawn; {', '.join(others)} "
                 f"{'is' if len(others) == 1 else 'are'} in the table.")  # fmt: skip
    if any(checks["extrapolated"][k] for k in drawn):
        note += " Faint: beyond the sizes that the model was fitted on."
    note += _part_note(len(drawn), len(of_operation), "checks")
    if (ratio[of_operation] <= 0).any():
        note += " At the lower edge: predictions of no time or less."
    return Figure(
        NAMES.get(operation, operation),
        charts.legend([(k + 1, name) for k, name in enumerate(models)]), chart.svg(), note,
    )  # fmt: skip


def ranks(file: ModelFile, model: Model, name: str) -> Figure:
    """A parameter of each rank with its interval, or its bound."""
    parameter = model[name]
    title, unit = f"{parameter.symbol}, {parameter.meaning}", UNITS[parameter.unit]
    value, low, high = (np.asarray(column, dtype=float)[:MOST_RANKS]
                        for column in (parameter.value, parameter.low, parameter.high))  # fmt: skip
    axis_text = lambda number: f"{number * unit.scale:.3g} {unit.name}"  # noqa: E731
    chart = Chart(charts.rank_axis(len(value)),
                  charts.linear_axis("", np.concatenate([value, low, high]), axis_text),
                  f"{title}, by {model.name}")  # fmt: skip
    if chart.y.low < 0:
        chart.level(0.0)
    for rank, numbers in enumerate(zip(value, low, high)):
        tip = f"rank {rank} ({file.hosts[rank]}): {interval_text(*map(float, numbers), unit.text)}"
        chart.dot(Dot(rank, *map(float, numbers), tip), 1)
    note = "Lines: intervals."
    if np.any(parameter.bounded):
        note += " Arrows: only an upper bound is known."
    if file.ranks > MOST_RANKS:
        note += f" The first {MOST_RANKS} of {file.ranks} ranks."
    return Figure(f"{title} ({model.name})", Markup(""), chart.svg(), note)


def sweep(file: ModelFile, found: Sweep) -> Figure:
    """Every repetition, the median, and the thresholds that belong to it."""
    medians = found.median_s
    every = [(int(size), float(time)) for size, times in zip(found.size_bytes, found.times_s)
             for time in times]  # fmt: skip
    chart = Chart(charts.size_axis(found.size_bytes), _time_axis([[t for _, t in every]]),
                  f"Times of {found.kind} over the block size")  # fmt: skip
    for threshold, text in _marks(file, found.kind):
        if chart.x.holds(threshold):
            chart.mark(threshold, f"{text} {units.size(threshold)}")
    shown = every[:: 1 + len(every) // MOST_DOTS]
    for size, time in shown:
        tip = f"one repetition, {units.size(size)}: {units.seconds(time)}"
        chart.dot(Dot(size, time, math.nan, math.nan, tip), 4, faint=True)
    chart.line([(float(s), float(m)) for s, m in zip(found.size_bytes, medians)], 1)
    for size, median, times in zip(found.size_bytes, medians, found.times_s):
        tip = (f"median of {len(times)}, {units.size(size)}: {units.seconds(median)} "
               f"(all {units.seconds(min(times))} to {units.seconds(max(times))})")  # fmt: skip
        chart.dot(Dot(float(size), float(median), math.nan, math.nan, tip), 1)
    return Figure(f"{found.kind or 'Series'}, root {found.root}",
                  charts.legend([(1, "median"), (4, "one repetition")]), chart.svg(),
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
    dots = []
    for series, (kind, i, j) in enumerate(pairs, start=1):
        for k, experiment in enumerate(columns["kind"]):
            pair = columns["root"][k], columns["peers"][k]
            if experiment != "round_trip" or pair != (i, [j]) or columns["back_bytes"][k] != 0:
                continue
            size = int(columns["out_bytes"][k])
            numbers = [float(columns[name][k]) for name in ("time_s", "low_s", "high_s")]
            what = f"{kind} pair, {i} to {j}, pass {columns['pass'][k] + 1}"
            tip = _interval_tip(what, size, *numbers)
            tip += "" if columns["converged"][k] else ", did not reach the asked precision"
            dots.append((series, Dot(size, *numbers, tip)))
    if not dots:
        return None
    chart = Chart(charts.size_axis([dot.x for _, dot in dots]),
                  _time_axis([[dot.value, dot.low, dot.high] for _, dot in dots]),
                  "Round trips with an empty reply over the message size, as measured")  # fmt: skip
    for series, dot in dots:
        chart.dot(dot, series, faint=True, beside=6 * (series - 1))
    present = sorted({series for series, _ in dots})
    names = []
    for s in present:
        kind, i, j = pairs[s - 1]
        names.append((s, f"{kind} pair, rank {i} to {j}"))
    return Figure("Round trips, as measured", charts.legend(names), chart.svg(),
                  "M bytes out, nothing back; one dot for each pass, with its own interval.")
