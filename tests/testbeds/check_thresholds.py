#!/usr/bin/python3
"""Checks the thresholds of gather against what the sweep's repetitions show plainly.

    check_thresholds.py thresholds.json sweep.csv --escalates
    check_thresholds.py thresholds.json sweep.csv --regular

A dropped packet costs TCP a timeout of at least 200 ms: a repetition that took 150 ms more than the
quickest one of its size has waited for one. With --escalates there must be such sizes, and M1 and M2
with their intervals (an end that is null is open) bracket nine in ten of these repetitions, or all
but one, and are no wider than a factor of 8; with --regular there must be none, neither thresholds.
"""

import argparse
import csv
import json
import pathlib
import sys

TIMEOUT_S = 0.15
WIDEST = 8  # high / low of M1 or M2, where both are known


def escalated(path: pathlib.Path) -> list[int]:
    """Sizes of the repetitions that waited for a timeout."""
    times: dict[int, list[float]] = {}
    for row in csv.DictReader(path.open()):
        if row["kind"] == "gather":
            times.setdefault(int(row["size_bytes"]), []).append(float(row["time_s"]))
    return sorted(size for size, all_of_it in times.items() for time in all_of_it
                  if time > min(all_of_it) + TIMEOUT_S)


def check_widths(thresholds: dict[str, dict]) -> list[str]:
    return [f"{name} is known to lie between {one['low']} and {one['high']} only"
            for name, one in thresholds.items()
            if one["low"] is not None and one["high"] is not None
            and one["high"] > WIDEST * one["low"]]


def check_bracket(sizes: list[int], m1: dict, m2: dict) -> list[str]:
    if not sizes:
        return ["no repetition waited for a timeout: the queue is too long"]
    if m1["value"] is None or m2["value"] is None:
        return ["M1 or M2 is missing although repetitions waited for timeouts"]
    low = 0 if m1["low"] is None else m1["low"]
    high = float("inf") if m2["high"] is None else m2["high"]
    wrong = check_widths({"M1": m1, "M2": m2})
    outside = [size for size in sizes if not low < size <= high]
    if len(outside) > max(1, len(sizes) / 10):
        wrong.append(f"{len(outside)} of {len(sizes)} escalations outside M1 … M2: "
                     f"{sorted(set(outside))}")
    return wrong


def check_regular(sizes: list[int], m1: dict, m2: dict) -> list[str]:
    wrong = [f"{len(sizes)} repetitions waited for a timeout"] if sizes else []
    for name, threshold in (("M1", m1), ("M2", m2)):
        if threshold["value"] is not None:
            wrong.append(f"{name} = {threshold['value']} although nothing escalates")
        elif "no escalations" not in threshold.get("reason", ""):
            wrong.append(f"{name} doesn't say why there is none: {threshold}")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("thresholds", type=pathlib.Path)
    parser.add_argument("sweep", type=pathlib.Path)
    parser.add_argument("--escalates", action="store_true")
    parser.add_argument("--regular", action="store_true")
    args = parser.parse_args()
    found = json.loads(args.thresholds.read_text())
    m1, m2 = found["gather_m1_bytes"], found["gather_m2_bytes"]
    sizes = escalated(args.sweep)
    print(f"M1 {m1}\nM2 {m2}\nsizes with timeouts {sorted(set(sizes))}")
    wrong = check_bracket(sizes, m1, m2) if args.escalates else check_regular(sizes, m1, m2)
    for line in wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
