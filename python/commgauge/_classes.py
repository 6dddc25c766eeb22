"""Kinds of ranks and classes of pairs that are alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class RankKind:
    """Ranks that are alike."""

    name: str
    """Of the first host that is of it."""
    hosts: int
    """That are of it."""
    spread_fixed: float
    """How its hosts differ: standard deviation of what an empty message between one of them and
    others takes, relative to the mean; NaN: not known."""
    spread_per_byte: float
    """Likewise of what a byte adds."""


@dataclass(frozen=True)
class Deviation:
    """A host, or what lies between two, that isn't like its kind."""

    where: str
    """"within_host", "host" or "between_hosts"."""
    hosts: tuple[str, ...]
    fixed: tuple[float, float, float]
    """Time of an empty message over that of its kind: value, low, high."""
    per_byte: tuple[float, float, float]
    """Likewise of what a byte adds."""
    sentence: str


@dataclass(frozen=True)
class Classes:
    """Which ranks and pairs are alike. From `ModelFile.classes`."""

    found: str
    """How: "placement and measurements", "a file" or "placement"."""
    kinds: tuple[RankKind, ...]
    kind_of_rank: NDArray[np.int32]
    group_of_rank: NDArray[np.int32]
    """Ranks of a group, a host, are near one another."""
    names: tuple[str, ...]
    """Of each class of pairs: "within a host of kind n1", "between hosts, kind n1 to kind n7"."""
    pair_counts: NDArray[np.int64]
    """Ordered pairs of each class; some have none."""
    sample: tuple[int, ...]
    """Ranks that were measured for the models; empty: all."""
    deviations: tuple[Deviation, ...]

    @classmethod
    def of(cls, found: dict[str, Any]) -> Classes:
        deviations = tuple(
            Deviation(**{**one, "hosts": tuple(one["hosts"])}) for one in found["deviations"]
        )
        return cls(
            found["found"],
            tuple(RankKind(**one) for one in found["kinds"]),
            found["kind_of_rank"],
            found["group_of_rank"],
            tuple(found["names"]),
            found["pair_counts"],
            tuple(found["sample"]),
            deviations,
        )

    def of_pairs(self) -> NDArray[np.int64]:
        """n x n: an index of `names` for each pair, senders downwards; -1 on the diagonal."""
        kinds = self.kind_of_rank.astype(np.int64)
        near = self.group_of_rank[:, None] == self.group_of_rank[None, :]
        count = len(self.kinds)
        classes = (near * count + kinds[:, None]) * count + kinds[None, :]
        np.fill_diagonal(classes, -1)
        return classes

    def spread_out(self, by_class: NDArray[np.float64]) -> NDArray[np.float64]:
        """The numbers of classes, the last dimension, as n x n of pairs; NaN on the diagonal."""
        nothing = np.full((*by_class.shape[:-1], 1), np.nan)
        pairs = np.concatenate([by_class, nothing], axis=-1)[..., self.of_pairs()]
        pairs.setflags(write=False)
        return pairs
