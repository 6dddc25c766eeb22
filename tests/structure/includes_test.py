#!/usr/bin/python3
"""Who may include whom: every part of the tree includes only what stands before it.

    includes_test.py SOURCE

ALLOWED says which other parts a part may include; of these it sees public headers only. A library
with ROOMS is a row of them, each a folder in `src/`, and in `include/commgauge/`, that may include
those before it; its includes are written from the library's root, those of the tools from `tools/`.
Units, a header with its source, don't include each other in circles, but for those in CIRCLES. MPI and
libraries that stay behind one part have their places in ONLY. A folder stays small enough to be seen at
once.
"""

import collections
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
ALLOWED = {
    "libestimate": [],
    "libsimulate": ["libestimate"],
    "libpredict": ["libestimate", "libsimulate"],
    "libbench": ["libestimate", "libpredict"],
    "libtasks": ["libestimate", "libsimulate", "libpredict"],
    "libtrace": ["libestimate"],
    "libreplay": ["libestimate", "libsimulate", "libpredict", "libtrace"],
    "libpreload": ["libestimate"],
    "libemulate": ["libestimate", "libsimulate", "libpreload"],
    "librecord": ["libestimate", "libtrace", "libpreload"],
    "libcommgauge": ["libestimate", "libbench", "libsimulate", "libpredict", "libtasks"],
    "tools": ["libestimate", "libbench", "libsimulate", "libpredict", "libtasks", "libtrace", "libreplay"],
    "python": ["libestimate", "libsimulate", "libpredict", "libtasks", "libtrace", "libreplay"],
}
ROOMS = {
    "libestimate": ["base", "measurements", "segmentation", "thresholds", "model", "classes", "costs", "schedule",
                    "plan", "fit", "assemble"],
    "libsimulate": ["machine", "world", "process", "run"],
    "libpredict": ["predict", "judge", "export"],
    "libbench": ["base", "messages", "ranks", "clock", "speed", "timing", "campaign", "calibrate", "collectives"],
    "libtrace": ["events", "archive", "read", "write", "goal"],
    "libreplay": ["run", "paths", "prediction", "explain", "goal"],
    "libpreload": ["system", "program", "arguments", "lifetime", "threads"],
    "libemulate": ["base", "mpi", "shared", "rank", "job", "collective", "windows", "calls", "run"],
    "librecord": ["following", "mpi", "sites", "recorder", "job", "calls", "run"],
}
# Whose public headers stand in a folder of the library's own.
NAMED = {"libsimulate": "simulate", "libbench": "bench", "libtasks": "tasks", "libtrace": "trace", "libreplay": "replay"}
# Private headers that other parts see all the same. The list only gets shorter.
SHARED = {
    "libpreload": ["libemulate", "librecord", "tools"],
    "libemulate": ["tools"],
    "librecord": ["tools"],
}
# Units that include each other in circles, and why they may. The list only gets shorter.
CIRCLES = {
    "libsimulate": [
        ({"world/world", "world/world_state"}, "the public header has the class, the private one what its sources share"),
    ],
    "libemulate": [
        ({"rank/emulator", "rank/threads"},
         "a call of MPI moves its thread's clock, and a thread that begins, ends or sleeps makes one"),
    ],
}
ONLY = {
    "mpi.h": ["libbench", "libpreload", "libemulate", "librecord", "libcommgauge", "tools"],
    "nlohmann/json.hpp": ["libestimate/src", "libpredict/src", "libemulate/src", "tools"],
    "otf2/": ["libtrace/src"],
    "gsl/": ["libestimate/src/base/gsl.hpp"],
    "CLI/": ["tools"],
    "pybind11/": ["python"],
}
# Each library that follows threads by libpreload has its own.
OWN = ["follower.hpp"]
MOST_SOURCES = 20
ENDS = (".c", ".h", ".cpp", ".hpp")
INCLUDE = re.compile(r'^\s*#include\s*(["<])([^">]+)[">]', re.MULTILINE)


def sources(part):
    return sorted(file for file in (SOURCE / part).rglob("*") if file.suffix in ENDS)


def place(file):
    return str(file.relative_to(SOURCE))


def part_of(file):
    return file.relative_to(SOURCE).parts[0]


def includes(file):
    return [name for _, name in INCLUDE.findall(file.read_text())]


def public_headers():
    """By the name that includes them."""
    return {str(file.relative_to(root)): file for part in ALLOWED
            for root in [SOURCE / part / "include"] for file in sources(f"{part}/include")}


PUBLIC = public_headers()


def found(file, name):
    """The project's file that is included by this name; nothing for others' headers."""
    if name in PUBLIC:
        return PUBLIC[name]
    part = part_of(file)
    shared = [one for one, seen_by in SHARED.items() if part in seen_by]
    for root in [file.parent, *(SOURCE / one for one in (f"{part}/src", part)), *(SOURCE / one / "src" for one in shared)]:
        if (root / name).is_file():
            return (root / name).resolve()
    return None


def unit_of(file):
    """What a header and its source have in common: their place below `src/` or `include/`, without an end."""
    parts = list(file.relative_to(SOURCE).with_suffix("").parts)
    for folder in (["include", "commgauge"], ["include"], ["src"]):
        if parts[1:1 + len(folder)] == folder:
            del parts[1:1 + len(folder)]
            break
    if len(parts) > 2 and parts[1] == NAMED.get(parts[0]):
        del parts[1]
    return "/".join(parts)


def room_of(file):
    """The first folder of its unit's place; a room may have more."""
    return unit_of(file).split("/")[1]


def circles(part):
    """Sets of units of a part that can all be reached from each other; a unit's header and source are one."""
    uses = collections.defaultdict(set)
    for file in sources(part):
        for name in includes(file):
            other = found(file, name)
            if other and part_of(other) == part:
                uses[unit_of(file)].add(unit_of(other))
    reach = {}
    for unit in list(uses):
        seen, open_ = set(), [one for one in uses[unit] if one != unit]
        while open_:
            one = open_.pop()
            if one not in seen:
                seen.add(one)
                open_ += uses.get(one, ())
        reach[unit] = seen
    return [{other.split("/", 1)[1] for other in seen if unit in reach.get(other, ())}
            for unit, seen in reach.items() if unit in seen]


class Includes(unittest.TestCase):
    def test_rooms_stand_in_a_row(self):
        for part, rooms in ROOMS.items():
            for file in sources(part):
                own = room_of(file)
                self.assertIn(own, rooms, f"{place(file)} is in no room")
                for name in includes(file):
                    other = found(file, name)
                    if other and part_of(other) == part:
                        self.assertLessEqual(rooms.index(room_of(other)), rooms.index(own),
                                             f"{place(file)} includes {name}, of a room behind its own")

    def test_includes_are_written_from_the_root(self):
        roots = {part: SOURCE / part / "src" for part in ROOMS} | {"tools": SOURCE / "tools"}
        for part, root in roots.items():
            for file in sources(part):
                for name in includes(file):
                    other = found(file, name)
                    if other and part_of(other) == part:
                        self.assertTrue(name in PUBLIC or (root / name).is_file(), f"{place(file)} includes {name}")

    def test_parts_include_what_they_are_built_on(self):
        for part, allowed in ALLOWED.items():
            for file in sources(part):
                for name in includes(file):
                    other = found(file, name)
                    if other and part_of(other) != part:
                        self.assertIn(part_of(other), allowed + [one for one in SHARED if part in SHARED[one]],
                                      f"{place(file)} includes {name}")

    def test_every_include_has_a_place(self):
        for part in ALLOWED:
            for file in sources(part):
                for mark, name in INCLUDE.findall(file.read_text()):
                    if mark == '"' and name not in OWN:
                        self.assertIsNotNone(found(file, name), f"{place(file)} includes {name}: what is that?")

    def test_units_dont_go_in_circles(self):
        for part in ALLOWED:
            known = {frozenset(units) for units, _ in CIRCLES.get(part, [])}
            self.assertEqual({frozenset(circle) for circle in circles(part)}, known, part)

    def test_libraries_stay_in_their_places(self):
        for file in (file for part in ALLOWED for file in sources(part)):
            for name in includes(file):
                for library, places in ONLY.items():
                    if name.startswith(library):
                        self.assertTrue(any(place(file).startswith(one) for one in places),
                                        f"{place(file)} includes {name}")

    def test_no_folder_holds_more_than_can_be_seen_at_once(self):
        count = collections.Counter(place(file.parent) for part in ALLOWED for file in sources(part))
        for folder, many in count.items():
            self.assertLessEqual(many, MOST_SOURCES, folder)


if __name__ == "__main__":
    unittest.main()
