"""Masters and workers in the report: their time and utilisation by the number of processes."""

from __future__ import annotations

import math
import shlex
import warnings
from typing import Any, Iterator, NamedTuple

import numpy as np

from .. import units
from .._files import ModelFile
from .._predictions import PredictionWarning
from .._tasks import TaskPrediction, TaskTimes, usual_processes
from ..plots._masters import draw_shares, draw_times, name_of_best, process_axis
from .charts import Chart, Figure
from .matrices import interval_text

MOST_TICKS = 10


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


def _order(found: TaskPrediction) -> list[int]:
    return np.argsort(found.processes, kind="stable").tolist()


def _finish(chart: Chart, found: TaskPrediction, name_of_mark: str) -> None:
    process_axis(chart.axes, found.processes[_order(found)], MOST_TICKS)
    chart.mark(found.best.fewest, name_of_mark)


def _times(found: TaskPrediction) -> Figure:
    chart = Chart("Time of all tasks over the number of processes")
    draw_times(chart.axes, found, np.array(_order(found)))
    _finish(chart, found, name_of_best(found))
    for k in _order(found):
        numbers = float(found.time[k]), float(found.low[k]), float(found.high[k])
        tip = (f"{found.processes[k]} processes: {interval_text(*numbers, units.seconds)}"
               + (", extrapolated" if found.extrapolated[k] else ""))  # fmt: skip
        chart.tip(found.processes[k], numbers[0], tip)
    note = f"Bars and band: {found.interval_meaning}." if found.interval_meaning else (
        "No bars: nothing tells how sure these times are.")  # fmt: skip
    return Figure("Time until all tasks are done", chart.svg(), note + _beyond(found))


def _shares(found: TaskPrediction) -> Figure:
    chart = Chart("Shares of the time that masters and workers are busy")
    draw_shares(chart.axes, found, np.array(_order(found)))
    _finish(chart, found, "")
    whose = "master" if found.masters == 1 else "masters"
    names = f"{whose}: sends, receives, serves", "workers: compute"
    for name, shares in zip(names, (found.masters_busy, found.workers_computing)):
        for k in _order(found):
            chart.tip(found.processes[k], shares[k], f"{found.processes[k]} processes, {name} for "
                      f"{units.percent(shares[k])} of the time")  # fmt: skip
    return Figure("How busy they are", chart.svg(),
                  "Where the master is busy all the time more workers don't help." + _beyond(found))


def _beyond(found: TaskPrediction) -> str:
    return " Dashed: extrapolated." if found.extrapolated.any() else ""


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
