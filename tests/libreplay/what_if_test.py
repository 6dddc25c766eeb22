"""What `replay what-if` says, against `replay run` with other options and other model files.

Paths come from the environment, see CMakeLists.txt.
"""

import json
import unittest

import jsonschema
import recorded_test

SCHEMA = recorded_test.SCHEMA.parent / "what-if-1.schema.json"
RANKS = 5


class Base(recorded_test.Base):
    """A made program: each round everybody gives the right neighbour a message, every tenth round a reduction."""

    def setUp(self):
        super().setUp()
        self.machine("lmo", RANKS, 500)
        self.assertEqual(self.run_tool("write-trace", RANKS, 20, "prog", "trace").code, 0)

    def what_if(self, *options):
        return self.run_tool("replay", "what-if", "trace", "--model", "model.json", *options)

    def answer(self, *options):
        done = self.what_if(*options, "-o", "-")
        self.assertEqual(done.code, 0, done)
        document = json.loads(done.out)
        jsonschema.validate(document, json.loads(SCHEMA.read_text()))
        return document

    def changed(self, *changes):
        options = [word for change in changes for word in ("--change", change)]
        return self.answer(*options)["changed"]["time_s"]

    def run_time(self, *options, model="model.json"):
        done = self.run_tool("replay", "run", "trace", "--model", model, "-o", "-", *options)
        self.assertEqual(done.code, 0, done)
        return json.loads(done.out)["time_s"]


def scale(value, factor):
    """Of a model file's parameter, whatever its shape."""
    if isinstance(value, list):
        return [scale(one, factor) for one in value]
    return value if value is None else factor * value


class Changes(Base):
    def other_model(self, **factors):
        """The model file with some of its parameters times a factor."""
        model = json.loads((self.directory / "model.json").read_text())
        for name, factor in factors.items():
            parameter = model["models"]["lmo"][name]
            for end in ("value", "low", "high"):
                parameter[end] = scale(parameter[end], factor)
        (self.directory / "other.json").write_text(json.dumps(model))
        return "other.json"

    def check(self, change, **factors):
        expected = self.run_time(model=self.other_model(**factors))
        self.assertAlmostEqual(self.changed(change) / expected, 1, delta=1e-12)
        self.assertNotAlmostEqual(self.run_time() / expected, 1, delta=1e-3)

    def test_latency(self):
        self.check("latency=3", L=3)

    def test_bandwidth(self):
        self.check("bandwidth=0.25", t=4, inverse_beta=4)

    def test_overheads(self):
        self.check("overheads=2.5", C=2.5)

    def test_all_at_once(self):
        expected = self.run_time(model=self.other_model(L=3, C=2))
        self.assertAlmostEqual(self.changed("latency=3", "overheads=2") / expected, 1, delta=1e-12)

    def test_computing(self):
        self.assertEqual(self.changed("computing=8"), self.run_time("--time-ratio", 8))
        lines = [f"{rank},{8 if rank in (0, 3) else 1}" for rank in range(RANKS)]
        (self.directory / "ratios.csv").write_text("\n".join(["rank,time_ratio", *lines]) + "\n")
        self.assertEqual(self.changed("computing:0,3=8"), self.run_time("--time-ratio", "ratios.csv"))

    def test_what_run_has_options_for(self):
        other = "allreduce=reduce-bcast"
        for change, *options in ((f"collectives={other}", "--collectives", other),
                                 ("placement=4,2,0,1,3", "--placement", "4,2,0,1,3"),
                                 ("hosts=8x1", "--hosts", 8, "--ranks-per-host", 1)):  # fmt: skip
            with self.subTest(change):
                self.assertEqual(self.changed(change), self.run_time(*options))

    def test_eager_limit(self):
        self.assertNotEqual(self.changed("eager-limit=64KiB"), self.run_time())
        self.machine("lmo", RANKS, 65536)
        self.assertEqual(self.changed("eager-limit=500"), self.changed("eager-limit=500B"))
        large = self.run_time()
        self.machine("lmo", RANKS, 500)
        self.assertEqual(self.changed("eager-limit=64KiB"), large)


class Ranges(Base):
    def test_curve(self):
        document = self.answer("--curve", "latency=0.5..8", "--curve", "computing=1..2", "--points", 3)
        self.assertEqual([curve["quantity"] for curve in document["curves"]], ["latency", "computing"])
        points = document["curves"][0]["points"]
        self.assertEqual([points[0]["factor"], points[2]["factor"]], [0.5, 8])
        self.assertAlmostEqual(points[1]["factor"], 2)
        for point in points:
            self.assertAlmostEqual(point["time_s"], self.changed(f"latency={point['factor']!r}"), delta=1e-15)
            self.assertAlmostEqual(point["ratio"], point["time_s"] / document["time_s"])

    def test_tolerance(self):
        document = self.answer("--tolerance")
        self.assertEqual(len(document["tolerances"]), 12)
        for one in document["tolerances"]:
            most = (1 + one["longer"]) * document["time_s"]

            def time(growth, quantity=one["quantity"], slower=one["slower"]):
                factor = 1 + growth * (slower - 1)
                return self.changed(f"{quantity}={1 / factor if quantity == 'bandwidth' else factor!r}")

            self.assertLessEqual(time(1), most * (1 + 1e-12))
            self.assertGreater(time(1.003), most)
            self.assertEqual(one["added_s"] is None, one["quantity"] != "latency")

    def test_text(self):
        done = self.what_if("--change", "latency=2", "--curve", "gaps=1..2", "--tolerance")
        self.assertEqual(done.code, 0, done)
        self.assertRegex(done.out, r"with latency=2: \S+ .s, 1\.\d+ times as long")
        self.assertIn("gaps times", done.out)
        self.assertRegex(done.out, r"5\.0 % +1\.\d+ \(\+\S+ .s\) ")


class Refused(Base):
    def test_what_is_no_change(self):
        for options, words in ((["--change", "speed=2"], ["'speed=2'", "latency, bandwidth"]),
                               (["--change", "latency=0"], ["'latency=0'", "above zero"]),
                               (["--change", "latency"], ["no value"]),
                               (["--change", "latency=2", "--change", "latency=3"], ["twice"]),
                               (["--change", "latency:1=2"], ["computing alone"]),
                               (["--change", "computing:9=2"], ["rank 9", "5 ranks"]),
                               (["--change", "hosts=8"], ["hosts=8x4"]),
                               (["--curve", "latency=2"], ["latency=0.25..16"]),
                               (["--curve", "eager-limit=1..2"], ["a curve is of"]),
                               ([], ["nothing is asked"])):  # fmt: skip
            with self.subTest(options):
                self.assert_refused(self.what_if(*options), *words)

    def test_a_topology(self):
        self.assert_refused(self.run_tool("replay", "what-if", "trace", "--topology", "ring:5", "--start-up", "50us",
                                          "--per-byte", "1ns", "--tolerance"), "--model is required")  # fmt: skip

    def test_nothing_is_written(self):
        self.assert_refused(self.what_if("--tolerance", "-o", "trace/what-if.json"), "in the archive")
        self.assert_refused(self.what_if("--tolerance", "-o", "model.json"), "model.json")
        self.assertFalse((self.directory / "trace/what-if.json").exists())


if __name__ == "__main__":
    unittest.main()
