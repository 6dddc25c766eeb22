"""A cluster of network namespaces that lasts as long as its user."""

import contextlib
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator

SCRIPT = pathlib.Path(__file__).resolve().parent / "namespaces"
PREFIX = f"cg{os.getpid() % 100000}"


@contextlib.contextmanager
def up(rates: list[int]) -> Iterator[None]:
    """A host for each rate [Mbit/s]. Ends the program with the script's code if it can't be."""
    done = subprocess.run([SCRIPT, "up", "--prefix", PREFIX, "--rates", ",".join(map(str, rates))],
                          check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
    try:
        yield
    finally:
        subprocess.run([SCRIPT, "down", "--prefix", PREFIX], check=True)


def launcher(ranks: int) -> list[str | pathlib.Path]:
    """What starts a program on the first hosts, to put in front of it."""
    return [SCRIPT, "run", "--prefix", PREFIX, "-n", str(ranks), "--"]
