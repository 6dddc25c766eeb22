#!/usr/bin/python3
"""Calibrates hosts on two bridges and compares the link between these with the rate given to tc.

    fabric_namespaces.py PROGRAM DIRECTORY

PROGRAM is estimate-model, DIRECTORY takes all files. Exit code 77: not possible here.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import cluster

HOST_RATE, TRUNK_RATE = 30, 45  # [Mbit/s]
HOSTS, SPLIT = 6, 3
PAYLOAD = 1448 / 1514
TOLERANCE = 0.03
QUICK = ["--models", "hockney", "--sizes", "1KiB,4KiB,16KiB", "--eager-limit", "none", "--no-thresholds", "--no-checks",
         "--passes", "1", "--min-reps", "2", "--max-reps", "2", "--wait", "yield", "--progress", "never"]

failures = []


def expect(holds: bool, message: str) -> None:
    print(("ok: " if holds else "FAILED: ") + message)
    if not holds:
        failures.append(message)


def calibrate(program: str, directory: pathlib.Path) -> dict:
    model, measurements = directory / "model.json", directory / "measurements.json"
    command = [*cluster.launcher(HOSTS), program, "calibrate", "-o", model, "--measurements", measurements, *QUICK]
    code = subprocess.run(list(map(str, command)), check=False, timeout=150).returncode
    expect(code in (0, 3), f"calibrate ends with {code}")
    again = directory / "again.json"
    subprocess.run([program, "fit", measurements, "-o", again], check=True, timeout=60)
    found, refitted = (json.loads(file.read_text()).get("fabric") for file in (model, again))
    expect(found == refitted, "a fit of the measurements has the same fabric")
    return json.loads(model.read_text())


def check_trunk(model: dict) -> None:
    fabric = model.get("fabric") or {"groups": []}
    halves = [{f"{cluster.PREFIX}-h{host}" for host in half} for half in (range(SPLIT), range(SPLIT, HOSTS))]
    groups = fabric["groups"]
    expect(len(groups) > 0 and all(set(group["hosts"]) in halves for group in groups),
           f"groups are the hosts of a bridge: {[group['hosts'] for group in groups]}")
    truth = TRUNK_RATE * 1e6 / 8 * PAYLOAD
    for group in groups:
        for way in ("out", "in"):
            if group[way]["value"] is None:
                continue
            rate = 1 / group[way]["value"]
            expect(abs(rate / truth - 1) <= TOLERANCE, f"{way}: {rate / 1e6:.3f} MB/s, of tc {truth / 1e6:.3f} MB/s")
    # What goes out of one half comes into the other.
    first = halves[0]
    limited = {("in" if way == "out" else "out") if set(group["hosts"]) != first else way
               for group in groups for way in ("out", "in") if group[way]["value"] is not None}
    expect(limited == {"out", "in"}, "both ways are known")


def main() -> None:
    program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    with cluster.up([HOST_RATE] * HOSTS, "--split", str(SPLIT), "--trunk", str(TRUNK_RATE)):
        check_trunk(calibrate(program, directory))
    shown = subprocess.run([program, "show", directory / "model.json"], check=True, capture_output=True, text=True).stdout
    expect("Links that hosts share" in shown, "show tells them")
    if failures:
        sys.exit(f"{len(failures)} failed")


if __name__ == "__main__":
    main()
