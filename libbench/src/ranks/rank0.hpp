#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commgauge/base/units.hpp"
#include "messages/communicator.hpp"

namespace commgauge::bench {

/// What `root` has, on every rank. Ranks that come early wait quietly.
[[nodiscard]] std::string broadcast(const Communicator& comm, std::string text, int root = 0);
[[nodiscard]] std::vector<std::uint64_t> broadcast(const Communicator& comm,
                                                   std::vector<std::uint64_t> numbers,
                                                   int root = 0);
[[nodiscard]] std::vector<double> broadcast(const Communicator& comm, std::vector<double> numbers,
                                            int root = 0);
[[nodiscard]] std::vector<Bytes> broadcast(const Communicator& comm,
                                           const std::vector<Bytes>& sizes, int root = 0);

/// Does `work` on rank 0 alone while the others wait quietly. Collective.
/// @throws InputError  or FitError, on every rank: what `work` threw, other exceptions as FitError.
void on_rank_0(const Communicator& comm, const std::function<void()>& work);

}  // namespace commgauge::bench
