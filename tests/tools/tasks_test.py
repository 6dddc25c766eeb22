#!/usr/bin/env python3
"""Masters and workers from tasks' times; which tasks to run; programs that run them."""

import csv
import io
import signal
import sys
import time
import unittest

import harness
import synthetic

# What a program does that can run tasks: task (i, j) takes i + j ms.
PROGRAM = """
import csv, os, signal, sys
arguments = dict(zip(sys.argv[2::2], sys.argv[3::2]))
way = sys.argv[1]
with open(arguments["--tasks"]) as tasks, open(arguments["--times"], "w") as times:
    rows = list(csv.DictReader(tasks))
    if way == "partly":
        rows = rows[: len(rows) // 2]
    print("i1,i2,time_s" + (",result_bytes" if way == "sized" else ""), file=times)
    for k, row in enumerate(rows):
        time = (int(row["i1"]) + int(row["i2"])) * 1e-3
        print(row["i1"], row["i2"], -time if way == "negative" else time, *([8] if way == "sized" else []),
              sep=",", file=times)
        if way == "slowly" and k == 100:
            times.flush()
            open(os.path.join(os.path.dirname(__file__), "started"), "w").close()
            signal.pause()
    if way == "more":
        print("1,1,1", "100,100,1", sep=chr(10), file=times)
    if way == "dies":
        times.write("7,")
        times.flush()
        os.kill(os.getpid(), signal.SIGKILL)
sys.exit(3 if way == "fails" else 0)
"""


class Tasks(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.model = self.directory / "model.json"
        self.tasks = self.directory / "tasks.csv"

    def write_tasks(self, rows, columns="i1,i2,time_s"):
        self.tasks.write_text("\n".join([columns, *rows]) + "\n")

    def grid(self, *lines):
        return [f"{i},{j},{(i + j) * 1e-3}" for i in lines for j in lines]


class MastersAndWorkers(Tasks):
    def setUp(self):
        super().setUp()
        measurements = self.directory / "m.json"
        synthetic.write(measurements, synthetic.Machine())
        self.assert_code(harness.run("fit", measurements, "-o", self.model), 0)

    def predict(self, *arguments):
        return harness.run("predict", self.model, "--operation", "master-worker", *arguments)

    def rows(self, *arguments):
        result = self.predict(*arguments)
        self.assert_code(result, 0)
        return list(csv.DictReader(io.StringIO(result.out))), result

    def test_a_row_for_each_number_of_processes(self):
        self.write_tasks(self.grid(1, 20, 40))
        rows, result = self.rows("--tasks", self.tasks, "--processes", "2,3-4,8-16:4")
        self.assertEqual([row["processes"] for row in rows], ["2", "3", "4", "8", "12", "16"])
        total = sum(i + j for i in range(1, 41) for j in range(1, 41)) * 1e-3
        for row in rows:
            workers = int(row["processes"]) - 1
            time, low, high = (float(row[name]) for name in ("time_s", "low_s", "high_s"))
            self.assertLess(low, time)
            self.assertLess(time, high)
            self.assertAlmostEqual(time / (total / workers), 1, delta=0.05)
            self.assertAlmostEqual(float(row["workers_computing"]), 1, delta=0.05)
            self.assertLess(float(row["masters_busy"]), 0.2)
            self.assertEqual(row["extrapolated"], "0" if workers < 4 else "1")
        for words in ["9 of 1600 tasks were run, a grid", "shortest with 16 processes (1 master, 15 workers)",
                      "hosts like those of the model", "as fast as", "low_s to high_s"]:
            self.assertIn(words, result.err)

    def test_equal_tasks(self):
        rows, result = self.rows("--tasks", "3000", "--task-time", "1ms", "--processes", "4", "--no-interval")
        self.assertAlmostEqual(float(rows[0]["time_s"]), 1, delta=0.2)
        self.assertEqual((rows[0]["low_s"], rows[0]["high_s"]), ("", ""))
        self.assertNotIn("3000 tasks were run", result.err)

    def test_slower_processors(self):
        arguments = ["--tasks", "3000", "--task-time", "10ms", "--processes", "4", "--no-interval"]
        here, _ = self.rows(*arguments)
        there, result = self.rows(*arguments, "--time-ratio", "2")
        self.assertAlmostEqual(float(there[0]["time_s"]) / float(here[0]["time_s"]), 2, delta=0.02)
        self.assertNotIn("as fast as", result.err)

    def test_the_protocol_counts(self):
        arguments = ["--tasks", "3000", "--task-time", "10us", "--processes", "4", "--no-interval"]
        times = {}
        for options in ["", "--chunk 10", "--serve 1ms", "--masters 2", "--result-size 4KiB", "--request-size 2KiB",
                        "--task-size 2KiB"]:
            rows, _ = self.rows(*arguments, *options.split())
            times[options] = float(rows[0]["time_s"])
        self.assertLess(times["--chunk 10"], times[""] / 2)
        self.assertAlmostEqual(times["--serve 1ms"], 3, delta=0.2)
        self.assertEqual(len(set(times.values())), len(times))

    def test_orders(self):
        """Nine of ten tasks take 1 ms, the last one 20 ms: it had better not be the last."""
        self.write_tasks([f"{i},{0.02 if i == 40 else 0.001}" for i in range(1, 41)], "i1,time_s")
        arguments = ["--tasks", self.tasks, "--processes", "4", "--no-interval"]
        given, longest = (float(self.rows(*arguments, "--order", order)[0][0]["time_s"])
                          for order in ("given", "longest-first"))
        self.assertAlmostEqual(given - longest, 0.013, delta=0.003)
        drawn = {self.rows(*arguments, "--order", "random", "--order-seed", seed)[0][0]["time_s"] for seed in "1234"}
        self.assertGreater(len(drawn), 1)

    def test_masters_that_make_others(self):
        arguments = ["--tasks", "3000", "--task-time", "1ms", "--processes", "16", "--serve", "1ms", "--no-interval"]
        alone, _ = self.rows(*arguments)
        dynamic, _ = self.rows(*arguments, "--split-after", "3ms")
        self.assertGreater(int(dynamic[0]["splits"]), 0)
        self.assertLess(float(dynamic[0]["time_s"]), 0.8 * float(alone[0]["time_s"]))

    def test_all_models_that_can(self):
        rows, _ = self.rows("--tasks", "300", "--task-time", "1ms", "--processes", "2,4", "--model", "all",
                            "--no-interval")
        self.assertGreaterEqual(len({row["model"] for row in rows}), 3)
        self.assertEqual(len(rows), 2 * len({row["model"] for row in rows}))

    def test_bad_files(self):
        for rows, words in [
                (["1,1,1", "1,3,1", "3,1,1"], ["(3, 3) is missing"]),
                (["1,1,1", "1,1,1"], ["line 3", "(1, 1) is there twice"]),
                (["1,1,-1"], ["line 2", "negative"]),
                (["1,1,soon"], ["line 2", "soon"]),
                (["1,1"], ["line 2", "2 fields"]),
                ([], ["no tasks"]),
        ]:
            with self.subTest(rows):
                self.write_tasks(rows)
                self.assert_complaint(self.predict("--tasks", self.tasks, "--processes", "4"), 2, "tasks.csv", *words)
        self.write_tasks(self.grid(1, 3, 5))
        self.assert_complaint(self.predict("--tasks", "9", "--task-time", "1ms", "--processes", "4", "--shape", "9"), 2,
                              "--shape")
        self.assert_complaint(self.predict("--tasks", "1e6", "--task-time", "1ms", "--processes", "4"), 2, "1e6",
                              "digits")
        self.assert_complaint(self.predict("--tasks", "9", "--task-time", "1ms", "--processes", "2-1000000"), 2, "step")
        for shape, words in [("4x4", ["line", "5"]), ("5", ["2 integers"]), ("9x9", ["i1 = 9"])]:
            self.assert_complaint(self.predict("--tasks", self.tasks, "--processes", "4", "--shape", shape), 2, *words)
        self.assert_complaint(self.predict("--tasks", self.directory / "none.csv", "--processes", "4"), 2, "none.csv")
        self.assert_complaint(self.predict("--tasks", self.tasks, "--processes", "4", "-o", self.tasks), 2, "tasks.csv")
        self.assert_complaint(self.predict("--tasks", self.tasks, "--processes", "4", "--masters", "3"), 2, "worker")
        self.assert_complaint(self.predict("--tasks", self.tasks, "--processes", "4", "--from", "1"), 2, "--from")


class TasksPlan(Tasks):
    def plan(self, *arguments):
        result = harness.run("tasks", "plan", *arguments)
        self.assert_code(result, 0)
        return [tuple(map(int, line.split(","))) for line in result.out.split()[1:]], result

    def test_until_nothing_is_left(self):
        shape = ["--shape", "60x60", "--precision", "1%"]
        first, result = self.plan(*shape)
        self.assertEqual(len(first), 256)
        self.assertIn("0 of 3600 tasks were run; next 256 tasks", result.err)
        known, rounds = [], 0
        todo = first
        while todo:
            self.assertFalse(set(todo) & set(known))
            known += todo
            self.write_tasks([f"{i},{j},{(i + j) * 1e-3}" for i, j in known])
            todo, result = self.plan(*shape, "--measured", self.tasks)
            rounds += 1
        self.assertLess(rounds, 12)
        self.assertLess(len(known), 3600)
        self.assertIn("nothing is left to run; tasks of a kind rarer than 1 in", result.err)

    def test_what_is_missing_is_said(self):
        first, _ = self.plan("--shape", "60x60")
        self.write_tasks([f"{i},{j},1" for i, j in first[1:]])
        left, result = self.plan("--shape", "60x60", "--measured", self.tasks)
        self.assertEqual(left, first[:1])
        self.assertIn("255 of 3600 tasks were run (", result.err)

    def test_times_may_be_in_several_files(self):
        first, _ = self.plan("--shape", "60x60")
        rows = [f"{i},{j},{i + j}" for i, j in first]
        more = self.directory / "more.csv"
        self.write_tasks(rows[:50])
        more.write_text("i1,i2,time_s\n" + "\n".join(rows[50:]) + "\n")
        shape = ["--shape", "60x60", "--precision", "0.1%"]
        both, _ = self.plan(*shape, "--measured", self.tasks, "--measured", more)
        self.write_tasks(rows)
        one, _ = self.plan(*shape, "--measured", self.tasks)
        self.assertEqual(both, one)
        self.assertTrue(one)

    def test_names_a_task_that_may_have_been_disturbed(self):
        first, _ = self.plan("--shape", "60x60")
        self.write_tasks([f"{i},{j},{1000 if k == 5 else 1 + (i * j) % 7}" for k, (i, j) in enumerate(first)])
        _, result = self.plan("--shape", "60x60", "--measured", self.tasks)
        self.assertIn(f"task ({first[5][0]}, {first[5][1]}) took", result.err)

    def test_measured_twice(self):
        self.write_tasks(["1,1,1"])
        self.assert_complaint(harness.run("tasks", "plan", "--shape", "9x9", "--measured", self.tasks, "--measured",
                                          self.tasks), 2, "(1, 1)")


class TasksRun(Tasks):
    def setUp(self):
        super().setUp()
        self.program = self.directory / "program.py"
        self.program.write_text(PROGRAM)

    def start(self, way, *options):
        return harness.run("tasks", "run", "--shape", "60x60", "-o", self.tasks, *options, "--", sys.executable,
                           self.program, way)

    def times(self):
        if not self.tasks.exists():
            return []
        head, text = self.tasks.read_text().split("\n", 1)
        self.assertEqual(head, "# tasks of 60x60, seed 1")
        return list(csv.DictReader(io.StringIO(text)))

    def test_until_the_total_is_known(self):
        result = self.start("well", "--precision", "1%")
        self.assert_code(result, 0)
        rows = self.times()
        self.assertGreater(len(rows), 256)
        self.assertLess(len(rows), 3600)
        for row in rows:
            self.assertAlmostEqual(float(row["time_s"]), (int(row["i1"]) + int(row["i2"])) * 1e-3)
        self.assertIn("round 1: 0 of 3600 tasks were run; next 256 tasks", result.err)
        again = self.start("well", "--precision", "1%")
        self.assertIn("going on from these", again.err)
        self.assertNotIn("round", again.err)
        more = self.start("well", "--precision", "0.5%")
        self.assert_code(more, 0)
        self.assertGreater(len(self.times()), len(rows))

    def test_no_more_than_asked(self):
        result = self.start("well", "--precision", "0.1%", "--most", "300")
        self.assert_code(result, 3)
        self.assertEqual(len(self.times()), 300)
        self.assertIn("--most", result.err)

    def test_programs_that_fail(self):
        for way, words, kept in [("fails", ["exit code 3"], 256), ("negative", ["negative"], 0),
                                 ("partly", ["lacks task"], 128), ("more", ["60x60"], 0),
                                 ("dies", ["signal 9"], 256)]:
            with self.subTest(way):
                self.tasks.unlink(missing_ok=True)
                result = self.start(way)
                self.assert_code(result, 2)
                self.assertEqual(len(result.err.splitlines()), 2, result)
                for word in words:
                    self.assertIn(word, result.err)
                self.assertEqual(len(self.times()), kept)
                self.assert_code(self.start("well"), 0)

    def test_a_program_that_is_not_there(self):
        result = harness.run("tasks", "run", "--shape", "9x9", "-o", self.tasks, "--", "./none")
        self.assert_code(result, 2)
        self.assertIn("cannot start ./none", result.err)
        self.assertFalse(self.tasks.exists())

    def test_times_of_another_shape(self):
        self.write_tasks(["70,1,1"])
        self.assert_complaint(self.start("well"), 2, "tasks.csv", "60x60")
        self.assertEqual(self.tasks.read_text(), "i1,i2,time_s\n70,1,1\n")

    def test_of_another_seed(self):
        self.assert_code(self.start("well"), 0)
        before = self.tasks.read_text()
        self.assert_complaint(self.start("well", "--seed", "2"), 2, "seed 1", "--seed")
        self.assertEqual(self.tasks.read_text(), before)

    def test_into_no_file(self):
        self.assert_complaint(harness.run("tasks", "run", "--shape", "9x9", "-o", "-", "--", "true"), 2, "-o -")

    def test_results_sizes_from_the_second_round_on(self):
        self.assert_code(self.start("well", "--precision", "50%"), 0)
        result = self.start("sized", "--precision", "0.1%")
        self.assert_code(result, 2)
        self.assertIn(f"{self.tasks}.round", result.err)
        self.assertIn("result_bytes", (self.directory / "tasks.csv.round").read_text())
        self.assertEqual(len(self.times()), 256)

    def test_a_signal_keeps_what_was_run(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number):
                self.tasks.unlink(missing_ok=True)
                job = harness.Job([harness.PROGRAM, "tasks", "run", "--shape", "60x60", "-o", self.tasks, "--",
                                   sys.executable, self.program, "slowly"])
                started = self.directory / "started"
                while not started.exists():
                    time.sleep(0.01)
                started.unlink()
                job.process.send_signal(number)
                result = job.end()
                self.assert_code(result, 3)
                self.assertIn("stopped; what was run is in", result.err)
                self.assertGreaterEqual(len(self.times()), 100)
                self.assertLess(len(self.times()), 256)
                self.assert_code(self.start("well"), 0)


if __name__ == "__main__":
    unittest.main()
