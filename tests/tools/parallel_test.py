#!/usr/bin/env python3
"""calibrate and validate under mpiexec: results, early ends, deaths. Never absolute speed."""

import csv
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

import harness

QUICK = ["--sizes", "1KiB,8KiB", "--eager-limit", "none", "--passes", "2", "--min-reps", "3",
         "--max-reps", "3", "--precision", "0.9"]
ENDLESS = ["--sizes", "1KiB,8KiB", "--eager-limit", "none", "--passes", "100000",
           "--min-reps", "3", "--max-reps", "3"]
PATIENCE_S = 30


class Parallel(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.model = self.directory / "model.json"
        self.measurements = self.directory / "m.json"
        self.outputs = ["-o", self.model, "--measurements", self.measurements]

    def assert_whole(self, *files):
        for file in files:
            json.loads(file.read_text())
        self.assertEqual({file.name for file in self.directory.iterdir()},
                         {file.name for file in files})


class Calibrate(Parallel):
    def test_writes_both_files(self):
        for ranks in [2, 3]:
            with self.subTest(ranks=ranks):
                result = harness.run_mpi(ranks, "calibrate", *self.outputs, *QUICK)
                self.assertIn(result.code, [0, 3], result)
                self.assertFalse(result.out)
                self.assertIn("Next: estimate-model show", result.err)
                self.assert_whole(self.model, self.measurements)
                self.assertEqual(json.loads(self.model.read_text())["n"], ranks)
                self.assert_code(harness.run("show", self.model), 0)

    def test_fit_repeats_it(self):
        self.assertIn(harness.run_mpi(3, "calibrate", *self.outputs, *QUICK).code, [0, 3])
        again = self.directory / "again.json"
        self.assert_code(harness.run("fit", self.measurements, "-o", again), 0)
        self.assertEqual(json.loads(again.read_text()), json.loads(self.model.read_text()))

    def test_measures_alone(self):
        result = harness.run_mpi(3, "calibrate", "--measurements", self.measurements, *QUICK)
        self.assertIn(result.code, [0, 3], result)
        self.assert_whole(self.measurements)
        self.assertFalse(self.model.exists())
        self.assert_code(harness.run("fit", self.measurements, "-o", self.model), 0)

    def test_model_on_standard_output(self):
        result = harness.run_mpi(2, "calibrate", "-o", "-", *QUICK)
        self.assertIn(result.code, [0, 3], result)
        self.assertEqual(json.loads(result.out)["schema"], "commgauge.model/1")

    def test_dry_run_writes_nothing(self):
        result = harness.run_mpi(3, "calibrate", "--dry-run", *self.outputs, *QUICK)
        self.assert_code(result, 0)
        for text in ["experiments in a pass:", "rounds in a pass:", "expected time:"]:
            self.assertIn(text, result.out)
        self.assert_nothing_left()

    def test_progress(self):
        shown = harness.run_mpi(2, "calibrate", *self.outputs, *QUICK, "--progress", "always")
        self.assertIn("100 %", shown.err)
        hidden = harness.run_mpi(2, "calibrate", *self.outputs, *QUICK, "--progress", "never")
        self.assertNotIn("100 %", hidden.err)

    def test_one_rank(self):
        for result in [harness.run("calibrate", *self.outputs),
                       harness.run_mpi(1, "calibrate", *self.outputs)]:
            self.assert_complaint(result, 2, "1 rank", "mpiexec")
        self.assert_nothing_left()

    def test_processes_that_are_alone_by_mistake_are_told_once(self):
        by_slurm = {"SLURM_STEP_NUM_TASKS": "4"}
        first = harness.run("calibrate", *self.outputs, env=os.environ | by_slurm | {"SLURM_PROCID": "0"})
        self.assert_complaint(first, 2, "each of the 4 processes", "srun --mpi=pmi2")
        other = harness.run("calibrate", *self.outputs, env=os.environ | by_slurm | {"SLURM_PROCID": "1"})
        self.assertEqual((other.code, other.out, other.err), (2, "", ""))
        self.assert_nothing_left()

    @unittest.skipUnless(shutil.which("mpiexec.openmpi"), "Open MPI isn't there")
    def test_the_launcher_of_another_library_is_told_once(self):
        result = harness.Job(["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "3", harness.PROGRAM,
                              "calibrate", *map(str, self.outputs)],
                             env=os.environ | {"COMMGAUGE_MPI": "mpich"}).end()
        self.assertEqual(result.code, 2, result)
        said = [line for line in result.err.splitlines() if line.startswith("estimate-model: ")]
        self.assertEqual(len(said), 1, result)
        self.assertIn("each of the 3 processes", said[0])
        self.assertIn("Open MPI's mpiexec", said[0])
        self.assert_nothing_left()

    def test_two_ranks_and_a_model_for_three(self):
        result = harness.run_mpi(2, "calibrate", *self.outputs, "--models", "lmo")
        self.assert_complaint(result, 2, "lmo", "3 ranks")
        self.assert_nothing_left()

    def test_usage_errors_are_told_once(self):
        self.assert_complaint(harness.run_mpi(3, "calibrate", "--wait", "spin"), 2, "spin")
        self.assert_complaint(harness.run_mpi(3, "calibrate", *QUICK), 2, "-o")
        self.assert_complaint(harness.run_mpi(3, "show"), 2)

    def test_unwritable_output_is_found_before_measuring(self):
        for output in ["none/model.json", "."]:
            with self.subTest(output):
                result = harness.run_mpi(2, "calibrate", "-o", self.directory / output, *ENDLESS)
                self.assert_complaint(result, 2, "cannot write")
        result = harness.run_mpi(2, "calibrate", "-o", self.model, "--measurements",
                                 self.directory / "none" / "m.json", *ENDLESS)
        self.assert_complaint(result, 2, "cannot write")
        self.assert_nothing_left()

    def test_full_file_system_is_found_before_measuring(self):
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none",
                                  self.directory], stderr=subprocess.DEVNULL, check=False)
        if mounted.returncode != 0:
            self.skipTest("no right to mount a file system")
        self.addCleanup(subprocess.run, ["umount", self.directory], check=True)
        filler = self.directory / "filler"
        filler.write_bytes(bytes(8192))
        result = harness.run_mpi(2, "calibrate", *self.outputs, *ENDLESS)
        self.assert_complaint(result, 2, "No space left")
        filler.unlink()
        self.assert_nothing_left()

    def test_device_that_takes_nothing(self):
        result = harness.run_mpi(2, "calibrate", "-o", "/dev/full", *QUICK, cwd=self.directory)
        self.assertEqual(result.code, 2, result)
        self.assertIn("No space left", result.err)

    def test_sizes_beyond_int(self):
        result = harness.run_mpi(2, "calibrate", *self.outputs, "--sizes", "1KiB,3GiB")
        self.assert_complaint(result, 2, "3221225472")
        self.assert_nothing_left()

    def test_budget_too_small(self):
        result = harness.run_mpi(3, "calibrate", *self.outputs, *ENDLESS, "--time-budget", "1ms")
        self.assert_complaint(result, 2, "time budget")
        self.assert_nothing_left()

    @unittest.skipIf(harness.is_openmpi(), "emulate runs programs of MPICH alone")
    def test_too_little_for_a_model_is_kept_beside_it(self):
        # In virtual time, as it depends on how far the budget reaches: to some of what the one
        # model needs that is asked for.
        machine = self.directory / "machine.json"
        machine.write_text(subprocess.run([os.environ["WRITE_MACHINE"], "lmo", "3", "1"], text=True,
                                          check=True, stdout=subprocess.PIPE).stdout)
        result = harness.run_mpi(3, "calibrate", "-o", self.model, *ENDLESS[:4], "--seed",
                                 "2", "--min-reps", "1000", "--max-reps", "1000",
                                 "--time-budget", "30ms", "--progress", "never", "--no-thresholds",
                                 "--models", "lmo", wrapper=[os.environ["EMULATE"], "--model", machine,
                                          "--compute", "none"])
        result.err, _, report = result.err.partition("emulate: ")
        self.assertIn("3 ranks", report)
        kept = self.directory / "model.measurements.json"
        self.assert_complaint(result, 3, "incomplete", str(kept))
        self.assert_whole(machine, kept)


class Validate(Parallel):
    def setUp(self):
        super().setUp()
        self.assertIn(harness.run_mpi(3, "calibrate", "-o", self.model, *QUICK).code, [0, 3])
        self.checks = self.directory / "checks.csv"

    def test_table_and_csv(self):
        result = harness.run_mpi(3, "validate", self.model, "-o", self.checks, "--passes", "3",
                                 "--min-reps", "3", "--max-reps", "3", "--precision", "0.9")
        self.assertIn(result.code, [0, 3], result)
        for text in ["median error", "p2p", "scatter, flat", "gather, binomial", "hockney", "lmo",
                     "Intervals: 95 % of what "]:
            self.assertIn(text, result.out)
        header = self.checks.read_text().splitlines()[0]
        self.assertTrue(header.startswith("operation,model,from,to,size_bytes,measured_s"))
        self.assertTrue(header.endswith(",algorithm,disagreement"))
        # Three ranks on two cores: no rings.
        self.assertEqual({one for one in self.measured() if one[0] != "ring"}, {("p2p", ""), ("exchange", "")} | {
            (operation, algorithm) for operation in ("scatter", "gather", "bcast")
            for algorithm in ("flat", "binomial")})

    def test_some_operations_and_algorithms(self):
        result = harness.run_mpi(3, "validate", self.model, "-o", self.checks, "--passes", "3",
                                 "--min-reps", "3", "--max-reps", "3", "--precision", "0.9",
                                 "--operations", "bcast,gather", "--algorithms", "binomial")
        self.assertIn(result.code, [0, 3], result)
        self.assertEqual(self.measured(), {("bcast", "binomial"), ("gather", "binomial")})

    def measured(self):
        with self.checks.open() as file:
            return {(row["operation"], row["algorithm"]) for row in csv.DictReader(file)}

    def test_a_job_of_some_ranks(self):
        result = harness.run_mpi(2, "validate", self.model, "-o", self.checks, "--passes", "2", "--min-reps", "3",
                                 "--max-reps", "3", "--precision", "0.9", "--operations", "p2p")
        self.assertIn(result.code, [0, 3], result)
        self.assertEqual(self.measured(), {("p2p", "")})

    def on_other_hosts(self):
        document = json.loads(self.model.read_text())
        for rank in document["launches"][0]["ranks"]:
            rank["host"] = "elsewhere"
        self.model.write_text(json.dumps(document))

    def test_unknown_hosts(self):
        self.on_other_hosts()
        self.assert_complaint(harness.run_mpi(2, "validate", self.model), 2, "doesn't know the host")
        result = harness.run_mpi(3, "refresh", self.model)
        self.assertEqual(result.code, 0, result)
        self.assertIn("rank r is taken for the model's rank r", result.err)

    def test_refresh(self):
        job = self.directory / "job.json"
        result = harness.run_mpi(3, "refresh", self.model, "-o", job)
        self.assertEqual(result.code, 0, result)
        self.assertIn("within a host", result.out)
        self.assertEqual(json.loads(job.read_text())["n"], 3)
        self.assertIn(harness.run_mpi(2, "refresh", self.model, "--check").code, [0, 1])
        self.assert_complaint(harness.run_mpi(2, "refresh", self.model, "--time", "0s"), 2, "no time")

    def test_no_model(self):
        self.assert_complaint(harness.run_mpi(3, "validate", self.directory / "none"), 2,
                              "No such file")


class EarlyEnd(Parallel):
    """Signals and deaths in the middle of a calibration."""

    def start(self, ranks=3, **more):
        self.job = harness.start_mpi(ranks, "calibrate", *self.outputs, *ENDLESS, "--progress",
                                     "always", **more)
        pids = self.job.ranks(ranks)
        self.job.wait_for("measuring", 3)
        return pids

    def assert_incomplete(self, result, codes=(3,)):
        self.assertIn(result.code, codes, result)
        self.assertIn("incomplete", result.err)
        self.assertFalse(json.loads(self.measurements.read_text())["launches"][0]["complete"])

    def assert_kept(self):
        """What a calibration that was killed leaves, whole; then nothing. No model."""
        self.assertFalse(self.model.exists())
        launch = json.loads(self.measurements.read_text())["launches"][0]
        self.assertFalse(launch["complete"])
        self.assertEqual(launch["incomplete_reason"], "it was still going on")
        for file in self.directory.iterdir():
            file.unlink()

    def test_signal_to_a_rank(self):
        for number in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1,
                       signal.SIGUSR2, signal.SIGXCPU]:
            with self.subTest(number.name):
                os.kill(self.start()[1], number)
                self.assert_incomplete(self.job.end(PATIENCE_S))

    def test_a_directory_that_vanishes(self):
        place = self.directory / "gone"
        for outputs in [["-o", place / "model.json", "--measurements", place / "m.json"],
                        ["-o", place / "model.json"]]:
            place.mkdir()
            self.outputs = outputs
            pids = self.start(cwd=self.directory)
            while place.exists():  # it may be written to meanwhile
                shutil.rmtree(place, ignore_errors=True)
            os.kill(pids[0], signal.SIGTERM)
            result = self.job.end(PATIENCE_S)
            self.assert_code(result, 2)
            self.assertIn(f"it is in {self.model} instead", result.err)
            self.assertEqual(self.measurements.exists(), "--measurements" in outputs)
            self.assert_whole(*self.directory.iterdir())
            for file in self.directory.iterdir():
                file.unlink()

    def test_signal_to_the_launcher(self):
        # After SIGINT Hydra doesn't always hand on the ranks' exit code: now and then it says 0.
        # Open MPI's has a code of its own, and kills the ranks after a second unless it is told to wait.
        for number, codes in [(signal.SIGTERM, [3]), (signal.SIGINT, [3, 0]), (signal.SIGUSR1, [3])]:
            if harness.is_openmpi() and number != signal.SIGUSR1:
                codes = [1]
            with self.subTest(number.name):
                self.start(env=os.environ | {"OMPI_MCA_odls_base_sigkill_timeout": "5"})
                os.kill(self.job.process.pid, number)
                self.assert_incomplete(self.job.end(PATIENCE_S), codes)

    def test_killed_rank(self):
        for options in [[], ["-disable-auto-cleanup"]]:
            for rank in [0, 2]:
                with self.subTest(options=options, rank=rank):
                    os.kill(self.start(launcher_options=options)[rank], signal.SIGKILL)
                    self.assertNotEqual(self.job.end(PATIENCE_S).code, 0)
                    self.assert_kept()

    def test_killed_rank_that_the_launcher_does_not_see(self):
        """Behind a shell that ends well, a death is for the watchdog only to find."""
        shell = ["sh", "-c", '"$@"; true', "sh"]
        pids = self.start(launcher_options=["-disable-auto-cleanup"], wrapper=shell)
        os.kill(pids[1], signal.SIGKILL)
        result = self.job.end(PATIENCE_S)
        self.assertIn("is gone", result.err)
        self.assert_kept()


class Stall(Parallel):
    """A link that fails: tests/tools/lost_link.cpp."""

    def rounds_kept(self):
        if not self.measurements.exists():
            return 0
        return json.loads(self.measurements.read_text())["launches"][0]["rounds"]

    def stalled(self, ranks, *options):
        lost = self.directory / "lost"
        self.job = harness.start_mpi(ranks, "calibrate", *options, *ENDLESS, "--progress", "always", "--stall-limit",
                                     "3s", "--wait", "blocking",
                                     env=os.environ | {"LD_PRELOAD": os.environ["LOST_LINK_LIBRARY"],
                                                       "LOST_LINK": str(lost)})
        self.job.wait_for("measuring", 3)
        deadline = time.monotonic() + PATIENCE_S
        while self.measurements in options and self.rounds_kept() == 0 and time.monotonic() < deadline:
            time.sleep(0.1)
        lost.touch()
        result = self.job.end(PATIENCE_S)
        self.assertRegex(result.err, r"rank \d: nothing has been done for 3 s \(it waits in a \w+ of rank \d with rank")
        self.assertNotIn("is gone", result.err)
        return result

    def test_what_was_measured_is_kept(self):
        for ranks in (2, 3):
            with self.subTest(ranks):
                result = self.stalled(ranks, "--measurements", self.measurements)
                self.assert_code(result, 3)
                self.assertIn("go on with --resume", result.err)
                self.assertGreater(self.rounds_kept(), 0)
                for file in self.directory.iterdir():
                    file.unlink()

    def test_where_nothing_is_kept_it_has_failed(self):
        for options in (["-o", self.model], ["-o", self.model, "--measurements", "-"]):
            with self.subTest(options):
                result = self.stalled(2, *options)
                self.assert_code(result, 4)
                self.assertIn("nothing is kept", result.err)
                self.assertFalse(self.model.exists())
                (self.directory / "lost").unlink()

    def test_ranks_that_others_measure_for_are_patient(self):
        """Of ten ranks a sample is measured: the others wait longer than the limit."""
        alike = self.directory / "classes.txt"
        alike.write_text("0-9 host kind\n")
        result = harness.run_mpi(10, "calibrate", "--classes", alike, "--measurements", self.measurements,
                                 "--sizes", "1KiB,8KiB",
                                 "--eager-limit", "none", "--stall-limit", "1s", "--time-budget", "12s",
                                 "--passes", "1000")
        self.assertNotIn("nothing has been done", result.err)
        self.assertIn(result.code, [0, 3], result)
        self.assertTrue("survey" in json.loads(self.measurements.read_text()), "all ranks were measured")


class HangingFinalize(Parallel):
    """MPI_Finalize of some libraries never returns: tests/tools/hanging_finalize.cpp."""

    def run_hanging(self, *arguments, **more):
        library = os.environ.get("HANGING_FINALIZE")
        if not library:
            self.skipTest("HANGING_FINALIZE names no library")
        result = harness.run_mpi(3, "calibrate", *arguments, *QUICK, limit=PATIENCE_S,
                                 env=dict(os.environ, LD_PRELOAD=library), **more)
        self.assertEqual(result.err.count("MPI_Finalize does not return"), 1, result)
        return result

    def test_leaves_with_its_own_code(self):
        for options in [[], ["-disable-auto-cleanup"]]:
            with self.subTest(options=options):
                self.assert_code(self.run_hanging("--dry-run", launcher_options=options), 0)
                self.assert_code(self.run_hanging(launcher_options=options), 2)

    def test_leaves_when_all_is_written(self):
        self.assertIn(self.run_hanging(*self.outputs).code, [0, 3])
        self.assert_whole(self.model, self.measurements)


def processor_times():
    """Jiffies that the cores were idle, that a hypervisor took from them, and all, since the machine booted."""
    with open("/proc/stat", encoding="ascii") as file:
        fields = [int(word) for word in file.readline().split()[1:9]]
    return fields[3] + fields[4], fields[7], sum(fields)


def idle_share():
    """Of all cores' time, over half a second."""
    idle, _, all_times = processor_times()
    time.sleep(0.5)
    idle_then, _, all_then = processor_times()
    return (idle_then - idle) / max(1, all_then - all_times)


class BusyMachine(Parallel):
    """Whether a run notices that it was disturbed, and only then. Timed: needs an idle machine."""

    SAYS_SO = "the machine was busy"
    SHORT = ["--sizes", "1KiB,64KiB", "--eager-limit", "none", "--passes", "3", "--progress", "never"]

    def launch(self):
        return json.loads(self.measurements.read_text())["launches"][0]["disturbance"]

    def test_too_busy(self):
        library = os.environ.get("HALF_CORE")
        if not library:
            self.skipTest("HALF_CORE names no library")
        half = dict(os.environ, LD_PRELOAD=library)
        result = harness.run_mpi(2, "calibrate", *self.outputs, *QUICK, env=half)
        self.assert_code(result, 3)
        self.assertRegex(result.err, self.SAYS_SO + ": (9[0-9]|100) % of the timed blocks lost their core")
        self.assertIn("too much to trust", result.err.splitlines()[-1])
        self.assertNotIn("median error", result.err)
        self.assert_whole(self.model, self.measurements)
        found = self.launch()
        rows = json.loads(self.measurements.read_text())["experiments"]
        # A single exchange is over sooner than processors count their time.
        exchanges = rows["kind"].count("ring")
        self.assertGreaterEqual(found["disturbed_rows"], found["rows"] - exchanges)
        self.assertGreater(found["rows"], 7 * exchanges)
        self.assertFalse(any(converged for kind, converged in zip(rows["kind"], rows["converged"]) if kind != "ring"))
        shown = harness.run("show", self.model)
        self.assert_code(shown, 0)
        self.assertTrue(shown.out.startswith(self.SAYS_SO), shown)
        self.assertIn("too busy a machine to tell which", shown.out)
        result = harness.run_mpi(2, "validate", self.model, "--passes", "1", "--min-reps", "3",
                                 "--max-reps", "3", env=half)
        self.assert_complaint(result, 3, self.SAYS_SO, "too much to trust")

    def test_idle(self):
        if idle_share() < 0.97:
            self.skipTest("the machine is not idle")
        _, stolen, all_times = processor_times()
        result = harness.run_mpi(2, "calibrate", *self.outputs, *self.SHORT)
        _, stolen_then, all_then = processor_times()
        self.assertIn(result.code, [0, 3], result)
        if stolen_then - stolen > 0.01 * (all_then - all_times):
            self.skipTest("a hypervisor took more than 1 % of the cores' time meanwhile")
        self.assertNotIn(self.SAYS_SO, result.err)

    def test_a_hog_on_one_core(self):
        cores = sorted(os.sched_getaffinity(0))[:2]
        if len(cores) < 2:
            self.skipTest("there is one core only")
        hog = subprocess.Popen(["taskset", "-c", str(cores[0]), "sh", "-c", "while :; do :; done"])
        try:
            result = harness.run_mpi(2, "calibrate", *self.outputs, *self.SHORT,
                                     "--time-budget", "20s",
                                     wrapper=["taskset", "-c", ",".join(map(str, cores))])
        finally:
            hog.kill()
            hog.wait()
        self.assertIn(result.code, [0, 3], result)
        self.assertIn(self.SAYS_SO, result.err)
        self.assertGreater(self.launch()["lost_blocks"], 0)


if __name__ == "__main__":
    unittest.main()
