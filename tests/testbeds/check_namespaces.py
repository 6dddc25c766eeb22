#!/usr/bin/python3
"""Checks a calibration between network namespaces against the rates that tc was given.

    check_namespaces.py model.json --rates 20,40,60,100 [--validation checks.csv]

Rates in Mbit/s, one for each rank. 1448 of every 1514 bytes on the wire are payload. A pair's time
per byte (hockney.beta) is that of its slower rank; a rank's send and receive gap (bottleneck.s, .r)
its own, or a bound (value null) that holds. The bottleneck model must be preferred and predict the
scatters and gathers that no fit saw; LMO must warn that its 1/beta is negative; the fresh measurements
of `estimate-model validate` must agree.
"""

import argparse
import csv
import itertools
import pathlib
import statistics

import model_file

WIRE_PER_PAYLOAD = 1514 / 1448


def seconds_per_byte(rate_mbit: float) -> float:
    return 8 * WIRE_PER_PAYLOAD / (rate_mbit * 1e6)


def check_pairs(hockney: dict, rates: list[float], tolerance: float):
    beta = model_file.full_matrix(hockney["beta"], "value")
    for i, j in itertools.permutations(range(len(rates)), 2):
        true = seconds_per_byte(min(rates[i], rates[j]))
        error = float("inf") if beta[i][j] is None else beta[i][j] / true - 1
        yield f"beta[{i}][{j}]", beta[i][j], true, f"{error:+.2%}", abs(error) <= tolerance


def check_ranks(bottleneck: dict, rates: list[float], tolerance: float):
    for name in ("s", "r"):
        for i, rate in enumerate(rates):
            true = seconds_per_byte(rate)
            value, high = bottleneck[name]["value"][i], bottleneck[name]["high"][i]
            if value is None:
                holds = high is not None and true <= high * (1 + tolerance)
                yield f"{name}[{i}]", high, true, "bound", holds
            else:
                error = value / true - 1
                yield f"{name}[{i}]", value, true, f"{error:+.2%}", abs(error) <= tolerance


def median_error(checks: list[dict], **wanted: str) -> float:
    errors = [abs(float(check["predicted_s"]) / float(check["measured_s"]) - 1) for check in checks
              if all(check[key] == value for key, value in wanted.items())]
    return statistics.median(errors) if errors else float("inf")


def check_predictions(document: dict, validation: list[dict]):
    """(what, median error, tolerance)"""
    for operation in ("scatter", "gather"):
        yield (f"{operation}, unseen",
               median_error(document["checks"], model="bottleneck", operation=operation), 0.05)
    if validation:
        yield "validation", median_error(validation, model="bottleneck"), 0.03
        for operation in ("p2p", "scatter", "gather"):
            yield (f"{operation}, validation",
                   median_error(validation, model="bottleneck", operation=operation), 0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--rates", required=True, type=lambda text: [float(r) for r in text.split(",")])
    parser.add_argument("--pair-tolerance", type=float, default=0.01)
    parser.add_argument("--rank-tolerance", type=float, default=0.05)
    parser.add_argument("--validation", type=pathlib.Path)
    args = parser.parse_args()

    document = model_file.load(args.model)
    pairs = check_pairs(model_file.model(document, "hockney"), args.rates, args.pair_tolerance)
    ranks = check_ranks(model_file.model(document, "bottleneck"), args.rates, args.rank_tolerance)
    lines = ["parameter     fitted ns/B    tc ns/B      error"]
    wrong = []
    for name, fitted, true, error, right in itertools.chain(pairs, ranks):
        shown = "null" if fitted is None else f"{fitted * 1e9:.2f}"
        lines.append(f"{name:<13} {shown:>11} {true * 1e9:10.2f} {error:>10}")
        if not right:
            wrong.append(f"{name}: {shown} ns/B where tc has {true * 1e9:.2f} ns/B")
    validation = []
    if args.validation:
        with args.validation.open(newline="") as file:
            validation = list(csv.DictReader(file))
    for what, error, tolerance in check_predictions(document, validation):
        lines.append(f"{what:<20} median error {error:.2%}")
        if error > tolerance:
            wrong.append(f"{what}: median error {error:.2%}, more than {tolerance:.0%}")
    if document["preferred"] != "bottleneck":
        wrong.append(f"the file prefers {document['preferred']}")
    if not any("1/beta is negative" in text for text in document["models"]["lmo"]["warnings"]):
        wrong.append("lmo doesn't warn of its negative 1/beta")
    model_file.report(lines, wrong)


if __name__ == "__main__":
    main()
