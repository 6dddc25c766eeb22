"""Why a recorded program takes so long on the machine of a model, and what would help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _commgauge, _tables
from ._arguments import Path, TimeRatio, path_text, whole
from ._files import ModelFile
from ._replay import How, Placement, read_machine, say

if TYPE_CHECKING:
    import pandas

BOUNDS = ("all_waits", "all_balanced", "both")
"""Kinds of `Answer` that are nothing to do, but how much there is to gain at most."""


class PathPart(NamedTuple):
    """All of the critical path that passes at one place for one reason."""

    rank: int
    region: str
    call: str | None
    """As "MPI_Recv"; None outside of calls, as `site` where it isn't known."""
    site: str | None
    kind: str
    """computing, sleeping, overheads, latency, bytes, gaps, asking, other (docs/formats.md)."""
    seconds: float
    """Of all parts together: the run's time."""


class PathMessage(NamedTuple):
    src: int
    dst: int
    size: int


class PathStep(NamedTuple):
    """A stretch of the critical path [s]."""

    rank: int
    start: float
    end: float
    kind: str
    call: str | None
    message: PathMessage | None
    """That is on its way meanwhile."""


@dataclass(frozen=True, eq=False)
class CriticalPath:
    """What follows on what without a pause, from the beginning to the end."""

    parts: tuple[PathPart, ...]
    """Most seconds first."""
    steps: tuple[PathStep, ...]
    """In the order of time."""
    left_out: int
    """Steps beyond the first 100 000."""

    def by(self, *names: str) -> dict[Any, float]:
        """Seconds by one member of the parts, "kind" say, or by a tuple of some; most first."""
        sums: dict[Any, float] = {}
        for part in self.parts:
            key = tuple(getattr(part, name) for name in names)
            place = key[0] if len(key) == 1 else key
            sums[place] = sums.get(place, 0.0) + part.seconds
        return dict(sorted(sums.items(), key=lambda one: -one[1]))


class Answer(NamedTuple):
    """What the run would take if one thing were mended [s]."""

    kind: str
    """wait, call_site, region, rank, balance, domino_path; or one of `BOUNDS`."""
    title: str
    advice: str
    time: float
    """Of the run then; NaN for the ends of its interval: it has none."""
    time_low: float
    time_high: float
    gain: float
    gain_low: float
    gain_high: float
    """By each of the model's replicates: not the difference of two times' ends."""
    gain_percent: float
    """Of the run."""
    rank: int | None
    """Where, as far as it is said; None: wherever it is."""
    region: str | None
    call: str | None
    site: str | None
    confirmed: float | None
    """The time by a replay without that wait; None: there was none."""

    @property
    def is_bound(self) -> bool:
        """Whether it is nothing to do, but how much there is to gain at most."""
        return self.kind in BOUNDS


class DominoStep(NamedTuple):
    """A wait."""

    rank: int
    region: str
    call: str | None
    site: str | None
    at: float
    """When it ends [s]."""
    partner: int
    """Whom the rank waits for."""


class DominoPath(NamedTuple):
    """From a rank's end back: the wait without which the run is shortest, and so on."""

    rank: int
    time: float
    """Of the run without all of its waits [s]."""
    steps: tuple[DominoStep, ...]


class Balance(NamedTuple):
    """How evenly a region's computing is divided among its ranks [s]."""

    region: str
    instances: int
    sigma: float
    mean_over_max: float
    computing: float
    """Of all ranks, with sleeping."""
    sleeping: float
    """Of that."""
    slowest: int
    """The rank that computes most in it."""
    time: float
    """Of the run if it were divided evenly."""


class Efficiency(NamedTuple):
    """What keeps ranks from computing all the time, as the POP centre takes it apart; shares."""

    load_balance: float
    serialisation: float
    transfer: float
    communication: float
    parallel: float
    """The product of load balance, serialisation and transfer."""
    mean_useful: float
    most_useful: float
    time: float
    free_time: float
    """On a free network [s]."""


class RegionEfficiency(NamedTuple):
    """The same of a region, all its instances together."""

    region: str
    instances: int
    load_balance: float
    serialisation: float
    transfer: float
    communication: float
    parallel: float
    mean_useful: float
    most_useful: float
    time: float
    free_time: float


@dataclass(frozen=True, eq=False)
class Explanation:
    """Where a recorded program's time goes on a machine, and what would help. From `explain`."""

    time: float
    """Of the run [s]."""
    low: float
    high: float
    """The interval; NaN: none was asked for, or the model has none."""
    confidence: float
    interval_meaning: str
    model: str
    program: str
    ranks: int
    critical_path: CriticalPath
    answers: tuple[Answer, ...]
    """What would help, most gain first."""
    domino_paths: tuple[DominoPath, ...]
    """Those that help, shortest run first."""
    balance: tuple[Balance, ...]
    """Least even first."""
    efficiency: Efficiency
    regions: tuple[RegionEfficiency, ...]
    """The longest first."""
    warnings: tuple[str, ...]
    """Also what was left out. Each was issued as a `PredictionWarning`, too."""
    assumed: tuple[str, ...]
    """What is taken for granted: that processors there are as fast as where it was recorded."""

    def __repr__(self) -> str:
        time = _commgauge.time_text(self.time)
        return f"<commgauge.Explanation of {self.ranks} ranks on {self.model}: {time}>"

    def first(self, most: int = 6) -> tuple[Answer, ...]:
        """What to do first: without bounds, and of several that gain the same, as one wait in
        larger and larger groups, the first."""
        chosen: list[Answer] = []
        for one in self.answers:
            if one.is_bound or (chosen and one.time - chosen[-1].time <= 1e-9 * self.time):
                continue
            chosen.append(one)
        return tuple(chosen[: max(0, most)])

    def to_dataframe(self) -> "pandas.DataFrame":
        """A row for each answer; needs pandas."""
        units = {name: f"{name}_s" for name in ("time", "time_low", "time_high", "gain", "gain_low",
                                                "gain_high", "confirmed")}  # fmt: skip
        names = Answer._fields
        columns = zip(*self.answers) if self.answers else [()] * len(names)
        return _tables.data_frame(
            {units.get(name, name): list(column) for name, column in zip(names, columns)}
        )


def _step(*members: Any) -> PathStep:
    *others, message = members
    return PathStep(*others, PathMessage(*message) if message else None)


def explain(
    trace: Path,
    model: ModelFile | Path,
    kind: str | None = None,
    collectives: str = "mpich",
    compute: bool = True,
    rematch: bool = False,
    interval: bool = True,
    time_ratio: TimeRatio | None = None,
    placement: Placement | None = None,
    hosts: tuple[int, int] | None = None,
    confirm: int = 20,
) -> Explanation:
    """Tells where a recorded program's time goes, and what would help, as ``replay explain``.

    confirm: how many of the best single waits are taken away in a replay, too; of long programs
        fewer.

    The other arguments, warnings and errors are those of `replay`.
    """
    name = path_text(trace)
    how = How(kind, collectives, compute, rematch, interval, time_ratio, placement, hosts).handle()
    most = whole(confirm, "confirm", 0)
    found = _commgauge.explain(name, read_machine(model)._handle, how, most)
    path = found.pop("critical_path")
    dominoes = found.pop("domino_paths")
    return Explanation(
        **say(found.pop("notes"), name),
        critical_path=CriticalPath(
            tuple(PathPart(*part) for part in path["parts"]),
            tuple(_step(*step) for step in path["steps"]),
            path["left_out"],
        ),
        answers=tuple(Answer(*answer) for answer in found.pop("answers")),
        domino_paths=tuple(
            DominoPath(rank, time, tuple(DominoStep(*step) for step in steps))
            for rank, time, steps in dominoes
        ),
        balance=tuple(Balance(*one) for one in found.pop("balance")),
        efficiency=Efficiency(*found.pop("efficiency")),
        regions=tuple(RegionEfficiency(*one) for one in found.pop("regions")),
        **found,
    )
