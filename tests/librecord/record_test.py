"""Programs that are recorded. Paths come from the environment, see CMakeLists.txt."""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema

try:
    import otf2
except ImportError:
    otf2 = None

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "tools")]
import harness  # noqa: E402
import mpi_calls  # noqa: E402

TOOLS = pathlib.Path(os.environ["RECORD"]).parent
PROGRAMS = pathlib.Path(os.environ["PROGRAMS"])  # of one MPI library
MPICH = os.environ.get("MPICH_MPIEXEC")  # set where that library is Open MPI
IS_OPENMPI = MPICH is not None
CALLS = PROGRAMS / "recorded-calls"
SCHEMAS = TESTS.parent / "docs/schema"
ANY = -2**31
Event = collections.namedtuple("Event", "kind time name record attributes")


class Base(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        self.trace = self.directory / "trace"

    def record(self, ranks, *arguments, limit=60, output=None, **more):
        return harness.Job([harness.MPIEXEC, "-n", str(ranks), TOOLS / "record", "-o",
                            output or self.trace, *map(str, arguments)],
                           cwd=self.directory, **more).end(limit)

    def recorded(self, ranks, *arguments, **more):
        """The events of each rank of a run in which nothing went wrong."""
        result = self.record(ranks, *arguments, **more)
        self.assertEqual(result.code, 0, result)
        self.assertNotIn("record: ", result.err)
        return self.events(self.trace, ranks)

    def events(self, trace, ranks):
        if otf2 is None:
            self.skipTest("python3-otf2 is not installed")
        found = [[] for _ in range(ranks)]
        with otf2.reader.open(str(trace / "traces.otf2")) as archive:
            for location, event in archive.events:
                if location.name != "Master thread":
                    continue
                rank = list(archive.definitions.location_groups).index(location.group)
                region = getattr(event, "region", None)
                parameter = getattr(event, "parameter", None)
                name = region.name if region else parameter.name if parameter else ""
                attributes = {key.name.removeprefix("commgauge::"): value
                              for key, value in (event.attributes or {}).items()}
                found[rank].append(Event(type(event).__name__, event.time,
                                         name.removeprefix("commgauge::"), event, attributes))
        return found

    def further_threads(self, trace):
        """Events by rank and thread, from 1."""
        if otf2 is None:
            self.skipTest("python3-otf2 is not installed")
        found = {}
        with otf2.reader.open(str(trace / "traces.otf2")) as archive:
            groups = list(archive.definitions.location_groups)
            for location, event in archive.events:
                words = location.name.split()
                if words[0] != "Thread":
                    continue
                region = getattr(event, "region", None)
                parameter = getattr(event, "parameter", None)
                name = region.name if region else parameter.name if parameter else ""
                found.setdefault((groups.index(location.group), int(words[1])), []).append(
                    Event(type(event).__name__, event.time, name.removeprefix("commgauge::"), event, {}))
        return found

    def own_lines(self, result):
        return [line for line in result.err.splitlines() if line.startswith("record: ")]

    def assert_refused(self, result, code, *words):
        self.assertEqual(result.code, code, result)
        own = self.own_lines(result)
        self.assertEqual(len(own), 1, result)
        for word in words:
            self.assertIn(word, own[0])

    def assert_unfinished(self, trace=None):
        trace = trace or self.trace
        self.assertTrue((trace / "unfinished").exists())
        self.assertFalse((trace / "traces.otf2").exists())


def calls(events):
    return [event.name for event in events if event.kind == "Enter"]


def of_kind(events, kind):
    return [event for event in events if event.kind == kind]


class Refused(Base):
    """One line, an exit code, no hang."""

    def test_directory_that_is_there(self):
        self.trace.mkdir()
        (self.trace / "kept").write_text("kept")
        result = self.record(3, CALLS, "messages")
        self.assert_refused(result, 2, "isn't empty")
        self.assertEqual((self.trace / "kept").read_text(), "kept")
        self.assertNotIn("over", result.out)

    def test_directory_that_can_not_be_made(self):
        self.assert_refused(self.record(2, CALLS, output="/dev/null/trace"), 2, "/dev/null/trace")

    def test_what_can_not_be_recorded(self):
        self.assert_refused(self.record(2, TOOLS / "emulated-alone"), 2, "linked statically")
        self.assert_refused(self.record(2, "true"), 2, "called no MPI")
        self.assert_refused(self.record(2, "./none"), 2, "can't be started")
        self.assert_refused(self.record(2), 2, "no program")
        result = harness.Job([TOOLS / "record", "true"]).end()
        self.assert_refused(result, 2, "--output is required")

    def test_a_program_that_one_rank_does_not_have(self):
        script = ('if [ "${PMI_RANK-$OMPI_COMM_WORLD_RANK}" = 1 ]; then set -- ./none; '
                  f'else set -- "{CALLS}"; fi; '
                  f'exec "{TOOLS}/record" -o trace "$@"')
        result = harness.Job([harness.MPIEXEC, "-n", "3", "sh", "-c", script, "sh"],
                             cwd=self.directory).end(60)
        self.assert_refused(result, 2, "./none can't be started")

    def test_half_an_mpmd_line(self):
        recorded = [TOOLS / "record", "-o", "trace", CALLS, "messages"]
        bare = [CALLS, "messages"]
        for parts, word in (((recorded, bare), "rank 1 isn't recorded"), ((bare, recorded), "rank 0 isn't recorded"),
                            ((recorded, [TOOLS / "record", "-o", "other", CALLS, "messages"]),
                             "rank 1 has other options than rank 0")):
            line = [str(text) for part in parts for text in (":", "-n", "1", *part)]
            result = harness.Job([harness.MPIEXEC, *line[1:]], cwd=self.directory).end(60)
            self.assert_refused(result, 2, word)


class Unfinished(Base):
    """A line, an archive that says that it is none, and the program's own end."""

    def test_a_killed_rank(self):
        result = self.record(3, CALLS, "kill")
        self.assertEqual(result.code, 128 + 9 if IS_OPENMPI else 9, result)
        self.assertEqual(len(self.own_lines(result)), 1, result)
        self.assertIn("ended before MPI_Finalize", result.err)
        self.assert_unfinished()

    def test_abort(self):
        result = self.record(3, CALLS, "abort")
        self.assert_refused(result, 7, "rank 1 called MPI_Abort")
        self.assert_unfinished()
        self.assertIn("MPI_Abort", (self.trace / "unfinished.1").read_text())

    def test_no_finalize(self):
        # Without a launcher of MPI jobs, which has codes of its own for that.
        result = harness.Job([TOOLS / "record", "-o", self.trace, CALLS, "leave"]).end()
        self.assert_refused(result, 2, "rank 0 ended without MPI_Finalize")
        self.assert_unfinished()

    def test_a_full_disk(self):
        full = self.directory / "full"
        full.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", full],
                          capture_output=True).returncode != 0:
            self.skipTest("mounting a small file system needs root")
        self.addCleanup(subprocess.run, ["umount", full])
        result = self.record(2, CALLS, "many", 300000, output=full / "trace")
        self.assert_refused(result, 2, "No space left on device")
        if not IS_OPENMPI:  # its launcher ends a job as soon as a rank has failed
            self.assertIn("over", result.out)
        self.assert_unfinished(full / "trace")


class Contents(Base):
    """What is in the archive, event by event."""

    def test_every_call_is_recorded_or_local(self):
        library = os.environ["RECORD_LIBRARY"]
        self.assertEqual(mpi_calls.left_alone(os.environ["MPI_HEADER"], library), set())

    def test_messages(self):
        for clock in ("cpu", "wall"):
            shutil.rmtree(self.trace, ignore_errors=True)
            zero, one = self.recorded(2, "--clock", clock, CALLS, "messages")
            self.assertEqual(calls(zero), ["MPI_Recv", "MPI_Recv", "MPI_Irecv", "MPI_Wait", "MPI_Barrier",
                                           "MPI_Sendrecv", "MPI_Send", "MPI_Barrier", "MPI_Finalize"])
            received = of_kind(zero, "MpiRecv") + of_kind(zero, "MpiIrecv")
            self.assertEqual([(event.record.msg_tag, event.record.msg_length) for event in received],
                             [(3, 10), (4, 11), (5, 12), (6, 7)])
            self.assertEqual(received[1].attributes["posted source"], ANY)
            self.assertEqual(of_kind(zero, "MpiIrecvRequest")[0].attributes["posted tag"], ANY)
            self.assertEqual([event.attributes.get("mode") for event in of_kind(one, "MpiSend")], [None, 2])
            self.assertEqual(bool(of_kind(zero, "Metric")), clock == "cpu")

    def test_times_do_not_go_back(self):
        for events in self.recorded(3, CALLS, "communicators"):
            for kind in (None, "Metric"):
                times = [event.record.values[0] if kind else event.time
                         for event in events if kind in (None, event.kind)]
                self.assertEqual(times, sorted(times))

    def test_each_start_of_a_persistent_request_is_a_message(self):
        zero, one = self.recorded(2, CALLS, "persistent")
        self.assertEqual(len(of_kind(zero, "MpiIsend")), 3)
        self.assertEqual([event.record.msg_length for event in of_kind(one, "MpiIrecv")], [5, 5, 5])

    def test_tests_in_vain_are_counted(self):
        zero, _ = self.recorded(2, CALLS, "polling")
        self.assertEqual(calls(zero), ["MPI_Irecv", "MPI_Test", "MPI_Iprobe", "MPI_Barrier", "MPI_Finalize"])
        self.assertGreater(of_kind(zero, "MpiIrecv")[0].attributes["attempts"], 10)
        self.assertEqual(of_kind(zero, "MpiRequestTest")[0].attributes["attempts"], 1)
        borders = [event for event in zero if event.name == "MPI_Test"]
        self.assertGreater(borders[1].time - borders[0].time, 5e6)

    def test_probes(self):
        zero, _ = self.recorded(2, CALLS, "probes")
        probes = of_kind(zero, "ParameterUnsignedInt")
        self.assertEqual([(event.name, event.attributes["found tag"], event.record.value) for event in probes],
                         [("probe", 0, 10), ("matched probe", 2, 12), ("matched probe", 1, 11)])
        self.assertEqual([event.record.msg_length for event in of_kind(zero, "MpiRecv")], [10, 12])
        self.assertEqual([event.record.msg_length for event in of_kind(zero, "MpiIrecv")], [11])

    def test_communicators(self):
        events = self.recorded(4, CALLS, "communicators")
        with otf2.reader.open(str(self.trace / "traces.otf2")) as archive:
            names = [comm.name for comm in archive.definitions.comms]
        self.assertIn("copy", names)
        made = collections.Counter(calls(events[0]))
        self.assertEqual((made["MPI_Comm_dup"], made["MPI_Cart_create"], made["MPI_Comm_free"]), (1, 1, 3))
        for own in events:
            meetings = [event for event in of_kind(own, "MpiCollectiveEnd")
                        if event.record.collective_op == otf2.CollectiveOp.CREATE_HANDLE]
            self.assertEqual(len(meetings), 3)

    def test_communicators_between_groups(self):
        """By otf2-print, for python3-otf2 3.0 can't read their definitions."""
        result = self.record(3, CALLS, "between-groups")
        self.assertEqual((result.code, result.err), (0, ""), result)
        if not shutil.which("otf2-print"):
            self.skipTest("otf2-tools is not installed")
        anchor = self.trace / "traces.otf2"
        definitions = harness.Job(["otf2-print", "-G", anchor]).end().out
        self.assertEqual(definitions.count("INTER_COMM"), 1)
        events = harness.Job(["otf2-print", "-L", "2", anchor]).end().out
        self.assertEqual(events.count("CREATE_HANDLE"), 3)

    def test_regions_clocks_and_sleep(self):
        zero, _ = self.recorded(2, CALLS, "regions")
        self.assertEqual([(event.kind, event.name) for event in zero if event.kind in ("Enter", "Leave")][:4],
                         [("Enter", "solve"), ("Enter", "MPI_Barrier"), ("Leave", "MPI_Barrier"),
                          ("Leave", "solve")])
        told = {event.name: event.record.value for event in of_kind(zero, "ParameterUnsignedInt")}
        self.assertEqual(told, {"clock reads": 2, "sleep [ns]": 3000000})

    def test_regions_of_the_c_interface(self):
        """They do nothing without the recorder."""
        if IS_OPENMPI:
            self.skipTest("libcommgauge is linked with the MPI library that it was built with, MPICH")
        alone = harness.Job([harness.MPIEXEC, "-n", "2", PROGRAMS / "recorded-regions"]).end()
        self.assertEqual((alone.code, alone.out, alone.err), (0, "over\n", ""), alone)
        zero, one = self.recorded(2, PROGRAMS / "recorded-regions")
        expected = [("Enter", "solve"), ("Enter", "exchange"), ("Enter", "MPI_Barrier"),
                    ("Leave", "MPI_Barrier"), ("Leave", "exchange"), ("Leave", "solve"),
                    ("Enter", "MPI_Finalize"), ("Leave", "MPI_Finalize")]
        for rank in (zero, one):
            self.assertEqual([(event.kind, event.name) for event in rank
                              if event.kind in ("Enter", "Leave")], expected)

    def test_computing_is_cpu_time(self):
        """A sleep costs none, whatever else the machine does meanwhile."""
        zero, _ = self.recorded(2, CALLS, "regions")
        metrics = [event.record.values[0] for event in of_kind(zero, "Metric")]
        borders = [event for event in zero if event.kind in ("Enter", "Leave")]
        sleep = [i for i, event in enumerate(borders) if event.name == "sleep"]
        self.assertLess(metrics[sleep[1]] - metrics[sleep[0]], 1e6)
        self.assertGreater(borders[sleep[1]].time - borders[sleep[0]].time, 3e6)

    def test_what_no_replay_knows_is_said(self):
        result = self.record(2, CALLS, "names")
        self.assertEqual(result.code, 0, result)
        self.assertEqual(len(self.own_lines(result)), 1, result)
        self.assertIn("MPI_Lookup_name", self.own_lines(result)[0])
        self.assertTrue(calls(self.events(self.trace, 2)[0]))

    def test_generalised_requests(self):
        zero, _ = self.recorded(2, CALLS, "generalised")
        told = [(event.name, event.record.value) for event in of_kind(zero, "ParameterUnsignedInt")]
        self.assertEqual(told, [("release of object", 1), ("wait for object", 1)])

    def test_threads(self):
        zero, one = self.recorded(2, CALLS, "threads")
        self.assertEqual(calls(zero), ["pthread_create"] * 3 + ["pthread_join"] * 3 + ["MPI_Barrier", "MPI_Finalize"])
        further = self.further_threads(self.trace)
        self.assertEqual(sorted(further), [(rank, thread) for rank in range(2) for thread in range(1, 4)])
        for events in further.values():
            self.assertEqual(calls(events), ["sleep", "pthread_exit"])
            told = [event.name for event in of_kind(events, "ParameterUnsignedInt")]
            self.assertEqual(told, ["thread begins", "sleep [ns]", "release of object", "thread ends"])
            self.assertEqual([event.record.value for event in events if event.name == "sleep [ns]"], [20000000])

    def test_the_programs_own_exit_code_and_output(self):
        result = self.record(2, CALLS, "fail")
        self.assertEqual((result.code, self.own_lines(result)), (9, []), result)
        if not IS_OPENMPI:  # its launcher has lines of its own, and ends the other ranks at once
            self.assertEqual((result.out, result.err), ("over\n", ""), result)
        self.assertEqual(len(self.events(self.trace, 2)), 2)

    def test_a_linked_library(self):
        job = [harness.MPIEXEC, "-n", "2", PROGRAMS / "recorded-linked", "messages"]
        environment = dict(os.environ, COMMGAUGE_RECORD_OUTPUT=str(self.trace))
        result = harness.Job(job, env=environment).end()
        self.assertEqual((result.code, result.out, result.err), (0, "over\n", ""), result)
        self.assertIn("MPI_Sendrecv", calls(self.events(self.trace, 2)[0]))
        result = harness.Job(job).end()
        self.assertEqual(result.code, 0, result)
        self.assertEqual(len(self.own_lines(result)), 1, result)

    def test_a_program_of_a_script(self):
        result = self.record(2, "sh", "-c", f"'{CALLS}' messages")
        self.assertEqual((result.code, result.err), (0, ""), result)
        self.assertIn("MPI_Sendrecv", calls(self.events(self.trace, 2)[0]))


class Speed(Base):
    """What a processor takes for one."""

    def speed(self, *arguments):
        return harness.Job([PROGRAMS / "record", "--speed", *arguments], cwd=self.directory).end(100)

    def test_ratio_to_itself(self):
        told = self.speed("-o", "here.json")
        self.assertEqual(told.code, 0, told)
        told = self.speed("--against", "here.json", "-o", "ratio.json")
        self.assertEqual(told.code, 0, told)
        self.assertIn("over all kernels", told.out)
        for name, schema in (("here", "speed"), ("ratio", "speed-ratio")):
            jsonschema.validate(json.loads((self.directory / f"{name}.json").read_text()),
                                json.loads((SCHEMAS / f"{schema}-1.schema.json").read_text()))
        ratio = json.loads((self.directory / "ratio.json").read_text())
        names = ["integer", "floating-point", "memory"]
        self.assertEqual([kernel["name"] for kernel in ratio["kernels"]], names)
        self.assertEqual(ratio["low"], min(kernel["low"] for kernel in ratio["kernels"]))
        self.assertEqual(ratio["high"], max(kernel["high"] for kernel in ratio["kernels"]))
        told = self.speed("--against", "here.json", "--kernel", "memory", "-o", "-")
        self.assertEqual(json.loads(told.out)["kernel"], "memory")

    def test_refused(self):
        (self.directory / "other.json").write_text('{"schema": "commgauge.model/1"}')
        for arguments, word in ((["true"], "with a program"), (["--against", "none.json"], "none.json"),
                                (["--against", "other.json"], "is a model file"), (["-o", "none/x"], "none"),
                                (["--kernel", "memory"], "--against"),
                                (["--against", "other.json", "-o", "other.json"], "other.json")):
            self.assert_refused(self.speed(*arguments), 2, word)
        told = harness.Job([PROGRAMS / "record", "--against", "other.json", "true"]).end()
        self.assert_refused(told, 2, "--speed")


class Programs(Base):
    """Programs do what they do without it, and otf2-print reads what they leave."""

    def compare(self, ranks, program, *arguments, code_of_look=0):
        alone = harness.Job([harness.MPIEXEC, "-n", str(ranks), program, *arguments],
                            cwd=self.directory).end()
        shutil.rmtree(self.trace, ignore_errors=True)
        recorded = self.record(ranks, program, *arguments)
        self.assertEqual(recorded.code, alone.code, recorded)
        self.assertEqual(sorted(recorded.out.splitlines()), sorted(alone.out.splitlines()))
        looked = harness.Job([TOOLS / "recorded-look", self.trace]).end()
        self.assertEqual(looked.code, code_of_look, looked)
        if shutil.which("otf2-print"):
            printed = harness.Job(["otf2-print", self.trace / "traces.otf2"]).end()
            self.assertEqual((printed.code, printed.err), (0, ""))

    def test_semantics(self):
        for ranks in (1, 2, 3, 5):
            # A message of it is received with an error: too long.
            self.compare(ranks, PROGRAMS / "emulated-semantics", code_of_look=1)

    def test_collectives(self):
        for ranks in (1, 3, 4):
            self.compare(ranks, PROGRAMS / "emulated-collectives")

    def test_datatypes(self):
        self.compare(3, PROGRAMS / "emulated-datatypes", "of-all")

    def test_large_counts_and_sessions(self):
        if not (PROGRAMS / "emulated-sessions").exists():
            self.skipTest("this MPI library has no large counts and sessions")
        programs = (("emulated-large-counts",), ("emulated-sessions",), ("emulated-sessions", "world"))
        for (program, *arguments), ranks in harness.combined(programs, (3, 1)):
            self.compare(ranks, PROGRAMS / program, *arguments)

    def test_files_take_as_long_as_they_took(self):
        if not (PROGRAMS / "emulated-files").exists():
            self.skipTest("this MPI library's files are not emulated")
        result = self.record(3, PROGRAMS / "emulated-files", self.directory / "data")
        self.assertEqual(result.code, 0, result)
        self.assertIn("file operations", result.err)
        looked = harness.Job([TOOLS / "recorded-look", self.trace]).end()
        self.assertIn("0 receives unknown, 0 wrong", looked.out)

    def test_messages_in_partitions(self):
        if not (PROGRAMS / "emulated-partitioned").exists():
            self.skipTest("this MPI library has no partitioned communication")
        for ranks in (1, 2, 3):
            self.compare(ranks, PROGRAMS / "emulated-partitioned")
            self.compare(ranks, PROGRAMS / "emulated-partitioned", "random", str(ranks), "native")
            self.look_at(ranks, PROGRAMS / "emulated-partitioned")

    def look_at(self, ranks, program, *arguments):
        """Every message that is sent is received, calls follow one another, and clocks agree."""
        shutil.rmtree(self.trace, ignore_errors=True)
        result = self.record(ranks, program, *arguments)
        self.assertEqual((result.code, result.err), (0, ""), result)
        looked = harness.Job([TOOLS / "recorded-look", self.trace]).end()
        self.assertEqual(looked.code, 0, looked)
        self.assertIn("0 receives unknown, 0 wrong, 0 remarks", looked.out)

    def test_calls_of_every_kind(self):
        for what in ("messages", "persistent", "polling", "probes", "communicators", "between-groups",
                     "regions", "windows"):
            self.look_at(3, CALLS, what)

    def test_random_programs(self):
        programs = ("emulated-mixed-programs", "emulated-random-programs", "emulated-random-accesses")
        for program, ranks in harness.combined(programs, (2, 3, 5)):
            self.look_at(ranks, PROGRAMS / program, 20, ranks, *([0] if program != programs[1] else []))

    def test_examples(self):
        if not (PROGRAMS / "cholesky").exists():
            self.skipTest("the examples are not built")
        examples = (("cholesky", "fan-in", 50), ("cholesky", "fan-out", 50), ("merge-sort", "bubble", 1000),
                    ("merge-sort", "quick", 1000))
        for (program, *arguments), ranks in harness.combined(examples, (2, 3, 4)):
            self.look_at(ranks, PROGRAMS / program, *arguments)

    def test_memory_is_bounded(self):
        """Of a million calls, two million events."""
        command = [TOOLS / "record", "-o", self.directory / "large", "--clock", "wall", CALLS, "many",
                   "1000000"]
        pid = os.posix_spawn(command[0], list(map(str, command)), os.environ)
        _, status, use = os.wait4(pid, 0)
        self.assertEqual(status, 0)
        self.assertLess(use.ru_maxrss, 100 * 1024)

    def test_fortran(self):
        ring = PROGRAMS / "emulated-fortran-ring"
        if not ring.exists():
            self.skipTest("there is no Fortran compiler")
        events = self.recorded(3, ring)
        alone = [name for name in calls(events[0]) if name.startswith("MPI_")]
        self.assertEqual(alone[-1], "MPI_Finalize")
        self.assertGreater(len(alone), 2)

    def test_every_binding_of_fortran(self):
        for binding in ("mpif.h", "mpi", "mpi_f08"):
            program = PROGRAMS / f"emulated-fortran-{binding}"
            if not program.exists():
                self.skipTest("there is no Fortran compiler of this MPI library")
            self.compare(3, program)  # one of its sends fails, and nothing else
            shutil.rmtree(self.trace)
            said = self.record(3, program).err.splitlines()
            self.assertEqual([len(said), "MPI_Send that failed (only" in said[0]], [1, True], said)

    def test_requests_in_fortran(self):
        if not (PROGRAMS / "recorded-fortran-requests").exists():
            self.skipTest("there is no Fortran compiler")
        self.look_at(3, PROGRAMS / "recorded-fortran-requests")
        sent = [len(of_kind(events, "MpiIsend")) for events in self.events(self.trace, 3)]
        self.assertEqual(sent, [2 + 3] * 3)


class Sites(Base):
    """Where the program calls MPI."""

    SOURCE = pathlib.Path(__file__).with_name("sites.c")
    FIRST = "first send", "second send", "barrier"
    OTHER = "first receive", "second receive", "barrier"
    CALLS = [[*FIRST, *FIRST, "end"], [*OTHER, *OTHER, "start", "test in vain", "to itself", "wait", "end"]]

    def sites(self, events):
        """Of each rank's calls."""
        contexts = [[event.attributes["site"] for event in rank if event.kind == "Enter"] for rank in events]
        return [[(one.region.name, one.source_code_location.file, one.source_code_location.line_number)
                 for one in rank] for rank in contexts]

    def sites_of(self, kind):
        return self.sites(self.recorded(2, self.program(kind)))

    def program(self, kind):
        program = PROGRAMS / f"recorded-sites-{kind}"
        if not program.exists():
            self.skipTest("it is built for the other MPI library alone")
        return program

    def expected(self):
        """By the remarks in the source."""
        lines = self.SOURCE.read_text().splitlines()
        line_of = {line.split("/*")[1].removesuffix("*/").strip(): number
                   for number, line in enumerate(lines, 1) if "/*" in line}
        inside = set(self.FIRST + self.OTHER)
        return [[("exchange" if call in inside else "main", str(self.SOURCE), line_of[call]) for call in rank]
                for rank in self.CALLS]

    def test_lines(self):
        self.assertEqual(self.sites_of("debug"), self.expected())

    def test_lines_of_what_is_built_into_another_function(self):
        self.assertEqual(self.sites_of("optimised"), self.expected())

    def test_each_is_defined_once(self):
        self.recorded(2, self.program("debug"))
        with otf2.reader.open(str(self.trace / "traces.otf2")) as archive:
            found = [(one.region.name, one.source_code_location.line_number)
                     for one in archive.definitions.calling_contexts]
        self.assertEqual(sorted(found), sorted({(name, line) for rank in self.expected()
                                                for name, _, line in rank}))

    def test_functions_without_debug_information(self):
        found, expected = self.sites_of("symbols"), self.expected()
        self.assertEqual([[function for function, _, _ in rank] for rank in found],
                         [[function for function, _, _ in rank] for rank in expected])
        self.check_offsets(found, expected, PROGRAMS / "recorded-sites-symbols")

    def test_offsets_without_symbols(self):
        found = self.sites_of("stripped")
        self.assertEqual({function for rank in found for function, _, _ in rank}, {""})
        self.check_offsets(found, self.expected(), PROGRAMS / "recorded-sites-stripped")

    def check_offsets(self, found, expected, program):
        """Equal where the lines are: the same at both ranks and in both turns."""
        of_line = {}
        for site, line in zip(sum(found, []), sum(expected, [])):
            self.assertEqual(of_line.setdefault(line, site), site)
            self.assertRegex(site[1], f"^{program}\\+0x[0-9a-f]+$")
            self.assertEqual(site[2], 0)
        self.assertEqual(len(set(of_line.values())), len(of_line))

    def test_the_emulation_tells_the_same(self):
        if IS_OPENMPI:
            self.skipTest("the emulation is for MPICH")
        model = self.directory / "model.json"
        model.write_text(harness.Job([TOOLS / "write-machine", "lmo", "2", "1"]).end().out)
        done = harness.Job([harness.MPIEXEC, "-n", "2", TOOLS / "emulate", "--model", model, "--record",
                            self.trace, self.program("debug")]).end()
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.sites(self.events(self.trace, 2)), self.expected())

    def test_fortran(self):
        """The compiler's debug information gives the last calls the line of the program's end."""
        program = PROGRAMS / "recorded-fortran-requests"
        if not program.exists():
            self.skipTest("there is no Fortran compiler")
        source = self.SOURCE.with_name("requests.f90")
        lines = source.read_text().splitlines()
        events = self.recorded(2, program)
        for rank, sites in zip(events, self.sites(events)):
            for call, (function, file, line) in zip(calls(rank), sites):
                self.assertEqual((function, file), ("requests", str(source)))
                if call not in ("MPI_Request_free", "MPI_Finalize"):
                    self.assertIn(f"call {call}(", lines[line - 1])

    def test_info_and_a_replay(self):
        self.recorded(2, self.program("debug"))
        line = self.expected()[0][0][2]
        for trace in (self.trace, self.directory / "replayed"):
            told = harness.Job([TOOLS / "replay", "info", trace]).end()
            self.assertEqual(told.code, 0, told)
            self.assertIn("  call sites      10\n", told.out)
            self.assertRegex(told.out, rf"exchange \(sites\.c:{line}\) +MPI_Send +2 ")
            model = self.directory / "model.json"
            model.write_text(harness.Job([TOOLS / "write-machine", "lmo", "2", "1"]).end().out)
            if trace == self.trace:
                events = self.directory / "events.json"
                done = harness.Job([TOOLS / "replay", "run", trace, "--model", model, "--perfetto", events,
                                    "--otf2", self.directory / "replayed"]).end()
                self.assertEqual(done.code, 0, done)
                found = [(event["name"], event["args"]["site"]) for event in json.loads(events.read_text())
                         if event.get("cat") == "mpi" and event["tid"] == 0]
                self.assertEqual(found[0], ("MPI_Send", f"exchange (sites.c:{line})"))
                self.assertEqual(len(found), len(self.CALLS[0]))


class Mixed(Base):
    """A program and a launcher of two MPI libraries."""

    def test_under_the_launcher_of_the_other(self):
        for mpiexec, program in ((MPICH, CALLS), (harness.MPIEXEC, TOOLS / "recorded-calls")):
            result = harness.Job([mpiexec, "-n", "3", TOOLS / "record", "-o", self.trace, program,
                                  "messages"]).end()
            self.assert_refused(result, 2, "each of the 3 processes is an MPI job of its own")
            self.assertFalse(self.trace.exists())

    def test_behind_a_script(self):
        for mpiexec, program in ((MPICH, CALLS), (harness.MPIEXEC, TOOLS / "recorded-calls")):
            for script, words in ((f"exec '{program}' messages", "it is linked with"),
                                  (f"'{program}' messages; exit $?", "it runs with")):
                result = harness.Job([mpiexec, "-n", "3", TOOLS / "record", "-o", self.trace, "sh", "-c",
                                      script]).end()
                self.assert_refused(result, 2, words, "libmpi.so.40", "libmpich.so.12")
                self.assertFalse(self.trace.exists())

    def test_the_emulation_is_for_the_other(self):
        result = harness.Job([TOOLS / "emulate", "--model", "none", CALLS]).end()
        self.assertEqual(result.code, 2, result)
        self.assertIn("can't be emulated (it is linked with libmpi.so.40", result.err)
        self.assertEqual(len(result.err.splitlines()), 1, result)


class Same(Base):
    """A program leaves the same trace under both libraries, but for times and what is chance."""

    CHANCE = {"CPU time", "attempts", "site"}  # each has a program of its own

    def traces(self, ranks, program, *arguments, code_of_openmpi=0):
        """The directories."""
        made, lines = [], []
        for mpiexec, programs in ((MPICH, TOOLS), (harness.MPIEXEC, PROGRAMS)):
            made.append(self.directory / f"trace-{len(made)}")
            shutil.rmtree(made[-1], ignore_errors=True)
            result = harness.Job([mpiexec, "-n", str(ranks), TOOLS / "record", "-o", made[-1],
                                  programs / program, *map(str, arguments)]).end()
            self.assertEqual(result.code, code_of_openmpi if made[1:] else 0, result)
            lines.append(self.own_lines(result))
        self.assertEqual(*lines)
        return made

    def what_happened(self, trace, ranks):
        """By rank: kinds, names, and all values of events, but for times."""
        return [[(event.kind, event.name, str(self.values(event.record)),
                  {key: str(value) for key, value in event.attributes.items() if key not in self.CHANCE})
                 for event in events if event.kind != "Metric"] for events in self.events(trace, ranks)]

    def values(self, record):
        return {name: getattr(getattr(record, name), "name", getattr(record, name))
                for name in ("sender", "receiver", "communicator", "msg_tag", "msg_length", "request_id", "value",
                             "collective_op", "root", "size_sent", "size_received", "remote", "bytes", "bytes_sent",
                             "bytes_received", "matching_id", "lock_id", "lock_type") if hasattr(record, name)}

    def replayed(self, trace):
        """When each rank ends, by a model."""
        model = self.directory / "model.json"
        model.write_text(harness.Job([TOOLS / "write-machine", "lmo", "8", "1", "500"]).end().out)
        done = harness.Job([TOOLS / "replay", "run", trace, "--model", model, "--compute", "none", "-o",
                            "-"]).end()
        self.assertEqual(done.code, 0, done)
        return [rank["end_s"] for rank in json.loads(done.out)["ranks"]]

    def check(self, ranks, program, *arguments):
        one, other = self.traces(ranks, program, *arguments)
        self.assertEqual(self.what_happened(one, ranks), self.what_happened(other, ranks))
        ends = self.replayed(one)
        self.assertGreater(max(ends), 0)
        self.assertEqual(ends, self.replayed(other))

    def test_calls_of_every_kind(self):
        for what in ("messages", "persistent", "probes", "communicators", "windows"):
            self.check(3, "recorded-calls", what)

    def test_collectives(self):
        self.check(4, "emulated-collectives")

    def test_persistent_collectives_and_datatypes(self):
        """Open MPI 4.1 leaves a part of an empty status as it was, and gives a message that is longer than its
        receive its whole length."""
        one, other = (self.what_happened(trace, 3)
                      for trace in self.traces(3, "emulated-datatypes", "of-all", code_of_openmpi=1))
        self.assertEqual(list(map(len, one)), list(map(len, other)))
        different = [pair for ranks in zip(one, other) for pair in zip(*ranks) if pair[0] != pair[1]]
        self.assertEqual([event[0] for event, _ in different], 3 * ["MpiIrecv"])

    def test_examples(self):
        for how in ("fan-in", "fan-out"):
            self.check(3, "cholesky", how, 50)
        for how in ("bubble", "quick"):
            self.check(4, "merge-sort", how, 1000)


if __name__ == "__main__":
    unittest.main()
