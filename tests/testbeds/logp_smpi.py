#!/usr/bin/python3
"""LogGPS parameters of a simulated machine, where they are known.

    logp_smpi.py PROGRAM DIRECTORY [--ranks RANKS]

PROGRAM is the smpi preset's estimate-model, DIRECTORY takes all files. All hosts are alike: a send
costs os, a receive or, and a message of k bytes travels for latency + (k + 16)/(factor*bandwidth), 16
bytes being SMPI's envelope. Messages of a flood share the link fluidly, arrive together, and are then
taken in one after the other, which bends the gap of small messages by up to one or: G' is not judged.

- Two ranks: L, o', O on both sides within 0.5 % (the clock has steps of 10 ns), S exact.
- A factor of the bandwidth that changes at one size below S: inside the interval of s; G above it
  within 0.5 %.
- RANKS (64), P = 2, 4, ... RANKS in one run: the overhead doesn't grow, and the intervals say so.

Exit code 77: SimGrid or PROGRAM is missing.
"""

import argparse
import itertools
import pathlib
import subprocess
import sys

import model_file
import simgrid_xml

HERE = pathlib.Path(__file__).resolve().parent
ENVELOPE_BYTES = 16
O_PRIME_S, O_S = 12e-6, 0.4e-9
O_PRIME_R, O_R = 15e-6, 0.5e-9
LATENCY, BANDWIDTH = 50e-6, 1e6
EAGER_LIMIT = 20000
PACKET, FACTOR = 4000, 0.5
TOLERANCE = 0.005
# A message that isn't "small" doesn't travel before its receive: o_r would hold the whole way.
DETACHED = [f"smpi/send-is-detached-thresh:{EAGER_LIMIT + 1}",
            f"smpi/async-small-thresh:{EAGER_LIMIT + 1}"]


def write_platform(directory: pathlib.Path, hosts: int) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    lines = []
    for i in range(hosts):
        lines.append(f'    <host id="h{i}" speed="1Gf">')
        for name, seconds, per_byte in (("os", O_PRIME_S, O_S), ("ois", O_PRIME_S, O_S),
                                        ("or", O_PRIME_R, O_R)):
            lines.append(f'      <prop id="smpi/{name}" value="0:{seconds!r}:{per_byte!r}"/>')
        lines.append("    </host>")
    pairs = list(itertools.combinations(range(hosts), 2))
    for i, j in pairs:
        lines.append(f'    <link id="l{i}-{j}" bandwidth="{BANDWIDTH:.0f}Bps" '
                     f'latency="{LATENCY * 1e6}us" sharing_policy="SPLITDUPLEX"/>')
    for i, j in pairs:
        for source, target, direction in ((i, j, "UP"), (j, i, "DOWN")):
            lines.append(f'    <route src="h{source}" dst="h{target}" symmetrical="NO">'
                         f'<link_ctn id="l{i}-{j}" direction="{direction}"/></route>')
    (directory / "platform.xml").write_text(simgrid_xml.platform(simgrid_xml.full_zone(lines)))
    (directory / "hosts").write_text("".join(f"h{i}\n" for i in range(hosts)))


def calibrate(args: argparse.Namespace, name: str, config: list[str], *options: str) -> dict:
    result = args.directory / f"{name}.json"
    result.unlink(missing_ok=True)
    done = subprocess.run(
        [HERE / "smpi-run", args.directory / "machine", "-n", str(args.ranks) if name == "growth" else "2", "--",
         *(f"--cfg={setting}" for setting in config), args.program, "calibrate", "--models", "loggps",
         "--pairs", "one", "--passes", "3", "--min-reps", "3", "--max-reps", "3", "--no-thresholds",
         "--no-checks", "-o", result, "--measurements", args.directory / f"{name}-measured.json",
         *options], text=True, capture_output=True, check=False)
    if done.returncode == 77:
        print(done.stderr, file=sys.stderr)
        sys.exit(77)
    # 3: a barrier's leftovers disturb single repetitions.
    if done.returncode not in (0, 3) or not result.exists():
        sys.exit(f"{name}: calibrate ended with {done.returncode}: {done.stderr}")
    return model_file.load(result)


def compare(lines: list, wrong: list, loggps: dict, truth: dict[str, float]) -> None:
    for name, true in truth.items():
        found = model_file.full_matrix(loggps[name], "value")
        error = max(abs(found[i][j] / true - 1) for i, j in ((0, 1), (1, 0)))
        lines.append(f"  {name:10} {found[0][1]:.5g} where {true:.5g} is true: off by {error:.3%}")
        if not error <= TOLERANCE:
            wrong.append(f"{name} is off by {error:.2%}")


def check_plain(args: argparse.Namespace, lines: list, wrong: list) -> None:
    document = calibrate(args, "plain", DETACHED)
    lines.append("two ranks, one bandwidth:")
    compare(lines, wrong, model_file.model(document, "loggps"),
            {"L": LATENCY + ENVELOPE_BYTES / BANDWIDTH, "o_prime_s": O_PRIME_S, "O_s": O_S,
             "o_prime_r": O_PRIME_R, "O_r": O_R})
    lines.append(f"  S          {document['eager_limit_bytes']}")
    if document["eager_limit_bytes"] != EAGER_LIMIT:
        wrong.append(f"S is {document['eager_limit_bytes']} where {EAGER_LIMIT} is true")


def check_packets(args: argparse.Namespace, lines: list, wrong: list) -> None:
    step = PACKET + ENVELOPE_BYTES
    document = calibrate(args, "packets", DETACHED + [
        "network/model:SMPI", "smpi/lat-factor:0:1", f"smpi/bw-factor:0:1;{step}:{FACTOR}"])
    loggps = model_file.model(document, "loggps")
    s = loggps["s"]
    lines.append(f"two ranks, the bandwidth's factor steps after {PACKET} bytes:")
    lines.append(f"  s          {s['value']}, between {s['low']} and {s['high']}")
    if s["value"] is None or s["low"] is None or s["high"] is None:
        wrong.append("s was not found, or has no interval")
    elif not s["low"] <= PACKET < s["high"]:
        wrong.append(f"s between {s['low']} and {s['high']} leaves out {PACKET}")
    compare(lines, wrong, loggps, {"G": 1 / BANDWIDTH / FACTOR})


def check_growth(args: argparse.Namespace, lines: list, wrong: list) -> None:
    document = calibrate(args, "growth", [], "--sizes", "64,1024")
    growth = model_file.model(document, "loggps")["overhead_growth"]
    lines.append(f"{args.ranks} ranks, P = 2, 4, ... {args.ranks}:")
    for name in ("o_prime_b_s", "o_prime_b_r", "o_prime_b"):
        value, low, high = (growth[name][key] for key in ("value", "low", "high"))
        lines.append(f"  {name:11} {value:.2g}, between {low:.2g} and {high:.2g} s a process")
        # Without noise an interval is as narrow as round-off.
        round_off = 1e-13
        if not low - round_off <= 0 <= high + round_off:
            wrong.append(f"{name}: the interval {low} to {high} leaves out 0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=64)
    args = parser.parse_args()
    if not args.program.exists():
        print(f"logp_smpi.py: skipped ({args.program} is missing): build the smpi preset first",
              file=sys.stderr)
        sys.exit(77)
    write_platform(args.directory / "machine", args.ranks)
    lines: list[str] = []
    wrong: list[str] = []
    check_plain(args, lines, wrong)
    check_packets(args, lines, wrong)
    check_growth(args, lines, wrong)
    model_file.report(lines, wrong)


if __name__ == "__main__":
    main()
