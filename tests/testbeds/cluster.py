"""A cluster of network namespaces that lasts as long as its user."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import TextIO

SCRIPT = pathlib.Path(__file__).resolve().parent / "namespaces"
PREFIX = f"cg{os.getpid() % 100000}"


@contextlib.contextmanager
def up(rates: list[int], *options: str) -> Iterator[None]:
    """A host for each rate [Mbit/s]. Options are those of `namespaces up`. Ends the program with the script's code if it can't be."""
    done = subprocess.run([SCRIPT, "up", "--prefix", PREFIX, "--rates", ",".join(map(str, rates)), *options],
                          check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
    try:
        yield
    finally:
        subprocess.run([SCRIPT, "down", "--prefix", PREFIX], check=True)


def launcher(ranks: int, *options: str) -> list[str | pathlib.Path]:
    """What starts a program on the first hosts, to put in front of it. Options are those of `namespaces run`."""
    return [SCRIPT, "run", "--prefix", PREFIX, "-n", str(ranks), *options, "--"]


@contextlib.contextmanager
def job(ranks: int, command: list) -> Iterator[TextIO]:
    """A program on the first hosts, whose output is to be read. Over TCP its MPI_Finalize may not return."""
    started = subprocess.Popen([*launcher(ranks), *map(str, command)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    try:
        yield started.stdout
        with contextlib.suppress(subprocess.TimeoutExpired):
            started.wait(1)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGTERM)
        started.communicate()


def printed_by(ranks: int, options: list[str], command: list, seconds: int, is_all: Callable[[str], object] | None = None,
               folder: pathlib.Path | None = None) -> str:
    """What a program on the first hosts prints, until `is_all` of it is there. Over TCP its MPI_Finalize may not return.

    Options are those of `namespaces run`; the folder is where it runs."""
    started = subprocess.Popen(["timeout", "--foreground", str(seconds), *launcher(ranks, *options), *map(str, command)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, cwd=folder)
    printed = ""
    for line in started.stdout:
        printed += line
        if is_all and is_all(printed):
            time.sleep(1)  # for those who have still to end what others wait for
            started.terminate()
            break
    started.communicate()
    return printed
