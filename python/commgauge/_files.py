"""What commgauge writes: models, measurements, thresholds, sweeps."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _commgauge, _tables
from ._arguments import Path, TimeRatio, path_text
from ._classes import Classes
from ._commgauge import InputError
from ._fabric import Fabric
from ._predictions import Model, Prediction
from ._tasks import Processes, TaskPrediction, TaskTimes, predict_tasks

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Threshold:
    """A message size beyond which the machine behaves differently, or None and the reason."""

    size_bytes: int | None
    """The largest size that behaves as below it."""
    low_bytes: int | None
    high_bytes: int | None
    """Already beyond it."""
    reason: str


@dataclass(frozen=True)
class Thresholds:
    """Where a machine changes its behaviour. `interval_meaning` says what its intervals hold."""

    confidence: float
    eager_limit: Threshold
    """Of point-to-point messages."""
    scatter_break: Threshold
    gather_m1: Threshold
    """Up to here gather is regular."""
    gather_m2: Threshold
    """The last size that escalates."""
    scatter_sweep: _commgauge.SweepSource | None
    """Which sweep gave the scatter break: algorithm, timing, root, launches."""
    gather_sweep: _commgauge.SweepSource | None
    interval_meaning: str
    """What the intervals hold: "95 % of what this launch would find again"."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """What is odd about them, their sweeps or the data. Of a model file they are among those of
    `ModelFile.diagnostics`."""

    _names = ("eager_limit", "scatter_break", "gather_m1", "gather_m2")

    def to_dataframe(self) -> "pandas.DataFrame":
        """A row for each threshold; needs pandas."""
        found = [getattr(self, name) for name in self._names]
        columns: dict[str, Any] = {"threshold": list(self._names)}
        for name in ("size_bytes", "low_bytes", "high_bytes", "reason"):
            values = [getattr(one, name) for one in found]
            columns[name] = np.array(values, dtype=object)
        return _tables.data_frame(columns)


def _threshold(handle: _commgauge.Threshold) -> Threshold:
    return Threshold(handle.size_bytes, handle.low_bytes, handle.high_bytes, handle.reason)


def _thresholds(
    handle: _commgauge.Thresholds, diagnostics: Iterable[dict[str, Any]] = ()
) -> Thresholds:
    return Thresholds(
        handle.confidence,
        _threshold(handle.eager_limit),
        _threshold(handle.scatter_break),
        _threshold(handle.gather_m1),
        _threshold(handle.gather_m2),
        handle.scatter_sweep,
        handle.gather_sweep,
        handle.interval_meaning,
        _diagnostics(diagnostics),
    )


@dataclass(frozen=True)
class Diagnostic:
    """What is odd about a machine, its measurements or a fit."""

    kind: str
    """"poor_fit": the same for the same kind of remark, whatever its numbers. In files of older
    versions how the sentence begins, up to its first digit."""
    count: int
    """How many things it is about: pairs, times, launches, ..."""
    problem: str
    reason: str
    """Why it is one, or its numbers; may be empty."""
    advice: str
    """What follows from it, or what to do; may be empty."""
    label: str | None
    """Of the fit that it is about: "hockney above the eager limit"; None: it is about the file."""
    model: str | None
    """Which that fit is a part of."""
    more: int
    """How many others of the same fit and kind are left out."""
    sentence: str
    """All of it for people, without the fit's label."""
    text: str
    """The same with the label before it, as in `ModelFile.warnings`."""


def _diagnostics(found: Iterable[dict[str, Any]]) -> tuple[Diagnostic, ...]:
    return tuple(Diagnostic(**one) for one in found)


class ModelFile:
    """A model file: what was learnt about a machine. From `load`."""

    def __init__(self, handle: _commgauge.Model) -> None:
        self._handle = handle
        self._models: dict[str, Model] = {}

    def __repr__(self) -> str:
        names = ", ".join(self.models) or "no model"
        return f"<commgauge.ModelFile of {self.ranks} ranks: {names}>"

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self._handle.ranks

    @property
    def hosts(self) -> list[str]:
        """Of each rank; empty texts where the file has no launches."""
        return self._handle.hosts

    def for_hosts(self, hosts: Iterable[str]) -> "ModelFile":
        """The model of a job on some of the hosts: the host of each rank, by name.

        Pairs cost what they cost in the file. `diagnostics` say what is assumed, as of a host that
        only its name tells. Raises `InputError` for a host that nothing tells."""
        return ModelFile(self._handle.for_hosts(list(hosts)))

    @property
    def classes(self) -> Classes | None:
        """Which ranks and pairs are alike; None where each pair has its own values."""
        found = self._handle.classes
        return None if found is None else Classes.of(found)

    @property
    def fabric(self) -> Fabric | None:
        """Links that hosts share; None where none was seen, or none was looked for."""
        found = self._handle.fabric
        return None if found is None else Fabric.of(found)

    @property
    def confidence(self) -> float:
        """Level of every interval; `interval_meaning` says of what."""
        return self._handle.confidence

    def interval_meaning(self, model: str | None = None) -> str:
        """What intervals hold, in words: "95 % of what this launch would find again", or, of a model
        of several launches, "95 %, launches included". Without a name, of the model in the file whose
        intervals hold least.
        """
        return self._handle.interval_meaning(model or "")

    @property
    def eager_limit_bytes(self) -> int | None:
        """The largest size still sent asynchronously; None where it is unknown."""
        return self._handle.eager_limit

    @property
    def eager_limit(self) -> Threshold | None:
        """The same with its interval, or the reason why there is none; None where the file doesn't
        tell."""
        found = self._handle.known_eager_limit
        return _threshold(found) if found is not None else None

    @property
    def eager_limit_text(self) -> str:
        """For people, as ``estimate-model show`` has it: the limit, or why there is none."""
        return self._handle.eager_limit_text

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, best-ranked first."""
        return tuple(self._handle.names)

    @property
    def preferred(self) -> str | None:
        """The model that explains the machine best."""
        return next(iter(self.models), None)

    @property
    def thresholds(self) -> Thresholds | None:
        """None where scatter and gather were not swept."""
        found = self._handle.thresholds
        return _thresholds(found) if found is not None else None

    @property
    def launches(self) -> list[_commgauge.Launch]:
        """Provenance: where and how each launch measured."""
        return self._handle.launches

    @property
    def checks(self) -> dict[str, Any]:
        """Columns: what the models said of times that no fit saw, `to` -1 for collectives."""
        return self._handle.checks

    @property
    def ranking(self) -> list[dict[str, Any]]:
        """The models, best first: `model`, `error`, and `operations` with the error of each."""
        return self._handle.ranking

    @property
    def judgements(self) -> list[dict[str, Any]]:
        """Each model's errors by operation and size, best model first: `checks`, the median `error`,
        that with its sign, `bias`, and its interval, the machine's `noise` in the same times (NaN:
        not known), the `verdict` and the same in `words`. Empty in files of older versions."""
        return self._handle.judgements

    @property
    def noise(self) -> dict[str, float]:
        """What a perfect model's errors would be, by operation and, as `all`, of all, counted as the
        ranking counts errors (NaN: not known). Empty where nothing was judged."""
        return self._handle.noise

    @property
    def outliers(self) -> list[dict[str, Any]]:
        """Hosts and links that stand out, as ``estimate-model show``: `what`, `parameter` (its
        `fit`, `field` and `unit`, "s" or "s/B", for programs), its `value`, the interval's lower
        end `low`, what is `typical`, `rank`, and `peer` or -1; of a link `both_ways`, where both
        directions do. Hosts come first, the worst of each."""
        return _commgauge.outliers(self._handle)

    @property
    def warnings(self) -> list[str]:
        """What is odd about the machine, the data and the fits."""
        return self._handle.warnings

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The same, in the same order, as values."""
        return list(_diagnostics(self._handle.diagnostics))

    @property
    def busy(self) -> str:
        """How busy the machine was when it was measured, in a line; empty where nothing is known
        against it. The warnings have it, too."""
        return self._handle.busy

    @property
    def contention(self) -> str:
        """How much longer pairs take at once than alone, in a line; empty where they don't, or where
        models know it. The warnings have it, too."""
        return self._handle.contention

    @property
    def not_determined(self) -> str:
        """Which models are missing and why, or empty."""
        return self._handle.not_determined

    def model(self, name: str | None = None) -> Model:
        """One model, without a name the preferred one. Raises `InputError` if it isn't there."""
        chosen = self._handle.preferred if name is None else name
        if chosen not in self._models:
            fit = _commgauge.fit_of(self._handle, chosen)
            if fit is None:
                raise InputError(
                    f"the file has no model {chosen} (it could not be determined, or was not asked "
                    f"for): take one of {', '.join(self.models)}"
                )
            self._models[chosen] = Model(self._handle, chosen, fit)
        return self._models[chosen]

    def predict(self, operation: str, sizes: ArrayLike, **more: Any) -> Prediction:
        """`Model.predict` of the preferred model."""
        return self.model().predict(operation, sizes, **more)

    def predict_tasks(
        self,
        tasks: TaskTimes | Path,
        processes: Processes,
        model: str | None = None,
        *,
        order: str = "given",
        seed: int = 1,
        chunk: int = 1,
        masters: int = 1,
        split_after: float = 0.0,
        serve: float = 0.0,
        request_size: int | str = 8,
        task_size: int | str = 8,
        result_size: int | str = 4,
        time_ratio: TimeRatio | None = None,
        growth: bool = True,
        interval: bool = True,
    ) -> TaskPrediction:
        """Runs tasks on virtual masters and workers, as ``estimate-model predict --operation
        master-worker``: the same times, the same intervals.

        tasks: what `load_tasks`, `tasks_from` or `equal_tasks` gave; or a file, of the shape that its
            largest integers say, of whose total the interval has this file's confidence.
        processes: numbers of them, masters and workers together; as a text "8,16" or "8-128:8".
        model: which one of the file; None: the best ranked of those that can be simulated.
        order: in which tasks are handed out: "given", by number; "random"; or "longest-first".
        seed: of a random order, and of the sample in a file.
        chunk: tasks in one message.
        masters: each with its share of the workers, and of the tasks.
        split_after: a master whose workers wait longer for a task [s] makes one of them another
            master; 0: never.
        serve: what a master does with each request [s].
        request_size, task_size, result_size: of a worker's message without results, of the master's,
            and of a task's result, where the tasks don't say.
        time_ratio: how many seconds it computes there for one where the tasks were run, as of
            `replay`; one for each rank of the machine, where they are a sequence. None: 1.
        growth: overheads grow with the number of processes, where that was measured.
        interval: run with each of the model's replicates, and with what the tasks that were not run
            leave open, too; False: the times alone.

        What makes the times less certain is said in the result and by a `PredictionWarning`. Raises
        `InputError`, as for fewer than two processes for each master. Ctrl-C ends it after the run at
        hand.
        """
        return predict_tasks(
            self._handle, tasks, processes, model, time_ratio, growth, interval, masters, task_size,
            seed, order=order, chunk=chunk, split_after=split_after, serve=serve,
            request_size=request_size, result_size=result_size,
        )  # fmt: skip

    def to_dataframe(self) -> "pandas.DataFrame":
        """The parameters of all models, as `Model.to_dataframe`; needs pandas."""
        parts = []
        for name in self.models:
            model = self.model(name)
            beside = (model, model.rendezvous, model.overhead_growth)
            parts += [one._columns() for one in beside if one is not None]
        return _tables.data_frame(_tables.joined(parts))


class Sweep:
    """One operation timed over a range of sizes, every repetition kept."""

    def __init__(self, handle: _commgauge.Sweep) -> None:
        self._handle = handle

    def __repr__(self) -> str:
        return f"<commgauge.Sweep {self.kind or 'of one series'}: {len(self.size_bytes)} sizes>"

    @property
    def kind(self) -> str:
        """"scatter", "gather", "scatter_library", "gather_library", or another word of the file."""
        return self._handle.kind

    @property
    def root(self) -> int:
        return self._handle.root

    @property
    def launch(self) -> int:
        """Index into the file's launches."""
        return self._handle.launch

    @property
    def size_bytes(self) -> NDArray[np.uint64]:
        """Ascending."""
        return self._handle.size_bytes

    @property
    def median_s(self) -> NDArray[np.float64]:
        """Of each size's repetitions."""
        return self._handle.median_s

    @property
    def times_s(self) -> list[NDArray[np.float64]]:
        """Of each size, its repetitions."""
        return self._handle.times_s

    @property
    def passes(self) -> list[NDArray[np.int32]]:
        """The pass of each repetition; empty arrays where that isn't known."""
        return self._handle.passes

    def to_dataframe(self) -> "pandas.DataFrame":
        """A row for each repetition: kind, size_bytes, time_s; needs pandas."""
        counts = [len(times) for times in self.times_s]
        times = np.concatenate(self.times_s) if counts else np.empty(0)
        return _tables.data_frame(
            {
                "kind": [self.kind] * len(times),
                "size_bytes": np.repeat(self.size_bytes, counts),
                "time_s": times,
            }
        )


class Measurements:
    """A measurement file: what was observed. From `load_measurements`."""

    def __init__(self, handle: _commgauge.Measurements) -> None:
        self._handle = handle
        self._experiments: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return f"<commgauge.Measurements of {self.ranks} ranks: {len(self)} experiments>"

    def __len__(self) -> int:
        return len(self.experiments["time_s"])

    @property
    def ranks(self) -> int:
        """Number of ranks, of the largest launch."""
        return self._handle.ranks

    @property
    def complete(self) -> bool:
        """False where a signal or the time budget cut a launch short."""
        return self._handle.complete

    @property
    def launches(self) -> list[_commgauge.Launch]:
        """Provenance: where and how each launch measured."""
        return self._handle.launches

    @property
    def experiments(self) -> Mapping[str, Any]:
        """Columns, as in the file: arrays, lists of texts or of lists."""
        if self._experiments is None:
            self._experiments = self._handle.experiments
        return self._experiments

    @property
    def sweeps(self) -> list[Sweep]:
        """Scatter and gather over sizes."""
        return [Sweep(one) for one in self._handle.sweeps]

    def to_dataframe(self) -> "pandas.DataFrame":
        """A row for each experiment, columns as in the file; needs pandas."""
        return _tables.data_frame(self.experiments)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Every parameter that two model files have a value and an interval for, in columns."""

    model: list[str]
    parameter: list[str]
    """"C[2]", "beta[0][3]"."""
    old: NDArray[np.float64]
    new: NDArray[np.float64]
    combined_half_width: NDArray[np.float64]
    """Of both intervals, on the sides that face each other."""
    significant: NDArray[np.bool_]
    """The change is larger than that."""

    def __len__(self) -> int:
        return len(self.model)

    @property
    def agreement(self) -> float:
        """Share of the parameters that agree within their uncertainty."""
        return 1.0 - float(np.mean(self.significant))

    def to_dataframe(self) -> "pandas.DataFrame":
        """A row for each parameter; needs pandas."""
        return _tables.data_frame(
            {
                "model": self.model,
                "parameter": self.parameter,
                "old": self.old,
                "new": self.new,
                "combined_half_width": self.combined_half_width,
                "significant": self.significant,
            }
        )


def load(path: Path) -> ModelFile:
    """Reads and checks a model file (`commgauge.model/1`); "-" is standard input.

    Raises `InputError`, with file, place and reason in one line.
    """
    return ModelFile(_commgauge.load_model(path_text(path)))


def load_measurements(path: Path) -> Measurements:
    """Reads and checks a measurement file (`commgauge.measurements/1`), as `load`."""
    return Measurements(_commgauge.load_measurements(path_text(path)))


def load_thresholds(path: Path) -> Thresholds:
    """Reads a thresholds file (`commgauge.thresholds/1`), without its sweeps, as `load`."""
    return _thresholds(*_commgauge.load_thresholds(path_text(path)))


def load_sweeps(path: Path) -> list[Sweep]:
    """Reads the CSV that ``thresholds measure --sweep`` writes, as `load`."""
    return [Sweep(one) for one in _commgauge.load_sweeps(path_text(path))]


def compare(old: ModelFile, new: ModelFile) -> Comparison:
    """What drifted between two model files of one machine, as ``estimate-model compare``.

    Raises `InputError` where they have different numbers of ranks, or no model in common.
    """
    return Comparison(**_commgauge.compare(old._handle, new._handle))


def write(path: Path, content: Union[str, bytes]) -> None:
    """All or nothing: what was there before stays where this fails. "-" is standard output."""
    sys.stdout.flush()
    _commgauge.write_file(path_text(path), content)


def check_output(output: Path, inputs: Iterable[Path]) -> None:
    """Raises `InputError` where writing `output` would replace one of `inputs`, by whatever link."""
    for one in inputs:
        if _commgauge.would_replace(path_text(output), path_text(one)):
            raise InputError(
                f"{one} is read and -o {output} is the same file: give two different ones"
            )
