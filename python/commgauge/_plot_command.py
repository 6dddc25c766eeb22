"""``python3 -m commgauge plot``."""

from __future__ import annotations

import argparse
import pathlib
import sys
import warnings
from typing import TYPE_CHECKING, Any, Callable

from ._arguments import said
from ._commgauge import Error, InputError
from ._explanations import explain
from ._files import check_output
from ._predictions import PredictionWarning
from ._replay import replay
from ._tasks import load_tasks, usual_processes
from ._what_if import what_if

if TYPE_CHECKING:
    from . import plots

KINDS = {
    "times": "time against size, with the interval of predictions, and residuals",
    "matrices": "latency and time per byte of all pairs",
    "ranks": "C, t, s and r of each rank, with intervals and bounds",
    "sweep": "scatter and gather over sizes, with lines and breaks",
    "overhead": "overheads against the number of processes",
    "models": "the models side by side",
    "timeline": "what each rank of a recorded program does when, on the machine of a model",
    "explanation": "where a recorded program's time goes there, and what to do first",
    "what-if": "its time against latency, bandwidth, overheads and computing, with tolerances",
    "tasks": "what tasks take with masters and workers, by the number of processes",
    "all": "each of these that the files have the numbers for, into a directory",
}

EXAMPLES = """\
examples:
  python3 -m commgauge plot times model.json -o times.svg --from 0 --to 3
  python3 -m commgauge plot times model.json validation.csv -o times.png
  python3 -m commgauge plot sweep sweep.csv -o sweep.png
  python3 -m commgauge plot sweep sweep.csv thresholds.json -o sweep.png
  python3 -m commgauge plot timeline trace model.json -o timeline.svg
  python3 -m commgauge plot explanation trace model.json -o explanation.svg
  python3 -m commgauge plot tasks model.json tasks.csv -o tasks.svg --processes 8-128:8
  python3 -m commgauge plot all model.json measurements.json -o pictures

kinds:
"""


def add_command(commands: Any) -> None:
    """To what argparse's add_subparsers() returned."""
    kinds = "\n".join(f"  {name:11} {text}" for name, text in KINDS.items())
    parser = commands.add_parser(
        "plot",
        help="draw pictures of models and sweeps (PNG, SVG)",
        description="Draws pictures of models and sweeps.",
        epilog=EXAMPLES + kinds,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("kind", choices=tuple(KINDS), metavar="KIND", help=", ".join(KINDS))
    parser.add_argument(
        "files", nargs="+", metavar="FILE",
        help="a model file; measurements; thresholds; a CSV of sweeps, of estimate-model validate, "
        "or of tasks' times; a trace",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", required=True, help="a .png or .svg, - for stdout; of `all` a directory"
    )
    parser.add_argument("--model", help="the preferred one if not given")
    parser.add_argument("--from", dest="src", type=int, metavar="RANK", help="sender")
    parser.add_argument("--to", dest="dst", type=int, metavar="RANK", help="receiver")
    parser.add_argument(
        "--processes", metavar="NUMBER,...", help="of jobs that run tasks: 8,16,32 or 8-128:8"
    )
    parser.add_argument(
        "--shape", help="how many tasks there are, as 1024x1024 (as the file's largest numbers say)"
    )
    parser.add_argument(
        "--seed", type=int, metavar="NUMBER", help="of a sample of tasks, as it was planned (as the file says, or 1)"
    )
    parser.add_argument(
        "--format", choices=("png", "svg"), default="png", help="of the pictures of `all`, or on stdout"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from . import plots

    if arguments.kind != "all":
        plots.check_name(arguments.output)
        check_output(arguments.output, arguments.files)
    inputs = plots.read(arguments.files)
    if arguments.kind == "all":
        return _draw_all(inputs, arguments)
    _check_used(inputs, arguments)
    plots.save(_DRAW[arguments.kind](plots, inputs, arguments), arguments.output, arguments.format)
    return 0


def _draw_all(inputs: "plots.Inputs", arguments: argparse.Namespace) -> int:
    from . import plots

    directory = pathlib.Path(arguments.output)
    directory.mkdir(parents=True, exist_ok=True)
    paths = {kind: directory / f"{kind}.{arguments.format}" for kind in _DRAW}
    for path in paths.values():
        check_output(path, arguments.files)
    drawn = 0
    for kind, path in paths.items():
        try:
            plots.save(_DRAW[kind](plots, inputs, arguments), path)
        except Error as error:
            print(f"{path}: not drawn: {error}", file=sys.stderr)
        else:
            print(path)
            drawn += 1
    if drawn == 0:
        raise InputError("nothing was drawn (the files lack the numbers, see above): give others")
    return 0


_USED = {
    "times": ("model", "validation"),
    "matrices": ("model",),
    "ranks": ("model",),
    "sweep": ("measurements", "sweeps", "thresholds"),
    "overhead": ("model", "measurements"),
    "models": ("model", "validation"),
    "timeline": ("model", "trace"),
    "explanation": ("model", "trace"),
    "what-if": ("model", "trace"),
    "tasks": ("model", "tasks"),
}
_OPTIONS = {
    "model": ("times", "matrices", "ranks", "timeline", "explanation", "what-if", "tasks"),
    "src": ("times", "models"),
    "dst": ("times", "models"),
    "processes": ("tasks",),
    "shape": ("tasks",),
    "seed": ("tasks",),
}
_SPELT = {"model": "--model", "src": "--from", "dst": "--to", "processes": "--processes",
          "shape": "--shape", "seed": "--seed"}  # fmt: skip


def _check_used(inputs: "plots.Inputs", arguments: argparse.Namespace) -> None:
    """What would be ignored is refused."""
    for name in ("model", "measurements", "sweeps", "thresholds", "validation", "trace", "tasks"):
        if getattr(inputs, name) is not None and name not in _USED[arguments.kind]:
            raise InputError(
                f"a file with {name} (plot {arguments.kind} has no use for it): leave it out"
            )
    for name, kinds in _OPTIONS.items():
        if getattr(arguments, name) is not None and arguments.kind not in kinds:
            raise InputError(
                f"{_SPELT[name]} (plot {arguments.kind} has no use for it): leave it out"
            )


def _model(inputs: "plots.Inputs") -> Any:
    if inputs.model is None:
        raise InputError("no model file is among the files (this is drawn of a model): give one")
    return inputs.model


def _sweep(plots: Any, inputs: "plots.Inputs", _: argparse.Namespace) -> Any:
    if inputs.sweeps is not None and inputs.measurements is not None:
        raise InputError("measurements and a CSV of sweeps (one is drawn): give one of them")
    source = inputs.sweeps if inputs.sweeps is not None else inputs.measurements
    if source is None:
        raise InputError(
            "no sweeps are among the files (files of models and thresholds have none): give "
            "measurements, or the CSV of thresholds measure --sweep"
        )
    return plots.sweep(source, inputs.thresholds)


def _of_program(draw: str, ask: Callable[..., Any], **more: Any) -> Callable[..., Any]:
    """A picture of what is asked of a recorded program on the machine of a model."""

    def drawn(plots: Any, inputs: "plots.Inputs", given: argparse.Namespace) -> Any:
        if inputs.trace is None:
            raise InputError(
                "no trace is among the files (this is drawn of a replayed program): give the "
                "directory that record or emulate --record left"
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PredictionWarning)
            found = ask(inputs.trace, _model(inputs), kind=given.model, **more)
        for text in found.warnings:
            print(said(text), file=sys.stderr)
        return getattr(plots, draw)(found)

    return drawn


_CURVES = {name: (0.25, 4) for name in ("latency", "bandwidth", "overheads", "computing")}
_TOLERANCES = (0.01, 0.02, 0.05)

def _tasks(plots: Any, inputs: "plots.Inputs", given: argparse.Namespace) -> Any:
    if inputs.tasks is None:
        raise InputError(
            "no times of tasks are among the files (this is drawn of what they take): give a CSV "
            "i1,...,iN,time_s, as of estimate-model tasks run"
        )
    machine = _model(inputs)
    times = load_tasks(inputs.tasks, given.shape, given.seed, machine.confidence)
    processes = given.processes if given.processes is not None else usual_processes(machine.ranks)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PredictionWarning)
        predicted = machine.predict_tasks(times, processes, given.model)
    for text in predicted.warnings:
        print(said(text), file=sys.stderr)
    return plots.tasks(predicted)


_DRAW: dict[str, Callable[[Any, "plots.Inputs", argparse.Namespace], Any]] = {
    "times": lambda plots, inputs, given: plots.times(
        _model(inputs), given.model, src=given.src, dst=given.dst, validation=inputs.validation
    ),
    "matrices": lambda plots, inputs, given: plots.matrices(_model(inputs), given.model),
    "ranks": lambda plots, inputs, given: plots.ranks(_model(inputs), given.model),
    "sweep": _sweep,
    "overhead": lambda plots, inputs, given: plots.overhead(_model(inputs), inputs.measurements),
    "models": lambda plots, inputs, given: plots.models(
        _model(inputs), src=given.src, dst=given.dst, validation=inputs.validation
    ),
    "timeline": _of_program("timeline", replay, timeline=True),
    "explanation": _of_program("explanation", explain),
    "what-if": _of_program("what_if", what_if, curves=_CURVES, tolerances=_TOLERANCES),
    "tasks": _tasks,
}
