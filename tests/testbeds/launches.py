#!/usr/bin/python3
"""Several launches on this machine: do their intervals hold for one another?

    launches.py ESTIMATE_MODEL MPIEXEC DIRECTORY [--launches 6] [--ranks 4]

One launch is one sample of placement and memory layout, and its intervals leave out what differs
between launches: they say so. So launches 0, 2, 4 are merged, and 1, 3, 5, which takes a machine that
changes its speed meanwhile into both, and these two must agree in at least 90 % of their parameters;
and the merged measurements of all launches but one must predict the times of that one within their
intervals, in at least 90 % (the median over the one left out). How far neighbouring launches agree is
printed; below a half (the median) they have not measured the same thing.
"""

import argparse
import csv
import io
import itertools
import json
import pathlib
import re
import statistics
import subprocess
import sys


def calibrate(args: argparse.Namespace, i: int) -> tuple[pathlib.Path, pathlib.Path]:
    model, measured = args.directory / f"model{i}.json", args.directory / f"measurements{i}.json"
    done = subprocess.run(
        [args.mpiexec, "-n", str(args.ranks), args.program, "calibrate", "-o", model,
         "--measurements", measured],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"calibrate ended with {done.returncode}: {done.stderr}")
    return model, measured


def agreement(args: argparse.Namespace, one: pathlib.Path, other: pathlib.Path) -> float:
    text = subprocess.run([args.program, "compare", one, other], check=True, text=True,
                          capture_output=True).stdout
    agree, of = re.search(r"(\d+) of (\d+) parameters agree", text).groups()
    return int(agree) / int(of)


def merge(args: argparse.Namespace, name: str, measured: list[pathlib.Path]) -> pathlib.Path:
    model = args.directory / f"{name}.json"
    subprocess.run([args.program, "fit", *measured, "-o", model], check=True,
                   stderr=subprocess.DEVNULL)
    return model


def one_way_times(measured: pathlib.Path) -> dict[tuple, float]:
    """(from, to, size) -> mean over the passes of T(M, 0) - T(0, 0)/2."""
    columns = json.loads(measured.read_text())["experiments"]
    times: dict[tuple, list[float]] = {}
    for kind, root, peers, out, back, time in zip(
            *(columns[name] for name in ("kind", "root", "peers", "out_bytes", "back_bytes", "time_s"))):
        if kind == "round_trip" and back == 0:
            times.setdefault((root, peers[0], out), []).append(time)
    mean = {key: statistics.mean(values) for key, values in times.items()}
    return {(i, j, size): time - (mean[i, j, 0] + mean[j, i, 0]) / 4
            for (i, j, size), time in mean.items() if size}


def share_inside(args: argparse.Namespace, merged: pathlib.Path, measured: pathlib.Path) -> float:
    times = one_way_times(measured)
    sizes = ",".join(str(size) for size in sorted({size for _, _, size in times}))
    inside = []
    for i, j in itertools.permutations(range(args.ranks), 2):
        text = subprocess.run(
            [args.program, "predict", merged, "--model", "hockney", "--operation", "p2p", "--from",
             str(i), "--to", str(j), "--size", sizes], check=True, text=True,
            capture_output=True).stdout
        for row in csv.DictReader(io.StringIO(text)):
            time = times[i, j, int(row["size_bytes"])]
            inside.append(float(row["low_s"]) <= time <= float(row["high_s"]))
    return statistics.mean(inside)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("mpiexec")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--launches", type=int, default=6)
    parser.add_argument("--ranks", type=int, default=4)
    args = parser.parse_args()
    args.directory.mkdir(parents=True, exist_ok=True)

    launches = [calibrate(args, i) for i in range(args.launches)]
    agreements = [agreement(args, one[0], other[0]) for one, other in itertools.pairwise(launches)]
    print("neighbours agree:       " + "  ".join(f"{share:.0%}" for share in agreements))

    files = [measured for _, measured in launches]
    halves = [merge(args, f"half{k}", files[k::2]) for k in (0, 1)]
    joined = agreement(args, *halves)
    print(f"interleaved halves:     {joined:.0%}")

    shares = []
    for left_out, measured in enumerate(files):
        merged = merge(args, f"without{left_out}", files[:left_out] + files[left_out + 1:])
        shares.append(share_inside(args, merged, measured))
    print("the others' intervals   " + "  ".join(f"{share:.0%}" for share in shares))
    print("hold a launch's times")
    wrong = [f"{what} {value:.0%} (at least {least:.0%} is asked for)" for what, value, least in (
        ("neighbours: the median is", statistics.median(agreements), 0.5),
        ("interleaved halves agree in", joined, 0.9),
        ("prediction: the median is", statistics.median(shares), 0.9)) if value < least]
    for line in wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
