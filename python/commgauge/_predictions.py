"""Models and their predictions."""

from __future__ import annotations

import operator
import sys
import warnings
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _commgauge, _tables
from ._classes import Classes
from ._commgauge import InputError

if TYPE_CHECKING:
    import pandas

Numbers = Union[float, NDArray[np.float64]]
Flags = Union[bool, NDArray[np.bool_]]


class PredictionWarning(UserWarning):
    """A prediction that is less certain than its interval says: extrapolated, or escalating."""


@dataclass(frozen=True, eq=False)
class Parameter:
    """A parameter of a model: a number, one for each rank, or one for each pair [sender, receiver].

    Arrays are read-only. NaN: the diagonal, pairs that were not measured, and in `value` and `low`
    what is only bounded.
    """

    name: str
    value: Numbers
    low: Numbers
    high: Numbers
    symbol: str = ""
    """For people: "1/β"."""
    meaning: str = ""
    """Behind the symbol: "time per byte of the link"."""
    unit: str = "s"
    """"s", "s/B" or "B"."""
    is_shown: bool = False
    """Among the few that show a machine at a glance."""

    @property
    def bounded(self) -> Flags:
        """Where only an upper bound is known, which is in `high`."""
        return np.isnan(self.value) & ~np.isnan(self.high)


@dataclass(frozen=True, eq=False)
class Prediction:
    """One-way times [s] with intervals; what these hold, `ModelFile.interval_meaning` says.

    `time`, `low`, `high` and `extrapolated` have the shape to which sizes and ranks were broadcast.
    """

    time: Numbers
    low: Numbers
    high: Numbers
    extrapolated: Flags
    """Some message is outside the sizes that the model was fitted on, or the job is larger."""
    warnings: tuple[str, ...]
    """Each was issued as a `PredictionWarning`, too."""
    model: str
    operation: str
    sizes: NDArray[np.uint64]
    src: NDArray[np.int64]
    """Senders, or roots of a collective."""
    dst: NDArray[np.int64] | None
    """Receivers; None for a collective."""
    side: str
    algorithm: str
    processes: int | None = None
    """Of the job; None: as it was measured."""

    def to_dataframe(self) -> "pandas.DataFrame":
        """Columns as in the CSV of ``estimate-model predict``; needs pandas."""
        count = np.size(self.time)
        is_p2p = self.dst is not None
        return _tables.data_frame(
            {
                "model": [self.model] * count,
                "operation": [self.operation] * count,
                "from": self.src.ravel(),
                "to": self.dst.ravel() if self.dst is not None else np.full(count, -1),
                "size_bytes": self.sizes.ravel(),
                "time_s": np.ravel(self.time),
                "low_s": np.ravel(self.low),
                "high_s": np.ravel(self.high),
                "side": [self.side if is_p2p else ""] * count,
                "algorithm": ["" if is_p2p else self.algorithm] * count,
                "extrapolated": np.ravel(self.extrapolated),
            }
        )


@dataclass(frozen=True)
class MasterWorker:
    """Time of a master and its workers [s]: the larger of two bounds, each with its interval."""

    model: str
    time: float
    low: float
    high: float
    extrapolated: bool
    """Beyond the sizes, or the number of ranks, of the fit."""
    master: tuple[float, float, float]
    """While the master alone is the limit: time, low, high."""
    workers: tuple[float, float, float]
    """While the busiest worker is."""
    saturation: tuple[float, float, float]
    """Number of ranks from which on the master is the limit; NaN: nowhere, or unknown."""
    has_growth: bool
    """Overheads grow with the number of ranks; else they are taken as the same at any number."""
    warnings: tuple[str, ...]


def as_sizes(sizes: Any) -> NDArray[np.uint64]:
    """Sizes [bytes]: integers, floats without a fraction, or texts such as "64KiB"."""
    given = np.asarray(sizes)
    if given.dtype.kind in "US" or (given.dtype == object and _has_text(given)):
        texts = [_commgauge.parse_size(_text(one)) for one in given.ravel().tolist()]
        return np.array(texts, dtype=np.uint64).reshape(given.shape)
    if given.dtype.kind == "f":
        # Above 2^53 a double holds no longer every integer.
        if not np.all((given >= 0) & (given <= 2.0**53) & (given == np.floor(given))):
            raise InputError(
                "a size that is no whole number of bytes (negative, a fraction, not finite, or too "
                "large for a float): give integers"
            )
    elif given.dtype.kind not in "iu":
        raise InputError(
            f"sizes of type {given.dtype} (a size is a number of bytes): give integers, or texts "
            "such as '64KiB'"
        )
    elif given.dtype.kind == "i" and np.any(given < 0):
        raise InputError("a negative size (a size is a number of bytes): give 0 or more")
    return given.astype(np.uint64)


def _has_text(given: NDArray[Any]) -> bool:
    return given.size > 0 and any(isinstance(one, str) for one in given.ravel())


def _text(one: Any) -> str:
    return one.decode("ascii", "replace") if isinstance(one, bytes) else str(one)


def as_ranks(ranks: Any, name: str) -> NDArray[np.int64]:
    given = np.asarray(ranks)
    if given.size == 0 and given.dtype.kind == "f":
        given = given.astype(np.int64)
    if given.dtype.kind not in "iu":
        raise InputError(f"{name} of type {given.dtype} (ranks are numbered): give integers")
    if given.dtype.kind == "u" and np.any(given > np.iinfo(np.int64).max):
        raise InputError(f"{name} is out of range (no model has that many ranks): give a rank")
    return given.astype(np.int64)


def _as_processes(processes: Any) -> int | None:
    if processes is None:
        return None
    try:
        number = operator.index(processes)
    except TypeError as error:
        raise InputError(
            f"processes of type {type(processes).__name__} (a job has a number of them): give an "
            "integer"
        ) from error
    if abs(number) > np.iinfo(np.int32).max:
        raise InputError(f"a job of {number} processes (no job has that many): give another number")
    return number


def _shaped(numbers: NDArray[Any], shape: tuple[int, ...]) -> Any:
    """As it was broadcast; a scalar where all that was given are scalars."""
    return numbers.reshape(shape)[()]


class _OfPairs(Mapping[str, Numbers]):
    """Parameters by name; what a file has by classes as n x n numbers, made when it is asked for."""

    def __init__(self, numbers: Mapping[str, Numbers], names: set[str], classes: Classes) -> None:
        self._numbers = numbers
        self._names = names
        self._classes = classes

    def __getitem__(self, name: str) -> Numbers:
        numbers = self._numbers[name]
        return self._classes.spread_out(numbers) if name in self._names else numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class _Parameters(Mapping[str, Parameter]):
    """Likewise, with their intervals."""

    def __init__(self, fit: dict[str, Any], classes: Classes) -> None:
        self._facts = fit["facts"]
        self._parts = [_OfPairs(fit[part], fit["of_pairs"], classes)
                       for part in ("value", "low", "high")]  # fmt: skip

    def __getitem__(self, name: str) -> Parameter:
        value, low, high = (part[name] for part in self._parts)
        return Parameter(name, value, low, high, *self._facts[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts[0])

    def __len__(self) -> int:
        return len(self._parts[0])


class Model:
    """One model of a file: its parameters, and what they predict. From `ModelFile.model`."""

    def __init__(self, handle: _commgauge.Model, name: str, fit: dict[str, Any]) -> None:
        self._handle = handle
        self._fit = fit
        self.name = name
        found = handle.classes
        self._classes = None if found is None else Classes.of(found)
        self.parameters: Mapping[str, Parameter] = (
            _Parameters(fit, self._classes)
            if self._classes is not None
            else MappingProxyType(
                {
                    key: Parameter(
                        key, value, fit["low"][key], fit["high"][key], *fit["facts"][key]
                    )
                    for key, value in fit["value"].items()
                }
            )
        )
        """By the names of docs/formats.md: "C", "L", "inverse_beta", ..."""

    def __getitem__(self, parameter: str) -> Parameter:
        return self.parameters[parameter]

    def __repr__(self) -> str:
        return f"<commgauge.Model {self.name}: {', '.join(self.parameters)}>"

    @property
    def range_bytes(self) -> tuple[int, int]:
        """Smallest and largest message size of the fit."""
        return self._fit["range_bytes"]

    @property
    def ranges_bytes(self) -> list[tuple[int, int]]:
        """As `range_bytes`, of hockney on each side of the eager limit that has a line."""
        above = self.rendezvous
        return [self.range_bytes] + ([above.range_bytes] if above is not None else [])

    @property
    def residual(self) -> float:
        """Root mean square of (observed - fitted) / observed; NaN where it is unknown."""
        return self._fit["residual"]

    @property
    def observations(self) -> int:
        """Experiments that entered the fit."""
        return self._fit["observations"]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about this fit."""
        return tuple(self._fit["warnings"])

    @property
    def replicate_kind(self) -> str:
        """What differs between the replicates: "passes", "launches" or "draws"."""
        return self._fit["replicate_kind"]

    @property
    def replicates(self) -> Sequence[Mapping[str, Numbers]]:
        """The whole fit several times over: for the interval of anything compute it from each."""
        if self._classes is not None:
            names = self._fit["of_pairs"]
            return tuple(_OfPairs(one, names, self._classes) for one in self._fit["replicates"])
        return tuple(MappingProxyType(one) for one in self._fit["replicates"])

    def by_class(self, parameter: str) -> tuple[Numbers, Numbers, Numbers]:
        """Value, low and high of a parameter of pairs, one number for each of `Classes.names`; of
        plogp's curves a row for each size. Raises `InputError` where pairs have their own values.
        """
        if self._classes is None or parameter not in self._fit["of_pairs"]:
            raise InputError(f"{parameter} has no classes (each pair, or rank, has its own value): "
                             "take it from `parameters`")  # fmt: skip
        value, low, high = (self._fit[part][parameter] for part in ("value", "low", "high"))
        return value, low, high

    @property
    def size_bytes(self) -> NDArray[np.uint64] | None:
        """Sizes of the curves of plogp, whose parameters have a matrix for each; else None."""
        return self._fit.get("size_bytes")

    @property
    def receive_wait(self) -> str | None:
        """Of loggps: receiving overheads are "quiet" (no call of MPI while the message arrives)
        or "progress" (MPI is kept going)."""
        return self._handle.receive_wait if self.name == "loggps" else None

    @property
    def kappa(self) -> Mapping[str, Any] | None:
        """Of lom and lmo: kappa1 and kappa2 of a flat gather [s/byte]."""
        return self._handle.kappas.get(self.name)

    @property
    def rendezvous(self) -> "Model | None":
        """Of hockney: the line above the eager limit, for its parameters. `predict` uses both."""
        return self._beside("hockney_rendezvous") if self.name == "hockney" else None

    @property
    def overhead_growth(self) -> "Model | None":
        """Of loggps: how overheads grow with the number of processes."""
        return self._beside("overhead_growth") if self.name == "loggps" else None

    def _beside(self, name: str) -> "Model | None":
        fit = _commgauge.fit_of(self._handle, name)
        return Model(self._handle, name, fit) if fit is not None else None

    def predict(
        self,
        operation: str,
        sizes: ArrayLike,
        *,
        src: ArrayLike | None = None,
        dst: ArrayLike | None = None,
        root: ArrayLike | None = None,
        side: str = "receiver",
        algorithm: str = "flat",
        order: Sequence[int] = (),
        processes: int | None = None,
    ) -> Prediction:
        """Predicts one-way times with their intervals, for all entries of arrays together.

        operation: "p2p" or "exchange" with `src` and `dst`; "ring" without ranks; "scatter",
        "gather" or "bcast" with `root`. An exchange is a message each way at once. In a ring all
        ranks send to the next one at once. The virtual machine tells these two, with what chance
        makes of them.
        sizes: of a message, or of each rank's block [bytes]; integers, or texts such as "64KiB".
        src, dst, root: ranks. They and `sizes` are broadcast against each other as numpy does.
        side: of p2p, "receiver" or "sender": whose call ends.
        algorithm: of collectives, "flat" or "binomial" (MPICH's tree).
        order: of flat collectives, all ranks but the root as it serves them; empty: ascending.
        processes: of the LogP family: of the whole job, with whose number overheads grow; None:
        overheads as they were measured.

        Collectives are told as the virtual machine of the model takes them, and by formulas where it
        can't be one.

        Extrapolations, times without an interval (a model without replicates: the ends are NaN),
        gathers of sizes that escalated, and what the model leaves out of this operation by the
        file's checks are said in the result and by a `PredictionWarning`. Raises `InputError`, as
        for a pair that was not measured.
        """
        if operation == "p2p":
            return self._messages(sizes, src, dst, root, side, algorithm, order, processes)
        if operation in ("exchange", "ring"):
            if root is not None or side != "receiver" or algorithm != "flat" or len(order) > 0:
                raise InputError(
                    f"a root, side, algorithm or order with {operation} (all its ranks do the "
                    "same): leave it out"
                )
            return self._meetings(operation, sizes, src, dst, processes)
        return self._collectives(
            operation, sizes, src, dst, root, side, algorithm, order, processes
        )

    def predict_time(
        self,
        sizes: ArrayLike,
        *,
        src: ArrayLike,
        dst: ArrayLike,
        side: str = "receiver",
        processes: int | None = None,
    ) -> Numbers:
        """`predict("p2p", ...).time` without the intervals, which cost most of the work."""
        processes = _as_processes(processes)
        bytes_, senders, receivers = self._broadcast(sizes, src=src, dst=dst)
        time, extrapolated = _commgauge.predict_message_times(
            self._handle,
            self.name,
            side,
            senders.ravel(),
            receivers.ravel(),
            bytes_.ravel(),
            processes,
        )
        self._warn(self._extrapolated(bytes_, extrapolated, processes))
        return _shaped(time, bytes_.shape)

    def predict_master_worker(
        self,
        tasks: int,
        task_time_s: float,
        ranks: int,
        *,
        master: int = 0,
        request_size: int | str = 8,
        task_size: int | str = 8,
    ) -> MasterWorker:
        """Time of a master that hands out tasks one by one to `ranks` - 1 workers.

        Of logp, loggp, loggps and plogp. The task's own time is taken as exact.
        """
        found = _commgauge.predict_master_worker(
            self._handle,
            self.name,
            int(as_ranks(master, "master")),
            int(as_sizes(tasks)),
            float(task_time_s),
            int(as_ranks(ranks, "ranks")),
            int(as_sizes(request_size)),
            int(as_sizes(task_size)),
        )
        said = []
        if found["time"]["extrapolated"]:
            said.append(f"{self.name}: extrapolated beyond the sizes or ranks of the fit")
        if np.isnan(found["time"]["low_s"]):
            said.append(_commgauge.why_no_interval(self._handle, self.name))
        if not found["has_growth"]:
            said.append(
                f"{self.name}: overheads are taken as the same at any number of ranks (their "
                "growth was not measured)"
            )
        self._warn(said)

        def bound(name: str) -> tuple[float, float, float]:
            return found[name]["time_s"], found[name]["low_s"], found[name]["high_s"]

        return MasterWorker(
            found["model"],
            *bound("time"),
            found["time"]["extrapolated"],
            bound("master"),
            bound("workers"),
            found["saturation"],
            found["has_growth"],
            tuple(said),
        )

    def to_dataframe(self) -> "pandas.DataFrame":
        """A row for each number of the parameters, as in ``estimate-model export --format csv``.

        `from` and `to` are -1 where a parameter has none; needs pandas.
        """
        return _tables.data_frame(self._columns())

    def _columns(self) -> dict[str, NDArray[Any]]:
        return _tables.joined(
            [
                _tables.parameter_columns(
                    self.name, p.name, p.value, p.low, p.high, self.size_bytes
                )
                for p in self.parameters.values()
            ]
        )

    def _messages(
        self,
        sizes: ArrayLike,
        src: ArrayLike | None,
        dst: ArrayLike | None,
        root: ArrayLike | None,
        side: str,
        algorithm: str,
        order: Sequence[int],
        processes: int | None,
    ) -> Prediction:
        if src is None or dst is None or root is not None:
            raise InputError("p2p needs src and dst, and has no root: give both ranks")
        if len(order) > 0 or algorithm != "flat":
            raise InputError("an order or algorithm with p2p (collectives have them): leave it out")
        processes = _as_processes(processes)
        bytes_, senders, receivers = self._broadcast(sizes, src=src, dst=dst)
        columns = _commgauge.predict_messages(
            self._handle,
            self.name,
            side,
            senders.ravel(),
            receivers.ravel(),
            bytes_.ravel(),
            processes,
        )
        said = self._extrapolated(bytes_, columns[3], processes)
        return self._prediction(
            columns, said, "p2p", bytes_, senders, receivers, side, "flat", processes
        )

    def _meetings(
        self,
        operation: str,
        sizes: ArrayLike,
        src: ArrayLike | None,
        dst: ArrayLike | None,
        processes: int | None,
    ) -> Prediction:
        is_ring = operation == "ring"
        if is_ring and (src is not None or dst is not None):
            raise InputError("src or dst with ring (all ranks take part): leave it out")
        if not is_ring and (src is None or dst is None):
            raise InputError("exchange needs src and dst: give both ranks")
        processes = _as_processes(processes)
        first, second = (0, -1) if is_ring else (src, dst)
        bytes_, senders, receivers = self._broadcast(sizes, src=first, dst=second)
        columns = _commgauge.predict_meetings(
            self._handle,
            self.name,
            operation,
            senders.ravel(),
            receivers.ravel(),
            bytes_.ravel(),
            processes,
        )
        said = self._extrapolated(bytes_, columns[3], processes)
        others = None if is_ring else receivers
        return self._prediction(
            columns, said, operation, bytes_, senders, others, "receiver", "flat", processes
        )

    def _collectives(
        self,
        operation: str,
        sizes: ArrayLike,
        src: ArrayLike | None,
        dst: ArrayLike | None,
        root: ArrayLike | None,
        side: str,
        algorithm: str,
        order: Sequence[int],
        processes: int | None,
    ) -> Prediction:
        if root is None or src is not None or dst is not None:
            raise InputError(
                f"{operation} needs a root, and has no src and dst (all ranks take part): give root"
            )
        if side != "receiver":
            raise InputError(
                f"a sender's time of {operation} (it ends with its last rank): ask for p2p, or "
                "leave the side out"
            )
        if len(order) > 0 and algorithm != "flat":
            raise InputError("an order with a tree (it has its own): leave it out")
        processes = _as_processes(processes)
        bytes_, roots = self._broadcast(sizes, root=root)
        columns = _commgauge.predict_collectives(
            self._handle,
            self.name,
            operation,
            algorithm,
            as_ranks(order, "order").tolist(),
            roots.ravel(),
            bytes_.ravel(),
            processes,
        )
        said = self._extrapolated(bytes_, columns[3], processes)
        if operation == "gather":
            said += self._escalating(bytes_)
        return self._prediction(
            columns, said, operation, bytes_, roots, None, side, algorithm, processes
        )

    def _broadcast(self, sizes: ArrayLike, **ranks: ArrayLike) -> list[NDArray[Any]]:
        given = [as_sizes(sizes)] + [as_ranks(one, name) for name, one in ranks.items()]
        try:
            return list(np.broadcast_arrays(*given))
        except ValueError as error:
            shapes = ", ".join(str(one.shape) for one in given)
            raise InputError(
                f"sizes and ranks of shapes {shapes} (numpy can't broadcast them): give arrays "
                "that fit together"
            ) from error

    def _prediction(
        self,
        columns: tuple[NDArray[Any], ...],
        said: list[str],
        operation: str,
        sizes: NDArray[np.uint64],
        src: NDArray[np.int64],
        dst: NDArray[np.int64] | None,
        side: str,
        algorithm: str,
        processes: int | None,
    ) -> Prediction:
        if np.isnan(columns[1]).any():
            said = [*said, _commgauge.why_no_interval(self._handle, self.name)]
        said = said + _commgauge.beyond_intervals(self._handle, self.name, operation, algorithm)
        self._warn(said)
        time, low, high, extrapolated = (_shaped(column, sizes.shape) for column in columns)
        return Prediction(
            time, low, high, extrapolated, tuple(said),
            self.name, operation, sizes, src, dst, side, algorithm, processes,
        )  # fmt: skip

    def _extrapolated(
        self, sizes: NDArray[np.uint64], where: NDArray[np.bool_], processes: int | None
    ) -> list[str]:
        if not where.any():
            return []
        ranks = self._handle.ranks
        if processes is not None and processes > ranks:
            return [
                f"extrapolated beyond the {ranks} ranks that {self.name} was fitted on: "
                f"{processes} processes"
            ]
        return [
            f"extrapolated beyond the sizes that {self.name} was fitted on: "
            + _some(sizes.ravel()[where])
        ]

    def _escalating(self, sizes: NDArray[np.uint64]) -> list[str]:
        where = _commgauge.gather_escalates(self._handle, sizes.ravel())
        if not where.any():
            return []
        return [
            "gathers of these sizes escalate, so that some take far longer than predicted: "
            + _some(sizes.ravel()[where])
        ]

    def _warn(self, said: list[str]) -> None:
        for text in said:
            warnings.warn(text, PredictionWarning, stacklevel=_level_of_caller())


def _some(sizes: NDArray[np.uint64]) -> str:
    """For people: all sizes, or of many the ends."""
    most = 8
    found = np.unique(sizes)
    if len(found) <= most:
        return ", ".join(_commgauge.size_text(int(size)) for size in found)
    first, last = (_commgauge.size_text(int(size)) for size in (found[0], found[-1]))
    return f"{len(found)} sizes from {first} to {last}"


def _level_of_caller() -> int:
    """For warnings.warn() in the function that calls this: the first frame outside of commgauge."""
    level, frame = 1, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("commgauge."):
        level, frame = level + 1, frame.f_back
    return level
