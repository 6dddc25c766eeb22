#!/usr/bin/python3
"""A machine exported to SimGrid behaves as the one that was measured.

    export_smpi.py ESTIMATE_MODEL_SMPI ESTIMATE_MODEL DIRECTORY

Calibrates the simulated machine lmo4.xml, exports `lmo` as a platform, calibrates that one, with the options
of its own config block only, and compares every time that both measured (round trips, one-to-twos, fans, flat
scatters and gathers): they must agree within 0.5 %. The same for round trips of a machine of equal hosts with
a rendezvous step, exported from `hockney`: the step must lie at the same byte. Messages that meet aren't
compared there: `hockney` doesn't know which part of a message's time is its sender's, so it can't tell what
the second of two messages waits for. Last a machine is exported from `loggps`: flat scatters and gathers, in
which a rank's messages share its link, must take what the model predicts, within 5 %.
Exit code 77: SimGrid is missing.
"""

import argparse
import csv
import json
import pathlib
import shutil
import subprocess
import sys

import export_namespaces
import logp_smpi

HERE = pathlib.Path(__file__).parent
EXACT = ["--passes", "1", "--min-reps", "3", "--max-reps", "3", "--no-thresholds"]
LARGEST_ERROR = 0.005
LARGEST_COLLECTIVE_ERROR = 0.05
COLLECTIVE_SIZES = ["8192", "16384"]  # up to the eager limit

EAGER_LIMIT = 20000
STEP_SIZES = f"1KiB,8KiB,{EAGER_LIMIT},{EAGER_LIMIT + 1},64KiB,256KiB"
STEP = ["network/model:SMPI", "network/weight-S:0",
        f"smpi/bw-factor:0:1;{EAGER_LIMIT + 16}:0.8", f"smpi/lat-factor:0:1;{EAGER_LIMIT + 16}:3",
        f"smpi/async-small-thresh:{EAGER_LIMIT + 1}",
        f"smpi/send-is-detached-thresh:{EAGER_LIMIT + 1}"]


def run(*command: str | pathlib.Path) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 77:
        sys.exit(77)
    if done.returncode not in (0, 3):
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr}")


def calibrated(directory: pathlib.Path, start: list, options: list) -> dict[tuple, float]:
    """What was measured -> time [s]; the eager limit as ("eager_limit",) -> bytes."""
    measurements = directory / "measurements.json"
    run(*start, "calibrate", *EXACT, *options, "-o", directory / "model.json", "--measurements",
        measurements)
    document = json.loads(measurements.read_text())
    columns = document["experiments"]
    names = ("kind", "root", "peers", "out_bytes", "back_bytes")
    keys = zip(*(map(str, columns[name]) for name in names))
    limit = document["launches"][0]["eager_limit_bytes"]
    return dict(zip(keys, columns["time_s"])) | {("eager_limit",): limit}


def compare(args: argparse.Namespace, model: str, platform_options: list, settings: list,
            options: list) -> tuple[dict, dict]:
    """What was measured on a machine, and on the platform exported from its model."""
    original, exported = (args.directory / model / name for name in ("original", "exported"))
    exported.mkdir(parents=True)
    run(HERE / "smpi_platform.py", *platform_options, "-o", original)
    if not (original / "platform.xml").exists():
        shutil.copy(platform_options[-1], original / "platform.xml")
    config = [f"--cfg={setting}" for setting in settings]
    before = calibrated(original, [HERE / "smpi-run", original, "--", *config, args.smpi_program],
                        options)
    platform = exported / "platform.xml"
    run(args.program, "export", original / "model.json", "--format", "simgrid", "--model", model,
        "-o", platform)
    hosts = exported / "hosts"
    hosts.write_text("".join(f"rank{i}\n" for i in range(4)))
    after = calibrated(exported, ["smpirun", "-np", "4", "-platform", platform, "-hostfile", hosts,
                                  "--log=root.thresh:warning", "--cfg=smpi/simulate-computation:no",
                                  args.smpi_program], options)
    return before, after


def judge(name: str, before: dict, after: dict, kinds: tuple[str, ...]) -> list[str]:
    limits = [times.pop(("eager_limit",)) for times in (before, after)]
    print(f"{name}: eager limits {limits[0]} and {limits[1]}")
    wrong = [] if limits[0] == limits[1] else [f"{name}: the step is elsewhere"]
    both = sorted(before.keys() & after.keys())
    worst: dict[str, float] = {}
    for key in both:
        error = abs(after[key] / before[key] - 1)
        worst[key[0]] = max(worst.get(key[0], 0.0), error)
    for kind, error in worst.items():
        print(f"{name}: {kind:20} off by at most {error:.4%}")
        if error > LARGEST_ERROR:
            wrong.append(f"{name}: {kind} off by {error:.2%}")
    print(f"{name}: {len(both)} of {len(before)} times compared")
    if len(both) < 0.9 * len(before):
        wrong.append(f"{name}: too few times")
    wrong += [f"{name}: no {kind} was compared" for kind in kinds if kind not in worst]
    return wrong


def round_trips(times: dict) -> dict:
    return {key: time for key, time in times.items() if key[0] in ("round_trip", "eager_limit")}


def step_of(times: dict) -> float:
    """Of the round trips on both sides of the eager limit, the second over the first."""
    return (times["round_trip", "0", "[1]", str(EAGER_LIMIT + 1), "0"] /
            times["round_trip", "0", "[1]", str(EAGER_LIMIT), "0"])


def predicted(args: argparse.Namespace, model: pathlib.Path, operation: str) -> dict:
    """(operation, root, size) -> time [s]"""
    out = subprocess.run(
        [args.program, "predict", model, "--model", "loggps", "--operation", operation,
         "--algorithm", "flat", "--from", "1", "--size", ",".join(COLLECTIVE_SIZES)],
        check=True, capture_output=True, text=True).stdout
    return {(operation, row["from"], row["size_bytes"]): float(row["time_s"])
            for row in csv.DictReader(out.splitlines())}


def judge_collectives(args: argparse.Namespace) -> list[str]:
    original, exported = (args.directory / "loggps" / name for name in ("original", "exported"))
    exported.mkdir(parents=True)
    logp_smpi.write_platform(original, 4)
    config = [f"--cfg={setting}" for setting in logp_smpi.DETACHED]
    calibrated(original, [HERE / "smpi-run", original, "--", *config, args.smpi_program],
               ["--models", "loggps", "--pairs", "all", "--no-checks"])
    model = original / "model.json"
    run(args.program, "export", model, "--format", "simgrid", "--model", "loggps", "-o",
        exported / "platform.xml")
    simulated = export_namespaces.simulated(exported, 4, COLLECTIVE_SIZES)
    wrong = []
    for operation in ("scatter", "gather"):
        for key, time in predicted(args, model, operation).items():
            error = simulated[key] / time - 1
            print(f"loggps: {operation} of {key[2]} B {time * 1e3:.2f} ms, simulated {error:+.2%}")
            if not abs(error) <= LARGEST_COLLECTIVE_ERROR:
                wrong.append(f"loggps: {operation} of {key[2]} B off by {error:+.2%}")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("smpi_program", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    args = parser.parse_args()
    if shutil.which("smpirun") is None or not args.smpi_program.exists():
        print("skipped (no SimGrid, or the smpi preset is not built)")
        sys.exit(77)
    shutil.rmtree(args.directory, ignore_errors=True)

    before, after = compare(args, "lmo", ["--truth-of", HERE / "lmo4.xml"], [], [])
    wrong = judge("lmo", before, after, ("round_trip", "scatter", "gather"))

    before, after = compare(args, "hockney", ["--hosts", "4", "--equal"], STEP,
                            ["--models", "hockney", "--no-checks", "--sizes", STEP_SIZES])
    if before["eager_limit",] != EAGER_LIMIT:
        wrong.append(f"the machine's eager limit is {before['eager_limit',]}, not {EAGER_LIMIT}")
    print(f"hockney: steps of {step_of(before):.3f} and {step_of(after):.3f}")
    if abs(step_of(before) - 1) < 10 * LARGEST_ERROR:
        wrong.append("hockney: the machine has no step that could be seen")
    wrong += judge("hockney", round_trips(before), round_trips(after), ("round_trip",))
    wrong += judge_collectives(args)
    for line in wrong:
        print(f"WRONG: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
