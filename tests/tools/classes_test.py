#!/usr/bin/env python3
"""Models by classes of ranks and pairs, and machines of more hosts like theirs."""

import csv
import io
import json
import os
import pathlib
import unittest

import harness
import synthetic

BY_CLASSES = pathlib.Path(os.environ["SAMPLES"]) / "model-by-classes.json"
"""64 hosts of two kinds with 16 ranks each."""


class ByClasses(harness.TestCase):
    def test_show(self):
        result = harness.run("show", BY_CLASSES)
        self.assert_code(result, 0)
        self.assertLess(len(result.out.splitlines()), 200)
        for text in ["1024 ranks on 64 hosts", "between hosts, kind a to kind b  262144",
                     "within a host of kind b            7680"]:
            self.assertIn(text, result.out)
        self.assertLess(result.out.index("messages between host n1 and others: a byte adds 2 times"),
                        result.out.index("Ranks and pairs by classes"))

    def test_check_finds_what_is_not_like_its_kind(self):
        result = harness.run("show", "--check", BY_CLASSES)
        self.assert_code(result, 1)
        self.assertIn("2 findings under What isn't like its kind", result.err)
        document = json.loads(BY_CLASSES.read_text())
        document["classes"]["deviations"] = []
        even = self.directory / "even.json"
        even.write_text(json.dumps(document))
        self.assert_code(harness.run("show", "--check", even), 0)

    def test_compare_with_itself(self):
        result = harness.run("compare", "--check", BY_CLASSES, BY_CLASSES)
        self.assert_code(result, 0)
        self.assertIn("(100 %)", result.out)

    def test_csv(self):
        result = harness.run("export", BY_CLASSES, "--format", "csv")
        self.assert_code(result, 0)
        self.assertTrue(result.out.startswith("model,parameter,where,from_kind,to_kind,size_bytes,"))
        self.assertLess(len(result.out.splitlines()), 400)

    def test_predict(self):
        result = harness.run("predict", BY_CLASSES, "--model", "all", "--from", "3", "--to", "1000",
                             "--size", "1KiB")
        self.assert_code(result, 0)
        self.assertGreater(len(result.out.splitlines()), 5)


class MoreHosts(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.measurements = self.directory / "m.json"
        self.model = self.directory / "model.json"
        synthetic.write(self.measurements, synthetic.Machine())
        self.assert_code(harness.run("fit", self.measurements, "-o", self.model), 0)

    def predicted(self, *arguments, model=None):
        result = harness.run("predict", model or self.model, "--size", "1KiB", *arguments)
        self.assert_code(result, 0)
        return list(csv.DictReader(io.StringIO(result.out))), result.err

    def test_predict(self):
        larger = ["--hosts", "64", "--ranks-per-host", "1"]
        rows, said = self.predicted("--model", "lmo", "--from", "3", "--to", "60", *larger)
        pairs = [self.predicted("--model", "lmo", "--from", str(i), "--to", str(j))[0][0]
                 for i in range(4) for j in range(4) if i != j]
        times = [float(one["time_s"]) for one in pairs]
        row = rows[0]
        self.assertLess(float(row["low_s"]), max(times))
        self.assertGreater(float(row["high_s"]), min(times))
        width = float(row["high_s"]) / float(row["low_s"])
        self.assertGreater(width, max(float(one["high_s"]) / float(one["low_s"]) for one in pairs))
        self.assertIn("the machine is made of hosts like the 4 that the model is of", said)

    def test_the_same_machine(self):
        for arguments in (["--from", "3", "--to", "0"], ["--operation", "all-reduce"],
                          ["--operation", "bcast", "--algorithm", "binomial"]):
            same = self.predicted(*arguments, "--hosts", "4", "--ranks-per-host", "1")
            self.assertEqual(same, self.predicted(*arguments))

    def test_the_same_each_time(self):
        larger = ["--operation", "bcast", "--algorithm", "binomial", "--hosts", "40",
                  "--ranks-per-host", "1"]
        self.assertEqual(self.predicted(*larger), self.predicted(*larger))

    def test_export(self):
        result = harness.run("export", self.model, "--format", "simgrid", "--hosts", "9",
                             "--ranks-per-host", "1")
        self.assert_code(result, 0)
        self.assertTrue(result.out.startswith("<?xml"))

    def test_of_classes(self):
        rows, said = self.predicted("--model", "hockney", "--to", "4000", "--hosts", "256",
                                    "--ranks-per-host", "16", model=BY_CLASSES)
        self.assertEqual(len(rows), 1)
        self.assertIn("1 host that isn't like the kind is left out (n1)", said)

    def test_refused(self):
        for arguments, words in [(["--hosts", "4"], "give both"),
                                 (["--hosts", "4", "--ranks-per-host", "2"], "within a host")]:
            result = harness.run("predict", self.model, "--to", "1", "--size", "8", *arguments)
            self.assert_complaint(result, 2, words)


if __name__ == "__main__":
    unittest.main()
