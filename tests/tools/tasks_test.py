#!/usr/bin/env python3
"""Masters and workers from tasks' times; which tasks to run; programs that run them."""

import csv
import io
import sys
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
    print("i1,i2,time_s", file=times)
    for row in rows:
        time = (int(row["i1"]) + int(row["i2"])) * 1e-3
        print(row["i1"], row["i2"], -time if way == "negative" else time, sep=",", file=times)
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
        for options in ["", "--chunk 10", "--serve 1ms", "--masters 2", "--result-size 4KiB"]:
            rows, _ = self.rows(*arguments, *options.split())
            times[options] = float(rows[0]["time_s"])
        self.assertLess(times["--chunk 10"], times[""] / 2)
        self.assertAlmostEqual(times["--serve 1ms"], 3, delta=0.2)
        self.assertEqual(len(set(times.values())), len(times))

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
        self.assertEqual(len(first), 128)
        self.assertIn("0 of 3600 tasks were run; next 128 tasks", result.err)
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
        self.assertIn("nothing is left to run", result.err)

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
        return list(csv.DictReader(io.StringIO(self.tasks.read_text()))) if self.tasks.exists() else []

    def test_until_the_total_is_known(self):
        result = self.start("well", "--precision", "1%")
        self.assert_code(result, 0)
        rows = self.times()
        self.assertGreater(len(rows), 128)
        self.assertLess(len(rows), 3600)
        for row in rows:
            self.assertAlmostEqual(float(row["time_s"]), (int(row["i1"]) + int(row["i2"])) * 1e-3)
        self.assertIn("round 1: 0 of 3600 tasks were run; next 128 tasks", result.err)
        again = self.start("well", "--precision", "1%")
        self.assertIn("going on from these", again.err)
        self.assertNotIn("round", again.err)
        more = self.start("well", "--precision", "0.5%")
        self.assert_code(more, 0)
        self.assertGreater(len(self.times()), len(rows))

    def test_no_more_than_asked(self):
        result = self.start("well", "--precision", "0.1%", "--most", "300")
        self.assert_code(result, 3)
        self.assertLessEqual(len(self.times()), 300)
        self.assertIn("--most", result.err)

    def test_programs_that_fail(self):
        for way, words, kept in [("fails", ["exit code 3"], 128), ("negative", ["negative"], 0),
                                 ("partly", ["lacks task"], 64), ("more", ["60x60"], 0),
                                 ("dies", ["signal 9"], 128)]:
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
        self.assertEqual(len(self.times()), 1)


if __name__ == "__main__":
    unittest.main()
