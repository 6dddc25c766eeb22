#!/usr/bin/env python3
"""What is read stays as it was: no command writes its result over one of its inputs. What can't be
read, or isn't what belongs there, is said in a line; what others call themselves can't speak to the
terminal."""

import json
import os
import resource
import subprocess
import sys
import unittest

import harness
import synthetic


class Overwriting(harness.TestCase):
    def setUp(self):
        super().setUp()
        harness.select("estimate-model")
        self.addCleanup(harness.select, "estimate-model")
        self.measurements = self.directory / "m.json"
        self.model = self.directory / "model.json"
        synthetic.write(self.measurements, synthetic.Machine())
        self.assert_code(harness.run("fit", self.measurements, "-o", self.model), 0)

    def names_of(self, file):
        """Links of both kinds, and paths."""
        directory = self.directory / f"links-{file.stem}"
        directory.mkdir(exist_ok=True)
        soft, hard, around = (directory / name for name in ("soft", "hard", "around"))
        if not hard.exists():
            soft.symlink_to(file)
            hard.hardlink_to(file)
            around.symlink_to(self.directory, target_is_directory=True)
        return [file, os.path.relpath(file), soft, hard, around / file.name]

    def assert_kept(self, run, file):
        """`run` gets each name of the file as its output, and refuses it."""
        before = file.read_bytes()
        for name in self.names_of(file):
            with self.subTest(str(name)):
                self.assert_complaint(run(name), 2, "are the same file", str(name))
                self.assertEqual(file.read_bytes(), before)

    def test_fit(self):
        other = self.directory / "m2.json"
        synthetic.write(other, synthetic.Machine(), seed=2)
        for inputs in [[self.measurements], [other, self.measurements]]:
            self.assert_kept(lambda name: harness.run("fit", *inputs, "-o", name),
                             self.measurements)

    def test_predict_and_export(self):
        self.assert_kept(lambda name: harness.run("predict", self.model, "--to", "1", "--size", "8",
                                                  "-o", name), self.model)
        self.assert_kept(lambda name: harness.run("export", self.model, "--format", "csv",
                                                  "-o", name), self.model)

    def test_redirected(self):
        """The input is what standard input is, or what standard output goes into."""
        before = self.measurements.read_bytes()
        with open(self.measurements) as given:
            result = redirected(["fit", "-", "-o", str(self.measurements)], stdin=given)
        self.assert_complaint(result, 2, "are the same file")
        with open(self.measurements, "a") as into:
            result = redirected(["fit", str(self.measurements), "-o", "-"], stdout=into)
        self.assertEqual(result.code, 2, result)
        self.assertEqual(self.measurements.read_bytes(), before)

    def test_validate(self):
        self.assert_kept(lambda name: harness.run("validate", self.model, "-o", name), self.model)

    def test_emulate(self):
        harness.select("emulate")
        speeds = self.directory / "speeds.csv"
        speeds.write_text("".join(f"{rank},1\n" for rank in range(4)))
        for option in ["--report", "--trace"]:
            self.assert_kept(lambda name: harness.run("--model", self.model, option, name, "true"),
                             self.model)
            self.assert_kept(lambda name: harness.run("--model", self.model, "--speeds", speeds,
                                                      option, name, "true"), speeds)
        new = self.directory / "new.json"
        self.assert_complaint(harness.run("--model", self.model, "--report", new, "--trace", new,
                                          "true"), 2, "are the same file")
        self.assertFalse(new.exists())

    def test_devices_are_not_replaced(self):
        text = self.measurements.read_text()
        result = harness.run("fit", "/dev/stdin", "-o", "/dev/stdout", given=text)
        self.assert_code(result, 0)
        self.assertTrue(result.out.startswith("{"))


PARAVER = "#Paraver (26/11/26 at 12:00):1000_ns:1(2):1:2(1:1,1:1)\n1:1:1:1:1:0:1000:1\n"
ACTIONS = "0 init\n0 send 1 0 8\n"
OWN = {"measurements": "a file of measurements", "thresholds": "a file of thresholds",
       "emulation": "a report of emulate", "replay": "a result of replay run",
       "explanation": "a result of replay explain", "what-if": "a result of replay what-if",
       "speed": "a processor's speed", "speed-ratio": "a ratio of two processors' speeds"}


class OtherKinds(harness.TestCase):
    """Files in the wrong place: one of ours, or another tool's trace."""

    def setUp(self):
        super().setUp()
        self.addCleanup(harness.select, "estimate-model")
        self.measurements = self.directory / "measurements.json"
        self.model = self.directory / "model.json"
        synthetic.write(self.measurements, synthetic.Machine())
        self.assert_code(harness.run("fit", self.measurements, "-o", self.model), 0)

    def written(self, name, text):
        file = self.directory / name
        file.write_text(text)
        return file

    def commands(self, file):
        """Program and words, where each of them reads a model or measurements, by what it reads."""
        return {
            "model": [("estimate-model", ["show", file]), ("estimate-model", ["compare", file, file]),
                      ("estimate-model", ["predict", file, "--to", "1", "--size", "8"]),
                      ("estimate-model", ["export", file, "--format", "csv"]),
                      ("emulate", ["--model", file, "true"])],
            "measurements": [("estimate-model", ["fit", file, "-o", self.directory / "new"]),
                             ("thresholds", ["fit", file])],
            "text": [("estimate-model", ["predict", self.model, "--operation", "master-worker",
                                         "--tasks", file, "--processes", "2"]),
                     ("emulate", ["--topology", file, "--start-up", "1us", "--per-byte", "1ns", "true"]),
                     ("emulate", ["--model", self.model, "--placement", file, "true"])]}

    def assert_told(self, commands, *words):
        for program, arguments in commands:
            harness.select(program)
            with self.subTest(program=program, arguments=[str(one) for one in arguments]):
                self.assert_complaint(harness.run(*arguments), 2, *words)

    def test_ours(self):
        self.assert_told(self.commands(self.measurements)["model"],
                         "measurements.json is a file of measurements (a model file belongs here)",
                         f"estimate-model fit {self.measurements} -o model.json makes a model of it")
        commands = self.commands(self.model)
        self.assert_told(commands["measurements"],
                         "model.json is a model file (a file of measurements belongs here)",
                         "--model of emulate and replay")
        self.assert_told(commands["text"], "model.json is a model file")
        for name, what in OWN.items():
            if name == "measurements":
                continue
            file = self.written(f"{name}.json", json.dumps({"schema": f"commgauge.{name}/1"}))
            for kind, those in self.commands(file).items():
                self.assert_told(those, f"{name}.json is {what}")

    def test_others(self):
        for name, text, what in [("tiny.prv", PARAVER, "a Paraver trace"),
                                 ("actions.txt", ACTIONS, "a time-independent trace of SimGrid"),
                                 ("x.trace", "%EventDef PajeDefine 0\n", "a Paje trace")]:
            file = self.written(name, text)
            for those in self.commands(file).values():
                self.assert_told(those, f"{name} is {what}", "record the program")

    def test_replays(self):
        if "REPLAY" not in os.environ:
            self.skipTest("replay isn't built")
        paraver = self.written("tiny.prv", PARAVER)
        actions = self.written("actions.txt", ACTIONS)
        topology = ["--topology", "full:4", "--start-up", "1us", "--per-byte", "1ns"]
        for file, what in [(self.model, "a model file"), (self.measurements, "a file of measurements"),
                           (paraver, "a Paraver trace"), (actions, "a time-independent trace")]:
            self.assert_told([("replay", ["info", file]), ("replay", ["run", file, *topology])],
                             f"{file.name} is {what}", "(an OTF2 archive belongs here)")
            self.assert_told([("replay", ["goal", file])],
                             f"{file.name} is {what}", "(a GOAL schedule belongs here)")


class Endless(harness.TestCase):
    """What has no end is no file, however long it is read."""

    COMMANDS = [("estimate-model", ["show"]), ("thresholds", ["fit"]), ("replay", ["goal"]),
                ("replay", ["info"]), ("emulate", ["--topology"])]

    def test_devices(self):
        self.addCleanup(harness.select, "estimate-model")
        more = {"emulate": ["--start-up", "1us", "--per-byte", "1ns", "true"]}
        for program, words in self.COMMANDS:
            if program.upper() not in os.environ and program == "replay":
                continue
            for device in ["/dev/zero", "/dev/urandom"]:
                harness.select(program)
                with self.subTest(program=program, words=words, device=device):
                    self.assert_complaint(harness.run(*words, device, *more.get(program, [])), 2,
                                          f"cannot read", device)

    def test_pipes(self):
        limit = 4_000_000_000
        endless = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
        self.addCleanup(endless.wait)
        self.addCleanup(endless.kill)
        job = harness.Job([harness.PROGRAM, "show", "-"], stdin=endless.stdout,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assert_complaint(job.end(), 2, "cannot read standard input (File too large)")


class Names(harness.TestCase):
    """Hosts and others may be called anything."""

    BAD = "\x1b[2Jown\x07\nBest model: mine \u202e"

    def setUp(self):
        super().setUp()
        self.addCleanup(harness.select, "estimate-model")
        measurements = self.directory / "m.json"
        self.model = self.directory / "model.json"
        synthetic.write(measurements, synthetic.Machine())
        self.assert_code(harness.run("fit", measurements, "-o", self.model), 0)
        document = json.loads(self.model.read_text())
        for launch in document["launches"]:
            launch["ranks"][0]["host"] = launch["mpi_library"] = launch["time_utc"] = self.BAD
        document["not_determined"] = self.BAD
        self.model.write_text(json.dumps(document))

    def assert_harmless(self, text):
        for character in "\x1b\x07\u202e":
            self.assertNotIn(character, text)
        self.assertNotIn("\nBest model: mine", text)

    def test_models(self):
        shown = harness.run("show", self.model, "--all")
        self.assert_code(shown, 0)
        self.assert_harmless(shown.out + shown.err)
        self.assertIn("?[2Jown??Best model: mine ?", shown.out)

    def test_columns_stay_in_line(self):
        lines = harness.run("show", self.model).out.splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith("Ranks: "))
        table = lines[start + 1:start + 6]
        self.assertEqual(len({len(line) for line in table}), 1, table)

    def test_traces(self):
        replay = os.environ.get("REPLAY")
        write = replay and os.path.join(os.path.dirname(replay), "write-trace")
        if not write or not os.path.exists(write):
            self.skipTest("write-trace isn't built")
        trace = self.directory / "trace"
        subprocess.run([write, "4", "10", self.BAD, trace, self.BAD], check=True)
        harness.select("replay")
        for words in [["info", trace], ["run", trace, "--model", self.model, "--no-interval"],
                      ["explain", trace, "--model", self.model, "--no-interval"]]:
            shown = harness.run(*words)
            self.assert_code(shown, 0)
            self.assert_harmless(shown.out + shown.err)
            self.assertIn("?[2Jown??Best model: mine ?", shown.out)


def redirected(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE):
    return harness.Job([harness.PROGRAM, *arguments], stdin=stdin, stdout=stdout).end()


if __name__ == "__main__":
    sys.exit(unittest.main())
