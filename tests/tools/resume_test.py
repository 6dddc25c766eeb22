#!/usr/bin/env python3
"""calibrate that was killed, stopped or out of time, and is resumed: on an emulated machine, whose times are
the same each time, so that what is resumed has to be what would have been."""

import json
import os
import random
import re
import signal
import subprocess
import time
import unittest

import harness

RANKS = 3
OPTIONS = ["--sizes", "1KiB,8KiB", "--models", "lmo,loggps", "--passes", "6", "--min-reps", "3",
           "--max-reps", "3", "--precision", "0.9", "--progress", "never"]
CLOCK = 20e-9  # [s] what a reading takes there: ranks of a ring begin together to within one
SAME = 1e-6  # of a time: virtual clocks count in seconds, and take differences
KINDS = ["kind", "root", "peers", "reply_order", "out_bytes", "back_bytes", "check", "messages",
         "delay_s", "processes", "pass"]
MODELS = {"lmo": ["C", "t", "L", "inverse_beta"], "loggps": ["L", "g"]}


class Resuming(harness.TestCase):
    ranks = RANKS
    options = OPTIONS

    def setUp(self):
        super().setUp()
        self.measurements = self.directory / "m.json"
        self.machine = self.write_machine("machine.json")

    def write_machine(self, name, seed=1):
        machine = self.directory / name
        machine.write_text(subprocess.run([os.environ["WRITE_MACHINE"], "lmo", str(self.ranks), str(seed)],
                                          text=True, check=True, stdout=subprocess.PIPE).stdout)
        return machine

    def emulating(self, machine=None):
        return [os.environ["EMULATE"], "--model", machine or self.machine, "--compute", "none"]

    def start(self, *arguments, **more):
        return harness.start_mpi(self.ranks, "calibrate", *arguments,
                                 wrapper=self.emulating(**more))

    def run_all(self, *arguments, **more):
        result = self.start(*arguments, **more).end(120)
        result.err, _, _ = result.err.partition("emulate: ")
        return result

    def begin_or_resume(self):
        if self.measurements.exists():
            return ["--resume", self.measurements]
        return ["--measurements", self.measurements, *self.options]

    def load(self, file=None):
        return json.loads((file or self.measurements).read_text())

    def uninterrupted(self):
        whole = self.directory / "whole.json"
        result = self.run_all("--measurements", whole, *self.options)
        self.assertIn(result.code, [0, 3], result)
        return whole, result.seconds

    def kept_rounds(self):
        """What the file has so far; a file is there as a whole or not at all."""
        return self.load()["launches"][0]["rounds"] if self.measurements.exists() else 0

    def assert_sound(self):
        """-> rounds that are kept."""
        launch = self.load()["launches"][0]
        self.assertFalse(launch["complete"])
        self.assertTrue(launch["incomplete_reason"])
        return launch["rounds"]

    def assert_same(self, whole):
        """As many of each experiment in each pass, with the same times; and the same model."""
        expected, found = self.load(whole), self.load()
        self.assertTrue(found["launches"][0]["complete"])
        self.assertEqual(len(found["launches"]), 1)
        self.assertNotIn("plan", found)
        for name in KINDS:
            self.assertEqual(found["experiments"][name], expected["experiments"][name], name)
        for kind, one, other in zip(found["experiments"]["kind"], found["experiments"]["time_s"],
                                    expected["experiments"]["time_s"]):
            self.assertLess(abs(one - other), SAME * other + (CLOCK if kind == "ring" else 0), kind)
        models = []
        for file in [whole, self.measurements]:
            model = self.directory / "model.json"
            self.assert_code(harness.run("fit", file, "-o", model), 0)
            models.append(json.loads(model.read_text())["models"])
        for name, parameters in MODELS.items():
            for parameter in parameters:
                true, other = (flat(model[name][parameter]["value"]) for model in models)
                for a, b in zip(true, other, strict=True):
                    self.assertEqual(a is None, b is None, (name, parameter))
                    if a is not None:
                        self.assertLessEqual(abs(a - b), SAME * abs(a), (name, parameter))


def flat(value):
    """A vector; of a matrix what is above the diagonal, which symmetric ones have only."""
    n = len(value)
    if not isinstance(value[0], list):
        return value
    return [one for i, row in enumerate(value) for one in row[len(row) - (n - 1 - i):]]


class Resume(Resuming):
    def cut(self, budget="400ms"):
        result = self.run_all("--measurements", self.measurements, *OPTIONS, "--time-budget", budget)
        self.assert_complaint(result, 3, "incomplete", f"--resume {self.measurements}")
        return self.measurements.read_text()

    def test_with_more_time(self):
        whole, _ = self.uninterrupted()
        self.cut()
        self.assert_sound()
        result = self.run_all("--resume", self.measurements)
        self.assertIn(result.code, [0, 3], result)
        self.assert_same(whole)
        self.assertEqual(self.load()["launches"][0]["resumed"], 1)
        self.assertIn("--passes 6", self.load()["launches"][0]["options"]["command_line"])
        model = self.directory / "model.json"
        result = self.run_all("--resume", self.measurements, "-o", model)
        self.assert_code(result, 0)
        self.assertIn("nothing is left to measure", result.err)
        self.assertEqual(sorted(self.load(model)["models"]), sorted(MODELS), "others than asked for")
        shown = harness.run("show", model)
        self.assertIn("1 launch (resumed 1 time), 6 passes", shown.out)
        self.assertIn("a launch was resumed once", shown.out + json.dumps(self.load(model)))
        before = self.measurements.read_text()
        self.assert_complaint(self.run_all("--resume", self.measurements), 0, "is complete")
        self.assertEqual(self.measurements.read_text(), before)

    def test_refusals(self):
        good = self.cut()
        resume = ["--resume", self.measurements]
        self.assert_complaint(self.run_all(*resume, "--passes", "7", "--seed", "1"), 2,
                              "--passes is 7 here, and was 6")
        self.assert_complaint(self.run_all(*resume, "--models", "lmo"), 2, "--models is lmo here")
        self.assert_complaint(self.run_all(*resume, "--no-thresholds"), 2, "--no-thresholds is yes")
        self.assert_complaint(self.run_all(*resume, "-o", self.measurements), 2, "the same file")
        self.assert_complaint(harness.run_mpi(RANKS, "calibrate", *resume), 2, "rank 0 is on",
                              "and was h0")
        self.assert_complaint(harness.run_mpi(2, "calibrate", *resume), 2,
                              "the number of ranks is 2 here, and was 3")
        self.assertEqual(self.measurements.read_text(), good)

        def damaged(change):
            document = json.loads(good)
            change(document)
            self.measurements.write_text(json.dumps(document))
            return self.run_all(*resume)

        def without_a_row(document):
            for column in document["experiments"].values():
                column.pop()

        self.assert_complaint(damaged(without_a_row), 2, "the file was changed")
        self.assert_complaint(damaged(lambda document: document.pop("plan")), 2, "it has no plan")
        self.assert_complaint(damaged(lambda document: document["plan"]["request"].pop("seed")), 2,
                              "plan.request.seed is missing")
        self.measurements.write_text(good[:len(good) // 2])
        self.assert_complaint(self.run_all(*resume), 2, str(self.measurements))
        self.measurements.unlink()
        self.assert_complaint(self.run_all(*resume), 2, "No such file")


class ResumeASample(Resuming):
    """Two hosts of one kind and one of another: half of the ranks are measured."""
    ranks = 12

    def setUp(self):
        super().setUp()
        self.classes = self.directory / "classes.txt"
        self.classes.write_text("0-3 n0 big\n4-7 n1 big\n8-11 n2 small\n")
        self.options = [*OPTIONS, "--no-thresholds", "--classes", self.classes]

    def test_killed(self):
        whole, seconds = self.uninterrupted()
        survey = self.load(whole)["survey"]
        self.assertEqual(survey["sample"], [0, 2, 4, 6, 8, 10])
        job = self.start(*self.begin_or_resume())
        while self.kept_rounds() == 0 and time.monotonic() < job.started + 2 * seconds:
            time.sleep(0.01)
        job.kill()
        self.assert_sound()
        resume = ["--resume", self.measurements]
        self.assert_complaint(self.run_all(*resume, "--classes", "none"), 2,
                              "--classes is none here, and was a file")
        self.classes.write_text("0-3 n0 big\n4-11 n1 big\n")
        self.assert_complaint(self.run_all(*resume, "--classes", self.classes), 2, str(self.classes))
        self.classes.write_text("8-11 n2 small\n0-3 n0 big\n4-7 n1 big\n")
        self.assertIn(self.run_all(*resume, "--classes", self.classes).code, [0, 3])
        self.assert_same(whole)
        self.assertEqual({**self.load()["survey"], "kernel_s": None, "trips": None},
                         {**survey, "kernel_s": None, "trips": None})


class ResumeAtRandomMoments(Resuming):
    """Three ways to end, ten moments: the seed is printed, so that a failure can be seen again."""

    def test_ten(self):
        seed = int(os.environ.get("RESUME_SEED", time.time()))
        print(f"RESUME_SEED={seed}")
        moments = random.Random(seed)
        whole, seconds = self.uninterrupted()
        done = ended = 0
        for moment in range(10):
            way = [signal.SIGKILL, signal.SIGTERM, None][moment % 3]
            if self.end(way, moments, seconds):
                ended += 1
            if not self.measurements.exists():
                continue
            if self.load()["launches"][0]["complete"]:
                self.assert_same(whole)
                self.measurements.unlink()
                done = 0
                continue
            self.assertGreaterEqual(rounds := self.assert_sound(), done, "something was lost")
            done = rounds
        if self.measurements.exists() and done > 0:
            self.assertIn(harness.run("fit", self.measurements, "-o", "-").code, [0, 2])
        self.assertIn(self.run_all(*self.begin_or_resume()).code, [0, 3])
        self.assert_same(whole)
        self.assertGreaterEqual(ended, 5, "most moments were none")

    def end(self, way, moments, seconds):
        """-> whether it ended early."""
        if way is None:
            budget = f"{moments.randint(100, 600)}ms"
            result = self.run_all(*self.begin_or_resume(), "--time-budget", budget)
            self.assertIn(result.code, [0, 2, 3], result)
            return result.code != 0
        job = self.start(*self.begin_or_resume())
        pids = job.ranks(RANKS)
        time.sleep(moments.uniform(0, seconds))
        try:
            os.kill(moments.choice(pids), way)
        except ProcessLookupError:
            pass
        result = job.end(60)
        if way == signal.SIGTERM:
            # Before its first line a rank may not catch it yet: what the launcher says then.
            self.assertIn(result.code, [0, 2, 3] if result.err else [0, 2, 3, signal.SIGTERM], result)
        return bool(re.search("incomplete|before anything|KILLED|Killed|Terminated", result.err + str(result.out)))


if __name__ == "__main__":
    unittest.main()
