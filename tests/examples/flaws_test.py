"""What an explanation promises, against the mended programs. Paths come from the environment, see CMakeLists.txt."""

import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import flaws  # noqa: E402

PROGRAMS = pathlib.Path(os.environ["REPLAY"]).parent


class Base(unittest.TestCase):
    def bench(self, ranks):
        directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, directory)
        bench = flaws.Bench(PROGRAMS, os.environ["MPIEXEC"], directory, ranks)
        bench.write_exact_model()
        return bench


class Flaws(Base):
    """The flaw comes first, and mended the program takes what was promised. Of programs that compute two runs
    differ by more than that; these are for scripts/accept."""

    def test_that_sleep(self):
        bench = self.bench(8)
        for flaw in flaws.FLAWS:
            with self.subTest(flaw.program):
                study = flaws.study(bench, flaw, "sleep", "none")
                self.assertAlmostEqual(study.explained / study.flawed, 1, delta=0.02)
                self.assertTrue(flaws.names(study.answer, flaw), study.answer)
                self.assertAlmostEqual(study.promised / study.mended, 1, delta=flaws.TOLERANCE, msg=study)


class Dominoes(Base):
    """The registration of PerWiz's paper: the longest wait gains little, the waits that lead to it do
    (which its table 2 compares)."""

    def test_longest_wait_against_domino_path(self):
        bench = self.bench(8)
        alternating, last_first, in_order = (
            bench.emulate("registration", variant, "sleep", compute="none")
            for variant in ("alternating", "last-first", "in-order"))
        waiting = [rank["waiting_s"] for rank in bench.replay("--compute", "none")["ranks"]]
        self.assertEqual(max(range(1, 8), key=waiting.__getitem__), 7)  # rank 0 waits for the others at the end
        explanation = bench.explain("--compute", "none")
        longest = next(one for one in explanation["answers"] if (one["kind"], one["rank"]) == ("wait", 7))
        path = explanation["domino_paths"][0]
        self.assertEqual([step["rank"] for step in path["steps"]], [7, 6, 5, 4, 3, 2])
        self.assertAlmostEqual(path["time_s"] / alternating, 1, delta=0.02)
        self.assertGreater(longest["time_s"]["value"], 0.99 * in_order)
        self.assertLess(alternating, 0.5 * last_first)
        self.assertLess(last_first, in_order)


if __name__ == "__main__":
    unittest.main()
