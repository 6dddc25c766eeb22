"""``python3 -m commgauge report``: what was measured as one HTML file."""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import Any

from . import _report, load, load_measurements
from ._commgauge import InputError
from ._files import check_output, write

EXAMPLE = """Example:
  python3 -m commgauge report model.json --measurements measurements.json -o report.html"""


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


def run(arguments: argparse.Namespace) -> int:
    inputs = [arguments.model, arguments.measurements]
    check_output(arguments.output, filter(None, inputs))
    _check_name(arguments.output)
    file = load(arguments.model)
    measured = load_measurements(arguments.measurements) if arguments.measurements else None
    text = _report.html(
        file, measured, model_name=arguments.model, measurements_name=arguments.measurements
    )
    write(arguments.output, text)
    if arguments.output != "-":
        print(f"The report is in {arguments.output}: open it in a browser", file=sys.stderr)
    return 0
