"""What would help a recorded program, from Python: what `replay explain` and `replay what-if` say, to the last digit."""

import contextlib
import io
import json
import math
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings

import harness
import numpy as np
import replay_test
from replay_test import PROGRAMS, SAMPLE, boxes, drawn, made_machine, notes

import commgauge
import commgauge.__main__
from commgauge import plots

Change = commgauge.Change


def quietly(call, *arguments, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", commgauge.PredictionWarning)
        return call(*arguments, **more)


def number(told):
    return math.nan if told is None else told


class Case(replay_test.Case):
    def told(self, command, *options, trace=None, model=SAMPLE):
        """By the tool: its JSON, and what it said."""
        answer = self.directory / "answer.json"
        done = harness.Job([PROGRAMS / "replay", command, trace or self.trace, "--model", model, "-o", answer,
                            *options]).end()
        self.assert_code(done, 0)
        said = [line.removeprefix("replay: ") for line in done.err.splitlines()]
        return json.loads(answer.read_text()), said

    def assert_notes(self, found, told, said):
        """The JSON's, with the trace's name where the trace remarks something; and what the tool said of the run."""
        own = [text.removeprefix(f"{self.trace}: ") for text in (*found.warnings, *found.assumed)]
        self.assertEqual(sorted(own), sorted(told))
        assumed = [text + ": give --time-ratio" for text in found.assumed]
        self.assertLessEqual(set(said), {*found.warnings, *assumed})

    def assert_run(self, found, told):
        for name in ("program", "model", "confidence"):
            self.assertEqual(getattr(found, name), told[name])

    def assert_refused(self, call, *words):
        with self.assertRaises(commgauge.InputError) as caught:
            call()
        for word in words:
            self.assertIn(word, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)


def place(one):
    return {name: getattr(one, name) for name in ("rank", "region", "call", "site")}


def estimate(one, name):
    return {"value": getattr(one, name), "low": getattr(one, name + "_low"), "high": getattr(one, name + "_high")}


def factors(one):
    return {name: getattr(one, name[:-2] if name.endswith("_s") else name) for name in
            ("load_balance", "serialisation", "transfer", "communication", "parallel", "mean_useful_s",
             "most_useful_s", "time_s", "free_time_s")}


def step_json(step):
    told = {"rank": step.rank, "from_s": step.start, "to_s": step.end, "kind": step.kind, "call": step.call}
    if step.message is not None:
        told["message"] = {"from": step.message.src, "to": step.message.dst, "bytes": step.message.size}
    return told


def as_json(found):
    """An explanation as the tool writes it, but for its notes."""
    return {
        "time_s": {"value": found.time, "low": found.low, "high": found.high},
        "ranks": found.ranks,
        "critical_path": {
            "parts": [{**place(one), "kind": one.kind, "seconds": one.seconds} for one in found.critical_path.parts],
            "steps": [step_json(one) for one in found.critical_path.steps],
            "left_out": found.critical_path.left_out,
        },
        "answers": [{"kind": one.kind, "title": one.title, "advice": one.advice, "time_s": estimate(one, "time"),
                     "gain_s": estimate(one, "gain"), "gain_percent": one.gain_percent, **place(one),
                     "confirmed_s": one.confirmed} for one in found.answers],
        "domino_paths": [{"rank": one.rank, "time_s": one.time,
                          "steps": [{**place(step), "at_s": step.at, "partner": step.partner} for step in one.steps]}
                         for one in found.domino_paths],
        "balance": [{"region": one.region, "instances": one.instances, "sigma_s": one.sigma,
                     "mean_over_max": one.mean_over_max, "computing_s": one.computing, "sleeping_s": one.sleeping,
                     "slowest": one.slowest, "time_s": one.time} for one in found.balance],
        "efficiency": {**factors(found.efficiency),
                       "regions": [{"region": one.region, "instances": one.instances, **factors(one)}
                                   for one in found.regions]},
    }


def without_nan(value):
    """NaN is null in JSON."""
    if isinstance(value, dict):
        return {name: without_nan(one) for name, one in value.items()}
    if isinstance(value, list):
        return [without_nan(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Explanations(Case):
    def test_are_those_of_the_tool(self):
        for more, options in (({}, []),
                              ({"kind": "hockney", "interval": False}, ["--kind", "hockney", "--no-interval"]),
                              ({"compute": False, "rematch": True}, ["--compute", "none", "--rematch"]),
                              ({"collectives": "flat", "confirm": 0}, ["--collectives", "flat", "--confirm", "0"]),
                              ({"time_ratio": self.speeds}, ["--time-ratio", self.speeds]),
                              ({"placement": [1, 2, 0]}, ["--placement", "1,2,0"]),
                              ({"hosts": (4, 1), "interval": False},
                               ["--hosts", "4", "--ranks-per-host", "1", "--no-interval"])):  # fmt: skip
            with self.subTest(more):
                told, said = self.told("explain", *options)
                found = quietly(commgauge.explain, self.trace, SAMPLE, **more)
                self.assert_run(found, told)
                self.assert_notes(found, told["notes"], said)
                expected = {name: told[name] for name in as_json(found)}
                self.assertEqual(without_nan(as_json(found)), expected)
                self.assertGreater(len(found.answers), 2)

    def test_interval(self):
        found = quietly(commgauge.explain, self.trace, commgauge.load(SAMPLE))
        best = found.answers[0]
        self.assertTrue(best.gain_low < best.gain < best.gain_high, best)
        expected = commgauge.load(SAMPLE).interval_meaning(found.model)
        self.assertTrue(found.interval_meaning.startswith(expected), found.interval_meaning)
        alone = quietly(commgauge.explain, self.trace, SAMPLE, interval=False)
        self.assertTrue(math.isnan(alone.answers[0].gain_low))
        self.assertEqual((alone.time, alone.interval_meaning), (found.time, ""))

    def test_time_is_that_of_the_replay(self):
        for more in ({}, {"compute": False}, {"kind": "hockney"}, {"kind": "loggps", "compute": False}):
            replayed = quietly(commgauge.replay, self.trace, SAMPLE, interval=False, **more)
            found = quietly(commgauge.explain, self.trace, SAMPLE, interval=False, confirm=0, **more)
            self.assertAlmostEqual(found.time / replayed.time, 1, delta=1e-12, msg=more)

    def test_sums_of_the_critical_path(self):
        path = quietly(commgauge.explain, self.trace, SAMPLE, interval=False).critical_path
        by_kind = path.by("kind")
        self.assertEqual(list(by_kind.values()), sorted(by_kind.values(), reverse=True))
        for sums in (by_kind, path.by("rank"), path.by("region", "call")):
            self.assertAlmostEqual(sum(sums.values()), sum(part.seconds for part in path.parts), delta=1e-12)
        self.assertTrue(all(len(key) == 2 for key in path.by("region", "call")))
        expected = sum(part.seconds for part in path.parts if part.rank == 1)
        self.assertAlmostEqual(path.by("rank").get(1, 0.0), expected, delta=1e-15)

    def test_what_to_do_first(self):
        found = quietly(commgauge.explain, self.trace, SAMPLE, interval=False)
        first = found.first(3)
        self.assertLessEqual(len(first), 3)
        self.assertFalse(any(one.is_bound for one in first))
        self.assertEqual(first[0], next(one for one in found.answers if one.kind not in commgauge.BOUNDS))
        times = [one.time for one in found.first(1000)]
        self.assertTrue(all(b - a > 1e-9 * found.time for a, b in zip(times, times[1:])))
        self.assertEqual(found.first(0), ())

    def test_is_warned_of(self):
        machine = made_machine(self.directory, "lmo", 3)
        with self.assertWarnsRegex(commgauge.PredictionWarning, "no interval") as caught:
            found = commgauge.explain(self.trace, machine)
        self.assertEqual(caught.filename, __file__)
        self.assertIn(str(caught.warning), found.warnings)

    def test_table(self):
        found = quietly(commgauge.explain, self.trace, SAMPLE, interval=False)
        self.assertIn("3 ranks", repr(found))
        try:
            table = found.to_dataframe()
        except ImportError:
            self.skipTest("pandas is not installed")
        self.assertEqual(list(table["gain_s"]), [one.gain for one in found.answers])


class WhatIfs(Case):
    def assert_times(self, found, told):
        for name in ("time", "low", "high"):
            np.testing.assert_equal(getattr(found, name), number(told[name + "_s"]), name)

    def assert_ratios(self, found, told):
        for name in ("ratio", "ratio_low", "ratio_high"):
            np.testing.assert_equal(getattr(found, name), number(told[name]), name)

    def compare(self, change, *options, **more):
        given = [word for one in change.words() for word in ("--change", one)]
        told, said = self.told("what-if", *given, *options)
        found = quietly(commgauge.what_if, self.trace, SAMPLE, change, **more)
        self.assert_run(found, told)
        self.assert_times(found, told)
        changed = found.changed
        self.assertEqual(list(changed.change.words()), told["changed"]["changes"])
        self.assertEqual(list(changed.notes), told["changed"]["notes"])
        self.assert_times(changed, told["changed"])
        self.assert_ratios(changed, told["changed"])
        assumed = [text + ": give --time-ratio" for text in found.assumed]
        self.assertEqual(sorted(said), sorted([*found.warnings, *assumed, *self.only_of_change(found)]))
        return found

    def only_of_change(self, found):
        known = {text.removeprefix(f"{self.trace}: ") for text in (*found.warnings, *found.assumed)}
        return [f"with the changes: {text}" for text in found.changed.notes if text not in known]

    def test_changes_are_those_of_the_tool(self):
        for change in (Change(latency=0.5), Change(bandwidth=2), Change(overheads=3.25), Change(gaps=2),
                       Change(computing=2), Change(computing=8, ranks=[0, 2]), Change(eager_limit="64KiB"),
                       Change(eager_limit=500), Change(collectives="allreduce=reduce-bcast"),
                       Change(placement=np.array([2, 0, 1])), Change(hosts=(4, 1)),
                       Change(latency=1e-3, bandwidth=1 / 3, computing=2, ranks=(1,), collectives="flat",
                              placement=[1, 0, 2])):  # fmt: skip
            with self.subTest(change.words()):
                found = self.compare(change)
                self.assertNotEqual(found.changed.time, math.nan)

    def test_other_options_hold_with_the_change_too(self):
        more = {"kind": "loggps", "collectives": "flat", "compute": False, "interval": False, "placement": [1, 2, 0]}
        options = ["--kind", "loggps", "--collectives", "flat", "--compute", "none", "--no-interval",
                   "--placement", "1,2,0"]
        self.compare(Change(latency=3), *options, **more)
        self.compare(Change(collectives="mpich", placement=[0, 1, 2]), *options, **more)
        self.compare(Change(computing=2), "--time-ratio", self.speeds, time_ratio=self.speeds)
        self.compare(Change(computing=2), "--time-ratio", self.speeds, "--placement", "2,1,0", time_ratio=self.speeds,
                     placement=iter([2, 1, 0]))

    def test_a_change_does_something(self):
        found = quietly(commgauge.what_if, self.trace, SAMPLE, Change(latency=4))
        self.assertGreater(found.changed.time, found.time)
        self.assertAlmostEqual(found.changed.ratio, found.changed.time / found.time)
        self.assertTrue(found.changed.ratio_low < found.changed.ratio < found.changed.ratio_high)
        self.assertEqual((found.curves, found.tolerances), ({}, ()))
        self.assertIn("with latency=4", repr(found))

    def test_curves_are_those_of_the_tool(self):
        told, _ = self.told("what-if", "--curve", "latency=0.25..16", "--curve", "computing=2..1", "--points", "4")
        found = quietly(commgauge.what_if, self.trace, SAMPLE, points=4,
                        curves={"latency": (0.25, 16), "computing": (2, 1)})
        self.assertIsNone(found.changed)
        self.assertEqual(list(found.curves), ["latency", "computing"])
        for curve, expected in zip(found.curves.values(), told["curves"], strict=True):
            self.assertEqual(curve.quantity, expected["quantity"])
            self.assertEqual(len(curve), 4)
            for k, point in enumerate(expected["points"]):
                for name in ("factor", "ratio", "ratio_low", "ratio_high"):
                    np.testing.assert_equal(getattr(curve, name)[k], number(point[name]))
                for name in ("time", "low", "high"):
                    np.testing.assert_equal(getattr(curve, name)[k], number(point[name + "_s"]))

    def test_tolerances_are_those_of_the_tool(self):
        told, _ = self.told("what-if", "--tolerance", "--compute", "none")
        found = quietly(commgauge.what_if, self.trace, SAMPLE, tolerances=(0.01, 0.02, 0.05), compute=False)
        expected = [(one["quantity"], one["longer"], math.inf if one["slower"] is None else one["slower"],
                     number(one["added_s"])) for one in told["tolerances"]]  # fmt: skip
        np.testing.assert_equal([tuple(one) for one in found.tolerances], expected)
        self.assertTrue(any(math.isinf(one.slower) for one in found.tolerances))
        some = quietly(commgauge.what_if, self.trace, SAMPLE, tolerances=iter([0.02]), compute=False)
        # Searched: known to a thousandth, whatever other levels were asked for with it.
        again = [one for one in found.tolerances if one.longer == 0.02]
        self.assertEqual([one[:2] for one in some.tolerances], [one[:2] for one in again])
        for one, other in zip(some.tolerances, again, strict=True):
            np.testing.assert_allclose(one.slower - 1, other.slower - 1, rtol=1e-3)

    def test_is_warned_of(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = commgauge.what_if(self.trace, SAMPLE, Change(hosts=(4, 1), placement=[0, 1, 3]), interval=False)
        self.assertEqual({one.filename for one in caught}, {__file__})
        said = [str(one.message) for one in caught]
        self.assertEqual(said, [*found.warnings, *self.only_of_change(found)])
        self.assertTrue(self.only_of_change(found))

    def test_tables(self):
        found = quietly(commgauge.what_if, self.trace, SAMPLE, curves={"latency": (1, 2)}, points=2, interval=False,
                        tolerances=[0.5])
        try:
            table = found.curves["latency"].to_dataframe()
        except ImportError:
            self.skipTest("pandas is not installed")
        self.assertEqual(list(table["time_s"]), list(found.curves["latency"].time))
        self.assertEqual(len(found.to_dataframe()), 4)


class Refused(Case):
    def test_explanations(self):
        for more, word in (({"kind": "nonsense"}, "nonsense"), ({"collectives": ""}, "name"), ({"confirm": -1}, "-1"),
                           ({"confirm": 2.5}, "2.5"), ({"time_ratio": 0}, "above zero"), ({"placement": 3}, "placement"),
                           ({"hosts": (1,)}, "both"), ({"model": self.directory / "nothing"}, "nothing")):  # fmt: skip
            with self.subTest(more):
                self.assert_refused(lambda: commgauge.explain(**{"trace": self.trace, "model": SAMPLE, **more}), word)
        self.assert_refused(lambda: commgauge.explain(self.directory, SAMPLE), str(self.directory))

    def test_as_the_tool_refuses(self):
        for options, change in ((["--change", "computing:9=2"], Change(computing=2, ranks=[9])),
                                (["--change", "collectives=nonsense"], Change(collectives="nonsense")),
                                (["--change", "eager-limit=many"], Change(eager_limit="many"))):  # fmt: skip
            with self.subTest(options):
                said = self.assert_refused(lambda: quietly(commgauge.what_if, self.trace, SAMPLE, change))
                done = harness.Job([PROGRAMS / "replay", "what-if", self.trace, "--model", SAMPLE, *options]).end()
                self.assertEqual((done.code, done.err.strip()), (2, f"replay: {said}"))

    def test_changes(self):
        for change, word in ((Change(), "change of nothing"), (Change(latency=0), "latency 0"),
                             (Change(bandwidth=-1), "bandwidth -1"), (Change(gaps="x"), "gaps 'x'"),
                             (Change(computing=math.inf), "above zero"), (Change(ranks=[0]), "without computing"),
                             (Change(latency=2, ranks=[0]), "without computing"), (Change(computing=2, ranks=[]), "name some"),
                             (Change(computing=2, ranks=3), "sequence"), (Change(computing=2, ranks=[-1]), "-1"),
                             (Change(eager_limit=-1), "-1"), (Change(eager_limit=1.5), "1.5"),
                             (Change(placement="1,0"), "sequence"), (Change(hosts="8x4"), "both"),
                             (Change(collectives=""), "name"), ({"latency": 2}, "Change(latency=0.5)")):  # fmt: skip
            with self.subTest(change):
                self.assert_refused(lambda: commgauge.what_if(self.trace, SAMPLE, change), word)

    def test_questions(self):
        for more, word in (({}, "nothing is asked"), ({"curves": {}, "tolerances": ()}, "nothing is asked"),
                           ({"curves": {"speed": (1, 2)}}, "'speed'"), ({"curves": {"latency": 2}}, "sequence"),
                           ({"curves": {"latency": (1, 2, 3)}}, "two ends"), ({"curves": {"latency": (0, 2)}}, "above zero"),
                           ({"curves": ["latency"]}, '{"latency": (0.25, 16)}'),
                           ({"curves": {"latency": (1, 2)}, "points": 1}, "points is 1"),
                           ({"tolerances": 0.01}, "sequence"), ({"tolerances": [0]}, "above zero"),
                           ({"tolerances": [math.nan]}, "above zero")):  # fmt: skip
            with self.subTest(more):
                self.assert_refused(lambda: commgauge.what_if(self.trace, SAMPLE, **more), word)

    def test_before_a_long_replay(self):
        """Bad arguments are said without the trace."""
        nothing = self.directory / "nothing"
        self.assert_refused(lambda: commgauge.what_if(nothing, SAMPLE, curves={"latency": (1, -1)}), "-1")
        self.assert_refused(lambda: commgauge.what_if(nothing, SAMPLE, Change(latency=-1)), "-1")


LONG = """
import commgauge, sys
print("begins", flush=True)
commgauge.what_if(sys.argv[1], sys.argv[2], curves={"latency": (1, 2)}, points=10**8)
"""


class Long(Case):
    def test_is_interrupted(self):
        with subprocess.Popen([sys.executable, "-c", LONG, self.trace, SAMPLE], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as running:
            self.addCleanup(running.kill)
            self.assertEqual(running.stdout.readline(), "begins\n")
            time.sleep(0.5)
            running.send_signal(signal.SIGINT)
            _, err = running.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", err)

    def test_leaves_python_to_others(self):
        """While it runs in a thread this one goes on."""
        working = threading.Thread(target=quietly, args=(commgauge.what_if, self.trace, SAMPLE),
                                   kwargs={"curves": {"latency": (1, 2)}, "points": 300})  # fmt: skip
        working.start()
        turns = 0
        while working.is_alive():
            turns += 1
            time.sleep(0.001)
        self.assertGreater(turns, 20)


class Pictures(Case):
    def explanation(self, **more):
        return quietly(commgauge.explain, self.trace, SAMPLE, **more)

    def what_if(self, **more):
        more = {"curves": {"latency": (0.25, 4), "bandwidth": (0.25, 4)}, "points": 5, **more}
        return quietly(commgauge.what_if, self.trace, SAMPLE, **more)

    def test_explanation(self):
        found = self.explanation()
        figure = plots.explanation(found)
        bars = drawn(figure, "gain")
        self.assertEqual([bar.get_width() for bar in bars], [one.gain / found.time for one in found.first()])
        self.assertEqual(len(drawn(figure, "bound")), sum(one.is_bound for one in found.answers))
        titles = [text.get_text() for text in drawn(figure, "title")]
        self.assertEqual(titles[0][:80], found.first()[0].title[:80])
        path = [piece.get_width() for piece in drawn(figure, "path")]
        self.assertAlmostEqual(sum(path), found.time, delta=1e-9 * found.time)
        self.assertAlmostEqual(path[0], next(iter(found.critical_path.by("kind").values())), delta=1e-12)
        self.assertIn(found.interval_meaning, notes(figure))
        self.assertTrue(drawn(figure, "interval") or figure.findobj(
            lambda artist: type(artist).__name__ == "LineCollection"))
        for ending in ("png", "svg"):
            plots.save(figure, self.directory / f"explanation.{ending}")

    def test_explanation_without_interval(self):
        figure = plots.explanation(self.explanation(interval=False))
        self.assertNotIn("Intervals", notes(figure))

    def test_nothing_helps(self):
        found = self.explanation(interval=False)
        none = commgauge.Explanation(**{**vars(found), "answers": ()})
        figure = plots.explanation(none)
        self.assertEqual(drawn(figure, "gain"), [])
        self.assertIn("Nothing", figure.axes[1].get_title(loc="left"))

    def test_what_if(self):
        found = self.what_if(tolerances=(0.01, 0.05))
        figure = plots.what_if(found)
        for name, curve in found.curves.items():
            (line,) = drawn(figure, f"{name} line")
            np.testing.assert_array_equal(line.get_xydata(), np.column_stack([curve.factor, curve.time]))
            self.assertEqual(line.get_linestyle(), "-")
            (band,) = drawn(figure, f"{name} band")
            (path,) = band.get_paths()
            self.assertAlmostEqual(path.vertices[:, 1].max(), curve.high.max())
        drawn_at = sorted(line.get_xdata()[0] for line in drawn(figure, "tolerance"))
        expected = [1 / one.slower if one.quantity == "bandwidth" else one.slower
                    for one in found.tolerances if one.quantity in found.curves]
        self.assertEqual(drawn_at, sorted(one for one in expected if 0.25 <= one <= 4))
        self.assertGreater(len(drawn_at), 0)
        self.assertIn(found.interval_meaning, " ".join(notes(figure).split()))
        for ending in ("png", "svg"):
            plots.save(figure, self.directory / f"what-if.{ending}")

    def test_what_if_without_interval(self):
        figure = plots.what_if(self.what_if(interval=False, curves={"computing": (1, 2)}, compute=False))
        (line,) = drawn(figure, "computing line")
        self.assertNotEqual(line.get_linestyle(), "-")
        self.assertEqual(drawn(figure, "computing band"), [])
        self.assertNotIn("Bands", notes(figure))
        self.assertEqual(len(figure.axes), 1)

    def test_no_curves(self):
        found = quietly(commgauge.what_if, self.trace, SAMPLE, tolerances=[0.01], interval=False)
        self.assert_refused(lambda: plots.what_if(found), "curves=")

    def plot(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = commgauge.__main__.main(["plot", *map(str, words)])
        return code, out.getvalue(), err.getvalue()

    def test_commands(self):
        for kind, word in (("explanation", "Do this first"), ("what-if", "computing")):
            picture = self.directory / f"{kind}.svg"
            code, out, err = self.plot(kind, self.trace, SAMPLE, "-o", picture)
            self.assertEqual((code, out), (0, ""), err)
            self.assertIn(word, re.sub("<!--(.*?)-->", r"\1", picture.read_text()))
            code, _, err = self.plot(kind, SAMPLE, "-o", picture)
            self.assertEqual(code, 2)
            self.assertIn("no trace", err)

    def test_all(self):
        directory = self.directory / "all"
        code, out, err = self.plot("all", self.trace, SAMPLE, "-o", directory, "--format", "svg")
        self.assertEqual(code, 0, err)
        for kind in ("timeline", "explanation", "what-if"):
            self.assertIn(str(directory / f"{kind}.svg"), out)


if __name__ == "__main__":
    unittest.main()
