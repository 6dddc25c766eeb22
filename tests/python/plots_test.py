"""The pictures of the package `commgauge`: what is drawn is what the library says."""

import contextlib
import csv
import io
import json
import os
import pathlib
import resource
import subprocess
import sys
import unittest
import warnings
import xml.etree.ElementTree

import harness
import numpy as np

import commgauge
from commgauge import plots
from commgauge.__main__ import main

SAMPLES = pathlib.Path(os.environ["SAMPLES"])
MODEL = SAMPLES / "model.json"
MEASUREMENTS = SAMPLES / "measurements.json"
KINDS = ("times", "matrices", "ranks", "sweep", "overhead", "models")


def drawn(figure, name):
    """All artists of this name."""
    return figure.findobj(lambda artist: artist.get_gid() == name)


def notes(figure):
    return "\n".join(text.get_text() for text in drawn(figure, "notes"))


def texts(figure):
    return [text.get_text() for text in figure.findobj(lambda one: hasattr(one, "get_text"))]


def ticks(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def sweep_csv(jump=4e-5, escalated=True):
    """A break after 4 KiB; every third repetition of 16 to 64 KiB takes 200 ms."""
    draw = np.random.default_rng(1)
    rows = ["kind,size_bytes,time_s,pass"]
    for power in range(21):
        for half in (2, 3):
            size = half * 2**power // 2
            for k in range(9):
                late = escalated and 14 <= power < 17 and k % 3 == 0
                time = (2e-5 + 1e-9 * size + jump * (size > 4096)) * draw.normal(1, 0.01)
                rows.append(f"scatter,{size},{time + 0.2 * late:.9g},{k}")
    return "\n".join(dict.fromkeys(rows)) + "\n"


class Case(harness.TestCase):
    def setUp(self):
        super().setUp()
        warnings.simplefilter("error")
        self.addCleanup(warnings.resetwarnings)

    def plot(self, *words):
        """As ``python3 -m commgauge plot``: exit code, output, error output."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main(["plot", *map(str, words)])
            except SystemExit as left:
                code = left.code
        return code, out.getvalue(), err.getvalue()

    def written(self, content, name):
        path = self.directory / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def changed(self, change):
        """The sample, as `change` leaves it."""
        document = json.loads(MODEL.read_text())
        change(document)
        return commgauge.load(self.written(document, "changed.json"))

    def many(self, count, hosts):
        """An LMO of many ranks."""
        rng = np.random.default_rng(1)
        matrix = rng.uniform(1e-6, 2e-6, (count, count))
        rows = [[None if i == j else matrix[i, j] for j in range(count)] for i in range(count)]
        ranks = [1e-6] * count
        document = json.loads(MODEL.read_text())
        document.update(n=count, checks=[], ranking=[], preferred="lmo")
        del document["thresholds"]
        launch = document["launches"][0]
        launch["ranks"] = [{"host": host, "cores": [0]} for host in hosts]
        document["launches"] = [launch]
        lmo = document["models"]["lmo"]
        lmo.pop("kappa", None)
        for name, value in (("C", ranks), ("t", ranks), ("L", rows), ("inverse_beta", rows)):
            lmo[name] = {"value": value, "low": value, "high": value}
            lmo["replicates"][name] = []
        document["models"] = {"lmo": lmo}
        return commgauge.load(self.written(document, "many.json"))


class Files(Case):
    def test_every_kind_as_png_and_svg(self):
        sweep = self.written(sweep_csv(), "sweep.csv")
        for kind in KINDS:
            files = {"sweep": [sweep], "overhead": [MODEL, MEASUREMENTS]}.get(kind, [MODEL])
            for ending in ("png", "svg"):
                path = self.directory / f"{kind}.{ending}"
                self.assertEqual(self.plot(kind, *files, "-o", path), (0, "", ""), kind)
                if ending == "png":
                    self.assertEqual(path.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
                else:
                    xml.etree.ElementTree.parse(path)

    def test_all(self):
        code, out, err = self.plot("all", MODEL, MEASUREMENTS, "-o", self.directory / "all",
                                   "--format", "svg")
        self.assertEqual(code, 0, err)
        left_out = set(KINDS) - {pathlib.Path(name).stem for name in out.split()}
        for kind in left_out:
            self.assertIn(f"{kind}.svg: not drawn: ", err)
        self.assertLessEqual(left_out, {"sweep"})
        self.assertIn("timeline.svg: not drawn: no trace is among the files", err)

    def test_what_is_read_is_not_replaced(self):
        sweep = self.written(sweep_csv(), "sweep.png")
        before = sweep.read_bytes()
        link = self.directory / "link.svg"
        link.hardlink_to(sweep)
        for name in (sweep, link):
            code, _, err = self.plot("sweep", sweep, "-o", name)
            self.assertEqual(code, 2)
            self.assertIn("is the same file", err)
        code, _, err = self.plot("all", MODEL, sweep, "-o", self.directory)
        self.assertEqual(code, 2)
        self.assertEqual(sweep.read_bytes(), before)

    def test_a_disk_that_fills_up(self):
        path = self.directory / "ranks.png"
        figure = plots.ranks(commgauge.load(MODEL))
        path.write_bytes(b"old")
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        try:
            with self.assertRaisesRegex(commgauge.InputError, "File too large"):
                plots.save(figure, path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.assertEqual(path.read_bytes(), b"old")
        self.assertEqual([file.name for file in self.directory.iterdir()], ["ranks.png"])

    def test_as_a_program(self):
        command = [sys.executable, "-W", "error", "-m", "commgauge", "plot", "ranks", str(MODEL),
                   "-o", str(self.directory / "ranks.svg")]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_on_standard_output(self):
        for options, start in ([], b"\x89PNG"), (["--format", "svg"], b"<?xml"):
            command = [sys.executable, "-m", "commgauge", "plot", "ranks", MODEL, "-o", "-"]
            done = subprocess.run([*command, *options], capture_output=True, check=True)
            self.assertTrue(done.stdout.startswith(start), done.stdout[:20])

    def test_the_same_picture_twice(self):
        for ending in ("png", "svg"):
            one, two = (self.directory / f"{name}.{ending}" for name in ("one", "two"))
            self.plot("ranks", MODEL, "-o", one)
            self.plot("ranks", MODEL, "-o", two)
            self.assertEqual(one.read_bytes(), two.read_bytes())

    def test_help_has_an_example(self):
        self.assertIn("python3 -m commgauge plot times model.json", self.plot("--help")[1])


class Errors(Case):
    def assert_refused(self, words, *message):
        code, _, err = self.plot(*words)
        self.assertEqual(code, 2, err)
        self.assertRegex(err, r"^commgauge[^:]*: [^\n]+: [^\n]+\n\Z")
        for part in message:
            self.assertIn(part, err)

    def test_usage(self):
        self.assert_refused((), "required")
        self.assert_refused(("piechart", MODEL, "-o", "a.png"), "piechart")
        self.assert_refused(("times", MODEL), "--output")

    def test_outputs(self):
        self.assert_refused(("times", MODEL, "-o", "times.jpeg"), ".svg")
        self.assert_refused(("times", MODEL, "-o", self.directory / "no" / "a.png"), "cannot write",
                            "No such file")
        self.assert_refused(("all", MODEL, "-o", self.written("", "file")), "cannot write")

    def test_inputs(self):
        png = self.directory / "a.png"
        self.assert_refused(("times", self.directory / "nowhere", "-o", png), "cannot read")
        self.assert_refused(("times", MODEL, MODEL, "-o", png), "a second file")
        self.assert_refused(("times", MEASUREMENTS, "-o", png), "measurements", "no use")
        self.assert_refused(("sweep", MODEL, "-o", png), "model", "no use")
        self.assert_refused(("overhead", MEASUREMENTS, "-o", png), "no model file")
        self.assert_refused(("timeline", MODEL, "-o", png), "no trace")
        self.assert_refused(("timeline", self.directory, "-o", png), "no model file")
        self.assert_refused(("times", self.directory, MODEL, "-o", png), "trace", "no use")
        self.assert_refused(("sweep", SAMPLES / "thresholds.json", "-o", png), "no sweeps")
        self.assert_refused(("times", self.written("{}", "a.json"), "-o", png), "schema")
        other = self.written('{"schema": "commgauge.emulation/1"}', "b.json")
        self.assert_refused(("times", other, "-o", png), "commgauge.emulation")
        self.assert_refused(("sweep", self.written("1,2\n", "a.csv"), "-o", png), "line 1")
        self.assertFalse(png.exists())

    def test_validations(self):
        png = self.directory / "a.png"
        header = "operation,model,from,to,size_bytes,measured_s,predicted_s\n"
        short = self.written(header.replace("model,", ""), "v.csv")
        self.assert_refused(("times", MODEL, short, "-o", png), "line 1", "model")
        for number in ("x", "", "nan"):
            path = self.written(f"{header}p2p,lmo,0,1,8,{number},1e-6\n", "w.csv")
            self.assert_refused(("times", MODEL, path, "-o", png), "line 2")

    def test_what_the_model_lacks(self):
        png = self.directory / "a.png"
        self.assert_refused(("times", MODEL, "--model", "unheard", "-o", png), "unheard")
        self.assert_refused(("ranks", MODEL, "--model", "hockney", "-o", png), "take lom, lmo")
        self.assert_refused(("times", MODEL, "--from", 1, "--to", 1, "-o", png), "1")
        self.assert_refused(("times", MODEL, "--from", 0, "--to", 9, "-o", png), "9")
        self.assert_refused(("times", MODEL, "--from", 9, "-o", png), "other ranks")
        self.assert_refused(("sweep", self.written(sweep_csv(), "s.csv"), "--from", 1, "-o", png),
                            "--from", "no use")
        with self.assertRaisesRegex(commgauge.InputError, "no growth of overheads"):
            plots.overhead(self.many(3, ["a"] * 3))

    def test_without_matplotlib(self):
        code = ("import sys; sys.modules['matplotlib'] = None\n"
                "from commgauge.__main__ import main\n"
                f"sys.exit(main(['plot', 'ranks', {str(MODEL)!r}, '-o', 'a.png']))")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^commgauge: .*install python3-matplotlib\n$")


class Times(Case):
    def test_line_and_band_are_the_library_s(self):
        machine = commgauge.load(MODEL)
        for name in ("lmo", "hockney", "loggps"):
            figure = plots.times(machine, name, src=0, dst=1)
            model = machine.model(name)
            lines = [line for line in figure.axes[0].lines if line.get_gid() == "predicted"]
            bands = [one for one in figure.axes[0].collections if one.get_gid() == "band"]
            self.assertEqual(len(lines), len(bands))
            self.assertTrue(any(line.get_linestyle() == "--" for line in lines), name)
            for line, band in zip(lines, bands):
                sizes = line.get_xdata().astype(np.uint64)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", commgauge.PredictionWarning)
                    found = model.predict("p2p", sizes, src=0, dst=1)
                self.assertTrue(np.array_equal(line.get_ydata(), found.time))
                self.assertEqual(line.get_linestyle() == "--", bool(found.extrapolated[-1]))
                corners = {tuple(point) for path in band.get_paths() for point in path.vertices}
                for size, low, high in zip(sizes, found.low, found.high):
                    self.assertIn((size, low), corners)
                    self.assertIn((size, high), corners)

    def test_no_line_across_the_eager_limit(self):
        machine = commgauge.load(MODEL)
        limit = machine.eager_limit_bytes
        for name in ("lmo", "hockney", "loggps"):
            figure = plots.times(machine, name, src=0, dst=1)
            for line in drawn(figure, "predicted"):
                x = np.asarray(line.get_xdata())
                self.assertTrue(np.all(x <= limit) or np.all(x > limit), name)
        self.assertTrue(any(f"eager limit {limit} B" in text for text in texts(figure)))
        unknown = self.changed(lambda d: d.update(eager_limit_bytes=None))
        self.assertFalse(any("eager" in text for text in texts(plots.times(unknown, "lmo"))))

    def test_both_of_hockney_s_ranges_count(self):
        def change(document):
            document["models"]["hockney"]["range_bytes"] = [1, 19493]
            document["models"]["hockney"]["rendezvous"]["range_bytes"] = [19494, 1 << 20]

        figure = plots.times(self.changed(change), "hockney", src=0, dst=1)
        self.assertIn("from 1 B to 19 KiB and from 19 KiB to 1 MiB", notes(figure))
        self.assertEqual(max(max(line.get_xdata()) for line in drawn(figure, "predicted")), 1 << 22)

    def test_points_are_the_checks(self):
        machine = commgauge.load(MODEL)
        checks = machine.checks
        here = [k for k, name in enumerate(checks["model"])
                if name == "lmo" and checks["operation"][k] == "p2p"]
        figure = plots.times(machine, "lmo")
        upper, lower = drawn(figure, "measured")
        self.assertEqual(list(upper.get_ydata()), list(checks["measured_s"][here]))
        ratio = checks["measured_s"][here] / checks["predicted_s"][here] - 1
        self.assertTrue(np.allclose(lower.get_ydata(), ratio))

    def test_validated_times(self):
        rows = [["operation", "model", "from", "to", "size_bytes", "measured_s", "predicted_s"],
                ["p2p", "lmo", 2, 1, 100, 2e-5, 1e-5], ["p2p", "lmo", 2, 1, 200, -1e-6, 1e-5],
                ["p2p", "lom", 2, 1, 100, 9e-5, 1e-5], ["p2p", "lmo", 0, 1, 300, 9e-3, 1e-5],
                ["scatter", "lmo", 2, "", 100, 2e-5, 1e-5]]
        path = self.directory / "v.csv"
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows(rows)
        validation = plots.read([str(path)]).validation
        figure = plots.times(commgauge.load(MODEL), "lmo", validation=validation)
        upper, lower = drawn(figure, "measured")
        self.assertIn("rank 2", figure.axes[0].get_title())
        self.assertEqual(list(upper.get_xdata()), [100, 200])
        self.assertTrue(np.allclose(lower.get_ydata(), [1, -1.1]))
        self.assertEqual(list(drawn(figure, "others")[0].get_xdata()), [300])
        self.assertIn("measured times of other pairs (1)", notes(figure))
        self.assertIn("not above 0 (1)", notes(figure))

    def test_without_intervals_it_looks_uncertain(self):
        figure = plots.times(self.many(3, ["a"] * 3))
        for line in drawn(figure, "predicted"):
            self.assertNotIn(line.get_linestyle(), ("-", "solid"))
        self.assertFalse(drawn(figure, "band"))
        self.assertIn("No interval is known", notes(figure))
        self.assertTrue(any("nothing to judge by" in text for text in texts(figure)))


class Matrices(Case):
    def test_cells(self):
        machine = commgauge.load(MODEL)
        for name in machine.models:
            model = machine.model(name)
            shown = plots._matrices.shown_of(model)
            self.assertEqual(not shown, name == "curves")
            if not shown:
                with self.assertRaisesRegex(commgauge.InputError, f"model {name} has curves alone"):
                    plots.matrices(machine, name)
                continue
            figure = plots.matrices(machine, name)
            images = drawn(figure, "cells")
            self.assertEqual(len(images), len(shown))
            for image, parameter in zip(images, shown):
                value, high = parameter.value, parameter.high
                expected = np.where(np.isnan(value), high, value)
                cells = np.ma.filled(image.get_array(), np.nan)
                self.assertTrue(np.array_equal(cells, expected, equal_nan=True), name)

    def test_hosts(self):
        figure = plots.matrices(self.many(4, ["node1", "node1", "a$b$c", "node3"]), "lmo")
        self.assertEqual(ticks(figure.axes[0].yaxis), ["node1  0", r"a\$b\$c  2", "node3  3"])
        figure = plots.matrices(self.many(4, ["node1"] * 4), "lmo")
        self.assertEqual(ticks(figure.axes[0].yaxis), ["0", "1", "2", "3"])
        self.assertIn("all on node1", figure.axes[0].get_ylabel())

    def test_bounds_are_no_values(self):
        def bound(document):
            beta = document["models"]["bottleneck"]["inverse_beta"]
            beta.pop("symmetric", None)
            rows = [[None if i == j else 1e-9 for j in range(3)] for i in range(3)]
            low = [list(row) for row in rows]
            value = [list(row) for row in rows]
            value[0][1] = low[0][1] = None
            low[0][2] = None
            high = [list(row) for row in rows]
            high[0][2] = None
            high[0][1] = 7e-9
            beta.update(value=value, low=low, high=high)

        machine = self.changed(bound)
        figure = plots.matrices(machine, "bottleneck")
        self.assertEqual(drawn(figure, "cells")[1].get_array()[0, 1], 7e-9)
        written = texts(figure)
        self.assertIn("≤ 7", written)
        self.assertIn("1\nno interval", written)
        kinds = plots._matrices.kinds_of(machine.model("bottleneck")["inverse_beta"])
        self.assertEqual(np.argwhere(kinds.bounded).tolist(), [[0, 1]])
        self.assertEqual(np.argwhere(kinds.no_interval).tolist(), [[0, 2]])

    def test_many_ranks(self):
        for count in (30, 300):
            machine = self.many(count, [f"node{k // 2:03}" for k in range(count)])
            figure = plots.matrices(machine, "lmo")
            figure.draw_without_rendering()
            image = drawn(figure, "cells")[0]
            self.assertEqual(image.get_array().shape, (count, count))
            names = ticks(figure.axes[0].yaxis)
            self.assertLessEqual(len(names), 24)
            self.assertEqual(names[0], "node000  0")

    def test_uncertain_cells_of_many_ranks_are_dotted(self):
        machine = self.many(60, ["a"] * 60)
        value = np.full((60, 60), 1e-6)
        certain = commgauge.Parameter("L", value, value * 0.9, value * 1.1)
        doubtful = commgauge.Parameter("L", value, -value, value * 3)
        for parameter, expected in ((certain, 0), (doubtful, 1)):
            figure = plots.matrices(machine, "lmo")
            before = len(drawn(figure, "uncertain"))
            plots._matrices._dot(figure.axes[0], plots._matrices.kinds_of(parameter))
            self.assertEqual(len(drawn(figure, "uncertain")) - before, expected)


class Ranks(Case):
    def test_values_and_intervals(self):
        machine = commgauge.load(MODEL)
        for name in ("lom", "lmo"):
            figure = plots.ranks(machine, name)
            self.assertEqual(len(figure.axes), 2)
            for axes, key in zip(figure.axes, ("C", "t")):
                parameter = machine.model(name)[key]
                container, = axes.containers
                points, _, (bars,) = container
                self.assertEqual(list(points.get_ydata()), list(parameter.value))
                for k, (low, high) in enumerate(bars.get_segments()):
                    self.assertTrue(np.allclose([low[1], high[1]],
                                                [parameter.low[k], parameter.high[k]]))

    def test_bounds_are_arrows_and_bare_values_hollow(self):
        def change(document):
            document["models"]["bottleneck"]["s"].update(
                value=[None, 1e-9, 2e-9], low=[None, None, 1e-9], high=[3e-9, None, 3e-9])

        figure = plots.ranks(self.changed(change), "bottleneck")
        axes = figure.axes[[axes.get_title(loc="left")[0] for axes in figure.axes].index("s")]
        lines = {line.get_gid(): line for line in axes.lines}
        self.assertEqual(lines["bounds"].get_xydata().tolist(), [[0, 3e-9]])
        self.assertEqual(lines["no interval"].get_xydata().tolist(), [[1, 1e-9]])
        self.assertEqual(list(axes.containers[0][0].get_xdata()), [2])
        arrows = [text for text in axes.texts if getattr(text, "arrow_patch", None)]
        self.assertEqual([arrow.xy for arrow in arrows], [(0, 3e-9)])
        self.assertIn("Arrow", notes(figure))
        self.assertIn("Hollow", notes(figure))

    def test_negative_values_are_in_view(self):
        def change(document):
            document["models"]["lmo"]["t"].update(value=[-2e-9] * 3, low=[-3e-9] * 3,
                                                  high=[-1e-9] * 3)

        low, high = plots.ranks(self.changed(change), "lmo").axes[1].get_ylim()
        self.assertLess(low, -3e-9)
        self.assertGreater(high, -1e-9)

    def test_many_hosts_are_thinned(self):
        machine = self.many(300, [f"node{k:03}" for k in range(300)])
        figure = plots.ranks(machine)
        figure.draw_without_rendering()
        self.assertLessEqual(len(ticks(figure.axes[-1].xaxis)), 50)


class Sweeps(Case):
    def test_points_lines_and_breaks(self):
        path = self.written(sweep_csv(), "sweep.csv")
        thresholds, (found,) = plots.analyse(path)
        figure = plots.sweep(path)
        axes, = figure.axes
        sweep, = commgauge.load_sweeps(path)
        self.assertEqual(list(drawn(figure, "medians")[0].get_ydata()), list(sweep.median_s))
        self.assertEqual(len(drawn(figure, "repetitions")[0].get_xdata()),
                         sum(map(len, sweep.times_s)))
        lines = drawn(figure, "line")
        self.assertEqual(len(lines), len(found.segments))
        self.assertGreater(len(lines), 1)
        for line, segment in zip(lines, found.segments):
            x, y = line.get_xdata(), line.get_ydata()
            self.assertEqual((x[0], x[-1]), (sweep.size_bytes[segment["first"]],
                                             sweep.size_bytes[segment["last"]]))
            self.assertAlmostEqual(y[-1] / found.fitted_s[segment["last"]], 1, delta=0.1)
        self.assertEqual(found.breaks[0].size_bytes, 4096)
        self.assertEqual(found.breaks[0].size_bytes, thresholds.scatter_break.size_bytes)
        self.assertIn("break 4 KiB", texts(figure))
        marks = [line.get_xdata()[0] for line in drawn(figure, "mark")]
        self.assertEqual(marks, [one.size_bytes for one in found.breaks])

    def test_escalations(self):
        figure = plots.sweep(self.written(sweep_csv(), "sweep.csv"))
        band, = drawn(figure, "escalations")
        x = band.get_xy()[:, 0]
        self.assertEqual((x.min(), x.max()), (16384, 98304))
        figure = plots.sweep(self.written(sweep_csv(escalated=False), "sweep.csv"))
        self.assertFalse(drawn(figure, "escalations"))
        self.assertIn("no escalations", notes(figure))

    def fitted(self, path, *options):
        """What ``thresholds fit`` writes of a sweep."""
        found = self.directory / "thresholds.json"
        subprocess.run([os.environ["THRESHOLDS"], "fit", path, "-o", found, *options], check=True,
                       capture_output=True)
        return found

    def test_what_thresholds_found(self):
        path = self.written(sweep_csv(), "sweep.csv")

        def drawn_of(figure):
            return [(one.get_gid(), one.get_xydata().tolist()) for one in figure.axes[0].lines]

        same = plots.sweep(path, self.fitted(path))
        self.assertEqual(drawn_of(same), drawn_of(plots.sweep(path)))
        figure = plots.sweep(path, self.fitted(path, "--breaks", "0"))
        self.assertFalse(drawn(figure, "mark"))
        self.assertEqual(len(drawn(figure, "line")), 1)
        self.assertEqual(len(drawn(plots.sweep(path), "line")), 2)

    def test_thresholds_of_another_sweep_or_damaged(self):
        path = self.written(sweep_csv(), "sweep.csv")
        other = self.written(sweep_csv().replace("scatter", "gather"), "other.csv")
        shorter = self.written("\n".join(sweep_csv().splitlines()[:60]) + "\n", "shorter.csv")
        found = self.fitted(path)
        for times in (other, shorter):
            with self.assertRaisesRegex(commgauge.InputError, "at other sizes"):
                plots.sweep(times, found)
        document = json.loads(found.read_text())
        del document["sweeps"][0]["segments"]
        with self.assertRaisesRegex(commgauge.InputError, "thresholds.json: .*segments"):
            plots.sweep(path, self.written(document, "thresholds.json"))

    def test_too_few_sizes(self):
        path = self.written("kind,size_bytes,time_s\ngather,8,1e-5\ngather,9,1e-5\n", "few.csv")
        figure = plots.sweep(path)
        self.assertFalse(drawn(figure, "line"))
        self.assertIn("no lines", notes(figure))
        thresholds, (found,) = plots.analyse(path)
        one, = found.diagnostics
        self.assertEqual((one.kind, one.count, one.problem, one.reason, one.advice),
                         ("too_few_sizes", 2, "gather was swept at 2 sizes only",
                          "a line takes 3", "measure more"))
        self.assertEqual(found.warnings, (found.reason,))
        self.assertIn(one, thresholds.diagnostics)

    def test_measurements(self):
        measurements = commgauge.load_measurements(MEASUREMENTS)
        figure = plots.sweep(measurements)
        self.assertEqual(len(figure.axes), len(plots.analyse(measurements)[1]))


class Overhead(Case):
    def test_lines_and_bands(self):
        machine = commgauge.load(MODEL)
        growth = machine.model("loggps").overhead_growth
        figure = plots.overhead(machine)
        for name, side in (("sending", "s"), ("receiving", "r")):
            solid, dashed = drawn(figure, f"{name} line")
            self.assertEqual((solid.get_linestyle(), dashed.get_linestyle()), ("-", "--"))
            self.assertEqual(solid.get_xdata()[-1], machine.ranks)
            for line in (solid, dashed):
                expected = (growth[f"o_prime_a_{side}"].value
                            + growth[f"o_prime_b_{side}"].value * line.get_xdata())
                self.assertTrue(np.allclose(line.get_ydata(), expected, rtol=1e-12))
            band = drawn(figure, f"{name} band")[0]
            corners = np.concatenate([path.vertices for path in band.get_paths()])
            for x, y in zip(solid.get_xdata(), solid.get_ydata()):
                here = corners[corners[:, 0] == x][:, 1]
                self.assertLessEqual(here.min(), y)
                self.assertGreaterEqual(here.max(), y)

    def test_points_are_the_measured_overheads(self):
        machine = commgauge.load(MODEL)
        measurements = commgauge.load_measurements(MEASUREMENTS)
        experiments = measurements.experiments
        size = machine.model("loggps").overhead_growth.range_bytes[0]
        here = [k for k, kind in enumerate(experiments["kind"])
                if kind == "send_overhead" and experiments["out_bytes"][k] == size]
        found = plots._overhead._measured(measurements, "send_overhead", machine)
        self.assertEqual(list(found[1]), list(experiments["time_s"][here]))

    def test_without_an_interval(self):
        def change(document):
            growth = document["models"]["loggps"]["overhead_growth"]
            growth["replicates"] = {name: [] if isinstance(value, list) else value
                                    for name, value in growth["replicates"].items()}
        figure = plots.overhead(self.changed(change))
        self.assertFalse(drawn(figure, "sending band"))
        self.assertIn("No interval is known", notes(figure))
        self.assertNotIn(drawn(figure, "sending line")[0].get_linestyle(), ("-", "solid"))


class Models(Case):
    def test_ratios_and_ranking(self):
        machine = commgauge.load(MODEL)
        figure = plots.models(machine, src=0, dst=1)
        first = machine.preferred
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", commgauge.PredictionWarning)
            for name in machine.models:
                lines = drawn(figure, name)
                self.assertTrue(lines, name)
                for line in lines:
                    known = ~np.isnan(line.get_ydata())
                    sizes = line.get_xdata()[known].astype(np.uint64)
                    ratio = (machine.model(name).predict_time(sizes, src=0, dst=1)
                             / machine.model(first).predict_time(sizes, src=0, dst=1))
                    self.assertTrue(np.array_equal(line.get_ydata()[known], ratio))
        bars = drawn(figure, "errors p2p")
        errors = [place["operations"].get("p2p", np.nan) for place in machine.ranking]
        self.assertTrue(np.array_equal([bar.get_width() for bar in bars], errors, equal_nan=True))
        self.assertEqual(ticks(figure.axes[1].yaxis)[0].lower(), first)

    def test_a_model_that_can_t_tell_some_sizes(self):
        machine = commgauge.load(MODEL)
        plogp = machine.model("plogp")
        with self.assertRaises(commgauge.InputError):
            plogp.predict_time(machine.eager_limit_bytes + 1, src=0, dst=1)
        figure = plots.models(machine, src=0, dst=1)
        self.assertTrue(drawn(figure, "plogp"))
        self.assertRegex(notes(figure), "Can't tell the times of some sizes: .*PLogP")
        self.assertIn("can't tell the time", notes(plots.times(machine, "plogp", src=0, dst=1)))


if __name__ == "__main__":
    unittest.main()
