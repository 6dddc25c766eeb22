"""Links between hosts: groups that share uplinks, and what these carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence


@dataclass(frozen=True)
class HostGroup:
    """Hosts behind one uplink."""

    hosts: tuple[str, ...]
    parent: int | None
    """Index of the smallest group that holds these hosts and more; None: at the top."""
    out: tuple[float, float, float]
    """What a byte to other hosts takes of the uplink [s/B]: value, low, high. A value of NaN: it
    limited nothing that was seen, and `high` is a bound."""
    into: tuple[float, float, float]
    """Likewise a byte from other hosts."""


@dataclass(frozen=True)
class Fabric:
    """What is between the hosts. From `ModelFile.fabric`."""

    groups: tuple[HostGroup, ...]
    backbone_sides: tuple[tuple[str, ...], ...]
    """Hosts of each side; messages between sides pass the backbone. Empty: there is none."""
    backbone: tuple[float, float, float]
    """What a byte takes of the backbone, both ways together [s/B]."""
    full_load: tuple[float, float, float]
    """All hosts in random pairs at once, each one way: the sum of their rates [B/s]."""
    alone: float
    """The sum of the same pairs' rates, each measured alone [B/s]."""
    misfit: float
    """Of the pairs at full load nine in ten differ by less from what the links foretell."""
    rounds: int
    """That were measured."""
    message_bytes: float
    notes: tuple[str, ...]
    """What could not be seen, and up to which load."""

    @classmethod
    def of(cls, found: dict[str, Any]) -> Fabric:
        groups = tuple(
            HostGroup(tuple(one["hosts"]), one["parent"], one["out"], one["into"])
            for one in found["groups"]
        )
        sides = tuple(map(tuple, found["backbone_sides"]))
        return cls(
            **{**found, "groups": groups, "backbone_sides": sides, "notes": tuple(found["notes"])}
        )

    def order_of(self, hosts: Sequence[str]) -> list[int]:
        """Ranks, given the host of each, so that those of a group are neighbours. Without a group they
        stay as they are."""
        if not self.groups:
            return list(range(len(hosts)))
        first: dict[str, int] = {}
        for rank, host in enumerate(hosts):
            first.setdefault(host, rank)
        ways: dict[str, list[int]] = {host: [] for host in first}
        for group in sorted(self.groups, key=lambda one: -len(one.hosts)):
            start = min((first[host] for host in group.hosts if host in first), default=0)
            for host in group.hosts:
                if host in ways:
                    ways[host].append(start)
        return sorted(range(len(hosts)), key=lambda rank: (*ways[hosts[rank]], first[hosts[rank]], rank))
