#!/usr/bin/python3
"""Writes a SimGrid platform whose communication times follow the LMO model exactly.

    smpi_platform.py --hosts 8 --seed 1 -o DIRECTORY [--violate | --equal]
    smpi_platform.py --truth-of platform.xml -o DIRECTORY

Into DIRECTORY go platform.xml (the first form only), hosts (one name in a line, in the order of the
ranks) and truth.json: C [s], t [s/byte] of each host, L [s], inverse_beta [s/byte] of each pair.

SMPI adds an envelope of 16 bytes to every message, so what MPI sees as L is L + 16*inverse_beta;
truth.json holds L as the platform has it, and envelope_bytes.
"""

import argparse
import itertools
import json
import pathlib
import random
import sys
import xml.etree.ElementTree as ElementTree

import simgrid_xml

ENVELOPE_BYTES = 16
OVERHEADS = ("smpi/os", "smpi/ois", "smpi/or")
LATENCY_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
BANDWIDTH_UNITS = {"GBps": 1e9, "MBps": 1e6, "kBps": 1e3, "Bps": 1.0}


def draw_machine(hosts: int, seed: int, violate: bool, equal: bool) -> dict:
    """Parameters in the platform's units: C and L in us, t in ns/byte, bandwidth in MB/s.

    The largest C is at most twice the smallest L + C, so C_i <= 2 (L_is + C_s) holds for every pair;
    with `violate` it fails for host 0 and every peer. With `equal` all hosts and links are alike.
    """
    rng = random.Random(seed)
    C = [round(rng.uniform(20, 60), 1) for _ in range(hosts)]
    t = [round(rng.uniform(1, 4), 2) for _ in range(hosts)]
    pairs = list(itertools.combinations(range(hosts), 2))
    L = {pair: round(rng.uniform(10, 70), 1) for pair in pairs}
    bandwidth = {pair: round(rng.uniform(50, 1000)) for pair in pairs}
    if violate:
        C[0] = round(3 * max(L[0, s] + C[s] for s in range(1, hosts)), 1)
    if equal:
        C, t = C[:1] * hosts, t[:1] * hosts
        L, bandwidth = dict.fromkeys(pairs, L[0, 1]), dict.fromkeys(pairs, bandwidth[0, 1])
    return {"C": C, "t": t, "L": L, "bandwidth": bandwidth}


def platform_xml(machine: dict) -> str:
    lines = []
    for i, (C, t) in enumerate(zip(machine["C"], machine["t"])):
        lines.append(f'    <host id="h{i}" speed="1Gf">')
        lines += [f'      <prop id="{name}" value="0:{C}e-06:{t}e-09"/>' for name in OVERHEADS]
        lines.append("    </host>")
    for (i, j), latency in machine["L"].items():
        lines.append(f'    <link id="l{i}-{j}" bandwidth="{machine["bandwidth"][i, j]}MBps" '
                     f'latency="{latency}us" sharing_policy="SPLITDUPLEX"/>')
    for i, j in machine["L"]:
        for source, target, direction in ((i, j, "UP"), (j, i, "DOWN")):
            lines.append(f'    <route src="h{source}" dst="h{target}" symmetrical="NO">'
                         f'<link_ctn id="l{i}-{j}" direction="{direction}"/></route>')
    return simgrid_xml.platform(simgrid_xml.full_zone(lines))


def quantity(text: str, units: dict[str, float]) -> float:
    unit = text.lstrip("0123456789.e+-")
    if unit not in units:
        raise ValueError(f"{text} (unit unknown): use one of {', '.join(units)}")
    return float(text.removesuffix(unit)) * units[unit]


def overheads(host: ElementTree.Element) -> tuple[float, float]:
    """C and t of a host, from properties that all read bound:seconds:seconds_per_byte."""
    values = {prop.get("value") for prop in host.iter("prop") if prop.get("id") in OVERHEADS}
    if len(values) != 1 or ";" in min(values):
        raise ValueError(f"host {host.get('id')} (os, ois and or are not one line): not an LMO machine")
    _, C, t = values.pop().split(":")
    return float(C), float(t)


def truth_of(platform: str) -> tuple[list[str], dict]:
    """Host names and LMO parameters of a platform; every route is one link."""
    root = ElementTree.fromstring(platform)
    hosts = {host.get("id"): overheads(host) for host in root.iter("host")}
    links = {link.get("id"): (quantity(link.get("latency"), LATENCY_UNITS),
                              1 / quantity(link.get("bandwidth"), BANDWIDTH_UNITS))
             for link in root.iter("link")}
    names = list(hosts)
    L = [[None] * len(names) for _ in names]
    inverse_beta = [[None] * len(names) for _ in names]
    for route in root.iter("route"):
        i, j = names.index(route.get("src")), names.index(route.get("dst"))
        (link,) = route.iter("link_ctn")
        L[i][j], inverse_beta[i][j] = links[link.get("id")]
    truth = {"C": [C for C, _ in hosts.values()], "t": [t for _, t in hosts.values()],
             "L": L, "inverse_beta": inverse_beta, "envelope_bytes": ENVELOPE_BYTES}
    return names, truth


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--hosts", type=int, help="number of hosts, at least 3")
    what.add_argument("--truth-of", type=pathlib.Path, help="an existing platform")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--violate", action="store_true",
                        help="host 0 is too slow for differenced one-to-twos with any peer")
    parser.add_argument("--equal", action="store_true", help="all hosts and links are alike")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="directory")
    args = parser.parse_args()
    if args.hosts is not None and args.hosts < 3:
        parser.error(f"{args.hosts} hosts (one-to-two needs three): use --hosts 3 or more")

    args.output.mkdir(parents=True, exist_ok=True)
    if args.truth_of:
        platform = args.truth_of.read_text()
    else:
        platform = platform_xml(draw_machine(args.hosts, args.seed, args.violate, args.equal))
        (args.output / "platform.xml").write_text(platform)
    names, truth = truth_of(platform)
    (args.output / "hosts").write_text("".join(f"{name}\n" for name in names))
    (args.output / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, ElementTree.ParseError) as error:
        sys.exit(f"smpi_platform.py: {error}")
