"""Runs the programs under test. Their paths come from the environment, see CMakeLists.txt."""

import contextlib
import itertools
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
ALL_CASES = "COMMGAUGE_FULL_TESTS" in os.environ  # as `scripts/accept suites` sets it


def tries(all_, some):
    """How many random cases a test tries: `all_` where all cases are asked for, else `some`."""
    return all_ if ALL_CASES else some


def combined(one, other):
    """Each of `one` with each of `other` where all cases are asked for, else with one of them, in turn."""
    if ALL_CASES:
        return list(itertools.product(one, other))
    return list(zip(one, itertools.cycle(other)))


def is_openmpi():
    """Whether the launcher under test is Open MPI's."""
    return os.environ.get("MPI") == "openmpi"


def select(name):
    """From here on `name` is the program under test: estimate-model unless this was called."""
    global PROGRAM, NAME
    PROGRAM, NAME = os.environ.get(name.upper().replace("-", "_"), name), name


def without_launcher(text):
    """Without what Open MPI's launcher says between two rulers where a rank ends with a code that isn't 0."""
    if not is_openmpi():
        return text
    kept, inside = [], False
    for line in text.splitlines(keepends=True):
        if line.rstrip("\n") == "-" * 74:
            inside = not inside
        elif not inside:
            kept.append(line)
    return "".join(kept)


class Result:
    """What a finished program left: exit code, output, how long it took."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def __repr__(self):
        return (f"exit code {self.code} after {self.seconds:.1f} s\n"
                f"stdout: {self.out}\nstderr: {self.err}")


class Job:
    """A running program in a process group of its own."""

    running = set()

    def __init__(self, command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **more):
        self.started = time.monotonic()
        self.stderr = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=self.stderr,
                                        text=True, start_new_session=True, **more)
        self.running.add(self)

    def end(self, limit=TIME_LIMIT_S, given=None):
        try:
            out, _ = self.process.communicate(given, timeout=limit)
        except subprocess.TimeoutExpired:
            out = self.kill()
            raise AssertionError(f"still running after {limit} s\nstdout: {out}\n"
                                 f"stderr: {self.complaints()}")
        seconds = time.monotonic() - self.started
        self.running.remove(self)
        with self.stderr:
            return Result(self.process.returncode, out, without_launcher(self.complaints()), seconds)

    def kill(self):
        """With all processes below it; -> its standard output."""
        self.running.remove(self)
        for pid in self.descendants() + [self.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return self.process.communicate()[0]

    def complaints(self):
        """What it wrote on stderr until now."""
        return os.pread(self.stderr.fileno(), 1 << 24, 0).decode()

    def wait_for(self, stage, times, limit=TIME_LIMIT_S):
        """Until `--progress always` said so often that it is at this stage."""
        deadline = time.monotonic() + limit
        while self.complaints().count(f"({stage})") < times:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"is not {stage}; stderr: ...{self.complaints()[-300:]}")
            time.sleep(0.1)

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


def of_hydra(options):
    """Options that only MPICH's launcher has; a test that needs them isn't one of Open MPI's."""
    if options and is_openmpi():
        raise unittest.SkipTest(f"Open MPI's launcher has no {options[0]}")
    return options


def start_mpi(ranks, *arguments, launcher_options=(), wrapper=(), **more):
    return Job([MPIEXEC, *of_hydra(launcher_options), "-n", str(ranks), *wrapper, PROGRAM,
                *map(str, arguments)], **more)


def run_mpi(ranks, *arguments, limit=TIME_LIMIT_S, **more):
    return start_mpi(ranks, *arguments, **more).end(limit)


class TestCase(unittest.TestCase):
    """A test with a directory of its own, emptied afterwards. No job outlives it."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="commgauge-")
        self.addCleanup(holder.cleanup)
        self.addCleanup(lambda: [job.kill() for job in list(Job.running)])
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
