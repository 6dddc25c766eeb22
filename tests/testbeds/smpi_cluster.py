#!/usr/bin/python3
"""Writes a SimGrid platform of hosts with many ranks, some of which aren't like the others.

    smpi_cluster.py --hosts 16 --ranks 8 --seed 1 -o DIRECTORY [--kinds 2] [--switches 2] [--spread 0.03]
                    [--links pairs|hosts|free] [--no-flaws]

Into DIRECTORY go platform.xml, hosts (one name in a line, in the order of the ranks) and truth.json. Hosts of one
kind differ by up to the spread, in all that they do; hosts of the second kind take twice as long. Behind the second
switch are the hosts of the second half: messages between the halves take half as long again. One host, drawn by
seed, takes 1.6 times as long as its kind, and messages between two others 1.8 times; --no-flaws leaves both out.
truth.json has the one-way time of an empty message and of each byte for every pair of hosts [s, s/byte], what deviates,
and which hosts are alike.

A message costs overheads at both hosts, the latency, and its bytes (with SMPI's envelope of 16), each at the mean of
both hosts' rates. What is under way from one host to the same other one shares a link (--links pairs, the default), or
all that a host sends and all that it receives (hosts), each as fast as the host's fastest pair, or nothing (free).
"""

import argparse
import dataclasses
import itertools
import json
import pathlib
import random

import simgrid_xml
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
    links: str  # which messages share them

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
        return Cluster(args.hosts, args.ranks, kind_of, switch_of, factor, None, None, args.links)
    slow_host, *link = rng.sample(hosts, 3)
    factor[slow_host] *= SLOW_HOST
    return Cluster(args.hosts, args.ranks, kind_of, switch_of, factor, slow_host, (min(link), max(link)), args.links)


def shared_link(cluster: Cluster, host: int) -> str:
    fastest = min(cluster.link_factor(host, other) for other in range(cluster.hosts) if other != host)
    return (f'    <link id="h{host}" bandwidth="{1 / (fastest * PER_BYTE)!r}Bps" latency="0s" '
            'sharing_policy="SPLITDUPLEX"/>')


def links_of(cluster: Cluster, source: int, target: int) -> list[tuple[str, str]]:
    """Names and directions, of those that go both ways."""
    pair = f"l{min(source, target)}-{max(source, target)}"
    if cluster.links == "pairs":
        return [(pair, "UP" if source < target else "DOWN")]
    if cluster.links == "hosts":
        return [(f"h{source}", "UP"), (pair, ""), (f"h{target}", "DOWN")]
    return [(pair, "")]


def route(cluster: Cluster, source: int, target: int) -> str:
    way = "".join(f'<link_ctn id="{name}"' + (f' direction="{direction}"' if direction else "") + "/>"
                  for name, direction in links_of(cluster, source, target))
    return f'    <route src="n{source}" dst="n{target}" symmetrical="NO">{way}</route>'


def platform_xml(cluster: Cluster) -> str:
    lines = []
    for i in range(cluster.hosts):
        C, t = cluster.factor[i] * OVERHEAD, cluster.factor[i] * OVERHEAD_PER_BYTE
        lines.append(f'    <host id="n{i}" speed="1Gf">')
        lines += [f'      <prop id="{name}" value="0:{C!r}:{t!r}"/>' for name in OVERHEADS]
        lines.append("    </host>")
    for i in range(cluster.hosts):
        scale = cluster.factor[i] * INSIDE
        lines.append(f'    <link id="i{i}" bandwidth="{1 / (scale * PER_BYTE)!r}Bps" latency="{scale * LATENCY!r}s" '
                     'sharing_policy="FATPIPE"/>')
    pairs = list(itertools.combinations(range(cluster.hosts), 2))
    policy = "SPLITDUPLEX" if cluster.links == "pairs" else "FATPIPE"
    for i, j in pairs:
        scale = cluster.link_factor(i, j)
        lines.append(f'    <link id="l{i}-{j}" bandwidth="{1 / (scale * PER_BYTE)!r}Bps" '
                     f'latency="{scale * LATENCY!r}s" sharing_policy="{policy}"/>')
    if cluster.links == "hosts":
        lines += [shared_link(cluster, i) for i in range(cluster.hosts)]
    for i in range(cluster.hosts):
        lines.append(f'    <route src="n{i}" dst="n{i}"><link_ctn id="i{i}"/></route>')
    for i, j in pairs:
        lines += [route(cluster, i, j), route(cluster, j, i)]
    return simgrid_xml.platform(simgrid_xml.full_zone(lines))


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
    parser.add_argument("--links", choices=("pairs", "hosts", "free"), default="pairs", help="that messages share")
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
