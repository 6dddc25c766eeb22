#!/usr/bin/python3
"""A machine exported to SimGrid behaves as the one that was measured.

    export_smpi.py ESTIMATE_MODEL_SMPI ESTIMATE_MODEL DIRECTORY

Calibrates the simulated machine lmo4.xml, exports `lmo` as a platform, calibrates that one, with the
options of its own config block only, and compares every time that both measured (round trips,
one-to-twos, fans, flat scatters and gathers): they must agree within 0.5 %.
Exit code 77: SimGrid is missing.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
EXACT = ["--passes", "1", "--min-reps", "3", "--max-reps", "3", "--no-thresholds"]
LARGEST_ERROR = 0.005


def run(*command: str | pathlib.Path) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 77:
        sys.exit(77)
    if done.returncode not in (0, 3):
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr}")


def calibrated(directory: pathlib.Path, *start: str | pathlib.Path) -> dict[tuple, float]:
    """What was measured -> time [s]."""
    measurements = directory / "measurements.json"
    run(*start, "calibrate", *EXACT, "-o", directory / "model.json", "--measurements", measurements)
    columns = json.loads(measurements.read_text())["experiments"]
    names = ("kind", "root", "peers", "out_bytes", "back_bytes")
    keys = zip(*(map(str, columns[name]) for name in names))
    return dict(zip(keys, columns["time_s"]))


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
    original, exported = args.directory / "original", args.directory / "exported"
    exported.mkdir(parents=True)

    run(HERE / "smpi_platform.py", "--truth-of", HERE / "lmo4.xml", "-o", original)
    before = calibrated(original, HERE / "smpi-run", original, "--platform", HERE / "lmo4.xml",
                        "--", args.smpi_program)
    platform = exported / "platform.xml"
    run(args.program, "export", original / "model.json", "--format", "simgrid", "--model", "lmo",
        "-o", platform)
    hosts = exported / "hosts"
    hosts.write_text("".join(f"rank{i}\n" for i in range(4)))
    after = calibrated(exported, "smpirun", "-np", "4", "-platform", platform, "-hostfile", hosts,
                       "--log=root.thresh:warning", "--cfg=smpi/simulate-computation:no",
                       args.smpi_program)

    both = sorted(before.keys() & after.keys())
    worst: dict[str, float] = {}
    for key in both:
        error = abs(after[key] / before[key] - 1)
        worst[key[0]] = max(worst.get(key[0], 0.0), error)
    for kind, error in worst.items():
        print(f"{kind:20} off by at most {error:.4%}")
    print(f"{len(both)} of {len(before)} times compared")
    for kind in ("round_trip", "scatter", "gather"):
        if kind not in worst:
            sys.exit(f"WRONG: no {kind} was compared")
    sys.exit(1 if max(worst.values()) > LARGEST_ERROR or len(both) < 0.9 * len(before) else 0)


if __name__ == "__main__":
    main()
