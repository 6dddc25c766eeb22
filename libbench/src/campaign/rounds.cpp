#include "campaign/rounds.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <random>
#include <span>
#include <utility>

#include "base/requirements.hpp"
#include "base/role.hpp"
#include "commgauge/base/shuffle.hpp"
#include "messages/buffers.hpp"
#include "messages/quiet.hpp"
#include "ranks/round_codec.hpp"

namespace commgauge::bench {

namespace {

/// @pre the rank is in the experiment's group.
std::size_t bytes_of(const Experiment& experiment, int rank) {
  if (has_roles(experiment.kind)) return role_of(experiment, rank).data.value;
  // Each message starts on a page of its own, and one more may not fit at the end.
  const std::size_t peers = experiment.root == rank ? experiment.peers.size() : 1;
  const std::size_t message = std::max(experiment.out, experiment.back).value + page;
  if (times_a_meeting(experiment.kind)) {
    return message * (peers * static_cast<std::size_t>(experiment.messages) + 1);
  }
  return message * (experiment.root == rank ? peers + 1 : 1);
}

}  // namespace

bool takes_part(const Group& group, int rank) {
  return std::ranges::binary_search(group.ranks, rank);
}

Group group_of(const Experiment& experiment) {
  Group group{experiment.peers, {experiment}};
  group.ranks.push_back(experiment.root);
  std::ranges::sort(group.ranks);
  return group;
}

Group group_of(const Pair& pair, std::vector<Experiment> experiments) {
  Group group{{pair[0], pair[1]}, std::move(experiments)};
  std::ranges::sort(group.ranks);
  return group;
}

void put_in_order_of_pass(std::vector<Round>& rounds, std::uint64_t seed, int pass, bool is_thin) {
  if (is_thin && pass == 0) return;
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(pass));
  shuffle(std::span{rounds}, random);
  for (Round& round : rounds) {
    for (Group& group : round) shuffle(std::span{group.experiments}, random);
  }
}

long count_experiments(const std::vector<Round>& rounds) {
  long count = 0;
  for (const Round& round : rounds) {
    for (const Group& group : round) count += std::ssize(group.experiments);
  }
  return count;
}

std::size_t bytes_at_once(const std::vector<Round>& rounds, int rank) {
  std::size_t most = 0;
  for (const Round& round : rounds) {
    for (const Group& group : round) {
      if (!takes_part(group, rank)) continue;
      for (const Experiment& experiment : group.experiments) {
        most = std::max(most, bytes_of(experiment, rank));
      }
    }
  }
  return most;
}

std::vector<Round> share_rounds(const Communicator& comm, const std::vector<Round>& rounds) {
  std::vector<std::int64_t> numbers = encode(rounds);
  auto length = static_cast<std::int64_t>(numbers.size());
  (void)agree_quietly(comm.get(), 0);
  check(MPI_Bcast(&length, 1, MPI_INT64_T, 0, comm.get()), "MPI_Bcast");
  require(length <= INT_MAX,
          "the plan is too large for one message: take a sparse design, fewer sizes or models");
  numbers.resize(static_cast<std::size_t>(length));
  check(MPI_Bcast(numbers.data(), static_cast<int>(length), MPI_INT64_T, 0, comm.get()),
        "MPI_Bcast");
  return decode(numbers);
}

}  // namespace commgauge::bench
