"""Runs the programs under test. Their paths come from the environment, see CMakeLists.txt."""

import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ.get("ESTIMATE_MODEL", "estimate-model")
NAME = "estimate-model"
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec")
TIME_LIMIT_S = 60


def select(name):
    """From here on `name` is the program under test: estimate-model unless this was called."""
    global PROGRAM, NAME
    PROGRAM, NAME = os.environ.get(name.upper().replace("-", "_"), name), name


class Result:
    """What a finished program left: exit code, output, how long it took."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def __repr__(self):
        return (f"exit code {self.code} after {self.seconds:.1f} s\n"
                f"stdout: {self.out}\nstderr: {self.err}")


class Job:
    """A running program in a process group of its own."""

    def __init__(self, command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **more):
        self.started = time.monotonic()
        self.process = subprocess.Popen(command, stdin=stdin, stdout=stdout,
                                        stderr=subprocess.PIPE, text=True,
                                        start_new_session=True, **more)

    def end(self, limit=TIME_LIMIT_S, given=None):
        try:
            out, err = self.process.communicate(given, timeout=limit)
        except subprocess.TimeoutExpired:
            for pid in self.descendants() + [self.process.pid]:
                os.kill(pid, signal.SIGKILL)
            out, err = self.process.communicate()
            raise AssertionError(f"still running after {limit} s\nstdout: {out}\nstderr: {err}")
        return Result(self.process.returncode, out, err, time.monotonic() - self.started)

    def descendants(self):
        """Processes below this one, oldest first."""
        parents = {}
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    stat = (entry / "stat").read_text()
                except OSError:
                    continue
                parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
        found, level = [], [self.process.pid]
        while level:
            level = sorted(pid for pid, parent in parents.items() if parent in level)
            found += level
        return found

    def ranks(self, count, limit=20):
        """Process numbers of the program's ranks, in the order of their start."""
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            ranks = [pid for pid in self.descendants() if _command(pid) == NAME]
            if len(ranks) == count:
                return ranks
            time.sleep(0.1)
        raise AssertionError(f"there are not {count} ranks after {limit} s")


def _command(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def run(*arguments, given=None, **more):
    """Runs the program without a launcher."""
    stdin = subprocess.DEVNULL if given is None else subprocess.PIPE
    return Job([PROGRAM, *map(str, arguments)], stdin=stdin, **more).end(given=given)


def start_mpi(ranks, *arguments, launcher_options=(), wrapper=(), **more):
    return Job([MPIEXEC, *launcher_options, "-n", str(ranks), *wrapper, PROGRAM,
                *map(str, arguments)], **more)


def run_mpi(ranks, *arguments, limit=TIME_LIMIT_S, **more):
    return start_mpi(ranks, *arguments, **more).end(limit)


class TestCase(unittest.TestCase):
    """A test with a directory of its own, emptied afterwards."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="commgauge-")
        self.addCleanup(holder.cleanup)
        self.directory = pathlib.Path(holder.name)

    def assert_code(self, result, code):
        self.assertEqual(result.code, code, result)

    def assert_complaint(self, result, code, *words):
        """Ended with `code` and one line on stderr that has all the words; silent on stdout."""
        self.assertEqual(result.code, code, result)
        self.assertEqual(len(result.err.strip().splitlines()), 1, result)
        self.assertTrue(result.err.startswith(f"{NAME}: "), result)
        for word in words:
            self.assertIn(word, result.err)
        self.assertFalse(result.out, result)

    def assert_nothing_left(self, directory=None):
        self.assertEqual(sorted((directory or self.directory).iterdir()), [])
