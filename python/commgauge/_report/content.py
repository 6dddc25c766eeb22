"""What stands in the report, section by section, as the template takes it."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np
from markupsafe import Markup

from .. import units
from .._fabric import Fabric
from .._files import Diagnostic, Measurements, ModelFile, Threshold
from .._predictions import Model, Parameter
from ..plots._style import counted
from . import curves, masters, matrices
from .matrices import PER_BYTE, TIME, UNITS, Unit, interval_parts, interval_text

MOST_ROWS = 64
"""Of a table of ranks, hosts or outliers."""

REPLICATES = {
    "none": "nothing tells how sure predictions are; only the parameters have intervals.",
    "passes": "they hold what differs between passes of a launch, not what differs between "
    "launches: the next launch may lie outside.",
    "launches": "they hold what differs between launches.",
    "draws": "there were too few passes to see what differs between them: intervals come from "
    "those of the single measurements, and may be too narrow.",
}
KINDS = {
    "round_trip": "round trips",
    "one_to_k": "one to several, in turn",
    "one_to_k_concurrent": "one to several, at once",
    "k_to_one": "several to one, in turn",
    "k_to_one_concurrent": "several to one, at once",
    "send_overhead": "overheads of sending",
    "receive_overhead": "overheads of receiving",
    "receive_overhead_progress": "overheads of receiving, MPI kept going",
    "flood": "floods of messages",
    "pairs_at_once": "several pairs, at once",
    "first_of_messages": "several messages that meet, the first",
    "messages_at_once": "several messages that meet",
    "ring": "exchanges and rings",
}
REPEATED = ("UCX_", "MPIR_CVAR_", "I_MPI_", "FI_")
"""Variables that a user sets, and that the next launch needs; others are a launcher's own."""


class Row(NamedTuple):
    name: str
    text: Any


def present(figures: Iterable[curves.Figure | None]) -> list[curves.Figure]:
    return [figure for figure in figures if figure is not None]


def percent(share: float) -> str:
    if np.isnan(share):
        return "-"
    return units.percent(share) if share < 10 else f"{share:.3g} times"


def unbroken(text: str) -> str:
    return text.replace(" ", "\u00a0")


def when(utc: str) -> str:
    """"2024-05-06T07:08:09Z" as people write it."""
    return utc.replace("T", " ").replace("Z", " UTC") if utc.endswith("Z") else utc


def title(file: ModelFile) -> str:
    hosts = sorted(set(file.hosts) - {""})
    where = hosts[0] if len(hosts) == 1 else counted(len(hosts), "host")
    return counted(file.ranks, "rank") + (f" on {where}" if hosts else "")


def _scalar(parameter: Parameter, text: Any) -> str:
    return interval_text(*_numbers(parameter), text)


def _numbers(parameter: Parameter) -> tuple[float, float, float]:
    """Value, low and high of a parameter that is a single number."""
    return float(parameter.value), float(parameter.low), float(parameter.high)


def cards(file: ModelFile, measured: Measurements | None) -> Iterable[tuple[str, str, str, str]]:
    """Name, value, what stands below it, and where more is said."""
    if "hockney" in file.models:
        small = file.model("hockney")
        large = small.rendezvous or small
        for name, parameter, text in (
            ("Latency", small["mean_alpha"], units.seconds),
            ("Bandwidth", large["mean_beta"], units.gap),
        ):
            value, ends = interval_parts(*_numbers(parameter), text)
            note = "interval " + ends
            if name == "Bandwidth":
                value, note = _bandwidth(parameter)
            what = "of small messages" if name == "Latency" else "of large messages"
            yield f"{name} {what}", value, f"mean over the pairs, one way; {note}", "links"
    if file.ranking:
        best = file.ranking[0]
        beside = f", noise {percent(file.noise['all'])}," if file.judgements else ""
        yield ("Best model", best["model"],
               f"median error {percent(best['error'])}{beside} on times that no fit saw", "models")
    else:
        yield "Best model", "not judged", "no checks in the file", "models"
    yield "Eager limit", *_eager_limit(file), "thresholds"
    yield "Measured", *_effort(file), "measured"
    if measured:
        converged = measured.experiments["converged"]
        count = int(np.sum(converged))
        yield ("Converged", units.percent(count / max(1, len(converged))),
               f"{count} of {len(converged)} measurements reached the asked precision",
               "measured")
    else:
        yield "Converged", "not in this report", "it was made without the measurements", "measured"
    found = len(file.outliers)
    none = "nothing" if outliers_judged(file) else "not judged"
    yield ("Stands out", str(found) if found else none,
           "hosts or links far from the others of their kind", "outliers")  # fmt: skip
    count = len(file.warnings)
    yield ("Warnings", str(count) if count else "none",
           "read them before using the numbers" if count else "nothing odd was found",
           "warnings")


def _eager_limit(file: ModelFile) -> tuple[str, str]:
    if file.eager_limit_bytes is not None:
        return units.size(file.eager_limit_bytes), "larger messages wait for their receiver"
    found = file.eager_limit
    return ("none", found.reason) if found else ("not known", "the file has no launches")


def _effort(file: ModelFile) -> tuple[str, str]:
    if not file.launches:
        return "not known", "the file has no launches"
    elapsed = units.seconds(sum(launch.elapsed_s for launch in file.launches))
    cut = [launch for launch in file.launches if not launch.complete]
    note = f"{counted(len(file.launches), 'launch')} in {elapsed}" + (
        f"; {len(cut)} incomplete" if cut else ""
    )
    return counted(sum(launch.passes for launch in file.launches), "pass"), note


def _bandwidth(parameter: Parameter) -> tuple[str, str]:
    """From a time per byte; the interval's ends change places."""
    value, low, high = _numbers(parameter)
    if not value > 0:
        gap = interval_text(value, low, high, units.per_byte)
        return "not known", "the time per byte is " + gap
    if not low > 0:
        top = "without an upper end" if not math.isnan(low) else "not known"
    else:
        top = f"to {units.rate(1 / low)}"
    interval = f"interval {units.rate(1 / high)} {top}" if high > 0 else "no interval"
    return units.rate(1 / value), interval


def machine(file: ModelFile) -> Iterable[Row]:
    hosts = Counter(file.hosts)
    named = _named([f"{host} ({counted(n, 'rank')})" for host, n in hosts.items()])
    yield Row("Ranks", f"{file.ranks} on {counted(len(hosts), 'host')}: {named}"
              if any(file.hosts) else f"{file.ranks}; hosts are not in the file")  # fmt: skip
    if not file.launches:
        yield Row("Where and how", "not in the file")
        return
    first = file.launches[0]
    yield Row("MPI", first.mpi_library.splitlines()[0] + f" (standard {first.mpi_standard})"
              if first.mpi_library else "not in the file")  # fmt: skip
    yield Row("Eager limit", file.eager_limit_text)
    if first.contention.tested:
        c = first.contention
        ratio = interval_text(c.ratio, c.low, c.high, lambda x: f"{x:.3g} times")
        yield Row("Pairs at the same time",
                  f"take {ratio} as long as alone; measured in a {first.schedule} schedule")
    variables = first.environment
    yield Row("Environment", ", ".join(f"{k}={v}" for k, v in sorted(variables.items())) or
              "no variable that MPI heeds")  # fmt: skip


def host_rows(file: ModelFile) -> list[tuple[str, str, str, str]]:
    """Rank, host, cores, time of the fixed computation against the fastest rank's."""
    if not file.launches:
        return []
    places = file.launches[0].ranks
    fastest = min((p.kernel_s for p in places if not math.isnan(p.kernel_s)), default=math.nan)
    return [
        (str(rank), place.host, ", ".join(map(str, place.cores)) or "-",
         "not measured" if math.isnan(place.kernel_s) else
         f"{units.seconds(place.kernel_s)}, {place.kernel_s / fastest:.3g} times the fastest's")
        for rank, place in enumerate(places[:MOST_ROWS])
    ]  # fmt: skip


def launch_rows(launch: Any) -> list[Row]:
    rows = [
        Row("Started", when(launch.time_utc)),
        Row("Effort", f"{counted(launch.passes, 'pass')}, "
            f"{launch.rounds} rounds, {units.seconds(launch.elapsed_s)} in all, "
            f"{units.seconds(launch.timed_s)} of it in timed communication"),
        Row("Asked", f"half width of an interval {units.percent(launch.precision)} of the value, "
            f"at {units.percent(launch.confidence)} confidence"),
        Row("How", f"wait {launch.wait}, buffers {launch.buffers}, schedule {launch.schedule}, "
            f"seed {launch.seed}"),
        Row("Clock", f"resolution {units.seconds(launch.clock_resolution_s)}, a reading costs "
            f"{units.seconds(launch.clock_cost_s)}"),
        Row("Options", ", ".join(f"{k}={v}" for k, v in sorted(launch.options.items())) or "none"),
    ]  # fmt: skip
    if not launch.complete:
        rows.insert(0, Row("Incomplete", launch.incomplete_reason or "no reason given"))
    return rows


def convergence(measured: Measurements) -> dict[str, Any]:
    columns = measured.experiments
    kinds = np.array(columns["kind"], dtype=object)
    time, low, high = columns["time_s"], columns["low_s"], columns["high_s"]
    with np.errstate(divide="ignore", invalid="ignore"):
        width = np.where(time > 0, (high - low) / 2 / time, np.nan)
    rows = []
    for kind in dict.fromkeys(columns["kind"]):
        here = kinds == kind
        known = width[here][np.isfinite(width[here])]
        reached = int(np.sum(columns["converged"][here]))
        rows.append((KINDS.get(kind, kind.replace("_", " ")), int(np.sum(here)), reached,
                     reached / int(np.sum(here)),
                     float(np.median(known)) if known.size else None,
                     float(np.max(known)) if known.size else None))  # fmt: skip
    missed = np.flatnonzero(~columns["converged"] & np.isfinite(width))
    worst = missed[np.argsort(-width[missed], kind="stable")][:8]
    return {
        "rows": rows,
        "count": len(kinds),
        "reached": int(np.sum(columns["converged"])),
        "worst": [
            (KINDS.get(columns["kind"][k], columns["kind"][k].replace("_", " ")),
             f"{columns['root'][k]} to {', '.join(map(str, columns['peers'][k][:8]))}",
             units.size(int(columns["out_bytes"][k])), units.size(int(columns["back_bytes"][k])),
             units.seconds(time[k]), f"{units.seconds(low[k])} to {units.seconds(high[k])}",
             f"{columns['launch'][k] + 1}/{columns['pass'][k] + 1}")
            for k in worst
        ],
    }  # fmt: skip


def replicates(file: ModelFile) -> list[tuple[str, str]]:
    """What intervals hold, for each way in which they were made."""
    models: dict[str, list[str]] = {}
    for name in file.models:
        model = file.model(name)
        models.setdefault(model.replicate_kind if model.replicates else "none", []).append(name)
    return [
        (", ".join(names) if len(models) > 1 else "all models",
         REPLICATES[kind] if kind == "none" else
         f"{file.interval_meaning(names[0])}: {REPLICATES[kind]}")
        for kind, names in models.items()
    ]  # fmt: skip


def operations(file: ModelFile) -> list[str]:
    return list(dict.fromkeys(op for place in file.ranking for op in place["operations"]))


def ranking(file: ModelFile) -> dict[str, Any]:
    counts = Counter(file.checks["model"])
    most = max(counts.values(), default=0)
    return {
        "operations": operations(file),
        "noise": file.noise,
        "judgements": file.judgements,
        "most": most,
        "rows": [
            {"place": k, "checks": counts[place["model"]], **place,
             "range": fitted_on(file.model(place["model"]))
             if place["model"] in file.models else "-"}
            for k, place in enumerate(file.ranking, start=1)
        ],
        "unranked": sorted(set(file.models) - {place["model"] for place in file.ranking}),
    }  # fmt: skip


def fitted_on(model: Model) -> str:
    """The sizes of its fit, on both sides of the eager limit where each has its own line."""
    ranges = [f"{units.size(low)} to {units.size(high)}" for low, high in model.ranges_bytes]
    return "; above the eager limit ".join(ranges)


def time_figures(file: ModelFile, preferred: Model | None) -> list[curves.Figure]:
    if preferred is None:
        return []
    figures = [curves.messages(file, preferred)]
    if file.ranks > 1:
        figures += [curves.collective(file, preferred, op) for op in ("scatter", "gather", "bcast")]
    return present(figures)


class MatrixFigure(NamedTuple):
    title: str
    picture: Markup


def _directions(outlier: dict[str, Any]) -> list[tuple[int, int]]:
    there = outlier["rank"], outlier["peer"]
    return [there, there[::-1]] if outlier["both_ways"] else [there]


def _matrix(file: ModelFile, model: Model, name: str, title: str, unit: Unit) -> MatrixFigure:
    p = model[name]
    value, low, high = (np.asarray(one, dtype=float) for one in (p.value, p.low, p.high))
    slower = {
        pair
        for one in file.outliers
        for pair in _directions(one)
        if (one["fit"], one["field"]) == (model.name, name)
    }
    order = file.fabric.order_of(file.hosts) if file.fabric else list(range(file.ranks))
    return MatrixFigure(f"{title} [{unit.name}]",
                        matrices.matrix(value, low, high, unit, file.hosts, slower, order))  # fmt: skip


def _pair_matrices(file: ModelFile, model: Model) -> list[MatrixFigure]:
    return [
        _matrix(file, model, name, f"{p.symbol}, {p.meaning}", UNITS[p.unit])
        for name, p in model.parameters.items()
        if np.ndim(p.value) == 2
    ]


def links(file: ModelFile) -> list[MatrixFigure]:
    """What applications see: latency of small messages, time per byte of large ones."""
    if "hockney" not in file.models:
        return _pair_matrices(file, file.model()) if file.models else []
    small = file.model("hockney")
    large = small.rendezvous or small
    of = (" of small messages", " of large messages") if small.rendezvous else ("", "")
    return [
        _matrix(file, small, "alpha", f"Latency{of[0]}, one way", TIME),
        _matrix(file, large, "beta", f"Time per byte{of[1]}", PER_BYTE),
    ]


class GroupRow(NamedTuple):
    depth: int
    hosts: str
    out: str
    into: str


def _named(hosts: Sequence[str]) -> str:
    more = f" and {len(hosts) - 8} more" if len(hosts) > 8 else ""
    return ", ".join(hosts[:8]) + more


def _capacity(per_byte: tuple[float, float, float]) -> str:
    """Of a shared link, from what a byte takes of it; the interval's ends change places."""
    value, low, high = per_byte
    if math.isnan(value):
        return "-" if math.isnan(high) else f"at least {units.rate(1 / high)}"
    if not low > 0 or math.isnan(high):
        return units.rate(1 / value)
    return f"{units.rate(1 / value)} ({units.rate(1 / high)} to {units.rate(1 / low)})"


def _group_rows(fabric: Fabric, parent: int | None = None, depth: int = 0) -> Iterable[GroupRow]:
    """Each group, and below it those that it holds."""
    for k, group in enumerate(fabric.groups):
        if group.parent != parent:
            continue
        yield GroupRow(depth, _named(group.hosts), _capacity(group.out), _capacity(group.into))
        yield from _group_rows(fabric, k, depth + 1)


def shared_links(file: ModelFile) -> dict[str, Any] | None:
    """What is between the hosts; None where nothing was seen."""
    fabric = file.fabric
    if fabric is None:
        return None
    load = interval_text(*fabric.full_load, units.rate)
    share = percent(fabric.full_load[0] / fabric.alone)
    sentences = [
        f"At full load, with all hosts in random pairs at once, the pairs reach {load} together. "
        f"That is {share} of the {units.rate(fabric.alone)} that they reach one at a time.",
        f"These links foretell nine in ten such pairs to within {percent(fabric.misfit)}.",
    ]
    if fabric.backbone_sides:
        sides = "; ".join(map(_named, fabric.backbone_sides[:MOST_ROWS]))
        if len(fabric.backbone_sides) > MOST_ROWS:
            sides += f"; and {len(fabric.backbone_sides) - MOST_ROWS} more"
        sentences.insert(0, f"A backbone carries {_capacity(fabric.backbone)} of all messages "
                         f"between these sides, both ways together: {sides}.")  # fmt: skip
    return {
        "groups": list(_group_rows(fabric)),
        "sentences": sentences + [f"{note[:1].upper()}{note[1:]}." for note in fabric.notes],
        "measured": f"{counted(fabric.rounds, 'round')} with messages of "
        f"{units.size(int(fabric.message_bytes))}",
    }


def _rank_models(file: ModelFile) -> list[tuple[Model, str]]:
    """Parameters of ranks, without those that a better model has alike (bottleneck's C is LMO's)."""
    found: list[tuple[Model, Parameter]] = []
    for model in map(file.model, file.models):
        for p in model.parameters.values():
            alike = any(p.name == other.name and
                        np.array_equal(p.value, other.value, equal_nan=True)
                        for _, other in found)  # fmt: skip
            if np.ndim(p.value) == 1 and not alike:
                found.append((model, p))
    return [(model, p.name) for model, p in found]


def rank_figures(file: ModelFile) -> list[curves.Figure]:
    return [curves.ranks(file, model, name) for model, name in _rank_models(file)]


def rank_table(file: ModelFile) -> dict[str, Any] | None:
    columns = _rank_models(file)
    if not columns:
        return None

    def cell(model: Model, name: str, rank: int) -> str:
        p = model[name]
        numbers = (float(one[rank]) for one in (p.value, p.low, p.high))
        return interval_text(*numbers, units.seconds if p.unit == "s" else units.per_byte)

    return {
        "head": [f"{model.name} {name}" for model, name in columns],
        "rows": [
            (str(rank), file.hosts[rank], [cell(model, name, rank) for model, name in columns])
            for rank in range(min(file.ranks, MOST_ROWS))
        ],
        "left_out": max(0, file.ranks - MOST_ROWS),
    }


def _threshold_text(one: Threshold) -> str:
    if one.size_bytes is None:
        return "none" + (f": {one.reason}" if one.reason else "")
    text = f"{units.size(one.size_bytes)} ({one.size_bytes} bytes)"
    ends = ["no lower end" if one.low_bytes is None else f"from {one.low_bytes}",
            "no upper end" if one.high_bytes is None else f"below {one.high_bytes}"]  # fmt: skip
    return f"{text}; {ends[0]}, {ends[1]}" + (f" ({one.reason})" if one.reason else "")


def thresholds(file: ModelFile) -> Iterable[Row]:
    found = file.thresholds
    if found is None:
        yield Row("Eager limit", file.eager_limit_text)
        yield Row("Scatter and gather", "not swept: nothing is known of their thresholds")
        return
    yield Row("Eager limit", file.eager_limit_text)
    yield Row("Scatter break", _threshold_text(found.scatter_break))
    yield Row("Gather M1, regular up to here", _threshold_text(found.gather_m1))
    yield Row("Gather M2, regular above", _threshold_text(found.gather_m2))
    for what, source in (("Scatter", found.scatter_sweep), ("Gather", found.gather_sweep)):
        if source is not None:
            root = "" if source.root is None else f", root {source.root}"
            timing = f", timing {source.timing}" if source.timing else ""
            yield Row(f"{what} that was swept", f"{source.algorithm}{root}{timing}")
    for name in file.models:
        for key, where in (("kappa1", "up to M1"), ("kappa2", "above M2")):
            kappa = (file.model(name).kappa or {}).get(key)
            if kappa:
                known = not math.isnan(kappa["value"])
                text = interval_text(kappa["value"], kappa["low"], kappa["high"], units.per_byte)
                yield Row(f"Gather beyond {name}, {where}",
                          text if known else f"none: {kappa['reason']}")  # fmt: skip


def outliers_judged(file: ModelFile) -> bool:
    return "hockney" in file.models and file.ranks >= 3


def outlier_text(outlier: dict[str, Any], number: float) -> str:
    return (units.gap if outlier["unit"] == "s/B" else units.seconds)(number)


def warnings(file: ModelFile) -> list[tuple[str, list[str]]]:
    """Those of the file, then those of each model, without its name before each."""
    general = "The machine and the measurements"
    groups: dict[str, list[str]] = {"What isn't like its kind": _deviations(file), general: []}
    for one in file.diagnostics:
        groups.setdefault(one.model or general, []).append(_below_its_model(one))
    return [(name, texts) for name, texts in groups.items() if texts]


def _deviations(file: ModelFile) -> list[str]:
    return [] if file.classes is None else [one.sentence for one in file.classes.deviations]


def _below_its_model(one: Diagnostic) -> str:
    if one.model is None:
        return one.text
    part = (one.label or "").removeprefix(one.model).strip()
    return f"{part}: {one.sentence}" if part else one.sentence


def model(file: ModelFile, model: Model) -> dict[str, Any]:
    """Everything of one model, for those who look closer."""
    parts = [("", model)] + [
        (title, part)
        for title, part in (("Above the eager limit: ", model.rendezvous),
                            ("Growth with the number of processes: ", model.overhead_growth))
        if part is not None
    ]  # fmt: skip
    scalars, pictures = [], []
    for title, part in parts:
        for name, p in part.parameters.items():
            if np.ndim(p.value) == 0:
                scalars.append(Row(title + name, _scalar(p, UNITS[p.unit].text)))
        for one in _pair_matrices(file, part):
            pictures.append(MatrixFigure(title + one.title, one.picture))
    return {
        "name": model.name,
        "range": fitted_on(model),
        "residual": None if math.isnan(model.residual) else model.residual,
        "observations": model.observations,
        "replicates": model.replicate_kind,
        "count": len(model.replicates),
        "scalars": scalars,
        "pictures": pictures,
        "curves": len(model.size_bytes) if model.size_bytes is not None else 0,
    }


def _measuring(file: ModelFile, launch: Any) -> str:
    """The command line that measured a launch, without its files; where the file doesn't tell it
    what comes close."""
    variables = [f"{name}={shlex.quote(value)}" for name, value in sorted(launch.environment.items())
                 if name.startswith(REPEATED) and not name.endswith("_INTERFACE_HOSTNAME")]
    words = ["mpiexec", "-n", str(len(launch.ranks)), "estimate-model", "calibrate"]
    if "command_line" in launch.options:
        return " ".join([*variables, shlex.join(words), launch.options["command_line"]]).rstrip()
    words += ["--models", ",".join(sorted(file.models)), "--seed", str(launch.seed)]
    words += ["--precision", f"{launch.precision:g}", "--confidence", f"{launch.confidence:g}"]
    for option in ("passes", "min_reps", "max_reps"):
        if option in launch.options:
            words += ["--" + option.replace("_", "-"), launch.options[option]]
    words += ["--wait", launch.wait, "--buffers", launch.buffers, "--schedule", launch.schedule]
    return " ".join([*variables, shlex.join(words)])


def _unsaid(launch: Any) -> str:
    """What a reader must know of the command line that measured a launch."""
    notes = []
    if "command_line" not in launch.options:
        notes.append("the file doesn't tell all options, for it is older or was measured from "
                     "within a program")  # fmt: skip
    if not launch.complete:
        notes.append(f"it ended early: {launch.incomplete_reason or 'no reason given'}")
    return f" ({'; '.join(notes)})" if notes else ""


def commands(
    file: ModelFile,
    model_name: str,
    measurements_name: str | None,
    tasks: masters.Asked | None = None,
) -> Iterable[tuple[str, str]]:
    measured_name = measurements_name or "measurements.json"
    several = len(file.launches) > 1
    for k, launch in enumerate(file.launches[:MOST_ROWS]):
        out = f"m{k + 1}.json" if several else measured_name
        words = ["--measurements", out, "-o", f"model{k + 1}.json" if several else model_name]
        yield (
            "Measure" + (f", launch {k + 1}" if several else "") + _unsaid(launch),
            f"{_measuring(file, launch)} {shlex.join(words)}",
        )
    fitted = ["--models", ",".join(sorted(file.models)), "--confidence", f"{file.confidence:g}"]
    if several:
        if len(file.launches) > MOST_ROWS:
            yield "Measure, further launches", f"# {len(file.launches) - MOST_ROWS} more, alike"
        parts = [f"m{k + 1}.json" for k in range(len(file.launches))]
        words = ["estimate-model", "fit", *parts, *fitted, "-o", model_name]
        yield "Merge and fit", shlex.join(words)
    elif file.launches:
        words = ["estimate-model", "fit", measured_name, *fitted, "-o", model_name]
        yield "Fit again, without measuring", shlex.join(words)
    yield "See it as text", shlex.join(["estimate-model", "show", model_name])
    words = ["estimate-model", "predict", model_name, "--operation", "p2p", "--from", "0"]
    words += ["--to", str(min(1, file.ranks - 1)), "--size", "1KiB,64KiB"]
    yield "Ask for a time", shlex.join(words)
    if tasks:
        yield from masters.commands(model_name, file, tasks)
    words = ["mpiexec", "-n", str(file.ranks), "estimate-model", "validate", model_name]
    yield "Judge it by fresh measurements", shlex.join(words)
    words = ["python3", "-m", "commgauge", "report", model_name]
    words += ["--measurements", measurements_name] if measurements_name else []
    words += tasks.words() if tasks else []
    yield "This report", shlex.join(words + ["-o", "report.html"])
