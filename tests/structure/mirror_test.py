#!/usr/bin/python3
"""Tests mirror the tree: each source of libestimate has the test of its name.

    mirror_test.py SOURCE

libestimate/src/ROOM/x.cpp is tested by tests/libestimate/ROOM/x_test.cpp; EXCEPTIONS are the sources
that aren't, each with the reason. Tests without a source of their name are of headers, or of what
several sources do together: they are welcome.
"""

import pathlib
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
SOURCES = SOURCE / "libestimate/src"
TESTS = SOURCE / "tests/libestimate"
EXCEPTIONS = {}  # source, without its end: reason


def stems(folder, end):
    """Of files below a folder, without their end: base/files."""
    return {str(file.relative_to(folder)).removesuffix(end) for file in folder.rglob("*" + end)}


class Mirror(unittest.TestCase):
    def test_every_source_has_a_test_of_its_name(self):
        lacking = stems(SOURCES, ".cpp") - stems(TESTS, "_test.cpp") - EXCEPTIONS.keys()
        self.assertEqual(sorted(lacking), [], "no test of that name in tests/libestimate")

    def test_exceptions_are_needed(self):
        for source in EXCEPTIONS:
            self.assertTrue((SOURCES / f"{source}.cpp").is_file(), f"{source} is no source")
            self.assertFalse((TESTS / f"{source}_test.cpp").is_file(), f"{source} has its test")

    def test_every_test_is_built(self):
        listed = (TESTS / "CMakeLists.txt").read_text().split()
        for test in sorted(stems(TESTS, "_test.cpp")):
            self.assertIn(f"{test}_test.cpp", listed, "not in tests/libestimate/CMakeLists.txt")


if __name__ == "__main__":
    unittest.main()
