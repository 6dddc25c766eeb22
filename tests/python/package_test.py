"""The package `commgauge`, against estimate-model and against damaged files."""

import copy
import csv
import gc
import inspect
import io
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import typing
import unittest
import warnings

import harness
import numpy as np

import commgauge
from commgauge import _commgauge, units

SAMPLES = pathlib.Path(os.environ["SAMPLES"])
MODEL = SAMPLES / "model.json"
MODELS = ["hockney", "lom", "lmo", "bottleneck", "logp", "loggp", "loggps", "plogp", "curves",
          "start_up"]


def quietly(call, *arguments, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", commgauge.PredictionWarning)
        return call(*arguments, **more)


def changed(document, *places, value=None, remove=False):
    """A copy with another value, or nothing, at a place."""
    result = copy.deepcopy(document)
    node = result
    for place in places[:-1]:
        node = node[place]
    if remove:
        del node[places[-1]]
    else:
        node[places[-1]] = value
    return result


class Case(harness.TestCase):
    def assert_refused(self, *words):
        words = [re.escape(word) for word in words]
        return self.assertRaisesRegex(commgauge.InputError, ".*".join(words))

    def written(self, document, name="model.json"):
        path = self.directory / name
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return path


class Files(Case):
    def assert_diagnostics(self, file, document):
        self.assertEqual([one.text for one in file.diagnostics], file.warnings)
        about = len(document["diagnostics"])
        for one, expected in zip(file.diagnostics, document["diagnostics"]):
            self.assertEqual((one.label, one.model, one.more), (None, None, 0))
            for name, value in expected.items():
                self.assertEqual(getattr(one, name), value, name)
        of_lmo = [one for one in file.diagnostics[about:] if one.label == "lmo"]
        self.assertEqual([one.kind for one in of_lmo], ["odd_times", "poor_fit"])
        self.assertEqual([one.count for one in of_lmo], [2, 1])
        self.assertEqual(of_lmo[1].sentence, "a poor fit (7 %): measure again")
        self.assertEqual(of_lmo[1].text, "lmo: a poor fit (7 %): measure again")
        models = {one.label: one.model for one in file.diagnostics}
        self.assertEqual(models["hockney above the eager limit"], "hockney")
        self.assertEqual(models["overhead_growth"], None)

    def test_older_files_have_no_diagnostics(self):
        document = json.loads(MODEL.read_text())
        del document["models"]["lmo"]["diagnostics"]
        document["models"]["lmo"]["warnings"] = ["rank 1 is odd", "rank 2 is odd", "steep"]
        file = commgauge.load(self.written(document))
        found = [one for one in file.diagnostics if one.model == "lmo"]
        self.assertEqual([(one.kind, one.problem, one.more) for one in found],
                         [("rank ", "rank 1 is odd", 1), ("steep", "steep", 0)])
        self.assertEqual(found[0].text, "lmo: rank 1 is odd (and 1 more of this kind)")
        document["models"]["lmo"]["diagnostics"] = []
        with self.assertRaisesRegex(commgauge.InputError, "lmo.diagnostics: has 0 entries"):
            commgauge.load(self.written(document))

    def test_model_file(self):
        document = json.loads(MODEL.read_text())
        file = commgauge.load(MODEL)
        self.assertEqual(file.ranks, document["n"])
        self.assertEqual(file.hosts, [r["host"] for r in document["launches"][0]["ranks"]])
        job = file.for_hosts([file.hosts[2], file.hosts[0]])
        self.assertEqual(job.hosts, [file.hosts[2], file.hosts[0]])
        self.assertEqual(job.model("hockney").predict_time(1024, src=0, dst=1),
                         file.model("hockney").predict_time(1024, src=2, dst=0))
        with self.assertRaisesRegex(commgauge.InputError, "nowhere"):
            file.for_hosts(["nowhere"])
        self.assertEqual(file.confidence, document["confidence"])
        self.assertEqual(file.eager_limit_bytes, document["eager_limit_bytes"])
        self.assertEqual(file.preferred, document["preferred"])
        self.assertEqual(sorted(file.models), sorted(MODELS))
        self.assertEqual(file.not_determined, document["not_determined"])
        self.assertEqual(file.ranking, document["ranking"])
        self.assert_judgements(file.judgements, document["judgements"])
        self.assertEqual(list(file.checks["measured_s"]),
                         [check["measured_s"] for check in document["checks"]])
        self.assertEqual(file.warnings[:len(document["warnings"])], document["warnings"])
        self.assert_diagnostics(file, document)
        launch = document["launches"][0]
        for name in ("time_utc", "environment", "options", "seed", "wait", "elapsed_s"):
            self.assertEqual(getattr(file.launches[0], name), launch[name], name)
        self.assertEqual(file.launches[0].ranks[0].cores, launch["ranks"][0]["cores"])

    def test_classes(self):
        self.assertIsNone(commgauge.load(MODEL).classes)
        document = json.loads((SAMPLES / "model-by-classes.json").read_text())
        file = commgauge.load(SAMPLES / "model-by-classes.json")
        classes = file.classes
        self.assertEqual(classes.found, "placement and measurements")
        self.assertEqual([kind.name for kind in classes.kinds], ["a", "b"])
        self.assertEqual(classes.kinds[0].spread_per_byte, 0.125)
        self.assertEqual(list(classes.kind_of_rank[[0, 16, 32]]), [0, 1, 0])
        self.assertEqual(list(classes.group_of_rank[[15, 16, 1023]]), [0, 1, 63])
        self.assertEqual(classes.pair_counts.sum(), 1024 * 1023)
        self.assertEqual(classes.names[1], "between hosts, kind a to kind b")
        self.assertEqual(classes.sample, (0, 1, 16, 17, 32))
        self.assertEqual(classes.deviations[0].hosts, ("n1",))
        self.assertEqual(classes.deviations[0].per_byte, (2, 1.9, 2.1))
        lmo = file.model("lmo")
        value = document["models"]["lmo"]["L"]["value"]
        by_class = lmo.by_class("L")[0]
        self.assertEqual([None if one != one else one for one in by_class.tolist()], value)
        self.assertEqual(lmo["L"].value.shape, (1024, 1024))
        self.assertEqual(lmo["L"].value[0, 16], value[1])
        self.assertEqual(lmo["L"].value[16, 17], value[7])
        self.assertTrue(np.isnan(lmo["L"].value[5, 5]))
        self.assertEqual(lmo["C"].value.shape, (1024,))
        self.assertEqual(len(lmo.replicates), 3)
        self.assertEqual(lmo.replicates[1]["L"][0, 16],
                         document["models"]["lmo"]["replicates"]["L"][1][1])
        self.assertEqual(file.model("plogp")["g"].value.shape, (3, 1024, 1024))
        self.assertEqual(file.model("plogp").by_class("g")[0].shape, (3, 8))
        with self.assertRaises(commgauge.InputError):
            lmo.by_class("C")
        self.assertEqual(quietly(lmo.predict, "p2p", 0, src=0, dst=16).time,
                         quietly(lmo.predict, "p2p", 0, src=32, dst=1023).time)

    def assert_judgements(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, expected):
            self.assertTrue(one.pop("words").endswith(
                "the model leaves something out" if other["verdict"] == "leaves_out"
                else "noise is not known"))
            self.assertEqual({name: None if value != value else value
                              for name, value in one.items()}, other)

    def test_a_file_of_an_older_version_has_no_judgements(self):
        document = json.loads(MODEL.read_text())
        del document["judgements"]
        file = commgauge.load(self.written(document))
        self.assertEqual(file.judgements, [])
        self.assertEqual(file.noise, {})

    def test_thresholds(self):
        document = json.loads(MODEL.read_text())["thresholds"]
        for found in (commgauge.load(MODEL).thresholds,
                      commgauge.load_thresholds(SAMPLES / "thresholds.json")):
            for name in ("eager_limit", "scatter_break", "gather_m1", "gather_m2"):
                expected = document[name + "_bytes"]
                threshold = getattr(found, name)
                self.assertEqual(threshold.size_bytes, expected["value"])
                self.assertEqual(threshold.low_bytes, expected["low"])
                self.assertEqual(threshold.high_bytes, expected["high"])
                self.assertEqual(threshold.reason, expected.get("reason", ""))
            self.assertEqual(found.scatter_sweep.algorithm, "flat")
            self.assertIsNone(found.gather_sweep.root)

    def test_warnings_of_thresholds(self):
        document = json.loads((SAMPLES / "thresholds.json").read_text())
        found = commgauge.load_thresholds(SAMPLES / "thresholds.json")
        self.assertEqual([one.text for one in found.diagnostics], document["warnings"])
        one, = found.diagnostics
        self.assertEqual((one.kind, one.count), ("eager_limits_differ", 1))
        self.assertEqual((one.problem, one.reason, one.advice),
                         ("the launches disagree about the eager limit", "19493 and 8192",
                          "the smallest is used"))
        self.assertEqual((one.label, one.model, one.more), (None, None, 0))
        self.assertEqual(one.sentence, one.text)
        self.assertEqual(commgauge.load(MODEL).thresholds.diagnostics, ())
        document["warnings"] = ["all is well"]
        with self.assert_refused("diagnostics[0]: disagrees with the warning"):
            commgauge.load_thresholds(self.written(document, "thresholds.json"))

    def test_eager_limit(self):
        limit = commgauge.load(MODEL).eager_limit
        self.assertEqual((limit.size_bytes, limit.low_bytes, limit.high_bytes, limit.reason),
                         (19493, 19493, 19494, ""))
        document = json.loads(MODEL.read_text())
        del document["thresholds"]
        document["eager_limit_bytes"] = None
        for launch in document["launches"]:
            launch.update(eager_limit_bytes=None, eager_probed_bytes=0)
        limit = commgauge.load(self.written(document)).eager_limit
        self.assertEqual((limit.size_bytes, limit.reason), (None, "not probed"))
        document["launches"] = []
        self.assertIsNone(commgauge.load(self.written(document)).eager_limit)

    def test_measurements(self):
        document = json.loads((SAMPLES / "measurements.json").read_text())
        found = commgauge.load_measurements(SAMPLES / "measurements.json")
        self.assertEqual(found.ranks, document["n"])
        self.assertEqual(len(found), len(document["experiments"]["kind"]))
        for name, column in document["experiments"].items():
            self.assertEqual(list(found.experiments[name]), column, name)
        self.assertEqual(found.sweeps[0].kind, "gather")
        self.assertEqual([list(t) for t in found.sweeps[0].times_s],
                         document["sweeps"][0]["times_s"])
        self.assertEqual([list(p) for p in found.sweeps[0].passes],
                         document["sweeps"][0]["passes"])

    def test_sweeps(self):
        rows = "gather,1,2e-5\ngather,1,4e-5\nscatter,8,1e-5\n"
        path = self.written("kind,size_bytes,time_s\n" + rows, "sweep.csv")
        gather, scatter = commgauge.load_sweeps(path)
        self.assertEqual((gather.kind, scatter.kind), ("gather", "scatter"))
        self.assertEqual(list(gather.times_s[0]), [2e-5, 4e-5])
        self.assertAlmostEqual(gather.median_s[0], 3e-5)

    def test_what_is_not_there(self):
        for load in (commgauge.load, commgauge.load_measurements, commgauge.load_thresholds,
                     commgauge.load_sweeps):
            with self.assert_refused("cannot read", "nowhere"):
                load(self.directory / "nowhere")
            with self.assert_refused("null character"):
                load("a\0b")
            with self.assert_refused("is no path"):
                load(7)

    def test_names_that_are_no_text(self):
        with self.assert_refused("cannot read"):
            commgauge.load(bytes(self.directory) + b"/\xff\xfe")

    def test_another_schema(self):
        with self.assert_refused("a file of measurements", "estimate-model fit"):
            commgauge.load(SAMPLES / "measurements.json")
        document = json.loads(MODEL.read_text())
        document["schema"] = "commgauge.model/99"
        with self.assert_refused("schema", "are supported"):
            commgauge.load(self.written(document))

    def test_model_that_is_missing(self):
        document = json.loads(MODEL.read_text())
        del document["models"]["lom"]
        file = commgauge.load(self.written(document))
        with self.assert_refused("no model lom"):
            file.model("lom")
        with self.assert_refused("unknown model"):
            file.model("lmoo")

    def test_compare(self):
        document = json.loads(MODEL.read_text())
        old = commgauge.load(MODEL)
        same = commgauge.compare(old, commgauge.load(MODEL))
        self.assertEqual(same.agreement, 1)
        moved = document["models"]["lmo"]["C"]
        for name in ("value", "low", "high"):
            moved[name][0] *= 10
        drift = commgauge.compare(old, commgauge.load(self.written(document)))
        found = [p for p, is_one in zip(drift.parameter, drift.significant) if is_one]
        self.assertEqual(found, ["C[0]"])
        with self.assert_refused("ranks"):
            smaller = {**document, "n": 1, "models": {}, "launches": [], "checks": [],
                       "ranking": [], "preferred": None}
            commgauge.compare(old, commgauge.load(self.written(smaller)))


class Arguments(Case):
    def setUp(self):
        super().setUp()
        self.model = commgauge.load(MODEL).model("lmo")

    def refused(self, *words, operation="p2p", sizes=8, **more):
        more = {"src": 0, "dst": 1} | more if operation == "p2p" else more
        with self.assert_refused(*words):
            self.model.predict(operation, sizes, **more)

    def test_lines_are_lines(self):
        """Names in them are others'."""
        said = commgauge._arguments.said
        self.assertEqual(said("of rank µ2"), "commgauge: of rank µ2")
        self.assertEqual(said("\x1b[2J\nx\u202e\udcff"), "commgauge: ?[2J?x??")

    def test_ranks(self):
        self.refused("rank 3 is out of range", dst=3)
        self.refused("rank -1 is out of range", src=-1)
        self.refused("is out of range", dst=2**40)
        self.refused("is out of range", dst=np.uint64(2**63 + 1))
        self.refused("from 1 to 1", "not modelled", src=[0, 1], dst=1)
        self.refused("integers", src=0.5)
        self.refused("integers", src="0")
        self.refused("integers", src=[None])
        self.refused("rank 9", operation="scatter", root=9)

    def test_sizes(self):
        for sizes in (-1, 0.5, float("nan"), float("inf"), "1M", None, True, 2**64, 1j):
            with self.subTest(sizes=sizes):
                self.refused(sizes=sizes)
        self.refused("more than 2^63", sizes=2**63 + 1)
        self.assertEqual(self.model.predict("p2p", [], src=0, dst=1).time.shape, (0,))
        found = [quietly(self.model.predict_time, sizes, src=0, dst=1)
                 for sizes in ("64KiB", 65536, 65536.0, np.uint32(65536))]
        self.assertEqual(found, [found[0]] * 4)

    def test_what_belongs_together(self):
        self.refused("needs src and dst", src=None)
        self.refused("has no root", root=0)
        self.refused("leave it out", algorithm="binomial")
        self.refused("needs a root", operation="scatter")
        self.refused("unknown operation", operation="alltoall", root=0)
        self.refused("unknown algorithm", operation="bcast", root=0, algorithm="ring")
        self.refused("unknown side", side="both")
        self.refused("sender", operation="gather", root=0, side="sender")
        self.refused("serving order", operation="gather", root=0, order=[1, 1])
        self.refused("broadcast", sizes=[1, 2, 3], src=[0, 1])

    def test_processes(self):
        self.refused("lmo has no overheads", "loggps", processes=8)
        self.refused("lmo has no overheads", operation="bcast", root=0, processes=8)
        for number in (1, 0, -8):
            self.refused(f"a job of {number} processes", "at least 2", processes=number)
            self.refused("at least 2", operation="gather", root=0, processes=number)
        for number in (2**31, 2**70, -2**40):
            self.refused("no job has that many", processes=number)
        for number in (8.0, "8", [8, 16]):
            self.refused("give an integer", processes=number)
        with self.assert_refused("at least 2"):
            self.model.predict_time(8, src=0, dst=1, processes=1)

    def test_broadcasting(self):
        found = quietly(self.model.predict, "p2p", np.array([[8], [16]]), src=[0, 0, 1],
                        dst=[1, 2, 2])
        self.assertEqual(found.time.shape, (2, 3))
        one = quietly(self.model.predict, "p2p", 16, src=0, dst=2)
        self.assertEqual(found.time[1, 1], one.time)
        self.assertIsInstance(one.time, float)
        self.assertTrue(np.array_equal(found.time, quietly(
            self.model.predict_time, np.array([[8], [16]]), src=[0, 0, 1], dst=[1, 2, 2])))

    def test_views_of_any_layout(self):
        sizes = np.arange(12, dtype=np.int32).reshape(3, 4).T[::-2]
        found = quietly(self.model.predict_time, sizes, src=0, dst=1)
        self.assertEqual(found.shape, sizes.shape)
        for place in np.ndindex(sizes.shape):
            self.assertEqual(found[place],
                             quietly(self.model.predict_time, int(sizes[place]), src=0, dst=1))


class Predictions(Case):
    SIZES = [0, 1, 1000, 1024, 4096, 19493, 19494, 65536, 1 << 20, 1 << 40]

    def rows(self, path, *arguments):
        result = harness.run("predict", path, *arguments)
        self.assert_code(result, 0)
        return list(csv.DictReader(io.StringIO(result.out))), result.err

    def assert_same(self, found, rows):
        self.assertEqual(np.size(found.time), len(rows))
        columns = zip(*(np.ravel(c) for c in (found.time, found.low, found.high,
                                              found.extrapolated)))
        for row, (time, low, high, extrapolated) in zip(rows, columns):
            self.assertEqual(
                [f"{x:.12g}" for x in (time, low, high)] + [str(int(extrapolated))],
                [row["time_s"], row["low_s"], row["high_s"], row["extrapolated"]], row)

    def compare_p2p(self, path):
        compared = 0
        file = commgauge.load(path)
        for name in file.models:
            model = file.model(name)
            for side in ("receiver", "sender"):
                for src, dst in ((0, 1), (1, 0), (0, 2), (2, 1)):
                    for size in self.SIZES:
                        arguments = ("--model", name, "--operation", "p2p", "--from", src, "--to",
                                     dst, "--side", side, "--size", size)
                        if compared % 3 != 0 and size not in (0, 19494):  # a program start each
                            compared += 1
                            continue
                        try:
                            found = quietly(model.predict, "p2p", size, src=src, dst=dst, side=side)
                        except commgauge.InputError as error:
                            result = harness.run("predict", path, *arguments)
                            self.assert_code(result, 2)
                            self.assertIn(result.err.strip().partition(": ")[2], str(error))
                        else:
                            self.assert_same(found, self.rows(path, *arguments)[0])
                            alone = quietly(model.predict_time, size, src=src, dst=dst, side=side)
                            self.assertEqual(alone, found.time)
                        compared += 1
        return compared

    def test_p2p_of_every_model(self):
        self.assertGreater(self.compare_p2p(MODEL), 500)

    def compare_collectives(self, path):
        """Those that both answer."""
        compared = {}
        file = commgauge.load(path)
        sizes = ",".join(str(size) for size in self.SIZES[:8])
        for name in MODELS:
            for operation in ("scatter", "gather", "bcast"):
                for algorithm in ("flat", "binomial"):
                    arguments = ("--model", name, "--operation", operation, "--algorithm",
                                 algorithm, "--from", 1, "--size", sizes)
                    try:
                        found = quietly(file.model(name).predict, operation, self.SIZES[:8],
                                        root=1, algorithm=algorithm)
                    except commgauge.InputError as error:
                        result = harness.run("predict", path, *arguments)
                        self.assert_code(result, 2)
                        self.assertIn(result.err.strip().partition(": ")[2], str(error))
                    else:
                        self.assert_same(found, self.rows(path, *arguments)[0])
                        compared[name, operation, algorithm] = found.time
        return compared

    def with_links(self):
        """Each rank's host has a link on which a byte takes 1 us, far longer than any pair's."""
        document = json.loads(MODEL.read_text())
        ways = {way: [1e-6] * document["n"] for way in ("out", "in", "inside")}
        links = {way: {"value": per_byte, "low": per_byte, "high": per_byte}
                 for way, per_byte in ways.items()}
        lmo = document["models"]["lmo"]
        kind = lmo["replicates"]["kind"]
        count = len(lmo["replicates"]["L"])
        document["models"]["host_links"] = {
            **links, "range_bytes": [0, 65536], "residual": 0, "observations": 1, "warnings": [],
            "replicates": {"kind": kind, **{way: [one] * count for way, one in ways.items()}}}
        return document

    def test_messages_that_meet(self):
        model = commgauge.load(MODEL).model("lmo")
        found = quietly(model.predict, "exchange", [8, 1024], src=0, dst=[[1], [2]])
        self.assertEqual(found.time.shape, (2, 2))
        back = quietly(model.predict, "exchange", 1024, src=2, dst=0)
        self.assertAlmostEqual(float(back.time) / float(found.time[1, 1]), 1, delta=1e-9)
        ring = quietly(model.predict, "ring", 1024)
        self.assertGreaterEqual(float(ring.time), 0)
        for words in [{"src": 0}, {"src": 0, "dst": 0}, {"src": 0, "dst": 1, "root": 2},
                      {"src": 0, "dst": 1, "side": "sender"}]:
            with self.assertRaises(commgauge.InputError):
                quietly(model.predict, "exchange", 8, **words)
        with self.assertRaises(commgauge.InputError):
            quietly(model.predict, "ring", 8, src=0)

    def test_collectives_of_every_model(self):
        formulas = self.compare_collectives(MODEL)
        self.assertGreater(len(formulas), 50)
        on_machine = self.compare_collectives(self.written(self.with_links()))
        self.assertEqual(list(on_machine), list(formulas))
        for key, time in on_machine.items():
            if key[0] == "start_up":  # no machine
                self.assertTrue(np.array_equal(time, formulas[key]))
        lmo = "lmo", "gather", "flat"
        self.assertGreater(on_machine[lmo][7], 2 * formulas[lmo][7])

    def test_what_a_model_misses_is_said(self):
        """Whether a formula or the virtual machine tells the time."""
        document = json.loads(MODEL.read_text())
        judgement = {"model": "lmo", "operation": "gather", "algorithm": "flat",
                     "size_bytes": 1000, "checks": 3, "extrapolated": False, "error": 0.6,
                     "bias": -0.6, "bias_low": -0.61, "bias_high": -0.59, "noise": 0.02,
                     "verdict": "leaves_out"}
        self.assertEqual(sorted(document["judgements"][0]), sorted(judgement))
        arguments = ("--model", "lmo", "--operation", "gather", "--size", "1000")
        for links in (False, True):
            file = self.with_links() if links else document
            path = self.written({**file, "judgements": [judgement]})
            said = self.rows(path, *arguments)[1]
            found = quietly(commgauge.load(path).model("lmo").predict, "gather", 1000, root=0)
            for text in (said, "; ".join(found.warnings)):
                self.assertEqual(text.count("beyond lmo's intervals"), 1)

    def test_processes(self):
        file = commgauge.load(MODEL)
        for name in ("logp", "loggp", "loggps", "plogp"):
            model = file.model(name)
            for processes in (2, np.int64(64)):
                rows, note = self.rows(MODEL, "--model", name, "--from", 0, "--to", 1,
                                       "--size", "0,8", "--processes", processes)
                found = quietly(model.predict, "p2p", [0, 8], src=0, dst=1, processes=processes)
                self.assert_same(found, rows)
                self.assertEqual(found.processes, processes)
                self.assertTrue(np.array_equal(found.time, quietly(
                    model.predict_time, [0, 8], src=0, dst=1, processes=processes)))
                if processes > file.ranks:
                    self.assertIn(f"{name} was fitted on: 64 processes", found.warnings[0])
                    self.assertIn(found.warnings[0], note)
        rows, _ = self.rows(MODEL, "--model", "loggps", "--operation", "gather", "--from", 1,
                            "--size", 8, "--processes", 64)
        found = quietly(file.model("loggps").predict, "gather", 8, root=1, processes=64)
        self.assert_same(found, rows)
        as_measured = quietly(file.model("loggps").predict, "gather", 8, root=1)
        self.assertNotEqual(found.time, as_measured.time)

    def test_processes_take_a_growth_that_was_measured(self):
        document = json.loads(MODEL.read_text())
        del document["models"]["loggps"]["overhead_growth"]
        model = commgauge.load(self.written(document)).model("loggps")
        with self.assert_refused("was not measured", "leave the processes out"):
            model.predict("p2p", 8, src=0, dst=1, processes=8)

    def test_fitted_file(self):
        """Not one of round numbers: replicates that differ, an interval that is made of them."""
        import synthetic

        measured, path = self.directory / "measurements.json", self.directory / "fitted.json"
        synthetic.write(measured, synthetic.Machine(), logp=True)
        self.assert_code(harness.run("fit", measured, "-o", path, "--models", "all"), 0)
        file = commgauge.load(path)
        self.assertIn("lmo", file.models)
        pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
        for name in ("hockney", "lom", "lmo", "bottleneck", "start_up"):
            found = quietly(file.model(name).predict, "p2p", self.SIZES,
                            src=[[i] for i, _ in pairs], dst=[[j] for _, j in pairs])
            self.assertTrue(np.all(found.low < found.high))
            rows = []
            for i, j in pairs:
                rows += self.rows(path, "--model", name, "--from", i, "--to", j,
                                  "--size", ",".join(map(str, self.SIZES)))[0]
            self.assert_same(found, rows)

    def test_master_worker(self):
        file = commgauge.load(MODEL)
        for name in ("logp", "loggp", "loggps", "plogp"):
            rows, note = self.rows(MODEL, "--model", name, "--operation", "master-worker",
                                   "--tasks", 1000, "--task-time", "1ms", "--ranks", 64)
            found = quietly(file.model(name).predict_master_worker, 1000, 1e-3, 64)
            self.assertEqual([f"{x:.12g}" for x in (found.time, found.low, found.high)],
                             [rows[0]["time_s"], rows[0]["low_s"], rows[0]["high_s"]])
            self.assertEqual(found.has_growth, "was not measured" not in note)

    def test_extrapolation_is_said(self):
        document = json.loads(MODEL.read_text())
        del document["judgements"]
        file = self.written(document)
        model = commgauge.load(file).model("lmo")
        first, last = model.range_bytes
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(model.predict("p2p", [first, last], src=0, dst=1).warnings, ())
        beyond = [first, last, last + 1]
        with self.assertWarnsRegex(commgauge.PredictionWarning, "extrapolated") as caught:
            found = model.predict("p2p", beyond, src=0, dst=1)
        self.assertEqual(caught.filename, __file__)
        self.assertEqual(list(found.extrapolated), [False, False, True])
        self.assertEqual(found.warnings, (str(caught.warning),))
        with self.assertWarns(commgauge.PredictionWarning) as caught:
            model.predict_time(beyond, src=0, dst=1)
        self.assertEqual(caught.filename, __file__)
        rows, note = self.rows(file, "--model", "lmo", "--to", 1,
                               "--size", ",".join(map(str, beyond)))
        self.assertEqual(note.splitlines()[0].partition(": ")[2], found.warnings[0])

    def test_what_the_model_leaves_out_is_said(self):
        with self.assertWarnsRegex(commgauge.PredictionWarning, "leaves something out"):
            found = commgauge.load(MODEL).model("lmo").predict("p2p", "4KiB", src=0, dst=1)
        _, note = self.rows(MODEL, "--model", "lmo", "--to", 1, "--size", "4KiB")
        self.assertIn(found.warnings[0], note)

    def test_escalation_is_said(self):
        document = json.loads(MODEL.read_text())
        document["models"]["lmo"]["range_bytes"] = [0, 1 << 20]
        exact = {"value": 8192, "low": 4096, "high": 8193}
        document["thresholds"]["gather_m1_bytes"] = exact
        document["thresholds"]["gather_m2_bytes"] = {"value": 65536, "low": 65536, "high": 70000}
        model = commgauge.load(self.written(document)).model("lmo")
        for size, escalates in ((4096, False), (4097, True), (8192, True), (70000, True),
                                (70001, False)):
            found = quietly(model.predict, "gather", size, root=0)
            self.assertEqual(any("escalate" in text for text in found.warnings), escalates, size)
        with self.assertWarnsRegex(commgauge.PredictionWarning, "escalate"):
            model.predict("gather", 8192, root=0)
        self.assertEqual(quietly(model.predict, "scatter", 8192, root=0).warnings, ())


class Parameters(Case):
    def test_values_and_intervals(self):
        document = json.loads(MODEL.read_text())["models"]
        file = commgauge.load(MODEL)
        for name in MODELS:
            model, expected = file.model(name), document[name]
            self.assertEqual(list(model.range_bytes), expected["range_bytes"])
            for key, parameter in model.parameters.items():
                for which in ("value", "low", "high"):
                    self.check(getattr(parameter, which), expected[key][which],
                               expected[key].get("symmetric", False))
                for copy_, other in zip(model.replicates, expected["replicates"][key]):
                    self.check(copy_[key], other, expected[key].get("symmetric", False))
        self.assertNotIn("L", file.model("lom").parameters)
        self.assertIsNotNone(file.model("hockney").rendezvous)
        self.assertIsNotNone(file.model("loggps").overhead_growth)
        self.assertEqual(list(file.model("plogp").size_bytes), document["plogp"]["size_bytes"])
        self.assertEqual(file.model("lmo").kappa["kappa1"]["value"],
                         document["lmo"]["kappa"]["kappa1"]["value"])

    def check(self, found, expected, symmetric):
        expected = self.full(expected, symmetric)
        self.assertTrue(np.array_equal(np.asarray(found, float), expected, equal_nan=True))

    def full(self, rows, symmetric):
        """NaN for null; the lower triangle that a symmetric matrix leaves out."""
        if not isinstance(rows, list):
            return np.array(np.nan if rows is None else rows, float)
        if isinstance(rows[0], list) and isinstance(rows[0][0], list):
            return np.array([self.full(one, symmetric) for one in rows])
        if not symmetric:
            return np.array(rows, float)
        n = len(rows)
        result = np.full((n, n), np.nan)
        for i, row in enumerate(rows):
            result[i, n - len(row):] = np.array(row, float)
        return np.where(np.isnan(result), result.T, result)

    def test_bounds(self):
        document = json.loads(MODEL.read_text())
        document["models"]["bottleneck"]["s"].update(
            value=[None, 1e-9, 1e-9], low=[None, 1e-9, 1e-9], high=[3e-9, 1e-9, 1e-9])
        s = commgauge.load(self.written(document)).model("bottleneck")["s"]
        self.assertEqual(list(s.bounded), [True, False, False])
        self.assertEqual(s.high[0], 3e-9)

    def test_arrays_are_read_only(self):
        L = commgauge.load(MODEL).model("lmo")["L"].value
        with self.assertRaises(ValueError):
            L[0, 1] = 1
        with self.assertRaises(ValueError):
            L.flags.writeable = True

    def test_arrays_outlive_their_file(self):
        arrays = [commgauge.load(MODEL).model("lmo")["L"].value for _ in range(20)]
        hosts = [commgauge.load(MODEL).launches[0].ranks[0] for _ in range(20)]
        gc.collect()
        junk = [np.ones((3, 3)) for _ in range(1000)]
        for array in arrays:
            self.assertTrue(np.array_equal(array, arrays[0], equal_nan=True))
        self.assertEqual({place.host for place in hosts},
                         {commgauge.load(MODEL).launches[0].ranks[0].host})
        del junk

    def test_types_are_as_the_stub_says(self):
        stub = (pathlib.Path(_commgauge.__file__).parent / "_commgauge.pyi").read_text()
        classes = re.findall(r"^class (\w+)", stub, re.M)
        functions = re.findall(r"^def (\w+)", stub, re.M)
        public = {name for name in dir(_commgauge) if not name.startswith("_")}
        self.assertEqual(public, set(classes) | set(functions))
        for part in re.split(r"^class ", stub, flags=re.M)[1:]:
            name = re.match(r"\w+", part).group()
            members = set(re.findall(r"    def (\w+)\(self[,)]", part))
            found = {m for m in vars(getattr(_commgauge, name)) if not m.startswith("_")}
            self.assertEqual(found, members, name)

    def test_everything_public_is_documented(self):
        for name in commgauge.__all__:
            item = getattr(commgauge, name)
            self.assertTrue(inspect.getdoc(item), name)
            if inspect.isclass(item) and item.__module__ != "commgauge":
                typing.get_type_hints(item.__init__)


class Damage(Case):
    """Files that are damaged in their structure are refused with the place, each time."""

    WAYS = ("cut", "type", "missing", "length", "nan", "text")

    def nodes(self, node, place=()):
        yield place, node
        if isinstance(node, dict):
            for key, value in node.items():
                yield from self.nodes(value, place + (key,))
        elif isinstance(node, list):
            for key, value in enumerate(node):
                yield from self.nodes(value, place + (key,))

    def optional(self, place):
        """What a file may leave out, or may say in another way."""
        return (place[-1] in ("thresholds", "hockney", "lom", "lmo", "bottleneck", "logp", "loggp",
                              "loggps", "plogp", "start_up", "rendezvous", "overhead_growth",
                              "kappa", "kernel_s", "reason", "eager_probed_bytes", "disturbance",
                              "eager_limit_bytes", "scatter_sweep", "gather_sweep", "symmetric",
                              "diagnostics")
                or any(key in ("environment", "options", "operations") for key in place))

    def damaged(self, document, text, seed):
        draw = random.Random(seed)
        way = self.WAYS[seed % len(self.WAYS)]
        if way == "cut":
            return way, text[:draw.randrange(len(text) - 2)]
        nodes = [(p, n) for p, n in self.nodes(document) if p and not self.optional(p)]
        if way == "type":
            place, node = draw.choice(nodes)
            return place, changed(document, *place, value={"another": ["type"]})
        if way == "missing":
            place, _ = draw.choice([(p, n) for p, n in nodes if isinstance(p[-1], str)])
            return place, changed(document, *place, remove=True)
        if way == "length":
            place, node = draw.choice([
                (p, n) for p, n in nodes if isinstance(n, list) and "models" in p
                and p[-1] not in ("warnings",)])
            longer = node + [0.5] if draw.random() < 0.5 or not node else node[:-1]
            return place, changed(document, *place, value=longer)
        numbers = [p for p, n in nodes if isinstance(n, float)]
        place = draw.choice(numbers)
        value = draw.choice([float("nan"), float("inf"), "NaN", 10**400])
        return place, changed(document, *place, value=value if way == "nan" else "a word")

    def test_200_damaged_files(self):
        text = MODEL.read_text()
        document = json.loads(text)
        for seed in range(200):
            place, bad = self.damaged(document, text, seed)
            path = self.written(bad, f"{seed}.json")
            with self.subTest(seed=seed, place=place):
                with self.assertRaises(commgauge.InputError) as caught:
                    commgauge.load(path)
                message = str(caught.exception)
                self.assertTrue(message.startswith(f"{path}: "), message)
                self.assertRegex(message[len(str(path)):], r"^: [^:]+: .+", message)
                self.assertNotIn("\n", message)

    def test_extra_fields(self):
        """A field that no reader knows is ignored, an entry too many is not."""
        document = json.loads(MODEL.read_text())
        nodes = [p for p, n in self.nodes(document) if isinstance(n, dict)
                 and p and p[-1] not in ("environment", "options", "operations")]
        for seed in range(20):
            place = random.Random(seed).choice(nodes)
            extra = changed(document, *place, "unheard_of", value=[None])
            found = commgauge.load(self.written(extra))
            self.assertEqual(found.models, commgauge.load(MODEL).models)

    def test_flipped_bytes(self):
        """Another number may still make a file; nothing but InputError otherwise."""
        good = MODEL.read_bytes()
        for seed in range(200):
            draw = random.Random(seed)
            bad = bytearray(good)
            for _ in range(draw.randint(1, 4)):
                bad[draw.randrange(len(bad))] = draw.randrange(256)
            path = self.directory / "flipped.json"
            path.write_bytes(bad)
            try:
                file = commgauge.load(path)
                for name in file.models:
                    quietly(file.model(name).predict, "p2p", 8, src=0, dst=1)
            except commgauge.InputError:
                pass

    def test_other_files(self):
        for name, load in (("measurements.json", commgauge.load_measurements),
                           ("thresholds.json", commgauge.load_thresholds)):
            text = (SAMPLES / name).read_text()
            for seed in range(50):
                path = self.written(text[:random.Random(seed).randrange(len(text) - 2)], name)
                with self.assertRaises(commgauge.InputError):
                    load(path)


class Tables(Case):
    def test_parameters(self):
        result = harness.run("export", MODEL, "--format", "csv")
        self.assert_code(result, 0)
        rows = [row for row in csv.DictReader(io.StringIO(result.out))]
        found = commgauge.load(MODEL).to_dataframe()
        self.assertEqual(len(found), len(rows))

        def key(row):
            return tuple(str(row[n]) for n in ("model", "parameter", "from", "to", "size_bytes"))

        expected = {key({n: v or "-" for n, v in row.items()}): row for row in rows}
        for row in found.to_dict("records"):
            size = "-" if np.isnan(row["size_bytes"]) else int(row["size_bytes"])
            place = {n: "-" if row[n] < 0 else row[n] for n in ("from", "to")}
            other = expected.pop(key({**row, **place, "size_bytes": size}))
            for name in ("value", "low", "high"):
                value = float(other[name]) if other[name] else np.nan
                self.assertTrue(value == row[name] or np.isnan(value) and np.isnan(row[name]))
        self.assertFalse(expected)

    def test_predictions(self):
        model = commgauge.load(MODEL).model("lmo")
        frame = quietly(model.predict, "p2p", [8, 16], src=0, dst=[[1], [2]]).to_dataframe()
        header = harness.run("predict", MODEL, "--to", 1, "--size", 8).out.splitlines()[0]
        self.assertEqual(list(frame.columns), header.split(","))
        self.assertEqual(list(frame["to"]), [1, 1, 2, 2])
        self.assertEqual(len(quietly(model.predict, "bcast", 8, root=0).to_dataframe()), 1)

    def test_others(self):
        measurements = commgauge.load_measurements(SAMPLES / "measurements.json")
        self.assertEqual(len(measurements.to_dataframe()), len(measurements))
        self.assertEqual(len(measurements.sweeps[0].to_dataframe()), 6)
        self.assertEqual(len(commgauge.load(MODEL).thresholds.to_dataframe()), 4)
        file = commgauge.load(MODEL)
        self.assertGreater(len(commgauge.compare(file, file).to_dataframe()), 50)

    def test_without_pandas(self):
        code = ("import sys; sys.modules['pandas'] = None; import commgauge\n"
                f"try: commgauge.load({str(MODEL)!r}).to_dataframe()\n"
                "except ImportError as error: print(error)")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertIn("python3-pandas", done.stdout, done.stderr)


class Units(Case):
    def test_as_the_programs_print_them(self):
        for value, expected in ((1.24e-6, "1.24 µs"), (0.031, "31.0 ms"), (0, "0 s"),
                                (-2e-3, "-2.00 ms"), (np.float64(3e-9), "3.00 ns")):
            self.assertEqual(units.seconds(value), expected)
        for value, expected in ((512, "512 B"), (np.uint64(65536), "64 KiB"), (1 << 63, "8 EiB")):
            self.assertEqual(units.size(value), expected)
        self.assertEqual(units.gap(8e-11), "0.0800 ns/B (12.5 GB/s)")
        self.assertEqual(units.per_byte(8e-11), "0.0800 ns/B")
        self.assertEqual(units.per_byte(-4.2e-8), "-42.0 ns/B")
        self.assertEqual(units.per_byte(0), "0 ns/B")
        for value, expected in ((1.25e10, "12.5 GB/s"), (0, "0 B/s"), (-1e6, "-1.00 MB/s"),
                                (np.inf, "inf B/s"), (np.nan, "nan B/s")):
            self.assertEqual(units.rate(value), expected)
        self.assertEqual(units.percent(0.95), "95 %")
        self.assertEqual(units.percent(0.999), "99.9 %")


class Speed(Case):
    def test_a_million_messages_at_once(self):
        """They equal those of one at a time; how long they take is in benchmarks/."""
        model = commgauge.load(MODEL).model("lmo")
        draw = np.random.default_rng(1)
        src = draw.integers(0, 3, 1_000_000)
        dst = (src + draw.integers(1, 3, src.size)) % 3
        sizes = draw.integers(0, model.range_bytes[1] + 1, src.size)
        time = quietly(model.predict_time, sizes, src=src, dst=dst)
        all_ = quietly(model.predict, "p2p", sizes, src=src, dst=dst)
        self.assertTrue(np.array_equal(time, all_.time))
        for k in draw.integers(0, src.size, 100):
            one = quietly(model.predict, "p2p", int(sizes[k]), src=int(src[k]), dst=int(dst[k]))
            self.assertEqual((one.time, one.low, one.high),
                             (all_.time[k], all_.low[k], all_.high[k]))


class Documentation(Case):
    def test_examples(self):
        """Each block of docs/python.md is run, in its order, in a directory with the samples; those
        that need a trace by replay_test.py."""
        text = pathlib.Path(os.environ["DOCUMENTATION"]).read_text()
        blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
        self.assertGreater(len(blocks), 1)
        for name in ("model.json", "measurements.json"):
            (self.directory / name).write_text((SAMPLES / name).read_text())
        (self.directory / "older.json").write_text(MODEL.read_text())
        before = os.getcwd()
        os.chdir(self.directory)
        self.addCleanup(os.chdir, before)
        names = {}
        for block in (block for block in blocks if '"trace"' not in block):
            quietly(exec, block, names)


if __name__ == "__main__":
    unittest.main()
