#!/usr/bin/env python3
"""Manual pages and completions say what the programs' own help says."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

import harness

PAGES = pathlib.Path(os.environ["MANUAL_PAGES"])
COMPLETIONS = pathlib.Path(os.environ["COMPLETIONS"])
PROGRAMS = {
    "estimate-model": ["calibrate", "fit", "show", "predict", "validate", "refresh", "compare", "export", "tasks"],
    "thresholds": ["measure", "fit"],
    "emulate": []}
if (COMPLETIONS / "replay").exists():  # where archives can be read
    PROGRAMS |= {"record": [], "replay": ["run", "explain", "what-if", "info", "goal"]}
COMMANDS_OF = {"tasks": ["plan", "run"]}  # commands of commands
RUN_ANOTHER = ("emulate", "record")


def path_of(program):
    harness.select(program)
    return harness.PROGRAM


def help_of(program, *command):
    result = subprocess.run([path_of(program), *command, "--help"], capture_output=True, text=True)
    assert result.returncode == 0, result
    return result.stdout


def options_in(help_text):
    """Names at the start of a line: -o, --output."""
    names = []
    for start in re.findall(r"^  (-\S+)", help_text, re.MULTILINE):
        names += [name for name in start.split(",") if name.startswith("-")]
    return names


def examples_in(help_text):
    return re.findall(r"^  (.+)", help_text.partition("\nExample:\n")[2], re.MULTILINE)


def leaves(program):
    """Commands that do something, as lists of words."""
    return [[command, *below] for command in PROGRAMS[program]
            for below in [[one] for one in COMMANDS_OF.get(command, [])] or [[]]]


class ManualPages(harness.TestCase):
    def each(self):
        for program, commands in PROGRAMS.items():
            yield program, commands, PAGES / f"{program}.1"

    def check(self, *command):
        """Nothing to complain about in any page."""
        if shutil.which(command[0]) is None:
            self.skipTest(f"{command[0]} is not installed")
        for program, _, page in self.each():
            with self.subTest(program):
                result = subprocess.run([*command, page], capture_output=True, text=True,
                                        env=os.environ | {"MANWIDTH": "80"})
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                yield program, result.stdout

    def test_groff_has_no_warnings(self):
        for _, out in self.check("groff", "-man", "-Tutf8", "-ww", "-z"):
            self.assertEqual(out, "")

    def test_mandoc_has_no_warnings(self):
        for _, out in self.check("mandoc", "-T", "lint", "-W", "warning"):
            self.assertEqual(out, "")

    def test_man_shows_every_command_with_its_options_and_examples(self):
        for program, out in self.check("man", "--warnings", "-l"):
            words = re.split(r"[\s,()\[\]]+", out)
            for command in leaves(program) or [[]]:
                text = help_of(program, *command)
                self.assertIn(" ".join([program, *command, "[OPTIONS]"]), out)
                for option in options_in(text):
                    self.assertIn(option, words, command)
                self.assertTrue(examples_in(text))
                for example in examples_in(text):
                    self.assertIn(example, out)

    def test_descriptions_are_those_of_the_help(self):
        page = (PAGES / "estimate-model.1").read_text()
        self.assertIn(r"\fB\-\-seed\fR \fINUMBER\fR"
                      "\nOf whatever is drawn at random (default: 1)\n", page)
        self.assertIn(r"(not with \-\-largest)", page)
        self.assertIn(r"\fB\-o\fR, \fB\-\-output\fR \fIFILE\fR", page)
        self.assertIn(r"\fImeasurements\fR...", page)
        self.assertNotIn("{false}", page)

    def test_a_program_that_runs_another_has_no_commands(self):
        for program, out in self.check("man", "-l"):
            usage = f"{program} [OPTIONS] PROGRAM [ARGUMENTS]"
            runs_another = program in RUN_ANOTHER
            self.assertEqual(f"Usage: {usage}\n" in help_of(program), runs_another)
            self.assertEqual(usage in out, runs_another)
            self.assertEqual("COMMAND" not in out, runs_another)


class Completion(harness.TestCase):
    def complete(self, program, *words):
        """What bash would offer for the last word."""
        script = (f'source "{COMPLETIONS / program}"\n'
                  'program=$1; shift; COMP_WORDS=("${program##*/}" "$@"); COMP_CWORD=$#\n'
                  '_commgauge_complete "$program"\n'
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        result = subprocess.run(["bash", "-u", "-c", script, "bash", path_of(program), *words],
                                capture_output=True, text=True, cwd=self.directory)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.split()

    def test_it_is_registered(self):
        for program in PROGRAMS:
            script = f'source "{COMPLETIONS / program}"; complete -p {program}'
            result = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
            self.assertIn("_commgauge_complete", result.stdout)

    def test_subcommands(self):
        for program, commands in PROGRAMS.items():
            if commands:
                self.assertEqual(self.complete(program, ""), commands)
        self.assertEqual(self.complete("estimate-model", "c"), ["calibrate", "compare"])
        self.assertEqual(self.complete("estimate-model", "x"), [])
        self.assertEqual(self.complete("estimate-model", "tasks", ""), ["plan", "run"])
        self.assertEqual(self.complete("estimate-model", "tasks", "p"), ["plan"])

    def test_options_are_those_of_the_help(self):
        for program, commands in PROGRAMS.items():
            self.assertEqual(self.complete(program, "-"), options_in(help_of(program)))
            for command in leaves(program):
                expected = options_in(help_of(program, *command))
                self.assertGreaterEqual(len(expected), 2)
                self.assertEqual(self.complete(program, *command, "-"), expected)

    def test_beginnings_of_options(self):
        self.assertEqual(self.complete("estimate-model", "calibrate", "--rec"), ["--receive-wait"])
        self.assertEqual(self.complete("estimate-model", "calibrate", "--raw", "-o", "m", "--no"),
                         ["--no-checks", "--no-thresholds", "--no-fabric"])
        self.assertEqual(self.complete("estimate-model", "show", "--seed"), [])

    def test_choices(self):
        for words, expected in [
                (["calibrate", "--wait", ""], ["auto", "blocking", "yield"]),
                (["calibrate", "--wait", "b"], ["blocking"]),
                (["calibrate", "--wait", "="], ["auto", "blocking", "yield"]),
                (["calibrate", "--wait", "=", "b"], ["blocking"]),
                (["calibrate", "--eager-limit", ""], ["auto", "none"]),
                (["predict", "model.json", "--operation", "s"], ["scatter"]),
                (["predict", "model.json", "--model", "p"], ["plogp", "preferred"]),
                (["export", "--format", "lo"], ["loggopsim"]),
                (["export", "--model", "lm"], ["lmo"]),
        ]:
            with self.subTest(words):
                self.assertEqual(self.complete("estimate-model", *words), expected)
        self.assertEqual(self.complete("thresholds", "fit", "--breaks", ""), ["auto"])
        self.assertEqual(self.complete("thresholds", "fit", "--criterion", ""), ["bic", "lwz"])
        self.assertEqual(self.complete("emulate", "--compute", ""), ["cpu", "none"])
        self.assertEqual(sorted(self.complete("emulate", "--kind", "lo")), ["loggp", "loggps", "logp", "lom"])

    def test_lists(self):
        for words, expected in [
                (["calibrate", "--models", "lo"], ["lom", "logp", "loggp", "loggps"]),
                (["calibrate", "--models", "lmo,logg"], ["lmo,loggp", "lmo,loggps"]),
                (["validate", "m", "--operations", "p2p,bcast,"],
                 ["p2p,bcast,p2p", "p2p,bcast,exchange", "p2p,bcast,ring", "p2p,bcast,scatter", "p2p,bcast,gather",
                  "p2p,bcast,bcast"]),
                (["validate", "m", "--algorithms", ""], ["flat", "binomial"]),
        ]:
            with self.subTest(words):
                self.assertEqual(self.complete("estimate-model", *words), expected)

    def test_files(self):
        (self.directory / "model.json").touch()
        (self.directory / "more").mkdir()
        (self.directory / "other.csv").touch()
        for words, expected in [
                (["show", ""], ["model.json", "more", "other.csv"]),
                (["show", "--check", "mod"], ["model.json"]),
                (["fit", "model.json", "o"], ["other.csv"]),
                (["compare", "a", "mo"], ["model.json", "more"]),
                (["calibrate", "-o", "mod"], ["model.json"]),
                (["calibrate", "--measurements", "=", "mod"], ["model.json"]),
        ]:
            with self.subTest(words):
                self.assertEqual(sorted(self.complete("estimate-model", *words)), expected)
        self.assertEqual(self.complete("thresholds", "measure", "--plot", "mod"), ["model.json"])

    def test_programs_to_run(self):
        (self.directory / "model.json").touch()
        (self.directory / "solver").touch(0o755)
        (self.directory / "solver.txt").touch(0o644)
        model = ["--model", "model.json"]
        for words, expected in [
                (["--model", "mod"], ["model.json"]),
                ([*model, "./sol"], ["./solver"]),
                ([*model, "./solver", "so"], ["solver", "solver.txt"]),
                ([*model, "./solver", "--"], []),
                ([*model, "./solver", "--compute", ""], ["model.json", "solver", "solver.txt"]),
        ]:
            with self.subTest(words):
                self.assertEqual(sorted(self.complete("emulate", *words)), expected)
        self.assertIn("bash", self.complete("emulate", *model, "--no-growth", "bas"))

    def test_no_files_where_none_belong(self):
        (self.directory / "model.json").touch()
        for words in [["calibrate", "--passes", ""], ["calibrate", ""], ["show", "model.json", ""],
                      ["compare", "a", "b", "m"], ["calibrate", "--time-budget", "m"]]:
            with self.subTest(words):
                self.assertEqual(self.complete("estimate-model", *words), [])


if __name__ == "__main__":
    unittest.main()
