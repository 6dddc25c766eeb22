"""Parameters of pairs as matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import units
from .._commgauge import InputError
from .._files import ModelFile
from .._predictions import Model, Parameter
from ._style import (
    INK, Axes, Figure, add_notes, in_unit, linear_axis, matplotlib, name_of, new_figure, rank_ticks,
    short, styled,
)  # fmt: skip

COLOUR_MAP = "viridis"
MOST_NUMBERS = 10
MOST_SIGNS = 48


@dataclass(frozen=True)
class Kinds:
    """Which cells are not certain, each in one of these at most."""

    bounded: NDArray[np.bool_]
    no_interval: NDArray[np.bool_]
    holds_zero: NDArray[np.bool_]
    missing: NDArray[np.bool_]


def kinds_of(parameter: Parameter) -> Kinds:
    value, low, high = (np.asarray(x) for x in (parameter.value, parameter.low, parameter.high))
    bounded = np.isnan(value) & ~np.isnan(high)
    missing = np.isnan(value) & np.isnan(high) & ~np.eye(len(value), dtype=bool)
    no_interval = ~np.isnan(value) & (np.isnan(low) | np.isnan(high))
    return Kinds(bounded, no_interval, (low <= 0) & (high >= 0) & (low < high), missing)


def shown_of(model: Model) -> list[Parameter]:
    """Of pairs, at most two; a curve over sizes is not drawn."""
    return [p for p in model.parameters.values() if p.is_shown and np.ndim(p.value) == 2]


def matrices(machine: ModelFile, model: str | None = None) -> Figure:
    """Latency and time per byte of every pair, senders downwards, receivers across.

    A bound, a value without an interval and one whose interval holds 0 have a sign each; of many
    ranks such cells are dotted alike. The diagonal is empty. Without a model the preferred one.
    """
    chosen = machine.model(model)
    if model is None and not shown_of(chosen):
        chosen = next((one for one in map(machine.model, machine.models) if shown_of(one)), chosen)
    shown = shown_of(chosen)
    if not shown:
        raise InputError(f"model {chosen.name} has curves alone (no number for each pair): take another model")
    with styled():
        side = 5.0 if machine.ranks > MOST_NUMBERS else 4.6
        figure = new_figure(side * 1.18 * len(shown) + 0.8, side + 1.5, "compressed")
        panels = figure.subplots(1, len(shown), squeeze=False)[0]
        for axes, parameter in zip(panels, shown):
            _draw(figure, axes, parameter, machine)
        figure.suptitle(f"{name_of(chosen.name)}: pairs of {machine.ranks} ranks")
        add_notes(figure, _notes(chosen, machine) + _left_out(chosen))
        return figure


def _draw(figure: Figure, axes: Axes, parameter: Parameter, machine: ModelFile) -> None:
    kinds = kinds_of(parameter)
    cells = np.where(kinds.bounded, parameter.high, parameter.value)
    norm = _norm(cells)
    image = axes.imshow(cells, cmap=COLOUR_MAP, norm=norm, interpolation="nearest", gid="cells")
    axes.set_title(f"{parameter.symbol}: {parameter.meaning}")
    few = len(cells) <= 24
    rank_ticks(axes.yaxis, machine.hosts, "sending rank", 24)
    rank_ticks(axes.xaxis, machine.hosts, "receiving rank", 24)
    names_long = len(set(machine.hosts)) > 1
    axes.tick_params(axis="x", labelrotation=90 if names_long else 0)
    axes.tick_params(labelsize=8.5 if few else 7.5)
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)
    bar = figure.colorbar(image, ax=axes, shrink=0.85, pad=0.02)
    logarithmic = isinstance(norm, matplotlib.colors.LogNorm)
    _bar_axis(bar, cells, parameter.unit, logarithmic, parameter.symbol)
    if len(cells) <= MOST_NUMBERS:
        _write_numbers(axes, parameter, cells, kinds, norm, parameter.unit)
    elif len(cells) <= MOST_SIGNS:
        _write_signs(axes, cells, kinds, norm)
    else:
        _dot(axes, kinds)


def _norm(cells: NDArray) -> "matplotlib.colors.Normalize":
    known = cells[np.isfinite(cells)]
    if known.size == 0:
        raise InputError("a parameter that no pair has (nothing was measured): take another model")
    low, high = float(known.min()), float(known.max())
    if low > 0 and high / low > 20:
        return matplotlib.colors.LogNorm(low, high)
    if low == high:
        low, high = low - abs(low) / 10, high + abs(high) / 10
    return matplotlib.colors.Normalize(low, high)


def _bar_axis(
    bar: "matplotlib.colorbar.Colorbar", cells: NDArray, unit: str, log: bool, name: str
) -> None:
    if not log:
        linear_axis(bar.ax.yaxis, cells, unit, name)
        if bar.norm.vmin < 0 < bar.norm.vmax:
            bar.ax.axhline(0, color="white", linewidth=2)
            bar.ax.axhline(0, color=INK, linewidth=1)
        return
    bar.set_label(name)
    text = units.seconds if unit == "s" else units.per_byte
    bar.ax.yaxis.set_major_formatter(lambda value, _: short(text(value)))
    bar.ax.yaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())


def _ink_on(value: float, norm: "matplotlib.colors.Normalize") -> str:
    red, green, blue, _ = matplotlib.colormaps[COLOUR_MAP](norm(value))
    return "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"


def _write_numbers(
    axes: Axes, parameter: Parameter, cells: NDArray, kinds: Kinds,
    norm: "matplotlib.colors.Normalize", unit: str,
) -> None:  # fmt: skip
    factor, _ = in_unit(float(np.nanmax(np.abs(cells))), unit)
    size = 9.0 if len(cells) <= 6 else 7.0
    for i, j in np.argwhere(~np.eye(len(cells), dtype=bool)):
        if kinds.missing[i, j]:
            axes.text(j, i, "not\nmeasured", ha="center", va="center", fontsize=6.5)
            continue
        number = f"{cells[i, j] * factor:.3g}"
        half = (parameter.high[i, j] - parameter.low[i, j]) / 2 * factor
        text = f"≤ {number}" if kinds.bounded[i, j] else number
        text += "" if np.isnan(half) else f"\n± {half:.2g}"
        text += "\nno interval" if kinds.no_interval[i, j] else ""
        axes.text(j, i, text, ha="center", va="center", fontsize=size,
                  color=_ink_on(cells[i, j], norm), linespacing=1.1)


def _write_signs(
    axes: Axes, cells: NDArray, kinds: Kinds, norm: "matplotlib.colors.Normalize"
) -> None:
    size = 150 / len(cells)
    for sign, which in (("≤", kinds.bounded), ("?", kinds.no_interval), ("0", kinds.holds_zero),
                        ("×", kinds.missing)):  # fmt: skip
        for i, j in np.argwhere(which):
            ink = INK if kinds.missing[i, j] else _ink_on(cells[i, j], norm)
            axes.text(j, i, sign, ha="center", va="center", fontsize=size, color=ink)


def _dot(axes: Axes, kinds: Kinds) -> None:
    """Every second cell black where some are uncertain: a hatch that costs nothing."""
    uncertain = kinds.bounded | kinds.no_interval | kinds.holds_zero
    if uncertain.any():
        i, j = np.indices(uncertain.shape)
        overlay = np.zeros((*uncertain.shape, 4))
        overlay[uncertain & ((i + 2 * j) % 4 == 0)] = (0, 0, 0, 1)
        axes.imshow(overlay, interpolation="nearest", gid="uncertain")


def _left_out(model: Model) -> list[str]:
    """Parameters of pairs that have no panel."""
    others = [name for name, p in model.parameters.items()
              if np.ndim(p.value) >= 2 and p not in shown_of(model)]  # fmt: skip
    notes = [f"Not drawn: {', '.join(others)}."] if others else []
    if model.rendezvous is not None:
        notes.append("Of messages up to the eager limit; larger ones have another line, not drawn.")
    return notes


def _notes(model: Model, machine: ModelFile) -> list[str]:
    count = machine.ranks
    every = [kinds_of(parameter) for parameter in shown_of(model)]
    if count <= MOST_NUMBERS:
        meaning = machine.interval_meaning(model.name)
        return [f"±: half of the interval: {meaning}. ≤: only an upper bound is known."]
    signs = (("bounded", "≤", "only an upper bound is known, which is drawn"),
             ("no_interval", "?", "no interval is known"),
             ("holds_zero", "0", "the interval holds 0"), ("missing", "×", "not measured"))
    if count <= MOST_SIGNS:
        return ["; ".join(f"{sign}: {text}" for kind, sign, text in signs
                          if any(getattr(one, kind).any() for one in every))]  # fmt: skip
    notes = []
    if any((k.bounded | k.no_interval | k.holds_zero).any() for k in every):
        notes.append("Dotted: only a bound is known, or no interval, or the interval holds 0.")
    if any(k.missing.any() for k in every):
        notes.append("White: not measured.")
    return notes
