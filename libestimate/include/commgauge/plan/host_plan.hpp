#pragma once

#include <span>
#include <string>
#include <vector>

#include "commgauge/base/matrix.hpp"
#include "commgauge/measurements/experiment.hpp"

namespace commgauge {

/// Ranks by their hosts, in the order of the hosts' first ranks.
[[nodiscard]] std::vector<std::vector<int>> ranks_of_hosts(std::span<const std::string> hosts);

/// How messages of several pairs share a host's link: k = 2, 4, 8 … pairs at once, and as many as
/// there are, of each size, by groups to be measured one after the other. For each host with
/// several ranks from its ranks to those of the others, dealt over hosts that are alike, the
/// fastest first; the other way; and half of them each way at once. There is none where all ranks
/// are on one host. One pair is a round trip.
/// @param hosts  of each rank. @param times  of a large message, to tell which hosts are fast
[[nodiscard]] std::vector<std::vector<Experiment>> host_link_experiments(
    std::span<const std::string> hosts, std::span<const Bytes> sizes, const Matrix& times);

/// How pairs share the memory of their host: k = 2, 4, 8 … of them at once, and as many as cores
/// reach, of each size. The first half of the ranks that take part sends to the second. The most
/// pairs are measured between neighbours, too: on a host of several sockets they may pass other
/// ways.
/// @param ranks  of the host. @param cores  that it has; 0: one for each rank
/// @return none for fewer than two pairs
[[nodiscard]] std::vector<Experiment> memory_experiments(const std::vector<int>& ranks, int cores,
                                                         std::span<const Bytes> sizes);

}  // namespace commgauge
