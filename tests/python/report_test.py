"""The report of `python3 -m commgauge report`: what is in it, and what a browser makes of it."""

import base64
import dataclasses
import html
import html.parser
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import unittest

import browser
import harness
import numpy as np

import commgauge
from commgauge import units
from commgauge._report import content

SAMPLES = pathlib.Path(os.environ["SAMPLES"])
HOSTILE = "<script>window.hacked = 1</script>\"'&"
MOST_BYTES = 5_000_000


class Page(html.parser.HTMLParser):
    """What stands in a report: texts of elements by tag and class, and all attributes."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.text, self.source = [], [], text
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text.append(data)

    def of_class(self, name, tag=None):
        return [found for kind, found in self.elements
                if name in found.get("class", "").split() and tag in (None, kind)]  # fmt: skip

    def tips(self):
        return [found["data-tip"] for _, found in self.elements if "data-tip" in found]

    def all_text(self):
        return " ".join(" ".join(self.text).replace("\u00a0", " ").split())


class Case(harness.TestCase):
    written = {}  # reports, by what they are of

    def report(self, document, measurements=None, name="report.html", options=()):
        """The file that the command writes. Of what it was made of before it isn't made again."""
        of = json.dumps([document, measurements, list(map(str, options))])
        out = self.directory / name
        model = self.directory / "model.json"
        model.write_text(json.dumps(document))
        if of in self.written:
            out.write_text(self.written[of])
            return out
        if measurements is not None:
            path = self.directory / "measurements.json"
            path.write_text(json.dumps(measurements))
            options = ["--measurements", path, *options]
        result = command("report", model, *options, "-o", out)
        self.assertEqual(result.returncode, 0, result)
        self.assertIn(str(out), result.stderr)
        self.written[of] = out.read_text()
        return out

    def tasks_options(self, *more):
        """A sample of tasks, in a file, as the command takes it."""
        next_ = commgauge.plan_tasks((18, 10), seed=3).next
        found = commgauge.tasks_from(next_, 1e-3 + 1e-4 * next_.sum(axis=1), (18, 10), seed=3)
        path = self.directory / "tasks.csv"
        path.write_text(found.to_csv())
        return ["--tasks", path, "--shape", "18x10", "--seed", "3", *more]

    def page(self, *arguments, **more):
        return Page(self.report(*arguments, **more).read_text())

    def figure(self, page, description):
        """The text of the picture that is described so."""
        svg = rf'<svg [^>]*aria-label="{description}.*?</svg>'
        return re.search(svg, page.source, re.DOTALL)[0]


def command(*words, **more):
    return subprocess.run([sys.executable, "-m", "commgauge", *map(str, words)], text=True,
                          capture_output=True, timeout=60, **more)  # fmt: skip


def sample():
    return json.loads((SAMPLES / "model.json").read_text())


def sample_measurements():
    """Those among the model's three ranks; one did not converge."""
    document = json.loads((SAMPLES / "measurements.json").read_text())
    columns = document["experiments"]
    kept = [k for k, root in enumerate(columns["root"]) if max([root, *columns["peers"][k]]) < 3]
    for name, column in columns.items():
        columns[name] = [column[k] for k in kept]
    columns["converged"][1] = False
    document["n"] = 3
    for launch in document["launches"]:
        launch["ranks"] = launch["ranks"][:3]
    document.pop("plan", None)  # what was to be measured, of more ranks
    return document


def synthetic(kind, ranks, *more):
    """A model file of a made machine."""
    return subprocess.run([os.environ["WRITE_MACHINE"], kind, str(ranks), "1", *more], check=True,
                          capture_output=True, text=True).stdout  # fmt: skip


def interval(value, low, high, text):
    return f"{text(value)} ({text(low)} to {text(high)})"


class Content(Case):
    def test_each_link_has_its_value_and_interval(self):
        page = self.page(sample())
        model = commgauge.load(SAMPLES / "model.json").model("hockney")
        tips = page.tips()
        for i in range(3):
            for j in range(3):
                if i == j:
                    continue
                for name, text in (("alpha", units.seconds), ("beta", units.gap)):
                    p = model[name]
                    said = interval(p.value[i, j], p.low[i, j], p.high[i, j], text)
                    self.assertIn(f"rank {i} (h{i}) to rank {j} (h{j}): {said}", tips)

    def test_links_that_hosts_share_are_a_tree_and_order_the_ranks(self):
        document = json.loads((SAMPLES / "model-with-fabric.json").read_text())
        hosts = [rank["host"] for rank in document["launches"][0]["ranks"]]
        first, second = document["fabric"]["groups"][0]["hosts"]
        self.assertEqual(hosts[:2], [first, second])
        # The group's second host stands last among the hosts of the larger group.
        document["fabric"]["groups"][0]["hosts"] = [hosts[0], hosts[2]]
        document["fabric"]["backbone"]["sides"] = [[hosts[0], hosts[2]], [hosts[1]]]
        page = self.page(document)
        text = page.all_text()
        group = re.search(rf"{hosts[0]}, {hosts[2]} (\S+ \S+ \([^)]*\)) (\S+ \S+ \([^)]*\))", text)
        self.assertEqual(group[1], f"{units.rate(1e9)} ({units.rate(1 / 1.1e-9)} to {units.rate(1 / 0.9e-9)})")
        self.assertEqual(group[2], group[1])
        self.assertIn(f"at least {units.rate(1 / 0.5e-9)}", text)  # into the larger group
        self.assertLess(text.index(f"{hosts[0]}, {hosts[1]}, {hosts[2]} {units.rate(5e8)}"), group.start())
        self.assertIn("Something was not seen.", text)
        self.assertIn(units.rate(2e9), text)
        heads = re.findall(r'<th scope="col" title="([^"]*)">', page.source)
        self.assertEqual(heads[:3], [hosts[0], hosts[2], hosts[1]])

    def test_ranks_of_a_group_are_neighbours(self):
        file = commgauge.load(SAMPLES / "model-with-fabric.json")
        group = commgauge.HostGroup(("b", "d"), None, (1, 1, 1), (1, 1, 1))
        inner = commgauge.HostGroup(("b", "d", "e"), None, (1, 1, 1), (1, 1, 1))
        fabric = dataclasses.replace(file.fabric, groups=(group, inner))
        self.assertEqual(fabric.order_of(["a", "b", "c", "d", "e", "d"]), [0, 1, 3, 5, 4, 2])
        self.assertEqual(fabric.order_of(["x", "y"]), [0, 1])
        self.assertEqual(dataclasses.replace(fabric, groups=()).order_of(["a", "b", "a"]), [0, 1, 2])

    def test_each_rank_has_its_value_and_interval(self):
        page = self.page(sample())
        model = commgauge.load(SAMPLES / "model.json").model("lmo")
        C = model["C"]
        for rank, numbers in enumerate(zip(C.value, C.low, C.high)):
            said = interval(*numbers, units.seconds)
            self.assertIn(f"rank {rank} (h{rank}): {said}", page.tips())

    def test_bounds_are_bounds(self):
        high = sample()["models"]["bottleneck"]["s"]["high"][0]
        page = self.page(sample())
        self.assertIn(f"rank 0 (h0): at most {units.gap(high)} (a bound)", page.tips())
        self.assertIn(f"at most {units.per_byte(high)} (a bound)", page.all_text())
        bounds = sum(v is None for name in ("s", "r") for v in
                     sample()["models"]["bottleneck"][name]["value"])  # fmt: skip
        self.assertGreater(bounds, 0)
        shown = [tip for tip in page.tips() if re.match(r"rank \d+ \(h\d+\): at most ", tip)]
        self.assertEqual(len(shown), bounds)
        self.assertIn("Arrows: only an upper bound is known", page.all_text())

    def test_a_number_without_interval_says_so(self):
        document = sample()
        mean = document["models"]["hockney"]["mean_alpha"]
        mean["low"] = mean["high"] = None
        text = self.page(document).all_text()
        self.assertIn(f"{units.seconds(mean['value'])} (no interval)", text)

    def test_predictions_are_the_models(self):
        page = self.page(sample())
        model = commgauge.load(SAMPLES / "model.json").model()
        found = [tip for tip in page.tips() if "fastest pair" in tip and ", 1 B:" in tip]
        self.assertEqual(len(found), 1, found)
        src, dst = map(int, re.search(r"pair, (\d) to (\d)", found[0]).groups())
        one = model.predict("p2p", 1, src=src, dst=dst)
        self.assertIn(interval(one.time, one.low, one.high, units.seconds), found[0])

    def test_what_is_extrapolated_is_marked(self):
        document = sample()
        document["models"]["lmo"]["range_bytes"] = [0, 1024]
        page = self.page(document)
        beyond = [tip for tip in page.tips() if tip.endswith(", extrapolated") and "fastest" in tip]
        self.assertTrue(beyond)
        self.assertFalse([tip for tip in beyond if ", 1 B:" in tip])
        messages = self.figure(page, "One-way time of a message")
        self.assertIn("extrapolated", messages)
        self.assertRegex(messages, "stroke: #0072b2; stroke-width: 1.8[^>]*stroke-dasharray|"
                         "stroke-dasharray[^>]*; stroke: #0072b2; stroke-width: 1.8")

    def test_ranking(self):
        text = self.page(sample()).all_text()
        for place, one in enumerate(sample()["ranking"], start=1):
            self.assertIn(f"{place}. {one['model']}", text)
            self.assertIn(units.percent(one["error"]), text)

    def test_noise_and_verdicts(self):
        page = self.page(sample())
        text = page.all_text()
        self.assertIn("What the errors are made of", text)
        for one in commgauge.load(self.directory / "model.json").judgements:
            self.assertIn(one["words"], text)
        document = sample()
        del document["judgements"]
        self.assertNotIn("What the errors are made of", self.page(document).all_text())

    def test_warnings(self):
        document = sample()
        document["warnings"].append(f"the switch is on fire ({HOSTILE})")
        document["diagnostics"].append(
            {"kind": "fire", "count": 1, "problem": "the switch is on fire", "reason": HOSTILE,
             "advice": ""})  # fmt: skip
        out = self.report(document)
        text = Page(out.read_text()).all_text()
        for warning in commgauge.load(self.directory / "model.json").warnings:
            self.assertIn(" ".join(warning.split(": ", 1)[-1].split()), text)

    def test_warnings_stand_below_their_model(self):
        document = sample()
        small, growth = document["models"]["hockney"], document["models"]["loggps"]["overhead_growth"]
        for fit, problem in ((small, "odd: small"), (small["rendezvous"], "odd: large"),
                             (growth, "odd: growth")):
            fit["warnings"] = [problem]
            fit["diagnostics"] = [
                {"kind": "odd", "count": 1, "problem": problem, "reason": "", "advice": ""}]
        # Of the file, though it begins like a model's.
        document["warnings"].append("lom: is a word")
        document["diagnostics"].append(
            {"kind": "word", "count": 1, "problem": "lom: is a word", "reason": "", "advice": ""})
        path = self.directory / "model.json"
        path.write_text(json.dumps(document))
        groups = dict(content.warnings(commgauge.load(path)))
        self.assertEqual(groups["hockney"], ["odd: small", "above the eager limit: odd: large"])
        self.assertEqual(groups["The machine and the measurements"],
                         document["warnings"] + ["overhead_growth: odd: growth"])
        self.assertEqual(groups["lom"], document["models"]["lom"]["warnings"])

    def test_what_stands_out(self):
        document = sample()
        beta = document["models"]["hockney"]["beta"]
        beta.pop("symmetric", None)
        for name, share in (("value", 1), ("low", 0.9), ("high", 1.1)):
            beta[name] = [[None if i == j else 1e-8 * share for j in range(3)] for i in range(3)]
            beta[name][0][2] = 9e-8 * share
        page = self.page(document)
        outliers = commgauge.load(self.directory / "model.json").outliers
        links = [(one["rank"], one["peer"]) for one in outliers
                 if (one["fit"], one["field"]) == ("hockney", "beta") and one["peer"] >= 0]
        units_of = {(one["field"], one["unit"]) for one in outliers}
        self.assertLessEqual(units_of, {("alpha", "s"), ("beta", "s/B")})
        self.assertEqual(links, [(0, 2)])
        text = page.all_text()
        for one in outliers:
            self.assertIn(one["what"], text)
        self.assertIn(units.gap(9e-8), text)
        self.assertGreaterEqual(len(page.of_class("slower", "td")), 1)

    def test_thresholds_have_intervals_or_reasons(self):
        text = self.page(sample()).all_text()
        for name in ("eager_limit", "scatter_break", "gather_m1", "gather_m2"):
            one = sample()["thresholds"][name + "_bytes"]
            if one["value"] is None:
                self.assertIn(one["reason"], text)
            else:
                self.assertIn(f"{one['value']} {'B' if name == 'eager_limit' else 'bytes'}", text)

    def test_an_eager_limit_above_all_sizes_is_said_in_the_words_of_show(self):
        document = sample()
        document["eager_limit_bytes"] = None
        reason = "messages of all probed sizes are eager (up to 1 MiB)"
        document["thresholds"]["eager_limit_bytes"].update(value=None, low=None, high=None,
                                                           reason=reason)  # fmt: skip
        text = self.page(document).all_text()
        self.assertNotIn("Eager limit not known", text)
        self.assertGreaterEqual(text.count(reason), 3)  # card, machine, thresholds
        self.assertGreaterEqual(text.count(f"none: {reason}"), 2)
        shown = subprocess.run([os.environ["ESTIMATE_MODEL"], "show", self.directory / "model.json"],
                               check=True, capture_output=True, text=True).stdout  # fmt: skip
        self.assertIn(f"eager limit none: {reason}", shown)
        document.pop("thresholds")
        for launch in document["launches"]:
            launch.update(eager_limit_bytes=None, eager_probed_bytes=65536)
        text = self.page(document).all_text()
        self.assertIn("none: messages of all probed sizes are eager (up to 64 KiB)", text)

    def test_convergence(self):
        page = self.page(sample(), sample_measurements())
        columns = sample_measurements()["experiments"]
        count, reached = len(columns["kind"]), sum(columns["converged"])
        self.assertLess(reached, count)
        self.assertIn(f"{reached} of {count} measurements reached", page.all_text())
        without = self.page(sample()).all_text()
        self.assertIn("not in this report", without)

    def test_an_incomplete_launch_is_said(self):
        document = sample()
        document["launches"][0]["complete"] = False
        document["launches"][0]["incomplete_reason"] = "the time budget was spent"
        text = self.page(document).all_text()
        self.assertIn("Incomplete", text)
        self.assertIn("the time budget was spent", text)

    def test_sweeps_show_every_repetition(self):
        page = self.page(sample(), sample_measurements())
        sweep = sample_measurements()["sweeps"][0]
        shown = [tip for tip in page.tips() if tip.startswith("one repetition, ")]
        expected = [f"one repetition, {units.size(size)}: {units.seconds(time)}"
                    for size, times in zip(sweep["size_bytes"], sweep["times_s"])
                    for time in times]  # fmt: skip
        self.assertEqual(shown, expected)

    def test_nothing_comes_from_elsewhere(self):
        text = self.report(sample(), sample_measurements()).read_text()
        self.assertNotRegex(text, r"(?i)https?:|url\((?!#)|@import|<link[^>]+href=\"(?!data:)")
        for tag, found in Page(text).elements:
            for name in ("src", "href"):
                if name in found:
                    self.assertRegex(found[name], r"^(data:|#)", (tag, found))

    def test_foreign_text_is_text(self):
        document = sample()
        for launch in document["launches"]:
            launch["ranks"][1]["host"] = HOSTILE
            launch["mpi_library"] = HOSTILE
            launch["environment"] = {HOSTILE: HOSTILE}
            launch["options"] = {"passes": HOSTILE}
        document["not_determined"] = HOSTILE
        text = self.report(document).read_text()
        self.assertNotIn("<script>window", text)
        self.assertEqual(text.count("<script"), 2)
        self.assertIn(HOSTILE, " ".join(Page(text).tips()))

    def test_commands_can_be_repeated(self):
        page = self.report(sample(), sample_measurements()).read_text()
        commands = re.findall(r"<code>([^<]*)</code></pre>", page)
        commands = [html.unescape(found) for found in commands]
        known = harness.run("calibrate", "--help").out
        calibrations = [one for one in commands if " calibrate " in one]
        self.assertEqual(len(calibrations), len(sample()["launches"]))
        for option in re.findall(r" (--[a-z-]+)", calibrations[0]):
            self.assertIn(option + " ", known)
        asked = next(one for one in commands if " predict " in one)
        self.assert_code(harness.run(*asked.split()[1:]), 0)
        again = next(one for one in commands if "commgauge report" in one).split()[3:]
        self.assertEqual(command(*again, cwd=self.directory).returncode, 0)
        self.assertEqual((self.directory / "report.html").read_text(), page)

    def test_masters_and_workers(self):
        page = self.page(sample(), options=self.tasks_options("--processes", "2-16:2"))
        machine = commgauge.load(self.directory / "model.json")
        tasks = commgauge.load_tasks(self.directory / "tasks.csv", "18x10", 3, machine.confidence)
        with self.assertWarns(commgauge.PredictionWarning):
            found = machine.predict_tasks(tasks, "2-16:2")
        text = page.all_text()
        for said in (tasks.text, found.text[1:], found.interval_meaning, *found.warnings,
                     *found.assumed, "Masters and workers"):
            self.assertIn(said, text)
        tips = page.tips()
        for k, count in enumerate(found.processes):
            numbers = found.time[k], found.low[k], found.high[k]
            said = f"{count} processes: {interval(*numbers, units.seconds)}"
            self.assertIn(said + (", extrapolated" if found.extrapolated[k] else ""), tips)
            for share in (found.masters_busy[k], found.workers_computing[k]):
                self.assertIn(units.percent(share), text)
        self.assertNotIn("Masters and workers", self.page(sample()).all_text())

    def test_masters_and_workers_without_an_interval(self):
        document = json.loads(synthetic("lmo", 4))
        page = self.page(document, options=self.tasks_options())
        self.assertIn("No bars: nothing tells how sure these times are", page.all_text())
        self.assertNotIn("nan", page.all_text())

    def test_commands_of_tasks_can_be_repeated(self):
        self.report(sample(), options=self.tasks_options())
        text = Page((self.directory / "report.html").read_text()).all_text()
        for pattern in (r"estimate-model (predict \S+ --operation master-worker .*?) (?:Judge|This)",
                        r"python3 -m commgauge (report .*? -o report.html)"):
            words = re.search(pattern, text).group(1).split()
            self.assertIn(str(self.directory / "tasks.csv"), words)
            if words[0] == "report":
                done = command(*words, cwd=self.directory)
            else:
                done = subprocess.run([os.environ["ESTIMATE_MODEL"], *words], text=True,
                                      capture_output=True)
            self.assertEqual(done.returncode, 0, done)

    def test_models_of_one_kind_alone(self):
        for name in sample()["models"]:
            with self.subTest(name):
                document = sample()
                document["models"] = {name: document["models"][name]}
                document.update(checks=[], ranking=[], preferred=name, thresholds=None)
                del document["thresholds"]
                text = self.page(document).all_text()
                self.assertIn("not judged", text)

    def test_synthetic_machines(self):
        for kind in ("lmo", "bottleneck", "lom", "hockney", "loggps"):
            for ranks in (3, 20):
                with self.subTest(kind=kind, ranks=ranks):
                    page = self.page(json.loads(synthetic(kind, ranks, "16384")))
                    self.assertTrue(page.of_class("matrix" if ranks == 3 else "picture"))


class Refused(Case):
    def assert_refused(self, result, *words):
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_no_model(self):
        self.assert_refused(command("report", self.directory / "nowhere.json"), "cannot read")

    def test_another_file(self):
        self.assert_refused(command("report", SAMPLES / "measurements.json"), "a file of measurements",
                            "a model file belongs here")

    def test_measurements_of_another_machine(self):
        result = command("report", SAMPLES / "model.json", "--measurements",
                         SAMPLES / "measurements.json", "-o", self.directory / "r.html")
        self.assert_refused(result, "4 ranks", "belong together")
        self.assert_nothing_left()

    def test_tasks(self):
        tasks = self.tasks_options()
        out = ["-o", self.directory / "r.html"]
        for options, words in ((["--shape", "3"], "--shape without --tasks"),
                               (["--seed", "3"], "--seed without --tasks"),
                               (["--processes", "8"], "--processes without --tasks"),
                               ([*tasks, "--processes", "1"], "1 processes"),
                               ([*tasks, "--shape", "180x10"], "tasks.csv: "),
                               (["--tasks", self.directory / "no.csv"], "cannot read")):
            with self.subTest(words):
                self.assert_refused(command("report", SAMPLES / "model.json", *options, *out), words)
        result = command("report", SAMPLES / "model.json", *tasks, "-o", tasks[1])
        self.assert_refused(result, "is the same file")

    def test_nowhere_to_write(self):
        result = command("report", SAMPLES / "model.json", "-o", self.directory / "no" / "r.html")
        self.assert_refused(result, "cannot write")

    def test_what_is_read_is_not_replaced(self):
        model = self.directory / "model.json"
        measured = self.directory / "measurements.json"
        model.write_text(json.dumps(sample()))
        measured.write_text(json.dumps(sample_measurements()))
        soft, hard = self.directory / "soft", self.directory / "hard"
        for file in (model, measured):
            before = file.read_bytes()
            soft.symlink_to(file)
            hard.hardlink_to(file)
            for name in (file, soft, hard):
                result = command("report", model, "--measurements", measured, "-o", name)
                self.assert_refused(result, "is the same file", str(name))
                self.assertEqual(file.read_bytes(), before)
            soft.unlink()
            hard.unlink()

    def test_full_device(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run(
                [sys.executable, "-m", "commgauge", "report", SAMPLES / "model.json", "-o", "-"],
                text=True, stdout=full, stderr=subprocess.PIPE, timeout=60,
            )  # fmt: skip
        self.assert_refused(result, "No space left")

    def test_without_what_it_needs(self):
        for name in ("jinja2", "matplotlib"):
            lacking = self.directory / f"no {name}"
            lacking.mkdir()
            (lacking / f"{name}.py").write_text("raise ImportError('not here')\n")
            result = command("report", SAMPLES / "model.json", "-o", self.directory / "r.html",
                             env={**os.environ, "PYTHONPATH": f"{lacking}:{os.environ['PYTHONPATH']}"})
            self.assert_refused(result, f"python3-{name}")
            self.assertFalse((self.directory / "r.html").exists())


@unittest.skipUnless(browser.PROGRAM, "chromium is not installed (package chromium)")
class InBrowser(Case):
    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(browser.Browser())

    def open(self, path, width=1280, scheme="light"):
        seconds = self.browser.open(path, width, scheme)
        self.assertEqual(self.browser.errors, [])
        elsewhere = [url for url in self.browser.requests if not url.startswith(("file:", "data:"))]
        self.assertEqual(elsewhere, [])
        files = [url for url in self.browser.requests if url.startswith("file:")]
        self.assertEqual(files, [path.resolve().as_uri()])
        return seconds

    def count(self, selector):
        return self.browser.run(f"document.querySelectorAll({json.dumps(selector)}).length")

    def test_fits_on_screens_light_and_dark(self):
        long_name = "a-host-with-a-very-long-name." * 4
        document = sample()
        for launch in document["launches"]:
            launch["ranks"][2]["host"] = long_name
        path = self.report(document, sample_measurements(), options=self.tasks_options())
        brightness = {}
        for width in (1280, 390):
            for scheme in ("light", "dark"):
                with self.subTest(width=width, scheme=scheme):
                    self.open(path, width, scheme)
                    self.browser.run(
                        "document.querySelectorAll('details').forEach(d => d.open = true)")
                    self.assertEqual(self.browser.run("innerWidth"), width)
                    self.assertLessEqual(
                        self.browser.run("document.documentElement.scrollWidth"), width)
                    colours = self.browser.run(
                        "['color', 'backgroundColor'].map(n => getComputedStyle(document.body)[n])")
                    ink, page = (np.mean([int(x) for x in re.findall(r"\d+", c)[:3]])
                                 for c in colours)  # fmt: skip
                    self.assertGreater(abs(ink - page), 150, colours)
                    brightness[scheme] = page
                    smallest = self.browser.run(
                        "Math.min(...[...document.querySelectorAll('svg text')].map(t =>"
                        " parseFloat(getComputedStyle(t).fontSize)"
                        " * Math.hypot(t.getScreenCTM().a, t.getScreenCTM().b)))")
                    self.assertGreaterEqual(smallest, 9)
        self.assertGreater(brightness["light"], 200)
        self.assertLess(brightness["dark"], 60)

    def test_figures_are_there(self):
        self.open(self.report(sample(), sample_measurements()))
        self.assertEqual(self.count("#links .matrix"), 2)
        self.assertEqual(self.count("#links .matrix .cell"), 2 * 3 * 2)
        for figure, dots in enumerate(self.browser.run(
                "[...document.querySelectorAll('#ranks figure svg[role]')].map(s =>"
                " s.querySelectorAll('.target').length)")):  # fmt: skip
            self.assertEqual(dots, 3, figure)
        self.assertGreaterEqual(self.count("#ranks figure"), 4)
        self.assertGreaterEqual(self.count("#times figure"), 3)
        visible = self.browser.run(
            "[...document.querySelectorAll('main > section svg[role]')].filter(s =>"
            " !s.closest('details')).every(s => s.getBoundingClientRect().height > 100)")
        self.assertTrue(visible)

    def test_values_appear_under_the_pointer(self):
        self.open(self.report(sample()))
        p = commgauge.load(SAMPLES / "model.json").model("hockney")["alpha"]
        tip = self.browser.hover("#links .matrix tbody tr:nth-child(1) td:nth-child(4)")
        said = interval(p.value[0, 2], p.low[0, 2], p.high[0, 2], units.seconds)
        self.assertEqual(tip, f"rank 0 (h0) to rank 2 (h2): {said}")
        self.assertEqual(self.browser.hover("h1"), "")

    def test_times_of_masters_and_workers_appear_under_the_pointer(self):
        self.open(self.report(sample(), options=self.tasks_options()))
        self.assertEqual(self.count("#masters figure svg[role]"), 2)
        self.assertRegex(self.browser.hover("#masters .target"), r"^2 processes: \S+ m?s \(")

    def test_values_of_a_picture(self):
        text = synthetic("bottleneck", 20)
        self.open(self.report(json.loads(text)))
        model = commgauge.load(self.directory / "model.json").model()
        column, row = 7, 3
        tip = self.browser.hover("#links .picture img", (column + 0.5) / 20, (row + 0.5) / 20)
        place = re.escape(f"rank {row} (h{row}) to rank {column} (h{column}): ")
        self.assertRegex(tip, place)
        said = [float(x) for x in re.findall(r"-?[\d.]+(?= \S+[BsS])", tip.split(": ")[1])]
        p = model["L"]
        expected = [1e6 * one[row, column] for one in (p.value, p.low, p.high)]
        np.testing.assert_allclose(said, expected, rtol=6e-3)

    def test_foreign_text_does_nothing(self):
        document = sample()
        for launch in document["launches"]:
            launch["ranks"][1]["host"] = HOSTILE
        self.open(self.report(document))
        self.assertEqual(self.browser.run("typeof window.hacked"), "undefined")
        tip = self.browser.hover("#links .matrix tbody tr:nth-child(1) td:nth-child(3)")
        self.assertIn(HOSTILE, tip)

    def test_an_error_would_be_seen(self):
        path = self.directory / "bad.html"
        path.write_text("<script>throw new Error('bad')</script>"
                        "<img src='http://127.0.0.1:1/x.png'>")
        self.browser.open(path)
        self.assertIn("bad", json.dumps(self.browser.errors))
        self.assertIn("http://127.0.0.1:1/x.png", self.browser.requests)


class Large(Case):
    def setUp(self):
        super().setUp()
        (self.directory / "model.json").write_text(synthetic("lmo", 1024))
        self.out = self.directory / "report.html"
        result = command("report", self.directory / "model.json", "-o", self.out)
        self.assertEqual(result.returncode, 0, result)

    def test_is_small_and_true(self):
        self.assertLess(self.out.stat().st_size, MOST_BYTES)
        page = Page(self.out.read_text())
        latency = page.of_class("picture")[0]
        about = json.loads(latency["data-about"])
        self.assertEqual((about["ranks"], about["block"], about["rows"]), (1024, 16, 64))
        cells = np.frombuffer(base64.b64decode(latency["data-cells"]), "<f4").reshape(3, 64, 64)
        value = commgauge.load(self.directory / "model.json").model("lmo")["L"].value
        block = value[:16, 32:48]
        for found, expected in zip(cells[:, 0, 2], (np.median(block), block.min(), block.max())):
            self.assertAlmostEqual(found, expected, delta=1e-6 * abs(expected))
        png = next(a["src"] for tag, a in page.elements if tag == "img")
        width, height = struct.unpack(">II", base64.b64decode(png.partition(",")[2])[16:24])
        self.assertEqual((width, height), (64, 64))

    def test_all_models_would_be_small(self):
        text = self.out.read_text()
        pictures = re.findall(r'<div class="picture".*?</div>', text, re.DOTALL)
        ranks = re.findall(r'<svg viewBox[^>]*aria-label="[Ct], .*?</svg>', text, re.DOTALL)
        self.assertEqual((len(pictures), len(ranks)), (4, 2))
        pictures_of_all, ranks_of_all = 29, 8
        rest = len(text) - sum(map(len, pictures)) - sum(map(len, ranks))
        self.assertLess(rest + pictures_of_all * max(map(len, pictures))
                        + ranks_of_all * max(map(len, ranks)), MOST_BYTES)  # fmt: skip

    @unittest.skipUnless(browser.PROGRAM, "chromium is not installed (package chromium)")
    def test_opens(self):
        with browser.Browser() as chromium:
            for width in (1280, 390):
                seconds = chromium.open(self.out, width)
                self.assertLess(seconds, 20)
                self.assertEqual(chromium.errors, [])
                self.assertLessEqual(chromium.run("document.documentElement.scrollWidth"), width)
            tip = chromium.hover("#links .picture img", 2.5 / 64, 0.5 / 64)
            self.assertRegex(tip, r"^ranks 0 to 15 to ranks 32 to 47: median \S+ µs, from ")


if __name__ == "__main__":
    unittest.main()
