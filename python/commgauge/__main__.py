"""``python3 -m commgauge``: pictures and a report of what was measured."""

from __future__ import annotations

import argparse
import sys
from types import ModuleType
from typing import NoReturn, Sequence

from . import Error, _plot_command, _report_command
from ._arguments import said

COMMANDS: tuple[ModuleType, ...] = (_plot_command, _report_command)
"""Modules with add_command(commands), whose parser has the default `run`: a function of the
arguments that returns the exit code, or None for 0."""

BAD_INPUT = 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        name = self.prog.replace("python3 -m commgauge", "commgauge", 1)
        self.exit(BAD_INPUT, f"{name}: {message} (usage): see {self.prog} --help\n")


def parser() -> argparse.ArgumentParser:
    """Of the whole command line."""
    result = _Parser(prog="python3 -m commgauge", description=__doc__.split(": ")[1])
    commands = result.add_subparsers(metavar="COMMAND", required=True)
    for module in COMMANDS:
        module.add_command(commands)
    return result


def main(words: Sequence[str] | None = None) -> int:
    """Carries out a command line. Returns the exit code: 2 for bad input."""
    arguments = parser().parse_args(words)
    try:
        return arguments.run(arguments) or 0
    except (Error, ImportError) as error:
        problem = str(error)
    except OSError as error:
        named = f" {error.filename}" if error.filename else ""
        problem = f"cannot write{named} ({error.strerror}): give a file that can be written"
    print(said(problem), file=sys.stderr)
    return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
