"""A number for each pair of ranks: a table of few, a picture of many, and of very many a picture of
blocks of ranks."""

from __future__ import annotations

import base64
import io
import json
import math
import warnings
from typing import Any, Callable, NamedTuple

import matplotlib.image
import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from .. import units
from ..plots._matrices import COLOUR_MAP

LARGEST_TABLE = 12
"""Ranks of which each pair's value is written."""
LARGEST_PICTURE = 96
"""Ranks of which each pair is a square; of more a square is a block of pairs."""
MOST_BLOCKS = 64
"""In a row, so that thirty such pictures fit into a report of a few megabytes."""

BOUND, NOTHING = (150, 150, 150), (120, 120, 120)

Array = NDArray[np.float64]


class Unit(NamedTuple):
    """How numbers of a matrix are written: value * scale, and the unit."""

    scale: float
    name: str
    text: Callable[[float], str]
    """With the unit, for people."""


TIME = Unit(1e6, "µs", units.seconds)
PER_BYTE = Unit(1e9, "ns/B", units.gap)
UNITS = {"s": TIME, "s/B": PER_BYTE, "B": Unit(1, "B", lambda value: units.size(round(value)))}
"""By a parameter's unit."""


def interval_parts(value: float, low: float, high: float,
                   text: Callable[[float], str]) -> tuple[str, str]:
    """What is known, and between which ends: "12.1 µs" and "11.8 µs to 12.4 µs"; "at most 3 µs" and
    "a bound"; "not measured" and nothing."""
    if math.isnan(value):
        return ("not measured", "") if math.isnan(high) else (f"at most {text(high)}", "a bound")
    if math.isnan(low) or math.isnan(high):
        return text(value), "no interval"
    return text(value), f"{text(low)} to {text(high)}"


def interval_text(value: float, low: float, high: float, text: Callable[[float], str]) -> str:
    """"12.1 µs (11.8 µs to 12.4 µs)", "at most 3 µs (a bound)", "not measured"."""
    known, ends = interval_parts(value, low, high, text)
    return f"{known} ({ends})" if ends else known


class _Scale:
    """Colours of values: logarithmic where they span more than a factor of ten."""

    def __init__(self, values: Array) -> None:
        known = values[np.isfinite(values)]
        self.known = known.size > 0
        self.low, self.high = (float(known.min()), float(known.max())) if self.known else (0.0, 1.0)
        self.log = self.low > 0 and self.high > 10 * self.low

    def share(self, values: Array) -> Array:
        """0 at the least, 1 at the largest; NaN stays."""
        if self.high == self.low:
            return np.where(np.isnan(values), np.nan, 0.5)
        if self.log:
            return np.log(values / self.low) / math.log(self.high / self.low)
        return (values - self.low) / (self.high - self.low)

    def colours(self, values: Array) -> NDArray[np.uint8]:
        """One more dimension: red, green, blue. NaN: any."""
        return _colours(self.share(values))

    def legend(self, unit: Unit) -> Markup:
        """The bar of colours with its ends and the middle."""
        if not self.known:
            return Markup("")
        middle = math.sqrt(self.low * self.high) if self.log else (self.low + self.high) / 2
        labels = [self.low, middle, self.high] if self.high > self.low else [self.low]
        stops = ", ".join("rgb(%d,%d,%d)" % tuple(one) for one in _colours(np.linspace(0, 1, 9)))
        return Markup(
            '<div class="scale"><div class="bar" style="background:linear-gradient(90deg,%s)">'
            '</div><div class="ends">%s</div><div class="note">%s</div></div>'
        ) % (
            stops,
            Markup("").join(
                Markup("<span>%s</span>") % f"{value * unit.scale:.3g} {unit.name}"
                for value in labels
            ),
            "logarithmic colours" if self.log else "",
        )


def _colours(shares: Array) -> NDArray[np.uint8]:
    """Dark to light, for people who see no colours and for grey print, too."""
    return matplotlib.colormaps[COLOUR_MAP](np.nan_to_num(shares), bytes=True)[..., :3]


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Of height x width x 3 bytes."""
    content = io.BytesIO()
    matplotlib.image.imsave(content, pixels, format="png", metadata={"Software": None})
    return content.getvalue()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def matrix(value: Array, low: Array, high: Array, unit: Unit, hosts: list[str],
           slower: set[tuple[int, int]], order: list[int]) -> Markup:  # fmt: skip
    """The table or picture with its scale. `slower`: pairs to mark. `order`: ranks as they stand in
    it, from the left and from the top."""
    n = len(value)
    if not (np.isfinite(value).any() or np.isfinite(high).any()):
        return Markup('<p class="note">Not measured between any pair.</p>')
    if n <= LARGEST_TABLE:
        return _table(value, low, high, unit, hosts, slower, order)
    place = np.ix_(order, order)
    return _picture(value[place], low[place], high[place], unit, order)


def _table(value: Array, low: Array, high: Array, unit: Unit, hosts: list[str],
           slower: set[tuple[int, int]], order: list[int]) -> Markup:  # fmt: skip
    scale = _Scale(value)
    colours = scale.colours(value)
    head = Markup("").join(
        Markup('<th scope="col" title="%s">%s</th>') % (hosts[j], j) for j in order
    )
    rows = []
    for i in order:
        cells = []
        for j in order:
            if i == j:
                cells.append(Markup('<td class="none"></td>'))
                continue
            numbers = value[i, j], low[i, j], high[i, j]
            tip = f"rank {i} ({hosts[i]}) to rank {j} ({hosts[j]}): " + interval_text(
                *map(float, numbers), unit.text
            )
            cells.append(_cell(numbers, unit, tip, colours[i, j], (i, j) in slower))
        rows.append(
            Markup('<tr><th scope="row" title="%s">%s <small>%s</small></th>%s</tr>')
            % (hosts[i], i, hosts[i], Markup("").join(cells))
        )
    return Markup(
        '<div class="scroll"><table class="matrix"><thead><tr><th>from \\ to</th>%s</tr></thead>'
        "<tbody>%s</tbody></table></div>%s"
    ) % (head, Markup("").join(rows), scale.legend(unit))


def _cell(numbers: tuple[float, ...], unit: Unit, tip: str, colour: NDArray[np.uint8],
          slower: bool) -> Markup:  # fmt: skip
    value, low, high = numbers
    name = "cell" + (" slower" if slower else "")
    if math.isnan(value):
        text = "-" if math.isnan(high) else f"\u2264 {high * unit.scale:.3g}"
        return Markup('<td class="%s unknown" data-tip="%s">%s</td>') % (name, tip, text)
    light = colour @ (0.299, 0.587, 0.114) > 140
    spread = max(value - low, high - value) * unit.scale
    interval = "" if math.isnan(spread) else f"\u00b1 {spread:.2g}"
    return Markup('<td class="%s" style="background:rgb(%d,%d,%d);color:%s" data-tip="%s">'
                  "%s<small>%s</small></td>") % (
        name, *colour.tolist(), "#000" if light else "#fff", tip,
        f"{value * unit.scale:.3g}", interval,
    )  # fmt: skip


def _blocks(numbers: Array, size: int, reduce: Callable[..., Array]) -> Array:
    """One number for each block of size x size pairs; NaN where none is known."""
    n = len(numbers)
    count = -(-n // size)
    padded = np.full((count * size, count * size), np.nan)
    padded[:n, :n] = numbers
    parts = padded.reshape(count, size, count, size).swapaxes(1, 2).reshape(count, count, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return reduce(parts, axis=-1)


def _picture(value: Array, low: Array, high: Array, unit: Unit, order: list[int]) -> Markup:
    n = len(value)
    size = 1 if n <= LARGEST_PICTURE else -(-n // MOST_BLOCKS)
    if size > 1:
        bounds = _blocks(np.where(np.isnan(value) & ~np.isnan(high), 1.0, np.nan), size, np.nansum)
        value, low, high = (_blocks(value, size, reduce)
                            for reduce in (np.nanmedian, np.nanmin, np.nanmax))  # fmt: skip
        bounded = np.isnan(value) & (bounds > 0)
    else:
        bounded = np.isnan(value) & ~np.isnan(high)
    scale = _Scale(value)
    pixels = scale.colours(value)
    pixels[np.isnan(value)] = NOTHING
    pixels[bounded] = BOUND
    data = np.stack([value, low, high]).astype("<f4")
    about: dict[str, Any] = {
        "rows": len(value), "ranks": n, "block": size, "scale": unit.scale, "unit": unit.name,
    }  # fmt: skip
    to, from_ = f"to rank 0 \u2026 {n - 1} \u2192", f"\u2191 from rank 0 (top) to {n - 1} (bottom)"
    if order != sorted(order):
        about["order"] = order
        to, from_ = "to ranks, group by group \u2192", "\u2191 from ranks, group by group"
    note = (
        f"A square is a block of {size} by {size} ranks: the median of its pairs. Under the "
        "pointer are the smallest and the largest value of the block, too."
        if size > 1
        else "A square is a pair; under the pointer are its value and interval."
    )
    return Markup(
        '<div class="picture" data-about="%s" data-cells="%s" tabindex="0"><span class="axis-name">'
        '%s</span><img alt="%s" src="data:image/png;base64,%s">'
        '<span class="axis-name">%s</span></div>%s'
        '<p class="note">%s Grey: not measured%s.</p>'
    ) % (
        json.dumps(about), _base64(data.tobytes()), to, f"values of {len(value)} by {len(value)}"
        " squares", _base64(png(pixels)), from_, scale.legend(unit), note,
        ", or only a bound is known (lighter)" if bounded.any() else "",
    )  # fmt: skip
