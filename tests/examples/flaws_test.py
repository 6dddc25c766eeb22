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
TOLERANCE = 0.02


class Base(unittest.TestCase):
    def bench(self, ranks):
        directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, directory)
        bench = flaws.Bench(PROGRAMS, os.environ["MPIEXEC"], directory, ranks)
        bench.write_exact_model()
        return bench


class Flaws(Base):
    """The flaw comes first, and mended the program takes what was promised."""

    def check(self, ranks, way, compute):
        bench = self.bench(ranks)
        for flaw in flaws.FLAWS:
            with self.subTest(flaw.program):
                study = flaws.study(bench, flaw, way, compute)
                self.assertAlmostEqual(study.explained / study.flawed, 1, delta=TOLERANCE)
                self.assertTrue(flaws.names(study.answer, flaw), study.answer)
                self.assertAlmostEqual(study.promised / study.mended, 1, delta=TOLERANCE, msg=study)

    def test_that_sleep(self):
        self.check(8, "sleep", "none")

    def test_that_compute(self):
        self.check(4, "compute", "cpu")


class Dominoes(Base):
    """PerWiz's registration: the longest wait gains little, the waits that lead to it do."""

    def test_longest_wait_and_domino_path(self):
        bench = self.bench(8)
        times = {variant: bench.emulate("registration", variant, "sleep", compute="none")
                 for variant in ("alternating", "last-first", "in-order")}
        waiting = [rank["waiting_s"] for rank in bench.replay("--compute", "none")["ranks"]]
        explanation = bench.explain("--compute", "none")
        path = explanation["domino_paths"][0]
        self.assertEqual(max(range(8), key=waiting.__getitem__), 7)
        print(times, path)


if __name__ == "__main__":
    unittest.main()
