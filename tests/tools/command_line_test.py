#!/usr/bin/env python3
"""Help, versions, usage errors: what needs neither files nor MPI."""

import unittest

import harness

COMMANDS = ["calibrate", "fit", "show", "predict", "validate", "compare", "export"]


class CommandLine(harness.TestCase):
    def test_help_of_every_command_has_an_example(self):
        for command in COMMANDS:
            with self.subTest(command):
                result = harness.run(command, "--help")
                self.assert_code(result, 0)
                self.assertIn("Example:", result.out)
                self.assertIn(f"estimate-model {command}", result.out)
                self.assertFalse(result.err)

    def test_general_help_names_every_command(self):
        result = harness.run("--help")
        self.assert_code(result, 0)
        for command in COMMANDS:
            self.assertIn(command, result.out)

    def test_version(self):
        result = harness.run("--version")
        self.assert_code(result, 0)
        self.assertRegex(result.out, r"^estimate-model \d+\.\d+\.\d+\n$")

    def test_usage_errors(self):
        for arguments, words in [
                ([], ["subcommand"]),
                (["measure"], ["see estimate-model --help"]),
                (["show"], ["model"]),
                (["show", "a.json", "b.json"], ["b.json"]),
                (["fit", "m.json"], ["--output"]),
                (["fit", "m.json", "-o", "o.json", "--models", "lmo,logq"], ["logq", "hockney"]),
                (["fit", "m.json", "-o", "o.json", "--confidence", "95"], ["--confidence"]),
                (["predict", "model.json"], ["--size"]),
                (["predict", "model.json", "--size", "1M"], ["1M", "1MiB"]),
                (["predict", "model.json", "--size", "8", "--operation", "alltoall"],
                 ["alltoall", "bcast", "master-worker"]),
                (["predict", "model.json", "--size", "8", "--processes", "1"], ["--processes", "2"]),
                (["predict", "model.json", "--size", "8", "--side", "left"], ["left", "sender"]),
                (["predict", "model.json", "--size", "8", "--algorithm", "ring"],
                 ["ring", "binomial"]),
                (["predict", "model.json", "--size", "8", "--to", "1", "--ranks", "4"],
                 ["--ranks", "master-worker"]),
                (["predict", "model.json", "--operation", "master-worker", "--tasks", "8"],
                 ["--processes", "--ranks"]),
                (["predict", "model.json", "--operation", "master-worker", "--processes", "8"],
                 ["--tasks"]),
                (["predict", "model.json", "--operation", "master-worker", "--tasks", "8",
                  "--task-time", "1ms", "--ranks", "4", "--processes", "4"],
                 ["--processes", "--ranks"]),
                (["predict", "model.json", "--operation", "master-worker", "--tasks", "8",
                  "--task-time", "1ms", "--ranks", "4", "--chunk", "2"], ["--chunk", "--processes 4"]),
                (["predict", "model.json", "--operation", "master-worker", "--tasks", "t.csv",
                  "--ranks", "4"], ["--task-time", "--processes"]),
                (["predict", "model.json", "--operation", "master-worker", "--tasks", "t.csv",
                  "--processes", "8-4"], ["8-4"]),
                (["predict", "model.json", "--size", "8", "--to", "1", "--processes", "4,8"],
                 ["--processes", "master-worker"]),
                (["predict", "model.json", "--size", "8", "--to", "1", "--shape", "4x4"],
                 ["--shape", "master-worker"]),
                *[(["predict", "model.json", "--size", "8", "--operation", operation, *option],
                   [option[0], operation, "--collectives"])
                  for operation in ("all-to-all", "all-gather", "all-reduce")
                  for option in (["--processes", "4"], ["--from", "1"], ["--side", "sender"],
                                 ["--algorithm", "binomial"])],
                *[(["predict", "model.json", "--collectives", "flat", *arguments],
                   ["--collectives", "all-to-all"])
                  for arguments in (["--size", "8", "--to", "1"],
                                    ["--size", "8", "--operation", "bcast"],
                                    ["--operation", "master-worker", "--tasks", "8",
                                     "--processes", "8"])],
                (["predict", "model.json", "--size", "8", "--operation", "all-to-all",
                  "--collectives", "rings"], ["rings", "mpich"]),
                (["tasks"], ["subcommand"]),
                (["tasks", "plan"], ["--shape"]),
                (["tasks", "plan", "--shape", "4by4"], ["4by4", "1024x1024"]),
                (["tasks", "plan", "--shape", "4x4", "--precision", "200%"], ["200%"]),
                (["tasks", "run", "--shape", "4x4", "-o", "t.csv"], ["program"]),
                (["predict", "model.json", "--operation", "master-worker", "--tasks", "8",
                  "--task-time", "1ms", "--ranks", "4", "--size", "8"], ["--size"]),
                (["predict", "model.json", "--operation", "master-worker", "--tasks", "8",
                  "--task-time", "1ms", "--ranks", "1"], ["--ranks"]),
                (["validate", "model.json", "--operations", "p2p,alltoall"], ["alltoall", "bcast"]),
                (["validate", "model.json", "--algorithms", "flat,ring"], ["ring", "binomial"]),
                (["calibrate", "--wait", "spin"], ["spin", "yield"]),
                (["calibrate", "--time-budget", "soon"], ["--time-budget"]),
                (["calibrate", "--precision", "0"], ["--precision", "5%"]),
                (["calibrate", "--sizes", "1KiB,-3"], ["--sizes"]),
                (["calibrate", "--eager-limit", "some"], ["--eager-limit"]),
        ]:
            with self.subTest(" ".join(arguments)):
                self.assert_complaint(harness.run(*arguments), 2, *words)

    def test_classes(self):
        file = self.directory / "classes.txt"
        calibrate = ["calibrate", "-o", self.directory / "model.json", "--classes"]
        self.assert_complaint(harness.run(*calibrate, file), 2, str(file), "No such file")
        file.write_text("0-3 n1 big\n4-7 n2\n")
        self.assert_complaint(harness.run(*calibrate, file), 2, f"{file}, line 2", "three words")
        file.write_text("0-3 n1 big\n5 n2 big\n")
        self.assert_complaint(harness.run(*calibrate, file), 2, str(file), "no line for rank 4")
        file.write_text("{}")
        self.assert_complaint(harness.run(*calibrate, file), 2, str(file), "schema")
        file.write_text("0-3 n1 big\n")
        self.assert_complaint(harness.run(*calibrate, file), 2, "1 rank (nobody to communicate with)")

    def test_output_that_takes_nothing(self):
        with open("/dev/full", "w") as full:
            result = harness.run("--help", stdout=full)
        self.assertEqual(result.code, 2, result)
        self.assertIn("No space left", result.err)


if __name__ == "__main__":
    unittest.main()
