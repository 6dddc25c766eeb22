#!/usr/bin/python3
"""Whether scripts/second-tries counts what ctest's log says.

    second_tries_test.py SOURCE
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()


def log_of(*tries):
    """As ctest writes it. @param tries  name and how it ended"""
    return "".join(f'1/2 Testing: {name}\n"{name}" start time: now\nOutput:\nTest text\n<end of output>\nTest {end}.\n'
                   f'"{name}" end time: now\n' for name, end in tries)


class SecondTries(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.directory = pathlib.Path(folder.name)

    def run_on(self, *tries):
        log = self.directory / "LastTest.log"
        log.write_text(log_of(*tries))
        return subprocess.run([SOURCE / "scripts/second-tries", log, self.directory / "counts.json"],
                              stdout=subprocess.PIPE, text=True, check=False)

    def counts(self):
        return json.loads((self.directory / "counts.json").read_text())

    def test_only_what_passed_at_last_counts(self):
        done = self.run_on(("a", "Passed"), ("b", "Failed"), ("b", "Passed"), ("c", "Failed"), ("c", "Failed"))
        self.assertEqual(self.counts(), {"b": 1})
        self.assertIn("second try: b (1 ", done.stdout)
        self.assertEqual(done.returncode, 0)

    def test_three_in_a_row_are_a_failure(self):
        ends = [self.run_on(("b", "Failed"), ("b", "Passed")).returncode for _ in range(3)]
        self.assertEqual(ends, [0, 0, 1])

    def test_a_first_try_that_passes_ends_the_row(self):
        self.run_on(("b", "Failed"), ("b", "Passed"))
        self.run_on(("a", "Passed"))
        self.assertEqual(self.counts(), {"b": 1}, "b didn't run")
        self.run_on(("b", "Passed"))
        self.assertEqual(self.counts(), {})


if __name__ == "__main__":
    unittest.main()
