"""Recorded programs on the machine of a model."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _commgauge, _tables
from ._arguments import Path, TimeRatio, path_text, time_ratio_text, whole
from ._commgauge import InputError
from ._files import ModelFile, load
from ._predictions import PredictionWarning, _level_of_caller

if TYPE_CHECKING:
    import pandas

Placement = Iterable[int]

DOINGS = ("computing", "sending", "receiving", "waiting", "sleeping")
"""What a rank does with its time."""


class RankTimes(NamedTuple):
    """What a rank did with its time [s]."""

    rank: int
    host: str
    end: float
    """When it comes to MPI_Finalize."""
    computing: float
    sending: float
    receiving: float
    waiting: float
    sleeping: float
    utilisation: float
    """Which share of the whole time is computing."""
    time_ratio: float
    """Seconds of computing there for one where it was recorded; its interval follows."""
    time_ratio_low: float
    time_ratio_high: float


@dataclass(frozen=True, eq=False)
class Stretches:
    """What each rank does when, in columns: by rank, and of each in the order of time.

    They have what MPI_Finalize does, too, which is not part of the time that was predicted.
    """

    rank: NDArray[np.int64]
    doing: NDArray[np.uint8]
    """An index of `commgauge.DOINGS`."""
    start: NDArray[np.float64]
    end: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rank)

    def spans(self, rank: int, doing: str) -> NDArray[np.float64]:
        """Rows of start and length [s], as matplotlib's `broken_barh` takes them."""
        if doing not in DOINGS:
            raise InputError(
                f"unknown doing {doing!r} (known: {', '.join(DOINGS)}): give one of them"
            )
        first, last = np.searchsorted(self.rank, [rank, rank + 1])
        own = slice(first, last)
        chosen = self.doing[own] == DOINGS.index(doing)
        start, end = self.start[own][chosen], self.end[own][chosen]
        return np.column_stack([start, end - start])

    def to_dataframe(self) -> "pandas.DataFrame":
        """A row for each stretch; needs pandas."""
        return _tables.data_frame(
            {
                "rank": self.rank,
                "doing": np.array(DOINGS, dtype=object)[self.doing],
                "start_s": self.start,
                "end_s": self.end,
            }
        )


@dataclass(frozen=True, eq=False)
class Messages:
    """All messages, in columns, in the order of their being received by each rank."""

    src: NDArray[np.int64]
    dst: NDArray[np.int64]
    sizes: NDArray[np.uint64]
    sent: NDArray[np.float64]
    """When the sender's call began."""
    received: NDArray[np.float64]
    """When the receiver had it."""

    def __len__(self) -> int:
        return len(self.src)

    def to_dataframe(self) -> "pandas.DataFrame":
        """A row for each message; needs pandas."""
        return _tables.data_frame(
            {
                "from": self.src,
                "to": self.dst,
                "size_bytes": self.sizes,
                "sent_s": self.sent,
                "received_s": self.received,
            }
        )


@dataclass(frozen=True, eq=False)
class Replay:
    """What a recorded program takes on a machine [s]. From `replay`."""

    time: float
    """Until the last rank has come to its end."""
    low: float
    high: float
    """The interval; NaN: none was asked for, or the model has none."""
    extrapolated: bool
    """Some message is longer than the sizes that the model was fitted on."""
    warnings: tuple[str, ...]
    """Each was issued as a `PredictionWarning`, too."""
    assumed: tuple[str, ...]
    """What is taken for granted: that processors there are as fast as where it was recorded."""
    model: str
    program: str
    """How it was called; may be empty."""
    confidence: float
    interval_meaning: str
    """What the interval holds; empty: there is none."""
    computing: float
    """Of all ranks together, without sleeping."""
    work: float
    """What the program computed, all ranks together, where it was recorded."""
    utilisation: float
    """Which share of all ranks' time is computing."""
    serial: float
    """What the machine's fastest processor would take for all of that."""
    ranks: tuple[RankTimes, ...]
    stretches: Stretches | None
    """With timeline=True, as `messages`."""
    messages: Messages | None

    def __repr__(self) -> str:
        time = _commgauge.time_text(self.time)
        return f"<commgauge.Replay of {len(self.ranks)} ranks on {self.model}: {time}>"

    @property
    def speedup(self) -> float:
        """Over one rank that does all of the computing; NaN: nothing was computed."""
        return self.serial / self.time if self.time > 0 and self.serial > 0 else float("nan")

    def to_dataframe(self) -> "pandas.DataFrame":
        """A row for each rank, as in the JSON of ``replay run``; needs pandas."""
        names = ("rank", "host", "end_s", "computing_s", "sending_s", "receiving_s", "waiting_s",
                 "sleeping_s", "utilisation")  # fmt: skip
        columns = zip(*self.ranks) if self.ranks else [()] * len(names)
        return _tables.data_frame({name: list(column) for name, column in zip(names, columns)})


def _placement(said: Placement | None) -> list[int] | None:
    if said is None:
        return None
    if isinstance(said, (str, bytes)) or not isinstance(said, Iterable):
        raise InputError(f"placement {said!r} (it is which of the machine's ranks each rank is): "
                         "give a sequence of numbers")  # fmt: skip
    return [whole(one, "placement", 0) for one in said]


def _hosts(said: tuple[int, int] | None) -> tuple[int, int] | None:
    if said is None:
        return None
    numbers = () if isinstance(said, str) or not isinstance(said, Iterable) else tuple(said)
    if len(numbers) != 2:
        raise InputError(f"hosts {said!r} (a larger machine needs hosts and ranks of each): give "
                         "both, as (8, 4)")  # fmt: skip
    return whole(numbers[0], "hosts", 1), whole(numbers[1], "hosts", 1)


@dataclass(frozen=True)
class How:
    """Which model of the file, and how a program runs on its machine. Arguments of `replay`."""

    kind: str | None
    collectives: str
    compute: bool
    rematch: bool
    interval: bool
    time_ratio: TimeRatio | None
    placement: Placement | None
    hosts: tuple[int, int] | None

    def __post_init__(self) -> None:
        """An iterator gives its items once."""
        for name in ("time_ratio", "placement"):
            said = getattr(self, name)
            if isinstance(said, Iterator):
                object.__setattr__(self, name, tuple(said))

    def handle(self) -> _commgauge.ReplayOptions:
        """Raises `InputError` for what makes no sense."""
        kind = "any" if self.kind is None else self.kind
        for argument, text in (("kind", kind), ("collectives", self.collectives)):
            if not isinstance(text, str) or not text:
                raise InputError(f"{argument} {text!r} (it is a name): give one, or leave it out")
        return _commgauge.ReplayOptions(
            kind=self.kind or "",
            collectives=self.collectives,
            compute=bool(self.compute),
            rematch=bool(self.rematch),
            interval=bool(self.interval),
            time_ratio=time_ratio_text(self.time_ratio),
            placement=_placement(self.placement),
            hosts=_hosts(self.hosts),
        )


def read_machine(model: ModelFile | Path) -> ModelFile:
    return model if isinstance(model, ModelFile) else load(model)


def say(notes: list[tuple[str, str]], trace: str, before: str = "") -> dict[str, tuple[str, ...]]:
    """Issues warnings; `warnings` and `assumed` of a result.

    notes: pairs of kind and text. before: stands before each text.
    """
    texts = [(kind, f"{trace}: {text}" if kind == "trace_remark" else text)
             for kind, text in notes]  # fmt: skip
    said = tuple(before + text for kind, text in texts if kind != "equal_processors")
    for text in said:
        warnings.warn(text, PredictionWarning, stacklevel=_level_of_caller())
    assumed = tuple(text for kind, text in texts if kind == "equal_processors")
    return {"warnings": said, "assumed": assumed}


def replay(
    trace: Path,
    model: ModelFile | Path,
    kind: str | None = None,
    collectives: str = "mpich",
    compute: bool = True,
    rematch: bool = False,
    timeline: bool = False,
    interval: bool = True,
    time_ratio: TimeRatio | None = None,
    placement: Placement | None = None,
    hosts: tuple[int, int] | None = None,
) -> Replay:
    """Runs a recorded program on the machine of a model, as ``replay run``.

    trace: the archive, a directory, of ``record`` or ``emulate --record``.
    model: what `load` gave, or the model file's name.
    kind: which model of the file; None: the best ranked of those that can be emulated.
    collectives: how collective operations are carried out, in the words of --collectives.
    compute: computing takes the CPU time that it took when it was recorded; False: none.
    rematch: receives from any source take what comes first there, not what they got.
    timeline: keep `stretches` and `messages`, of which `plots.timeline` makes a picture.
    interval: replay with each of the model's replicates, too; False: once.
    time_ratio: how many seconds it computes there for one where it was recorded: a number; one for
        each rank of the machine, in a sequence or by rank; or a file, as of --time-ratio, whose
        interval goes into that of the time. None: processors are taken to be equally fast.
    placement: which of the machine's ranks each rank is; None: the first ones, in their order.
    hosts: a machine of so many hosts, and so many ranks on each, like those of the model; None:
        the model's own.

    What makes the time less certain, and what had to be repaired in the trace, is said in the
    result and by a `PredictionWarning`. Raises `InputError`, as for a machine of fewer ranks than
    the trace has; `Error` where the program waits for what never comes.
    """
    name = path_text(trace)
    how = How(kind, collectives, compute, rematch, interval, time_ratio, placement, hosts).handle()
    found = _commgauge.replay(name, read_machine(model)._handle, how, bool(timeline))
    stretches: dict[str, Any] | None = found.pop("stretches", None)
    messages: dict[str, Any] | None = found.pop("messages", None)
    ranks = tuple(RankTimes(*times) for times in found.pop("ranks"))
    return Replay(
        **say(found.pop("notes"), name),
        **found,
        ranks=ranks,
        stretches=Stretches(**stretches) if stretches is not None else None,
        messages=Messages(**messages) if messages is not None else None,
    )
