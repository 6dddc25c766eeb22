#!/usr/bin/python3
"""Thresholds of a simulated machine, where they are known.

    thresholds_smpi.py PROGRAM FIT DIRECTORY

PROGRAM is the smpi preset's `thresholds`, FIT the release preset's, DIRECTORY takes all files.

- From smpi/send-is-detached-thresh on a send waits for its receiver: the eager limit is that less one.
- Where the bandwidth's factor steps, scatter and gather break: the break must lie within one step of
  the sweep, and with 1 % of noise on every time its 95 % interval must hold the truth in at least 90
  of 100 seeded series. The hosts are alike: where they differ, others become the slowest as sizes
  grow, and the times have more breaks than that one. A gather has a further one even so: from some
  size on its root waits for messages instead of taking them in one after the other.

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
    series: dict[str, list[tuple[int, float]]] = {}
    for row in csv.DictReader(path.open()):
        series.setdefault(row["kind"], []).append((int(row["size_bytes"]), float(row["time_s"])))
    return {kind: sorted(set(points)) for kind, points in series.items()}


def breaks_with_noise(args: argparse.Namespace, points: list[tuple[int, float]], seed: int) -> list:
    rng = random.Random(seed)
    noisy = args.directory / "noisy.csv"
    with noisy.open("w") as file:
        file.write("size_bytes,time_s\n")
        for size, time in points:
            file.write(f"{size},{time * (1 + rng.gauss(0, NOISE))!r}\n")
    result = args.directory / "noisy.json"
    run([args.fit, "fit", noisy, "-o", result])
    return json.loads(result.read_text())["sweeps"][0]["breaks"]


def check_noisy(args: argparse.Namespace, kind: str, points: list) -> list[str]:
    sizes = sorted({size for size, _ in points})
    true = max(k for k, size in enumerate(sizes) if size <= FACTOR_STEP)
    near = covered = extra = 0
    for seed in range(SERIES):
        breaks = breaks_with_noise(args, points, seed)
        extra += len(breaks) != 1
        near += any(abs(sizes.index(b["size_bytes"]) - true) <= 1 for b in breaks)
        covered += any(b["low_bytes"] is not None and b["high_bytes"] is not None
                       and b["low_bytes"] <= FACTOR_STEP < b["high_bytes"] for b in breaks)
    print(f"{kind}, {len(sizes)} sizes: of {SERIES} noisy series {near} within one step, "
          f"{covered} intervals hold the truth, {extra} with another number of breaks")
    return [f"{kind}: {count} of {SERIES} {what}"
            for count, what in ((near, "within one step"), (covered, "covered")) if count < 90]


def check_factor(args: argparse.Namespace) -> list[str]:
    sweep = args.directory / "sweep.csv"
    step = FACTOR_STEP + ENVELOPE_BYTES
    found = simulate(args, ["network/model:SMPI", "smpi/lat-factor:0:1",
                            f"smpi/bw-factor:0:1;{step}:0.5"], 4, "--sweep", sweep,
                     "--first", "1KiB", "--last", "512KiB", "--reps", "3")
    wrong = []
    for result in found["sweeps"]:
        sizes, breaks = result["size_bytes"], result["breaks"]
        right = any(b["size_bytes"] <= FACTOR_STEP < sizes[b["last"] + 1] for b in breaks)
        print(f"{result['kind']}: breaks (with intervals)",
              [(b["size_bytes"], b["low_bytes"], b["high_bytes"]) for b in breaks])
        if not right or (result["kind"] == "scatter" and len(breaks) != 1):
            wrong.append(f"{result['kind']}: the break at {FACTOR_STEP} is not within one step")
    for kind, points in series_of(sweep).items():
        wrong += check_noisy(args, kind, points)
    return wrong


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
    wrong = check_eager_limit(args) + check_factor(args)
    for line in wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
