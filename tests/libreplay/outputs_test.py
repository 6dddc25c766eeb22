"""What `replay run` shows and writes. Paths come from the environment, see CMakeLists.txt."""

import collections
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest

import browser
import jsonschema
import numpy as np
import recorded_test

PROGRAMS = recorded_test.PROGRAMS
HOSTILE = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"> "ä"'
RANKS, ROUNDS = 5, 20
QUANTITIES = ("latency", "bandwidth", "overheads", "computing")
SAMPLES = pathlib.Path(os.environ.get("SAMPLES", "."))
CALLS = 2 + 3 * ROUNDS + ROUNDS // 10  # of each rank


class Base(recorded_test.Base):
    """A made program: each round everybody gives the right neighbour a message, every tenth round a reduction."""

    def setUp(self):
        super().setUp()
        self.machine("lmo", RANKS, 500)
        self.write_trace("trace", RANKS, ROUNDS)

    def write_trace(self, directory, ranks, rounds, program=HOSTILE):
        done = self.run_tool("write-trace", ranks, rounds, program, directory)
        self.assertEqual(done.code, 0, done)

    def run_replay(self, *options, trace="trace"):
        done = self.run_tool("replay", "run", trace, "--model", "model.json", "--no-interval", *options)
        self.assertEqual(done.code, 0, done)
        return done.out

    def result(self, *options, trace="trace"):
        document = json.loads(self.run_replay("-o", "-", *options, trace=trace))
        jsonschema.validate(document, json.loads(recorded_test.SCHEMA.read_text()))
        return document


def to_the_right(traffic):
    """Of each rank, the messages that aren't the reductions' (these have 8 bytes) at least."""
    return {(one["from"], one["to"]): one for one in traffic if one["to"] == (one["from"] + 1) % RANKS}


class Numbers(Base):
    def test_matrix(self):
        document = self.result("--matrix")
        neighbours = to_the_right(document["traffic"])
        self.assertEqual(len(neighbours), RANKS)
        reduced = ROUNDS // 10
        for (sender, _), pair in neighbours.items():
            own = sum(2 ** (4 + (k + sender) % 12) for k in range(ROUNDS))
            extra = pair["messages"] - ROUNDS
            self.assertIn(extra, range(0, 3 * reduced + 1))
            self.assertEqual(pair["bytes"], own + 8 * extra)
        others = [one for one in document["traffic"] if one not in neighbours.values()]
        self.assertTrue(all(one["bytes"] == 8 * one["messages"] for one in others), others)
        self.assertNotIn("traffic", self.result())

    def test_utilisation(self):
        document = self.result()
        time = document["time_s"]
        self.assertAlmostEqual(document["utilisation"], document["computing_s"] / RANKS / time)
        for rank in document["ranks"]:
            self.assertAlmostEqual(rank["utilisation"], rank["computing_s"] / time)

    def test_text(self):
        text = self.run_replay("--matrix")
        document = self.result("--matrix")
        all_messages = sum(one["messages"] for one in document["traffic"])
        self.assertIn(f"  {all_messages} messages, ", text)
        self.assertIn("a row for each sender", text)
        self.assertRegex(text, r"utilisation +\S+ % of the ranks' time is computing \(least rank \d: .*, most rank \d: ")
        heaviest = max(document["traffic"], key=lambda one: one["bytes"])
        first = text.partition("% of all\n")[2].split("\n")[0].split()
        self.assertEqual(first[:3], [str(heaviest[name]) for name in ("from", "to", "messages")])

    def test_progress(self):
        shown = ("replay", "run", "trace", "--model", "model.json", "--progress")
        self.assertIn("(replaying)", self.run_tool(*shown, "always").err)
        self.assertNotIn("(replaying)", self.run_tool(*shown, "never").err)

    def test_text_of_many_ranks(self):
        self.machine("lmo", 32, 500)
        self.write_trace("many", 32, 10)
        text = self.run_replay("--matrix", trace="many")
        self.assertIn("pairs those with the most bytes", text)
        self.assertNotIn("a row for each sender", text)


class Formats(Base):
    """Others' programs read them, where they are installed; what they say fits to -o's."""

    def test_trace_events(self):
        self.run_replay("--perfetto", "run.json", "--matrix", "-o", "result.json")
        document = json.loads((self.directory / "result.json").read_text())
        events = json.loads((self.directory / "run.json").read_text())
        self.assertEqual(collections.Counter(one["tid"] for one in events if one.get("cat") == "mpi"),
                         {rank: CALLS for rank in range(RANKS)})
        names = {one["tid"]: one["args"]["name"] for one in events if one["name"] == "thread_name"}
        self.assertEqual(names[3], "rank 3 (h3)")
        self.assertEqual(next(one for one in events if one["name"] == "process_name")["args"]["name"], HOSTILE)
        for rank in document["ranks"]:
            last = next(one for one in events if one["name"] == "MPI_Finalize" and one["tid"] == rank["rank"])
            self.assertAlmostEqual(last["ts"] * 1e-6, rank["end_s"], delta=1e-9)
        self.check_arrows(events, sum(one["messages"] for one in document["traffic"]))

    def check_arrows(self, events, count):
        """Both ends of each are within something that its thread does, as Perfetto wants it."""
        slices = collections.defaultdict(list)
        for one in events:
            if one["ph"] == "X":
                self.assertGreaterEqual(one["dur"], 0)
                slices[one["tid"]].append((one["ts"], one["ts"] + one["dur"]))
        starts = {one["id"]: one for one in events if one["ph"] == "s"}
        ends = {one["id"]: one for one in events if one["ph"] == "f"}
        self.assertEqual((len(starts), len(ends)), (count, count))
        for number, start in starts.items():
            end = ends[number]
            self.assertLess(start["ts"], end["ts"])
            self.assertEqual((start["tid"], end["tid"]), (start["args"]["from"], start["args"]["to"]))
            for one in (start, end):
                self.assertTrue(any(a <= one["ts"] < b for a, b in slices[one["tid"]]), one)

    def test_paje(self):
        self.run_replay("--paje", "run.trace", "--matrix", "-o", "result.json")
        text = (self.directory / "run.trace").read_text()
        times = [float(line.split()[1]) for line in text.splitlines() if re.match(r"(4|5|6|7|8|9|10) [\d.]+ ", line)]
        self.assertEqual(times, sorted(times))
        if shutil.which("pj_dump") is None:
            self.skipTest("pj_dump is not installed (package pajeng)")
        document = json.loads((self.directory / "result.json").read_text())
        done = subprocess.run(["pj_dump", "run.trace"], cwd=self.directory, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = [line.split(", ") for line in done.stdout.splitlines()]
        links = [row for row in rows if row[0] == "Link"]
        self.assertEqual(len(links), sum(one["messages"] for one in document["traffic"]))
        for rank in document["ranks"]:
            name = f"rank {rank['rank']} (h{rank['rank']})"
            calls = [row for row in rows if row[:3] == ["State", name, "call"]]
            self.assertEqual(len(calls), CALLS + 1)  # and the region
            waits = [float(row[5]) for row in rows if row[:3] == ["State", name, "doing"] and row[-1] == "waiting"]
            self.assertAlmostEqual(sum(waits), rank["waiting_s"], delta=1e-6 * (len(waits) + 1))

    def test_archive(self):
        before = self.result("--otf2", "again")
        info = self.run_tool("replay", "info", "again")
        for words in ("in virtual time", f"{RANKS} ranks"):
            self.assertIn(words, info.out)
        self.assertNotIn("clocks differ", info.out)
        # What was computed there is its CPU time: the same machine takes the same time again.
        after = self.result(trace="again")
        self.assertAlmostEqual(after["time_s"], before["time_s"], delta=1e-12)
        if shutil.which("otf2-print") is None:
            self.skipTest("otf2-print is not installed (package otf2-tools)")
        done = subprocess.run(["otf2-print", "again/traces.otf2"], cwd=self.directory, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(re.findall(r"^MPI_ISEND ", done.stdout, re.MULTILINE)), RANKS * ROUNDS)
        self.assertEqual(len(re.findall(r"^MPI_RECV ", done.stdout, re.MULTILINE)), RANKS * ROUNDS)
        ends = re.findall(r'^ENTER +(\d+) +(\d+) +Region: "MPI_Finalize"', done.stdout, re.MULTILINE)
        for rank, time in ends:
            self.assertEqual(int(time), round(before["ranks"][int(rank)]["end_s"] * 1e9))


class Kept(Base):
    """Bad input leaves everything as it was."""

    def refused(self, *options):
        before = {file: file.read_bytes() for file in self.directory.rglob("*") if file.is_file()}
        done = self.run_tool("replay", "run", "trace", "--model", "model.json", *options)
        after = {file: file.read_bytes() for file in self.directory.rglob("*") if file.is_file()}
        self.assertEqual(before, after)
        self.assertEqual(done.out, "")
        return done

    def test_inputs_are_not_replaced(self):
        for option in ("-o", "--page", "--perfetto", "--paje"):
            self.assert_refused(self.refused(option, "model.json"), option, "the same file")
            self.assert_refused(self.refused(option, "trace/traces.otf2"), option, "in the archive that is read")
            self.assert_refused(self.refused(option, "trace/new"), option, "in the archive that is read")
        self.assert_refused(self.refused("--otf2", "trace"), "in the archive that is read")

    def test_outputs_are_different_files(self):
        self.assert_refused(self.refused("--page", "x", "--paje", "x"), "--page", "--paje")

    def test_an_archive_that_is_there(self):
        (self.directory / "full").mkdir()
        (self.directory / "full/file").write_text("")
        self.assert_refused(self.refused("--otf2", "full"), "--otf2 full", "not an empty directory")
        self.assert_refused(self.refused("--otf2", "model.json"), "not an empty directory")

    def test_options_that_contradict(self):
        self.assert_refused(self.refused("--otf2", "x", "--rematch"), "--rematch")
        self.assert_refused(self.refused("--timeline", "--page", "-"), "--timeline")

    def test_nowhere_to_write(self):
        self.assert_refused(self.refused("--page", "no/where.html"), "no/where.html")

    def test_program_without_a_message(self):
        self.write_trace("none", RANKS, 0, "")
        document = self.result("--matrix", "--page", "none.html", "--perfetto", "none.json", "--paje", "none.trace",
                               trace="none")
        self.assertEqual(document["traffic"], [])
        json.loads((self.directory / "none.json").read_text())


@unittest.skipUnless(browser.PROGRAM, "chromium is not installed (package chromium)")
class InBrowser(Base):
    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(browser.Browser())

    def setUp(self):
        super().setUp()
        self.page = self.directory / "run.html"

    def open(self, width=1280, scheme="light", page=None):
        page = page or self.page
        self.browser.open(page, width, scheme)
        self.assertEqual(self.browser.errors, [])
        elsewhere = [url for url in self.browser.requests if not url.startswith("data:")]
        self.assertEqual(elsewhere, [page.resolve().as_uri()])

    def state(self):
        self.browser.run("new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(d)))")
        found = self.browser.run("Object.assign({}, document.getElementById('timeline').dataset)")
        return {name: float(value) for name, value in found.items()}

    def press(self, key, target="timeline"):
        self.browser.run(f"document.getElementById('{target}').focus()")
        self.browser.run(f"document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{key: {json.dumps(key)}}}))")
        return self.state()

    def text(self, selector):
        return self.browser.run(f"document.querySelector({json.dumps(selector)}).textContent")

    def texts(self, selector):
        return self.browser.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)")

    def seconds(self, text):
        number, unit = text.split()[:2]
        return float(number) * {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]

    def wait_until_drawn(self, canvases, most_s=20):
        """Until each has more colours than five."""
        deadline = time.monotonic() + most_s
        while True:
            colours = self.browser.run(
                json.dumps(canvases) + ".map((id) => { const c = document.getElementById(id); return c.width * c.height"
                " && new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size;"
                " })")
            if min(colours) > 5:
                return
            self.assertLess(time.monotonic(), deadline, dict(zip(canvases, colours)))
            time.sleep(0.02)

    def check_screens(self, prepare="0", canvases=("timeline", "matrix")):
        """On each it fits, can be read, and has its pictures."""
        brightness = {}
        for width in (1280, 390):
            for scheme in ("light", "dark"):
                with self.subTest(width=width, scheme=scheme):
                    self.open(width, scheme)
                    self.browser.run(prepare)
                    self.wait_until_drawn(canvases)
                    self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width)
                    colours = self.browser.run(
                        "['color', 'backgroundColor'].map(n => getComputedStyle(document.body)[n])")
                    ink, paper = (np.mean([int(x) for x in re.findall(r"\d+", c)[:3]]) for c in colours)
                    self.assertGreater(abs(ink - paper), 150, colours)
                    brightness[scheme] = paper
        self.assertGreater(brightness["light"], 200)
        self.assertLess(brightness["dark"], 60)


class Page(InBrowser):
    def setUp(self):
        super().setUp()
        self.run_replay("--page", "run.html", "--matrix", "-o", "result.json")

    def test_fits_on_screens_light_and_dark(self):
        self.check_screens()

    def test_explains_nothing_unasked(self):
        self.open()
        self.assertEqual(self.browser.run("document.getElementById('answers-section').offsetHeight"), 0)
        self.assertEqual(self.browser.run("document.getElementById('shows-path').offsetHeight"), 0)

    def test_foreign_text_does_nothing(self):
        self.open()
        self.assertEqual(self.browser.run("typeof window.hacked"), "undefined")
        self.assertEqual(self.text("#program"), HOSTILE)
        self.assertNotIn(HOSTILE, self.page.read_text())
        self.assertNotIn(html.escape(HOSTILE), self.page.read_text())

    def test_says_what_the_result_says(self):
        self.open()
        document = json.loads((self.directory / "result.json").read_text())
        messages = sum(one["messages"] for one in document["traffic"])
        self.assertEqual(self.state()["messages"], messages)
        self.browser.run("new Promise((done) => setTimeout(done, 50))")
        self.assertEqual(self.browser.run("document.querySelectorAll('#ranks tbody tr').length"), RANKS)
        shown = self.text("#cards strong").split()
        self.assertAlmostEqual(float(shown[0]) * {"ms": 1e-3, "µs": 1e-6}[shown[1]], document["time_s"],
                               delta=1e-3 * document["time_s"])
        notes = self.browser.run("[...document.querySelectorAll('#notes li')].map((one) => one.textContent)")
        self.assertEqual(notes, document["notes"])

    def test_zooms_from_the_whole_run_to_one_message(self):
        self.open()
        whole = self.state()
        self.assertEqual((whole["from"], whole["top"], whole["bottom"]), (0, 0, RANKS))
        closer = self.press("+")
        self.assertAlmostEqual(closer["to"] - closer["from"], whole["to"] / 2)
        moved = self.press("ArrowRight")
        self.assertGreater(moved["from"], closer["from"])
        self.assertEqual(self.press("0")["to"], whole["to"])
        self.assertEqual(self.press("n")["chosen"], 0)
        self.assertEqual(self.press("n")["chosen"], 1)
        self.assertEqual(self.press("p")["chosen"], 0)
        self.assertRegex(self.text("#said"), r"^Message 1 of \d+: rank \d to rank \d, .* B, from .* to ")
        one = self.press("Enter")
        self.assertLess(one["to"] - one["from"], whole["to"] / 10)
        self.assertLess(self.press("]")["bottom"] - self.press("]")["top"], RANKS)
        self.assertEqual(self.press("Escape")["messages"], whole["messages"])

    def test_wheel_and_drag(self):
        self.open()
        whole = self.state()
        box = self.browser.run("(() => { const c = document.getElementById('timeline'); c.scrollIntoView(); const b ="
                               " c.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
        x, y = box[0] + box[2] / 2, box[1] + box[3] / 2
        mouse = lambda kind, x, **more: self.browser._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)
        mouse("mouseWheel", x, deltaX=0, deltaY=-300)
        closer = self.state()
        self.assertLess(closer["to"] - closer["from"], whole["to"] / 2)
        mouse("mousePressed", x, button="left", clickCount=1)
        mouse("mouseMoved", x - 100, button="left", buttons=1)
        mouse("mouseReleased", x - 100, button="left", clickCount=1)
        dragged = self.state()
        self.assertGreater(dragged["from"], closer["from"])
        self.assertAlmostEqual(dragged["to"] - dragged["from"], closer["to"] - closer["from"], delta=1)
        self.assertEqual(self.browser.errors, [])

    def test_pinch(self):
        self.open(390)
        whole = self.state()
        box = self.browser.run("(() => { const c = document.getElementById('timeline'); c.scrollIntoView(); const b ="
                               " c.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
        y = box[1] + box[3] / 2
        fingers = lambda kind, *xs: self.browser._call("Input.dispatchTouchEvent", type=kind, touchPoints=[
            {"x": box[0] + x, "y": y, "id": k} for k, x in enumerate(xs)])
        fingers("touchStart", 150, 250)
        for step in range(1, 6):
            fingers("touchMove", 150 - 10 * step, 250 + 10 * step)
        fingers("touchEnd")
        closer = self.state()
        self.assertAlmostEqual((closer["to"] - closer["from"]) / whole["to"], 0.5, delta=0.1)

    def test_details_under_the_pointer(self):
        self.open()
        self.browser.run("document.getElementById('shows-messages').click()")
        self.state()
        tip = self.browser.hover("#timeline", 0.5, 0.5)
        self.assertRegex(tip, r"^rank \d \(h\d\), \S+ .s")
        self.assertIn("region <b>phase", tip)
        tip = self.browser.hover("#matrix", (48 + 1.5 * (520 - 48) / RANKS) / 520, (34 + 0.5 * (520 - 34) / RANKS) / 520)
        document = json.loads((self.directory / "result.json").read_text())
        pair = to_the_right(document["traffic"])[0, 1]
        self.assertTrue(tip.startswith(f"rank 0 to rank 1: {pair['messages']} messages, "), tip)

    def test_matrix_by_keys(self):
        self.open()
        self.press("ArrowRight", "matrix")
        self.assertRegex(self.text("#cell"), r"^rank 0 to rank 1: \d+ messages")

    def test_no_time_passes(self):
        self.write_trace("none", RANKS, 0, "")
        self.run_replay("--page", "none.html", trace="none")
        self.open(page=self.directory / "none.html")
        self.press("n")
        self.press("Enter")
        self.assertEqual(self.browser.errors, [])

    def test_many_ranks_and_events(self):
        self.machine("lmo", 200, 500)
        self.write_trace("many", 200, 200)
        self.run_replay("--page", "many.html", trace="many")
        for width in (1280, 390):
            self.open(width, page=self.directory / "many.html")
            whole = self.state()
            self.assertGreaterEqual(whole["messages"], 200 * 200)
            self.assertLess(whole["arrows"], 1000)
            self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width)
            self.assertLess(self.browser.run("document.querySelectorAll('*').length"), 3200)
            self.press("n")
            one = self.press("Enter")
            self.assertEqual(one["arrows"], one["messages"])


class Explained(InBrowser):
    """The page of `replay explain`: it says what its JSON says, and draws it."""

    CHOOSE = "document.querySelectorAll('[name=answer]')[%d].click()"

    def setUp(self):
        super().setUp()
        done = self.run_tool("replay", "explain", "trace", "--model", "model.json", "--no-interval",
                             "--page", "run.html", "-o", "explanation.json")
        self.assertEqual(done.code, 0, done)
        self.document = json.loads((self.directory / "explanation.json").read_text())
        bounds = ("all_waits", "all_balanced", "both")
        self.answers = [one for one in self.document["answers"] if one["kind"] not in bounds]
        self.bounds = [one for one in self.document["answers"] if one["kind"] in bounds]
        self.assertGreater(len(self.answers), 2)

    def picture(self, canvas):
        self.state()
        return self.browser.run(f"document.getElementById('{canvas}').toDataURL()")

    def test_fits_on_screens_light_and_dark(self):
        curves = tuple(f"what-if-{quantity}" for quantity in QUANTITIES)
        self.check_screens(self.CHOOSE % 0, ("timeline", "after", "matrix", *curves))

    def test_says_what_to_do_first(self):
        self.open()
        self.assertEqual(self.texts("#answers strong"), [one["title"] for one in self.answers])
        self.assertEqual(self.texts("#answers .note"), [one["advice"] for one in self.answers])
        self.assertEqual(len(self.texts("#bounds li")), len(self.bounds))
        for text, answer in zip(self.texts("#answers .gain"), self.answers):
            saved = self.seconds(text.replace("\u00a0", " ").removeprefix("saves ").replace(",", ""))
            self.assertAlmostEqual(saved, answer["gain_s"]["value"], delta=1e-3 * saved)
        shown = "[...document.querySelectorAll('#answers li')].filter((one) => one.offsetHeight > 0).length"
        self.assertEqual(self.browser.run(shown), min(6, len({one["time_s"]["value"] for one in self.answers})))
        self.browser.run("document.getElementById('more-answers').click()")
        self.assertEqual(self.browser.run(shown), len(self.answers))
        self.assertEqual(self.browser.run("typeof window.hacked"), "undefined")

    def test_says_where_the_time_goes(self):
        self.open()
        widths = self.browser.run("[...document.querySelectorAll('#path-bar span')].map((s) => parseFloat(s.style.width))")
        self.assertAlmostEqual(sum(widths), 100, delta=0.5)
        by_rank = collections.Counter()
        for part in self.document["critical_path"]["parts"]:
            by_rank[str(part["rank"])] += part["seconds"]
        self.browser.run("(() => { const by = document.getElementById('parts-by'); by.value = 'rank';"
                         " by.dispatchEvent(new Event('change')); })()")
        shown = self.browser.run("[...document.querySelectorAll('#parts tbody tr')].map((r) =>"
                                 " [...r.cells].map((c) => c.textContent))")
        self.assertEqual([row[2] for row in shown], [rank for rank, _ in by_rank.most_common()])
        for time, _, rank in shown:
            self.assertAlmostEqual(self.seconds(time), by_rank[rank], delta=1e-3 * by_rank[rank])

    def test_draws_the_critical_path(self):
        self.open()
        with_path = self.picture("timeline")
        self.assertGreater(self.state()["pathLines"], 10)
        self.browser.run("document.getElementById('shows-path').click()")
        self.assertNotEqual(self.picture("timeline"), with_path)
        self.assertEqual(self.state()["pathLines"], 0)
        self.browser.run("document.getElementById('shows-path').click()")
        self.assertEqual(self.picture("timeline"), with_path)
        self.press("+")
        few = self.press("+")
        self.assertGreater(few["pathLines"], 0)
        self.browser.run("document.getElementById('shows-messages').click()")
        self.state()
        # In the middle of a stretch of the path that is nothing but computing.
        step = max((one for one in self.document["critical_path"]["steps"] if one["kind"] == "computing"),
                   key=lambda one: one["to_s"] - one["from_s"])
        self.press("0")
        whole = self.state()
        share = (step["from_s"] + step["to_s"]) / 2 * 1e9 / whole["to"]
        left = self.browser.run("document.getElementById('timeline').clientWidth") - 1
        tips = {self.browser.hover("#timeline", (40 + share * (left - 40)) / left, (26 + (step["rank"] + 0.8) * 50) / 282)}
        self.assertTrue(any("critical path: " in tip for tip in tips), tips)

    def test_draws_the_domino_path(self):
        self.open()
        path = self.document["domino_paths"][0]
        self.assertEqual(len(self.texts("#domino-steps tbody tr")), len(path["steps"]))
        without = self.picture("timeline")
        self.browser.run("document.getElementById('shows-domino').click()")
        self.assertNotEqual(self.picture("timeline"), without)
        self.browser.run("document.querySelector('#domino-steps button').click()")
        found = self.state()
        self.assertTrue(found["from"] < path["steps"][0]["at_s"] * 1e9 < found["to"], found)

    def test_before_and_after(self):
        self.open()
        before = self.state()["to"]
        shown = [k for k, one in enumerate(self.texts("#answers li")) if "before and after" in one]
        self.assertEqual(len(shown), 5)
        for k in shown:
            self.browser.run(self.CHOOSE % k)
            self.state()
            self.assertTrue(self.texts("#after-what")[0].endswith(self.answers[k]["title"]))
            end = float(self.browser.run("document.getElementById('after').dataset.lastEnd"))
            gain = self.answers[k]["gain_s"]["value"] * 1e9
            self.assertGreaterEqual(end, self.answers[k]["time_s"]["value"] * 1e9 - 1)
            self.assertLess(end, before - gain / 2)
        whole = self.picture("after")
        self.press("+", "after")
        self.assertNotEqual(self.picture("after"), whole)
        self.assertLess(self.state()["to"] - self.state()["from"], before)
        self.browser.run("document.getElementById('close-after').click()")
        self.state()
        self.assertEqual(self.browser.run("document.getElementById('after').offsetHeight"), 0)
        self.assertEqual(self.browser.errors, [])

    def test_answers_by_keys(self):
        self.open()
        self.browser.run("document.querySelector('[name=answer]').focus()")
        for kind in ("keyDown", "keyUp"):
            self.browser._call("Input.dispatchKeyEvent", type=kind, key="ArrowDown", code="ArrowDown",
                               windowsVirtualKeyCode=40)
        self.assertEqual(self.state()["answer"], self.document["answers"].index(self.answers[1]))

    def test_nothing_to_do(self):
        self.write_trace("none", RANKS, 0, "")
        done = self.run_tool("replay", "explain", "none", "--model", "model.json", "--no-interval", "--page", "none.html")
        self.assertEqual(done.code, 0, done)
        self.open(page=self.directory / "none.html")
        self.assertEqual(self.browser.errors, [])

    def test_the_archive_is_not_written_to(self):
        done = self.run_tool("replay", "explain", "trace", "--model", "model.json", "--page", "trace/new")
        self.assert_refused(done, "--page", "in the archive that is read")


class OtherMachines(InBrowser):
    """Curves on the page of `replay explain`: what `replay what-if` says, drawn."""

    OPTIONS = [word for name in QUANTITIES for word in ("--curve", f"{name}=0.25..4")]

    def explain(self, *options, trace="trace", model="model.json"):
        done = self.run_tool("replay", "explain", trace, "--model", model, "--page", "run.html", *options)
        self.assertEqual(done.code, 0, done)
        self.open()

    def what_if(self, *options, trace="trace", model="model.json"):
        done = self.run_tool("replay", "what-if", trace, "--model", model, "-o", "-", "--tolerance", *self.OPTIONS,
                             *options)
        self.assertEqual(done.code, 0, done)
        return json.loads(done.out)

    def rows(self):
        return self.browser.run("[...document.querySelectorAll('#what-ifs-table tbody tr')].map((r) =>"
                                " [...r.cells].map((c) => c.textContent))")

    def captions(self):
        texts = [text.replace("\u00a0", " ") for text in self.texts(".what-ifs p")]
        return dict(zip(QUANTITIES, texts, strict=True))

    def height(self):
        return self.browser.run("document.getElementById('what-ifs-section').offsetHeight")

    def check_numbers(self, told):
        points = [(curve["quantity"].capitalize(), point) for curve in told["curves"] for point in curve["points"]]
        for (name, point), row in zip(points, self.rows(), strict=True):
            self.assertEqual(row[0], name)
            self.assertAlmostEqual(float(row[1]), point["factor"], delta=1e-3 * point["factor"])
            self.assertAlmostEqual(self.seconds(row[2]), point["time_s"], delta=1e-3 * point["time_s"])
            self.assertAlmostEqual(float(row[4]), point["ratio"], delta=1e-3 * point["ratio"])
            for text, ends, number in ((row[3], ("low_s", "high_s"), self.seconds),
                                       (row[5], ("ratio_low", "ratio_high"), float)):
                if point[ends[0]] is None:
                    self.assertEqual(text, "-")
                    continue
                for end, said in zip(ends, text.split(" to "), strict=True):
                    self.assertAlmostEqual(number(said), point[end], delta=1e-3 * point[end])

    def check_tolerances(self, told):
        """In words, with three digits, and as lines where the picture has room for them."""
        for quantity, text in self.captions().items():
            all_of = [one for one in told["tolerances"] if one["quantity"] == quantity]
            drawn = 0
            for one in all_of:
                if one["slower"] is None:
                    self.assertIn("Even with ", text)
                    continue
                factor = 1 / one["slower"] if quantity == "bandwidth" else one["slower"]
                drawn += 0.25 <= factor <= 4
                said = re.search(rf"([\d.]+) times(?: \(([\d.]+ .s) more\))? (?:before the run takes|for) "
                                 rf"{100 * one['longer']:g} %", text)
                self.assertIsNotNone(said, text)
                self.assertAlmostEqual(float(said[1]), factor, delta=5e-3 * factor)
                self.assertEqual(said[2] is None, one["added_s"] is None)
                if one["added_s"] is not None:
                    self.assertAlmostEqual(self.seconds(said[2]), one["added_s"], delta=1e-3 * one["added_s"])
            shown = self.browser.run(f"document.getElementById('what-if-{quantity}').dataset.tolerances")
            self.assertEqual(int(shown), drawn, quantity)

    def test_says_what_the_command_says(self):
        self.explain("--no-interval")
        told = self.what_if("--no-interval")
        self.check_numbers(told)
        self.check_tolerances(told)
        self.assertNotIn("interval", self.text("#what-ifs-about"))
        self.assertRegex(self.text("#what-ifs-about"), r"Found by \d+ replays\.$")
        self.assertEqual(self.text("#what-ifs-note"), "")

    def test_with_intervals(self):
        model = SAMPLES / "model.json"
        ranks = json.loads(model.read_text())["n"]
        self.write_trace("few", ranks, ROUNDS)
        self.explain(trace="few", model=model)
        told = self.what_if(trace="few", model=model)
        self.assertIsNotNone(told["curves"][0]["points"][0]["low_s"])
        self.check_numbers(told)
        self.check_tolerances(told)
        self.assertIn("Around each line is the time's interval.", self.text("#what-ifs-about"))
        self.check_screens(canvases=tuple(f"what-if-{quantity}" for quantity in QUANTITIES))
        self.assertEqual(self.browser.errors, [])

    def test_a_point_under_the_pointer(self):
        self.explain("--no-interval")
        told = self.what_if("--no-interval")
        (latency,) = (curve for curve in told["curves"] if curve["quantity"] == "latency")
        tip = self.browser.hover("#what-if-latency", 0.999, 0.5)
        self.assertTrue(tip.startswith("latency × 4: "), tip)
        shown = self.seconds(tip.partition(": ")[2].replace(",", ""))
        self.assertAlmostEqual(shown, latency["points"][-1]["time_s"], delta=1e-3 * shown)

    def test_what_does_not_matter(self):
        self.explain("--no-interval", "--compute", "none")
        self.assertIn("with twice the computing as long. Even with 1024 times the computing it takes less than 1 %",
                      self.captions()["computing"])

    def test_points(self):
        self.explain("--no-interval", "--curves", "3")
        self.assertEqual([row[1] for row in self.rows()], ["0.25", "1", "4"] * len(QUANTITIES))
        self.explain("--no-interval", "--curves", "0")
        self.assertEqual(self.height(), 0)
        done = self.run_tool("replay", "explain", "trace", "--model", "model.json", "--curves", "1")
        self.assert_refused(done, "--curves 1")

    def test_a_topology_has_none(self):
        done = self.run_tool("replay", "explain", "trace", "--topology", f"full:{RANKS}", "--start-up", "50us",
                             "--per-byte", "1ns", "--page", "run.html")
        self.assertEqual(done.code, 0, done)
        self.open()
        self.assertEqual(self.height(), 0)

    def test_long_programs_have_less(self):
        self.machine("lmo", 16, 500)
        self.write_trace("long", 16, 5000)
        self.explain("--no-interval", trace="long")
        self.assertEqual(len(self.rows()), 9 * len(QUANTITIES))
        self.assertIn("Tolerances are left out: the program is long", self.text("#what-ifs-note"))
        self.assertNotIn("Red lines", self.text("#what-ifs-about"))
        self.assertEqual({name: text.count("before the run") for name, text in self.captions().items()},
                         dict.fromkeys(QUANTITIES, 0))


if __name__ == "__main__":
    unittest.main()
