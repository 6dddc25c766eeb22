#!/usr/bin/env python3
"""scripts/calibrate --launches in a tree of its own, with a launcher that only hands out files."""

import json
import os
import pathlib
import shutil
import signal
import unittest

import harness
import synthetic

SCRIPTS = pathlib.Path(os.environ["SCRIPTS"])
LAUNCHER = """#!/bin/bash
# mpiexec -n RANKS PROGRAM calibrate --measurements FILE OPTION...
printf '%s\\n' "$*" >> "$TREE/calls"
call=$(wc -l < "$TREE/calls")
while [ $# -gt 0 ] && [ "$1" != --measurements ]; do shift; done
source "$TREE/launch"
"""


class Launches(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.tree = self.directory / "tree"
        (self.tree / "scripts").mkdir(parents=True)
        (self.tree / "bin").mkdir()
        (self.tree / "build/release/bin").mkdir(parents=True)
        for name in ("calibrate", "common.sh"):
            shutil.copy(SCRIPTS / name, self.tree / "scripts")
        (self.tree / "build/release/bin/estimate-model").symlink_to(shutil.which(harness.PROGRAM))
        measuring = self.tree / "build/release/libexec/commgauge/mpich"
        measuring.mkdir(parents=True)
        (measuring / "estimate-model").symlink_to(shutil.which(harness.PROGRAM))
        self.script("scripts/install-packages", "#!/bin/sh\n")
        self.script("bin/cmake", "#!/bin/sh\n")
        self.script("bin/mpiexec.mpich", LAUNCHER)
        for k in range(1, 4):
            synthetic.write(self.tree / f"m{k}.json", synthetic.Machine(), seed=k)
        self.launch('cp "$TREE/m$call.json" "$2"')
        self.work = self.directory / "work"
        self.work.mkdir()

    def script(self, name, text):
        (self.tree / name).write_text(text)
        (self.tree / name).chmod(0o755)

    def launch(self, text):
        """What a launch does: $call is its number, $2 the file to write."""
        (self.tree / "launch").write_text(text + "\n")

    def calibrate(self, *arguments):
        environment = {**os.environ, "TREE": str(self.tree),
                       "PATH": f"{self.tree / 'bin'}:{os.environ['PATH']}"}
        return harness.Job([self.tree / "scripts/calibrate", *map(str, arguments)], cwd=self.work,
                           env=environment).end()

    def calls(self):
        return (self.tree / "calls").read_text().splitlines()

    def files(self):
        return sorted(file.name for file in self.work.iterdir())

    def launches(self, name):
        return len(json.loads((self.work / name).read_text())["launches"])

    def test_makes_one_model_of_all(self):
        result = self.calibrate("-n", "4", "--launches", "3", "--precision", "0.1")
        self.assert_code(result, 0)
        self.assertEqual(len(self.calls()), 3)
        for call in self.calls():
            self.assertTrue(call.startswith("-n 4 "), call)
            self.assertTrue(call.endswith("--precision 0.1"), call)
            self.assertNotIn(" -o ", call)
        for k in range(1, 4):
            self.assertIn(f"Launch {k} of 3", result.err)
        self.assertEqual(self.files(), ["measurements.json", "model.json"])
        self.assertEqual(self.launches("model.json"), 3)
        self.assertEqual(self.launches("measurements.json"), 3)
        self.assertIn("intervals: 95 %, launches included", result.out)

    def test_names_and_models_are_passed_on(self):
        self.assert_code(self.calibrate("--launches=2", "--models", "hockney", "-o", "a.json",
                                        "--measurements", "b.json"), 0)
        self.assertEqual(self.files(), ["a.json", "b.json"])
        self.assertEqual(list(json.loads((self.work / "a.json").read_text())["models"]),
                         ["hockney", "jitter"])

    def test_a_launch_that_fails_ends_it(self):
        self.launch('[ "$call" -lt 3 ] || exit 4; cp "$TREE/m$call.json" "$2"')
        result = self.calibrate("--launches", "5")
        self.assert_code(result, 4)
        self.assertIn("launch 3 of 5 failed (exit code 4): 2 measured", result.err)
        self.assertEqual(len(self.calls()), 3)
        self.assertEqual(self.files(), ["measurements.json", "model.json"])
        self.assertEqual(self.launches("model.json"), 2)

    def test_the_first_launch_fails(self):
        self.launch("exit 2")
        result = self.calibrate("--launches", "2")
        self.assert_code(result, 2)
        self.assertEqual(self.files(), [])

    def test_an_imprecise_launch_is_one(self):
        self.launch('cp "$TREE/m$call.json" "$2"; [ "$call" != 2 ] || exit 3')
        self.assert_code(self.calibrate("--launches", "3"), 3)
        self.assertEqual(self.launches("model.json"), 3)

    def test_told_to_stop(self):
        """As Ctrl-C does, which the launch gets, too."""
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                (self.tree / "calls").unlink(missing_ok=True)
                self.launch(f'cp "$TREE/m$call.json" "$2"; [ "$call" != 2 ] || '
                            f'{{ kill -{int(number)} $PPID; exit 3; }}')
                result = self.calibrate("--launches", "3")
                self.assert_code(result, 3)
                self.assertIn("stopped after launch 2 of 3", result.err)
                self.assertEqual(len(self.calls()), 2)
                self.assertEqual(self.launches("model.json"), 2)

    def test_told_to_stop_before_a_launch_has_measured(self):
        self.launch('[ "$call" != 2 ] || { kill -TERM $PPID; exit 2; }; cp "$TREE/m$call.json" "$2"')
        result = self.calibrate("--launches", "3")
        self.assert_code(result, 3)
        self.assertIn("stopped in launch 2 of 3: 1 measured", result.err)
        self.assertEqual(self.launches("model.json"), 1)

    def test_what_was_measured_stays_where_it_cant_be_merged(self):
        document = synthetic.measurements(synthetic.Machine())
        document["launches"][0]["ranks"][1]["host"] = "elsewhere"
        (self.tree / "m2.json").write_text(json.dumps(document))
        result = self.calibrate("--launches", "2")
        self.assert_code(result, 2)
        self.assertIn("what was measured is in measurements.launch-1.json", result.err)
        self.assertEqual(self.files(), ["measurements.launch-1.json", "measurements.launch-2.json"])

    def test_usage(self):
        for launches in ("0", "two", "", "-1", "1000"):
            with self.subTest(launches):
                result = self.calibrate("--launches", launches)
                self.assert_code(result, 2)
                self.assertIn("number of launches", result.err)
        self.assert_code(self.calibrate("--launches", "2", "-o", "none/model.json"), 2)
        self.assertFalse((self.tree / "calls").exists())
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
