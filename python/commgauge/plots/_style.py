"""What all pictures have in common: axes with units, names of hosts, notes, files."""

from __future__ import annotations

import io
import pathlib
import posixpath
import re
import textwrap
from typing import Callable, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from .. import _commgauge, units
from .._commgauge import InputError
from .._files import write

try:
    import matplotlib
except ImportError as error:
    raise ImportError(
        "pictures need matplotlib (it is not installed): install python3-matplotlib"
    ) from error
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import (
    FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator,
)  # fmt: skip

INK = "#1a1a1a"
QUIET = "#8a8a8a"
COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#aa4499", "#56a0d0", "#b8860b", "#777777",
           "#882255")  # fmt: skip
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++", "ooo")
EXTRAPOLATED = (0, (2.5, 2.5))
NO_INTERVAL = (0, (1, 3))
FORMATS = (".png", ".svg")

_SETTINGS = {
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.grid": False,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "xtick.direction": "out",
    "ytick.direction": "out",
    "svg.fonttype": "none",
    "svg.hashsalt": "commgauge",
}


def styled() -> "matplotlib.RcParams":
    """A context in which figures look alike, whatever the user's settings are."""
    result = dict(matplotlib.rcParamsDefault)
    result.pop("backend", None)
    return matplotlib.rc_context({**result, **_SETTINGS})


def new_figure(width: float, height: float, layout: str = "constrained") -> Figure:
    """In inches. It draws into memory only."""
    figure = Figure(figsize=(width, height), layout=layout)
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, path: Union[str, "pathlib.Path"], format: str = "png") -> None:
    """Writes a figure as PNG or SVG, as the name ends. "-" is standard output, where it is in that
    format."""
    check_name(path)
    if str(path) != "-":
        format = pathlib.Path(path).suffix[1:].lower()
    write(path, svg(figure).encode() if format == "svg" else _png(figure))


def _png(figure: Figure) -> bytes:
    content = io.BytesIO()
    with styled():
        figure.savefig(content, format="png", dpi=150, facecolor="white")
    return content.getvalue()


def svg(figure: Figure) -> str:
    """With text as text, and the same each time."""
    content = io.StringIO()
    with styled():
        figure.savefig(content, format="svg", facecolor="white", metadata={"Date": None})
    return content.getvalue().replace("'DejaVu Sans'", "'DejaVu Sans', sans-serif")


def check_name(path: Union[str, "pathlib.Path"]) -> None:
    """Raises `InputError` where no picture can be named so."""
    if str(path) != "-" and pathlib.Path(path).suffix.lower() not in FORMATS:
        raise InputError(
            f"cannot draw into {path} (its name ends neither in .png nor in .svg): give such a name"
        )


def counted(count: int, noun: str) -> str:
    plural = noun + ("es" if noun.endswith(("s", "ch")) else "s")
    return f"{count} {noun if count == 1 else plural}"


def plain(text: str, longest: int = 28) -> str:
    """A text from a file: no mathematics in it, and not too long."""
    shown = text if len(text) <= longest else text[: longest - 1] + "…"
    return shown.replace("$", r"\$")


def short(text: str) -> str:
    """Without zeros at a fraction's end: "10 µs" for "10.0 µs"."""
    return re.sub(r"(\.\d*?)0+(?=\D|$)", r"\1", text).replace(". ", " ")


def in_unit(largest: float, kind: str) -> tuple[float, str]:
    """Factor and name of the unit for numbers up to this; `kind` is "s" or "s/B"."""
    if kind == "s/B":
        return 1e9, "ns/B"
    name = units.seconds(largest).split()[-1] if largest > 0 and np.isfinite(largest) else "s"
    return {"s": 1.0, "ms": 1e3, "µs": 1e6, "ns": 1e9}.get(name, 1.0), name


def linear_axis(axis: "matplotlib.axis.Axis", values: ArrayLike, kind: str, label: str) -> None:
    """Ticks in one unit, which stands beside the label."""
    finite = np.abs(np.asarray(values, dtype=float))
    finite = finite[np.isfinite(finite)]
    factor, unit = in_unit(float(finite.max()) if finite.size else 0.0, kind)
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * factor:.6g}"))
    axis.set_label_text(f"{label} [{unit}]")


def log_time_axis(axes: Axes, low: float, high: float) -> None:
    """A logarithmic axis of times, with units in its ticks. @pre 0 < low <= high"""
    log_axis(axes, low, high, units.seconds)


def log_axis(axes: Axes, low: float, high: float, text: Callable[[float], str]) -> None:
    """A logarithmic axis upwards, whose ticks say `text`. @pre 0 < low <= high"""
    low, high = low / 1.25, high * 1.25
    axes.set_yscale("log", nonpositive="clip")
    axes.set_ylim(low, high)
    decades = np.log10(high / low)
    subs = (1.0, 2.0, 5.0) if decades < 2.7 else (1.0,)
    narrow = decades < 0.6
    axes.yaxis.set_major_locator(
        MaxNLocator(7) if narrow else LogLocator(10, subs=subs, numticks=20)
    )
    if narrow:
        axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(text(value))))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(True, axis="y")


def size_axis(axes: Axes, smallest: int, largest: int, most: int = 9) -> None:
    """Powers of two on a logarithmic axis, `most` of them named, with size 0 at its left where it
    is needed."""
    has_zero = smallest == 0
    if has_zero:
        axes.set_xscale("symlog", base=2, linthresh=1, linscale=1)
        axes.set_xlim(-0.35, max(2, largest) * 1.3)
    else:
        axes.set_xscale("log", base=2)
        axes.set_xlim(smallest / 1.3, max(2, largest) * 1.3)
    first = 0 if has_zero else int(np.floor(np.log2(smallest)))
    last = int(np.ceil(np.log2(max(2, largest))))
    step = max(1, -(-(last - first + 1) // most))
    ticks = [2**power for power in range(first, last + 1) if power % step == 0]
    if has_zero:
        ticks = [0] + [tick for tick in ticks if tick >= 2 or step == 1]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: units.size(max(0, value))))
    axes.tick_params(axis="x", labelrotation=0)
    axes.grid(True, axis="x")


def percent_axis(axis: "matplotlib.axis.Axis", label: str) -> None:
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.6g} %"))
    axis.set_label_text(label)


def mark_size(axes: Axes, size: int, text: str, dashes: object = ":", level: int = 0) -> None:
    """A vertical line with its name at the top, where there is room; `level` counts downwards.

    @pre the axis of sizes is set
    """
    axes.axvline(max(size, 0.5), color=INK, linestyle=dashes, linewidth=1.3, zorder=1.5, gid="mark")
    low, high = (axes.transData.transform((x, 1))[0] for x in axes.get_xlim())
    is_left = axes.transData.transform((max(size, 0.5), 1))[0] < (low + high) / 2
    name = axes.annotate(
        text,
        (max(size, 0.5), 1),
        xycoords=("data", "axes fraction"),
        xytext=(4 if is_left else -4, -3 - 13 * level),
        textcoords="offset points",
        va="top",
        ha="left" if is_left else "right",
        fontsize=8.5,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.8},
    )
    name.set_in_layout(False)


def rank_ticks(axis: "matplotlib.axis.Axis", hosts: Sequence[str], label: str, most: int) -> None:
    """Ranks with their hosts: one name for neighbours on the same host, thinned to `most`."""
    count = len(hosts)
    known = any(hosts)
    if not known or len(set(hosts)) == 1:
        step = max(1, -(-count // most))
        places = list(range(0, count, step))
        axis.set_ticks(places, [str(place) for place in places])
        where = f"all on {plain(hosts[0])}" if known else "hosts unknown"
        axis.set_label_text(f"{label} ({where})")
        return
    firsts = [rank for rank in range(count) if rank == 0 or hosts[rank] != hosts[rank - 1]]
    step = max(1, -(-len(firsts) // most))
    places = firsts[::step]
    axis.set_ticks(places, [f"{plain(hosts[rank], 18)}  {rank}" for rank in places])
    all_named = len(places) == count
    some = "" if all_named else f", every {_ordinal(step)} host's first" if step > 1 else ", first"
    axis.set_label_text(f"{label} (host, number{some})")


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"


def add_notes(figure: Figure, notes: Sequence[str]) -> None:
    """What a reader should know, in lines below the picture; the layout leaves room for them."""
    width, height = figure.get_size_inches()
    lines = [line for note in notes for line in textwrap.wrap(note, int(width * 14.5))]
    room = (0.17 * len(lines) + 0.1) / height
    figure.get_layout_engine().set(rect=(0, room, 0.99, 1 - room))
    figure.text(0.08 / width, room - 0.04 / height, "\n".join(lines), fontsize=8.5,
                color="#444444", va="top", gid="notes", linespacing=1.25)


def runs(keys: Sequence[object]) -> list[tuple[int, int]]:
    """First and last index of each run of equal keys."""
    starts = [k for k in range(len(keys)) if k == 0 or keys[k] != keys[k - 1]]
    return list(zip(starts, [start - 1 for start in starts[1:]] + [len(keys) - 1]))


def name_of(model: str) -> str:
    return _commgauge.fit_titles().get(model, model)


def program_name(program: str) -> str:
    """Of a recorded program: without its folder and arguments."""
    words = program.split()
    return plain(posixpath.basename(words[0])) if words else "the program"


def size_text(size: int) -> str:
    """Exact: "64 KiB", "19493 B"."""
    text = units.size(size)
    try:
        exact = _commgauge.parse_size(text.replace(" ", "")) == size
    except InputError:
        exact = False
    return text if exact else f"{size} B"
