"""Masters and workers in the report: their time and utilisation by the number of processes."""

from __future__ import annotations

import math
import shlex
import warnings
from typing import Any, Iterator, NamedTuple, Sequence

from .. import units
from .._files import ModelFile
from .._predictions import PredictionWarning
from .._tasks import TaskPrediction, TaskTimes, usual_processes
from . import charts, curves
from .charts import Chart, Dot
from .matrices import interval_text

_TIME, _MASTERS, _WORKERS = 1, 2, 3


class Asked(NamedTuple):
    """What the section is to tell."""

    tasks: TaskTimes
    name: str
    """Of the file."""
    shape: str | None
    processes: str | None
    seed: int | None

    def words(self) -> list[str]:
        """The options that say so."""
        words = ["--tasks", self.name]
        words += ["--shape", self.shape] if self.shape is not None else []
        words += ["--seed", str(self.seed)] if self.seed is not None else []
        return words + (["--processes", self.processes] if self.processes is not None else [])


def section(file: ModelFile, asked: Asked) -> dict[str, Any]:
    """As the template takes it."""
    processes = asked.processes if asked.processes is not None else usual_processes(file.ranks)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PredictionWarning)
        found = file.predict_tasks(asked.tasks, processes)
    return {
        "model": found.model,
        "tasks": asked.tasks.text,
        "best": found.text,
        "figures": [_times(found), _shares(found)],
        "rows": list(_rows(found)),
        "notes": [*found.warnings, *found.assumed],
        "meaning": found.interval_meaning,
        "count": f"{found.masters} masters" if found.masters > 1 else "one master",
    }


def commands(model_name: str, file: ModelFile, asked: Asked) -> Iterator[tuple[str, str]]:
    words = ["estimate-model", "predict", model_name, "--operation", "master-worker"]
    words += asked.words()
    if asked.processes is None:
        words += ["--processes", ",".join(map(str, usual_processes(file.ranks)))]
    yield "Ask what tasks take", shlex.join(words)


def _process_axis(found: TaskPrediction) -> charts.Axis:
    shown = sorted(set(found.processes.tolist()))
    low, high = shown[0] / 1.2, shown[-1] * 1.2
    least = math.log2(high / low) / 10
    kept: list[int] = []
    for count in shown:
        if not kept or math.log2(count / kept[-1]) >= least:
            kept.append(count)
    return charts.Axis("processes, masters and workers together", low, high, math.log2,
                       [(float(count), str(count)) for count in kept])  # fmt: skip


def _order(found: TaskPrediction) -> list[int]:
    return sorted(range(len(found)), key=lambda k: int(found.processes[k]))


def _line(chart: Chart, found: TaskPrediction, values: Sequence[float], series: int) -> None:
    """Dashed to numbers of processes that are extrapolated to."""
    order = _order(found)
    for k, following in zip(order, order[1:]):
        ends = [(float(found.processes[i]), float(values[i])) for i in (k, following)]
        chart.line(ends, series, bool(found.extrapolated[k] or found.extrapolated[following]))


def _beyond(found: TaskPrediction) -> str:
    return "extrapolated" if found.extrapolated.any() else ""


def _times(found: TaskPrediction) -> curves.Figure:
    ends = [*found.time.tolist(), *found.low.tolist(), *found.high.tolist()]
    chart = Chart(_process_axis(found), charts.log_axis("time", ends, units.seconds),
                  "Time of all tasks over the number of processes")  # fmt: skip
    if all(map(math.isfinite, ends)):
        chart.band([(float(found.processes[k]), float(found.low[k]), float(found.high[k]))
                    for k in _order(found)], _TIME)  # fmt: skip
    _line(chart, found, found.time, _TIME)
    _mark_best(chart, found, _name_of_best(found))
    for k in _order(found):
        numbers = float(found.time[k]), float(found.low[k]), float(found.high[k])
        tip = (f"{found.processes[k]} processes: {interval_text(*numbers, units.seconds)}"
               + (", extrapolated" if found.extrapolated[k] else ""))  # fmt: skip
        chart.dot(Dot(float(found.processes[k]), *numbers, tip), _TIME)
    note = f"Bars and band: {found.interval_meaning}." if found.interval_meaning else (
        "No bars: nothing tells how sure these times are.")  # fmt: skip
    return curves.Figure("Time until all tasks are done",
                         charts.legend([(_TIME, "time")], _beyond(found)), chart.svg(), note)


def _shares(found: TaskPrediction) -> curves.Figure:
    chart = Chart(_process_axis(found),
                  charts.linear_axis("share of the time", [0, 1], units.percent),
                  "Shares of the time that masters and workers are busy")  # fmt: skip
    whose = "master" if found.masters == 1 else "masters"
    names = [(_MASTERS, f"{whose}: sends, receives, serves"), (_WORKERS, "workers: compute")]
    _mark_best(chart, found)
    for (series, name), shares in zip(names, (found.masters_busy, found.workers_computing)):
        _line(chart, found, shares, series)
        for k in _order(found):
            tip = (f"{found.processes[k]} processes, {name} for {units.percent(shares[k])} "
                   "of the time")
            chart.dot(Dot(float(found.processes[k]), float(shares[k]), math.nan, math.nan, tip),
                      series)  # fmt: skip
    return curves.Figure("How busy they are", charts.legend(names, _beyond(found)), chart.svg(),
                         "Where the master is busy all the time more workers don't help.")


def _mark_best(chart: Chart, found: TaskPrediction, text: str = "") -> None:
    chart.mark(found.best.fewest, text)


def _name_of_best(found: TaskPrediction) -> str:
    shortest, fewest = found.best
    text = "shortest" if fewest == shortest else f"within 2 % of {shortest}"
    return f"{fewest} processes: {text}"


class Row(NamedTuple):
    processes: int
    time: str
    interval: str
    masters: str
    workers: str
    is_best: bool
    extrapolated: bool


def _rows(found: TaskPrediction) -> Iterator[Row]:
    for k in _order(found):
        ends = found.low[k], found.high[k]
        known = all(map(math.isfinite, ends))
        yield Row(
            int(found.processes[k]),
            units.seconds(found.time[k]),
            f"{units.seconds(ends[0])} to {units.seconds(ends[1])}" if known else "-",
            units.percent(found.masters_busy[k]),
            units.percent(found.workers_computing[k]),
            int(found.processes[k]) in found.best,
            bool(found.extrapolated[k]),
        )
