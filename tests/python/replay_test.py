"""Recorded programs from Python: what `replay run` says, to the last digit."""

import contextlib
import io
import json
import os
import pathlib
import re
import tempfile
import unittest
import warnings

import harness
import numpy as np

import commgauge
import commgauge.__main__
from commgauge import plots

PROGRAMS = pathlib.Path(os.environ["REPLAY"]).parent
SAMPLE = pathlib.Path(os.environ["SAMPLES"]) / "model.json"
RANKS = 3


def made_machine(directory, kind, ranks):
    """A model file without replicates."""
    done = harness.Job([PROGRAMS / "write-machine", kind, str(ranks), "1"]).end()
    assert done.code == 0, done
    file = directory / f"{kind}{ranks}.json"
    file.write_text(done.out)
    return file


def emulate(directory, *options):
    """Random programs."""
    machine = made_machine(directory, "lmo", RANKS)
    done = harness.Job([harness.MPIEXEC, "-n", str(RANKS), PROGRAMS / "emulate", "--model", machine,
                        *options, PROGRAMS / "emulated-mixed-programs", "3", "1", "0"]).end()
    assert done.code == 0, done


def record(directory, *options):
    emulate(directory, "--record", directory / "trace", *options)
    return directory / "trace"


def quietly(*arguments, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", commgauge.PredictionWarning)
        return commgauge.replay(*arguments, **more)


class Case(harness.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="commgauge-")
        cls.addClassCleanup(holder.cleanup)
        cls.shared = pathlib.Path(holder.name)
        cls.trace = record(cls.shared)
        cls.speeds = cls.shared / "speeds.csv"
        ranks = commgauge.load(SAMPLE).ranks
        lines = ["rank,time_ratio,low,high", "0,1.5,1,2", "1,3", *[f"{k},1" for k in range(2, ranks)]]
        cls.speeds.write_text("\n".join(lines))

    def told(self, model, *options, trace=None):
        """By the tool: its JSON, and what it said."""
        answer = self.directory / "replay.json"
        done = harness.Job([PROGRAMS / "replay", "run", trace or self.trace, "--model", model,
                            "-o", answer, *options]).end()
        self.assert_code(done, 0)
        return json.loads(answer.read_text()), [line.removeprefix("replay: ")
                                                for line in done.err.splitlines()]

    def assert_same(self, found, told):
        self.assertEqual(found.program, told["program"])
        self.assertEqual(found.model, told["model"])
        self.assertEqual(found.confidence, told["confidence"])
        self.assertEqual(found.extrapolated, told["extrapolated"])
        for name in ("time", "low", "high", "computing"):
            expected = told[name + "_s"]
            np.testing.assert_equal(getattr(found, name),
                                    np.nan if expected is None else expected, name)
        self.assertEqual(found.utilisation, told["utilisation"])
        self.assertEqual([dict(zip(told["ranks"][0], rank)) for rank in found.ranks],
                         told["ranks"])


class Replays(Case):
    def test_are_those_of_the_tool(self):
        machine = commgauge.load(SAMPLE)
        for more, options in (({}, []),
                              ({"kind": "hockney"}, ["--kind", "hockney"]),
                              ({"compute": False}, ["--compute", "none"]),
                              ({"rematch": True}, ["--rematch"]),
                              ({"collectives": "flat"}, ["--collectives", "flat"]),
                              ({"interval": False}, ["--no-interval"]),
                              ({"timeline": True}, []),
                              ({"time_ratio": 2.5}, ["--time-ratio", "2.5"]),
                              ({"time_ratio": self.speeds}, ["--time-ratio", self.speeds]),
                              ({"placement": (2, 0, 1)}, ["--placement", "2,0,1"]),
                              ({"hosts": (4, 1)}, ["--hosts", "4", "--ranks-per-host", "1"])):
            with self.subTest(more):
                told, said = self.told(SAMPLE, *options)
                found = quietly(self.trace, machine, **more)
                self.assert_same(found, told)
                own = [text + ": give --time-ratio" for text in found.assumed]
                self.assertEqual(sorted([*found.warnings, *own]), sorted(said))
                self.assertEqual(bool(found.assumed),
                                 more.get("compute", True) and "time_ratio" not in more)

    def test_time_ratios_by_rank_are_those_of_the_file(self):
        ratios = [1.5, 3, *[1] * (commgauge.load(SAMPLE).ranks - 2)]
        told, _ = self.told(SAMPLE, "--time-ratio", self.speeds)
        for by_rank in (ratios, np.array(ratios), dict(enumerate(ratios))):
            found = quietly(self.trace, SAMPLE, interval=False, time_ratio=by_rank)
            self.assertEqual(found.time, told["time_s"])
            self.assertEqual(found.assumed, ())

    def test_model_by_its_file(self):
        machine = commgauge.load(SAMPLE)
        by_name = quietly(str(self.trace), str(SAMPLE), interval=False)
        self.assertEqual(by_name.ranks, quietly(self.trace, machine, interval=False).ranks)

    def test_takes_the_time_of_the_emulation_again(self):
        trace = record(self.directory, "--compute", "none")
        emulate(self.directory, "--compute", "none", "--report", self.directory / "report.json")
        report = json.loads((self.directory / "report.json").read_text())
        found = quietly(trace, made_machine(self.directory, "lmo", RANKS), compute=False)
        self.assertEqual([rank.end for rank in found.ranks],
                         [rank["time_s"] for rank in report["ranks"]])
        self.assertEqual(found.time, max(rank.end for rank in found.ranks))

    def test_interval(self):
        found = quietly(self.trace, SAMPLE)
        self.assertLess(found.low, found.time)
        self.assertLess(found.time, found.high)
        self.assertEqual(found.interval_meaning,
                         commgauge.load(SAMPLE).interval_meaning(found.model)
                         + ", and up to what it takes where ranks fall out of step")
        alone = quietly(self.trace, SAMPLE, interval=False)
        self.assertEqual(alone.time, found.time)
        self.assertTrue(np.isnan([alone.low, alone.high]).all())
        self.assertEqual(alone.interval_meaning, "")

    def test_no_interval_is_warned_of(self):
        machine = made_machine(self.directory, "lmo", RANKS)
        with self.assertWarnsRegex(commgauge.PredictionWarning, "no interval") as caught:
            found = commgauge.replay(self.trace, machine)
        self.assertEqual(caught.filename, __file__)
        self.assertIn(str(caught.warning), found.warnings)

    def test_tables(self):
        found = quietly(self.trace, SAMPLE, interval=False, timeline=True)
        np.testing.assert_allclose(found.speedup, found.work / found.time if found.work else np.nan)
        self.assertIn(f"{RANKS} ranks", repr(found))
        try:
            table = found.to_dataframe()
        except ImportError:
            self.skipTest("pandas is not installed")
        self.assertEqual(list(table["end_s"]), [rank.end for rank in found.ranks])
        self.assertEqual(len(found.stretches.to_dataframe()), len(found.stretches))
        self.assertEqual(list(found.messages.to_dataframe()["to"]), list(found.messages.dst))


class Refused(Case):
    def refused(self, *words, trace=None, model=SAMPLE, **more):
        with self.assertRaises(commgauge.InputError) as caught:
            commgauge.replay(trace if trace is not None else self.trace, model, **more)
        for word in words:
            self.assertIn(word, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    def test_what_the_tool_refuses(self):
        nothing = self.directory / "nothing"
        few = made_machine(self.directory, "lmo", 2)
        for options, more in (([], {"trace": nothing}),
                              ([], {"trace": self.directory}),
                              ([], {"model": few}),
                              ([], {"model": nothing}),
                              (["--time-ratio", "0"], {"time_ratio": "0"}),
                              (["--time-ratio", nothing], {"time_ratio": nothing}),
                              (["--kind", "start_up"], {"kind": "start_up"})):
            with self.subTest(more):
                said = self.refused(**more)
                done = harness.Job([PROGRAMS / "replay", "run", more.get("trace", self.trace),
                                    "--model", more.get("model", SAMPLE), *options]).end()
                self.assertNotEqual(done.code, 0)
                self.assertEqual(done.err.strip(), f"replay: {said}")

    def test_arguments(self):
        self.refused("nonsense", kind="nonsense")
        self.refused("nonsense", collectives="nonsense")
        self.refused("name", kind="")
        self.refused("name", kind=3)
        self.refused("name", collectives=None)
        self.refused("path", trace=3)
        self.refused("path", model=None)
        for wrong, word in ((0, "above zero"), ("x", "x"), ([1, 2], "2 numbers"),
                            ([1, -1], "above zero"), ({0: 1, 2: 1}, "rank 1"),
                            (object(), "above zero")):
            self.refused(word, time_ratio=wrong)
        for wrong, word in ((3, "placement 3"), ("2,0,1", "sequence"), ([0, -1, 1], "-1"), ([0, 0, 1], "placement: "),
                            ([0, 1.5, 2], "1.5"), ([0, 1, 99], "placement: ")):
            self.refused(word, placement=wrong)
        for wrong, word in ((3, "hosts 3"), ("4x1", "both"), ((4,), "both"), ((0, 1), "hosts is 0"), ((4, 2.5), "2.5")):
            self.refused(word, hosts=wrong)


class Timeline(Case):
    def setUp(self):
        super().setUp()
        self.found = quietly(self.trace, SAMPLE, interval=False, timeline=True)

    def test_only_if_asked_for(self):
        found = quietly(self.trace, SAMPLE, interval=False)
        self.assertIsNone(found.stretches)
        self.assertIsNone(found.messages)
        with self.assertRaisesRegex(commgauge.InputError, "timeline=True"):
            plots.timeline(found)

    def test_stretches_have_no_gaps(self):
        stretches = self.found.stretches
        for rank in self.found.ranks:
            own = stretches.rank == rank.rank
            self.assertEqual(stretches.start[own][0], 0)
            np.testing.assert_array_equal(stretches.start[own][1:], stretches.end[own][:-1])
            self.assertGreaterEqual(stretches.end[own][-1], rank.end)

    def test_spans_are_the_shares_of_each_rank(self):
        for rank in self.found.ranks:
            for doing in commgauge.DOINGS:
                start, length = self.found.stretches.spans(rank.rank, doing).T
                until = np.minimum(start + length, rank.end)
                self.assertAlmostEqual(np.maximum(until - start, 0).sum(),
                                       getattr(rank, doing), delta=1e-12)
        with self.assertRaisesRegex(commgauge.InputError, "dreaming.*waiting"):
            self.found.stretches.spans(0, "dreaming")
        self.assertEqual(len(self.found.stretches.spans(RANKS, "waiting")), 0)

    def test_messages(self):
        messages = self.found.messages
        self.assertGreater(len(messages), 0)
        self.assertTrue(np.all(messages.sent < messages.received))
        self.assertTrue(np.all((messages.src != messages.dst) & (messages.src < RANKS)))

    def plot(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = commgauge.__main__.main(["plot", "timeline", *map(str, words)])
        return code, out.getvalue(), err.getvalue()

    def test_command(self):
        picture = self.directory / "timeline.svg"
        for trace in (self.trace, self.trace / "traces.otf2"):
            code, out, err = self.plot(trace, SAMPLE, "-o", picture)
            self.assertEqual((code, out), (0, ""), err)
            self.assertEqual(err, "".join(f"commgauge: {text}\n" for text in quietly(trace, SAMPLE).warnings))
            text = picture.read_text()
            for doing in commgauge.DOINGS:
                self.assertIn(f'id="{doing}"', text)
            picture.unlink()

    def test_command_is_refused(self):
        for words, problem in (((self.directory, SAMPLE), "archive"),
                               ((self.trace, self.trace, SAMPLE), "a second file with a trace"),
                               ((self.trace, SAMPLE, "--from", 1), "--from")):
            code, _, err = self.plot(*words, "-o", self.directory / "timeline.svg")
            self.assertEqual(code, 2, err)
            self.assertIn(problem, err)
        code, _, err = self.plot(self.trace, SAMPLE, "-o", self.trace / "traces.otf2")
        self.assertEqual(code, 2, err)

    def test_many_stretches_are_drawn_by_what_takes_most(self):
        count = 50000
        edges = np.linspace(0, 1, count + 1)
        doing = np.zeros(count, np.uint8)
        doing[count // 2:] = np.where(np.arange(count // 2) % 4 == 0, 1, 3)
        many = commgauge.Stretches(np.zeros(count, np.int64), doing, edges[:-1], edges[1:])
        none = commgauge.Messages(*[np.zeros(0)] * 5)
        rank = commgauge.RankTimes(0, "h0", 1.0, 0.5, 0.125, 0.0, 0.375, 0.0, 0.5, 1.0, 1.0, 1.0)
        whole = {**vars(self.found), "time": 1.0, "ranks": (rank,), "stretches": many,
                 "messages": none}
        figure = plots.timeline(commgauge.Replay(**whole))
        self.assertIn("most of each thousandth", notes(figure))
        self.assertEqual(boxes(figure, "computing"), [(0.0, 0.5)])
        self.assertEqual(boxes(figure, "waiting"), [(0.5, 1.0)])
        self.assertEqual(boxes(figure, "sending"), [])

    def test_few_stretches_are_drawn_as_they_are(self):
        ranks = tuple(commgauge.RankTimes(k, "h", 1.0, 0.5, 0.1, 0.1, 0.2, 0.1, 0.5, 1.0, 1.0, 1.0) for k in range(2))
        few = commgauge.Stretches(np.array([0, 0, 1, 1, 1]), np.array([0, 1, 3, 2, 4], np.uint8),
                                  np.array([0, 0.5, 0, 0.6, 0.9]), np.array([0.5, 1, 0.6, 0.9, 1]))
        one = commgauge.Messages(*map(np.array, ([0], [1], [8], [0.5], [0.75])))
        whole = {**vars(self.found), "time": 1.0, "ranks": ranks, "stretches": few,
                 "messages": one}
        figure = plots.timeline(commgauge.Replay(**whole))
        self.assertEqual([boxes(figure, doing) for doing in commgauge.DOINGS],
                         [[(0, 0.5)], [(0.5, 1)], [(0.6, 0.9)], [(0, 0.6)], [(0.9, 1)]])
        (lines,) = drawn(figure, "messages")
        np.testing.assert_array_equal(lines.get_segments(), [[(0.5, 0), (0.75, 1)]])
        self.assertNotIn("thousandth", notes(figure))

    def test_picture(self):
        figure = plots.timeline(self.found)
        self.assertIn("as fast as", notes(figure))
        self.assertEqual(figure.axes[0].get_xlim(), (0, self.found.time))
        self.assertTrue(any(text.get_text().startswith("emulated-mixed-programs: 3 ranks")
                            for text in figure.texts))
        for ending in ("png", "svg"):
            plots.save(figure, self.directory / f"timeline.{ending}")

    def test_some_of_many_ranks(self):
        ranks = tuple(commgauge.RankTimes(k, f"h{k}", 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0)
                      for k in range(1000))
        each = np.arange(1000)
        one = commgauge.Stretches(each, np.zeros(1000, np.uint8), np.zeros(1000), np.ones(1000))
        whole = {**vars(self.found), "time": 1.0, "ranks": ranks, "stretches": one}
        figure = plots.timeline(commgauge.Replay(**whole))
        self.assertIn("One of 8 ranks", notes(figure))
        self.assertEqual(len(boxes(figure, "computing")), 125)
        self.assertEqual(drawn(figure, "messages"), [])


class Documentation(Case):
    def test_examples(self):
        """The blocks of docs/python.md that need a trace."""
        text = pathlib.Path(os.environ["DOCUMENTATION"]).read_text()
        blocks = [block for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S) if '"trace"' in block]
        for call in ("replay(", "explain(", "what_if("):
            self.assertTrue(any(f"commgauge.{call}" in block for block in blocks), call)
        (self.directory / "model.json").write_text(SAMPLE.read_text())
        (self.directory / "trace").symlink_to(self.trace)
        before = os.getcwd()
        os.chdir(self.directory)
        self.addCleanup(os.chdir, before)
        names = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", commgauge.PredictionWarning)
            for block in blocks:
                exec(block, names)
        pictures = re.findall(r'plots\.save\(.*"(\w+\.png)"\)', "".join(blocks))
        self.assertGreater(len(pictures), 2)
        for picture in pictures:
            self.assertTrue((self.directory / picture).exists(), picture)


def drawn(figure, name):
    return figure.findobj(lambda artist: artist.get_gid() == name)


def notes(figure):
    return "\n".join(text.get_text() for text in drawn(figure, "notes"))


def boxes(figure, name):
    """From and to of each."""
    return [(path.vertices[:, 0].min(), path.vertices[:, 0].max())
            for bars in drawn(figure, name) for path in bars.get_paths()]


if __name__ == "__main__":
    unittest.main()
