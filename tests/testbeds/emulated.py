#!/usr/bin/python3
"""Calibrates emulated machines whose parameters are known: the loop from a model to a model.

    emulated.py PROGRAMS MPIEXEC DIRECTORY [RANKS...]

PROGRAMS is the folder with emulate, estimate-model and write-machine, DIRECTORY takes all files.
Every parameter must come back to 1e-6: LMO at each number of RANKS; LogGPS with 4 ranks, and its
eager limit exactly. Whether messages that meet share links or take turns must be found out.
"""

import argparse
import itertools
import pathlib
import subprocess
import sys

import model_file

TOLERANCE = 1e-6
SHARES_TO = 0.25  # the second message sets off after the first, which is ahead of it by its port's time
EAGER_LIMIT = 20000
EXACT = ["--passes", "1", "--min-reps", "3", "--max-reps", "3", "--wait", "blocking",
         "--no-thresholds", "--no-fabric", "--no-checks", "--progress", "never"]


def calibrate(args, kind: str, ranks: int, options: list[str], limit: list[str], *, models: str = "",
              sharing: str = "none") -> tuple:
    truth = args.directory / f"{kind}{ranks}.json"
    result = args.directory / f"{kind}{ranks}-calibrated.json"
    truth.write_text(subprocess.run(
        [args.programs / "write-machine", kind, str(ranks), str(ranks), *limit],
        check=True, text=True, capture_output=True).stdout)
    done = subprocess.run(
        [args.mpiexec, "-n", str(ranks), args.programs / "emulate", "--model", truth, "--compute",
         "none", "--sharing", sharing, args.programs / "estimate-model", "calibrate", "-o", result, "--models", models or kind,
         *EXACT, *options], text=True, capture_output=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{kind}, {ranks} ranks: calibrate ended with {done.returncode}: {done.stderr}")
    return model_file.load(truth), model_file.load(result)


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


def compare_sharing(sharing: str, expected: tuple, document: dict, lines: list, wrong: list) -> None:
    """@param expected  of eager messages of a pair, and of those above the limit"""
    found = document["models"]["sharing"]
    values = [found[name]["value"] for name in ("eager", "rendezvous")]
    lines.append(f"--sharing {sharing}: {values[0]:.3f} and above the limit {values[1]:.3f}")
    if any(abs(one - true) > SHARES_TO for one, true in zip(values, expected)):
        wrong.append(f"sharing is {values} where {expected} is true")


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
    for sharing, expected in (("none", (0, 0)), ("rendezvous", (0, 1)), ("all", (1, 1))):
        document = calibrate(args, "lmo", 6, [], [str(EAGER_LIMIT)], models="hockney", sharing=sharing)[1]
        compare_sharing(sharing, expected, document, lines, wrong)
    model_file.report(lines, wrong)


if __name__ == "__main__":
    main()
