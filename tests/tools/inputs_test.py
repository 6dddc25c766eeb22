#!/usr/bin/env python3
"""What is read stays as it was: no command writes its result over one of its inputs."""

import os
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


def redirected(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE):
    return harness.Job([harness.PROGRAM, *arguments], stdin=stdin, stdout=stdout).end()


if __name__ == "__main__":
    sys.exit(unittest.main())
