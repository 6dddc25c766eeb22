"""Masters, workers and tasks from Python: what `estimate-model` says, to the last digit."""

import contextlib
import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import unittest
import warnings

import harness
import numpy as np

import commgauge
from commgauge import plots
from commgauge.__main__ import main

MODEL = pathlib.Path(os.environ["SAMPLES"]) / "model.json"
SHAPE = (24, 20)


def times_of(shape=SHAPE):
    """Of all tasks [s]: smooth, least in the middle."""
    places = np.indices(shape)
    return 1e-3 * sum((1 + (k - n / 3) ** 2 / 50) for k, n in zip(places, shape))


def rows_of(shape=SHAPE):
    return np.stack([one.ravel() + 1 for one in np.indices(shape)], axis=1)


def at(tasks, times):
    return times[tuple(tasks.T - 1)]


def quietly(call, *arguments, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", commgauge.PredictionWarning)
        return call(*arguments, **more)


class Case(harness.TestCase):
    def assert_refused(self, *words):
        words = [re.escape(word) for word in words]
        return self.assertRaisesRegex(commgauge.InputError, ".*".join(words))

    def written(self, text, name="tasks.csv"):
        path = self.directory / name
        path.write_text(text)
        return path

    def sample_file(self, seed=1, sizes=False):
        """Of the tasks of one round."""
        next_ = commgauge.plan_tasks(SHAPE, seed=seed).next
        bytes_ = 10.0 * next_.sum(axis=1) if sizes else None
        found = commgauge.tasks_from(next_, at(next_, times_of()), SHAPE, bytes_, seed=seed)
        return self.written(found.to_csv())


class Times(Case):
    def test_of_all_tasks(self):
        every = commgauge.tasks_from(rows_of(), times_of().ravel(), result_bytes=rows_of()[:, 0])
        self.assertEqual((every.shape, every.known, len(every)), (SHAPE, "all", 480))
        np.testing.assert_array_equal(every.times(), times_of())
        np.testing.assert_array_equal(every.tasks, rows_of())
        np.testing.assert_array_equal(every.times_s, times_of().ravel())
        np.testing.assert_array_equal(every.result_bytes, rows_of()[:, 0])
        self.assertEqual((every.low, every.high), (every.total, every.total))
        self.assertAlmostEqual(every.total, times_of().sum(), places=12)
        self.assertTrue(every.text.startswith("all 480 tasks were run"), every.text)

    def test_the_order_of_what_was_run_does_not_matter(self):
        order = np.random.default_rng(1).permutation(480)
        shuffled = commgauge.tasks_from(rows_of()[order], times_of().ravel()[order])
        np.testing.assert_array_equal(shuffled.times(), times_of())
        np.testing.assert_array_equal(shuffled.tasks, rows_of())
        self.assertIsNone(shuffled.result_bytes)

    def test_of_a_grid_are_interpolated(self):
        """What is linear in each dimension is found again."""
        i, j = np.array(np.meshgrid([1, 9, 24], [1, 12, 20], indexing="ij")).reshape(2, -1)
        line = lambda i, j: 1e-3 * i + 2e-3 * j + 1e-4 * i * j  # noqa: E731
        found = commgauge.tasks_from(np.stack([i, j], axis=1), line(i, j))
        self.assertEqual((found.shape, found.known, len(found)), (SHAPE, "grid", 9))
        k, m = np.indices(SHAPE) + 1
        np.testing.assert_allclose(found.times(), line(k, m), rtol=1e-12)

    def test_of_a_sample_add_up_to_the_total(self):
        found = commgauge.load_tasks(self.sample_file(seed=3), SHAPE, seed=3)
        self.assertEqual((found.known, len(found)), ("sample", 256))
        self.assertLess(found.low, found.total)
        self.assertLess(found.total, found.high)
        self.assertAlmostEqual(found.times().sum(), found.total, places=10)
        np.testing.assert_array_equal(at(found.tasks, found.times()), found.times_s)
        with self.assert_refused("tasks.csv"):
            commgauge.load_tasks(self.directory / "tasks.csv", SHAPE, seed=4)

    def test_a_higher_confidence_is_a_wider_interval(self):
        path = self.sample_file()
        widths = [one.high - one.low for one in
                  (commgauge.load_tasks(path, "24x20", confidence=c) for c in (0.8, 0.95, 0.99))]
        self.assertEqual(widths, sorted(widths))
        self.assertLess(widths[0], widths[2])

    def test_file_and_frame(self):
        path = self.sample_file(sizes=True)
        found = commgauge.load_tasks(path, list(SHAPE))
        self.assertEqual(found.to_csv(), path.read_text())
        frame = found.to_dataframe()
        rows = list(csv.DictReader(io.StringIO(path.read_text())))
        self.assertEqual(list(frame.columns), list(rows[0]))
        for row, expected in zip(frame.to_dict("records"), rows):
            self.assertEqual({name: float(text) for name, text in expected.items()}, row)

    def test_shapes(self):
        path = self.written("i1,time_s\n1,0.5\n3,0.25\n2,1\n")
        for shape in (None, 3, "3", [3], np.int32(3)):
            self.assertEqual(commgauge.load_tasks(path, shape).shape, (3,))
        np.testing.assert_array_equal(commgauge.tasks_from([3, 1, 2], [3, 1, 2]).times(), [1, 2, 3])

    def test_equal_tasks(self):
        found = commgauge.equal_tasks(5, 0.25)
        np.testing.assert_array_equal(found.times(), [0.25] * 5)
        self.assertEqual((found.total, found.known), (1.25, "all"))

    def test_nothing_can_be_changed(self):
        found = commgauge.equal_tasks(5, 0.25)
        with self.assertRaises(AttributeError):
            found.total = 1
        for array in (found.tasks, found.times_s):
            with self.assertRaises(ValueError):
                array[0] = 7

    def test_arrays_keep_their_owner(self):
        times = commgauge.equal_tasks(1000, 0.25).times_s
        [np.zeros(1000) for _ in range(100)]
        self.assertEqual(times.sum(), 250)


class Plans(Case):
    def told(self, *options):
        """Rows of `estimate-model tasks plan`, and what it said."""
        done = harness.run("tasks", "plan", "--shape", "24x20", *options)
        self.assert_code(done, 0)
        return np.loadtxt(io.StringIO(done.out), delimiter=",", skiprows=1, dtype=int,
                          ndmin=2), done.err

    def test_are_those_of_the_tool(self):
        path = self.sample_file(seed=7)
        for measured, options in ((None, []), (path, ["--measured", path])):
            told, said = self.told("--seed", 7, "--precision", 0.001, *options)
            found = commgauge.plan_tasks("24x20", measured, precision=0.001, seed=7)
            np.testing.assert_array_equal(found.next, told)
            self.assertIn(f"{found.run} of 480 tasks were run", said)
            self.assertFalse(found.is_precise)
            self.assertEqual(list(found.to_dataframe().columns), ["i1", "i2"])
        self.assertIn(commgauge.units.seconds(found.total) + " in all, from "
                      + commgauge.units.seconds(found.low), said)

    def test_rounds_end_with_a_total_that_is_known(self):
        tasks, times = np.empty((0, 2), dtype=int), np.empty(0)
        plan = commgauge.plan_tasks(SHAPE, (tasks, times), precision=0.01)
        self.assertTrue(np.isnan([plan.total, plan.low, plan.high]).all())
        while not plan.is_precise:
            tasks = np.concatenate([tasks, plan.next])
            times = np.concatenate([times, at(plan.next, times_of())])
            plan = commgauge.plan_tasks(SHAPE, (tasks, times), precision=0.01)
        self.assertEqual((plan.next.shape, plan.run), ((0, 2), len(times)))
        found = commgauge.tasks_from(tasks, times, SHAPE)
        self.assertEqual((found.total, found.low, found.high), (plan.total, plan.low, plan.high))
        self.assertLessEqual(plan.high - plan.low, 2.0001 * 0.01 * plan.total)
        self.assertEqual(commgauge.plan_tasks(SHAPE, found, precision=0.01).total, plan.total)

    def test_a_doubtful_task(self):
        next_ = commgauge.plan_tasks(SHAPE).next
        times = at(next_, times_of())
        times[40] *= 200
        plan = commgauge.plan_tasks(SHAPE, (next_, times))
        self.assertEqual(plan.doubtful.task, tuple(next_[40]))
        self.assertEqual(plan.doubtful.time_s, times[40])
        self.assertLess(plan.doubtful.others_s, times[40] / 50)
        self.assertIsNone(commgauge.plan_tasks(SHAPE).doubtful)

    def test_result_sizes_go_with_the_times(self):
        next_ = commgauge.plan_tasks(SHAPE).next
        plan = commgauge.plan_tasks(SHAPE, (next_, at(next_, times_of()), np.ones(len(next_))))
        self.assertEqual(plan.run, 256)


class Predictions(Case):
    def told(self, *options):
        """Rows of `estimate-model predict`, and what it said."""
        done = harness.run("predict", MODEL, "--operation", "master-worker", *options)
        self.assert_code(done, 0)
        lines = [line.removeprefix("estimate-model: ") for line in done.err.splitlines()]
        return list(csv.DictReader(io.StringIO(done.out))), lines

    def assert_same(self, found, rows, said):
        """To the last digit that stands in the CSV."""
        frame = found.to_dataframe()
        self.assertEqual(list(frame.columns), list(rows[0]))
        for one, row in zip(frame.to_dict("records"), rows, strict=True):
            for name in ("time_s", "low_s", "high_s", "masters_busy", "workers_computing"):
                text = "" if np.isnan(one[name]) else f"{one[name]:.12g}"
                self.assertEqual(text, row[name], name)
            for name in ("processes", "splits", "size_bytes", "model", "operation", "from"):
                self.assertEqual(str(one[name]), row[name], name)
            self.assertEqual(str(int(one["extrapolated"])), row["extrapolated"])
        for text in (found.text, *found.warnings, *found.assumed):
            self.assertIn(f"{found.model}: {text}", said)
        meanings = [line for line in said if line.startswith("low_s to high_s")]
        self.assertEqual(meanings, [f"low_s to high_s: {found.interval_meaning}"]
                         if found.interval_meaning else [])

    def test_are_those_of_the_tool(self):
        path = self.sample_file(sizes=True)
        tasks = commgauge.load_tasks(path, SHAPE)
        machine = commgauge.load(MODEL)
        speeds = self.written("rank,time_ratio,low,high\n"
                              + "".join(f"{k},{1 + k / 4},{1 + k / 5},{1 + k / 3}\n"
                                        for k in range(8)), "speeds.csv")
        for more, options in (
            ({}, []),
            ({"model": "hockney"}, ["--model", "hockney"]),
            ({"order": "random", "seed": 1}, ["--order", "random"]),
            ({"order": "longest-first", "chunk": 3}, ["--order", "longest-first", "--chunk", "3"]),
            ({"masters": 2, "serve": 2e-5}, ["--masters", "2", "--serve", "20us"]),
            ({"split_after": 1e-6}, ["--split-after", "1us"]),
            ({"request_size": "1KiB", "task_size": 64},
             ["--request-size", "1KiB", "--task-size", "64"]),
            ({"time_ratio": 2.5}, ["--time-ratio", "2.5"]),
            ({"time_ratio": speeds}, ["--time-ratio", speeds]),
            ({"growth": False, "model": "loggps"}, ["--no-growth", "--model", "loggps"]),
            ({"interval": False}, ["--no-interval"]),
        ):
            with self.subTest(more):
                told = self.told("--tasks", path, "--shape", "24x20", "--processes", "4-8:2",
                                 *options)
                found = quietly(machine.predict_tasks, tasks, [4, 6, 8], **more)
                self.assert_same(found, *told)
                self.assertEqual(bool(found.assumed), "time_ratio" not in more)
                self.assertEqual(found.masters, more.get("masters", 1))

    def test_of_a_file_and_of_equal_tasks(self):
        every = commgauge.tasks_from(rows_of(), times_of().ravel())
        path = self.written(every.to_csv())
        machine = commgauge.load(MODEL)
        options = ["--processes", "2,3", "--result-size", "100", "--seed", "5"]
        found = quietly(machine.predict_tasks, path, "2,3", result_size=100, seed=5)
        self.assert_same(found, *self.told("--tasks", path, *options))
        options = ["--tasks", "300", "--task-time", "50us", "--processes", "5"]
        found = quietly(machine.predict_tasks, commgauge.equal_tasks(300, 5e-5), 5)
        self.assert_same(found, *self.told(*options))
        self.assertEqual(len(found), 1)

    def test_time_ratios_by_rank(self):
        machine = commgauge.load(MODEL)
        tasks = commgauge.equal_tasks(200, 1e-3)
        ratios = [1, 2, 4]
        speeds = self.written("rank,time_ratio\n0,1\n1,2\n2,4\n", "speeds.csv")
        expected = quietly(machine.predict_tasks, tasks, 3, time_ratio=speeds)
        for given in (ratios, np.array(ratios), dict(enumerate(ratios))):
            found = quietly(machine.predict_tasks, tasks, 3, time_ratio=given)
            self.assertEqual(found.time, expected.time)
        with self.assert_refused("time_ratio has 3 numbers, the machine 5 ranks"):
            machine.predict_tasks(tasks, 5, time_ratio=ratios)

    def test_the_best(self):
        machine = commgauge.load(MODEL)
        found = quietly(machine.predict_tasks, commgauge.equal_tasks(20_000, 1e-4), "2-16",
                        "loggps", interval=False)
        shortest = found.time.min()
        self.assertEqual(found.best.shortest, found.processes[found.time.argmin()])
        self.assertEqual(found.best.fewest, found.processes[found.time <= 1.02 * shortest].min())
        self.assertIn(f"shortest with {found.best.shortest} processes", found.text)

    def test_what_is_less_certain_is_said(self):
        with self.assertWarns(commgauge.PredictionWarning) as caught:
            found = commgauge.load(MODEL).predict_tasks(commgauge.equal_tasks(50, 1e-3), [2, 9])
        self.assertEqual(caught.filename, __file__)
        self.assertIn("more than 3 processes", found.warnings[0])
        self.assertEqual(list(found.extrapolated), [False, True])

    def test_others_run_meanwhile(self):
        """The interpreter's lock is free during the runs."""
        machine = commgauge.load(MODEL)
        tasks = commgauge.equal_tasks(400_000, 1e-5)
        ticks, stop = [], threading.Event()

        def tick():
            while not stop.wait(0.005):
                ticks.append(time.monotonic())

        other = threading.Thread(target=tick)
        other.start()
        began = time.monotonic()
        quietly(machine.predict_tasks, tasks, [2, 3], interval=False)
        ended = time.monotonic()
        stop.set()
        other.join()
        self.assertGreater(sum(began < one < ended for one in ticks), 0, ended - began)

    def test_ctrl_c_ends_it(self):
        code = ("import signal, threading, os, warnings, commgauge\n"
                "warnings.simplefilter('ignore')\n"
                f"machine = commgauge.load({str(MODEL)!r})\n"
                "tasks = commgauge.equal_tasks(20000, 1e-5)\n"
                "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                "try: machine.predict_tasks(tasks, '2-2000')\n"
                "except KeyboardInterrupt: print('ended')\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.stdout, "ended\n", done.stderr)


class Refused(Case):
    def test_files(self):
        for text, words in (
            ("", "is empty"),
            ("a,b\n1,2\n", "is no header"),
            ("i1,time_s\n0,1\n", "is no number of a task"),
            ("i1,time_s\n1,-1\n", "is negative"),
            ("i1,time_s\n1,1\n1,1\n", "is there twice"),
        ):
            path = self.written(text)
            with self.assert_refused(str(path), words):
                commgauge.load_tasks(path)
            with self.assert_refused(str(path), words):
                commgauge.plan_tasks(5, path)
        path = self.written("i1,i2,time_s\n1,2,1\n2,2,1\n2,1,1\n")
        with self.assert_refused(str(path), "4x4"):
            commgauge.load_tasks(path, "4x4x4")
        with self.assert_refused(str(path)):
            commgauge.load_tasks(path, "4x4")
        with self.assert_refused("cannot read"):
            commgauge.load_tasks(self.directory / "nowhere.csv")

    def test_arrays(self):
        for tasks, times_s, words in (
            ([], [], "no tasks"),
            ([1, 2], [1], "2 tasks and 1 entries of times_s"),
            ([1, 0], [1, 1], "below 1"),
            ([[1, -2]], [1], "below 1"),
            ([1.5], [1], "float64"),
            ([[[1]]], [1], "a row of integers"),
            (["1"], [1], "a row of integers"),
            ([1, 2], [1, np.nan], "times_s of task 1"),
            ([1, 2], [-1, 1], "times_s of task 0"),
            ([1], ["x"], "no numbers"),
            ([1], [[1]], "give a column"),
            ([2, 1, 2], [1, 1, 1], "task (2) is there twice"),
            ([[1, 2**41]], [1], "268435456"),
            (np.array([2**63 + 1], dtype=np.uint64), [1], "far too large"),
        ):
            with self.subTest(words), self.assert_refused(words):
                commgauge.tasks_from(tasks, times_s)
        with self.assert_refused("goes up to 2"):
            commgauge.tasks_from([[1, 3]], [1], (3, 2))
        with self.assert_refused("2 integers", "1 dimensions"):
            commgauge.tasks_from([[1, 3]], [1], 4)
        with self.assert_refused("result_bytes of task 0"):
            commgauge.tasks_from([1], [1], result_bytes=[np.inf])
        with self.assert_refused("no task with i1 = 10 was run"):
            commgauge.tasks_from([1, 5, 7], [1, 1, 1], 10)

    def test_plans(self):
        for more, words in (({"shape": "4y4"}, "is no shape"), ({"shape": 0}, "a dimension"),
                            ({"shape": ()}, "without dimensions"), ({"shape": 2.5}, "float"),
                            ({"precision": 0}, "precision"), ({"precision": np.nan}, "precision"),
                            ({"confidence": 1}, "confidence"), ({"seed": -1}, "seed"),
                            ({"measured": (1,)}, "tuple of 1"), ({"measured": 3}, "no path"),
                            ({"measured": commgauge.equal_tasks(5, 1)}, "the shape (5,)")):
            with self.subTest(more), self.assert_refused(words):
                commgauge.plan_tasks(**{"shape": 4, **more})

    def test_predictions(self):
        machine = commgauge.load(MODEL)
        tasks = commgauge.equal_tasks(10, 1e-3)
        for processes, more, words in (
            ([], {}, "no number of processes"),
            (1, {}, "processes is 1"),
            ([2, -3], {}, "processes is -3"),
            (2.0, {}, "float64"),
            ("8-4", {}, "'8-4' is no number"),
            ("2-8:0", {}, "is no number"),
            ("many", {}, "'many'"),
            (3, {"masters": 2}, "3 ranks for 2 masters"),
            (3, {"masters": 0}, "masters is 0"),
            (3, {"chunk": 0}, "chunk is 0"),
            (3, {"order": "reversed"}, "unknown order 'reversed'"),
            (3, {"serve": -1}, "serve is negative"),
            (3, {"split_after": np.inf}, "split_after"),
            (3, {"request_size": -1}, "negative size"),
            (3, {"task_size": [1, 2]}, "several sizes"),
            (3, {"model": "nobody"}, "nobody"),
            (3, {"model": ""}, "it is a name"),
            (3, {"time_ratio": 0}, "time ratio 0"),
            (3, {"seed": 1.5}, "seed of type float"),
        ):
            with self.subTest(more, processes=processes), self.assert_refused(words):
                quietly(machine.predict_tasks, tasks, processes, **more)
        with self.assert_refused("0 tasks"):
            commgauge.equal_tasks(0, 1)
        with self.assert_refused("a task's time"):
            commgauge.equal_tasks(3, -1)
        with self.assert_refused("268435456"):
            commgauge.equal_tasks(2**30, 1)


def drawn(figure, name):
    return figure.findobj(lambda artist: artist.get_gid() == name)


def notes(figure):
    return "\n".join(text.get_text() for text in drawn(figure, "notes"))


class Plots(Case):
    def setUp(self):
        super().setUp()
        self.machine = commgauge.load(MODEL)
        self.tasks = commgauge.equal_tasks(2000, 1e-4)

    def predicted(self, *arguments, **more):
        return quietly(self.machine.predict_tasks, self.tasks, *arguments, **more)

    def plot(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main(["plot", *map(str, words)])
            except SystemExit as left:
                code = left.code
        return code, out.getvalue(), err.getvalue()

    def test_what_is_drawn_is_what_was_predicted(self):
        found = self.predicted([8, 2, 3, 4, 16, 32], "loggps")
        figure = plots.tasks(found)
        order = np.argsort(found.processes)
        (line,) = drawn(figure, "times")
        np.testing.assert_array_equal(line.get_xdata(), found.processes[order])
        np.testing.assert_array_equal(line.get_ydata(), found.time[order])
        masters, workers = drawn(figure, "shares")
        np.testing.assert_array_equal(masters.get_ydata(), found.masters_busy[order])
        np.testing.assert_array_equal(workers.get_ydata(), found.workers_computing[order])
        corners = drawn(figure, "interval")[0].get_paths()[0].vertices
        for ends in (found.low, found.high):
            for place in zip(found.processes, ends):
                self.assertTrue((corners == place).all(axis=1).any(), place)
        marks = drawn(figure, "mark")
        self.assertEqual([one.get_xdata()[0] for one in marks], [found.best.fewest] * 2)
        for text in (found.interval_meaning, found.text[1:], found.assumed[0][1:], "Dashed"):
            self.assertIn(text, notes(figure).replace("\n", " "))

    def test_beyond_what_was_measured_is_dashed(self):
        styles = [one.get_linestyle() for one in drawn(plots.tasks(self.predicted("2-5")), "line")]
        self.assertEqual(styles, ["-", "--"] * 3)
        inside = plots.tasks(self.predicted([2, 3]))
        self.assertEqual([one.get_linestyle() for one in drawn(inside, "line")], ["-"] * 3)
        self.assertNotIn("Dashed", notes(inside))

    def test_without_intervals_and_of_one_number(self):
        figure = plots.tasks(self.predicted(3, interval=False))
        self.assertEqual(drawn(figure, "interval"), [])
        self.assertEqual(drawn(figure, "times")[0].get_markerfacecolor(), "white")
        self.assertIn("Hollow", notes(figure))
        plots.save(figure, self.directory / "one.png")

    def test_command(self):
        path = self.sample_file()
        for ending in ("png", "svg"):
            out = self.directory / f"tasks.{ending}"
            code, _, said = self.plot("tasks", path, MODEL, "-o", out, "--processes", "2-8:2",
                                      "--shape", "24x20", "--model", "lmo")
            self.assertEqual((code, said.count("\n")), (0, 3), said)
            self.assertIn("commgauge: jobs of more than 3 processes", said)
            self.assertIn("hosts", said.splitlines()[0], "what is assumed of more hosts")
            self.assertGreater(out.stat().st_size, 10_000)
        code, out, _ = self.plot("all", MODEL, self.written(commgauge.tasks_from(
            rows_of((4, 4)), np.ones(16)).to_csv(), "few.csv"), "-o", self.directory / "all")
        self.assertEqual(code, 0)
        self.assertIn("tasks.png", out)

    def test_command_refuses(self):
        path = self.sample_file()
        out = self.directory / "tasks.png"
        for words, said in ((["tasks", MODEL], "no times of tasks"),
                            (["tasks", path, "--shape", "24x20"], "no model file"),
                            (["tasks", path, MODEL, "--shape", "90x9"], "tasks.csv: "),
                            (["ranks", path, MODEL], "a file with tasks"),
                            (["ranks", MODEL, "--processes", "8"], "--processes"),
                            (["tasks", path, MODEL, "--from", "0"], "--from"),
                            (["tasks", path, MODEL, "--shape", "24x20", "--processes", "1"],
                             "1 processes"),
                            (["tasks", path, path, MODEL], "a second file with times")):
            with self.subTest(said):
                code, _, found = self.plot(*words, "-o", out)
                self.assertEqual((code, out.exists()), (2, False), found)
                self.assertIn(said, found)


if __name__ == "__main__":
    unittest.main()
