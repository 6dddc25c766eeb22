#!/usr/bin/python3
"""Calibrates emulated machines whose parameters are known: the loop from a model to a model.

    emulated.py PROGRAMS MPIEXEC DIRECTORY [RANKS...]

PROGRAMS is the folder with emulate, estimate-model and write-machine, DIRECTORY takes all files.
Every parameter must come back to 1e-6: LMO at each number of RANKS; LogGPS with 4 ranks, and its
eager limit exactly. Whether messages that meet share links or take turns must be found out. So must
what pairs of one host take from each other.
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import sys

import model_file

TOLERANCE = 1e-6
SHARES_TO = 0.25  # the second message sets off after the first, which is ahead of it by its port's time
EAGER_LIMIT = 20000
MEMORY = 4e-9  # [s/byte]: four pairs of a host take 16 ns for a byte of each, one alone up to 11
EXACT = ["--passes", "1", "--min-reps", "3", "--max-reps", "3", "--wait", "blocking",
         "--no-thresholds", "--no-fabric", "--no-checks", "--progress", "never"]


def calibrate(args, kind: str, ranks: int, options: list[str], limit: list[str], *, models: str = "",
              sharing: str = "none", memory: float | None = None, alike: bool = False) -> tuple:
    """@param memory  of the one host that all ranks are on then [s/byte]
    @param alike  all pairs; of `hockney`"""
    truth = args.directory / f"{kind}{ranks}.json"
    result = args.directory / f"{kind}{ranks}-calibrated.json"
    machine = json.loads(subprocess.run(
        [args.programs / "write-machine", kind, str(ranks), str(ranks), *limit],
        check=True, text=True, capture_output=True).stdout)
    if memory:
        put_on_one_host(machine, memory)
    if alike:
        make_alike(machine)
    truth.write_text(json.dumps(machine))
    done = subprocess.run(
        [args.mpiexec, "-n", str(ranks), args.programs / "emulate", "--model", truth, "--compute",
         "none", "--sharing", sharing, args.programs / "estimate-model", "calibrate", "-o", result, "--models", models or kind,
         *EXACT, *options], text=True, capture_output=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{kind}, {ranks} ranks: calibrate ended with {done.returncode}: {done.stderr}")
    return model_file.load(truth), model_file.load(result)


def make_alike(machine: dict) -> None:
    for parameter in (machine["models"]["hockney"][name] for name in ("alpha", "beta")):
        first = parameter["value"][0][1]
        for end in ("value", "low", "high"):
            parameter[end] = [[None if one is None else first for one in row] for row in parameter[end]]


def put_on_one_host(machine: dict, memory: float) -> None:
    for place in machine["launches"][0]["ranks"]:
        place["host"] = "h0"
    ranks = range(machine["n"])
    arrays = {way: {end: [memory if way == "inside" else None for _ in ranks] for end in ("value", "low", "high")}
              for way in ("out", "in", "inside", "both")}
    machine["models"]["host_links"] = {
        "residual": 0, "observations": 1, "warnings": [], "range_bytes": [1, 1 << 20], **arrays,
        "replicates": {"kind": "passes", **{way: [] for way in arrays}}}


def compare_memory(expected: float | None, document: dict, lines: list, wrong: list) -> None:
    found = document["models"]["host_links"]["inside"]
    value, high = found["value"][0], found["high"][0]
    lines.append(f"memory of one host: {value} s/byte, {found['low'][0]} to {high}; {expected} is true")
    if expected is None:
        is_right = value is None
    else:
        is_right = (value is not None and abs(value / expected - 1) <= TOLERANCE and
                    found["low"][0] <= expected * (1 + TOLERANCE) and expected * (1 - TOLERANCE) <= high)
    if not is_right:
        wrong.append(f"the memory's time per byte is {value} where {expected} is true")


def values(parameter: dict) -> dict:
    if not isinstance(parameter["value"][0], list):
        return dict(enumerate(parameter["value"]))
    matrix = model_file.full_matrix(parameter, "value")
    return {(i, j): matrix[i][j] for i, j in itertools.permutations(range(len(matrix)), 2)}


def compare(kind: str, names: list[str], documents: tuple, lines: list, wrong: list) -> None:
    truth, found = (model_file.model(document, kind) for document in documents)
    lines.append(f"{kind}, {documents[0]['n']} ranks:")
    for name in names:
        true, fitted = values(truth[name]), values(found[name])
        errors = {k: float("inf") if fitted[k] is None else abs(fitted[k] / true[k] - 1)
                  for k in true}
        worst = max(errors, key=errors.get)
        lines.append(f"  {name:13} worst {errors[worst]:.1e} at {worst}")
        if not errors[worst] <= TOLERANCE:
            wrong.append(f"{kind}: {name}{worst} is {fitted[worst]} where {true[worst]} is true")


def compare_sharing(sharing: str, expected: dict, document: dict, lines: list, wrong: list) -> None:
    found = {name: document["models"]["sharing"][name]["value"] for name in expected}
    lines.append(f"--sharing {sharing}: {found}")
    if any(found[name] is None or abs(found[name] - true) > SHARES_TO for name, true in expected.items()):
        wrong.append(f"sharing is {found} where {expected} is true")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("mpiexec")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("ranks", type=int, nargs="*", default=[4, 8, 16])
    args = parser.parse_args()
    args.directory.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    wrong: list[str] = []
    for ranks in args.ranks:
        documents = calibrate(args, "lmo", ranks, ["--design", "full"], [])
        compare("lmo", ["C", "t", "L", "inverse_beta"], documents, lines, wrong)
    names = ["L", "o_prime_s", "O_s", "o_prime_r", "O_r", "g"]
    documents = calibrate(args, "loggps", 4, ["--pairs", "all", "--largest", "16KiB"], [])
    compare("loggps", [*names, "G"], documents, lines, wrong)
    # Above the eager limit a flood waits for its receiver: its gap is no G, only G' is.
    documents = calibrate(args, "loggps", 4, ["--pairs", "all"], [str(EAGER_LIMIT)])
    compare("loggps", [*names, "G_prime"], documents, lines, wrong)
    found = documents[1]["eager_limit_bytes"]
    lines.append(f"  eager limit   {found}")
    if found != EAGER_LIMIT:
        wrong.append(f"the eager limit is {found} where {EAGER_LIMIT} is true")
    for sharing, eager, large in (("none", 0, 0), ("rendezvous", 0, 1), ("all", 1, 1)):
        document = calibrate(args, "lmo", 6, [], [str(EAGER_LIMIT)], models="hockney", sharing=sharing)[1]
        compare_sharing(sharing, {"eager": eager, "rendezvous": large}, document, lines, wrong)
        # Eager messages keep their sender until they have left, so that it can't send two at once.
        document = calibrate(args, "hockney", 6, [], [str(EAGER_LIMIT)], sharing=sharing, alike=True)[1]
        compare_sharing(sharing, {"rendezvous": large, "rendezvous_in": large, "rendezvous_out": large}, document, lines, wrong)
    # The ports of `lmo` come on top of links that are shared, but not of those that take turns.
    for kind, sharing, memory in (("lmo", "none", MEMORY), ("hockney", "all", MEMORY), ("hockney", "all", MEMORY / 4)):
        document = calibrate(args, kind, 8, [], [], models="hockney", sharing=sharing, memory=memory)[1]
        compare_memory(memory if memory == MEMORY else None, document, lines, wrong)
    model_file.report(lines, wrong)


if __name__ == "__main__":
    main()
