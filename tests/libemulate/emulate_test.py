"""Programs on emulated machines. Paths come from the environment, see CMakeLists.txt."""

import gzip
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time
import unittest

import jsonschema

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "tools"), str(TESTS / "testbeds")]
import harness  # noqa: E402
import model_file  # noqa: E402
import mpi_calls  # noqa: E402

PROGRAMS = pathlib.Path(os.environ["EMULATE"]).parent
LIBRARY = pathlib.Path(os.environ["EMULATE_LIBRARY"])
SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs/schema/emulation-1.schema.json"
MODEL_SCHEMA = SCHEMA.with_name("model-1.schema.json")


def scaled(values, factor):
    """Numbers in lists of any depth; other things stay."""
    if isinstance(values, list):
        return [scaled(value, factor) for value in values]
    return values * factor if isinstance(values, (int, float)) else values


class Lmo:
    """The parameters of a model file."""

    def __init__(self, file):
        self.parameters = json.loads(file.read_text())["models"]["lmo"]

    def message(self, i, j, size):
        """Time of a message [s]."""
        value = {name: self.parameters[name]["value"] for name in ("C", "t", "L", "inverse_beta")}
        fixed = value["C"][i] + value["C"][j]
        per_byte = value["t"][i] + value["t"][j]
        first, distance = min(i, j), abs(i - j)
        return (fixed + value["L"][first][distance]
                + size * (per_byte + value["inverse_beta"][first][distance]))


class Base(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)

    def machine(self, kind, ranks, seed=1, limit=None):
        """A model file of a machine with these parameters."""
        command = [PROGRAMS / "write-machine", kind, str(ranks), str(seed)]
        done = harness.Job(command + ([str(limit)] if limit else [])).end()
        self.assertEqual(done.code, 0, done)
        file = self.directory / f"{kind}{ranks}.json"
        file.write_text(done.out)
        return file

    def emulate(self, ranks, *arguments, limit=60):
        return harness.Job([harness.MPIEXEC, "-n", str(ranks), PROGRAMS / "emulate",
                            *map(str, arguments)], cwd=self.directory).end(limit)

    def validated_report(self):
        report = json.loads((self.directory / "report.json").read_text())
        jsonschema.validate(report, json.loads(SCHEMA.read_text()))
        return report

    def assert_refused(self, result, code, *words):
        self.assertEqual(result.code, code, result)
        own = [line for line in result.err.splitlines()
               if line.startswith("emulate: ") and " on the machine of " not in line]
        self.assertEqual(len(own), 1, result)
        for word in words:
            self.assertIn(word, own[0])


class Refused(Base):
    """One line, an exit code, no hang."""

    def test_fewer_ranks_in_the_model(self):
        self.assert_refused(self.emulate(3, "--model", self.machine("lmo", 2),
                                         PROGRAMS / "emulated-semantics"),
                            2, "the job has 3 ranks, the machine has 2")

    def test_model_that_is_not_in_the_file(self):
        self.assert_refused(self.emulate(2, "--model", self.machine("lmo", 2), "--kind", "loggps",
                                         PROGRAMS / "emulated-semantics"), 2, "no model loggps")

    def test_latency_of_zero(self):
        file = self.machine("hockney", 2)
        document = json.loads(file.read_text())
        for name in ("value", "low", "high"):
            document["models"]["hockney"]["alpha"][name] = [[None, 0], [0, None]]
        file.write_text(json.dumps(document))
        self.assert_refused(self.emulate(2, "--model", file, PROGRAMS / "emulated-semantics"),
                            2, "an empty message would take no time")

    def test_times_that_fall_with_the_size(self):
        file = self.machine("hockney", 2)
        document = json.loads(file.read_text())
        for name in ("value", "low", "high"):
            document["models"]["hockney"]["beta"][name] = [[None, -1e-9], [1e-9, None]]
        file.write_text(json.dumps(document))
        self.assert_refused(self.emulate(2, "--model", file, PROGRAMS / "emulated-semantics"),
                            2, "from rank 0 to 1", "a longer message would take less time")

    def test_what_is_missing(self):
        model = self.machine("lmo", 2)
        self.assert_refused(self.emulate(2, "--model", "none.json", "true"), 2, "none.json")
        self.assert_refused(self.emulate(2, "--model", model), 2, "no program")
        self.assert_refused(self.emulate(2, "--model", model, "./none"), 2, "can't be started")
        self.assert_refused(self.emulate(2, "true"), 2, "--model or --topology is required")

    def test_what_the_first_rank_alone_finds_ends_all(self):
        """Also where the others are in MPI_Init already, or their program is none of MPI."""
        model = self.machine("lmo", 3)
        emulate = f'"{PROGRAMS}/emulate" --model "{model}"'
        for wrong, word in (("--report none/x", "none/x"), ("--trace none/x", "none/x"),
                            ("--speeds none.csv", "none.csv")):
            for program in (PROGRAMS / "emulated-semantics", "true"):
                result = self.emulate(3, "--model", model, *wrong.split(), program)
                self.assert_refused(result, 2, word)
            script = (f'if [ "$PMI_RANK" = 0 ]; then set -- {wrong}; else sleep 0.2; fi; '
                      f'exec {emulate} "$@" "{PROGRAMS}/emulated-semantics"')
            result = harness.Job([harness.MPIEXEC, "-n", "3", "sh", "-c", script, "sh"],
                                 cwd=self.directory).end(60)
            self.assert_refused(result, 2, word)

    def test_a_program_that_one_rank_does_not_have(self):
        script = (f'if [ "$PMI_RANK" = 1 ]; then set -- ./none; '
                  f'else set -- "{PROGRAMS}/emulated-semantics"; fi; '
                  f'exec "{PROGRAMS}/emulate" --model "{self.machine("lmo", 3)}" "$@"')
        result = harness.Job([harness.MPIEXEC, "-n", "3", "sh", "-c", script, "sh"],
                             cwd=self.directory).end(60)
        self.assert_refused(result, 2, "./none can't be started")

    def test_a_report_that_can_not_be_written_at_the_end(self):
        """The program ends in peace, with what it writes after MPI_Finalize."""
        for what in ("--report", "--trace"):
            result = self.emulate(3, "--model", self.machine("lmo", 3), what, "/dev/full",
                                  PROGRAMS / "emulated-misdeeds", "none")
            self.assertEqual(result.code, 2, result)
            self.assertEqual(result.err.count("emulate: cannot write /dev/full"), 1, result)
            self.assertEqual(result.out.count("over"), 3, result)

    def test_lateness(self):
        for wrong, advice in (("7:0us", "give such as 7:50us"), ("x:1us", "give such as 7, 7:50us or none"),
                              ("7", "as in --jitter 7:50us")):
            self.assert_refused(self.emulate(1, "--model", self.machine("lmo", 2), "--jitter", wrong, "true"), 2, advice)
        self.assert_refused(self.emulate(1, "--topology", "ring:4", "--start-up", "1us", "--per-byte", "1ns",
                                         "--contention", "--jitter", "7:50us", "true"), 2, "leave out --jitter")

    def test_speeds(self):
        model = self.machine("lmo", 2)
        speeds = self.directory / "speeds.csv"
        for text, word in (("rank,time_ratio\n0,1\n", "rank 1 is missing"),
                           ("rank,time_ratio\n0,1\n1,-2\n", "line 3"),
                           ("0,1\n0,1\n", "line 2"), ("0;1\n", "line 1")):
            speeds.write_text(text)
            self.assert_refused(self.emulate(2, "--model", model, "--speeds", speeds, "true"), 2, word)

    def test_a_larger_machine(self):
        model = self.machine("lmo", 3)
        larger = ["--model", model, "--hosts", "5", "--ranks-per-host", "1", "--compute", "none"]
        report = self.directory / "report.json"
        result = self.emulate(5, *larger, "--report", report, PROGRAMS / "emulated-semantics")
        self.assertEqual(result.code, 0, result)
        self.assertIn("the machine is made of hosts like the 3 that the model is of (5 ranks, 3 in the model)", result.err)
        document = json.loads(report.read_text())
        self.assertNotIn("assumed_pairs", document)
        self.assertEqual([rank["host"] for rank in document["ranks"]], ["h0", "h1", "h2", "h0#2", "h1#2"])
        self.assert_refused(self.emulate(2, "--model", model, "--hosts", "5", "true"), 2, "give both")
        self.assert_refused(self.emulate(2, "--model", model, "--hosts", "2", "--ranks-per-host", "2", "true"),
                            2, "one rank on each host")
        refused = self.emulate(6, *larger, PROGRAMS / "emulated-semantics")
        self.assertEqual(refused.code, 2, refused)
        self.assertIn("the job has 6 ranks", refused.err)

    def test_a_job_on_some_hosts_is_that_of_their_places(self):
        """By name or by number: the same ranks of the machine, so the same times to the bit."""
        hosts = self.directory / "hosts"
        hosts.write_text("h4\nh1.cluster\nh3:1  # the last one\n")
        for kind in ("hockney", "lmo", "loggps", "plogp"):
            model = self.machine(kind, 5)
            ranks = []
            for job in (["--hosts-from", hosts], ["--placement", "4,1,3"]):
                report = self.directory / "report.json"
                # The growth of overheads is told of a job of three, or of the machine's five.
                result = self.emulate(3, "--model", model, *job, "--no-growth", "--compute", "none",
                                      "--report", report, PROGRAMS / "emulated-semantics")
                self.assertEqual(result.code, 0, result)
                ranks.append([{name: value for name, value in rank.items() if name != "host"}
                              for rank in json.loads(report.read_text())["ranks"]])
            self.assertEqual(*ranks, kind)
        hosts.write_text("h4\nx9\n")
        self.assert_refused(self.emulate(2, "--model", model, "--hosts-from", hosts, "true"), 2, "the host x9")

    def test_uncovered_call(self):
        self.assert_refused(self.emulate(3, "--model", self.machine("lmo", 3),
                                         PROGRAMS / "emulated-misdeeds", "services"),
                            2, "MPI_Publish_name is not emulated")

    def test_a_launcher_that_is_held_up(self):
        """Nobody reads what all ranks write, for a while: the line comes through nevertheless."""
        command = (f'"{harness.MPIEXEC}" -n 8 "{PROGRAMS}/emulate" --model "{self.machine("lmo", 8)}" '
                   f'"{PROGRAMS}/emulated-misdeeds" port 2>&1 | (sleep 5; grep "^emulate: ")')
        result = harness.Job(["sh", "-c", command]).end(60)
        self.assertEqual(result.out.count("emulate: MPI_Open_port is not emulated"), 1, result)

    def test_deadlock(self):
        self.assert_refused(self.emulate(3, "--model", self.machine("lmo", 3),
                                         PROGRAMS / "emulated-misdeeds", "deadlock"), 5,
                            "rank 0 waits for a message from rank 1 with tag 5",
                            "rank 2 waits for a message from rank 0 with tag 5")

    def test_a_lock_that_is_never_given_back(self):
        result = self.emulate(3, "--model", self.machine("lmo", 3), PROGRAMS / "emulated-misdeeds", "lock")
        self.assert_refused(result, 5, "waits for a lock of rank 1's window",
                            "waits for a message from rank 2 with tag 5")

    def test_every_call_is_covered_or_refused_or_local(self):
        """Names of MPI's header that the library doesn't have work on one rank alone."""
        self.assertEqual(mpi_calls.left_alone(os.environ["MPI_HEADER"], LIBRARY), set())


class Misdeeds(Base):
    """What a program does against MPI's rules is told: by whom, in which call."""

    def misdeed(self, *arguments, ranks=3, limit=100, options=()):
        return self.emulate(ranks, "--model", self.machine("lmo", ranks, 1, limit), *options,
                            PROGRAMS / "emulated-misdeeds", *arguments)

    def mpmd(self, *parts):
        """One rank of each part."""
        line = [str(word) for part in parts for word in (":", "-n", "1", *part)]
        return harness.Job([harness.MPIEXEC, *line[1:]], cwd=self.directory).end(60)

    def part(self, *options, what="none"):
        return [PROGRAMS / "emulate", "--model", self.machine("lmo", 2), *options,
                PROGRAMS / "emulated-misdeeds", what]

    def test_ends_without_finalize(self):
        """An older report doesn't look like this run's."""
        report = self.directory / "report.json"
        for what, code, how in (("exits", 2, "rank 1 ended"), ("exits_with_7", 7, "rank 1 ended"),
                                ("exits_at_once", 2, "rank 1 ended"), ("exits_quickly", 2, "rank 1 ended"),
                                ("all_exit", 2, "ended"), ("becomes_another", 2, "rank 1 became /bin/true before"),
                                ("aborts", 2, "rank 1 called MPI_Abort")):
            with self.subTest(what):
                report.write_text("{}")
                result = self.misdeed(what, options=("--report", report))
                self.assert_refused(result, code, how, "MPI_Finalize")
                self.assertFalse(report.exists())

    def test_half_an_mpmd_line(self):
        bare = [PROGRAMS / "emulated-misdeeds", "none"]
        self.assert_refused(self.mpmd(self.part(), bare), 2, "rank 1 isn't emulated")
        self.assert_refused(self.mpmd(bare, self.part()), 2, "rank 0 isn't emulated")

    def test_a_rank_that_never_calls_mpi_init(self):
        for other in (["true"], self.part(what="exits_before")):
            result = self.mpmd(self.part(), other)
            self.assertNotEqual(result.code, 0, result)  # the launcher makes its own of several
            self.assertIn("emulate: a rank ended before MPI_Init", result.err)

    def test_mpmd_with_other_options(self):
        self.assert_refused(self.mpmd(self.part("--compute", "cpu"), self.part("--compute", "none")), 2,
                            "rank 1 has other options than rank 0", "--compute none instead of --compute cpu")
        self.assert_refused(self.mpmd(self.part(), self.part("--compute", "none")), 2,
                            "--compute none, which rank 0 does not have")
        result = self.mpmd(self.part("--compute", "none"), self.part("--compute", "none"))
        self.assertEqual(result.code, 0, result)

    def test_collectives_that_do_not_match(self):
        for what, one, other in (
                ("duplicate_alone", "MPI_Comm_idup", "rank 1 called MPI_Finalize"),
                ("bcast_alone", "rank 0 called MPI_Bcast", "MPI_Finalize"),
                ("blocking_and_not", "rank 1 called MPI_Iallreduce", "called MPI_Allreduce"),
                ("two_operations", "rank 1 called MPI_Allgather", "called MPI_Allreduce"),
                ("two_kinds_of_communicators", "rank 1 called MPI_Comm_split", "called MPI_Comm_dup"),
                ("two_roots", "rank 1 called MPI_Bcast with root 1", "called MPI_Bcast with root 0"),
                ("two_operators", "rank 1 called MPI_Allreduce with MPI_MAX", "with MPI_SUM"),
                ("two_sizes", "rank 1 called MPI_Bcast of 8 bytes", "called MPI_Bcast of 4 bytes"),
                ("two_reduced_types", "rank 1 called MPI_Allreduce of floating-point numbers", "of integers")):
            with self.subTest(what):
                self.assert_refused(self.misdeed(what), 2, one, other, "but rank")

    def test_types_that_do_not_match(self):
        result = self.misdeed("two_types")
        self.assert_refused(result, 0, "rank 1 called MPI_Bcast of floating-point numbers", "of integers")
        self.assertNotIn("emulate: rank", self.misdeed("bytes_of_another_type").err)

    def test_what_is_lawful(self):
        for what in ("execs_in_vain", "finalizes_at_exit", "lawful_types", "none"):
            self.assert_unnoticed(self.misdeed(what))

    def assert_unnoticed(self, result):
        self.assertEqual(result.code, 0, result)
        self.assertIn("3 ranks on the machine of", result.err)
        self.assertNotIn("emulate: rank", result.err)

    def test_a_rank_that_is_late(self):
        """A launcher below another one, whose variables it has."""
        script = (f'if [ "$PMI_RANK" = 0 ]; then sleep 6; fi; exec "{PROGRAMS}/emulate" '
                  f'--model "{self.machine("lmo", 3)}" "{PROGRAMS}/emulated-misdeeds" none')
        result = harness.Job([harness.MPIEXEC, "-n", "3", "sh", "-c", script], cwd=self.directory,
                             env={**os.environ, "PMI_RANK": "0", "MPI_LOCALNRANKS": "9"}).end(60)
        self.assert_unnoticed(result)

    def test_an_error_names_its_call(self):
        self.assert_refused(self.misdeed("sends_to_nobody"), 6, "MPI_Send fails on rank 1 (Invalid rank")
        self.assertEqual(self.misdeed("fence_not_closed").code != 0, True)
        self.assertIn("MPI_Win_free fails on rank", self.misdeed("fence_not_closed").err)

    def test_a_deadlock_names_the_collective(self):
        self.assert_refused(self.misdeed("named_collective"), 5, "rank 0 waits for rank 1 in MPI_Ibcast",
                            "rank 1 waits for a message from rank 0 with tag 9")

    def test_buffers(self):
        result = self.misdeed("buffered")
        self.assertEqual(result.out.count("buffered: no no yes, left 0"), 3, result)
        self.assertEqual(result.code, 0, result)

    def test_messages_to_oneself(self):
        """As others: synchronous ones, and those above the eager limit, wait for their receive."""
        self.assertEqual(self.misdeed("to_oneself", 100).out.count("came"), 3)
        for what in (("to_oneself", 101), ("synchronously_to_oneself",)):
            self.assert_refused(self.misdeed(*what), 5, "rank 0 waits for rank 0 to receive its message")
        for kind in ("lmo", "loggps", "bottleneck"):
            result = self.emulate(2, "--model", self.machine(kind, 2, 1, 100),
                                  PROGRAMS / "emulated-misdeeds", "tests_synchronous_to_oneself")
            self.assertEqual(result.out.count("over before 0, got 7"), 2, result)

    def test_a_rank_that_stands_still(self):
        """A computing rank might be at work for long: only the user knows from when on it isn't."""
        result = self.misdeed("waits_outside", options=("--stall-limit", "1s"))
        self.assert_refused(result, 4, "nothing that ranks wait for has happened for 1 s",
                            "rank 1 computes, polls or waits outside MPI",
                            "rank 0 waits for rank 1 in MPI_Barrier", "--stall-limit")
        self.assert_refused(self.emulate(2, "--stall-limit", "soon", "--model", self.machine("lmo", 2), "true"), 2,
                            "--stall-limit")

    def test_what_is_left_undone(self):
        self.assert_refused(self.misdeed("never_received", limit=None), 0, "rank 1 never received 1 message",
                            "4 bytes from rank 0, tag 7")
        self.assert_refused(self.misdeed("never_waited_for"), 0, "rank 1 never waited for 1 of its operations")

    def test_a_loop_that_asks_for_ever(self):
        job = harness.Job([harness.MPIEXEC, "-n", "2", *map(str, self.part(what="asks_for_ever"))],
                          cwd=self.directory)
        deadline = time.monotonic() + 60
        while "calls MPI_Test again and again" not in job.complaints() and time.monotonic() < deadline:
            time.sleep(0.2)
        said = job.complaints()
        job.kill()
        job.stderr.close()
        self.assertIn("emulate: rank 0 calls MPI_Test again and again", said)


class Semantics(Base):
    """MPI does what the standard says, whatever messages cost."""

    PROGRAMS = ("emulated-semantics", "emulated-datatypes", "emulated-inter-communicators", "emulated-one-sided")

    def test_whatever_messages_cost(self):
        """All eager, rendezvous above 100 bytes, all rendezvous."""
        kinds = (("lmo", None), ("loggps", 100), ("bottleneck", 1))
        for (kind, program, compute), ranks in harness.combined(
                itertools.product(kinds, self.PROGRAMS, ("none", "cpu")), (1, 2, 3, 5, 8)):
            with self.subTest(kind=kind, program=program, ranks=ranks, compute=compute):
                result = self.emulate(ranks, "--model", self.machine(kind[0], 8, 3, kind[1]), "--compute", compute,
                                      PROGRAMS / program)
                self.assertEqual(result.code, 0, result)

    def test_without_the_emulation(self):
        for ranks in (1, 3, 4):
            for program in self.PROGRAMS[:2 if ranks == 1 else None]:  # MPICH's cancelling hangs alone
                done = harness.Job([harness.MPIEXEC, "-n", str(ranks), PROGRAMS / program, "natively"]).end(120)
                self.assertEqual(done.code, 0, done)


class Fortran(Base):
    """The same program in each of MPI's bindings for Fortran."""

    BINDINGS = ("mpif.h", "mpi", "mpi_f08")

    def setUp(self):
        super().setUp()
        if not (PROGRAMS / "emulated-fortran-mpi").exists():
            self.skipTest("mpifort is missing: install gfortran")

    def test_it_is_right_whatever_messages_cost(self):
        for kind, limit in (("lmo", None), ("loggps", 10)):
            model = self.machine(kind, 5, 2, limit)
            for ranks in (1, 2, 3, 5):
                times = set()
                for binding in self.BINDINGS:
                    with self.subTest(kind=kind, ranks=ranks, binding=binding):
                        result = self.emulate(ranks, "--model", model, "--compute", "none", "--report", "report.json",
                                              PROGRAMS / f"emulated-fortran-{binding}")
                        self.assertEqual((result.code, result.out), (0, ""), result)
                        # The third one also sends sections of arrays.
                        if binding != "mpi_f08":
                            times.add(self.validated_report()["whole"]["time_s"])
                self.assertEqual(len(times), 1)

    def test_without_the_emulation(self):
        for ranks in (1, 2, 3, 5):
            for binding in self.BINDINGS:
                done = harness.Job([harness.MPIEXEC, "-n", str(ranks), PROGRAMS / f"emulated-fortran-{binding}"]).end()
                self.assertEqual((done.code, done.out), (0, ""), done)


class Chapter(Base):
    """A program that checks a chapter of the standard, emulated and not."""

    def check(self, *program, ranks=(1, 2, 3, 5)):
        command = [PROGRAMS / program[0], *program[1:]]
        for kind, limit in (("lmo", None), ("loggps", 100), ("bottleneck", 1)):
            model = self.machine(kind, 8, 3, limit)
            for n in ranks:
                with self.subTest(program=program, kind=kind, ranks=n):
                    result = self.emulate(n, "--model", model, "--compute", "none", *command)
                    self.assertEqual(result.code, 0, result)
        for n in ranks:
            done = harness.Job([harness.MPIEXEC, "-n", str(n), *command], cwd=self.directory).end()
            self.assertEqual(done.code, 0, done)

    def times(self, *program):
        """Of three runs."""
        model = self.machine("lmo", 3)
        for _ in range(3):
            result = self.emulate(3, "--model", model, "--compute", "none", "--report", "report.json",
                                  PROGRAMS / program[0], *program[1:])
            self.assertEqual(result.code, 0, result)
            yield self.validated_report()

    def check_times(self, *program):
        first, *others = self.times(*program)
        self.assertGreater(first["whole"]["time_s"], 0)
        for other in others:
            self.assertEqual(first, other)


class Files(Chapter):
    """MPI itself writes and reads them. Nonblocking collective operations are its generalised requests."""
    PROGRAM = ("emulated-files", "data")

    def test_semantics(self):
        self.check(*self.PROGRAM)

    def test_times_are_the_same_each_time(self):
        self.check_times(*self.PROGRAM)

    def report(self, *options):
        result = self.emulate(3, "--model", self.machine("lmo", 3), "--report", "report.json", *options,
                              PROGRAMS / self.PROGRAM[0], *self.PROGRAM[1:])
        self.assertEqual(result.code, 0, result)
        return self.validated_report()

    def test_what_their_data_cost(self):
        free = self.report("--compute", "none")
        self.assertEqual(free["whole"]["files_s"], 0)
        stated = self.report("--compute", "none", "--files", "1MB/s")
        for rank, other in zip(stated["ranks"], free["ranks"]):
            self.assertEqual(rank["read_bytes"], other["read_bytes"])
            self.assertGreaterEqual(rank["written_bytes"], 10 * 400)
            self.assertAlmostEqual(rank["files_s"], (rank["read_bytes"] + rank["written_bytes"]) / 1e6)
            parts = sum(rank[f"{part}_s"] for part in
                        ("computing", "sending", "receiving", "waiting", "files"))
            self.assertAlmostEqual(parts, rank["time_s"])
        measured = self.report()
        self.assertTrue(all(rank["files_s"] > 0 for rank in measured["ranks"]))
        self.assertEqual(self.report("--files", "none")["whole"]["files_s"], 0)

    def test_wrong_bandwidths(self):
        model = self.machine("lmo", 2)
        for text, word in (("0", "no file operation would end"), ("3m/s", "unknown unit"), ("-1GB/s", "negative")):
            self.assert_refused(self.emulate(2, "--model", model, "--files", text, "true"), 2, word)


class LargeCounts(Chapter):
    """MPI-4's functions with the ending _c."""

    def test_counts_that_are_ints(self):
        self.check("emulated-large-counts")


class Huge(Chapter):
    def test_counts_beyond_ints(self):
        model = self.machine("lmo", 2)
        program = (PROGRAMS / "emulated-large-counts", "huge")
        result = self.emulate(2, "--model", model, "--compute", "none", *program, limit=280)
        self.assertEqual(result.code, 0, result)


class Partitioned(Chapter):
    def test_semantics(self):
        self.check("emulated-partitioned")

    def test_times_are_the_same_each_time(self):
        self.check_times("emulated-partitioned")


class Sessions(Chapter):
    """Programs that start MPI by sessions, alone and beside MPI_Init."""

    def test_alone(self):
        self.check("emulated-sessions")

    def test_beside_the_world(self):
        self.check("emulated-sessions", "world")

    def test_of_threads(self):
        """Natively MPICH 4.0.2 itself doesn't always survive that."""
        model = self.machine("lmo", 5)
        for ranks in (1, 2, 5):
            result = self.emulate(ranks, "--model", model, "--compute", "none", PROGRAMS / "emulated-sessions", "threads")
            self.assertEqual(result.code, 0, result)

    def test_times_are_the_same_each_time(self):
        self.check_times("emulated-sessions")


class Deterministic(Base):
    """Random programs have the same virtual times on live processes, whenever they run, and in one thread, to
    the bit."""

    def check(self, kind, limit, runs, model=None):
        model = model or self.machine(kind, 8, 5, limit)
        for ranks, count in runs:
            first = 1000 * ranks
            simulated = harness.Job([PROGRAMS / "simulated-random-programs", model, kind, str(ranks),
                                     str(count), str(first)]).end()
            self.assertEqual(simulated.code, 0, simulated)
            self.assertEqual(len(simulated.out.splitlines()), count)
            live = self.emulate(ranks, "--model", model, "--compute", "none",
                                PROGRAMS / "emulated-random-programs", count, first)
            self.assertEqual(live.code, 0, live)
            self.assertEqual(live.out, simulated.out, f"{kind}, {ranks} ranks")

    def test_lmo(self):
        self.check("lmo", 400, [(ranks, harness.tries(250, 60)) for ranks in (2, 3, 5, 8)])

    def behind_uplinks(self, kind, limit):
        """Of eight hosts two are in a rack in a row of four; a backbone is between the rows."""
        def interval(value):
            return {"value": value, "low": value, "high": value}

        def hosts(first, last):
            return [f"h{host}" for host in range(first, last)]

        model = self.machine(kind, 8, 5, limit)
        document = json.loads(model.read_text())
        groups = [{"hosts": hosts(0, 4), "parent": None, "out": interval(15e-9), "in": interval(2e-9)},
                  {"hosts": hosts(0, 2), "parent": 0, "out": interval(1e-9), "in": interval(20e-9)},
                  {"hosts": hosts(4, 8), "parent": None, "out": interval(3e-9), "in": interval(None)}]
        document["fabric"] = {"groups": groups,
                              "backbone": {**interval(9e-9), "sides": [hosts(0, 4), hosts(4, 8)]},
                              "full_load": interval(1e8), "alone": 1e8, "misfit": 0, "rounds": 1,
                              "message_bytes": 1e6, "notes": [],
                              "replicates": {"out": [], "in": [], "backbone": []}}
        model.write_text(json.dumps(document))
        return model

    def test_behind_uplinks(self):
        for kind, limit in (("lmo", 400), ("hockney", 400)):
            self.check(kind, limit, [(ranks, harness.tries(100, 30)) for ranks in (5, 8)],
                       self.behind_uplinks(kind, limit))

    def test_everything_at_once_whatever_happens_in_real_time(self):
        count = harness.tries(80, 30)
        for kind, limit in (("lmo", None), ("lmo", 100), ("lom", 100), ("bottleneck", 100),
                            ("hockney", 100), ("loggps", 100)):
            model = self.machine(kind, 4, 7, limit)
            outputs = set()
            for pauses in range(3):
                result = self.emulate(4, "--model", model, "--compute", "none",
                                      PROGRAMS / "emulated-mixed-programs", count, 100, pauses)
                self.assertEqual(result.code, 0, (kind, limit, result))
                self.assertEqual(len(result.out.splitlines()), count)
                outputs.add(result.out)
            self.assertEqual(len(outputs), 1, f"{kind}, {limit}")

    def test_requests_that_queue_whatever_happens_in_real_time(self):
        for kind in ("lmo", "loggps", "hockney"):
            model = self.machine(kind, 4, 7, 100)
            outputs = set()
            for pauses in range(3):
                result = self.emulate(4, "--model", model, "--compute", "none", "--requests", "queue",
                                      "--jitter", "1:30us", PROGRAMS / "emulated-mixed-programs", 30, 100, pauses)
                self.assertEqual(result.code, 0, (kind, result))
                outputs.add(result.out)
            self.assertEqual(len(outputs), 1, kind)

    def test_requests_behind_data_that_share_links_whatever_happens_in_real_time(self):
        for kind in ("lmo", "bottleneck", "hockney", "loggps"):
            model = self.machine(kind, 4, 7, 100)
            outputs = set()
            for pauses in range(3):
                result = self.emulate(4, "--model", model, "--compute", "none", "--requests", "queue",
                                      "--sharing", "rendezvous", PROGRAMS / "emulated-mixed-programs", 20, 100, pauses)
                self.assertEqual(result.code, 0, (kind, result))
                outputs.add(result.out)
            self.assertEqual(len(outputs), 1, kind)

    def test_shared_links_whatever_happens_in_real_time(self):
        for kind, limit in (("lmo", 100), ("lmo", None), ("bottleneck", 100), ("hockney", 100)):
            model = self.machine(kind, 4, 7, limit)
            for sharing, program in harness.combined(("rendezvous", "all"), ("mixed-programs", "random-accesses")):
                outputs = set()
                for pauses in range(3):
                    result = self.emulate(4, "--model", model, "--compute", "none", "--sharing", sharing,
                                          "--report", "report.json",
                                          PROGRAMS / f"emulated-{program}", 20, 100, pauses)
                    self.assertEqual(result.code, 0, (kind, sharing, result))
                    outputs.add(result.out)
                self.assertEqual(len(outputs), 1, f"{kind}, {limit}, {sharing}, {program}")
                self.assertEqual(self.validated_report()["sharing"], sharing)

    def test_accesses_and_races_whatever_happens_in_real_time(self):
        kinds = (("lmo", 100), ("bottleneck", 100), ("hockney", None), ("loggps", 100))
        for (kind, limit), ranks in harness.combined(kinds, (2, 5)):
            model = self.machine(kind, ranks, 7, limit)
            outputs = set()
            for pauses in range(3):
                result = self.emulate(ranks, "--model", model, "--compute", "none",
                                      PROGRAMS / "emulated-random-accesses", 20, 100, pauses)
                self.assertEqual(result.code, 0, (kind, limit, result))
                self.assertEqual(len(result.out.splitlines()), 20)
                outputs.add(result.out)
            self.assertEqual(len(outputs), 1, f"{kind}, {limit}, {ranks} ranks")

    def test_other_models(self):
        for kind in ("lom", "bottleneck", "hockney", "loggps"):
            self.check(kind, 400, [(ranks, harness.tries(100, 30)) for ranks in (4, 7)])


class Traffic(Base):
    """Messages that are under way together share their pair's link and their ranks' ports."""
    RANKS = 6
    SIZE = 50000

    def times(self, kind, pattern, limit):
        """Parameters of the machine, and every rank's time in the pattern."""
        file = self.machine(kind, self.RANKS, 7, limit)
        result = self.emulate(self.RANKS, "--model", file, "--compute", "none",
                              PROGRAMS / "emulated-traffic", pattern, self.SIZE)
        self.assertEqual(result.code, 0, result)
        rows = (line.split() for line in result.out.splitlines())
        times = {int(rank): float(time) for rank, time in rows}
        document = model_file.load(file)["models"][kind]
        parameters = {name: parameter["value"] if isinstance(parameter["value"][0], float)
                      else model_file.full_matrix(parameter, "value")
                      for name, parameter in document.items()
                      if isinstance(parameter, dict) and isinstance(parameter.get("value"), list)}
        return parameters, times

    def assert_times(self, times, expected):
        for rank, time in expected.items():
            # Each look at the clock takes 20 ns.
            self.assertAlmostEqual(times[rank], time, delta=1e-7, msg=f"rank {rank}")

    def one_way(self, p, i, j):
        M = self.SIZE
        return (p["C"][i] + p["L"][i][j] + p["C"][j]
                + M * (p["t"][i] + p["inverse_beta"][i][j] + p["t"][j]))

    def part(self, p, i):
        return p["C"][i] + p["t"][i] * self.SIZE

    def in_turn(self, p, order, start=0.0):
        return {k: start + place * self.part(p, 0) + self.one_way(p, 0, k)
                for place, k in enumerate(order)}

    def test_eager_messages_leave_one_after_the_other(self):
        p, times = self.times("lmo", "fan-out", None)
        self.assert_times(times, self.in_turn(p, range(1, self.RANKS)))

    def test_rendezvous_messages_leave_as_their_requests_arrive(self):
        p, times = self.times("lmo", "fan-out", 100)
        order = sorted(range(1, self.RANKS), key=lambda k: p["L"][0][k])
        expected = self.in_turn(p, order)
        self.assert_times(times, {**expected, 0: max(expected.values())})

    def test_rendezvous_messages_to_late_receivers(self):
        p, times = self.times("lmo", "late", 100)
        self.assert_times(times, self.in_turn(p, range(1, self.RANKS), 1.0))

    def test_eager_messages_are_taken_in_as_they_come(self):
        p, times = self.times("lmo", "fan-in", None)
        end = 0.0
        for arrival in sorted(self.one_way(p, k, 0) - self.part(p, 0)
                              for k in range(1, self.RANKS)):
            end = max(end, arrival) + self.part(p, 0)
        self.assert_times(times, {0: end})

    def test_rendezvous_messages_keep_their_senders_until_they_are_in(self):
        p, times = self.times("lmo", "fan-in", 100)
        part, taken, ends = self.part(p, 0), [], {}
        # In the order of their requests' arrival each has the receiver's port when that is first
        # free for as long as it needs it.
        for k in sorted(range(1, self.RANKS), key=lambda k: p["C"][k] + p["L"][k][0]):
            start = self.one_way(p, k, 0) - part
            for other in sorted(taken):
                if start + part > other:
                    start = max(start, other + part)
            taken.append(start)
            ends[k] = start + part
        self.assert_times(times, {**ends, 0: max(ends.values())})

    def test_a_stream_is_as_fast_as_its_link(self):
        p, times = self.times("bottleneck", "stream", None)
        g = p["g"][0][1]
        self.assert_times(times, {1: p["C"][0] + p["L"][0][1] + p["C"][1] + 10 * g * self.SIZE})

    def test_a_port_works_while_slow_senders_trickle_in(self):
        p, times = self.times("bottleneck", "fan-in", None)
        others = range(1, self.RANKS)
        bytes_time = max(len(others) * p["r"][0], max(p["g"][k][0] for k in others)) * self.SIZE
        least = bytes_time + p["C"][0] + min(p["C"][k] + p["L"][k][0] for k in others)
        most = bytes_time + len(others) * p["C"][0] + max(p["C"][k] + p["L"][k][0] for k in others)
        self.assertTrue(least <= times[0] <= most, (least, times[0], most))

    def test_hockney_knows_no_overlap(self):
        for limit in (None, 100):
            p, times = self.times("hockney", "fan-out", limit)
            last = sum(p["alpha"][0][k] + p["beta"][0][k] * self.SIZE
                       for k in range(1, self.RANKS))
            self.assert_times(times, {0: last})


class Entered(Base):
    """Whatever way a program takes into MPI, it is emulated, or it is said that it isn't."""

    def setUp(self):
        super().setUp()
        self.model = self.machine("lmo", 3)

    def rows(self, *program):
        result = self.emulate(3, "--model", self.model, "--compute", "none", *program)
        self.assertEqual(result.code, 0, result)
        self.assertIn("3 ranks on the machine of the model", result.err)
        return sorted(list(map(float, line.split())) for line in result.out.splitlines())

    def test_fortran_2008(self):
        if not (PROGRAMS / "emulated-fortran-ring").exists():
            self.skipTest("mpifort is missing: install gfortran")
        lmo = Lmo(self.model)
        for rank, received, source, total, time in self.rows(PROGRAMS / "emulated-fortran-ring"):
            self.assertEqual(received, (rank - 1) % 3)
            self.assertEqual(source, received)
            self.assertEqual(total, 3)
            # Taking in may wait for the rank's own sending.
            message = lmo.message(int(source), int(rank), 4)
            self.assertGreater(time, message - 1e-7)
            self.assertLess(time, 2 * message)

    def test_a_program_that_calls_by_the_names_for_profiling(self):
        lmo = Lmo(self.model)
        (_, _, sends, _), *others = self.rows(PROGRAMS / "emulated-profiling")
        self.assertEqual(sends, 2)
        self.assertAlmostEqual(others[0][3], lmo.message(0, 1, 4), delta=1e-7)
        for rank, received, _, _ in others:
            self.assertEqual(received, rank)

    def test_every_function_has_both_names(self):
        symbols = harness.Job(["nm", "-D", "--defined-only", LIBRARY]).end().out
        names = set(re.findall(r" [Ti] (MPIX?_\w+)", symbols))
        self.assertEqual({f"P{name}" for name in names}, set(re.findall(r" (PMPIX?_\w+)", symbols)))
        # The emulation's own calls by those names would end in itself.
        sources = (TESTS.parent / "libemulate/src").rglob("*.cpp")
        for source in sources:
            called = set(re.findall(r"\bP(MPI_\w+)", source.read_text()))
            self.assertEqual(called & names, set(), source.name)

    def test_statically_linked(self):
        alone = PROGRAMS / "emulated-alone"
        for program in ((alone,), ("sh", "-c", f'exec "{alone}"'), ("env", alone)):
            self.assert_refused(self.emulate(3, "--model", self.model, *program), 2,
                                "emulated-alone can't be emulated", "linked statically")

    def test_a_program_that_calls_no_mpi(self):
        for program in (("true",), ("sh", "-c", f'"{PROGRAMS}/emulated-alone"; exit 0'),
                        ("bash", "-c", f'"{PROGRAMS}/emulated-alone"; exit 0')):
            self.assert_refused(self.emulate(3, "--model", self.model, *program), 2,
                                "called no MPI", "nothing was emulated")
        self.assert_refused(self.emulate(3, "--model", self.model, "sh", "-c", "exit 7"), 7,
                            "nothing was emulated")

    def test_scripts_around_a_program(self):
        for shell in ("sh", "bash"):
            self.rows(shell, "-c", f'"{PROGRAMS}/emulated-profiling"; exit 0')


class Disturbed(Base):
    """What others take of a rank's processor delays all that it does, by exactly that."""
    SIZE = 100000
    AT = 0.15  # [s]

    def setUp(self):
        super().setUp()
        self.model = self.machine("lmo", 2)
        self.parameters = {name: self.value(name) for name in ("C", "t")}
        self.time = Lmo(self.model).message(0, 1, self.SIZE)

    def value(self, name):
        return json.loads(self.model.read_text())["models"]["lmo"][name]["value"]

    def own_part(self, rank):
        return self.parameters["C"][rank] + self.SIZE * self.parameters["t"][rank]

    def run_disturbed(self, model, disturbances, *program):
        """Rank → its time, wall time, CPU time, involuntary switches."""
        options = [word for spec in disturbances for word in ("--disturb", spec)]
        result = self.emulate(2, "--model", model, "--compute", "none", *options,
                              PROGRAMS / "emulated-disturbed", *program)
        self.assertEqual(result.code, 0, result)
        self.assertEqual("disturbed" in result.err.splitlines()[0], bool(disturbances))
        rows = [list(map(float, line.split())) for line in result.out.splitlines()]
        return {int(row[0]): row[1:] for row in rows}

    def assert_ends(self, what, disturbances, expected, limit=None):
        model = self.machine("lmo", 2, limit=limit)
        times = self.run_disturbed(model, disturbances, what, self.AT, self.SIZE)
        for rank, end in expected.items():
            # Each look at the clock takes 20 ns.
            self.assertAlmostEqual(times[rank][0], end, delta=1.5e-7,
                                   msg=f"{what}, {disturbances}, rank {rank}, {limit}")

    def test_undisturbed(self):
        end = self.AT + self.time
        self.assert_ends("send", [], {0: self.AT + self.own_part(0), 1: end})
        self.assert_ends("send", [], {0: end, 1: end}, 100)

    def test_a_message_sent_in_a_lost_interval_is_later_by_its_rest(self):
        end = 0.2 + self.time
        for spec in ("rank=0,from=0.1,until=0.2", "rank=0,until=200ms"):
            self.assert_ends("send", [spec], {0: 0.2 + self.own_part(0), 1: end})
            self.assert_ends("send", [spec], {0: end, 1: end}, 100)

    def test_a_message_whose_sender_is_interrupted_is_later_by_the_interval(self):
        begin = self.AT + self.own_part(0) / 2
        end = self.AT + 0.03 + self.time
        for limit in (None, 100):
            self.assert_ends("send", [f"rank=0,from={begin},until={begin + 0.03}"], {1: end}, limit)

    def test_a_receiver_takes_in_when_it_has_its_processor(self):
        end = 0.2 + self.own_part(1)
        for what in ("receive", "wait"):
            self.assert_ends(what, ["rank=1,from=0.1,until=0.2"], {1: end})

    def test_a_rendezvous_message_waits_for_its_receiver_s_answer(self):
        end = 0.2 + self.time
        for what in ("receive", "wait"):
            self.assert_ends(what, ["rank=1,from=0.1,until=0.2"], {0: end, 1: end}, 100)

    def test_a_receiver_that_is_interrupted_is_later_by_the_interval(self):
        begin = self.AT + self.time - self.own_part(1) / 2
        end = self.AT + self.time + 0.03
        for limit in (None, 100):
            self.assert_ends("send", [f"rank=1,from={begin},until={begin + 0.03}"], {1: end}, limit)

    def test_half_speed_doubles_the_ranks_own_parts(self):
        end = self.AT + self.time
        for limit in (None, 100):
            self.assert_ends("send", ["rank=0,speed=0.5"], {1: end + self.own_part(0)}, limit)
            self.assert_ends("send", ["rank=1,speed=0.5"], {1: end + self.own_part(1)}, limit)
            self.assert_ends("send", ["rank=*,speed=0.5"],
                             {1: end + self.own_part(0) + self.own_part(1)}, limit)

    def test_disturbances_of_other_times_change_nothing(self):
        self.assert_ends("send", ["rank=0,from=0.05,until=0.1", "rank=1,from=3,until=4"],
                         {1: self.AT + self.time})

    def test_clocks_tell_the_loss(self):
        times = self.run_disturbed(self.model, ["rank=0,from=0.1,period=2ms,length=0.5ms"],
                                   "look", self.AT, 0.02)
        (_, wall, cpu, switches), (_, other_wall, other_cpu, others) = times[0], times[1]
        self.assertAlmostEqual(wall, 0.02, delta=1e-6)
        self.assertAlmostEqual(cpu, 0.015, delta=1e-6)
        # One at 100 ms and every 2 ms; the rank is awake, or late, at each of them.
        self.assertIn(switches, (10, 11))
        self.assertAlmostEqual(other_wall, other_cpu, delta=2e-7)
        self.assertEqual(others, 0)

    def test_computing_takes_longer(self):
        result = self.emulate(2, "--model", self.model, "--report", "report.json", "--disturb",
                              "rank=1,speed=0.5", PROGRAMS / "emulated-misdeeds", "compute")
        self.assertEqual(result.code, 0, result)
        report = self.validated_report()
        used = [float(line.split()[1]) for line in sorted(result.out.splitlines())]
        for rank, cpu, ratio in zip(report["ranks"], used, (1, 2)):
            self.assertAlmostEqual(rank["computing_s"] / (cpu * ratio), 1, delta=0.2)
        self.assertEqual(report["ranks"][0]["lost_s"], 0)
        self.assertAlmostEqual(report["ranks"][1]["lost_s"] / report["ranks"][1]["time_s"], 0.5,
                               delta=1e-6)
        self.assertEqual(report["disturbances"], [{"rank": 1, "from_s": 0, "until_s": None,
                                                   "speed": 0.5, "period_s": 0, "length_s": 0}])

    def test_same_times_every_time(self):
        options = ("--compute", "none", "--disturb", "rank=1,period=1ms,length=0.3ms",
                   "--disturb", "rank=*,from=5ms,speed=0.5", "--disturb", "rank=2,from=1ms,until=3ms")
        for limit in (None, 100):
            model = self.machine("loggps", 4, 7, limit)
            outputs = set()
            for pauses in range(3):
                result = self.emulate(4, "--model", model, *options,
                                      PROGRAMS / "emulated-mixed-programs", 20, 100, pauses)
                self.assertEqual(result.code, 0, (limit, result))
                outputs.add(result.out)
            self.assertEqual(len(outputs), 1, limit)

    def test_refused(self):
        for spec, words in (("rank=0,from=x", ("--disturb", "not a number")),
                            ("rank=2,until=1", ("rank 2 is to be disturbed", "the job has 2")),
                            ("rank=*", ("rank 0 may never get its processor back",)),
                            ("until=1", ("of which rank",))):
            self.assert_refused(self.emulate(2, "--model", self.machine("lmo", 4), "--disturb", spec,
                                             PROGRAMS / "emulated-semantics"), 2, *words)
        self.assert_refused(self.emulate(2, "--model", self.model, "--real-time", "--disturb",
                                         "rank=1,until=1", PROGRAMS / "emulated-semantics"),
                            2, "--disturb needs virtual time")


class RealTime(Base):
    """Ranks really wait for their emulated times."""

    def test_mpi_does_what_the_standard_says(self):
        for limit in (None, 100):
            result = self.emulate(4, "--model", self.machine("loggps", 4, 3, limit), "--real-time",
                                  PROGRAMS / "emulated-semantics")
            self.assertEqual(result.code, 0, result)

    def test_calls_take_real_time_and_are_accounted_for(self):
        model = self.machine("lmo", 4)
        lmo = json.loads(model.read_text())
        for name in ("value", "low", "high"):
            # So slow that this machine can follow, loaded as it may be.
            lmo["models"]["lmo"]["L"][name] = [
                [None if i == j else 0.05 for j in range(4)] for i in range(4)]
        model.write_text(json.dumps(lmo))
        start = time.monotonic()
        result = self.emulate(4, "--model", model, "--real-time", "--report", "report.json",
                              PROGRAMS / "emulated-random-programs", 3, 5)
        elapsed = time.monotonic() - start
        self.assertEqual(result.code, 0, result)
        report = self.validated_report()
        self.assertGreater(report["whole"]["time_s"], 0.3)
        self.assertGreater(elapsed, report["whole"]["time_s"])
        for rank in report["ranks"]:
            self.assertGreater(rank["account_rate"], 0)
            self.assertLess(rank["behind_s"], 0.1 * rank["time_s"])
        self.assertRegex(result.err, r"waiting +R\n")

    def test_nobody_waits_for_a_rank_that_computes(self):
        for limit in (None, 4):
            result = self.emulate(3, "--model", self.machine("lmo", 3, 1, limit), "--real-time",
                                  PROGRAMS / "emulated-traffic", "beside", 8)
            self.assertEqual(result.code, 0, result)
            times = dict(line.split() for line in result.out.splitlines())
            self.assertGreaterEqual(float(times["2"]), 0.9)
            self.assertLess(float(times["0"]), 0.5)
            self.assertLess(float(times["1"]), 0.5)

    def test_nor_for_one_that_has_sent_before_it_computes(self):
        for limit in (None, 4):
            result = self.emulate(2, "--model", self.machine("lmo", 3, 1, limit), "--real-time",
                                  PROGRAMS / "emulated-traffic", "ahead", 8)
            self.assertEqual(result.code, 0, result)
            times = dict(line.split() for line in result.out.splitlines())
            self.assertGreaterEqual(float(times["1"]), 0.9)
            self.assertLess(float(times["0"]), 0.5)

    def test_an_emulation_that_falls_behind_says_so(self):
        model = self.machine("hockney", 2)
        document = json.loads(model.read_text())
        for name in ("value", "low", "high"):
            # No machine sends messages in a nanosecond.
            document["models"]["hockney"]["alpha"][name] = [[None, 1e-9], [1e-9, None]]
            document["models"]["hockney"]["beta"][name] = [[None, 0], [0, None]]
        model.write_text(json.dumps(document))
        result = self.emulate(2, "--model", model, "--real-time",
                              PROGRAMS / "emulated-traffic", "stream", 8)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.err, "emulate: 2 of 2 ranks have R >= 1 .* by [0-9.]+ .s")

    def test_processors_can_not_be_faster(self):
        speeds = self.directory / "speeds.csv"
        speeds.write_text("rank,time_ratio\n0,1\n1,0.5\n")
        self.assert_refused(self.emulate(2, "--model", self.machine("lmo", 2), "--speeds", speeds,
                                         "--real-time", "true"), 2, "a time ratio is below 1")


class Collectives(Base):
    """Operations by schedules: what comes out, when, and whose algorithms they are."""

    # Each algorithm at least once; those that a call can't have are left to the set's choice.
    SETS = ("mpich", "ompi", "trees", "flat",
            "flat,bcast=scatter-recursive-doubling,reduce=reduce-scatter-gather,gather=at-once,"
            "scatter=at-once,gatherv=at-once,scatterv=at-once,allgather=bruck,"
            "allgatherv=ring-in-chunks,alltoall=bruck,alltoallv=pairwise,"
            "allreduce=reduce-scatter-allgather,scan=recursive-doubling,exscan=recursive-doubling,"
            "reduce_scatter=recursive-halving,reduce_scatter_block=pairwise",
            "trees,bcast=scatter-ring,allgather=recursive-doubling,allgatherv=bruck,"
            "alltoall=scattered,alltoallv=in-order,reduce_scatter=recursive-doubling,"
            "reduce_scatter_block=butterfly,allreduce=recursive-doubling")

    def results(self, ranks, sets, mode="exact"):
        result = self.emulate(ranks, "--model", self.machine("lmo", ranks), "--compute", "none",
                              "--collectives", sets, PROGRAMS / "emulated-collectives", mode,
                              limit=120)
        self.assertEqual(result.code, 0, (sets, result))
        return result.out.splitlines()

    def native(self, ranks, mode):
        """What MPICH does where each rank counts as a host of its own."""
        settings = {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "posix,self"}
        result = harness.Job(["env", *(f"{name}={value}" for name, value in settings.items()),
                              harness.MPIEXEC, "-n", str(ranks), PROGRAMS / "emulated-collectives",
                              mode], cwd=self.directory).end(120)
        self.assertEqual(result.code, 0, result)
        return result.out.splitlines()

    def test_all_algorithms_have_mpis_results(self):
        expected = {ranks: self.native(ranks, "exact") for ranks in (3, 4)}
        for sets, ranks in harness.combined(self.SETS, (3, 4)):
            self.assertEqual(self.results(ranks, sets), expected[ranks], (ranks, sets))

    def test_rounded_results_have_mpichs_bits(self):
        def blocking(lines):
            return [line for line in lines if not line.startswith("i")]
        for ranks in (3, 4):
            self.assertEqual(blocking(self.results(ranks, "mpich", "rounded")),
                             blocking(self.native(ranks, "rounded")))

    def times_of_allreduce(self, model, sets, count):
        result = self.emulate(2, "--model", model, "--compute", "none", "--collectives", sets,
                              PROGRAMS / "emulated-collectives", "alone", count)
        self.assertEqual(result.code, 0, result)
        return {int(rank): float(time)
                for rank, time in (line.split() for line in result.out.splitlines())}

    def test_an_allreduce_takes_what_its_messages_take(self):
        model = self.machine("lmo", 2)
        lmo = Lmo(model)
        value = {name: lmo.parameters[name]["value"] for name in ("C", "t")}
        looks = 1e-7  # at clocks

        def part(rank, size):
            return value["C"][rank] + size * value["t"][rank]

        for count, size in ((1, 8), (1000, 8000)):
            there_and_back = lmo.message(1, 0, size) + lmo.message(0, 1, size)
            trees = self.times_of_allreduce(model, "trees", count)
            self.assertAlmostEqual(trees[1], there_and_back, delta=looks)
            # By MPICH's choice both send at once: the whole vector, or one half and then the other.
            both = self.times_of_allreduce(model, "mpich,allreduce=recursive-doubling", count)
            for rank in (0, 1):
                arrival = lmo.message(0, 1, size) - part(rank, size)
                end = max(arrival, part(rank, size)) + part(rank, size)
                self.assertAlmostEqual(both[rank], end, delta=looks)
            halves = self.times_of_allreduce(model, "mpich", count)
            if count == 1:
                self.assertEqual(halves, both)
            else:
                self.assertLess(max(halves.values()), 2 * lmo.message(0, 1, size / 2) + looks)

    def test_unknown_words_are_refused_with_the_list(self):
        model = self.machine("lmo", 2)
        for sets, word in (("mpch", "mpich, ompi, trees or flat"),
                           ("allreduce=tree", "reduce-bcast or flat"),
                           ("reduceall=flat", "reduce_scatter_block")):
            self.assert_refused(self.emulate(2, "--model", model, "--collectives", sets,
                                             PROGRAMS / "emulated-semantics"), 2, word)


class Reports(Base):
    def test_table_report_and_trace(self):
        result = self.emulate(3, "--model", self.machine("lmo", 3), "--report", "report.json",
                              "--trace", "trace.json", "--compute", "none",
                              PROGRAMS / "emulated-random-programs", 5, 1)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.err, r"(?m)^  2 +h2 ")
        report = self.validated_report()
        for rank in report["ranks"]:
            shares = sum(rank[f"{what}_s"]
                         for what in ("computing", "sending", "receiving", "waiting", "sleeping"))
            self.assertTrue(math.isclose(shares, rank["time_s"], rel_tol=1e-9), rank)
        self.assertEqual(report["whole"]["time_s"], max(r["time_s"] for r in report["ranks"]))
        events = json.loads((self.directory / "trace.json").read_text())
        for pid in range(3):
            mine = [e for e in events if e["pid"] == pid and e["ph"] == "X"]
            self.assertTrue(mine)
            for before, after in zip(mine, mine[1:]):
                self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 1e-5)
        self.assertIn("MPI_Recv", {e["name"] for e in events})

    def exchanged(self, model, *options, size=65536):
        """What is said of a program with an all-to-all, and its report."""
        result = self.emulate(4, "--model", model, "--compute", "none", "--report", "report.json", *options,
                              PROGRAMS / "emulated-exchanges", size)
        self.assertEqual(result.code, 0, result)
        said = [line for line in result.err.splitlines() if "ranks exchange with one after the other" in line]
        return said, self.validated_report()

    def test_exchanges_that_may_fall_out_of_step(self):
        model = self.machine("hockney", 4)
        said, report = self.exchanged(model)
        self.assertEqual(len(said), 1)
        self.assertIn("emulate: the time is between", said[0])
        self.assertIn("--collectives alltoall=scattered", said[0])
        self.assertEqual(report["out_of_step"]["operations"], ["alltoall"])
        # A rank may have begun an exchange while its partner's data were on their way.
        beta = json.loads(model.read_text())["models"]["hockney"]["beta"]["value"]
        most = max(sum(row[j] or 0 for row in beta) for j in range(4)) * 65536
        longer = report["out_of_step"]["most_s"] - report["whole"]["time_s"]
        self.assertTrue(0.7 * most < longer < 1.0001 * most, (longer, most))
        self.assertAlmostEqual(report["out_of_step"]["share"], longer / report["whole"]["time_s"], delta=1e-9)
        # Other operations, step by step: the same program by Bruck's algorithm.
        said, report = self.exchanged(model, "--collectives", "alltoall=bruck")
        self.assertEqual(report["out_of_step"]["operations"], ["alltoall"])
        # The same data, but not in turn.
        said, report = self.exchanged(model, "--collectives", "alltoall=scattered")
        self.assertEqual((said, "out_of_step" in report), ([], False))

    def test_pairs_that_take_longer_at_once(self):
        """As a calibration found: said first, and at the end until when."""
        model = self.machine("hockney", 4)
        document = json.loads(model.read_text())
        for rank in document["launches"][0]["ranks"]:
            rank["host"] = "alone"
        document["launches"][0]["contention"] = {"tested": True, "ratio": 2.83, "low": 2.7, "high": 2.95}
        model.write_text(json.dumps(document))
        result = self.emulate(4, "--model", model, "--compute", "none", "--report", "report.json",
                              PROGRAMS / "emulated-exchanges", 65536)
        self.assertEqual(result.code, 0, result)
        self.assertIn("pairs of ranks that communicate at once take 2.83 times as long", result.err.splitlines()[0])
        self.assertIn("emulate: the time is between", result.err)
        report = self.validated_report()
        told = report["out_of_step"]
        self.assertEqual(told["operations"], [])
        self.assertTrue(0.5 < told["at_once"] <= 1.0001, told)
        longer = told["most_s"] / report["whole"]["time_s"] - 1
        self.assertTrue(0.9 * 1.83 * told["at_once"] < longer < 1.0001 * 1.83, told)

    def test_exchanges_that_stay_in_step(self):
        """Of few bytes, or on one host."""
        model = self.machine("hockney", 4)
        said, report = self.exchanged(model, "--collectives", "alltoall=pairwise", size=8)
        self.assertEqual((said, "out_of_step" in report), ([], False))
        document = json.loads(model.read_text())
        for rank in document["launches"][0]["ranks"]:
            rank["host"] = "alone"
        model.write_text(json.dumps(document))
        said, report = self.exchanged(model)
        self.assertEqual((said, "out_of_step" in report), ([], False))

    def test_cpu_time_counts_with_its_ratio(self):
        speeds = self.directory / "speeds.csv"
        speeds.write_text("rank,time_ratio\n0,1\n1,10\n")
        result = self.emulate(2, "--model", self.machine("lmo", 2), "--speeds", speeds, "--report",
                              "report.json", PROGRAMS / "emulated-misdeeds", "compute")
        self.assertEqual(result.code, 0, result)
        ranks = json.loads((self.directory / "report.json").read_text())["ranks"]
        used = [float(line.split()[1]) for line in sorted(result.out.splitlines())]
        for rank, (cpu, ratio) in enumerate(zip(used, (1, 10))):
            self.assertAlmostEqual(ranks[rank]["computing_s"] / (cpu * ratio), 1, delta=0.2)

    def scattering_machine(self):
        """One whose file says by how much messages are late."""
        file = self.machine("lmo", 2, limit=100)
        content = json.loads(file.read_text())
        content["models"]["jitter"] = {
            "mean": {"value": 2e-6, "low": 1e-6, "high": 3e-6}, "range_bytes": [0, 1000], "residual": None,
            "observations": 8, "warnings": [], "replicates": {"kind": "passes", "mean": [1e-6, 3e-6]}}
        jsonschema.validate(content, json.loads(MODEL_SCHEMA.read_text()))
        file.write_text(json.dumps(content))
        return file

    def test_messages_that_are_late(self):
        model = self.scattering_machine()
        program = (PROGRAMS / "emulated-mixed-programs", 3, 100, 0)

        def told(*options):
            result = self.emulate(2, "--model", model, "--report", "report.json", *options, *program)
            self.assertEqual(result.code, 0, result)
            return result, self.validated_report()
        result, on_time = told("--compute", "none")
        self.assertNotIn("late by chance", result.err)
        self.assertEqual((on_time["requests"], "jitter" in on_time), ("queue", False))
        self.assertNotIn("requests", told("--compute", "none", "--requests", "pass")[1])
        result, drawn = told("--compute", "none", "--jitter", "7")
        self.assertIn("this is one draw, of seed 7", result.err)
        self.assertEqual(drawn["jitter"], {"mean_s": 2e-6, "seed": 7})
        self.assertNotEqual(drawn["whole"], on_time["whole"])
        self.assertEqual(told("--compute", "none", "--jitter", "7")[1], drawn)
        result, other = told()
        self.assertIn(f"this is one draw, of seed {other['jitter']['seed']}", result.err)
        self.assertNotIn("jitter", told("--jitter", "none")[1])

    def test_netpipe(self):
        netpipe = shutil.which("NPmpich2")
        if not netpipe:
            self.skipTest("NPmpich2 is missing: install netpipe-mpich2")
        model = self.machine("lmo", 2)
        result = self.emulate(2, "--model", model, "--compute", "none", netpipe, "-u", "100000",
                              "-o", "np.out", limit=240)
        self.assertEqual(result.code, 0, result)
        lmo = Lmo(model)
        lines = re.findall(r"(\d+) bytes +\d+ times --> +[\d.]+ Mbps in +([\d.]+) usec", result.out
                           + result.err)
        self.assertGreater(len(lines), 50)
        for size, measured in lines:
            predicted = lmo.message(0, 1, int(size))
            self.assertAlmostEqual(float(measured) * 1e-6 / predicted, 1, delta=0.02)


class Threads(Base):
    """Several threads of a rank call MPI."""

    def test_what_mpi_says(self):
        kinds = (("lmo", None), ("loggps", 100), ("bottleneck", 1))
        for (part, kind), (ranks, compute) in harness.combined(
                itertools.product(((), ("windows",)), kinds), ((1, "none"), (2, "cpu"), (3, "none"), (4, "cpu"))):
            with self.subTest(part=part, kind=kind, ranks=ranks, compute=compute):
                result = self.emulate(ranks, "--model", self.machine(kind[0], 4, 3, kind[1]), "--compute", compute,
                                      PROGRAMS / "emulated-threads", *part)
                self.assertEqual(result.code, 0, result)

    def test_without_the_emulation(self):
        """At one rank MPICH 4.0.2 itself doesn't come to an end."""
        for program in ("emulated-threads", "emulated-thread-lives", "emulated-openmp"):
            if (PROGRAMS / program).exists():
                done = harness.Job([harness.MPIEXEC, "-n", "2", PROGRAMS / program]).end()
                self.assertEqual(done.code, 0, done)

    def times(self, ranks, model, program, part="times"):
        result = self.emulate(ranks, "--model", model, "--compute", "none", "--report", "report.json",
                              PROGRAMS / program, part)
        self.assertEqual(result.code, 0, result)
        return sorted(line.split() for line in result.out.splitlines())

    def test_each_has_a_clock(self):
        model = self.machine("lmo", 3)
        lmo = Lmo(model)
        runs = [self.times(3, model, "emulated-threads") for _ in range(3)]
        self.assertEqual(runs[0], runs[1])
        self.assertEqual(runs[0], runs[2])
        self.assertEqual({rank["threads"] for rank in self.validated_report()["ranks"]}, {5})
        times = {(int(rank), int(thread)): float(time) for rank, thread, time in runs[0]}
        for rank in range(3):
            before = (rank + 2) % 3
            for thread in (0, 1):  # computed 1 and 2 ms, at once, then took a message
                expected = 1e-3 * (thread + 1) + lmo.message(before, rank, 1000)
                self.assertAlmostEqual(times[rank, thread], expected, delta=1e-7)
            # The third computed 3 ms, and waited for the fourth; the first joins them.
            self.assertAlmostEqual(times[rank, 2], times[rank, 3], delta=1e-7)
            self.assertAlmostEqual(times[rank, 4], times[rank, 3], delta=1e-7)

    def test_from_before_the_beginning_to_after_the_end(self):
        model = self.machine("lmo", 3)
        for ranks in (1, 3):
            for compute in ("none", "cpu"):
                result = self.emulate(ranks, "--model", model, "--compute", compute,
                                      PROGRAMS / "emulated-thread-lives")
                self.assertEqual(result.code, 0, result)
        runs = [self.times(3, model, "emulated-thread-lives") for _ in range(3)]
        self.assertEqual(runs[0], runs[1])
        self.assertEqual(runs[0], runs[2])
        for _, _, time in runs[0]:  # two answers, each takes 5 ms
            self.assertAlmostEqual(float(time), 10e-3, delta=1e-7)

    def test_waits_that_the_system_knows(self):
        """A future, std::atomic::wait and the like, C11's: who waits goes on when the other lets it."""
        for _ in range(3):
            result = self.emulate(2, "--model", self.machine("lmo", 2), "--compute", "none",
                                  PROGRAMS / "emulated-threads", "waits")
            self.assertEqual(result.code, 0, result)
            lines = [line.split() for line in result.out.splitlines()]
            self.assertEqual(len(lines), 2 * 8)
            for _, name, time in lines:
                expected = 0 if name == "new-lock" else 5e-3
                self.assertAlmostEqual(float(time), expected, delta=1e-7, msg=name)

    def test_a_deadlock(self):
        self.assert_refused(self.emulate(2, "--model", self.machine("lmo", 2), PROGRAMS / "emulated-threads",
                                         "deadlock"), 5,
                            "rank 1 waits for another thread",
                            "rank 1's thread 2 waits for a message from rank 0 with tag 70")

    def test_cores(self):
        """Four threads that compute take all of their times on one core, and less on more."""
        model = self.machine("lmo", 1)
        ratio = {}
        for cores in (4, 1):
            result = self.emulate(1, "--model", model, "--cores-per-rank", cores,
                                  PROGRAMS / "emulated-threads", "compute")
            self.assertEqual(result.code, 0, result)
            used, taken = map(float, result.out.split())  # of each on average, and in all
            ratio[cores] = taken / used
        self.assertAlmostEqual(ratio[1], 4, delta=0.3)
        self.assertLess(ratio[4], 3)

    def test_that_the_clock_is_read_counts_for_nothing(self):
        """Each call of MPI or between threads reads the thread's CPU clock twice."""
        result = self.emulate(1, "--model", self.machine("lmo", 1), PROGRAMS / "emulated-threads", "costs-of-calls")
        self.assertEqual(result.code, 0, result)
        for share in map(float, result.out.split()):
            self.assertLess(share, 0.5, result.out)

    def openmp_programs(self):
        """By gcc's library and by LLVM's."""
        all_ = [program for program in ("emulated-openmp", "emulated-openmp-llvm") if (PROGRAMS / program).exists()]
        if not all_:
            self.skipTest("no OpenMP")
        return all_

    def test_openmp(self):
        model = self.machine("lmo", 3)
        expected = {"region": 5e-3, "barrier": 11e-3, "loops": 16e-3, "reductions": 20e-3, "locks": 24e-3,
                    "nest-locks": 28e-3}
        for program in self.openmp_programs():
            with self.subTest(program=program):
                for ranks in (1, 3):
                    result = self.emulate(ranks, "--model", model, "--compute", "none", PROGRAMS / program)
                    self.assertEqual(result.code, 0, result)
                runs = [self.times(3, model, program) for _ in range(3)]
                self.assertEqual(runs[0], runs[1])
                self.assertEqual(runs[0], runs[2])
                # Threads compute whatever level the program asked for.
                self.assertEqual(runs[0], self.times(3, model, program, "times-of-one"))
                for _, part, time in runs[0]:
                    if part != "master":
                        self.assertAlmostEqual(float(time), expected[part], delta=1e-6)

    def test_tasks_of_openmp(self):
        """The library's choice who carries out which may leave one more than needed for one of four."""
        model = self.machine("lmo", 3)
        least = {"barrier": 2, "end": 7, "wait": 3, "dependent": 8, "loop": 3, "group": 3, "at-once": 4, "ordered": 9}
        longest = {"wait": 2, "dependent": 2}  # [ms] of its tasks
        for program in self.openmp_programs():
            for ranks in (1, 3):
                times = self.times(ranks, model, program, "tasks")
                self.assertEqual(len(times), ranks * len(least))
                for rank, part, time in times:
                    self.assertGreater(float(time), 1e-3 * least[part] - 1e-6, (program, rank, part))
                    more = 0 if part == "ordered" else longest.get(part, 1)
                    self.assertLess(float(time), 1e-3 * (least[part] + more) + 1e-6, (program, rank, part))


class MessagePassingYorick(Base):
    """An interpreter that probes, polls, takes messages from anybody and hands out tasks."""

    def setUp(self):
        super().setUp()
        self.mpy = shutil.which("mpy.mpich2")
        if not self.mpy:
            self.skipTest("mpy.mpich2 is missing: install yorick-mpy-mpich2")

    def run_script(self, ranks, model, script, commands, compute="none"):
        """The output, and each rank's time."""
        (self.directory / "run.i").write_text(f"{commands}\nquit;\n")
        result = self.emulate(ranks, "--model", model, "--compute", compute, "--report",
                              "report.json", self.mpy, "-j", script, "-i", "run.i", limit=120)
        self.assertEqual(result.code, 0, result)
        report = json.loads((self.directory / "report.json").read_text())
        return result.out, [rank["time_s"] for rank in report["ranks"]]

    def run_its_tests(self, ranks, model, compute="none"):
        """All must pass. Each rank's time."""
        packed = pathlib.Path("/usr/share/doc/yorick-mpy-common/examples/testmp.i.gz")
        if not packed.exists():
            self.skipTest(f"{packed} is missing: install yorick-mpy-common with its documentation")
        (self.directory / "testmp.i").write_bytes(gzip.decompress(packed.read_bytes()))
        out, times = self.run_script(ranks, model, "testmp.i", "testmp;", compute)
        verdicts = re.findall(r"(?m)^(?:testmp\d (?:passed|failed) on .*|mpool .*)$", out)
        self.assertEqual(verdicts, [f"testmp2 passed on all {ranks} ranks",
                                    f"testmp3 passed on all {ranks} ranks",
                                    "mpool finished (vpack) nerrors=0",
                                    "mpool self=1 finished (vsave) nerrors=0",
                                    "mpool list= finished (vpack) nerrors=0"])
        return times

    def slower(self, model, factor):
        document = json.loads(model.read_text())
        for name in ("C", "t", "L", "inverse_beta"):
            parameter = document["models"]["lmo"][name]
            for bound in ("value", "low", "high"):
                parameter[bound] = scaled(parameter[bound], factor)
        file = self.directory / "slower.json"
        file.write_text(json.dumps(document))
        return file

    def test_its_tests_pass_with_the_same_times_every_time(self):
        model = self.machine("lmo", 4)
        self.assertEqual(self.run_its_tests(4, model), self.run_its_tests(4, model))

    def test_its_tests_pass_where_computing_counts(self):
        self.run_its_tests(3, self.machine("loggps", 3), "cpu")

    def test_a_network_ten_times_slower_takes_ten_times_longer(self):
        model = self.machine("lmo", 6)
        fast = self.run_its_tests(6, model)
        slow = self.run_its_tests(6, self.slower(model, 10))
        for one, ten in zip(fast, slow):  # but for polling and looks at clocks
            self.assertAlmostEqual(ten / one, 10, delta=0.05)

    def test_rounds_take_what_their_messages_take(self):
        polling, rounds, resolution = 0.3e-6, 20, 1e-6  # [s] of one hop; of its clock
        script = pathlib.Path(__file__).with_name("ring.i")
        commands = "".join(f"ring, {size}, {rounds};\n" for size in (1, 1000, 100000))
        for ranks in (3, 4, 6):
            model = self.machine("lmo", ranks)
            lmo = Lmo(model)
            out, _ = self.run_script(ranks, model, script, commands)
            lines = re.findall(r"(\d+) bytes right in ([\d.]+) s", out)
            self.assertEqual([int(size) for size, _ in lines], [1, 1000, 100000], out)
            for size, measured in lines:
                least = sum(lmo.message(i, (i + 1) % ranks, int(size)) for i in range(ranks))
                self.assertGreater(float(measured), least - resolution / rounds)
                self.assertLess(float(measured), least + ranks * polling + resolution / rounds)


class Mandelbrot(Base):
    """The example: masters and workers, with computed points and with points of a stated cost."""

    def run_variation(self, masters, *options):
        result = self.emulate(8, "--model", self.machine("loggps", 8), "--compute", "none",
                              PROGRAMS / "mandelbrot-explorer", "--masters", masters, *options)
        self.assertEqual(result.code, 0, result)
        return re.fullmatch(r"time_s ([\d.]+) sum (\d+) splits \d+\n", result.out).groups()

    def test_all_variations_find_the_same(self):
        sums = {self.run_variation(masters, "--side", 64, "--task", 2, "--wait", 1e-5)[1]
                for masters in ("one", "several", "dynamic")}
        self.assertEqual(len(sums), 1)

    def test_same_times_every_time(self):
        for masters in ("one", "several", "dynamic"):
            options = (masters, "--side", 64, "--task", 1, "--cost", 1e-5, "--wait", 1e-5)
            self.assertEqual(self.run_variation(*options), self.run_variation(*options))

    def test_long_tasks_take_what_their_workers_take(self):
        time = float(self.run_variation("one", "--side", 70, "--task", 7, "--cost", 1e-3)[0])
        self.assertAlmostEqual(time / (4900 * 1e-3 / 7), 1, delta=0.05)

    def test_a_master_that_is_asked_too_often_is_the_limit(self):
        one = float(self.run_variation("one", "--side", 64, "--task", 1, "--cost", 0)[0])
        several = float(self.run_variation("several", "--side", 64, "--task", 1, "--cost", 0)[0])
        self.assertGreater(one / several, 1.3)


if __name__ == "__main__":
    unittest.main()
