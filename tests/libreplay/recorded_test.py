"""Programs that were recorded, and replayed. Paths come from the environment, see CMakeLists.txt."""

import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import jsonschema

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "tools"), str(TESTS / "testbeds")]
import harness  # noqa: E402

PROGRAMS = pathlib.Path(os.environ["REPLAY"]).parent
SCHEMA = TESTS.parent / "docs/schema/replay-1.schema.json"


class Base(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)

    def run_tool(self, *command, ranks=None, limit=100):
        launcher = [] if ranks is None else [harness.MPIEXEC, "-n", str(ranks)]
        name, *arguments = command
        return harness.Job([*launcher, PROGRAMS / name, *map(str, arguments)],
                           cwd=self.directory).end(limit)

    def machine(self, kind, ranks, limit=None):
        done = self.run_tool("write-machine", kind, ranks, 1, *([limit] if limit else []))
        self.assertEqual(done.code, 0, done)
        (self.directory / "model.json").write_text(done.out)

    def emulate(self, ranks, *program, machine=("--model", "model.json")):
        shutil.rmtree(self.directory / "trace", ignore_errors=True)
        done = self.run_tool("emulate", *machine, "--compute", "none", "--record", "trace",
                             "--report", "report.json", *program, ranks=ranks)
        self.assertEqual(done.code, 0, done)
        report = json.loads((self.directory / "report.json").read_text())
        return [rank["time_s"] for rank in report["ranks"]]

    def document(self, *options, machine=("--model", "model.json")):
        done = self.run_tool("replay", "run", "trace", *machine, "--compute", "none", "-o", "-", *options)
        self.assertEqual(done.code, 0, done)
        document = json.loads(done.out)
        jsonschema.validate(document, json.loads(SCHEMA.read_text()))
        return document

    def replay(self, *options, **others):
        return [rank["end_s"] for rank in self.document(*options, **others)["ranks"]]

    def assert_refused(self, result, *words):
        self.assertEqual(result.code, 2, result)
        own = [line for line in result.err.splitlines() if line.startswith("replay: ")]
        self.assertEqual(len(own), 1, result)
        for word in words:
            self.assertIn(word, own[0])


class Same(Base):
    """Recorded in virtual time and replayed on the same machine a program takes the same time, to the bit."""

    def check(self, kind, ranks, limit, *program):
        self.machine(kind, ranks, limit)
        ends = self.emulate(ranks, PROGRAMS / program[0], *program[1:])
        self.assertEqual(self.replay(), ends)
        self.assertEqual(self.replay("--rematch"), ends)

    def test_random_programs(self):
        self.check("lmo", 4, 500, "emulated-random-programs", 30, 1)

    def test_random_programs_of_another_model(self):
        self.check("loggps", 3, 500, "emulated-random-programs", 30, 100)

    def test_requests_that_queue_and_messages_that_are_late(self):
        for kind, program in (("lmo", ("emulated-random-programs", 30, 1)),
                              ("loggps", ("emulated-mixed-programs", 30, 1, 0)),
                              ("hockney", ("emulated-random-accesses", 30, 1, 0))):
            self.machine(kind, 4, 500)
            passing = ("--model", "model.json")
            queueing = (*passing, "--requests", "queue")
            late = (*queueing, "--jitter", "3:20us")
            ends = self.emulate(4, PROGRAMS / program[0], *program[1:], machine=late)
            self.assertEqual(self.replay(machine=late), ends)
            self.assertEqual(self.replay("--rematch", machine=late), ends)
            notes = self.document(machine=late)["notes"]
            self.assertIn("late by chance", str(notes))
            for other in (passing, queueing, (*queueing, "--jitter", "4:20us")):
                self.assertNotEqual(self.replay(machine=other), ends)

    def test_messages_that_share_links(self):
        for kind, sharing, program in (("lmo", "all", ("emulated-random-programs", 30, 1)),
                                       ("bottleneck", "rendezvous", ("emulated-mixed-programs", 30, 1, 0)),
                                       ("hockney", "all", ("emulated-random-accesses", 30, 1, 0))):
            self.machine(kind, 4, 500)
            in_turn = ("--model", "model.json")
            shared = (*in_turn, "--sharing", sharing)
            ends = self.emulate(4, PROGRAMS / program[0], *program[1:], machine=shared)
            self.assertEqual(self.replay(machine=shared), ends, kind)
            self.assertEqual(self.replay("--rematch", machine=shared), ends, kind)
            self.assertNotEqual(self.replay(machine=in_turn), ends, kind)

    def test_requests_behind_data_that_share_links(self):
        for kind in ("hockney", "bottleneck"):
            self.machine(kind, 4, 1)
            passing = ("--model", "model.json", "--sharing", "rendezvous")
            queueing = (*passing, "--requests", "queue")
            ends = self.emulate(4, PROGRAMS / "emulated-random-programs", 30, 1, machine=queueing)
            self.assertEqual(self.replay(machine=queueing), ends, kind)
            self.assertEqual(self.replay("--rematch", machine=queueing), ends, kind)
            self.assertNotEqual(self.replay(machine=passing), ends, kind)

    def test_accesses(self):
        self.check("lmo", 4, 500, "emulated-random-accesses", 30, 1, 0)

    def test_accesses_of_another_model(self):
        self.check("hockney", 5, None, "emulated-random-accesses", 30, 100, 0)

    def test_epochs_of_windows(self):
        self.check("loggps", 3, 500, "recorded-calls", "windows")
        info = self.run_tool("replay", "info", "trace").out
        # Of each rank nine, one more is to none: 4 + 1 + 2 + 1 + 2 + 1 numbers there, three times 4 and three back.
        self.assertRegex(info, r"accesses +27, 132 B there, 180 B back")
        self.assertRegex(info, r"windows +1\n")
        # All else is empty: what epochs send, and barriers.
        self.assertEqual(sum(pair["bytes"] for pair in self.document("--matrix")["traffic"]), 132 + 180)

    def test_collective_operations_go_on_at_looks(self):
        self.check("lmo", 4, None, "recorded-calls", "looks")

    def test_messages_in_partitions(self):
        self.check("lmo", 3, 500, "emulated-partitioned")
        info = self.run_tool("replay", "info", "trace").out
        # Of each rank 3 x (1 + 8 + 1 + 16 + 5) of 240 numbers each time, 8 of 24, 6 of 36, and 2 of one.
        self.assertRegex(info, r"partitions +327, 42\.9 KiB, each a message\n")
        for kind, limit in (("loggps", 500), ("hockney", None)):
            self.check(kind, 2, limit, "emulated-partitioned")

    def test_random_messages_in_partitions(self):
        for seed in range(1, 7):
            self.check("lmo", 1 + seed % 4, 500, "emulated-partitioned", "random", seed)
        for seed in range(7, 10):
            self.check("loggps", 3, 2000, "emulated-partitioned", "random", seed)

    def test_sessions(self):
        self.check("lmo", 3, 500, "emulated-sessions")
        self.check_threads("lmo", 3, "emulated-sessions", "threads")

    def test_mixed_programs(self):
        self.check("lmo", 4, 500, "emulated-mixed-programs", 30, 1, 0)

    def test_mixed_programs_of_another_model(self):
        self.check("hockney", 5, None, "emulated-mixed-programs", 30, 200, 0)

    def check_threads(self, kind, ranks, *program):
        """Which of them gets a lock first, real time decides: --rematch would be another run."""
        self.machine(kind, ranks, 500)
        ends = self.emulate(ranks, PROGRAMS / program[0], *program[1:])
        self.assertEqual(self.replay(), ends, program)

    def test_threads(self):
        for part in ("who", "tags", "communicators", "groups", "makers", "requests", "probes", "workers", "outside",
                     "deadlines", "c11", "itself", "generalised", "partitions", "times", "waits"):
            with self.subTest(part=part):
                self.check_threads("lmo", 3, "emulated-threads", part)

    def test_threads_of_another_model(self):
        for part in ("tags", "communicators", "makers", "requests", "probes", "partitions"):
            with self.subTest(part=part):
                self.check_threads("loggps", 4, "emulated-threads", part)

    def test_threads_from_before_the_beginning_to_after_the_end(self):
        self.check_threads("lmo", 3, "emulated-thread-lives", "times")
        self.assertRegex(self.run_tool("replay", "info", "trace").out, r"threads +[0-9]+ recorded, up to [0-9]+ of a rank")

    def test_teams_of_openmp(self):
        for program in ("emulated-openmp", "emulated-openmp-llvm"):
            if not (PROGRAMS / program).exists():
                self.skipTest(f"no {program}")
            for part in ("times", "tasks"):
                self.check_threads("lmo", 3, program, part)


class Computed(Base):
    """What threads compute is in the record, and counts in an emulation, wherever they wait."""

    def check(self, *program):
        self.machine("lmo", 1)
        done = self.run_tool("record", "-o", "trace", *program, ranks=1)
        self.assertEqual(done.code, 0, done)
        done_again = self.run_tool("replay", "run", "trace", "--model", "model.json", "-o", "-")
        self.assertEqual(done_again.code, 0, done_again)
        computed = json.loads(done_again.out)["ranks"][0]["computing_s"]
        self.assertAlmostEqual(computed / float(done.out), 1, delta=0.1, msg=program)
        done = self.run_tool("emulate", "--model", "model.json", "--report", "report.json", *program, ranks=1)
        self.assertEqual(done.code, 0, done)
        computed = json.loads((self.directory / "report.json").read_text())["ranks"][0]["computing_s"]
        self.assertAlmostEqual(computed / float(done.out), 1, delta=0.1, msg=program)

    def test_before_waits(self):
        self.check(PROGRAMS / "emulated-threads", "compute-before-waits")

    def test_of_teams(self):
        for program in ("emulated-openmp", "emulated-openmp-llvm"):
            if not (PROGRAMS / program).exists():
                self.skipTest(f"no {program}")
            self.check(PROGRAMS / program, "compute")
            shutil.rmtree(self.directory / "trace")


class Said(Base):
    """What is to be known of a time is said alike, however it was found."""

    def said(self, *options, size=65536):
        """Of a program with an all-to-all: by the emulation, and by a replay, with its document."""
        done = self.run_tool("emulate", "--model", "model.json", "--compute", "none", "--record", "trace", *options,
                             PROGRAMS / "emulated-exchanges", size, ranks=4)
        self.assertEqual(done.code, 0, done)
        lines = [line.removeprefix("emulate: ") for line in done.err.splitlines() if "one after the other" in line]
        document = self.document(*options)
        shutil.rmtree(self.directory / "trace")
        return lines, [note for note in document["notes"] if "one after the other" in note]

    def test_exchanges_that_may_fall_out_of_step(self):
        self.machine("hockney", 4)
        emulated, replayed = self.said()
        self.assertEqual(len(emulated), 1)
        self.assertEqual(emulated, replayed)

    def test_pairs_that_take_longer_at_once(self):
        self.machine("hockney", 4)
        file = self.directory / "model.json"
        document = json.loads(file.read_text())
        document["launches"][0]["contention"] = {"tested": True, "ratio": 2.83, "low": 2.7, "high": 2.95}
        file.write_text(json.dumps(document))
        emulated, replayed = self.said()
        self.assertEqual(len(emulated), 1)
        self.assertIn("those of several pairs at once take longer than alone", emulated[0])
        self.assertEqual(emulated, replayed)

    def test_exchanges_that_stay_in_step(self):
        self.machine("hockney", 4)
        self.assertEqual(self.said("--collectives", "alltoall=scattered"), ([], []))
        self.assertEqual(self.said("--collectives", "alltoall=pairwise", size=8), ([], []))


class Other(Base):
    """A recorded program on a machine where it wasn't recorded."""

    def test_a_native_run_is_replayed_as_it_is_emulated(self):
        self.machine("lmo", 4, 500)
        done = self.run_tool("record", "-o", "trace", PROGRAMS / "emulated-random-programs", 10, 1, ranks=4)
        self.assertEqual(done.code, 0, done)
        replayed = self.replay()
        done = self.run_tool("emulate", "--model", "model.json", "--compute", "none", "--report", "report.json",
                             PROGRAMS / "emulated-random-programs", 10, 1, ranks=4)
        report = json.loads((self.directory / "report.json").read_text())
        emulated = max(rank["time_s"] for rank in report["ranks"])
        # Natively others may come first at a receive from any source, and tests find other things.
        self.assertLess(abs(max(replayed) / emulated - 1), 0.2)

    def test_native_messages_in_partitions_take_what_emulated_ones_do(self):
        """Who asks for a partition here asks until it is there."""
        for ranks in 2, 3:
            self.machine("lmo", ranks, 500)
            done = self.run_tool("record", "-o", f"trace{ranks}", PROGRAMS / "emulated-partitioned", ranks=ranks)
            self.assertEqual((done.code, done.err), (0, ""), done)
            ends = self.emulate(ranks, PROGRAMS / "emulated-partitioned")
            self.assertEqual(self.replay(), ends)
            shutil.rmtree(self.directory / "trace")
            (self.directory / f"trace{ranks}").rename(self.directory / "trace")
            self.assertEqual(self.replay(), ends)

    def test_threads_of_a_native_run(self):
        """What they compute is a sleep: so the replay takes what the emulation does, but for looks at the clock."""
        self.machine("lmo", 3, 500)
        for program in (("emulated-threads", "times"), ("emulated-thread-lives", "times"), ("emulated-openmp", "times")):
            with self.subTest(program=program):
                if not (PROGRAMS / program[0]).exists():
                    self.skipTest("no OpenMP")
                emulated = self.emulate(3, PROGRAMS / program[0], *program[1:])
                shutil.rmtree(self.directory / "trace")
                done = self.run_tool("record", "-o", "trace", PROGRAMS / program[0], *program[1:], ranks=3)
                self.assertEqual((done.code, done.err), (0, ""), done)
                for natively, there in zip(self.replay(), emulated):
                    self.assertAlmostEqual(natively, there, delta=2e-6)
                shutil.rmtree(self.directory / "trace")

    def test_threads_of_a_native_run_that_make_communicators_at_once(self):
        self.machine("lmo", 3, 500)
        for part in ("groups", "makers"):
            with self.subTest(part=part):
                ends = self.emulate(3, PROGRAMS / "emulated-threads", part)
                shutil.rmtree(self.directory / "trace")
                done = self.run_tool("record", "-o", "trace", PROGRAMS / "emulated-threads", part, ranks=3)
                self.assertEqual((done.code, done.err), (0, ""), done)
                self.assertEqual(self.replay(), ends)
                shutil.rmtree(self.directory / "trace")

    def test_threads_share_cores(self):
        """Four that compute take as long as all of them on one core."""
        self.machine("lmo", 1)
        done = self.run_tool("record", "-o", "trace", PROGRAMS / "emulated-threads", "compute", ranks=1)
        self.assertEqual(done.code, 0, done)

        def replayed(*options):
            done = self.run_tool("replay", "run", "trace", "--model", "model.json", "-o", "-", *options)
            self.assertEqual(done.code, 0, done)
            return json.loads(done.out)

        one, all_at_once = replayed("--cores-per-rank", 1), replayed()
        self.assertAlmostEqual(one["time_s"] / one["work_s"], 1, delta=0.02)
        self.assertLess(all_at_once["time_s"] / one["time_s"], 0.5)
        self.assertEqual(replayed("--cores-per-rank", 5)["time_s"], all_at_once["time_s"])

    def test_computing_is_the_recorded_one(self):
        """And no work of the recorder's is in it: neither in the emulation's time nor in the replay's."""
        self.machine("lmo", 4)
        done = self.run_tool("emulate", "--model", "model.json", "--record", "trace", "--report", "report.json",
                             PROGRAMS / "merge-sort", "bubble", 4000, ranks=4)
        self.assertEqual(done.code, 0, done)
        report = json.loads((self.directory / "report.json").read_text())
        done = self.run_tool("replay", "run", "trace", "--model", "model.json", "-o", "-")
        replayed = json.loads(done.out)["time_s"]
        self.assertLess(abs(replayed / report["whole"]["time_s"] - 1), 0.02)
        shown = self.run_tool("replay", "run", "trace", "--model", "model.json")
        self.assertIn("speedup", shown.out)

    def test_other_processors(self):
        self.machine("lmo", 4)
        done = self.run_tool("emulate", "--model", "model.json", "--record", "trace",
                             PROGRAMS / "merge-sort", "bubble", 4000, ranks=4)
        self.assertEqual(done.code, 0, done)

        def replayed(ratio):
            done = self.run_tool("replay", "run", "trace", "--model", "model.json", "-o", "-", "--time-ratio", ratio)
            self.assertEqual(done.code, 0, done)
            self.assertNotIn("as fast as", done.err)
            return json.loads(done.out)

        one, half, three = replayed(1), replayed(0.5), replayed(3)
        self.assertAlmostEqual(half["computing_s"] / one["computing_s"], 0.5, delta=1e-3)  # clocks are read, too
        self.assertEqual(half["work_s"], one["work_s"])
        self.assertIsNone(one["low_s"])
        ratio = {"schema": "commgauge.speed-ratio/1", "processor": "", "than": "", "confidence": 0.95,
                 "kernel": None, "time_ratio": 1, "low": 0.5, "high": 3, "kernels": [],
                 "warnings": ["when the machine was measured: times vary"]}
        (self.directory / "ratio.json").write_text(json.dumps(ratio))
        (self.directory / "ratio.csv").write_text("rank,time_ratio,low,high\n" + "".join(
            f"{rank},1,0.5,3\n" for rank in range(4)))
        for file in ("ratio.json", "ratio.csv"):
            found = replayed(file)
            self.assertEqual([found[name] for name in ("time_s", "low_s", "high_s")],
                             [each["time_s"] for each in (one, half, three)])
        shown = self.run_tool("replay", "run", "trace", "--model", "model.json", "--time-ratio", "ratio.json")
        self.assertIn("from the processors' lowest time ratio to the highest", shown.out)
        self.assertIn("ratio.json: when the machine was measured: times vary", shown.err)
        shown = self.run_tool("replay", "run", "trace", "--model", "model.json", "--speeds", "ratio.csv")
        self.assertEqual(shown.code, 0, shown)
        (self.directory / "ratio.json").write_text(json.dumps({**ratio, "low": 2}))
        for wrong, word in (("ratio.json", "interval"), ("0", "above zero"), ("none", "none")):
            self.assert_refused(self.run_tool("replay", "run", "trace", "--model", "model.json",
                                              "--time-ratio", wrong), word)

    def test_other_algorithms_take_other_times(self):
        self.machine("lmo", 4)
        self.emulate(4, PROGRAMS / "emulated-mixed-programs", 10, 1, 0)
        self.assertNotEqual(self.replay("--collectives", "flat"), self.replay())


    def test_a_receive_that_was_cancelled_takes_nothing(self):
        """Posted again it would take a message that another receive waits for."""
        self.machine("lmo", 2)
        done = self.run_tool("record", "-o", "trace", PROGRAMS / "recorded-calls", "cancel", ranks=2)
        self.assertEqual((done.code, done.err), (0, ""), done)
        for options in ((), ("--rematch",)):
            done = self.run_tool("replay", "run", "trace", "--model", "model.json", *options)
            self.assertEqual(done.code, 0, done)
            self.assertIn("receives that were cancelled: left out (2 times)", done.err)

    def test_both_sides_of_an_intercommunicator_meet(self):
        for ranks in 2, 3:
            self.machine("lmo", ranks)
            done = self.run_tool("record", "-o", f"trace{ranks}", PROGRAMS / "recorded-calls", "between-groups",
                                 ranks=ranks)
            self.assertEqual(done.code, 0, done)
            done = self.run_tool("replay", "run", f"trace{ranks}", "--model", "model.json")
            self.assertEqual(done.code, 0, done)

    def test_operations_between_two_groups_take_what_they_took(self):
        for ranks in 2, 3, 5:
            self.machine("lmo", ranks, 1000)
            ends = self.emulate(ranks, PROGRAMS / "emulated-inter-communicators", "replayed")
            self.assertEqual(self.replay(), ends, ranks)

    def test_what_no_replay_does_is_said(self):
        self.machine("lmo", 2)
        done = self.run_tool("record", "-o", "trace", PROGRAMS / "recorded-calls", "names", ranks=2)
        self.assertEqual(done.code, 0, done)
        for shown in (self.run_tool("replay", "run", "trace", "--model", "model.json").err,
                      self.run_tool("replay", "info", "trace").out):
            self.assertIn("MPI_Lookup_name that failed: only when it began and ended is recorded", shown)


def links(topology, *options):
    return ("--topology", topology, "--start-up", "50us", "--per-byte", "10ns", *options)


class Topology(Base):
    """Processors and links in place of a model."""

    def test_emulated_and_replayed_is_the_same(self):
        (self.directory / "one-way").write_text("0: 1\n1: 2\n2: 3\n3: 0\n")
        for machine in (links("hypercube:4"), links("ring:4", "--contention", "--block", "100"),
                        links("one-way", "--contention", "--switching", "wormhole"),
                        links("mesh:2x3", "--contention", "--placement", "5,0,2,1")):
            for program in ("emulated-random-programs", 30, 1), ("emulated-mixed-programs", 30, 1, 0):
                with self.subTest(machine=machine, program=program[0]):
                    ends = self.emulate(4, PROGRAMS / program[0], *program[1:], machine=machine)
                    self.assertEqual(self.replay(machine=machine), ends)
                    self.assertEqual(self.replay("--rematch", machine=machine), ends)

    def test_real_time_ends(self):
        done = self.run_tool("emulate", *links("ring:4", "--contention"), "--real-time",
                             PROGRAMS / "emulated-random-programs", 3, 1, ranks=4)
        self.assertEqual(done.code, 0, done)

    def test_times_are_exact(self):
        self.emulate(4, PROGRAMS / "merge-sort", "quick", 1000, machine=links("ring:4"))
        document = self.document(machine=links("ring:4", "--contention"))
        self.assertIs(document["exact"], True)
        self.assertIsNone(document["low_s"])
        topology = document["topology"]
        self.assertAlmostEqual(topology.pop("start_up_s"), 50e-6, delta=1e-18)
        self.assertEqual(topology, {"name": "ring:4", "per_byte_s": 1e-8, "block_bytes": None,
                                    "switching": "store-and-forward", "contention": True})
        shown = self.run_tool("replay", "run", "trace", *links("ring:4"))
        self.assertIn("exact for these parameters", shown.out)
        self.assertNotIn("interval", shown.out + shown.err)

    def test_numbers_alone_tell_a_ring_of_four_from_a_hypercube(self):
        """A tree of pairs: its links differ in one bit, the last is two hops of the ring."""
        self.emulate(4, PROGRAMS / "merge-sort", "quick", 1000, machine=links("full:4"))
        cube = max(self.replay(machine=links("hypercube:4")))
        self.assertLess(cube, max(self.replay(machine=links("ring:4"))))
        self.assertEqual(cube, max(self.replay(machine=links("full:4"))))
        placed = links("ring:4", "--placement", "0,1,3,2")
        self.assertEqual(cube, max(self.replay(machine=placed)))

    def test_ranks_of_a_model_are_placed(self):
        self.machine("lmo", 4)
        self.emulate(2, PROGRAMS / "emulated-random-programs", 1, 1)
        model = json.loads((self.directory / "model.json").read_text())
        hosts = self.document("--placement", "3,1")["ranks"]
        (self.directory / "places").write_text("# by rank\n3\n1\n")
        self.assertEqual(self.document("--placement", "places")["ranks"], hosts)
        names = [rank["host"] for launch in model["launches"][:1] for rank in launch["ranks"]]
        self.assertEqual([rank["host"] for rank in hosts], [names[3], names[1]])
        self.assertIs(self.document()["exact"], False)

    def test_refused(self):
        self.machine("lmo", 4)
        self.emulate(4, PROGRAMS / "emulated-random-programs", 1, 1)
        for name, text in (("damaged", "0: 1\n1: x\n"), ("apart", "0: 1\n1: 0\n2: 3\n3: 2\n")):
            (self.directory / name).write_text(text)
        model = ("--model", "model.json")
        for options, words in [
                (links("damaged"), ["damaged: line 2", "'x'"]),
                (links("apart"), ["no way from processor"]),
                (links("none"), ["none"]),
                (links("hypercube:6"), ["power of 2"]),
                (links("ring:3"), ["the trace has 4 ranks, the machine 3"]),
                (links("ring:4", *model), ["--model", "--topology"]),
                (links("ring:4", "--hosts", "2"), ["--hosts", "--topology"]),
                (links("ring:4")[:4], ["--per-byte"]),
                (links("ring:4", "--block", "8", "--switching", "wormhole"), ["block", "wormhole"]),
                (links("ring:4", "--start-up", "0"), ["start-up"]),
                (links("ring:4", "--switching", "circuit"), ["circuit"]),
                ((*model, "--start-up", "1us"), ["--topology"]),
                ((*model, "--placement", "0,1,1,2"), ["--placement 0,1,1,2", "another rank"]),
                ((*model, "--placement", "0,1,2,4"), ["place 4"]),
                ((*model, "--placement", "0,1,2"), ["4 ranks", "machine 3"]),
                ((*model, "--placement", "damaged"), ["--placement damaged", "'0:'"]),
                ((), ["--model or --topology"])]:
            with self.subTest(options=options):
                done = self.run_tool("replay", "run", "trace", *options, "-o", "new.json")
                self.assert_refused(done, *words)
                self.assertFalse((self.directory / "new.json").exists())
        (self.directory / "ring").write_text("0: 1\n1: 2\n2: 3\n3: 0\n")
        done = self.run_tool("replay", "run", "trace", *links("ring"), "-o", "ring")
        self.assert_refused(done, "--topology and -o are the same file")
        self.assertIn("0: 1", (self.directory / "ring").read_text())


class Refused(Base):
    def setUp(self):
        super().setUp()
        self.machine("lmo", 4)

    def test_no_trace(self):
        self.assert_refused(self.run_tool("replay", "run", "trace", "--model", "model.json"), "trace")

    def test_more_ranks_than_the_machine_has(self):
        self.emulate(4, PROGRAMS / "emulated-random-programs", 1, 1)
        self.machine("lmo", 3)
        self.assert_refused(self.run_tool("replay", "run", "trace", "--model", "model.json"), "4 ranks")

    def test_fewer_ranks_are_the_first(self):
        self.emulate(3, PROGRAMS / "emulated-random-programs", 1, 1)
        self.assertEqual(len(self.replay()), 3)


class Shown(Base):
    def test_text_timeline_and_info(self):
        self.machine("lmo", 4)
        self.emulate(4, PROGRAMS / "emulated-random-programs", 2, 1)
        shown = self.run_tool("replay", "run", "trace", "--model", "model.json", "--timeline")
        self.assertEqual(shown.code, 0, shown)
        for word in ("predicted time", "computing", "# computing"):
            self.assertIn(word, shown.out)
        self.assertNotIn("speedup", shown.out)  # these programs sleep
        self.assertIn("as fast as those on which the program was recorded", shown.err)
        info = self.run_tool("replay", "info", "trace")
        self.assertEqual(info.code, 0, info)
        for word in ("4 ranks", "in virtual time", "MPI_Recv"):
            self.assertIn(word, info.out)

    def test_sleeping_is_no_time_in_mpi(self):
        done = self.run_tool("record", "-o", "trace", PROGRAMS / "recorded-calls", "sleeps", ranks=2)
        self.assertEqual(done.code, 0, done)
        info = self.run_tool("replay", "info", "trace").out
        self.assertRegex(info, r"asleep +(2\d\d|[3-9]\d\d) ms a rank")
        self.assertRegex(info, r"in MPI .* ([0-9]|[1-7]\d)(\.\d+)? %")

    def test_sleeping_is_no_computing(self):
        """Nor is it in the table, the timeline, the JSON and the explanation."""
        done = self.run_tool("record", "-o", "trace", PROGRAMS / "recorded-calls", "sleeps", ranks=2)
        self.assertEqual(done.code, 0, done)
        self.machine("hockney", 2)
        shown = self.run_tool("replay", "run", "trace", "--model", "model.json", "--timeline", "--compute",
                              "none").out
        self.assertRegex(shown, r"(?m)^  rank .* waiting +sleeping$")
        rows = re.findall(r"(?m)^ +\d \|(.*)\|$", shown)
        self.assertEqual(len(rows), 2, shown)
        self.assertTrue(all("z" in row and "#" not in row for row in rows), shown)
        for rank in self.document()["ranks"]:
            self.assertEqual(rank["computing_s"], 0)
            self.assertAlmostEqual(rank["sleeping_s"], 0.2)
        explained = self.run_tool("replay", "explain", "trace", "--model", "model.json", "--compute", "none").out
        self.assertRegex(explained, r"(?m)^  sleeping ")

    def test_goal(self):
        schedule = self.directory / "two.goal"
        schedule.write_text("num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 1\n}\n"
                            "rank 1 {\nl1: recv 8b from 0 tag 1\n}\n")
        shown = self.run_tool("replay", "goal", "two.goal", "--loggops", "L=1000,o=500,g=0,G=1,O=0,S=100")
        self.assertEqual(shown.code, 0, shown)
        # o, then L and 7 gaps, then o.
        self.assertIn("2007 ns", shown.out)
        self.assert_refused(self.run_tool("replay", "goal", "two.goal", "--loggops", "L=x"), "L=x")


if __name__ == "__main__":
    unittest.main()
