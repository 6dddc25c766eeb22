#!/usr/bin/python3
"""Does an emulated cluster predict a program of masters and workers on the cluster itself?

    master_worker.py PROGRAMS MPIEXEC DIRECTORY

The experiment of Mizutani, Ino and Hagihara (2003) on a cluster of eight network namespaces of 100
Mbit/s, TCP: it is calibrated, the Mandelbrot explorer runs on it, with points of a stated cost that
workers sleep, and the same program runs emulated over shared memory. PROGRAMS is the folder with
emulate, estimate-model and mandelbrot-explorer, DIRECTORY takes all files.

  - tasks of 1 to 4 096 points, one master: within 10 %;
  - a master that is busy with each request, so that more workers stop helping: within 10 %, and the
    best number of workers (the least that is within 2 % of the shortest time) within one;
  - several masters, and a dynamic number: within 10 %;
  - beside each the same without the growth of overheads with the number of ranks.

Eight ranks share this machine's processors here, and a task costs them about 60 us beside its
messages; points are so long that this stays below 5 %. Ranks that wait let others go on.
Exit code 77: not possible here.
"""

import argparse
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

import cluster
import model_file

RANKS = 8
RUNS = 3
LARGEST_ERROR = 0.10
AS_GOOD_AS_THE_BEST = 1.02
RESULT = re.compile(r"time_s ([\d.]+) sum (\d+) splits \d+\n")


class Runs:
    """Of the explorer, on the cluster and emulated."""

    def __init__(self, args: argparse.Namespace):
        self.args = args
        self.model = args.directory / "model.json"

    def calibrate(self) -> None:
        done = subprocess.run(
            [*cluster.launcher(RANKS), self.args.programs / "estimate-model", "calibrate", "-o",
             self.model, "--models", "loggps", "--pairs", "one", "--largest", "64KiB",
             "--passes", "4", "--no-thresholds", "--no-checks", "--wait", "yield", "--schedule",
             "serial", "--progress", "never"],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode not in (0, 3):
            sys.exit(f"calibrate ended with {done.returncode}: {done.stderr}")

    def measure(self, ranks: int, options: list[str]) -> float:
        """Median [s]."""
        return statistics.median(self.measure_once(ranks, options) for _ in range(RUNS))

    def measure_once(self, ranks: int, options: list[str]) -> float:
        command = [self.args.programs / "mandelbrot-explorer", *options, "--yields", "1"]
        with cluster.job(ranks, command) as output:
            return seconds(output.readline(), options)

    def emulate(self, ranks: int, options: list[str], *more: str) -> float:
        done = subprocess.run(
            [self.args.mpiexec, "-n", str(ranks), self.args.programs / "emulate", "--model",
             self.model, "--kind", "loggps", "--compute", "none", *more,
             self.args.programs / "mandelbrot-explorer", *options],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"emulate ended with {done.returncode}: {done.stderr}")
        return seconds(done.stdout, options)


def seconds(line: str, options: list[str]) -> float:
    result = RESULT.fullmatch(line)
    side = int(options[options.index("--side") + 1])
    if not result or int(result[2]) != side**2:
        sys.exit(f"mandelbrot-explorer {' '.join(options)} printed '{line}'")
    return float(result[1])


def option_list(**options: object) -> list[str]:
    return [text for name, value in options.items() for text in (f"--{name}", str(value))]


class Experiment:
    def __init__(self, runs: Runs):
        self.runs = runs
        self.lines = [f"{'':34} measured  emulated    error  without growth"]
        self.wrong: list[str] = []

    def compare(self, name: str, ranks: int, **options: object) -> tuple[float, float]:
        asked = option_list(**options)
        measured = self.runs.measure(ranks, asked)
        emulated = self.runs.emulate(ranks, asked)
        without = self.runs.emulate(ranks, asked, "--no-growth")
        error = emulated / measured - 1
        self.lines.append(f"{name:34} {measured:6.3f} s  {emulated:6.3f} s  {error:+7.1%}"
                          f"  {without / measured - 1:+14.1%}")
        print(self.lines[-1], flush=True)
        if not abs(error) <= LARGEST_ERROR:
            self.wrong.append(f"{name}: {emulated:.3f} s emulated, {measured:.3f} s measured: "
                              f"{error:+.1%}, more than {LARGEST_ERROR:.0%}")
        return measured, emulated

    def task_sizes(self) -> None:
        for task in (1, 8, 64, 512, 4096):
            self.compare(f"one master, {task} points a task", RANKS, masters="one", side=64,
                         task=task, cost=2e-3)

    def numbers_of_workers(self) -> None:
        times = {workers: self.compare(f"busy master, {workers} workers", workers + 1,
                                       masters="one", side=32, task=1, cost=5e-3, serve=1e-3)
                 for workers in range(1, RANKS)}
        best = [best_number({workers: both[i] for workers, both in times.items()})
                for i in range(2)]
        self.lines.append(f"best number of workers: measured {best[0]}, emulated {best[1]}")
        if abs(best[0] - best[1]) > 1:
            self.wrong.append(self.lines[-1])

    def variations(self) -> None:
        """A dynamic master splits once, at its first chance, where tasks are of one point; else it
        doesn't. Waits are far from the one that decides, so that noise can't."""
        for masters in ("several", "dynamic"):
            for task in (1, 16):
                self.compare(f"{masters} masters, {task} points a task", RANKS, masters=masters,
                             side=32, task=task, cost=1e-2, serve=4e-3, wait=13e-3)


def best_number(times: dict[int, float]) -> int:
    shortest = min(times.values())
    return min(n for n, time in times.items() if time <= shortest * AS_GOOD_AS_THE_BEST)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("mpiexec")
    parser.add_argument("directory", type=pathlib.Path)
    args = parser.parse_args()
    shutil.rmtree(args.directory, ignore_errors=True)
    args.directory.mkdir(parents=True)
    runs = Runs(args)
    experiment = Experiment(runs)
    with cluster.up([100] * RANKS):
        runs.calibrate()
        experiment.task_sizes()
        experiment.numbers_of_workers()
        experiment.variations()
    print()
    model_file.report(experiment.lines, experiment.wrong)


if __name__ == "__main__":
    main()
