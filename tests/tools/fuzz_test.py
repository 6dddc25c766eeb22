#!/usr/bin/env python3
"""Random command lines: options of every command with values that are good, odd and bad. Whatever is
asked, a program ends soon, by itself and with a documented code, says in one line what is wrong,
writes over nothing that it reads, and prints no number that is none. The same lines every time."""

import hashlib
import itertools
import os
import random
import re
import subprocess
import unittest

import harness
import synthetic

LINES = 100  # of each program
COMMANDS = {"estimate-model": ["fit", "show", "predict", "export", "compare", "calibrate",
                               "validate", "tasks plan"],
            "thresholds": ["fit", "measure"], "emulate": [None]}
ODD = ["", " ", "-", "--", "-1", "0", "1", "2", "3", "7", "0.5", "-0.5", "1.", "1e3", "1e-9", "1e309",
       "nan", "inf", "-inf", "0x10", "010", "1_000", "1'000", "+5", "5x", "5 ", "1,2", "1,,2", ",",
       "2147483647", "2147483648", "4294967296", "18446744073709551615", "18446744073709551616",
       "9223372036854775808", "1KiB", "1K", "-1KiB", "8EiB", "0.3B", "1s", "1h", "-1s", "auto",
       "none", "all", "lmo", "lmo,lmo", "hockney", "plogp", "p2p", "gather", "master-worker",
       "sender", "binomial", "csv", "ompi-rules", "yield", "١٢", "µ", "\x1b[31m", "a\nb", "%s%n",
       "x" * 5000, "../../..", "$(id)"]
GOOD = {"NUMBER": ["4", "0.5", "3"], "SIZE": ["1KiB", "8"], "SIZE,...": ["1KiB,8KiB"],
        "TIME": ["1ms", "2s"], "SEED[:MEAN]": ["7:50us"], "SPEC": ["rank=0,speed=0.5"], "NAMES": ["flat"]}
NO_NUMBER = re.compile(r"(?<![\w-])-?(nan|inf)(?![\w-])", re.IGNORECASE)


WRITING = {"-o", "--output", "--measurements", "--plot", "--sweep", "--report", "--trace"}


class Option:
    """As the help names it."""

    def __init__(self, names, kind):
        self.name = names.split(",")[-1]
        self.takes_value = bool(kind)
        self.is_file = kind == "FILE"
        self.good = re.findall(r"[a-z_]+", kind) + GOOD.get(kind.split("|")[-1], [])


class CommandLines(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.addCleanup(harness.select, "estimate-model")
        self.draw = random.Random(14)
        names = ("model.json", "m.json", "sweep.csv", "tasks.csv", "torn.json", "other.txt")
        self.model, self.measurements, self.sweep, self.tasks, self.torn, self.other = (
            self.directory / name for name in names)
        self.kept = {}
        self.make_files()
        self.before = self.contents()
        self.new = self.directory / "new.json"

    def make_files(self):
        """The files that command lines name, as they were the first time."""
        if not self.kept:
            synthetic.write(self.measurements, synthetic.Machine(3), passes=2)
            harness.select("estimate-model")
            self.assert_code(harness.run("fit", self.measurements, "-o", self.model), 0)
            rows = [f"scatter,{1024 * k},{1e-5 * k + 1e-4 * (k > 20)}" for k in range(1, 41)]
            self.sweep.write_text("\n".join(["kind,size_bytes,time_s", *rows]) + "\n")
            self.tasks.write_text("i1,i2,time_s\n" + "".join(
                f"{i},{j},{1e-3 * i + 1e-4 * j}\n" for i in (1, 5, 9) for j in (1, 5, 9)))
            text = self.model.read_text()
            self.torn.write_text(text[:len(text) // 2])
            self.other.write_text("kept")
            (self.directory / "empty").mkdir()
            self.kept = {file: file.read_bytes() for file in self.directory.iterdir()
                         if file.is_file()}
        for file, content in self.kept.items():
            file.unlink()
            file.write_bytes(content)
        for name in ("link", "hard"):
            (self.directory / name).unlink(missing_ok=True)
        (self.directory / "link").symlink_to(self.model)
        (self.directory / "hard").hardlink_to(self.measurements)

    def contents(self):
        return {file.name: hashlib.sha256(file.read_bytes()).hexdigest()
                for file in self.directory.iterdir() if file.is_file()}

    def files(self):
        return [self.model, self.measurements, self.sweep, self.tasks, self.torn, self.new,
                self.directory / "link", self.directory / "hard", self.directory,
                self.directory / "none" / "x", "/dev/null", "-", "", "x" * 300]

    def options_of(self, command):
        text = harness.run(*command, "--help").out
        found = re.findall(r"^  (-\S+)(?: ([\w|,.:]*[A-Z|][\w|,.:]*))?", text, re.MULTILINE)
        return [Option(*one) for one in found if "help" not in one[0]]

    def usual(self, command):
        """What a command can't do without."""
        return {"fit": [self.measurements if harness.NAME == "estimate-model" else self.sweep, "-o",
                        self.new],
                "show": [self.model], "predict": [self.model, "--to", "1", "--size", "8"],
                "export": [self.model, "--format", "csv"], "compare": [self.model, self.model],
                "calibrate": ["-o", self.new], "validate": [self.model],
                "tasks plan": ["--shape", "9x9", "--measured", self.tasks],
                "measure": ["-o", self.new], None: ["--model", self.model]}[command]

    def value_for(self, option):
        if option.is_file:
            return str(self.draw.choice(self.files()))
        return self.draw.choice(option.good if option.good and self.draw.random() < 0.6 else ODD)

    def line_of(self, command):
        words = [str(word) for word in self.usual(command)]
        options = self.options_of(command.split() if command else [])
        for option in self.draw.sample(options, min(len(options), self.draw.randint(1, 3))):
            if option.name in words:  # its usual value makes way
                del words[words.index(option.name):words.index(option.name) + 2]
            words.append(option.name)
            if option.takes_value:
                value = self.value_for(option)
                words[-1:] = [f"{option.name}={value}"] if self.draw.random() < 0.5 else [
                    option.name, value]
        if self.draw.random() < 0.1:
            words[self.draw.randrange(len(words))] = str(self.draw.choice(self.files() + ODD))
        return (command.split() if command else []) + words + ([] if command else ["true"])

    def check(self, words):
        result = subprocess.run([harness.PROGRAM, *words], stdin=subprocess.DEVNULL, text=True,
                                capture_output=True, timeout=harness.TIME_LIMIT_S,
                                cwd=self.directory / "empty", errors="replace")
        said = f"{words}\n{result}"
        self.assertIn(result.returncode, (0, 1, 2, 3), said)
        self.assertNotIn("internal error", result.stderr, said)
        if result.returncode == 2:
            lines = [line for line in result.stderr.splitlines() if "late by chance" not in line]
            self.assertEqual(len(lines), 1, said)
            self.assertTrue(result.stderr.startswith(f"{harness.NAME}: "), said)
            self.assertNotIn("\x1b", result.stderr, said)
        if result.returncode == 0 and words[0] in ("predict", "export"):
            self.assertIsNone(NO_NUMBER.search(result.stdout), said)
        self.check_inputs(words, said)
        if result.returncode == 2:
            self.assertFalse(self.new.exists(), said)
        if self.new.exists():
            self.assertGreater(self.new.stat().st_size, 0, said)
            self.new.unlink()
        return result.returncode

    def check_inputs(self, words, said):
        """A file that is only named as an output may be replaced; it is put back then."""
        after = self.contents()
        after.pop(self.new.name, None)
        self.assertEqual(after.keys(), self.before.keys(), said)
        changed = [name for name in after if after[name] != self.before[name]]
        for name in changed:
            self.assertNotIn(name, self.names_read(words), said)
        if changed:
            self.make_files()

    def names_read(self, words):
        """Names of all files that are named elsewhere than behind an option that writes."""
        read = [word.partition("=")[2] if word.startswith("--") and "=" in word else word
                for before, word in zip(["", *words], words)
                if before not in WRITING and word.partition("=")[0] not in WRITING]
        return {file.name for file in self.directory.iterdir() for word in read
                if os.path.exists(word) and file.samefile(word)}

    def check_program(self, program):
        harness.select(program)
        commands = list(itertools.islice(itertools.cycle(COMMANDS[program]), LINES))
        codes = [self.check(self.line_of(command)) for command in commands]
        # Both ends are reached: the good one by those that one rank can do.
        alone = [command for command in commands if command not in ("calibrate", "validate", "measure")]
        self.assertGreater(codes.count(2), LINES // 10)
        self.assertGreater(codes.count(0), len(alone) // 20)

    def test_estimate_model(self):
        self.check_program("estimate-model")

    def test_thresholds(self):
        self.check_program("thresholds")

    def test_emulate(self):
        self.check_program("emulate")


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"
    unittest.main()
