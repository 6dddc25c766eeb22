"""Recorded programs where the machine is otherwise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _commgauge, _tables
from ._arguments import Path, TimeRatio, path_text, whole
from ._commgauge import InputError
from ._files import ModelFile
from ._replay import How, Placement, read_machine, say

if TYPE_CHECKING:
    import pandas

QUANTITIES = ("latency", "bandwidth", "overheads", "gaps", "computing", "uplink")
"""What can be multiplied by a factor; bandwidth's and uplink's divide the time per byte."""


@dataclass(frozen=True)
class Change:
    """What is otherwise, all at once; None: it stays. As the words of --change.

    Factors are above zero: of messages' latency, bandwidth, overheads and gaps, of what links
    between hosts carry, and of the time of computing, that of all ranks or of `ranks` alone.
    """

    latency: float | None = None
    bandwidth: float | None = None
    overheads: float | None = None
    gaps: float | None = None
    computing: float | None = None
    ranks: Iterable[int] | None = None
    eager_limit: int | str | None = None
    """Bytes, or a size as "64KiB"."""
    collectives: str | None = None
    placement: Placement | None = None
    hosts: tuple[int, int] | None = None
    """Hosts, and ranks of each."""
    uplink: float | None = None

    def __post_init__(self) -> None:
        for name in ("ranks", "placement", "hosts"):
            said = getattr(self, name)
            if isinstance(said, Iterable) and not isinstance(said, (str, bytes)):
                object.__setattr__(self, name, tuple(said))

    def words(self) -> tuple[str, ...]:
        """As the command line has them: "latency=0.5", "computing:0,3=2"."""
        of_ranks = "" if self.ranks is None else ":" + ",".join(map(str, self.ranks))
        words = [f"{name}{of_ranks if name == 'computing' else ''}={_number_text(factor)}"
                 for name, factor in self._factors()]  # fmt: skip
        for name in ("eager_limit", "collectives"):
            if getattr(self, name) is not None:
                words.append(f"{name.replace('_', '-')}={getattr(self, name)}")
        if self.placement is not None:
            words.append("placement=" + ",".join(map(str, self.placement)))
        if self.hosts is not None:
            words.append("hosts=" + "x".join(map(str, self.hosts)))
        return tuple(words)

    def _factors(self) -> list[tuple[str, float]]:
        said = [(name, getattr(self, name)) for name in QUANTITIES]
        return [(name, _factor(factor, name)) for name, factor in said if factor is not None]

    def _handle(self, how: How) -> _commgauge.Change:
        """how: without the change."""
        others = {name: getattr(self, name) for name in ("collectives", "placement", "hosts")
                  if getattr(self, name) is not None}  # fmt: skip
        changed = replace(how, **others).handle()
        factors = self._factors()
        ranks = [whole(rank, "ranks", 0) for rank in _several(self.ranks, "ranks")]
        if self.ranks is not None and not ranks:
            raise InputError("ranks without one (they are those whose computing is multiplied): "
                             "name some, or leave them out for all")  # fmt: skip
        if self.ranks is not None and self.computing is None:
            raise InputError("ranks without computing (they are those whose computing is "
                             "multiplied): give its factor, too")  # fmt: skip
        if not factors and not others and self.eager_limit is None:
            raise InputError("a change of nothing (what-if compares a run with another): say what "
                             "is otherwise, as Change(latency=0.5)")  # fmt: skip
        return _commgauge.Change(
            factors=factors,
            ranks=ranks,
            eager_limit=None if self.eager_limit is None else _size(self.eager_limit),
            how=changed,
        )


@dataclass(frozen=True, eq=False)
class Changed:
    """The run with a change [s]."""

    change: Change
    time: float
    low: float
    high: float
    ratio: float
    """To the time without the change."""
    ratio_low: float
    """By pairs: each of the model's replicates runs both, so what is uncertain of both alike
    doesn't count. NaN: there is none."""
    ratio_high: float
    notes: tuple[str, ...]
    """What is assumed of it and makes it less certain. What isn't said of the run without the
    change was issued as a `PredictionWarning`."""


@dataclass(frozen=True, eq=False)
class Curve:
    """The time over a range of factors, one entry for each; times [s], NaN: no interval."""

    quantity: str
    """One of `QUANTITIES`."""
    factor: NDArray[np.float64]
    time: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    ratio: NDArray[np.float64]
    ratio_low: NDArray[np.float64]
    ratio_high: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.factor)

    def to_dataframe(self) -> "pandas.DataFrame":
        """A row for each factor; needs pandas."""
        times = {f"{name}_s": getattr(self, name) for name in ("time", "low", "high")}
        ratios = {name: getattr(self, name) for name in ("ratio", "ratio_low", "ratio_high")}
        return _tables.data_frame({"factor": self.factor, **times, **ratios})


class Tolerance(NamedTuple):
    """By how much something may get slower before the run takes some more."""

    quantity: str
    longer: float
    """Share of the run's time: 0.01."""
    slower: float
    """By what its times may be multiplied; of bandwidth the time per byte. Infinite: more than
    1024."""
    added: float
    """Of latency: what that adds to an empty message, mean of the pairs [s]; else NaN."""


@dataclass(frozen=True, eq=False)
class WhatIf:
    """A recorded program's time, and that on other machines. From `what_if`."""

    time: float
    """Without a change [s]."""
    low: float
    high: float
    confidence: float
    interval_meaning: str
    model: str
    program: str
    changed: Changed | None
    curves: dict[str, Curve]
    """By quantity."""
    tolerances: tuple[Tolerance, ...]
    warnings: tuple[str, ...]
    """Each was issued as a `PredictionWarning`, too."""
    assumed: tuple[str, ...]
    """What is taken for granted: that processors there are as fast as where it was recorded."""

    def __repr__(self) -> str:
        times = [_commgauge.time_text(self.time)]
        if self.changed is not None:
            words = ", ".join(self.changed.change.words())
            times.append(f"{_commgauge.time_text(self.changed.time)} with {words}")
        return f"<commgauge.WhatIf on {self.model}: {'; '.join(times)}>"

    def to_dataframe(self) -> "pandas.DataFrame":
        """A row for each tolerance; needs pandas."""
        names = ("quantity", "longer", "slower", "added_s")
        columns = zip(*self.tolerances) if self.tolerances else [()] * len(names)
        return _tables.data_frame({name: list(column) for name, column in zip(names, columns)})


def _number_text(number: float) -> str:
    return repr(float(number)).removesuffix(".0")


def _factor(value: object, name: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number < math.inf:
        raise InputError(f"{name} {value!r} (a factor is a number above zero): give one, as 0.5")
    return number


def _several(said: object, name: str) -> tuple:
    if said is None:
        return ()
    if isinstance(said, (str, bytes)) or not isinstance(said, Iterable):
        raise InputError(f"{name} {said!r} (there may be several): give a sequence")
    return tuple(said)


def _size(said: object) -> int:
    if isinstance(said, str):
        return _commgauge.parse_size(said)
    return whole(said, "eager_limit", 0)


def _ranges(curves: object) -> list[tuple[str, float, float]]:
    if curves is None:
        return []
    if not isinstance(curves, Mapping):
        raise InputError(f"curves {curves!r} (each is of a quantity, over a range of factors): "
                         'write {"latency": (0.25, 16)}')  # fmt: skip
    ranges = []
    for name, said in curves.items():
        if name not in QUANTITIES:
            raise InputError(f"no curve of {name!r} (one is of {', '.join(QUANTITIES)}): give one "
                             "of them")  # fmt: skip
        ends = _several(said, name)
        if len(ends) != 2:
            raise InputError(f"{name} from {said!r} (a range has two ends): write (0.25, 16)")
        ranges.append((name, _factor(ends[0], name), _factor(ends[1], name)))
    return ranges


def _shares(tolerances: object) -> list[float]:
    return [_factor(share, "tolerance of") for share in _several(tolerances, "tolerances")]


def what_if(
    trace: Path,
    model: ModelFile | Path,
    change: Change | None = None,
    *,
    curves: Mapping[str, tuple[float, float]] | None = None,
    points: int = 9,
    tolerances: Iterable[float] = (),
    kind: str | None = None,
    collectives: str = "mpich",
    compute: bool = True,
    rematch: bool = False,
    interval: bool = True,
    time_ratio: TimeRatio | None = None,
    placement: Placement | None = None,
    hosts: tuple[int, int] | None = None,
) -> WhatIf:
    """Tells how long a recorded program takes on another machine, as ``replay what-if``.

    change: what is otherwise.
    curves: the time over a range of factors, in equal ratios, by quantity: its first and its last.
    points: of each curve, at least two.
    tolerances: by how much latency, the time per byte, overheads and computing may grow, each
        alone, before the run takes these shares longer: (0.01, 0.02, 0.05).

    The other arguments, warnings and errors are those of `replay`, and hold without the change,
    too. Nothing asked raises `InputError`.
    """
    name = path_text(trace)
    how = How(kind, collectives, compute, rematch, interval, time_ratio, placement, hosts)
    if change is not None and not isinstance(change, Change):
        raise InputError(f"change {change!r} (it says what is otherwise): give a Change, as "
                         "Change(latency=0.5)")  # fmt: skip
    shares = _shares(tolerances)
    if change is None and not curves and not shares:
        raise InputError("nothing is asked (what-if compares a run with others): give a change, "
                         "curves or tolerances")  # fmt: skip
    asked = _commgauge.Asked(
        change=change._handle(how) if change is not None else None,
        curves=_ranges(curves),
        points=whole(points, "points", 2),
        tolerances=shares,
    )
    found = _commgauge.what_if(name, read_machine(model)._handle, how.handle(), asked)
    return _result(found, name, change, list(curves or ()))


def _result(found: dict, trace: str, change: Change | None, quantities: list[str]) -> WhatIf:
    notes = found.pop("notes")
    said = say(notes, trace)
    changed = found.pop("changed")
    if change is not None:
        others = changed.pop("notes")
        say([note for note in others if note not in notes], trace, "with the changes: ")
        changed = Changed(change, **changed, notes=tuple(text for _, text in others))
    curves = zip(quantities, found.pop("curves"))
    return WhatIf(
        **said,
        changed=changed,
        curves={name: Curve(name, **columns) for name, columns in curves},
        tolerances=tuple(Tolerance(*one) for one in found.pop("tolerances")),
        **found,
    )
