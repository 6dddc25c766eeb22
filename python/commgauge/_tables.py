"""Columns of numbers as pandas' data frames, where pandas is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

if TYPE_CHECKING:
    import pandas


def data_frame(columns: Mapping[str, Any]) -> "pandas.DataFrame":
    """One row for each entry of the columns."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "to_dataframe() needs pandas (it is not installed): install python3-pandas, or use the "
            "object's own arrays"
        ) from error
    return pandas.DataFrame(dict(columns))


def parameter_columns(
    model: str, name: str, value: Any, low: Any, high: Any, sizes: "np.ndarray | None"
) -> dict[str, np.ndarray]:
    """A row for each value or bound, as in ``estimate-model export --format csv``."""
    values, lows, highs = (np.atleast_1d(np.asarray(x)) for x in (value, low, high))
    kept = np.flatnonzero(~(np.isnan(values) & np.isnan(highs)).ravel())
    place = np.unravel_index(kept, values.shape)
    count = len(kept)
    nowhere = np.full(count, -1)
    ranks = {0: (), 1: place, 2: place, 3: place[1:]}[np.ndim(value)]
    first = ranks[0] if len(ranks) > 0 else nowhere
    second = ranks[1] if len(ranks) > 1 else nowhere
    of_curve = np.ndim(value) == 3 and sizes is not None
    size = sizes[place[0]].astype(float) if of_curve else np.full(count, np.nan)
    return {
        "model": np.full(count, model, dtype=object),
        "parameter": np.full(count, name, dtype=object),
        "from": first,
        "to": second,
        "size_bytes": size,
        "value": values.ravel()[kept],
        "low": lows.ravel()[kept],
        "high": highs.ravel()[kept],
    }


def joined(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Columns of the same names, one part below the other."""
    if not parts:
        return {}
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
