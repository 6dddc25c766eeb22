#!/usr/bin/python3
"""Predictions of scatter, gather and broadcast, flat and binomial, on simulated LMO machines.

    validate_smpi.py PROGRAM DIRECTORY HOSTS...

PROGRAM is the smpi preset's estimate-model, DIRECTORY takes all files. For each number of hosts, all
roots and several sizes:

- all messages eager: lmo predicts each time that `validate` measures within 1 %;
- all messages rendezvous: hockney does. Such messages cost SMPI's hosts nothing, so that they are no
  LMO machine any more; a time is a line in the size, and a message starts when both ends are free.

Exit code 77: SimGrid or PROGRAM is missing.
"""

import argparse
import collections
import csv
import pathlib
import statistics
import subprocess
import sys

import model_file

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 0.01
EAGER_LIMIT = 5000
QUIET = ["--passes", "1", "--min-reps", "3", "--max-reps", "3", "--progress", "never"]
EAGER = {"model": "lmo", "config": [],
         "calibrate": ["--size", "64KiB", "--sizes", "1KiB,64KiB"], "sizes": [1000, 4000, 8000]}
RENDEZVOUS = {"model": "hockney",
              "config": [f"--cfg=smpi/{name}:{EAGER_LIMIT + 1}"
                         for name in ("send-is-detached-thresh", "async-small-thresh")],
              "calibrate": ["--sizes", "1KiB,5000,5001,64KiB,256KiB"], "sizes": [6000, 30000]}


def run(machine: pathlib.Path, config: list[str], *command: object) -> None:
    done = subprocess.run([HERE / "smpi-run", machine, "--", *config, *map(str, command)], text=True,
                          capture_output=True, check=False)
    if done.returncode == 77:
        print(done.stderr, file=sys.stderr)
        sys.exit(77)
    # 3: a time without noise may still miss the precision asked for, by a step of the clock.
    if done.returncode not in (0, 3):
        sys.exit(f"{command[1]} ended with {done.returncode}: {done.stderr}")


def checks(program: pathlib.Path, machine: pathlib.Path, case: dict) -> list[dict]:
    name = case["model"]
    model, table = machine / f"{name}.json", machine / f"{name}.csv"
    run(machine, case["config"], program, "calibrate", "-o", model, "--measurements",
        machine / f"{name}-measured.json", "--models", name, "--no-checks", "--no-thresholds", "--no-fabric", *QUIET,
        *case["calibrate"])
    run(machine, case["config"], program, "validate", model, "-o", table, "--pairs", "all",
        "--operations", "scatter,gather,bcast", "--sizes", ",".join(map(str, case["sizes"])), *QUIET)
    with table.open() as file:
        return list(csv.DictReader(file))


def judge(lines: list, wrong: list, hosts: int, case: dict, rows: list[dict]) -> None:
    errors = collections.defaultdict(list)
    for row in rows:
        errors[f"{row['operation']}, {row['algorithm']}"].append(abs(float(row["relative_error"])))
        if row["extrapolated"] != "0":
            wrong.append(f"{hosts} hosts: {row['size_bytes']} bytes are outside the model's sizes")
    expected = hosts * len(case["sizes"])
    if len(errors) != 6 or any(len(found) != expected for found in errors.values()):
        wrong.append(f"{hosts} hosts: not {expected} times of each of six: "
                     f"{ {name: len(found) for name, found in errors.items()} }")
    for name, found in sorted(errors.items()):
        lines.append(f"{hosts:5}  {case['model']:8}  {name:18} {statistics.median(found):10.4%}"
                     f"  {max(found):10.4%}")
        if not max(found) <= TOLERANCE:
            wrong.append(f"{hosts} hosts, {case['model']}, {name}: off by {max(found):.2%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("hosts", type=int, nargs="+")
    args = parser.parse_args()
    if not args.program.exists():
        print(f"validate_smpi.py: skipped ({args.program} is missing): build the smpi preset first",
              file=sys.stderr)
        sys.exit(77)
    lines = ["hosts  model     operation              median       worst"]
    wrong: list[str] = []
    for hosts in args.hosts:
        machine = args.directory / str(hosts)
        subprocess.run([HERE / "smpi_platform.py", "--hosts", str(hosts), "--seed", str(hosts), "-o",
                        machine], check=True)
        for case in (EAGER, RENDEZVOUS):
            judge(lines, wrong, hosts, case, checks(args.program, machine, case))
    model_file.report(lines, wrong)


if __name__ == "__main__":
    main()
