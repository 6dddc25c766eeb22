"""``python3 -m commgauge report``: what was measured as one HTML file."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from . import _report, load, load_measurements

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


def run(arguments: argparse.Namespace) -> int:
    file = load(arguments.model)
    measured = load_measurements(arguments.measurements) if arguments.measurements else None
    text = _report.html(
        file, measured, model_name=arguments.model, measurements_name=arguments.measurements
    )
    _report.write(arguments.output, text)
    if arguments.output != "-":
        print(f"The report is in {arguments.output}: open it in a browser", file=sys.stderr)
    return 0
