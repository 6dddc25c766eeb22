#!/usr/bin/python3
"""Checks the times that benchmark-collectives prints.

    check_collectives.py collectives.csv --regular
    check_collectives.py collectives.csv --escalating

--regular: the model-based scatter and gather take at most 5 % longer than MPI's, at each size and root.
--escalating: some of MPI's gathers waited for a timeout of TCP, 150 ms longer than its quickest one of
that size; at each of these sizes the model-based one stays within 1.5 of the linear prediction.
Times are medians.
"""

import argparse
import csv
import pathlib
import sys

SLOWER = 1.05
OF_LINEAR = 1.5
TIMEOUT_S = 0.15


def name_of(row: dict[str, str]) -> str:
    return f"{row['operation']} of {row['size_bytes']} bytes, root {row['root']}"


def check_regular(rows: list[dict[str, str]]) -> list[str]:
    return [f"{name_of(row)}: {float(row['ratio']):.3f} of MPI's time"
            for row in rows if float(row["ratio"]) > SLOWER]


def check_escalating(rows: list[dict[str, str]]) -> list[str]:
    escalated = [row for row in rows
                 if float(row["mpi_most_s"]) > float(row["mpi_least_s"]) + TIMEOUT_S]
    if not escalated:
        return ["none of MPI's gathers waited for a timeout: the queue is too long"]
    wrong = []
    for row in escalated:
        ratio = float(row["ours_s"]) / float(row["linear_s"])
        print(f"{name_of(row)}: {ratio:.2f} of the linear prediction")
        if ratio > OF_LINEAR:
            wrong.append(f"{name_of(row)}: {ratio:.2f} of the linear prediction")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", type=pathlib.Path)
    parser.add_argument("--regular", action="store_true")
    parser.add_argument("--escalating", action="store_true")
    args = parser.parse_args()
    with args.times.open(newline="") as file:
        rows = list(csv.DictReader(file))
    wrong = ["no times at all"] if not rows else []
    wrong += check_regular(rows) if args.regular else check_escalating(rows)
    for line in wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
