#!/usr/bin/env python3
"""thresholds fit on recorded and made-up sweeps, good and broken; thresholds measure under mpiexec.
Never absolute speed."""

import csv
import json
import os
import pathlib
import random
import signal
import time
import unittest
import xml.etree.ElementTree

import harness

try:
    import jsonschema
except ImportError:
    jsonschema = None

harness.select("thresholds")

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERIES = ROOT / "data" / "segmentation"
SCHEMA = ROOT / "docs" / "schema" / "thresholds-1.schema.json"
HEADER = "kind,size_bytes,time_s"
QUICK = ["--first", "64", "--last", "16KiB", "--reps", "3", "--most-sizes", "12",
         "--resolution", "0.99", "--eager-limit", "none"]
ENDLESS = ["--last", "1MiB", "--reps", "1000000", "--most-sizes", "60", "--eager-limit", "none"]
PATIENCE_S = 30
drawing = unittest.skipUnless(os.environ.get("PYTHONPATH"), "the Python package is not built")
NO_PACKAGE = {"commgauge.py": "raise ImportError('no such package')"}
NO_MATPLOTLIB = {"matplotlib.py": "raise ImportError('not here')"}
FAILS_LATE = {"commgauge/__init__.py": "", "commgauge/plots.py": "",
              "commgauge/__main__.py": "raise SystemExit('no ink')"}


def recorded(name, kind="scatter"):
    """A reference series (x, and y in µs) as rows kind,size_bytes,time_s."""
    with open(SERIES / name, newline="") as file:
        return [f"{kind},{row['x']},{float(row['y']) * 1e-6:.9g}" for row in csv.DictReader(file)]


def jump(kind="scatter"):
    return recorded("v1_jump.csv", kind)


def escalating(kind="gather"):
    """15 repetitions of each size; above 4 KiB and up to 64 KiB some take 5 ms more."""
    draw = random.Random(7)
    rows = []
    for size in [2 ** (k / 2) for k in range(8, 43)]:
        for _ in range(15):
            delay = 5e-3 if 4096 < size <= 65536 and draw.random() < 0.4 else 0
            time_s = (20e-6 + 10e-9 * size) * (1 + abs(draw.gauss(0, 0.01))) + delay
            rows.append(f"{kind},{round(size)},{time_s:.9g}")
    return rows


class Files(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.input = self.directory / "sweep.csv"
        self.output = self.directory / "thresholds.json"
        self.plot = self.directory / "thresholds.svg"
        self.packages = self.directory / "packages"

    def write(self, rows, header=HEADER):
        self.input.write_text("".join(line + "\n" for line in [header, *rows]))

    def fit(self, *arguments, **more):
        return harness.run("fit", self.input, "-o", self.output, *arguments, **more)

    def python_path(self, files):
        """A PYTHONPATH on which Python finds these files first."""
        for name, text in files.items():
            file = self.packages / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return f"{self.packages}:{os.environ.get('PYTHONPATH', '')}"

    def document(self):
        document = json.loads(self.output.read_text())
        if jsonschema and SCHEMA.exists():
            jsonschema.validate(document, json.loads(SCHEMA.read_text()))
        return document

    def fitted(self, rows, *arguments, header=HEADER):
        self.write(rows, header)
        result = self.fit(*arguments)
        self.assert_code(result, 0)
        return self.document()

    def breaks(self, document, number=0):
        return [one["size_bytes"] for one in document["sweeps"][number]["breaks"]]


class ThresholdsCommandLine(harness.TestCase):
    def test_help_of_every_command_has_an_example(self):
        for command in ["measure", "fit"]:
            with self.subTest(command):
                result = harness.run(command, "--help")
                self.assert_code(result, 0)
                self.assertIn("Example:", result.out)
                self.assertIn(f"thresholds {command}", result.out)

    def test_version(self):
        self.assertRegex(harness.run("--version").out, r"^thresholds \d+\.\d+\.\d+\n$")

    def test_usage_errors(self):
        for arguments, words in [
                ([], ["subcommand"]),
                (["show"], ["see thresholds --help"]),
                (["fit"], ["sweep"]),
                (["fit", "s.csv", "--breaks", "some"], ["--breaks", "auto"]),
                (["fit", "s.csv", "--breaks", "-1"], ["--breaks"]),
                (["fit", "s.csv", "--breaks", "99999999999"], ["--breaks"]),
                (["fit", "s.csv", "--most-breaks", "-1"], ["--most-breaks"]),
                (["fit", "s.csv", "--min-segment", "2"], ["--min-segment"]),
                (["fit", "s.csv", "--weights", "heavy"], ["heavy", "relative"]),
                (["fit", "s.csv", "--criterion", "aic"], ["aic", "bic", "lwz"]),
                (["fit", "s.csv", "--confidence", "95"], ["--confidence"]),
                (["measure"], ["--output"]),
                (["measure", "-o", "t.json", "--timing", "mean"], ["mean", "longest"]),
                (["measure", "-o", "t.json", "--algorithms", "all"], ["all", "library"]),
                (["measure", "-o", "t.json", "--last", "1M"], ["1M", "1MiB"]),
                (["measure", "-o", "t.json", "--reps", "0"], ["--reps"]),
                (["measure", "-o", "t.json", "--resolution", "0"], ["--resolution"]),
                (["measure", "-o", "t.json", "--root", "-1"], ["--root"]),
        ]:
            with self.subTest(" ".join(arguments)):
                self.assert_complaint(harness.run(*arguments), 2, *words)


class ThresholdsFit(Files):
    def test_finds_the_jump(self):
        document = self.fitted(jump())
        self.assertEqual(document["schema"], "commgauge.thresholds/1")
        self.assertEqual(self.breaks(document), [22528])
        self.assertEqual(document["scatter_break_bytes"]["value"], 22528)

    def test_summary(self):
        self.write(jump())
        beside = self.fit()
        self.assertFalse(beside.out)
        for text in ["40 sizes from 1 KiB to 40 KiB", "1 break: BIC", "per byte",
                     "break after 22 KiB (22528 B), between", "scatter break  22 KiB",
                     "gather M1      none: ", "eager limit    none: "]:
            self.assertIn(text, beside.err)
        alone = harness.run("fit", self.input)
        self.assert_code(alone, 0)
        self.assertFalse(alone.err)
        self.assertEqual(alone.out, beside.err)

    def test_escalations(self):
        document = self.fitted(escalating())
        self.assertEqual(document["gather_m1_bytes"]["value"], 4096)
        self.assertEqual(document["gather_m2_bytes"]["value"], 65536)

    def test_standard_input_and_output(self):
        text = "\n".join([HEADER, *jump()]) + "\n"
        result = harness.run("fit", "-", "-o", "-", given=text)
        self.assert_code(result, 0)
        self.assertEqual(self.breaks(json.loads(result.out)), [22528])

    def test_order_of_rows_and_columns_means_nothing(self):
        sorted_document = self.fitted(jump())
        rows = jump()
        random.Random(1).shuffle(rows)
        self.assertEqual(self.fitted(rows), sorted_document)
        turned = [",".join(reversed(row.split(","))) for row in rows]
        self.assertEqual(self.fitted(turned, header="time_s,size_bytes,kind"), sorted_document)

    def test_repeated_sizes_are_repetitions(self):
        document = self.fitted(jump() + jump())
        self.assertEqual(self.breaks(document), [22528])
        self.write(jump() + jump())
        self.assertIn("40 sizes from 1 KiB to 40 KiB, 2 repetitions of each", self.fit().err)

    def test_no_kind(self):
        document = self.fitted([row.partition(",")[2] for row in jump()],
                               header="size_bytes,time_s")
        self.assertEqual(self.breaks(document), [22528])

    def test_kinds(self):
        rows = jump() + escalating()
        self.assertEqual(len(self.fitted(rows)["sweeps"]), 2)
        only = self.fitted(rows, "--kind", "gather")
        self.assertEqual([sweep["kind"] for sweep in only["sweeps"]], ["gather"])
        self.output.unlink()
        self.assert_complaint(self.fit("--kind", "alltoall"), 2, "alltoall", "scatter", "gather")
        self.assertFalse(self.output.exists())

    def test_a_short_sweep_spares_the_others(self):
        rows = jump() + ["gather,1024,1e-5", "gather,2048,2e-5"]
        document = self.fitted(rows)
        self.assertEqual(self.breaks(document), [22528])
        reason = "gather was swept at 2 sizes only (a line takes 3): measure more"
        self.assertEqual(document["sweeps"][1]["reason"], reason)
        self.assertEqual(document["gather_m1_bytes"]["reason"], reason)
        self.assertIn("no lines: " + reason, self.fit().err)
        self.output.unlink()
        self.assert_complaint(self.fit("--kind", "gather"), 2, reason)
        self.assertFalse(self.output.exists())

    def test_intervals_without_an_upper_end(self):
        draw = random.Random(5)
        rows = [f"scatter,{1024 * k},{(20e-6 + k * 1e-6) * (1 + draw.gauss(0, 0.03)):.9g}"
                for k in range(1, 25) for _ in range(7)]
        (found,) = self.fitted(rows, "--breaks", "1")["sweeps"][0]["breaks"]
        self.assertIsNotNone(found["low_bytes"])
        self.assertIsNone(found["high_bytes"])
        self.assertIn("measure larger ones", found["reason"])
        text = "from 1 KiB up, no upper end: " + found["reason"]
        err = self.fit("--breaks", "1").err
        self.assertRegex(err, r"break after [^,]*, " + text)
        self.assertRegex(err, r"scatter break [^,]*, " + text)

    def test_intervals_are_never_nothing(self):
        """Without noise they are too narrow to be shown, not 0."""
        document = self.fitted([f"scatter,{1024 * k},{1e-5 * k:.17g}" for k in range(1, 31)])
        self.assertEqual(self.breaks(document), [])
        err = self.fit().err
        self.assertIn("± <", err)
        self.assertNotRegex(err, r"[1-9] ± 0\s")

    def test_all_times_equal(self):
        document = self.fitted([f"scatter,{1024 * k},1e-5" for k in range(1, 31)])
        self.assertEqual(self.breaks(document), [])
        self.assertIsNone(document["scatter_break_bytes"]["value"])

    def test_number_of_breaks(self):
        self.assertEqual(self.breaks(self.fitted(jump(), "--breaks", "0")), [])
        self.assertEqual(len(self.breaks(self.fitted(jump(), "--breaks", "3"))), 3)
        self.assertEqual(self.breaks(self.fitted(jump(), "--most-breaks", "0")), [])
        self.assertEqual(self.breaks(self.fitted(jump(), "--criterion", "lwz")), [22528])
        self.output.unlink()
        self.assert_complaint(self.fit("--breaks", "30"), 2, "30 breaks")
        self.assertFalse(self.output.exists())

    def test_weights_are_told(self):
        self.write(jump())
        self.assertIn("weighed by 1/time²", self.fit("--weights", "relative").err)
        self.assertIn("weigh the same", self.fit("--weights", "none").err)
        self.assertIn("weigh the same", self.fit().err)


class ThresholdsBroken(Files):
    def complain(self, text, *words, code=2):
        self.input.write_text(text)
        self.assert_complaint(self.fit(), code, *words)
        self.assertEqual(list(self.directory.iterdir()), [self.input])

    def test_empty(self):
        self.complain("", "sweep.csv", "empty")

    def test_only_a_header(self):
        self.complain(HEADER + "\n", "sweep.csv", "no rows")

    def test_no_header(self):
        self.complain("\n".join(jump()), "sweep.csv", "header")

    def test_a_column_is_missing(self):
        self.complain("kind,size_bytes,seconds\nscatter,1,1e-6\n", "line 1", "time_s")

    def test_one_line(self):
        self.complain(HEADER + "\nscatter,1024,1e-5\n", "size")

    def test_negative_time(self):
        self.complain("\n".join([HEADER, *jump(), "scatter,99999,-1e-5"]), "line 42", "-1e-5")

    def test_time_zero(self):
        self.complain("\n".join([HEADER, *jump(), "scatter,99999,0"]), "line 42", "positive")

    def test_no_numbers(self):
        for row in ["scatter,many,1e-5", "scatter,1024,soon", "scatter,1024,nan",
                    "scatter,1024,inf", "scatter,-8,1e-5", "scatter,1.5,1e-5", "scatter,,1e-5",
                    "scatter,1024,", "scatter,1024"]:
            with self.subTest(row):
                self.complain("\n".join([HEADER, row, *jump()]), "sweep.csv", "line 2")

    def test_times_beyond_computing(self):
        self.complain("\n".join([HEADER, "scatter,1024,1e-400", *jump()]), "line 2", "check its unit")
        self.complain("\n".join([HEADER, *(f"scatter,{k},{k}e-200" for k in range(1, 20))]),
                      "so short", "check its unit")

    def test_no_text(self):
        self.input.write_bytes(b"\x00\xff\xfe\x01" * 100)
        self.assert_complaint(self.fit(), 2, "sweep.csv")

    def test_a_kind_that_is_no_text(self):
        rows = "\n".join([HEADER, *jump("k\udcff")])
        self.input.write_bytes(rows.encode(errors="surrogateescape"))
        result = self.fit("--plot", self.plot)
        self.assert_complaint(result, 2, "sweep.csv", "'k?'", "ASCII")
        self.assertEqual(list(self.directory.iterdir()), [self.input])

    def test_broken_measurements(self):
        self.complain("{", "sweep.csv")
        self.complain('{"schema": "commgauge.model/1"}', "sweep.csv", "is a model file")

    def test_missing_file(self):
        self.assert_complaint(self.fit(), 2, "sweep.csv", "No such file")
        self.assert_nothing_left()

    def test_directory_as_input(self):
        self.assert_complaint(harness.run("fit", self.directory, "-o", self.output), 2)
        self.assert_nothing_left()

    def test_directory_as_output(self):
        self.write(jump())
        for option in ["-o", "--plot"]:
            with self.subTest(option):
                self.assert_complaint(harness.run("fit", self.input, option, self.directory), 2,
                                      str(self.directory))

    def test_output_in_no_directory(self):
        self.write(jump())
        output = self.directory / "none" / "thresholds.json"
        self.assert_complaint(harness.run("fit", self.input, "-o", output), 2, str(output))

    def test_no_permission(self):
        self.write(jump())
        self.directory.chmod(0o500)
        self.addCleanup(self.directory.chmod, 0o700)
        if os.access(self.directory, os.W_OK):
            self.skipTest("this user may write everywhere")
        self.assert_complaint(self.fit(), 2, "Permission denied")

    def test_the_same_file_twice(self):
        self.write(jump())
        before = self.input.read_text()
        for arguments in [["-o", self.output, "--plot", self.output],
                          ["-o", "-", "--plot", "-"],
                          ["-o", self.output, "--plot", self.directory / "." / self.output.name],
                          ["-o", self.input], ["--plot", self.input]]:
            with self.subTest(" ".join(map(str, arguments))):
                self.assert_complaint(harness.run("fit", self.input, *arguments), 2, "same file")
        self.assertEqual(self.input.read_text(), before)

    def test_full_device(self):
        self.write(jump())
        for arguments in [[], ["-o", "-"]]:
            with self.subTest(str(arguments)), open("/dev/full", "w") as full:
                result = harness.run("fit", self.input, *arguments, stdout=full)
                self.assertEqual(result.code, 2, result)
                self.assertIn("No space left", result.err)


@drawing
class ThresholdsPlot(Files):
    def drawn(self, rows):
        """The root of the picture."""
        self.write(rows)
        result = self.fit("--plot", self.plot)
        self.assert_code(result, 0)
        return xml.etree.ElementTree.parse(self.plot).getroot()

    def texts(self, root):
        return ["".join(element.itertext()).strip() for element in root.iter()
                if element.tag.endswith("}text")]

    def test_holds_curves_and_names(self):
        root = self.drawn(jump() + escalating())
        self.assertTrue(root.tag.endswith("svg"))
        paths = [element.get("d", "") for element in root.iter() if element.tag.endswith("}path")]
        self.assertTrue(any(path.count("L") > 40 for path in paths))
        texts = self.texts(root)
        for text in ["scatter: 40 sizes from 1 KiB to 40 KiB, 1 repetition of each",
                     "gather: 35 sizes from 16 B to 2 MiB, 15 repetitions of each",
                     "break 22 KiB", "repetition", "fitted line",
                     "break's interval: 95 % of what the same sweep would find again",
                     "escalations", "message size", "time"]:
            self.assertIn(text, texts)

    def test_draws_what_was_found_with_these_options(self):
        self.write(jump())
        for number in [0, 1, 3]:
            with self.subTest(number):
                result = self.fit("--breaks", str(number), "--plot", self.plot)
                self.assert_code(result, 0)
                texts = self.texts(xml.etree.ElementTree.parse(self.plot).getroot())
                shown = [text for text in texts if text.startswith("break ")]
                self.assertEqual(len(shown), number, shown)
                self.assertEqual("break 22 KiB" in shown, number > 0)

    def test_other_formats(self):
        self.write(jump())
        png = self.directory / "thresholds.png"
        self.assert_code(self.fit("--plot", png), 0)
        self.assertEqual(png.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.output.unlink()
        pdf = self.directory / "thresholds.pdf"
        self.assert_complaint(self.fit("--plot", pdf), 2, "thresholds.pdf", ".svg or .png")
        self.assertFalse(pdf.exists() or self.output.exists())

    def test_the_same_picture_twice(self):
        self.drawn(jump())
        before = self.plot.read_bytes()
        self.drawn(jump())
        self.assertEqual(self.plot.read_bytes(), before)

    def test_sizes_from_1_byte(self):
        """The axis goes below it."""
        root = self.drawn([f"scatter,{2 ** k},{1e-5 + 1e-9 * 2 ** k:.9g}" for k in range(15)])
        self.assertIn("1 B", self.texts(root))
        self.assertIn("16 KiB", self.texts(root))

    def test_an_interval_without_an_upper_end_fades(self):
        rows = [f"scatter,{1024 * k},{(20 + k + k % 3) * 1e-6:.9g}" for k in range(1, 25)]
        self.write(rows)
        self.assert_code(self.fit("--breaks", "1", "--plot", self.plot), 0)
        root = xml.etree.ElementTree.parse(self.plot).getroot()
        self.assertIn("break's interval, open above: 95 % of what the same sweep would find again",
                      self.texts(root))
        opacities = {word for element in root.iter()
                     for word in element.get("style", "").split("; ") if "opacity" in word}
        self.assertGreater(len(opacities), 10)
        closed = self.drawn(jump())
        self.assertIn("break's interval: 95 % of what the same sweep would find again",
                      self.texts(closed))

    def test_medians_of_all_and_fitted_ones(self):
        texts = self.texts(self.drawn(jump() + escalating()))
        for text in ["median", "median of all", "fitted median, without escalated ones"]:
            self.assertEqual(texts.count(text), 1, text)

    def test_a_sweep_without_lines_shows_its_times(self):
        root = self.drawn(jump() + ["gather,1024,1e-5", "gather,2048,2e-5"])
        self.assertIn("gather: 2 sizes from 1 KiB to 2 KiB, 1 repetition of each",
                      self.texts(root))

    def test_kinds_are_no_commands(self):
        trap = self.directory / "trap"
        for kind in ["it's", "<b>&amp;", "a_{b}^c", f"'; system 'touch {trap}'; '",
                     f"`touch {trap}`", "back\\slash\\", "$x^2$ and $", "%d %s"]:
            with self.subTest(kind):
                root = self.drawn(jump(kind))
                self.assertTrue(any(text.startswith(kind + ":") for text in self.texts(root)),
                                self.texts(root))
                self.assertFalse(trap.exists())

    def test_on_standard_output(self):
        self.write(jump())
        result = harness.run("fit", self.input, "--plot", "-")
        self.assert_code(result, 0)
        self.assertTrue(xml.etree.ElementTree.fromstring(result.out).tag.endswith("svg"))
        self.assertIn("scatter break", result.err)

    def test_what_draws_is_missing_or_fails(self):
        self.write(jump())
        for files, word in [(NO_PACKAGE, "no such package"), (FAILS_LATE, "no ink"),
                            (NO_MATPLOTLIB, "pictures need matplotlib")]:
            with self.subTest(word):
                self.packages = self.directory / word
                environment = {**os.environ, "PYTHONPATH": self.python_path(files)}
                result = self.fit("--plot", self.plot, env=environment)
                self.assert_complaint(result, 2, "cannot draw", word, "python3-matplotlib",
                                      "commgauge's Python package", "leave out --plot")
                self.assertFalse(self.plot.exists() or self.output.exists())


class Parallel(Files):
    def setUp(self):
        super().setUp()
        self.measurements = self.directory / "m.json"
        self.outputs = ["-o", self.output, "--sweep", self.input]

    def assert_whole(self, *files):
        self.assertEqual({file.name for file in self.directory.iterdir()},
                         {file.name for file in files})


class ThresholdsMeasure(Parallel):
    @drawing
    def test_fit_of_the_sweep_repeats_it(self):
        result = harness.run_mpi(3, "measure", *self.outputs, "--measurements", self.measurements,
                                 "--plot", self.plot, *QUICK)
        self.assert_code(result, 0)
        self.assertFalse(result.out)
        self.assertIn("3 ranks on 1 host", result.err)
        self.assert_whole(self.output, self.input, self.measurements, self.plot)
        measured = self.document()
        self.assertEqual({sweep["kind"] for sweep in measured["sweeps"]}, {"scatter", "gather"})
        again = self.directory / "again.json"
        for file in [self.input, self.measurements]:
            with self.subTest(file.name):
                self.assert_code(harness.run("fit", file, "-o", again), 0)
                repeated = json.loads(again.read_text())
                for number in [0, 1]:
                    self.assertEqual(self.breaks(repeated, number),
                                     self.breaks(measured, number))

    def test_both_algorithms_and_another_root(self):
        result = harness.run_mpi(3, "measure", *self.outputs, *QUICK, "--algorithms", "both",
                                 "--root", "2", "--timing", "longest")
        self.assert_code(result, 0)
        kinds = {sweep["kind"] for sweep in self.document()["sweeps"]}
        self.assertEqual(kinds, {"scatter", "gather", "scatter_library", "gather_library"})

    @drawing
    def test_two_ranks_have_an_eager_limit_only(self):
        result = harness.run_mpi(2, "measure", "-o", self.output, "--time-budget", "30s",
                                 "--plot", self.plot)
        self.assertIn(result.code, [0, 3], result)
        self.assertIn("thresholds.svg is not written (nothing was swept)", result.err)
        self.assertFalse(self.plot.exists())
        document = self.document()
        self.assertEqual(document["sweeps"], [])
        self.assertGreater(document["launches"][0]["eager_probed_bytes"], 0)
        for name in ["scatter_break_bytes", "gather_m1_bytes", "gather_m2_bytes"]:
            self.assertIsNone(document[name]["value"])
            self.assertTrue(document[name]["reason"])

    @drawing
    def test_what_cannot_be_analysed_is_kept_beside_it(self):
        path = self.python_path(FAILS_LATE)
        result = harness.run_mpi(3, "measure", "-o", self.output, *QUICK, "--plot", self.plot,
                                 "--progress", "never",
                                 launcher_options=["-genv", "PYTHONPATH", path])
        kept = self.directory / "thresholds.measurements.json"
        self.assert_complaint(result, 2, "no ink", str(kept))
        self.assert_whole(self.packages, kept)
        self.assert_code(harness.run("fit", kept, "-o", self.output), 0)

    def test_a_resolution_that_is_not_reached(self):
        sizes = ["--first", "64", "--last", "1MiB", "--per-octave", "1", "--most-sizes", "15",
                 "--reps", "3", "--resolution", "0.001", "--breaks", "1", "--eager-limit", "none"]
        result = harness.run_mpi(3, "measure", "-o", self.output, *sizes)
        self.assert_code(result, 3)
        said = result.err.splitlines()[-1]
        self.assertIn("--resolution was not reached", said)
        self.assertIn("--most-sizes", said)
        warnings = [text for text in self.document()["warnings"] if "--resolution" in text]
        self.assertEqual(len(warnings), 1)

    def test_nothing_is_left_of_an_empty_sweep(self):
        """Time for the first pass only, which doesn't count."""
        result = harness.run_mpi(3, "measure", *self.outputs, "--per-octave", "50000",
                                 "--most-sizes", "500000", "--time-budget", "4s",
                                 "--eager-limit", "none", "--progress", "never")
        self.assert_code(result, 3)
        self.assertIn("sweep.csv is not written (nothing was swept)", result.err)
        kept = self.directory / "thresholds.measurements.json"
        self.assertIn(str(kept), result.err)
        self.assert_whole(kept)

    def test_an_eager_limit_that_is_given_is_not_probed(self):
        for given, text in [("8KiB", "8192 B; no interval: given, not probed"),
                            ("none", "none: not probed")]:
            with self.subTest(given):
                result = harness.run_mpi(3, "measure", "-o", self.output, *QUICK[:-1], given)
                self.assert_code(result, 0)
                self.assertIn("eager limit    " + text, result.err)
                document = self.document()
                self.assertIsNone(document["eager_limit_bytes"]["low"])
                self.assertEqual(document["launches"][0]["eager_probed_bytes"], 0)

    def test_one_rank(self):
        for result in [harness.run("measure", *self.outputs),
                       harness.run_mpi(1, "measure", *self.outputs)]:
            self.assert_complaint(result, 2, "1 rank", "mpiexec")
        self.assert_nothing_left()

    def test_two_ranks_without_an_eager_limit(self):
        for limit in ["none", "8KiB"]:
            with self.subTest(limit):
                result = harness.run_mpi(2, "measure", "-o", self.output, "--eager-limit", limit)
                self.assert_complaint(result, 2, "2 ranks", "nothing to measure", "mpiexec -n 3")
                self.assert_nothing_left()

    def test_bad_input_is_told_once_before_measuring(self):
        for arguments, words in [
                (["--root", "3"], ["--root", "3 ranks"]),
                (["--timing", "mean"], ["mean"]),
                (["--first", "2MiB"], []),
                (["--last", "3GiB"], ["3221225472"]),
                (["--sweep", self.output], ["same file"]),
                (["--breaks", "9", "--per-octave", "1"], ["--breaks 9 takes 30 sizes", "has 21"]),
                (["--breaks", "1", "--min-segment", "31"], ["--breaks 1 takes 62", "has 40"]),
                (["--plot", self.directory / "none" / "plot.svg"], ["cannot write"]),
        ]:
            with self.subTest(" ".join(map(str, arguments))):
                result = harness.run_mpi(3, "measure", "-o", self.output, *ENDLESS[2:], *arguments)
                self.assert_complaint(result, 2, *words)
                self.assert_nothing_left()

    def test_too_little_is_told_before_measuring(self):
        for arguments, words in [(["--reps", "2"], ["--reps 2", "3 or more"]),
                                 (["--most-sizes", "2"], ["a line takes 3 sizes", "at most 2"])]:
            with self.subTest(" ".join(arguments)):
                result = harness.run_mpi(3, "measure", "-o", self.output, *arguments)
                self.assert_complaint(result, 2, *words)
                self.assert_nothing_left()

    @drawing
    def test_that_nothing_draws_is_found_before_measuring(self):
        path = self.python_path(NO_MATPLOTLIB)
        result = harness.run_mpi(3, "measure", *self.outputs, *ENDLESS, "--plot", self.plot,
                                 launcher_options=["-genv", "PYTHONPATH", path])
        self.assert_complaint(result, 2, "cannot draw", "python3-matplotlib")
        self.assert_whole(self.packages)

    def test_time_budget(self):
        result = harness.run_mpi(3, "measure", *self.outputs, *ENDLESS, "--time-budget", "1s")
        self.assertIn(result.code, [0, 2, 3], result)
        if result.code == 3:
            self.assertIn("incomplete", result.err)


class ThresholdsEarlyEnd(Parallel):
    def start(self, ranks=3):
        self.job = harness.start_mpi(ranks, "measure", *self.outputs, "--measurements",
                                     self.measurements, *ENDLESS, "--progress", "always")
        pids = self.job.ranks(ranks)
        self.job.wait_for("scatter sweep", 6)
        return pids

    def test_signal_to_a_rank(self):
        for number in [signal.SIGTERM, signal.SIGINT]:
            with self.subTest(number.name):
                os.kill(self.start()[1], number)
                result = self.job.end(PATIENCE_S)
                self.assert_code(result, 3)
                self.assertIn("incomplete", result.err)
                launch = json.loads(self.measurements.read_text())["launches"][0]
                self.assertFalse(launch["complete"])

    def test_killed_rank(self):
        os.kill(self.start()[2], signal.SIGKILL)
        self.assertNotEqual(self.job.end(PATIENCE_S).code, 0)
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
