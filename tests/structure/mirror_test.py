#!/usr/bin/python3
"""Tests mirror the tree: sources of a library have tests of their names.

    mirror_test.py SOURCE

Public headers stand in the CMakeLists.txt of their library, or they wouldn't be installed.
LIBRARY/src/ROOM/x.cpp is tested by tests/LIBRARY/ROOM/x_test.cpp; UNTESTED says how many sources of a
library aren't. Tests without a source of their name are of headers, or of what several sources do
together: they are welcome.
"""

import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
LIBRARIES = ["libestimate", "libsimulate", "libpredict", "libbench", "libtasks", "libtrace", "libreplay", "libpreload",
             "libemulate", "librecord"]
# Sources without a test of their own, by library. The numbers only get smaller. What libpreload and libemulate do
# in a job is tested by running programs (emulate_test.py, record_test.py).
UNTESTED = {"libbench": 4, "libtrace": 4, "libpreload": 4,
            "libemulate": 4}


def stems(folder, end):
    """Of files below a folder, without their end: base/files."""
    return {str(file.relative_to(folder)).removesuffix(end) for file in folder.rglob("*" + end)}


class Mirror(unittest.TestCase):
    def test_sources_have_a_test_of_their_name(self):
        for library in LIBRARIES:
            lacking = stems(SOURCE / library / "src", ".cpp") - stems(SOURCE / "tests" / library, "_test.cpp")
            self.assertLessEqual(len(lacking), UNTESTED.get(library, 0),
                                 f"no test of that name in tests/{library}: {', '.join(sorted(lacking))}")

    def test_every_test_is_built(self):
        for library in LIBRARIES:
            listed = re.split(r"[\s()]+", (SOURCE / "tests" / library / "CMakeLists.txt").read_text())
            for test in sorted(stems(SOURCE / "tests" / library, "_test.cpp")):
                self.assertIn(f"{test}_test.cpp", listed, f"not in tests/{library}/CMakeLists.txt")

    def test_every_public_header_is_installed(self):
        for library in LIBRARIES + ["libcommgauge"]:
            folder = SOURCE / library
            if not (folder / "include").is_dir():
                continue
            listed = re.split(r"[\s()]+", (folder / "CMakeLists.txt").read_text())
            for header in sorted((folder / "include").rglob("*.h*")):
                name = str(header.relative_to(folder))
                self.assertIn(name.removesuffix(".in"), listed, f"not in {library}/CMakeLists.txt")


if __name__ == "__main__":
    unittest.main()
