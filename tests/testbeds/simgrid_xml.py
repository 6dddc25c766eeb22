"""Platforms as SimGrid reads them."""

from collections.abc import Callable, Iterable


def platform(zone: Iterable[str]) -> str:
    """The file around a zone's lines."""
    return "\n".join(["<?xml version='1.0'?>", '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
                      '<platform version="4.1">', *zone, "</platform>", ""])


def full_zone(lines: Iterable[str]) -> list[str]:
    """A zone with a route for each pair of hosts: its hosts, links and routes."""
    return ['  <zone id="net" routing="Full">', *lines, "  </zone>"]


def with_shared_links(hosts: dict[str, str], links: dict[str, tuple[float, float]],
                      route: Callable[[str, str], list[str]]) -> str:
    """A platform. `hosts`: the properties of each. `links`: bytes in a second, and latency [s]. `route`: names of the
    links from one host to another."""
    lines = [f'    <host id="{name}" speed="1Gf">{properties}</host>' for name, properties in hosts.items()]
    lines += [f'    <link id="{name}" bandwidth="{rate}Bps" latency="{latency}s"/>'
              for name, (rate, latency) in links.items()]
    lines += [f'    <route src="{source}" dst="{to}" symmetrical="NO">' +
              "".join(f'<link_ctn id="{name}"/>' for name in route(source, to)) + "</route>"
              for source in hosts for to in hosts if source != to]
    return platform(full_zone(lines))
