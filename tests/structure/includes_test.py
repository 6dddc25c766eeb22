#!/usr/bin/python3
"""Who may include whom: every part of the tree includes only what stands before it.

    includes_test.py SOURCE

libestimate is a row of rooms (ROOMS), each of which may include those before it. Of the other parts
ALLOWED says what they may include of one another; MPI and libraries that stay behind one part have
their places in ONLY. Rooms stay small enough to be seen at once.
"""

import collections
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
ROOMS = ["base", "measurements", "segmentation", "thresholds", "model", "classes", "costs", "schedule", "plan", "fit",
         "predict", "judge", "assemble", "export"]
ALLOWED = {
    "libestimate": [],
    "libbench": ["libestimate"],
    "libsimulate": ["libestimate"],
    "libtasks": ["libestimate", "libsimulate"],
    "libtrace": ["libestimate"],
    "libreplay": ["libestimate", "libsimulate", "libtrace"],
    "libpreload": ["libestimate"],
    "libemulate": ["libestimate", "libsimulate", "libpreload"],
    "librecord": ["libestimate", "libtrace", "libpreload"],
    "libcommgauge": ["libestimate", "libbench", "libsimulate", "libtasks"],
    "tools": ["libestimate", "libbench", "libsimulate", "libtasks", "libtrace", "libreplay"],
    "python": ["libestimate", "libsimulate", "libtasks", "libtrace", "libreplay"],
}
# Their headers' folder; libestimate's are its rooms.
PUBLIC = {"bench": "libbench", "simulate": "libsimulate", "tasks": "libtasks", "trace": "libtrace",
          "replay": "libreplay"}
ONLY = {
    "mpi.h": ["libbench", "libpreload", "libemulate", "librecord", "libcommgauge", "tools"],
    "nlohmann/json.hpp": ["libestimate/src", "libemulate/src", "tools"],
    "otf2/": ["libtrace/src"],
    "gsl/": ["libestimate/src/base/gsl.hpp"],
    "CLI/": ["tools"],
    "pybind11/": ["python"],
}
MOST_SOURCES = 20
INCLUDE = re.compile(r'^\s*#include\s*["<]([^">]+)[">]', re.MULTILINE)


def sources(part):
    return sorted(file for file in (SOURCE / part).rglob("*")
                  if file.suffix in (".c", ".h", ".cpp", ".hpp"))


def includes(file):
    return INCLUDE.findall(file.read_text())


def place(file):
    return str(file.relative_to(SOURCE))


def room_of(file):
    """The first folder below libestimate/src or libestimate/include/commgauge; a room may have more."""
    parts = file.relative_to(SOURCE / "libestimate").parts
    return parts[2] if parts[0] == "include" else parts[1]


def owner(name):
    """The part that has what is included by this name, and its room; nothing for others' headers."""
    parts = name.split("/")
    if parts[0] == "commgauge" and len(parts) == 3:
        return PUBLIC.get(parts[1], "libestimate"), parts[1]
    if parts[0] in ROOMS and len(parts) > 1:
        return "libestimate", parts[0]
    return "", ""


class Includes(unittest.TestCase):
    def test_rooms_stand_in_a_row(self):
        for file in sources("libestimate"):
            own = room_of(file)
            self.assertIn(own, ROOMS, f"{place(file)} is in no room")
            for name in includes(file):
                part, room = owner(name)
                if part == "libestimate":
                    self.assertLessEqual(ROOMS.index(room), ROOMS.index(own),
                                         f"{place(file)} includes {name}, of a room behind its own")

    def test_parts_include_what_they_are_built_on(self):
        for part, allowed in ALLOWED.items():
            for file in sources(part):
                for name in includes(file):
                    other = owner(name)[0]
                    if other and other != part:
                        self.assertIn(other, allowed, f"{place(file)} includes {name}")

    def test_other_parts_see_public_headers_only(self):
        for part in ALLOWED:
            if part == "libestimate":
                continue
            for file in sources(part):
                for name in includes(file):
                    private = name.split("/")[0] in ROOMS
                    self.assertFalse(private, f"{place(file)} includes {name}, a private header")

    def test_libraries_stay_in_their_places(self):
        for file in (file for part in ALLOWED for file in sources(part)):
            for name in includes(file):
                for library, places in ONLY.items():
                    if name.startswith(library):
                        self.assertTrue(any(place(file).startswith(one) for one in places),
                                        f"{place(file)} includes {name}")

    def test_no_folder_holds_more_than_can_be_seen_at_once(self):
        count = collections.Counter(file.parent for file in sources("libestimate/src")
                                    + sources("libbench/src/campaign"))
        for folder, many in count.items():
            self.assertLessEqual(many, MOST_SOURCES, place(folder))


if __name__ == "__main__":
    unittest.main()
