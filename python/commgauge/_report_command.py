"""``python3 -m commgauge report``: what was measured as one HTML file."""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import TYPE_CHECKING, Any

from . import load, load_measurements, load_tasks
from ._commgauge import InputError
from ._files import ModelFile, check_output, write

if TYPE_CHECKING:
    from . import _report

EXAMPLE = """Example:
  python3 -m commgauge report model.json --measurements measurements.json -o report.html
  python3 -m commgauge report model.json --tasks tasks.csv --processes 8-128:8 -o report.html"""


def add_command(commands: Any) -> None:
    command = commands.add_parser(
        "report",
        help="write what was measured as one HTML file",
        description="Write what was measured as one HTML file, which opens without a network.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("model", metavar="MODEL", help="the model file")
    command.add_argument(
        "--measurements",
        metavar="FILE",
        help="what was measured: adds convergence, round trips and sweeps",
    )
    command.add_argument(
        "--tasks",
        metavar="FILE",
        help="times of tasks: adds what they take with masters and workers",
    )
    command.add_argument(
        "--shape", help="how many tasks there are, as 1024x1024 (as the file's largest numbers say)"
    )
    command.add_argument(
        "--processes", metavar="NUMBER,...", help="of jobs that run the tasks: 8,16,32 or 8-128:8"
    )
    command.add_argument(
        "--seed", type=int, metavar="NUMBER", help="of a sample of tasks, as it was planned (as the file says, or 1)"
    )
    command.add_argument(
        "-o", "--output", metavar="FILE", default="report.html",
        help="the HTML file (report.html), - for stdout",
    )  # fmt: skip
    command.set_defaults(run=run)


def _check_name(output: str) -> None:
    ending = pathlib.Path(output).suffix
    if ending.lower() not in ("", ".html", ".htm"):
        raise InputError(
            f"cannot write the report into {output} ({ending} is not what it is, which is HTML): "
            "give a name that ends in .html"
        )


def _asked_tasks(arguments: argparse.Namespace, file: ModelFile) -> "_report.AskedTasks | None":
    if arguments.tasks is None:
        return None
    from . import _report

    times = load_tasks(arguments.tasks, arguments.shape, arguments.seed, file.confidence)
    return _report.AskedTasks(
        times, arguments.tasks, arguments.shape, arguments.processes, arguments.seed
    )


def _check_options(arguments: argparse.Namespace) -> None:
    for name in ("shape", "processes", "seed"):
        if getattr(arguments, name) is not None and arguments.tasks is None:
            raise InputError(f"--{name} without --tasks (it is about tasks): give both, or neither")


def run(arguments: argparse.Namespace) -> int:
    from . import _report

    _check_options(arguments)
    inputs = [arguments.model, arguments.measurements, arguments.tasks]
    check_output(arguments.output, filter(None, inputs))
    _check_name(arguments.output)
    file = load(arguments.model)
    measured = load_measurements(arguments.measurements) if arguments.measurements else None
    text = _report.html(
        file,
        measured,
        model_name=arguments.model,
        measurements_name=arguments.measurements,
        tasks=_asked_tasks(arguments, file),
    )
    write(arguments.output, text)
    if arguments.output != "-":
        print(f"The report is in {arguments.output}: open it in a browser", file=sys.stderr)
    return 0
