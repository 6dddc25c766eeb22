#!/usr/bin/python3
"""Writes a SimGrid platform of hosts with many ranks, some of which aren't like the others.

    smpi_cluster.py --hosts 16 --ranks 8 --seed 1 -o DIRECTORY [--kinds 2] [--switches 2] [--spread 0.03]
                    [--no-flaws]

Into DIRECTORY go platform.xml, hosts (one name in a line, in the order of the ranks) and truth.json. Hosts of one
kind differ by up to the spread, in all that they do; hosts of the second kind take twice as long. Behind the second
switch are the hosts of the second half: messages between the halves take half as long again. One host, drawn by
seed, takes 1.6 times as long as its kind, and messages between two others 1.8 times. truth.json has the one-way time
of an empty message and of each byte for every pair of hosts [s, s/byte], what deviates, and which hosts are alike.

A message costs overheads at both hosts, the latency, and its bytes (with SMPI's envelope of 16) at the slower host's
rate; several at one host share its link.
"""

import argparse
import dataclasses
import itertools
import json
import pathlib
import random

from smpi_platform import ENVELOPE_BYTES, OVERHEADS

OVERHEAD, OVERHEAD_PER_BYTE = 8e-6, 0.2e-9
LATENCY, PER_BYTE = 15e-6, 1e-9
INSIDE = 0.1  # latency and time per byte inside a host, of those between hosts
SLOW_KIND, SLOW_TRUNK, SLOW_HOST, SLOW_LINK = 2.0, 1.5, 1.6, 1.8


@dataclasses.dataclass
class Cluster:
    hosts: int
    ranks: int
    kind_of: list[int]
    switch_of: list[int]
    factor: list[float]
    slow_host: int | None
    slow_link: tuple[int, int] | None

    def link_factor(self, i: int, j: int) -> float:
        """Of latency and time per byte between two hosts."""
        trunk = SLOW_TRUNK if self.switch_of[i] != self.switch_of[j] else 1
        slow = SLOW_LINK if self.slow_link == (min(i, j), max(i, j)) else 1
        return (self.factor[i] + self.factor[j]) / 2 * trunk * slow

    def time_of(self, i: int, j: int) -> tuple[float, float]:
        """Of an empty message and of each byte, one way."""
        both = self.factor[i] + self.factor[j]
        scale = self.factor[i] * INSIDE if i == j else self.link_factor(i, j)
        fixed = both * OVERHEAD + scale * (LATENCY + ENVELOPE_BYTES * PER_BYTE)
        return fixed, both * OVERHEAD_PER_BYTE + scale * PER_BYTE


def draw(args: argparse.Namespace) -> Cluster:
    rng = random.Random(args.seed)
    hosts = range(args.hosts)
    switch_of = [host * args.switches // args.hosts for host in hosts]
    kind_of = [host % args.kinds for host in hosts]
    factor = [rng.uniform(1 - args.spread, 1 + args.spread) * SLOW_KIND ** kind for kind in kind_of]
    if args.no_flaws:
        return Cluster(args.hosts, args.ranks, kind_of, switch_of, factor, None, None)
    slow_host, *link = rng.sample(hosts, 3)
    factor[slow_host] *= SLOW_HOST
    return Cluster(args.hosts, args.ranks, kind_of, switch_of, factor, slow_host, (min(link), max(link)))


def platform_xml(cluster: Cluster) -> str:
    lines = ["<?xml version='1.0'?>", '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
             '<platform version="4.1">', '  <zone id="net" routing="Full">']
    for i in range(cluster.hosts):
        C, t = cluster.factor[i] * OVERHEAD, cluster.factor[i] * OVERHEAD_PER_BYTE
        lines.append(f'    <host id="n{i}" speed="1Gf">')
        lines += [f'      <prop id="{name}" value="0:{C!r}:{t!r}"/>' for name in OVERHEADS]
        lines.append("    </host>")
    for i in range(cluster.hosts):
        scale = cluster.factor[i] * INSIDE
        lines.append(f'    <link id="i{i}" bandwidth="{1 / (scale * PER_BYTE)!r}Bps" latency="{scale * LATENCY!r}s" '
                     'sharing_policy="FATPIPE"/>')
    # Each pair's link is as slow as the pair; what the messages of one host share is as fast as its fastest.
    pairs = list(itertools.combinations(range(cluster.hosts), 2))
    for i, j in pairs:
        scale = cluster.link_factor(i, j)
        lines.append(f'    <link id="l{i}-{j}" bandwidth="{1 / (scale * PER_BYTE)!r}Bps" '
                     f'latency="{scale * LATENCY!r}s" sharing_policy="SPLITDUPLEX"/>')
    for i in range(cluster.hosts):
        lines.append(f'    <route src="n{i}" dst="n{i}"><link_ctn id="i{i}"/></route>')
    for i, j in pairs:
        for source, target, direction in ((i, j, "UP"), (j, i, "DOWN")):
            lines.append(f'    <route src="n{source}" dst="n{target}" symmetrical="NO">'
                         f'<link_ctn id="l{i}-{j}" direction="{direction}"/></route>')
    return "\n".join([*lines, "  </zone>", "</platform>", ""])


def truth_of(cluster: Cluster) -> dict:
    hosts = range(cluster.hosts)
    times = [[cluster.time_of(i, j) for j in hosts] for i in hosts]
    return {"ranks": cluster.ranks, "slow_host": cluster.slow_host, "slow_link": cluster.slow_link,
            "alike": [[cluster.kind_of[host], cluster.switch_of[host]] for host in hosts],
            "fixed_s": [[fixed for fixed, _ in row] for row in times],
            "per_byte_s": [[per_byte for _, per_byte in row] for row in times]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, required=True, help="at least 4")
    parser.add_argument("--ranks", type=int, required=True, help="of each host")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", type=int, choices=(1, 2), default=1)
    parser.add_argument("--switches", type=int, choices=(1, 2), default=1)
    parser.add_argument("--spread", type=float, default=0.02)
    parser.add_argument("--no-flaws", action="store_true")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="directory")
    args = parser.parse_args()
    if args.hosts < 4:
        parser.error(f"{args.hosts} hosts (one is slow, and a link of two others): use --hosts 4 or more")
    cluster = draw(args)
    args.output.mkdir(parents=True, exist_ok=True)
    (args.output / "platform.xml").write_text(platform_xml(cluster))
    (args.output / "hosts").write_text("".join(f"n{host}\n" * args.ranks for host in range(args.hosts)))
    (args.output / "truth.json").write_text(json.dumps(truth_of(cluster)) + "\n")


if __name__ == "__main__":
    main()
