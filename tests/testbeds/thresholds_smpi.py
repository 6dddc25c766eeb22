#!/usr/bin/python3
"""Thresholds of a simulated machine, where they are known.

    thresholds_smpi.py PROGRAM FIT DIRECTORY

PROGRAM is the smpi preset's `thresholds`, FIT the release preset's, DIRECTORY takes all files.

- From smpi/send-is-detached-thresh on a send waits for its receiver: the eager limit is that less one.
- Where the bandwidth's factor steps, scatter and gather leap. Where the latency's factor steps as
  well, by as much as the bandwidth's costs there, they have a kink: another slope, no leap. The break
  must lie within one step of the sweep. With 1 % of noise on every time the 95 % interval of the break
  that is nearest to the truth must hold it in at least 90 of 100 seeded series, with a single time and
  with 15 of each size; a leap must be found within one step in as many. How many series may have more
  breaks than the times without noise is below. An end of an interval that is null is open.
- The hosts are alike: where they differ, others become the slowest as sizes grow, and the times have
  more breaks than that one. A gather has a further one even so: from some size on its root waits for
  messages instead of taking them in one after the other.

Exit code 77: SimGrid or a program is missing.
"""

import argparse
import csv
import json
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ENVELOPE_BYTES = 16
DETACHED = (5000, 20000, 65536)
FACTOR_STEP = 40000
SERIES = 100
NOISE = 0.01
LEAST_RIGHT = 90
# Repetitions of each size: how many series may have one break more than the times without noise, how
# many two. Of a single time the noise is a guess, which the criterion takes for breaks.
MOST_WITH_MORE = {1: (25, 20), 15: (5, 0)}


def run(command: list, **options) -> subprocess.CompletedProcess:
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, **options)
    if done.returncode == 77:
        print(done.stderr, file=sys.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}: {done.stderr}")
    return done


def simulate(args: argparse.Namespace, config: list[str], ranks: int, *options) -> dict:
    """Measures thresholds on the simulated machine with more settings of SimGrid."""
    result = args.directory / "thresholds.json"
    result.unlink(missing_ok=True)
    run([HERE / "smpi-run", args.directory, "-n", ranks, "--",
         *(f"--cfg={setting}" for setting in config), args.program, "measure", "-o", result, *options])
    return json.loads(result.read_text())


def check_eager_limit(args: argparse.Namespace) -> list[str]:
    wrong = []
    for threshold in DETACHED:
        found = simulate(args, ["smpi/async-small-thresh:0",
                                f"smpi/send-is-detached-thresh:{threshold}"], 2)["eager_limit_bytes"]
        print(f"detached below {threshold}: eager limit {found['value']}")
        if found["value"] != threshold - 1:
            wrong.append(f"eager limit {found['value']} where {threshold - 1} is true")
    return wrong


def series_of(path: pathlib.Path) -> dict[str, list[tuple[int, float]]]:
    """One time for each size: repetitions differ by round-off."""
    series: dict[str, dict[int, float]] = {}
    for row in csv.DictReader(path.open()):
        series.setdefault(row["kind"], {})[int(row["size_bytes"])] = float(row["time_s"])
    return {kind: sorted(times.items()) for kind, times in series.items()}


def breaks_with_noise(args: argparse.Namespace, points: list[tuple[int, float]], repetitions: int,
                      seed: int) -> list:
    rng = random.Random(seed)
    noisy = args.directory / "noisy.csv"
    with noisy.open("w") as file:
        file.write("size_bytes,time_s\n")
        for size, time in points:
            for _ in range(repetitions):
                file.write(f"{size},{time * (1 + rng.gauss(0, NOISE))!r}\n")
    result = args.directory / "noisy.json"
    run([args.fit, "fit", noisy, "-o", result])
    return json.loads(result.read_text())["sweeps"][0]["breaks"]


def holds(found: dict, truth: int) -> bool:
    """Whether a break's interval does. Without a lower end it has none."""
    low, high = found["low_bytes"], found["high_bytes"]
    return low is not None and low <= truth and (high is None or truth < high)


def check_noisy(args: argparse.Namespace, name: str, points: list, repetitions: int, usual: int,
                leaps: bool) -> list[str]:
    """@param usual  the number of breaks without noise"""
    name += f", {repetitions} of each size"
    sizes = [size for size, _ in points]
    true = max(k for k, size in enumerate(sizes) if size <= FACTOR_STEP)
    near = covered = one_more = too_many = 0
    for seed in range(SERIES):
        breaks = breaks_with_noise(args, points, repetitions, seed)
        one_more += len(breaks) == usual + 1
        too_many += len(breaks) > usual + 1
        if not breaks:
            continue
        distances = [abs(sizes.index(b["size_bytes"]) - true) for b in breaks]
        near += min(distances) <= 1
        covered += holds(breaks[distances.index(min(distances))], FACTOR_STEP)
    print(f"{name}, {len(sizes)} sizes: of {SERIES} noisy series {near} within one step, "
          f"{covered} intervals hold the truth, {one_more} with one break more than {usual}, "
          f"{too_many} with two more")
    wrong = []
    if leaps and near < LEAST_RIGHT:
        wrong.append(f"{name}: {near} of {SERIES} within one step")
    if covered < LEAST_RIGHT:
        wrong.append(f"{name}: {covered} of {SERIES} covered")
    if one_more > MOST_WITH_MORE[repetitions][0] or too_many > MOST_WITH_MORE[repetitions][1]:
        wrong.append(f"{name}: {one_more} of {SERIES} with one break more, {too_many} with two")
    return wrong


def latency_that_levels(args: argparse.Namespace, bandwidth_factor: float) -> float:
    """Factor of the latency with which a step of the bandwidth's factor from 1 is no leap."""
    truth = json.loads((args.directory / "truth.json").read_text())
    per_byte, latency = truth["inverse_beta"][0][1], truth["L"][0][1]
    leap = (FACTOR_STEP + ENVELOPE_BYTES) * per_byte * (1 / bandwidth_factor - 1)
    return 1 - leap / latency


def check_factor(args: argparse.Namespace, name: str, bandwidth: float, latency: float) -> list[str]:
    """@param bandwidth, latency  their factors above FACTOR_STEP"""
    sweep = args.directory / "sweep.csv"
    step = FACTOR_STEP + ENVELOPE_BYTES
    found = simulate(args, ["network/model:SMPI", f"smpi/lat-factor:0:1;{step}:{latency!r}",
                            f"smpi/bw-factor:0:1;{step}:{bandwidth}"], 4, "--sweep", sweep,
                     "--first", "1KiB", "--last", "512KiB", "--reps", "3")
    wrong = []
    series = series_of(sweep)
    for result in found["sweeps"]:
        kind, sizes, breaks = f"{name}, {result['kind']}", result["size_bytes"], result["breaks"]
        right = any(b["size_bytes"] <= FACTOR_STEP < sizes[b["last"] + 1] for b in breaks)
        print(f"{kind}: breaks (with intervals)",
              [(b["size_bytes"], b["low_bytes"], b["high_bytes"]) for b in breaks])
        if not right or (result["kind"] == "scatter" and len(breaks) != 1):
            wrong.append(f"{kind}: the break at {FACTOR_STEP} is not within one step")
        for repetitions in MOST_WITH_MORE:
            wrong += check_noisy(args, kind, series[result["kind"]], repetitions, len(breaks),
                                 latency == 1)
    return wrong


def check_factors(args: argparse.Namespace) -> list[str]:
    quicker = 3.0
    return (check_factor(args, "leap", 0.5, 1)
            + check_factor(args, "kink", quicker, latency_that_levels(args, quicker)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("fit", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    args = parser.parse_args()
    if not args.program.exists():
        print(f"skipped ({args.program} is missing): build the smpi preset first", file=sys.stderr)
        sys.exit(77)
    args.directory.mkdir(parents=True, exist_ok=True)
    run([HERE / "smpi_platform.py", "--hosts", "4", "--seed", "3", "--equal", "-o",
         args.directory])
    wrong = check_eager_limit(args) + check_factors(args)
    for line in wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
