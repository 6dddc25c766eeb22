#!/usr/bin/env python3
"""fit, show, predict and compare on measurements of an imaginary machine, and on broken files."""

import csv
import io
import json
import math
import os
import subprocess
import unittest
from xml.etree import ElementTree

import harness
import synthetic


class Files(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.machine = synthetic.Machine()
        self.input = self.directory / "m.json"
        self.model = self.directory / "model.json"

    def fitted(self, machine=None, name="model.json", **more):
        """Measures the machine and fits; the model file."""
        machine = machine or self.machine
        synthetic.write(self.input, machine, **more)
        model = self.directory / name
        self.assert_code(harness.run("fit", self.input, "-o", model), 0)
        return model

    def predicted(self, *arguments):
        result = harness.run("predict", self.model, *arguments)
        self.assert_code(result, 0)
        return list(csv.DictReader(io.StringIO(result.out))), result


class Fit(Files):
    def test_recovers_the_parameters(self):
        document = json.loads(self.fitted().read_text())
        lmo = document["models"]["lmo"]
        for i, (found, true) in enumerate(zip(lmo["C"]["value"], self.machine.C)):
            self.assertAlmostEqual(found / true, 1, delta=0.05, msg=f"C[{i}]")
        for i, (found, true) in enumerate(zip(lmo["t"]["value"], self.machine.t)):
            self.assertAlmostEqual(found / true, 1, delta=0.1, msg=f"t[{i}]")

    def test_only_the_models_asked_for(self):
        synthetic.write(self.input, self.machine)
        result = harness.run("fit", self.input, "-o", self.model, "--models", "hockney,lmo")
        self.assert_code(result, 0)
        self.assertEqual(set(json.loads(self.model.read_text())["models"]) & {"lom", "bottleneck"},
                         set())

    def test_merges_launches(self):
        other = self.directory / "m2.json"
        synthetic.write(self.input, self.machine, seed=1)
        synthetic.write(other, self.machine, seed=2)
        self.assert_code(harness.run("fit", self.input, other, "-o", self.model), 0)
        self.assertEqual(len(json.loads(self.model.read_text())["launches"]), 2)

    def test_keeps_what_was_merged_in_one_file(self):
        other, both = self.directory / "m2.json", self.directory / "both.json"
        synthetic.write(self.input, self.machine, seed=1)
        synthetic.write(other, self.machine, seed=2)
        self.assert_code(harness.run("fit", self.input, other, "-o", self.model, "--measurements",
                                     both), 0)
        again = self.directory / "again.json"
        self.assert_code(harness.run("fit", both, "-o", again), 0)
        self.assertEqual(again.read_text(), self.model.read_text())
        self.assert_complaint(harness.run("fit", both, "-o", again, "--measurements", again), 2,
                              "same file")

    def test_does_not_merge_different_machines(self):
        other = self.directory / "m2.json"
        synthetic.write(self.input, self.machine)
        document = synthetic.measurements(self.machine)
        document["launches"][0]["ranks"][1]["host"] = "elsewhere"
        other.write_text(json.dumps(document))
        self.assert_complaint(harness.run("fit", self.input, other, "-o", self.model), 2)
        self.assertFalse(self.model.exists())

    def test_a_smaller_job_changes_no_model(self):
        small = self.directory / "small.json"
        alone = json.loads(self.fitted().read_text())
        synthetic.write(small, synthetic.Machine(2))
        result = harness.run("fit", small, self.input, "-o", self.model)
        self.assert_code(result, 0)
        merged = json.loads(self.model.read_text())
        self.assertEqual(merged["n"], 4)
        self.assertEqual(merged["models"]["lmo"], alone["models"]["lmo"])
        self.assertIn("1 of 2 launches have fewer than 4 ranks", " ".join(merged["warnings"]))

    def test_pipes(self):
        text = json.dumps(synthetic.measurements(self.machine))
        result = harness.run("fit", "-", "-o", "-", given=text)
        self.assert_code(result, 0)
        self.assertEqual(json.loads(result.out)["schema"], "commgauge.model/1")

    def test_a_model_that_needs_more(self):
        synthetic.write(self.input, synthetic.Machine(2))
        self.assert_complaint(harness.run("fit", self.input, "-o", self.model, "--models", "lmo"),
                              2, "lmo")
        result = harness.run("fit", self.input, "-o", self.model)
        self.assert_code(result, 0)
        self.assertIn("lmo", result.err)


class Broken(Files):
    def complain(self, text, *words):
        self.input.write_text(text)
        result = harness.run("fit", self.input, "-o", self.model)
        self.assert_complaint(result, 2, "m.json", *words)
        self.assertFalse(self.model.exists())

    def changed(self, change):
        document = synthetic.measurements(self.machine, passes=2)
        change(document)
        return json.dumps(document)

    def test_truncated(self):
        text = json.dumps(synthetic.measurements(self.machine, passes=2))
        for length in [0, 1, len(text) // 2, len(text) - 1]:
            with self.subTest(length=length):
                self.complain(text[:length])

    def test_wrong_contents(self):
        for name, change in [
                ("schema", lambda d: d.update(schema="commgauge.measurements/99")),
                ("schema", lambda d: d.pop("schema")),
                ("a model file", lambda d: d.update(schema="commgauge.model/1")),
                ("time_s", lambda d: d["experiments"]["time_s"].__setitem__(3, math.nan)),
                ("time_s", lambda d: d["experiments"]["time_s"].__setitem__(3, None)),
                ("time_s", lambda d: d["experiments"]["time_s"].__setitem__(3, "fast")),
                ("time_s", lambda d: d["experiments"]["time_s"].pop()),
                ("root", lambda d: d["experiments"]["root"].__setitem__(0, 99)),
                ("blocks", lambda d: d["experiments"]["blocks"].__setitem__(0, -1)),
                ("kind", lambda d: d["experiments"]["kind"].__setitem__(0, "ping")),
                ("out_bytes", lambda d: d["experiments"]["out_bytes"].__setitem__(0, -1)),
                ("launches", lambda d: d.pop("launches")),
        ]:
            with self.subTest(name):
                text = self.changed(change)
                self.complain(text, *([] if "NaN" in text else [name]))

    def test_not_json_and_not_there(self):
        self.complain("no measurements")
        self.assert_complaint(harness.run("fit", self.directory / "none", "-o", self.model), 2,
                              "No such file")
        self.assert_complaint(harness.run("show", self.directory), 2)
        self.assert_complaint(harness.run("show", self.input), 2, "m.json")


class Output(Files):
    def test_unwritable(self):
        synthetic.write(self.input, self.machine)
        for output in [self.directory, self.directory / "none" / "model.json"]:
            with self.subTest(str(output)):
                self.assert_complaint(harness.run("fit", self.input, "-o", output), 2,
                                      str(output))

    def test_full_device(self):
        self.fitted()
        for arguments in [["show", self.model], ["compare", self.model, self.model],
                          ["fit", self.input, "-o", "-"],
                          ["predict", self.model, "--to", "1", "--size", "8"]]:
            with self.subTest(str(arguments[0])), open("/dev/full", "w") as full:
                result = harness.run(*arguments, stdout=full)
                self.assertEqual(result.code, 2, result)
                self.assertIn("No space left", result.err)

    def test_full_file_system(self):
        synthetic.write(self.input, self.machine)
        disk = self.directory / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", disk],
                                 stderr=subprocess.DEVNULL, check=False)
        if mounted.returncode != 0:
            self.skipTest("no right to mount a file system")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        self.assert_complaint(harness.run("fit", self.input, "-o", disk / "model.json"), 2,
                              "No space left")
        self.assert_nothing_left(disk)

    def test_a_limit_of_file_sizes(self):
        synthetic.write(self.input, self.machine)
        limited = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", harness.PROGRAM, "fit",
                   str(self.input), "-o", str(self.model)]
        self.assert_complaint(harness.Job(limited).end(), 2, "File too large")
        self.assertFalse(self.model.exists())

    def test_an_old_file_survives_a_failure(self):
        self.fitted()
        before = self.model.read_text()
        self.input.write_text("{")
        self.assert_complaint(harness.run("fit", self.input, "-o", self.model), 2)
        self.assertEqual(self.model.read_text(), before)


class Show(Files):
    def test_tables(self):
        result = harness.run("show", self.fitted())
        self.assert_code(result, 0)
        for text in ["4 ranks on 4 hosts", "explains this machine best", "lmo C [µs]",
                     "Latency of small messages", "Bandwidth of large messages"]:
            self.assertIn(text, result.out)
        self.assertNotIn("LogP family", result.out)

    def test_the_logp_family(self):
        """Means of both directions: C of 10 and 11 us, t of 1 and 1.1 ns/B, gap 8 ns/B."""
        result = harness.run("show", self.fitted(logp=True))
        self.assert_code(result, 0)
        rows = {line[:22].strip(): line[22:].split() for line in result.out.splitlines()}
        for row, column, value in [("o [µs]", 0, 10.5), ("o' sending [µs]", -3, 10.5),
                                   ("O receiving [ns/B]", -3, 1.05), ("G [ns/B]", -3, 8),
                                   ("L [µs]", -3, 20)]:
            self.assertAlmostEqual(float(rows[row][column]), value, delta=0.02 * value, msg=row)
        self.assertIn("plogp: curves of 5 sizes from 0 B to 64 KiB", result.out)
        self.assertIn("  loggps: one line may explain", result.out)

    def test_processor_speeds_where_they_differ(self):
        document = json.loads(self.fitted().read_text())
        ranks = document["launches"][0]["ranks"]
        for kernels, text in [([1e-3, 1.02e-3, 1e-3, 1e-3], None),
                              ([1e-3, 1.25e-3, 1e-3, 2e-3],
                               "rank 1 computes slower: a fixed computation takes 1.25 ms, 1.25 times the "
                               "fastest rank's 1.00 ms")]:
            for rank, kernel in zip(ranks, kernels):
                rank["kernel_s"] = kernel
            self.model.write_text(json.dumps(document))
            result = harness.run("show", self.model)
            self.assert_code(result, 0)
            if text:
                self.assertIn(text, result.out)
            else:
                self.assertNotIn("computes slower", result.out)

    def test_many_ranks_have_no_matrix(self):
        result = harness.run("show", self.fitted(synthetic.Machine(9), passes=2))
        self.assert_code(result, 0)
        self.assertNotIn("from \\ to", result.out)
        self.assertIn("median", result.out)

    def test_check(self):
        even = synthetic.Machine()
        even.C = [10e-6 + i * 1e-8 for i in range(4)]
        even.t = [1e-9] * 4
        self.assert_code(harness.run("show", "--check", self.fitted(even)), 0)
        even.t[2] *= 10
        result = harness.run("show", "--check", self.fitted(even))
        self.assert_code(result, 1)
        self.assertIn("h2", result.out)
        self.assertEqual(len(result.err.splitlines()), 1)


def fit_of(parameters):
    """A model without doubt: every replicate is the same."""
    fit = {name: {"value": value, "low": value, "high": value}
           for name, value in parameters.items()}
    return {**fit, "range_bytes": [0, 65536], "residual": 0, "observations": 1, "warnings": [],
            "replicates": {"kind": "passes",
                           **{name: [value] * 3 for name, value in parameters.items()}}}


class Predict(Files):
    def assert_meaning(self, result, meaning="95 % of what this launch would find again"):
        """The only line on stderr says what the intervals hold."""
        self.assertEqual(result.err, f"estimate-model: low_s to high_s: {meaning}\n")

    def test_says_what_intervals_hold(self):
        second, third = (self.directory / f"m{k}.json" for k in (2, 3))
        self.fitted(seed=1)
        self.assert_meaning(self.predicted("--to", "1", "--size", "8KiB")[1])
        synthetic.write(second, self.machine, seed=2)
        synthetic.write(third, self.machine, seed=3)
        self.assert_code(harness.run("fit", self.input, second, third, "-o", self.model), 0)
        self.assert_meaning(self.predicted("--to", "1", "--size", "8KiB")[1],
                            "95 %, launches included")

    def test_times(self):
        self.fitted()
        rows, _ = self.predicted("--model", "lmo", "--from", "1", "--to", "3", "--size",
                                 "1KiB,8KiB")
        self.assertEqual([int(row["size_bytes"]) for row in rows], [1024, 8192])
        for row in rows:
            self.assertEqual((row["model"], row["operation"], row["from"], row["to"]),
                             ("lmo", "p2p", "1", "3"))
            true = self.machine.one_way(1, 3, int(row["size_bytes"]))
            self.assertAlmostEqual(float(row["time_s"]) / true, 1, delta=0.02)
            self.assertLessEqual(float(row["low_s"]), float(row["time_s"]))
            self.assertLessEqual(float(row["time_s"]), float(row["high_s"]))

    def test_collectives_have_no_receiver(self):
        self.fitted()
        for operation in ["scatter", "gather"]:
            rows, _ = self.predicted("--operation", operation, "--from", "2", "--size", "4096")
            self.assertEqual((rows[0]["from"], rows[0]["to"]), ("2", ""))
            self.assert_complaint(harness.run("predict", self.model, "--operation", operation,
                                              "--to", "1", "--size", "8"), 2, "--to")
        for operation in ["all-to-all", "all-gather", "all-reduce"]:
            rows, _ = self.predicted("--operation", operation, "--model", "hockney", "--size", "4096")
            self.assertEqual((rows[0]["from"], rows[0]["to"]), ("", ""))

    def test_the_senders_time(self):
        self.fitted()
        rows, _ = self.predicted("--model", "lmo", "--from", "1", "--to", "3", "--size", "8KiB",
                                 "--side", "sender")
        true = self.machine.C[1] + 8192 * self.machine.t[1]
        self.assertAlmostEqual(float(rows[0]["time_s"]) / true, 1, delta=0.05)
        self.assertEqual((rows[0]["side"], rows[0]["algorithm"]), ("sender", ""))
        self.assert_complaint(harness.run("predict", self.model, "--model", "hockney", "--to", "1",
                                          "--size", "8", "--side", "sender"), 2, "hockney")
        self.assert_complaint(harness.run("predict", self.model, "--operation", "gather",
                                          "--size", "8", "--side", "sender"), 2, "gather")

    def test_messages_that_meet(self):
        """By LMO a short message of each end is away before the other's is there."""
        self.fitted()
        rows, _ = self.predicted("--model", "lmo", "--operation", "exchange", "--from", "1", "--to", "3",
                                 "--size", "1KiB")
        self.assertEqual((rows[0]["operation"], rows[0]["from"], rows[0]["to"], rows[0]["algorithm"]),
                         ("exchange", "1", "3", ""))
        self.assertAlmostEqual(float(rows[0]["time_s"]) / self.machine.one_way(1, 3, 1024), 1, delta=0.03)
        ring, _ = self.predicted("--model", "lmo", "--operation", "ring", "--size", "1KiB")
        slowest = max(self.machine.one_way(i, (i + 1) % 4, 1024) for i in range(4))
        self.assertAlmostEqual(float(ring[0]["time_s"]) / slowest, 1, delta=0.03)
        every, _ = self.predicted("--model", "all", "--operation", "exchange", "--to", "1", "--size", "8")
        self.assertLessEqual({"hockney", "lmo"}, {row["model"] for row in every})
        self.assertNotIn("start_up", {row["model"] for row in every})
        for words, word in [(["exchange"], "--to"), (["ring", "--to", "1"], "--to"),
                            (["exchange", "--to", "0"], "both rank 0"),
                            (["exchange", "--to", "1", "--side", "sender"], "sender's time of exchange"),
                            (["ring", "--algorithm", "binomial"], "algorithm with ring")]:
            with self.subTest(words):
                self.assert_complaint(harness.run("predict", self.model, "--operation", *words, "--size", "8"),
                                      2, word)

    def test_broadcasts(self):
        self.fitted()
        flat, _ = self.predicted("--model", "lmo", "--operation", "bcast", "--size", "64")
        scatter, _ = self.predicted("--model", "lmo", "--operation", "scatter", "--size", "64")
        self.assertEqual(flat[0]["time_s"], scatter[0]["time_s"])
        self.assertEqual((flat[0]["side"], flat[0]["algorithm"]), ("", "flat"))
        tree, _ = self.predicted("--model", "lmo", "--operation", "bcast", "--size", "64",
                                 "--algorithm", "binomial")
        two = self.machine.one_way(0, 2, 64) + self.machine.one_way(2, 3, 64)
        self.assertAlmostEqual(float(tree[0]["time_s"]) / two, 1, delta=0.02)
        self.assertEqual(tree[0]["algorithm"], "binomial")

    def test_operations_of_all_ranks(self):
        self.fitted()
        rows, _ = self.predicted("--model", "lmo", "--operation", "all-reduce", "--size", "64",
                                 "--collectives", "allreduce=reduce-bcast")
        one_way = self.machine.one_way
        there_and_back = one_way(3, 2, 64) + one_way(2, 0, 64) + one_way(0, 2, 64) + one_way(2, 3, 64)
        self.assertAlmostEqual(float(rows[0]["time_s"]) / there_and_back, 1, delta=0.02)
        self.assertEqual((rows[0]["operation"], rows[0]["algorithm"]), ("all-reduce", "reduce-bcast"))
        rows, _ = self.predicted("--model", "lmo", "--operation", "all-to-all", "--size", "64,4096")
        for row in rows:
            longest = max(one_way(i, j, int(row["size_bytes"]))
                          for i in range(4) for j in range(4) if i != j)
            self.assertEqual((row["operation"], row["from"], row["to"]), ("all-to-all", "", ""))
            self.assertTrue(longest < float(row["time_s"]) < 3 * longest, row)
            self.assertTrue(float(row["low_s"]) <= float(row["time_s"]) <= float(row["high_s"]), row)
        result = harness.run("predict", self.model, "--operation", "all-reduce", "--size", "8",
                             "--collectives", "allreduce=ring-of-fire")
        self.assert_complaint(result, 2, "ring-of-fire", "reduce-bcast")

    def test_a_root_that_is_not_there(self):
        self.fitted()
        document = json.loads(self.model.read_text())
        for links in (False, True):
            if links:
                per_byte = [2e-9] * 4
                document["models"]["host_links"] = fit_of(
                    {"out": per_byte, "in": per_byte, "inside": per_byte})
                self.model.write_text(json.dumps(document))
            for operation in ("scatter", "gather", "bcast"):
                with self.subTest(operation, links=links):
                    result = harness.run("predict", self.model, "--model", "lmo", "--operation",
                                         operation, "--from", "4", "--size", "64")
                    self.assert_complaint(result, 2, "rank 4", "ranks 0 to 3")

    def test_where_hosts_links_are_left_out_it_says_so(self):
        document = json.loads(self.fitted().read_text())
        per_byte = [2e-9] * 4
        document["models"]["host_links"] = fit_of(
            {"out": per_byte, "in": per_byte, "inside": per_byte})
        arguments = ("--model", "lmo", "--operation", "gather", "--size", "64")
        for can_be_emulated in (True, False):
            if not can_be_emulated:  # an empty message would arrive before it is sent
                latencies = document["models"]["lmo"]["L"]
                for name in ("value", "low", "high"):
                    latencies[name] = [[x if x is None else -1e-3 for x in row]
                                       for row in latencies[name]]
            self.model.write_text(json.dumps(document))
            _, result = self.predicted(*arguments)
            said = "don't share their hosts' links" in result.err
            self.assertEqual(said, not can_be_emulated, result.err)

    def test_trees_of_scatter_and_gather(self):
        self.fitted()
        two = self.machine.one_way(0, 2, 128) + self.machine.one_way(2, 3, 64)
        for operation in ("scatter", "gather"):
            rows, _ = self.predicted("--model", "lmo", "--operation", operation, "--size", "64",
                                     "--algorithm", "binomial")
            self.assertAlmostEqual(float(rows[0]["time_s"]) / two, 1, delta=0.02)
            self.assertEqual(rows[0]["algorithm"], "binomial")

    def test_all_models_that_can(self):
        there = [name for name in json.loads(self.fitted().read_text())["models"] if name not in ("jitter", "sharing")]
        self.assertGreaterEqual(len(there), 4)
        rows, result = self.predicted("--model", "all", "--to", "1", "--size", "8KiB")
        self.assertEqual([row["model"] for row in rows], there)
        self.assert_meaning(result)
        rows, _ = self.predicted("--model", "all", "--to", "1", "--size", "8KiB,32KiB")
        self.assertEqual([row["model"] for row in rows], [name for name in there for _ in "12"])
        rows, result = self.predicted("--model", "all", "--to", "1", "--size", "8KiB", "--side",
                                      "sender")
        self.assertIn("lmo", [row["model"] for row in rows])
        self.assertNotIn("hockney", [row["model"] for row in rows])
        self.assertEqual(len(result.err.splitlines()), 2)
        self.assertIn("hockney", result.err)
        self.assert_complaint(harness.run("predict", self.model, "--model", "all", "--to", "9",
                                          "--size", "8"), 2, "rank 9")

    def test_exchanges_that_may_fall_out_of_step(self):
        self.fitted()
        arguments = ("--model", "hockney", "--operation", "all-to-all", "--size", "8,65536")
        said = "hockney: time_s is the least (pairwise exchanges with one rank after the other"
        rows, result = self.predicted(*arguments)
        self.assertIn(said, result.err)
        self.assertRegex(result.err, r"out of step it takes, of 64 KiB up to [\d.]+ [mu]s, which high_s holds\n")
        self.assertEqual([row["algorithm"] for row in rows], ["scattered", "pairwise"])
        high, time = (float(rows[1][name]) for name in ("high_s", "time_s"))
        self.assertTrue(1.8 * time < high < 3 * time, rows)
        rows, result = self.predicted(*arguments, "--collectives", "alltoall=scattered")
        self.assertNotIn("time_s is the least", result.err)
        self.assertLess(float(rows[1]["high_s"]), 1.5 * float(rows[1]["time_s"]))

    def test_operations_of_all_ranks_take_the_best_model_that_can_be_a_machine(self):
        document = json.loads(self.fitted().read_text())
        arguments = ("--operation", "all-to-all", "--size", "4KiB,8KiB")
        rows, result = self.predicted(*arguments)
        best = document["preferred"]
        self.assertEqual([row["model"] for row in rows], [best] * 2)
        chance, meaning = result.err.splitlines()
        self.assertRegex(chance, r"messages are late by chance, by \d+ ns and [\d.]+ ns/B more in the mean "
                                 r"\(the time is the median of \d+ draws\)$")
        self.assertEqual(meaning, "estimate-model: low_s to high_s: 95 % of what this launch would find again")
        for parameter in document["models"][best].values():
            if not isinstance(parameter, dict) or "value" not in parameter:
                continue
            text = json.dumps(parameter["value"])
            for name in ("value", "low", "high"):
                parameter[name] = json.loads(text, parse_float=lambda x: -abs(float(x)))
        self.model.write_text(json.dumps(document))
        rows, result = self.predicted(*arguments)
        other = rows[0]["model"]
        self.assertNotEqual(other, best)
        self.assertEqual([row["model"] for row in rows], [other] * 2)
        self.assertIn(f"model {best} can't be emulated", result.err)
        self.assertIn(f"{other} is used instead", result.err)
        self.assert_complaint(harness.run("predict", self.model, "--model", best, *arguments), 2,
                              best, "can't be emulated")

    def test_a_master_needs_overheads(self):
        self.fitted()
        arguments = ["--operation", "master-worker", "--tasks", "1000", "--task-time", "1ms",
                     "--ranks", "4"]
        for model in [[], ["--model", "lmo"], ["--model", "all"]]:
            self.assert_complaint(harness.run("predict", self.model, *arguments, *model), 2,
                                  "overheads")

    def test_a_master_and_its_workers(self):
        """Overheads of 12 us + 0.25 us a rank, 50 us of latency: with 953 us a task and 29 workers
        both take 39 us a task, 33.93 s for 30000 tasks a worker."""
        document = json.loads(self.fitted().read_text())
        pair = [[None if i == j else 1 for j in range(4)] for i in range(4)]
        delays = {"L": 50e-6, "o_prime_s": 13e-6, "O_s": 0, "o_prime_r": 13e-6, "O_r": 0, "g": 0,
                  "G_prime": 0, "G": 0}
        loggps = fit_of({**{name: [[x and delay for x in row] for row in pair]
                            for name, delay in delays.items()},
                         **{f"mean_{name}": delay for name, delay in delays.items()}, "s": None})
        growth = {"o_prime_a": 12e-6, "o_prime_b": 0.25e-6}
        loggps["overhead_growth"] = fit_of({name + side: value for name, value in growth.items()
                                            for side in ["_s", "_r", ""]})
        loggps["receive_wait"] = "quiet"
        document["models"]["loggps"] = loggps
        self.model.write_text(json.dumps(document))
        arguments = ["--operation", "master-worker", "--tasks", "870000", "--task-time", "953us"]
        rows, result = self.predicted(*arguments, "--ranks", "30", "--from", "1")
        row = rows[0]
        self.assertEqual((row["model"], row["operation"], row["from"], row["to"]),
                         ("loggps", "master-worker", "1", ""))
        for name in ["time_s", "low_s", "high_s"]:
            self.assertAlmostEqual(float(row[name]), 33.93, delta=1e-6)
        self.assertEqual(len(result.err.splitlines()), 2)
        for words in ["from 30.0 ranks on (30.0 to 30.0", "4 were measured", "make it slower",
                      "extrapolated"]:
            self.assertIn(words, result.err)
        rows, result = self.predicted(*arguments, "--ranks", "4", "--model", "all")
        self.assertEqual(rows[0]["model"], "loggps")
        # 4 overheads of 13 us, two latencies, 290000 tasks each.
        self.assertAlmostEqual(float(rows[0]["time_s"]), 0.29 * 1105, delta=1e-6)
        self.assertIn("left out", result.err)
        self.assertIn("hockney", result.err)

    def test_says_when_it_extrapolates(self):
        self.fitted()
        _, inside = self.predicted("--to", "1", "--size", "4KiB")
        self.assert_meaning(inside)
        rows, outside = self.predicted("--to", "1", "--size", "4KiB,1GiB,4096GiB")
        self.assertEqual(len(rows), 3)
        self.assertEqual(len(outside.err.splitlines()), 2)
        self.assertIn("1 GiB", outside.err)

    def test_a_model_without_replicates(self):
        document = json.loads(self.fitted().read_text())
        expected, _ = self.predicted("--model", "lmo", "--to", "1", "--size", "8KiB")
        replicates = document["models"]["lmo"]["replicates"]
        for count, words in [(1, "one replicate"), (0, "no replicates")]:
            for name in set(replicates) - {"kind"}:
                replicates[name] = replicates[name][:count]
            self.model.write_text(json.dumps(document))
            for operation in [["p2p", "--to", "1"], ["gather"]]:
                rows, result = self.predicted("--model", "lmo", "--size", "8KiB", "--operation",
                                              *operation)
                self.assertEqual((rows[0]["low_s"], rows[0]["high_s"]), ("", ""))
                self.assertIn(f"8 KiB: no interval (the file holds {words} of lmo", result.err)
                if operation[0] == "p2p":
                    self.assertEqual(rows[0]["time_s"], expected[0]["time_s"])

    def test_an_algorithm_of_a_message(self):
        self.fitted()
        self.assert_complaint(harness.run("predict", self.model, "--to", "1", "--size", "8",
                                          "--algorithm", "binomial"), 2,
                              "an order or algorithm with p2p (collectives have them): leave it out")

    def test_wrong_ranks(self):
        self.fitted()
        for ranks in [["--from", "0", "--to", "4"], ["--from", "-1", "--to", "1"],
                      ["--from", "2", "--to", "2"], ["--from", "0"]]:
            with self.subTest(" ".join(ranks)):
                self.assert_complaint(harness.run("predict", self.model, *ranks, "--size", "8"), 2)


class Export(Files):
    def test_every_format(self):
        self.fitted(logp=True)
        for format, start, model in [("csv", "model,parameter,from", None),
                                     ("simgrid", "<?xml", "lmo"),
                                     ("loggopsim", "-L ", "loggps"),
                                     ("dimemas", "#DIMEMAS_CONFIGURATION\n", "hockney")]:
            with self.subTest(format):
                result = harness.run("export", self.model, "--format", format)
                self.assert_code(result, 0)
                self.assertTrue(result.out.startswith(start), result.out)
                if model:
                    self.assertRegex(result.err,
                                     rf"from the model {model}, ranked [0-9]+ of [0-9]+; its own "
                                     r"error \(median\) on times that no fit saw is p2p [0-9.]+ %")
                    self.assertRegex(result.err, r"one-way times of the export are off by up to .* %")
                    self.assertIn("estimate-model: lost: ", result.err)
                else:
                    self.assertEqual(result.err, "estimate-model: low to high: 95 % of what this "
                                                 "launch would find again\n")

    def test_links_of_hosts_are_not_left_out_in_silence(self):
        """Rules are made by the virtual machine, which has them."""
        self.fitted(logp=True)
        document = json.loads(self.model.read_text())
        per_byte = [2e-9] * 4
        document["models"]["host_links"] = fit_of(
            {"out": per_byte, "in": per_byte, "inside": per_byte})
        self.model.write_text(json.dumps(document))
        for format, is_lost in [("simgrid", True), ("loggopsim", True), ("dimemas", True),
                                ("ompi-rules", False), ("mpich-coll", False), ("csv", False)]:
            with self.subTest(format):
                result = harness.run("export", self.model, "--format", format)
                self.assert_code(result, 0)
                said = "lost: the links that ranks of a host share (host_links)" in result.err
                self.assertEqual(said, is_lost, result.err)
                if format == "csv":
                    self.assertIn("\nhost_links,out,", result.out)

    def test_rules_for_collectives(self):
        self.fitted()
        for format, start, use in [("ompi-rules", "3  # collectives\n", "--mca coll_tuned"),
                                   ("mpich-coll", '{\n "collective=bcast"', "MPIR_CVAR_COLL")]:
            with self.subTest(format):
                result = harness.run("export", self.model, "--format", format, "--model", "lmo")
                self.assert_code(result, 0)
                self.assertTrue(result.out.startswith(start), result.out)
                self.assertRegex(result.err, r"from the model lmo, ranked [1-9]")
                self.assertRegex(result.err, r"some root's .* up to [0-9.]+ %")
                self.assertIn("estimate-model: lost: one choice for all roots", result.err)
                self.assertIn(f"estimate-model: use it with {use}", result.err)

    def test_lmo_is_held_exactly(self):
        """But for the noise of 0.1 %, which makes L's two directions differ from one."""
        self.fitted()
        result = harness.run("export", self.model, "--format", "simgrid", "--model", "lmo", "-o",
                             self.directory / "platform.xml")
        self.assert_code(result, 0)
        self.assertIn("off by up to 0 % of the model's", result.err.replace("< 0.01", "0"))
        self.assertEqual(len(ElementTree.parse(self.directory / "platform.xml").findall(".//host")), 4)

    def test_what_it_refuses(self):
        self.fitted()
        for arguments, word in [(["--format", "dot"], "loggopsim"),
                                (["--format", "simgrid", "--model", "lom"], "lmo"),
                                (["--format", "loggopsim"], "calibrate with --models"),
                                ([], "--format")]:
            self.assert_complaint(harness.run("export", self.model, *arguments), 2, word)
        self.assert_complaint(harness.run("export", self.model, "--format", "csv", "-o", self.model),
                              2)


class Contention(Files):
    """Pairs that take longer at once than alone, as a calibration found: everybody says it."""

    TIMES = 2.83
    SAID = "pairs of ranks that communicate at once take 2.83 times as long as alone"

    def contended(self, low=2.7):
        """Measurements and model of such a machine."""
        self.fitted()
        measured = json.loads(self.input.read_text())
        measured["launches"][0]["contention"] = {"tested": True, "ratio": self.TIMES, "low": low, "high": 2.95}
        self.input.write_text(json.dumps(measured))
        result = harness.run("fit", self.input, "-o", self.model)
        self.assert_code(result, 0)
        return result

    def test_is_said_first(self):
        self.assertIn(self.SAID, self.contended().err.splitlines()[0])
        shown = harness.run("show", self.model)
        self.assertIn(self.SAID, shown.out.splitlines()[0])
        self.assertEqual(shown.out.count(self.SAID), 1, "not among the warnings again")
        for operation in (("p2p", "--to", "1"), ("bcast",), ("all-gather",)):
            _, result = self.predicted("--operation", *operation, "--size", "8KiB")
            self.assertIn(self.SAID, result.err.splitlines()[0])
            self.assertEqual(result.err.count(self.SAID), 1)
        for name in ("simgrid", "csv"):
            result = harness.run("export", self.model, "--format", name, "-o", self.directory / "exported")
            self.assert_code(result, 0)
            self.assertIn(("lost: " if name == "simgrid" else "") + self.SAID, result.err)
        kinds = [one["kind"] for one in json.loads(self.model.read_text())["diagnostics"]]
        self.assertIn("contention", kinds)

    def test_nothing_within_noise(self):
        self.assertNotIn("at once", self.contended(low=0.9).err)
        self.assertNotIn("at once take", harness.run("show", self.model).out)
        _, result = self.predicted("--operation", "all-gather", "--size", "8KiB")
        self.assertNotIn("at once take", result.err)

    def test_intervals_end_there_at_least(self):
        self.contended()
        for operation in ("all-to-all", "all-gather", "all-reduce"):
            rows, _ = self.predicted("--operation", operation, "--size", "8,8KiB,64KiB")
            for row in rows:
                self.assertGreaterEqual(float(row["high_s"]), 0.9999 * self.TIMES * float(row["time_s"]), row)
        for operation in ("bcast", "scatter", "gather"):
            rows, _ = self.predicted("--operation", operation, "--algorithm", "binomial", "--size", "8KiB")
            self.assertGreaterEqual(float(rows[0]["high_s"]), self.TIMES * float(rows[0]["time_s"]))


class Compare(Files):
    def test_the_same_machine_twice(self):
        old, new = self.fitted(name="old.json", seed=1), self.fitted(name="new.json", seed=2)
        result = harness.run("compare", "--check", old, new)
        self.assert_code(result, 0)
        self.assertIn("agree within their uncertainty", result.out)

    def test_a_machine_that_changed(self):
        old = self.fitted(name="old.json")
        self.machine.C = [1.5 * c for c in self.machine.C]
        self.machine.t = [1.5 * t for t in self.machine.t]
        new = self.fitted(name="new.json", seed=2)
        self.assert_code(harness.run("compare", old, new), 0)
        # A quarter longer: more than one launch scatters by, and launches may differ by as much.
        result = harness.run("compare", "--check", old, new)
        self.assert_code(result, 3)
        self.assertIn("no proof of a change (each file holds one launch", result.err)
        self.assertIn("drifted most", result.out)
        self.machine.C = [2 * c for c in self.machine.C]
        new = self.fitted(name="new.json", seed=2)
        result = harness.run("compare", "--check", old, new)
        self.assert_code(result, 1)
        self.assertIn("1.5 times as long", result.err)
        self.assertIn("the machine has changed", result.err)

    def test_a_machine_that_was_too_busy(self):
        """Its wide intervals agree with everything."""
        old, new = self.fitted(name="old.json", seed=1), self.fitted(name="new.json", seed=2)
        document = json.loads(new.read_text())
        document["launches"][0]["disturbance"] = {
            "not_watched": "", "blocks": 100, "lost_blocks": 72, "rows": 50, "disturbed_rows": 0,
            "remeasured_rows": 0, "stolen_share": 0.0}
        new.write_text(json.dumps(document))
        for pair in [(old, new), (new, old)]:
            result = harness.run("compare", "--check", *pair)
            self.assert_code(result, 3)
            self.assertIn("no proof that nothing changed (when one was measured, the machine was busy: "
                          "72 %", result.err)
            which = "new" if pair[1] == new else "old"
            self.assertTrue(result.out.startswith(f"When the {which} file was measured, the machine was "
                                                  "busy: 72 %"), result)

    def test_different_numbers_of_ranks(self):
        old = self.fitted(name="old.json")
        new = self.fitted(synthetic.Machine(5), name="new.json")
        self.assert_complaint(harness.run("compare", old, new), 2)


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"
    unittest.main()
