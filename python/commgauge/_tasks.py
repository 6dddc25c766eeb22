"""Masters, workers and their tasks."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _commgauge, _tables
from ._arguments import Path, TimeRatio, path_text, time_ratio_text, whole
from ._commgauge import InputError
from ._predictions import PredictionWarning, _level_of_caller, as_sizes

if TYPE_CHECKING:
    import pandas

Shape = Union[int, str, Sequence[int]]
Processes = Union[int, str, Sequence[int], NDArray[np.integer]]


@dataclass(frozen=True, eq=False)
class TaskTimes:
    """The times of all tasks [s], from those of some. From `load_tasks`, `tasks_from`,
    `equal_tasks`."""

    shape: tuple[int, ...]
    """How many tasks there are in each dimension."""
    known: str
    """How the times of those that were not run are known: "all" (there are none), "grid"
    (interpolated between others) or "sample" (those near them stand for them)."""
    total: float
    """Of all tasks."""
    low: float
    high: float
    """The total's interval; NaN: too few were run to tell."""
    text: str
    """For people: how many were run, how the others are known, and the total."""
    tasks: NDArray[np.int64]
    """Those that were run, a row for each: its integers, from 1. By number, the last integer counting
    fastest, as all that follows."""
    times_s: NDArray[np.float64]
    """What each of these took."""
    result_bytes: NDArray[np.float64] | None
    """The sizes of their results; None where nothing says."""
    _handle: _commgauge.TaskTimes

    def __repr__(self) -> str:
        return f"<commgauge.TaskTimes: {self.text}>"

    def __len__(self) -> int:
        """How many were run."""
        return len(self.times_s)

    def times(self) -> NDArray[np.float64]:
        """Of all tasks, an array of the shape: task (i, j) is at [i - 1, j - 1]."""
        return self._handle.all_times_s().reshape(self.shape)

    def to_csv(self) -> str:
        """Those that were run as `load_tasks` reads them."""
        return self._handle.measured.to_csv()

    def to_dataframe(self) -> "pandas.DataFrame":
        """A row for each task that was run, columns as in the file; needs pandas."""
        columns: dict[str, Any] = {f"i{k + 1}": self.tasks[:, k] for k in range(len(self.shape))}
        columns["time_s"] = self.times_s
        if self.result_bytes is not None:
            columns["result_bytes"] = self.result_bytes
        return _tables.data_frame(columns)


def load_tasks(
    path: Path, shape: Shape | None = None, seed: int | None = None, confidence: float = 0.95
) -> TaskTimes:
    """Reads times of tasks, CSV ``i1,...,iN,time_s[,result_bytes]``, as ``--tasks`` takes them.

    shape: how many tasks there are in each dimension: "1024x1024", (1024, 1024), 1000; None: as the
        largest integers in the file say.
    seed: of the sample, as it was planned; None: as the file says, or 1.
    confidence: of the total's interval. ``estimate-model predict`` takes that of the model file.

    Raises `InputError`: what was run is neither all, nor a grid, nor a sample.
    """
    return _task_times(
        _commgauge.load_tasks(path_text(path), _counts(shape), float(confidence), _seed(seed))
    )


def tasks_from(
    tasks: ArrayLike,
    times_s: ArrayLike,
    shape: Shape | None = None,
    result_bytes: ArrayLike | None = None,
    *,
    seed: int | None = None,
    confidence: float = 0.95,
) -> TaskTimes:
    """As `load_tasks`, from arrays, in any order.

    tasks: a row of integers for each task, from 1; of one dimension the integers themselves.
    times_s: what each of them took.
    result_bytes: the size of each one's result.
    """
    measured = _measured(tasks, times_s, result_bytes, _counts(shape))
    return _task_times(_commgauge.task_times(measured, float(confidence), _seed(seed)))


def equal_tasks(count: int, time_s: float) -> TaskTimes:
    """So many tasks that take the same time, as ``--tasks NUMBER --task-time``."""
    measured = _commgauge.equal_tasks(whole(count, "the number of tasks", 0), float(time_s))
    return _task_times(_commgauge.task_times(measured, 0.95, 1))


def _task_times(handle: _commgauge.TaskTimes) -> TaskTimes:
    sizes = handle.result_bytes
    return TaskTimes(
        tuple(handle.shape), handle.source, *handle.total, handle.text,
        _fixed(handle.tasks), handle.times_s, sizes if len(sizes) > 0 else None, handle,
    )  # fmt: skip


def _fixed(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


class Doubtful(NamedTuple):
    """A task whose time alone leaves open more than all the others do together."""

    task: tuple[int, ...]
    time_s: float
    others_s: float
    """Median of those near it."""


@dataclass(frozen=True, eq=False)
class TaskPlan:
    """Which tasks to run next. From `plan_tasks`."""

    next: NDArray[np.int64]
    """A row of integers for each, from 1; no rows: nothing is left to do."""
    run: int
    """How many of the sample were run; others don't count."""
    total: float
    """Of all tasks [s], as far as they were run; NaN: too few were."""
    low: float
    high: float
    is_precise: bool
    """As precise as asked for, or all tasks were run."""
    doubtful: Doubtful | None
    """What may have made it less precise: something else ran then."""

    def to_dataframe(self) -> "pandas.DataFrame":
        """A row for each task to run, as ``estimate-model tasks plan`` prints them; needs pandas."""
        return _tables.data_frame({f"i{k + 1}": column for k, column in enumerate(self.next.T)})


def plan_tasks(
    shape: Shape,
    measured: TaskTimes | Path | tuple[ArrayLike, ...] | None = None,
    precision: float = 0.02,
    confidence: float = 0.95,
    seed: int = 1,
) -> TaskPlan:
    """Which tasks to run next, until their total is known as well as asked: ``estimate-model tasks
    plan``.

    shape: how many there are in each dimension, as of `load_tasks`.
    measured: what was run so far: a file, arrays as a tuple (tasks, times_s[, result_bytes]), or what
        `load_tasks` gave; None: nothing.
    precision: half width of the total's interval, relative to it.
    seed: of the sample that is drawn; the same one in each call, and of `load_tasks` afterwards.
    """
    counts = _counts(shape)
    found = _commgauge.plan_tasks(
        counts, _run_so_far(measured, counts), float(precision), float(confidence), _seed(seed)
    )
    doubtful = found["doubtful"]
    return TaskPlan(
        found["next"], found["run"], *(found["total"] or [float("nan")] * 3), found["is_precise"],
        Doubtful(*doubtful) if doubtful is not None else None,
    )  # fmt: skip


def _run_so_far(measured: Any, counts: list[int] | None) -> _commgauge.MeasuredTasks | None:
    if measured is None:
        return None
    if isinstance(measured, TaskTimes):
        if list(measured.shape) != counts:
            raise InputError(f"tasks of the shape {measured.shape} (what is planned has another): "
                             "give the shape to load_tasks(), too")  # fmt: skip
        return measured._handle.measured
    if not isinstance(measured, tuple):
        return _commgauge.read_tasks(path_text(measured), counts)
    if len(measured) not in (2, 3):
        raise InputError(f"a tuple of {len(measured)} as what was run (it has tasks and times_s, and "
                         "may have result_bytes): give two or three arrays")  # fmt: skip
    if np.size(measured[0]) == 0 and np.size(measured[1]) == 0:
        return None
    tasks, times_s, *sizes = measured
    return _measured(tasks, times_s, sizes[0] if sizes else None, counts)


class BestProcesses(NamedTuple):
    """Numbers of processes that a user should know before buying any."""

    shortest: int
    """That with the shortest time."""
    fewest: int
    """The fewest whose time is within 2 % of that."""


@dataclass(frozen=True, eq=False)
class TaskPrediction:
    """What masters and workers take for their tasks [s], by number of processes, in columns. From
    `ModelFile.predict_tasks`."""

    processes: NDArray[np.int64]
    time: NDArray[np.float64]
    """From the processes' start until all are done."""
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    """The interval; NaN: none was asked for, or nothing tells it."""
    extrapolated: NDArray[np.bool_]
    """More processes, or longer messages, than were measured."""
    masters_busy: NDArray[np.float64]
    """Which share of the time the first masters send, receive and serve."""
    workers_computing: NDArray[np.float64]
    """Which share of the time the others compute, on the average."""
    splits: NDArray[np.int64]
    """How many masters masters made."""
    best: BestProcesses
    text: str
    """For people: the best, with their times."""
    warnings: tuple[str, ...]
    """Each was issued as a `PredictionWarning`, too."""
    assumed: tuple[str, ...]
    """What is taken for granted: that processors there are as fast as where the tasks were run."""
    model: str
    masters: int
    task_size: int
    confidence: float
    interval_meaning: str
    """What the intervals hold; empty: there are none."""

    def __len__(self) -> int:
        return len(self.processes)

    def to_dataframe(self) -> "pandas.DataFrame":
        """Columns as in the CSV of ``estimate-model predict --operation master-worker``; needs
        pandas."""
        count = len(self)
        return _tables.data_frame(
            {
                "model": [self.model] * count,
                "operation": ["master-worker"] * count,
                "from": np.zeros(count, dtype=int),
                "to": np.full(count, -1),
                "size_bytes": np.full(count, self.task_size),
                "time_s": self.time,
                "low_s": self.low,
                "high_s": self.high,
                "side": [""] * count,
                "algorithm": [""] * count,
                "extrapolated": self.extrapolated,
                "processes": self.processes,
                "masters_busy": self.masters_busy,
                "workers_computing": self.workers_computing,
                "splits": self.splits,
            }
        )


def predict_tasks(
    handle: _commgauge.Model,
    tasks: TaskTimes | Path,
    processes: Processes,
    model: str | None,
    time_ratio: TimeRatio | None,
    growth: bool,
    interval: bool,
    masters: int,
    task_size: int | str,
    seed: int,
    **protocol: Any,
) -> TaskPrediction:
    """`ModelFile.predict_tasks`."""
    if not isinstance(tasks, TaskTimes):
        tasks = load_tasks(tasks, confidence=handle.confidence)
    if model is not None and (not isinstance(model, str) or not model):
        raise InputError(f"model {model!r} (it is a name): give one, or leave it out")
    size = _size(task_size)
    found = _commgauge.predict_tasks(
        tasks._handle, handle, as_processes(processes), model or "",
        _protocol(masters=masters, task_bytes=size, seed=seed, **protocol), time_ratio_text(time_ratio),
        bool(growth), bool(interval),
    )  # fmt: skip
    notes = found.pop("notes")
    said = tuple(text for kind, text in notes if kind != "equal_processors")
    for text in said:
        warnings.warn(text, PredictionWarning, stacklevel=_level_of_caller())
    shortest, fewest, text = found.pop("best")
    return TaskPrediction(
        **found,
        best=BestProcesses(shortest, fewest),
        text=text,
        warnings=said,
        assumed=tuple(text for kind, text in notes if kind == "equal_processors"),
        masters=masters,
        task_size=size,
        confidence=handle.confidence,
    )


def _protocol(
    order: str, seed: int, chunk: int, masters: int, split_after: float, serve: float,
    request_size: int | str, task_bytes: int, result_size: int | str,
) -> _commgauge.Protocol:  # fmt: skip
    return _commgauge.protocol(
        str(order), _seed(seed), whole(chunk, "chunk", 1), whole(masters, "masters", 1, 2**31 - 1),
        float(split_after), float(serve), _size(request_size), task_bytes, _size(result_size),
    )  # fmt: skip


def _size(size: int | str) -> int:
    found = as_sizes(size)
    if found.ndim > 0:
        raise InputError("several sizes of one message (all are alike): give one")
    return int(found)


def _seed(seed: int | None) -> int | None:
    return None if seed is None else whole(seed, "seed", 0, 2**64 - 1)


def _counts(shape: Shape | None) -> list[int] | None:
    if shape is None:
        return None
    if isinstance(shape, str):
        return _commgauge.parse_shape(shape)
    given = shape if isinstance(shape, (Sequence, np.ndarray)) else [shape]
    return [whole(one, "a dimension of the shape", 1) for one in given]


def _measured(
    tasks: ArrayLike, times_s: ArrayLike, result_bytes: ArrayLike | None, counts: list[int] | None
) -> _commgauge.MeasuredTasks:
    sizes = None if result_bytes is None else _column(result_bytes, "result_bytes")
    return _commgauge.tasks_from(_rows(tasks), _column(times_s, "times_s"), sizes, counts)


def _rows(tasks: ArrayLike) -> NDArray[np.int64]:
    given = np.asarray(tasks)
    if given.ndim == 1:
        given = given[:, None]
    if given.ndim != 2 or given.shape[1] == 0 or (given.dtype.kind not in "iu" and given.size > 0):
        raise InputError(
            f"tasks of type {given.dtype} and shape {given.shape} (each is a row of integers): give "
            "an array of a row for each"
        )
    if np.any(given < 1) or np.any(given > np.iinfo(np.int64).max):
        raise InputError("a task with an integer below 1, or far too large (they count from 1): "
                         "give others")  # fmt: skip
    return np.ascontiguousarray(given, dtype=np.int64)


def _column(values: ArrayLike, name: str) -> NDArray[np.float64]:
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} that are no numbers (each task has one): give numbers") from error
    if given.ndim != 1:
        raise InputError(f"{name} of shape {given.shape} (each task has one): give a column")
    return np.ascontiguousarray(given)


def as_processes(processes: Processes) -> list[int]:
    """Integers, or a text as --processes takes it: "8,16", "8-128:8"."""
    if isinstance(processes, str):
        return [count for word in processes.split(",") for count in _range(word)]
    given = np.atleast_1d(np.asarray(processes))
    if given.ndim != 1 or (given.dtype.kind not in "iu" and given.size > 0):
        raise InputError(
            f"processes of type {given.dtype} (jobs have numbers of them): give integers, or a text "
            "such as '8-128:8'"
        )
    return [whole(one, "a number of processes", 2, 2**30 - 1) for one in given]


def _range(word: str) -> range:
    found = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9})(?::(\d{1,7}))?)?\s*", word, re.ASCII)
    first, last, step = (int(one) if one else None for one in found.groups()) if found else (0,) * 3
    counts = range(first, (first if last is None else last) + 1, step or 1) if first else range(0)
    if len(counts) == 0 or step == 0:
        raise InputError(f"'{word}' is no number of processes (nor a range that goes up): give some "
                         "like 8, or 8-128:8")  # fmt: skip
    return counts


def usual_processes(ranks: int) -> list[int]:
    """To look at where nobody says: powers of two, and what lies between, to twice the ranks."""
    last = max(2 * ranks, 16)
    counts = {count for power in range(1, 31) for count in (2**power, 3 * 2 ** (power - 1))}
    return sorted(count for count in counts | {ranks} if 2 <= count <= last)
